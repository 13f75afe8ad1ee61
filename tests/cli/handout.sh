# SPDX-License-Identifier: Apache-2.0
# Sheets for a class: questions without pictures, pictures without answers, answers as a document of their own; whose class
# it is, on which paper, and which questions.
. "$TRACEBOOK_TOP/tests/cli/functions"
h200=$TRACEBOOK_TOP/experiments/recorded/nvidia-h200
text() { # FILE [OPTION]...
	pdftotext -layout "$@" - >words
}

run 0 report --template handout --only 'matmul_add/64_*' --title 'CS *149*: traces' --byline 'O. Kim, 22 November' \
	--paper letter -o handout.pdf "$h200"
text handout.pdf
says words 'CS *149*: traces' 'O. Kim, 22 November' 'Recorded on NVIDIA H200, 2026-' 'Name' 'Your guess:' 'What you see, and what differs'
pdfinfo handout.pdf >info
says info 'CS *149*: traces' '612 x 792 pts (letter)'
questions=$(grep -c 'Your guess:' words)
[ "$questions" -gt 4 ] || wrong "$questions questions"
[ "$(grep -c 'What you see, and' words)" = "$questions" ] || wrong 'not a picture for each question'
# No picture before the last question, and nothing of the answers anywhere.
awk '/The pictures/ { seen = 1 } /Your guess:/ && seen { exit 1 } /GPU 0/ && !seen { exit 1 } END { exit !seen }' words ||
	wrong 'a picture before the last question'
! grep -q 'Held\|Broke\|kept\|Prediction\|Answers$' words || wrong 'the answers are in it'
# Each question leads to the page of its picture.
pages=$(pdfinfo handout.pdf | sed -n 's/^Pages: *//p')
sed -n 's/.*picture on page \([0-9]*\).*/\1/p' words >led
lines led "$questions"
n=0
while read -r page; do
	n=$((n + 1))
	text handout.pdf -f "$page" -l "$page"
	grep -q "^ *$n\. " words || wrong "picture $n is not on page $page of $pages"
done <led

run 0 report --template answers --only 'matmul_add/64_*' -o answers.pdf "$h200"
text answers.pdf
says words 'Answers' 'Recorded on NVIDIA H200' 'Held' 'kept' 'Step 0'
[ "$(grep -c '^ *Question\. ' words)" = "$questions" ] || wrong 'not an answer for each question'
pdfinfo answers.pdf >info
says info '595.28 x 841.89 pts (A4)' 'Title:           Answers'

# One question by its tag; none is an error, and so is a choice where nothing is asked.
run 0 report --template handout --only 64_bf16_cold_eager --markdown - "$h200"
[ "$(grep -c 'Your guess' out)" = 1 ] || wrong 'not one question'
run 1 report --template handout --only 'nothing/*' -o none.pdf "$h200"
says err '--only: no case of these has a question: nothing/*'
absent none.pdf
run 2 report --template report --only '64_*' "$h200"
says err '--only has no effect with --template report'
run 2 report --paper a3 "$h200"
says err 'a4|letter'

# Without a choice twelve exercises, of at least seven kinds, on at most 14 pages; the key decides each of them in the numbers of
# the run, and nothing of it is on the sheet.
run 0 report --template handout -o twelve.pdf "$h200"
run 0 report --template answers --markdown key.md "$h200"
run 0 report --json numbers.json "$h200"
text twelve.pdf
pdfinfo twelve.pdf >info # called by its heading in windows and lists
says info 'Title:           Guess first, then look'
pdfinfo twelve.pdf | sed -n 's/^Pages: *//p' >pages
[ "$(cat pages)" -le 14 ] || wrong "$(cat pages) pages"
python3 - <<'END'
import json, re
sheet, key = open("words", encoding="utf-8").read(), open("key.md", encoding="utf-8").read()
asked, shown = sheet.split("The pictures\n", 1)
heads = re.findall(r"^[\f ]*(\d+)\. ([^:\n]+): \S.*$", asked, re.M)
assert [int(n) for n, _ in heads] == list(range(1, 13)), heads
assert len({kind for _, kind in heads}) >= 7, heads
assert asked.count("Your answer:") == asked.count("How sure, in per cent:") == 12
assert len(re.findall(r"^[\f ]*\d+\. [^:\n]+: ", shown, re.M)) == 11, "a picture for each but the name"
for part in ("Usually wrong", "In the book"):
    assert key.count(part) == 12 and part not in sheet, part
