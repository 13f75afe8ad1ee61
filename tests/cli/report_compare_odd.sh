# SPDX-License-Identifier: Apache-2.0
# Two traces that do not match: what differs stands above the verdict, what can be compared still is; where nothing can,
# status 1 and a line.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH=$TRACEBOOK_TOP/tests/cli PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 - <<'END'
import gzip
import os
from steps import trace

trace("a.json")
trace("slow.json", slow=2)
trace("rank0.json", rank=0)
trace("rank1.json", rank=1, slow=2)
trace("world.json", rank=0, world=4, slow=2)
trace("schedule.json", steps=5, first=0, slow=2)
trace("device.json", device="NVIDIA A100", slow=2)
trace("shapes.json", record_shapes=1, cuda_driver_version=12040, slow=2)
trace("plain.json", gpu=False)
trace("plain_slow.json", gpu=False, host=50)
trace("plain_whole.json", gpu=False, ranges=False)
for side, ranks in (("two", 2), ("four", 4)):
    for r in range(ranks):
        trace(f"{side}/rank{r}.json", rank=r, world=ranks, slow=2 if ranks == 4 else 1)
trace("same/rank0.json", rank=0)
trace("alone/rank0.json", rank=0)
trace("alone/rank1.json", rank=1)
with open("slow.json", encoding="utf-8") as f:
    text = f.read()
