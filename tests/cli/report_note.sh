# SPDX-License-Identifier: Apache-2.0
# What --markdown writes of anybody's traces is a comment: short, the result first, the rest folded, and no picture, since a
# comment has no folder beside it. The whole document is asked for by its template.
. "$TRACEBOOK_TOP/tests/cli/functions"
kept_short() { # FILE LINES, without the mark by which it is known as ours
	if [ "$(grep -vc '^<!-- tracebook -->$' "$1")" -gt "$2" ] || [ "$(wc -c <"$1")" -gt 10000 ]; then wrong "$1: $(wc "$1")"; fi
	! grep -q '!\[\|](svg' "$1" || wrong "$1 has a picture"
	awk '/^<details>/ { open++ } /^<\/details>/ { open-- } open > 1 || open < 0 { bad = 1 } END { exit bad || open }' "$1" ||
		wrong "$1: a fold that does not end"
	! grep '^|' "$1" | grep -q '`[^`]\{100,\}`' || wrong "$1: a name that is not cut"
}
name=$(awk 'BEGIN { for (i = 0; i < 90; i++) printf "long_" }')
small_trace small.json
sed "s/gemm_of_step_./$name/" small.json >long.json
run 0 report --svg svg --markdown long.md long.json
kept_short long.md 60
says long.md long.json 'compute-bound' '<details><summary>What it is made of</summary>' 'long_long' '…`' \
	'<details><summary>Where the time went</summary>' 'report --template atlas'
[ -n "$(ls svg)" ] || wrong 'no figure for itself'
run 0 report --template report --svg svg --markdown whole.md long.json
says whole.md '![' 'svg/' 'Profiler table'

# A folder of ranks: the table of all, and each of them folded.
mkdir ranks
for rank in 0 1 2 3 4 5 6 7; do
	sed "s/\"schemaVersion\"/\"distributedInfo\": {\"rank\": $rank, \"world_size\": 8}, \"schemaVersion\"/" long.json >ranks/r$rank.json
done
run 0 report --markdown ranks.md ranks
kept_short ranks.md 135
[ "$(grep -c '<details><summary>r[0-7].json' ranks.md)" = 8 ] || wrong 'not each of them'

[ -d "$TRACEBOOK_SHARED/traces" ] || { echo "no $TRACEBOOK_SHARED/traces: the small ones alone"; exit 0; }
for trace in "$TRACEBOOK_SHARED"/traces/kineto/*.json* "$TRACEBOOK_SHARED"/traces/ranks/*; do
	if [ -d "$trace" ]; then most=130; else most=60; fi
	run 0 report --markdown note.md "$trace"
	kept_short note.md $most
done
