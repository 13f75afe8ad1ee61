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
says words 'Answers' 'What was predicted before the run' 'Recorded on NVIDIA H200' 'Held' 'kept' 'Step 0'
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
run 0 report --template handout --svg twelve -o twelve.pdf "$h200"
run 0 report --template answers --markdown key.md "$h200"
run 0 report --json numbers.json "$h200"
text twelve.pdf
pdfinfo twelve.pdf >info # called by its heading in windows and lists
says info 'Title:           Guess first, then look'
pdfinfo twelve.pdf | sed -n 's/^Pages: *//p' >pages
[ "$(cat pages)" -le 14 ] || wrong "$(cat pages) pages"
run 0 report --template report --markdown book.md "$h200"
H200=$h200 python3 - <<'END'
import ast, gzip, json, os, re
sheet, key = open("words", encoding="utf-8").read(), open("key.md", encoding="utf-8").read()
asked, shown = sheet.split("The pictures\n", 1)
heads = re.findall(r"^[\f ]*(\d+)\. ([^:\n]+): \S.*$", asked, re.M)
assert [int(n) for n, _ in heads] == list(range(1, 13)), heads
assert len({kind for _, kind in heads}) >= 7, heads
assert asked.count("Your answer:") == asked.count("How sure, in per cent:") == 12
assert len(re.findall(r"^[\f ]*\d+\. [^:\n]+: ", shown, re.M)) == 11, "a picture for each but the name"
assert "what the recording decides" in key and "right within a millimetre" in key and "predicted" not in key.split("1\\.")[0]
for part in ("Usually wrong", "In the book"):
    assert key.count(part) == 12 and part not in sheet, part
case = {c["id"]: c["numbers"] for c in json.load(open("numbers.json", encoding="utf-8"))["runs"][0]["cases"]}
ns = lambda text: float(text.split()[0]) * {"ns": 1, "µs": 1e3, "ms": 1e6}[text.split()[1]]
picture = lambda n: re.search(rf"^[\f ]*{n}\. [^:\n]+: .*?(?=^[\f ]*{n + 1}\. |Exercise {n + 1} has|\Z)", shown, re.M | re.S)[0]
entry = lambda n: re.search(rf"^#+ {n}\\?\. .*?(?=^#+ {n + 1}\\?\. |\Z)", key, re.M | re.S)[0].replace("`", "").replace("\\", "")
near = float(re.search(r"the kernel computes [\d.]+ TFLOP/s, ([\d.]+) % of the flat line", key)[1])
assert 50 < near <= 100, near
# Of a comparison the key has every case, from the shortest median to the longest, each with what is drawn; an order is no key where
# the noise covers it. The picture itself has no length and no result in words.
order = re.search(r"From the shortest to the longest: (.*?)\. ", entry(7))[1]
told = [re.fullmatch(r"(.*) (\S+ µs) \(median (\S+ µs)\)", part).groups() for part in order.split("; ")]
title = {"64 × 64, warm": "eager", "64 × 64, warm, compiled": "compile", "64 × 64 as a CUDA graph": "graph"}
assert sorted(title[name] for name, _, _ in told) == ["compile", "eager", "graph"], told
medians = [ns(median) for _, _, median in told]
assert medians == sorted(medians), told
for (name, drawn, median), value in zip(told, medians):
    assert abs(value / case["matmul_add/64_bf16_warm_" + title[name]]["cpu_ns"] - 1) < 0.01, (median, name)
    assert 0.5 < ns(drawn) / value < 2, (drawn, median)
    # A drawn step that is not its median says which way it lies from it, and how far.
    off, said = ns(drawn) / value - 1, re.search(rf"^{re.escape(name)} \(step \d+(?:, ([\d.]+).% (below|above) its median)?\)$", picture(7), re.M)
    assert abs(off) < 0.06 if not said[1] else abs((1 if said[2] == "above" else -1) * float(said[1]) / 100 - off) < 0.01, (off, said[0])
