# SPDX-License-Identifier: Apache-2.0
# The 43 questions on a real run: each a bookmark, in order, its links alive; and on runs that lack one
# case after the other.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

# Every case that the default matrix has, made small: what is asked is the same. A case without a mode
# or any other member that has a default is as good.
run 0 collect --list "$TRACEBOOK_TOP/experiments/matrix.json"
python3 - "$TRACEBOOK_TOP/experiments/matrix.json" <<'END'
import json, sys
matrix = json.load(open(sys.argv[1], encoding="utf-8"))
ids = [line.split()[0] for line in open("out", encoding="utf-8")]
small = {"size": 64, "batch": 4, "seq": 16, "dim": 48, "hidden": 64, "in_dim": 32, "out_dim": 64, "then_batch": 2}
assert len(ids) == len(matrix["cases"])
for case, id in zip(matrix["cases"], ids):
    case["tag"] = id.split("/")[1]
    for key in small:
        if key in case:
            case[key] = small[key]
matrix["cases"].append({"workload": "addmm", "size": 16})
json.dump(matrix, open("matrix.json", "w", encoding="utf-8"))
END
status=0
"$TRACEBOOK_BIN/collect" --device host --out traces matrix.json >out 2>err || status=$?
[ $status = 0 ] || wrong "collect ends with $status"
mv "$(cat out)" run

cat >check.py <<'END'
"""check.py DOCUMENT [LEFT-OUT-CASE...]: are the questions there, in order, and answered?"""
import re, sys
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
left_out = sys.argv[2:]
asked = [(i, re.fullmatch(r"heading 3 #question-(\d+) (\d+)\. (.*)", line)) for i, line in enumerate(lines)]
asked = [(i, found) for i, found in asked if found]
assert sorted(int(found[1]) for _, found in asked) == list(range(1, 44)), "not all 43"
# In order: the index; and the answers of a case.
index = [int(m[1]) for m in (re.fullmatch(r"  row (\d+) \| .*\? \| .*page ¶", line) for line in lines) if m]
assert index == list(range(1, 44)), f"the index: {index}"
below = [0]
for line in lines:
    if line.startswith(("heading 1", "heading 2")):
        below = [0]
    found = re.match(r"heading 3 #question-(\d+)", line)
    if found:
        assert int(found[1]) > below[-1], f"{found[1]} after {below[-1]}"
        below.append(int(found[1]))
assert len({found[3] for _, found in asked}) == 43, "a question twice"
unanswered = 0
for i, found in asked:
    number, answer = found[1], lines[i + 1]
    assert found[2] == number and found[3].endswith("?"), found[0]
    assert answer.startswith("text "), f"{number} has no answer"
    assert not re.search(r"[{}]|n/a|nan|inf\b", answer), f"{number}: {answer}"
    assert len(answer) < 800, f"{number} is long: {len(answer)}"
    assert "do not show it" not in answer, f"{number}: {answer}"
    if "make report measures" in answer:
        unanswered += 1
        assert any(f"trace of {case}" in answer for case in left_out), f"{number}: {answer}"
    else:
        # At the end of the case that proves it, below its heading.
        above = [line for line in lines[:i] if line.startswith("heading 1 #")][-1]
        assert not above.startswith("heading 1 #questions"), f"{number} is not where its evidence is"
print(unanswered)
END

run 0 report --template atlas --dump document run
cp out document
[ "$(python3 check.py document)" = 0 ] || wrong 'questions without an answer'
says document 'Answers questions 7, 8, 13.'

# The PDF: bookmarks for all, links that lead somewhere, an index of at most two pages.
run 0 report --template atlas -o r.pdf run
qpdf --json=2 --json-stream-data=none r.pdf objects.json
pdftotext -bbox r.pdf words.html
PYTHONDONTWRITEBYTECODE=1 python3 "$TRACEBOOK_TOP/tests/render/links.py" document objects.json words.html ||
	wrong 'links or bookmarks'
python3 - r.pdf <<'END' || wrong 'the index is longer than two pages'
import subprocess, sys
pages = subprocess.run(["pdftotext", "-layout", sys.argv[1], "-"], capture_output=True, text=True).stdout.split("\f")
index = [i for i, page in enumerate(pages) if "Answered under" in page]
assert 1 <= len(index) <= 2, index
assert "What takes the most time?" in pages[index[0]] and "in Triton" in pages[index[-1]]
END
run 0 report --template atlas --markdown r.md run
grep -o '](#question-[0-9]*)' r.md | sort -u | tr -d '](#)' | while read -r place; do
	says r.md "<a id=\"$place\">"
done

# Without one case after the other; make test leaves out each with many others, far from it in the matrix.
n=2
! sweep || n=999
python3 - $n >groups <<'END'
import json, sys
ids = [c["id"] for c in json.load(open("run/run.json", encoding="utf-8"))["cases"]]
for first in range(min(int(sys.argv[1]), len(ids))):
    print(*ids[first::int(sys.argv[1])])
END
total=0
cp -r run fewer
while read -r ids; do
	# shellcheck disable=SC2086 # a word each
	python3 - $ids <<'END'
import json, sys
run = json.load(open("run/run.json", encoding="utf-8"))
run["cases"] = [c for c in run["cases"] if c["id"] not in sys.argv[1:]]
json.dump(run, open("fewer/run.json", "w", encoding="utf-8"))
END
	run 0 report --template atlas --dump document fewer
	# shellcheck disable=SC2086
	unanswered=$(python3 check.py out $ids) || wrong "without $ids"
	total=$((total + unanswered))
done <groups
[ $total -ge 43 ] || wrong "only $total answers were missing over all"

# Of a run of one's own nothing is asked, nor of a trace alone; a template need not have the section.
run 0 report --dump document run/linear/1024_32_64_eager.pt.trace.json
if grep -q question out; then wrong 'questions of a lone trace'; fi
cat >own.json <<'END'
{"cases": [{"workload": "matmul_add", "size": 8, "dtype": "fp32", "tag": "mine"}]}
END
"$TRACEBOOK_BIN/collect" --device host --out own own.json >out 2>err || wrong 'collect of an own matrix'
run 0 report --template atlas --dump document own
if grep -q question- out; then wrong 'questions of an own matrix'; fi
cp -r "$TRACEBOOK_TOP/templates" t
echo '{"sections": ["cases"]}' >t/plain.json
TRACEBOOK_TEMPLATES=t run 0 report --template plain -o plain.pdf run
echo '{"sections": ["questions"]}' >t/only.json
TRACEBOOK_TEMPLATES=t run 0 report --template only -o only.pdf run

# A text that is missing, or that asks for a value that its answer has not, is named.
broken() { # OLD NEW WORDS...
	python3 - "$1" "$2" <<'END'
import os, sys
path = os.environ["TRACEBOOK_TOP"] + "/templates/en/questions.json"
text = open(path, encoding="utf-8").read()
assert sys.argv[1] in text
open("t/en/questions.json", "w", encoding="utf-8").write(text.replace(sys.argv[1], sys.argv[2], 1))
END
	shift 2
	TRACEBOOK_TEMPLATES=t run 1 report -o broken.pdf run
	lines err 1
	says err t/en/questions.json "$@"
	absent broken.pdf
}
broken '"ask": "Mean or median?",' '' '"median.ask"'
broken '"link": "[{title}' '"link": "[{moon}' '"words.link"' '{moon}'
broken '"later": "The schedule' '"later": "{moon}' '"schedule.' '{moon}'
