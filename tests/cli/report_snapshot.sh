# SPDX-License-Identifier: Apache-2.0
# PyTorch's memory snapshots: what report says of real ones (PyTorch 2.11 on an H100) is what plain Python counts; a
# pickle that would run something runs nothing; what is cut, damaged or no snapshot ends in one line.
. "$TRACEBOOK_TOP/tests/cli/functions"

snapshot() { python3 "$TRACEBOOK_TOP/tests/cli/snapshot.py" "$@"; }
data=$TRACEBOOK_TOP/tests/data/snapshots

snapshot check "$TRACEBOOK_BIN/report" "$data"/*.pickle.gz

# Every output of it.
run 0 report -o a.pdf --html a.html --markdown a.md --brief a.brief --csv tables --svg pictures "$data/fragment_all.pickle.gz"
says a.md 'examples/memory.py(64): fragment' '274 MB on GPU 0' 'Out of memory' '86.5 %'
says a.brief '274 MB on GPU 0'
says a.html 'examples/memory.py(64): fragment'
[ -s tables/memory_holders.csv ] && ls pictures/*memory.svg >/dev/null || wrong 'no table or no picture'
gzip -dc "$data/small_all.pickle.gz" >plain.pickle
run 0 report --dump trace plain.pickle
says out 'examples/memory.py(75): small bytes 131072' 'AddmmBackward0 bytes 524288'
"$TRACEBOOK_BIN/report" --dump trace - <plain.pickle | grep -q AddmmBackward0 || wrong 'not read as what stdin is'
mkdir folder && cp plain.pickle "$data/train_python.pickle.gz" folder
run 0 report -o folder.pdf --markdown folder.md folder
says folder.md 'memory snapshot'

# Older forms, made ones: a list of segments, no stamps, a history for frames; expandable segments are one piece.
snapshot make
run 0 report --markdown - list.pickle
says out 'a.py(3): f'
run 0 report --markdown - --json old.json old.pickle
says out 'after 0 records' 'net/c.py(8): h'
run 0 report --json expand.json expand.pickle
snapshot check "$TRACEBOOK_BIN/report" stood.pickle
python3 - <<'END'
import json
case = json.load(open("expand.json"))["runs"][0]["cases"][0]
table = case["tables"]["memory_peaks"]
peak = dict(zip(table["columns"], table["rows"][0]))
assert (peak["peak_bytes"], peak["reserved_bytes"], peak["free_bytes"], peak["largest_free_bytes"]) == (0x200, 0x3000, 0x2e00, 0x2e00), peak
END

# Nothing is run, and what is no snapshot says so in one line.
for file in runs inside; do
	run 1 report $file.pickle
	lines err 1
	says err "$file.pickle: no trace: a Python pickle that makes objects" 'nothing of it was run'
done
absent pwned
for file in other none number; do
	run 1 report $file.pickle
	lines err 1
	says err "$file.pickle: no trace: "
done

# Endless trees and many times the same thing end at once.
timeout 20 "$TRACEBOOK_BIN/report" --json endless.json endless.pickle || wrong 'an endless tree'
timeout 20 "$TRACEBOOK_BIN/report" --json laugh.json laugh.pickle 2>err || [ $? = 1 ] || wrong 'the same thing many times'

# A cut one is read as far as it goes, and says so.
head -c 40000 plain.pickle >cut.pickle
run 0 report -o cut.pdf --markdown cut.md cut.pickle
says err 'cut.pickle is not whole'
snapshot damage "$TRACEBOOK_BIN/report" "$data/small_all.pickle.gz" "$(if sweep; then echo 2000; else echo 40; fi)"
