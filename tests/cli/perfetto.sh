# SPDX-License-Identifier: Apache-2.0
# Perfetto's own importer loads every trace that we write, and has nothing to complain of: those of a run on the host
# device, and the recorded ones (the first of each folder; TRACEBOOK_SWEEP=all: all of them). Wants node, and PERFETTO_TP_DIR, the folder of the importer's wasm.
. "$TRACEBOOK_TOP/tests/cli/functions"
load=$TRACEBOOK_SHARED/tools/perfetto_check.mjs
[ -f "$load" ] || { echo "no $load"; exit 77; }
command -v node >/dev/null 2>&1 || { echo 'no node'; exit 77; }
[ -n "${PERFETTO_TP_DIR-}" ] || { echo 'no importer of Perfetto: PERFETTO_TP_DIR names its folder'; exit 77; }

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
for trace; do
	node "$load" "$trace" >out 2>err || wrong "Perfetto does not load $trace"
done
echo "$# traces"