case = {c["id"]: c["numbers"] for c in json.load(open("numbers.json", encoding="utf-8"))["runs"][0]["cases"]}
ns = lambda text: float(text.split()[0]) * {"ns": 1, "µs": 1e3, "ms": 1e6}[text.split()[1]]
told = re.search(r"Eager (\S+ µs), compiled (\S+ µs), graph (\S+ µs)", key).groups()
for text, mode in zip(told, ("eager", "compile", "graph")):
    assert abs(ns(text) / case["matmul_add/64_bf16_warm_" + mode]["cpu_ns"] - 1) < 0.01, (text, mode)
one = re.search(r"the one (\S+ µs)", key)[1]
assert abs(ns(one) / case["attention/16_2048_64_fused"]["device_ns"] - 1) < 0.01, one
END

# The sheet for the wall has two sides on either paper, with its own title, the words of verdicts and nothing of one device.
for paper in a4 letter; do
	run 0 report --template cheatsheet --paper $paper -o wall.pdf
	pdfinfo wall.pdf >info
	says info 'Pages:           2' 'Title:           How to read a trace'
	text wall.pdf
	says words 'launch-bound' 'stalls' 'K5' 'Perfetto (ui.perfetto.dev)' 'queue delay = ' 'Ask the next question'
	! grep -q 'oneDNN\|Here:\|atlas' words || wrong 'the sheet for the wall speaks of one device'
done

# Beside somebody's trace it speaks of no device of ours.
run 0 report --template cheatsheet -o trace.pdf "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json"
text trace.pdf
! grep -q 'oneDNN.s own name\|hostLaunchKernel\|Here:' words || wrong 'the sheet of a trace speaks of our host device'

# Every document fits on the other paper: no text stands outside of its margins.
run 0 report --template cheatsheet --paper letter --title T --byline B -o sheet.pdf
pdftotext -bbox sheet.pdf boxes.html
awk -F '"' '/<word/ { n++; if ($2 < 40 || $4 < 10 || $6 > 572 || $8 > 782) { print; bad = 1 } } END { exit bad || n < 300 }' boxes.html ||
	wrong 'a word outside of the page'

# make takes the words as they are.
[ -z "${TRACEBOOK_SAN:-}" ] || exit 0
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES ONLY
cp -r "$TRACEBOOK_TOP"/experiments/recorded/nvidia-h200 'a run'
mkdir -p tree/out
for part in Makefile tracebook base report experiments templates collect tests; do
	ln -s "$TRACEBOOK_TOP/$part" "tree/$part"
done
ln -s "$TRACEBOOK_BIN" tree/out/bin
(cd tree && make -o out/bin/report READY=1 handout RUN="$PWD/../a run" TITLE="Kim's \"class\"; \`id\`" BYLINE='O.  Kim, autumn' PAPER=letter \
	ONLY='64_bf16_cold_* 64_bf16_warm_eager') >said 2>&1 || wrong "$(cat said)"
says said 'out/handout.pdf, and for the teacher out/answers.pdf'
for name in handout answers; do
	text "tree/out/$name.pdf"
	says words "Kim's \"class\"; \`id\`" 'O. Kim, autumn'
	pdfinfo "tree/out/$name.pdf" | grep -q letter || wrong 'not on that paper'
done
asked=$(grep -c '^ *Question\. ' words)
if [ "$asked" -lt 4 ] || [ "$asked" -ge "$questions" ]; then wrong "$asked questions of $questions"; fi