assert "one step of" in " ".join(shown[:600].split()) and "equally near" not in sheet and "far from" not in sheet
strip = re.search(r"takes the CPU \S+ µs in .64 × 64, warm. and \S+ µs in .64 × 64, warm, compiled. \(([^)]*)\)", " ".join(open("book.md", encoding="utf-8").read().replace("\\", "").replace("**", "").split()))
unsure = re.search(r"64 × 64, warm(, compiled)? and 64 × 64, warm(, compiled)? cannot be told apart", entry(7))
assert bool(unsure) == ("noise" in strip[1]), (unsure, strip[1])
matrix = json.load(open(f"{os.environ['TRACEBOOK_TOP']}/experiments/matrix.json", encoding="utf-8"))
for n in (6, 7, 8, 9, 12):
    assert not re.search(r"the (device|CPU) takes|median \d|\d events? drawn", picture(n)), picture(n)
    assert not any(c["question"] in " ".join(picture(n).split()) for c in matrix["comparisons"] if c["question"]), picture(n)
# Bars that are asked for bear no name: what they are stands in the legend alone.
assert len(re.findall(r"^[A-D] \(step \d+\)", picture(8), re.M)) == 4 and not re.search(r"tb::|linear|gelu|region|graph|launchK", picture(8), re.I), picture(8)
assert picture(6).count("copy") == len(re.findall("Spot the copy|copy, fill|is no copy", picture(6))) == 3 and "nvjet" not in picture(6), picture(6)
one = re.search(r"the one (\S+ µs) \(medians\): 0\.\d+× as long\.", key)[1]
assert abs(ns(one) / case["attention/16_2048_64_fused"]["device_ns"] - 1) < 0.01, one

# The lines that are printed call in the order of what is drawn and of what the key lists, and stand in the book like that.
exercise = {e["id"]: e for e in json.load(open(f"{os.environ['TRACEBOOK_TOP']}/templates/en/exercises.json", encoding="utf-8"))["exercises"]}
def calls(node): # in the order in which they run
    inside = [node.left, node.right] if isinstance(node, ast.BinOp) else list(ast.iter_child_nodes(node))
    order = [call for part in inside for call in calls(part)]
    name = ast.unparse(node.func).split(".")[-1] if isinstance(node, ast.Call) else "mul" if isinstance(node, ast.BinOp) else None
    return order + ["matmul" if name.endswith("_proj") else name] if name else order
question = lambda n: re.search(rf"^[\f ]*{n}\. [^:\n]+: .*?(?=^[\f ]*{n + 1}\. |\Z)", asked, re.M | re.S)[0]
printed = re.findall(r"^ *(\w[\w, ]* = .*?) *$", question(9), re.M)
order = calls(ast.parse("\n".join(printed)))
assert order == ["matmul", "matmul", "gelu", "mul", "matmul"], printed
svg = open("twelve/compare-mlp.svg", encoding="utf-8").read()
panel = svg[svg.index(">Gated MLP (step"):svg.index(">Gated MLP, compiled")]
bars = sorted((float(x), name) for x, name in re.findall(r'<text[^>]* x="([\d.]+)"[^>]*>((?:nvjet|tracebook)_[^<]*)', panel))
assert len(bars) == len(order), bars
for (_, name), call in zip(bars, order):
    assert name.startswith("nvjet") == (call == "matmul") and ("_mul" not in name or call == "mul"), (bars, order)
listed = re.search(r"5 \(([^)]*)\) and 4 \(([^)]*)\)", entry(9))
assert listed[1].split(", ") == order and listed[2] == "matmul, matmul, fused, matmul", listed[0]
assert "\n".join(printed) in "\n".join(re.findall(r"^\| `([^`]*)` \|", open("book.md", encoding="utf-8").read(), re.M)), printed
names = re.findall(r"tb::(matmul|add)", picture(2))
assert names == calls(ast.parse(exercise["gap"]["lines"][0])) * 3, names

# Letters, counts of launches, and what is copied are those of the recording.
mode = {"eager": "1", "compile": "2", "handwritten": "3"}
letters = dict(zip("ABCD", exercise["match"]["picture"]["cases"]))
told = dict(re.findall(r"([A-D]) (\d)[,.]", entry(8).split("Kernels that")[0]))
assert told == {k: "4" if v.startswith("linear") else mode[v.split("_")[-1]] for k, v in letters.items()}, told
launched = dict(re.findall(r"([A-D]) (\d+)", re.search(r"Kernels that a step launches: (.*?)\.", entry(8))[1]))
assert {k: int(v) for k, v in launched.items()} == {k: case[v]["launches"] for k, v in letters.items()}, launched
def copied(name):
    with gzip.open(f"{os.environ['H200']}/{name}.pt.trace.json.gz", "rt", encoding="utf-8") as f:
        return {e["args"]["bytes"] for e in json.load(f)["traceEvents"] if e.get("cat") == "gpu_memcpy"}
