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

# Briefer still: what limits it, what to do with the rows that prove it, and the numbers behind it, never above 2 kB.
run 0 report --json small.out --brief brief.md long.json
python3 - small.out brief.md <<'END' || wrong "$(cat brief.md)"
import json, sys
case, note = json.load(open(sys.argv[1]))["runs"][0]["cases"][0], open(sys.argv[2]).read()
assert len(note.encode()) <= 2048 and case["headline"] in note and note.endswith("<!-- tracebook -->\n"), len(note)
for action in case["actions"][:3]:
    assert f"`{action['id']}`" in note and action["name"] in note, action["id"]
    assert all(f"row {e['row']}" in note for e in action["evidence"][:2]), action["evidence"]
assert all(p["part"] in note for p in case["window"]["parts"] if p["ns"])
END
python3 - <<'END'
import json
d, n = json.load(open("long.json")), "*`_[x](http://y)<b>\u202e\n" * 400
for e in d["traceEvents"]:
    e["name"] = n[:5000] if e.get("cat") in ("cpu_op", "kernel") else e["name"]
json.dump(d, open("n" * 200 + ".json", "w"))
END
printf '{"traceEvents":[{"ph":"X","name":"alpha","pid":1,"tid":1,"ts":0,"dur":9},{"ph":"X","name":"beta","pid":1,"tid":1,"ts":1,"dur":6}]}' >spans.json
run 0 report --brief spans.md spans.json
says spans.md 'By self time `beta` takes most: 66.7 %'
! grep -q 'window of' spans.md || wrong 'a window of nothing'
run 0 report --brief brief.md nnn*.json
[ "$(wc -c <brief.md)" -le 2048 ] || wrong "$(wc -c <brief.md) bytes are not brief"
run 0 report --brief brief.md ranks small.json
says brief.md '* r0.json: **' '* small.json: '
run 0 report --brief brief.md --baseline small.json long.json
says brief.md '* '
[ "$(wc -c <brief.md)" -le 2048 ] || wrong "$(wc -c <brief.md) bytes are not brief"

[ -d "$TRACEBOOK_SHARED/traces" ] || { echo "no $TRACEBOOK_SHARED/traces: the small ones alone"; exit 0; }
for trace in "$TRACEBOOK_SHARED"/traces/kineto/*.json* "$TRACEBOOK_SHARED"/traces/ranks/*; do
	if [ -d "$trace" ]; then most=130; else most=60; fi
	run 0 report --markdown note.md --brief brief.md "$trace"
	[ "$(wc -c <brief.md)" -le 2048 ] || wrong "$trace: $(wc -c <brief.md) bytes are not brief"
	kept_short note.md $most
done