with open("cut.json", "w", encoding="utf-8") as f:
    f.write(text[:len(text) * 3 // 4])
with open("mended.json", "w", encoding="utf-8") as f:
    f.write(text.replace("},", "},,", 1))
with open("nothing.json", "w", encoding="utf-8") as f:
    f.write("")
with open("other.json", "w", encoding="utf-8") as f:
    f.write('{"a": 1}')
os.mkdir("folder")
END

# above FILE FIRST SECOND: FIRST stands in a line above the first SECOND.
above() {
	first=$(grep -nF -e "$2" "$1" | head -n 1 | cut -d: -f1)
	second=$(grep -nF -e "$3" "$1" | head -n 1 | cut -d: -f1)
	[ "${second:-0}" -gt "${first:-99999}" ] || wrong "'$2' is not above '$3' in $1: $(cat "$1")"
}

# differ STATUS OLD NEW WHAT BEFORE AFTER VERDICT: named in the terminal and on the pages above the verdict, below the
# verdict in the first line of the comment, and as data.
differ() {
	run "$1" report --check -o p.pdf --markdown m.md --json j.json --baseline "$2" "$3"
	above out "  $4: $6, before: $5" "$7"
	[ "$(sed -n 3p m.md | grep -cF "$4 $5 → $6")" = 1 ] || wrong "$(cat m.md)"
	pdftotext -layout p.pdf text
	above text 'What differs between the recordings' 'a step takes'
	grep -qE "^ *$4 +$5 +$6 *$" text || wrong "$4 $5 $6: $(cat text)"
	python3 -c '
import json, sys
with open("j.json", encoding="utf-8") as f:
    c = json.load(f)["comparison"]
assert [sys.argv[1], sys.argv[2]] in [[d["before"], d["after"]] for d in c["differs"]], c["differs"]
' "${5#–}" "${6#–}" || wrong "$4"
}
differ 3 rank0.json rank1.json rank 0 1 'SLOWER rank1.json: '
differ 3 rank0.json world.json ranks 2 4 'SLOWER world.json: '
differ 3 a.json schedule.json 'steps recorded' 8 5 'SLOWER schedule.json: '
differ 3 a.json schedule.json 'number of the first step recorded' 3 0 'SLOWER schedule.json: '
differ 3 a.json device.json device 'NVIDIA H200' 'NVIDIA A100' 'SLOWER device.json: '
differ 3 a.json mended.json 'places repaired in the file' 0 1 'SLOWER mended.json: '
differ 0 slow.json mended.json 'places repaired in the file' 0 1 'SAME mended.json: '
run 1 report --check --baseline a.json cut.json
says err 'cut.json is not whole'
differ 0 a.json plain.json 'missing in the file' nothing device 'SAME plain.json: '
differ 0 plain.json a.json 'missing in the file' device nothing 'SAME a.json: '
run 3 report --check --baseline a.json shapes.json
says out '  version of the driver: 12040, before: 13000' '  shapes recorded: yes, before: not told'

# Without a device the steps of the host are compared.
run 3 report --check -o p.pdf --markdown m.md --baseline plain.json plain_slow.json
says out 'SLOWER plain_slow.json: step 1.21x' '1 compared: 1 slower'
says m.md '### Slower: a step takes 291 µs instead of 241 µs, 1.21×'

# Steps on one side only: no ratio, and why.
for pair in 'plain.json plain_whole.json before' 'plain_whole.json plain.json after'; do
	old=${pair%% *} new=${pair#* }
	run 0 report --check -o p.pdf --markdown m.md --json j.json --baseline "$old" "${new% *}"
	says out "INCONCLUSIVE ${new% *}" 'Only one of the two recordings has steps.'
	! grep -q '[0-9]x' out || wrong "$(cat out)"
	says j.json '"verdict": "inconclusive"' '"why": "steps"'
	[ "$(head -n 1 m.md | grep -c "^### Inconclusive: only the recording ${pair##* } has steps, of 241 µs each; the one")" = 1 ] ||
		wrong "$(cat m.md)"
	pdftotext -layout p.pdf text
	says text "only the recording ${pair##* } has steps" "call the profiler's step()"
done
# On neither: the recordings.
sed 's/"dur": 9}/"dur": 9.5}/' plain_whole.json >plain_whole2.json
run 0 report --check -o p.pdf --markdown m.md --baseline plain_whole.json plain_whole2.json
says out 'INCONCLUSIVE plain_whole2.json: the recording 1.00x'
[ "$(head -n 1 m.md | grep -c '^### Inconclusive: the recording takes ')" = 1 ] || wrong "$(cat m.md)"
! grep -q 'a step\|A step' m.md || wrong "$(cat m.md)"

# More ranks on one side: those of both are compared, the others are counted.
run 3 report --check -o p.pdf --markdown m.md --baseline two four
says out '  ranks: 4, before: 2' 'SLOWER four/rank0.json: a kernel 2.00x' 'SLOWER four/rank1.json: a kernel 2.00x' \
	'2 compared: 2 slower' 'not compared, without a partner of that name and size: 0 before, 2 after'
[ "$(head -n 1 m.md)" = '### 2 slower, of 2 compared' ] || wrong "$(cat m.md)"
says m.md 'Not compared, because the other side has none of that name and size: 2 after.'
pdftotext -layout p.pdf text
says text 'none of that name and size: 2 after.' '2 cases are on both sides: 2 slower.'
# What has no partner is not identical.
run 0 report --check --markdown m.md --baseline alone same
! grep -q '^identical' out || wrong "$(cat out)"
says out 'IDENTICAL same/rank0.json' '1 before, 0 after'
says m.md 'none of that name and size: 1 before.'

# nothing LINE OLD NEW: status 1, that line, and no output.
nothing() {
	rm -f n.pdf n.md n.json
	run 1 report --check -o n.pdf --markdown n.md --json n.json --baseline "$2" "$3"
	is err "report: $1"
	silent out
	for file in n.pdf n.md n.json; do
		[ ! -e "$file" ] || wrong "$file is there: $2 $3"
	done
}
nothing 'nothing.json: is empty' a.json nothing.json
nothing '--baseline: nothing.json: is empty' nothing.json a.json
nothing 'other.json: no trace: JSON without traceEvents (some other JSON)' a.json other.json
nothing '--baseline: other.json: no trace: JSON without traceEvents (some other JSON)' other.json a.json
nothing 'folder holds no traces: no .json, no .json.gz, no run.json that lists cases' a.json folder
nothing '--baseline: folder holds no traces: no .json, no .json.gz, no run.json that lists cases' folder a.json
nothing 'cannot read missing.json: No such file or directory' a.json missing.json
nothing '--baseline: cannot read missing.json: No such file or directory' missing.json a.json
nothing '--baseline: nothing could be compared: no case of a.json, and no file name of its traces, stands on the other side (at the same size); where each side is one trace, names do not matter' a.json two
