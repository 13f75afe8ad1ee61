# SPDX-License-Identifier: Apache-2.0
# tests/bench/prices.py, which make prices runs: reading and the rules as callgrind counts them, the most first.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'callgrind runs no sanitizers'; exit 77; }
command -v valgrind >/dev/null || { echo 'valgrind is not here'; exit 77; }
bench=${TRACEBOOK_BIN%/bin}/bench/bench_stages
[ -x "$bench" ] || { echo 'bench_stages is not built'; exit 77; }
trace=$(find "$TRACEBOOK_TOP/tests/golden/host/in" -name '*.json*' ! -name run.json | sort | head -1)
python3 "$TRACEBOOK_TOP/tests/bench/prices.py" "$bench" "$trace" --top 40 >said || wrong "$(cat said)"
grep -q '^read [1-9][0-9]*, rules 0\.[0-9]* of it, breakdown 0\.[0-9]*$\|^read [1-9][0-9]*, rules [1-9]' said || wrong "$(head -1 said)"
for function in rule.c:rules_all breakdown.c:breakdown_of rule.c:prepare_facts; do
	grep -q "^ *[1-9][0-9]* .* 1 $function\$" said || wrong "no $function: $(cat said)"
done
sed 1d said | awk '$1 > last && NR > 1 { exit 1 } { last = $1 }' || wrong 'not the most first'