for name, words in (("matmul_add/4096_bf16_warm_eager", "a kernel of its own"), ("addmm/4096_bf16_warm_eager", "the addmm call"),
                    ("matmul_add/4096_bf16_warm_compile", "compiled code"), ("matmul_add/4096_bf16_warm_fused", "inside the matmul")):
    assert f"{words} {'yes' if copied(name) else 'no'}" in entry(6), (name, entry(6))
assert copied("addmm/4096_bf16_warm_eager") == {33554432} and "first: 33.6 MB (read and written, 67.1 MB" in entry(6).replace("\u00a0", " "), entry(6)
# The axis of the dots begins where the sheet says that it does.
assert "axis does not begin at 0" in " ".join(question(5).split()) and min(int(t) for t in re.findall(r"^ +(\d+) µs\b", picture(5), re.M)) > 0, picture(5)
assert "solid one" not in picture(10) and "another of the three has the most" not in entry(4)

# A question and its lines to answer share a page.
for page in asked.split("\f"):
    heads = len(re.findall(r"^ *\d+\. [^:\n]+: \S", page, re.M))
    assert heads == page.count("Your answer:") == page.count("How sure"), page
assert "Exercise 11 has no picture." in shown

def work(name): # of the device, as the file has it: start and length in ns
    with gzip.open(f"{os.environ['H200']}/matmul_add/{name}.pt.trace.json.gz", "rt", encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    return sorted((e["ts"] * 1e3, e["dur"] * 1e3, e["name"]) for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"))

near = lambda text, number: abs(ns(text) - number) <= 0.006 * number
time = r"([\d.,]+ (?:ns|µs|ms))"

# The gaps that are drawn; the ratio of the two lengths below the picture; own lengths that sum to the whole.
device = work("64_bf16_warm_eager")
gaps = [b[0] - a[0] - a[1] for a, b in zip(device[::2], device[1::2])]
least, most = re.search(rf"for {time} to {time}", entry(2)).groups()
assert len(gaps) == 3 and near(least, min(gaps)) and near(most, max(gaps)), (least, most, gaps)
assert "same line with" in asked
later = re.search(rf"A later step takes {time}", picture(3))[1]
first = re.search(rf"first step takes {time}", entry(3))[1]
ratio = float(re.search(r"([\d.]+)×", entry(3))[1])
assert abs(ratio * ns(later) / ns(first) - 1) < 0.01, (ratio, first, later)
assert "power" not in picture(3), "a curve of what stays as it is"
# What can be measured in the picture is not printed beside it.
assert not re.search(r"idle,? [\d.]|Step \d+ +[\d.]+ (?:ns|µs|ms)", picture(2) + picture(3) + picture(4)) and "idle" in picture(2), picture(2)
gaps_told = [least, most]
assert not any(told in picture(2) + picture(4) for told in gaps_told), gaps_told
assert "its launch" not in picture(4) and "first step takes" not in picture(3), picture(4)
launched, *whole = re.search(rf"the launch all of its {time}.*?\({time}; {time}; {time} in other calls\)", entry(4)).groups()
lengths = [*whole[:2], launched, whole[2]]
assert f"other calls in tb::mm take {whole[2]} together" in " ".join(picture(4).split()), picture(4)
outer, inner, launch, other = map(ns, lengths)
own, inner_own = map(ns, re.search(rf"tb::matmul {time}, tb::mm {time}, the launch all of its {re.escape(lengths[2])}", entry(4)).groups())
assert abs(outer - inner - own) < 110 and abs(inner - launch - other - inner_own) < 110, lengths
assert "tb::mm" in picture(4) and "tb::matmul > tb::mm > launch" in asked and "aten::mm" not in asked

# One of the twenty is as far from the median as the change: the first.
gemms = [d for _, d, name in work("4096_bf16_warm_eager_x20") if name.startswith("nvjet")]
median = (sorted(gemms)[9] + sorted(gemms)[10]) / 2
spread, rest, ahead = (float(x) for x in re.search(r"differ by ([\d.]+).%.*?by ([\d.]+).%\..*lies ([\d.]+).%", entry(5)).groups())
for told, of in ((spread, max(gemms) - min(gemms)), (rest, max(gemms[1:]) - min(gemms[1:])), (ahead, gemms[0] - median)):
    assert len(gemms) == 20 and abs(told - 100 * of / median) < 0.06, (told, of, median)
assert rest < 2 < ahead and "2 % more than the median" in re.sub(r"\s+", " ", asked)

# Chapters have the book's numbers; each exercise names a page at least.
book = open("book.md", encoding="utf-8").read().replace("\\", "")
led = [part for cell in re.findall(r"In the book \| ([^|\n]+?) *\|", key) for part in cell.replace("\\", "").split("; ")]
chapters = [re.fullmatch(r"(.+?)(?:, page \d+)+", part)[1] for part in led]
numbered = [c for c in chapters if c[0].isdigit()]
assert len(numbered) == len(chapters) - 1 >= 11 and all(f"# {c}\n" in book for c in numbered), chapters
# What is asked for does not stand in its picture.
roof = picture(10)
assert "4096" not in roof and "share" not in roof and "TFLOP/s by" not in roof and "Gated MLP" in roof, roof
END

# Of two machines, as make has it of a run of this one: not longer; and the key names the page of the book with the answer.
cp -r "$h200" two
chmod -R u+w two
sed -i '0,/"is_gpu": true/s//"is_gpu": false/; 0,/"device": "cuda"/s//"device": "host"/' two/run.json
recorded=$TRACEBOOK_TOP/experiments/recorded
run 0 report --template handout --recorded "$recorded" --svg both -o both.pdf two
text both.pdf
python3 - <<'END'
import re
shown = open("words", encoding="utf-8").read().split("The pictures\n", 1)[1]
parts = [p for p in re.split(r"^[\f ]*\d+\. (?=[^:\n]+: )", shown, flags=re.M)[1:]]
for p in parts: # a page that begins with the second machine's picture says of which exercise it is
    named = re.findall(r"^[\f ]*(Host queue:|NVIDIA H200, exercise (\d+):)$", p, re.M)
    assert [n for _, n in named] == ["", named[-1][1]] and named[-1][1].isdigit(), "each machine above its picture"
assert len(parts) == 11 and [int(re.search(r"exercise (\d+):", p)[1]) for p in parts] == [*range(1, 11), 12], len(parts)
# Bars of launches are as many as the key's kernels and the fills that the sheet takes off.
said = re.search(r"launch kernels: (\d) of A, (\d) of B, (\d) of C and (\d) of D", " ".join(parts[7].split()))
kernels = re.findall(r"[A-D] (\d)", re.search(r"Kernels that a step launches: ([^.]*), beside the fills", open("key.md", encoding="utf-8").read())[1])
assert said.string.index("exercise 8:") < said.start(), "not below its picture"
svg = open("both/recorded-compare-match.svg", encoding="utf-8").read()
bars = svg.lower().count('fill="#b04a00"') - 1 # and its mark in the legend
assert bars == sum(map(int, said.groups())) + sum(map(int, kernels)) == 20, (bars, said.groups(), kernels)
assert len(re.findall(r"^ +Step \d+$", parts[0], re.M)) == 2, parts[0] # the step is named though its time on the CPU is a sliver
assert "Synchronize" not in parts[0] and "Synchronize" not in parts[3], "calls of another step"
END
for paper in a4 letter; do
	run 0 report --template handout --paper $paper --recorded "$recorded" -o both.pdf two
	pages=$(pdfinfo both.pdf | sed -n 's/^Pages: *//p')
	[ "$pages" -le 14 ] || wrong "$pages pages of $paper"
	run 0 report --template answers --paper $paper --recorded "$recorded" -o key.pdf two
	run 0 report --paper $paper --recorded "$recorded" -o book.pdf two
	pdftotext -layout key.pdf key.txt
	pdftotext -layout book.pdf book.txt
	python3 - "$TRACEBOOK_TOP" <<'END'
import json, re, sys
read = lambda name: json.load(open(f"{sys.argv[1]}/templates/en/{name}.json", encoding="utf-8"))
read_title = lambda chapter: next(c["title"] for c in read("chapters")["chapters"] if c["id"] == chapter)
pages = [" ".join(p.split()) for p in open("book.txt", encoding="utf-8").read().split("\f")]
key = open("key.txt", encoding="utf-8").read()
exercises, questions = read("exercises")["exercises"], read("questions")
entries = re.split(r"^[\f ]*\d+\. [^:\n]+: .*$", key, flags=re.M)[1:]
pictures = {f"compare-{c['id']}": c["title"] for c in json.load(open(f"{sys.argv[1]}/experiments/matrix.json", encoding="utf-8"))["comparisons"]}
pictures |= {"overview-roofline": "How close to the roofline"}
chapters = [re.sub(r"\s+", " ", c) for c in re.findall(r"^[\f ]{0,1}(\d+\. [A-Z][^\n]*)$", open("book.txt", encoding="utf-8").read(), re.M)]
assert len(entries) == len(exercises) == 12, len(entries)
for e, entry in zip(exercises, entries):
    told = " ".join(entry.split("In the book")[1].split("tracebook")[0].split()).split("; ")
    led = [(part.split(", page ")[0], int(n)) for part in told for n in part.split(", page ")[1:]]
    sought = {}
    for where in e["book"]:
        title = where.get("title") or read_title(where["chapter"])
        thing = questions[where["answer"]]["ask"].split("{")[0] if "answer" in where else pictures.get(where["place"], title)
        found = [n for name, n in led if title in name and thing.replace("`", "") in pages[n - 1]]
        assert found, (e["id"], thing, led)
        sought |= {next((n for n in found if n not in sought), found[0]): thing}
    # No other page is named; and a chapter's number is that of the last one that has begun there.
    assert {n for _, n in led} == set(sought), (e["id"], led, sought)
    for name, n in led:
        at = (n - 1, pages[n - 1].index(sought[n]))
        begun = [c for c in chapters if min((i, p.index(c)) for i, p in enumerate(pages) if c in p) < at]
        assert not name[0].isdigit() or name == begun[-1], (e["id"], name, begun)
END
done

# A wait is called too short where it is less than a millimetre on paper, without its length: 1.3 mm is long enough. Where the
# self times of another recorded step have another order, the key allows what it has first.
wait_of() { # MICROSECONDS
	python3 - "$1" <<'END'
import gzip, json, sys
name = "two/matmul_add/64_bf16_warm_eager.pt.trace.json.gz"
with gzip.open(name, "rt", encoding="utf-8") as f:
    trace = json.load(f)
work = sorted((e for e in trace["traceEvents"] if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")), key=lambda e: e["ts"])
work[1]["ts"] = work[0]["ts"] + work[0]["dur"] + float(sys.argv[1])
mm, launch = (min((e for e in trace["traceEvents"] if e.get("name") == n), key=lambda e: e["ts"]) for n in ("tb::mm", "cuLaunchKernelEx"))
launch["ts"], launch["dur"] = mm["ts"] + 0.5, mm["dur"] - 1
with gzip.open(name, "wt", encoding="utf-8") as f:
    json.dump(trace, f)
END
	run 0 report --template handout -o short.pdf two
	text short.pdf
	tr -s ' \n' ' ' <words >flat
}
wait_of 0.01
says flat 'Where you see no wait between matmul and addition, or hardly one, it is shorter than a millimetre'
! grep -qE '(9|10) ns|the device waits for' flat || wrong 'a length that is asked for is printed'
run 0 report --template answers --markdown turned.md two
says turned.md 'In another recorded step another of the three has the most'
! grep -q 'wrong | The outermost one' turned.md || wrong 'a right answer is called the usual error'
says turned.md 'Usually wrong | A bar’s whole length'
says key.md 'Usually wrong | The outermost one' 'Usually wrong | Compiled is the cheapest'

# An error is printed only where it is wrong: each exercise says which facts make it right. Where compiled code takes the CPU no
# longer than a graph it may be the cheapest; where no two cases can be told apart, no order of them is the only one.
cp -r "$h200" even
chmod -R u+w even
for mode in compile eager; do
	cp even/matmul_add/64_bf16_warm_graph.pt.trace.json.gz even/matmul_add/64_bf16_warm_$mode.pt.trace.json.gz
	run 0 report --template answers --markdown even.md even
	! grep -q 'Compiled is the cheapest' even.md || wrong 'compiled may be the cheapest, and that is called the usual error'
	says even.md 'Usually wrong | One order of all three' "$([ $mode = eager ] && echo 'No two of them can be told apart: every order is right' ||
		echo 'cannot be told apart: either order is right')"
done
python3 - "$TRACEBOOK_TOP" <<'END'
import json, sys
for e in json.load(open(f"{sys.argv[1]}/templates/en/exercises.json", encoding="utf-8"))["exercises"]:
    assert e["wrong"] and all(w["text"] not in e["key"] and isinstance(w["right_where"], list) for w in e["wrong"]), e["id"]
END
wait_of 0.66
! grep -q 'shorter than a millimetre' flat || wrong 'a wait that can be measured is called too short'

# A trace of anybody's brings no question: those that it decides are asked, with room, without an answer on the sheet; the key has
# the numbers that its data have. A file without a device is asked what it holds.
own() { # TRACE LEAST
	run 0 report --template handout -o own.pdf "$1"
	run 0 report --template answers --markdown own.md "$1"
	run 0 report --json own.json "$1"
	text own.pdf
	LEAST=$2 python3 - <<'END'
import json, os, re
sheet, key = open("words", encoding="utf-8").read(), open("own.md", encoding="utf-8").read().replace("\\", "")
asked = re.findall(r"^ *(\d)\. (\S.*\?)$", sheet.split("The pictures\n")[0], re.M)
keyed = re.findall(r"^#+ (\d)\. (.*\?)$", key, re.M)
assert asked == keyed and len(asked) >= int(os.environ["LEAST"]), (asked, keyed)
assert sheet.count("Your answer:") == sheet.count("How sure, in per cent:") == len(asked)
assert "Usually wrong" not in sheet and key.count("Usually wrong") == len(asked)
c = json.load(open("own.json", encoding="utf-8"))["runs"][0]["cases"][0]
unit = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
if c["numbers"]["busy_ns"]:
    busy = re.search(r"([\d.]+) (\S+) of ([\d.]+) (\S+)\. *\|", key.replace("\u00a0", " "))
    for number, sign, ns in ((busy[1], busy[2], c["numbers"]["busy_ns"]), (busy[3], busy[4], c["numbers"]["window_ns"])):
        assert abs(float(number) * unit[sign] / ns - 1) < 0.01, (busy[0], ns)
    counts = re.search(r"(\d+) kernels, (\d+) copies and fills, (\d+) launch calls", key)
    assert not counts or [int(n) for n in counts.groups()] == [int(c["numbers"][k]) for k in ("kernels", "copies", "launches")], counts[0]
    assert c["headline"] in key, c["headline"]
else:
    assert "What limits" not in sheet
END
}
own "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" 3
own "$TRACEBOOK_TOP/tests/golden/chrome/in/build.json" 1
shared=$TRACEBOOK_SHARED/traces
for name in kineto/tb_resnet50_array_form.json.gz kineto/dtu_cpu.json kineto/h100_qwen1.5_0.5b_chat.json.gz; do
	[ ! -f "$shared/$name" ] || own "$shared/$name" 1
done

# The sheet for the wall has two sides on either paper, with its own title, the words of verdicts and nothing of one device.
for paper in a4 letter; do
	run 0 report --template cheatsheet --paper $paper -o wall.pdf
	pdfinfo wall.pdf >info
	says info 'Pages:           2' 'Title:           How to read a trace'
	text wall.pdf
	says words 'launch-bound' 'stalls' 'K5' 'Perfetto (ui.perfetto.dev)' 'queue delay = ' 'Ask the next question'
	! grep -q 'oneDNN\|Here:\|atlas' words || wrong 'the sheet for the wall speaks of one device'
done

# In its sketch an operator stands under an operator, and no launch outside of one: what the marks speak of is there.
python3 - "$TRACEBOOK_TOP" <<'END'
import json, sys
bars = json.load(open(f"{sys.argv[1]}/templates/en/cheatsheet.json", encoding="utf-8"))["sketch"]["bars"]
over = lambda b: [o for o in bars if o["lane"] == b["lane"] and o["row"] == b["row"] - 1 and o["from"] <= b["from"] and b["to"] <= o["to"]]
assert any(over(b) and over(b)[0]["bar"] == "op" and over(b)[0].get("mark") == 4 for b in bars if b["bar"] == "op"), "no operator calls another"
assert all(over(b) and over(b)[0]["bar"] == "op" for b in bars if b["bar"] == "launch"), "a launch that no operator makes"
END

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
