# SPDX-License-Identifier: Apache-2.0
# The book: what its chapters name is there, their lines of the program are lines of the project, the
# recorded run stands in each chapter, and a run without a chapter's cases has the others.
. "$TRACEBOOK_TOP/tests/cli/functions"
host="$TRACEBOOK_TOP/tests/golden/host/in"

cat >check.py <<'END'
import json, pathlib, re, subprocess, sys
top = pathlib.Path(sys.argv[1])
read = lambda path: (top / path).read_text(encoding="utf-8")
book = json.loads(read("templates/en/chapters.json"))["chapters"]
questions = json.loads(read("templates/en/questions.json"))
recorded = [json.loads(p.read_text(encoding="utf-8")) for p in top.glob("experiments/recorded/*/run.json")]
cases = {c["id"] for run in recorded for c in run["cases"]} | {line.split()[0] for line in open("listed")}
comparisons = {c["id"] for m in ("matrix", "pytorch") for c in json.loads(read(f"experiments/{m}.json"))["comparisons"]}
squeeze = lambda text: " ".join(text.split())
program = squeeze(" ".join(read(p) for p in sorted(top.glob("experiments/*.c"))) + read("experiments/matrix.json"))
known = {"comparison": comparisons, "run": {"roofline", "latency", "widths", "bytes", "crossover", "closing", "backends", "advice", "parts"},
         "steps": cases, "step": cases, "causes": cases, "samples": cases}
said = []
for c in book:
    at = c["id"]
    assert c["title"] and c["about"] and c["exercise"] and c["cases"] and c["pictures"] and (c["box"] or c["drill"]), at
    for e in c.get("drill", []):
        assert e["ask"] and set(re.findall(r"\{(\w+)\}", e["key"])) == set(e.get("values", {})), (at, e["id"])
        assert all(id in cases for _, *ids in e.get("values", {}).values() for id in ids), (at, e["id"])
    for id in c["cases"] + c["guesses"] + [r[k] for r in c["box"] for k in ("case", "over") if k in r]:
        assert id in cases, f"{at}: no case {id}"
    for picture in c["pictures"]:
        assert picture.pop("of", "cpu") in ("cpu", "device"), f"{at}: {picture}"
        [(kind, name)] = picture.items()
        assert name in known[kind], f"{at}: no picture {picture}"
    for lines in (c["torch"], c["here"]): # whole: each bracket that opens closes, in order
        opened = []
        for sign in re.sub(r'"[^"]*"', "", " ".join(lines)):
            opened += [sign] if sign in "([{" else []
            assert sign not in ")]}" or opened and opened.pop() + sign in ("()", "[]", "{}"), (at, lines)
        assert not opened, (at, lines)
    for line in filter(None, c["here"]):
        assert squeeze(line) in program, f"{at}: no line of experiments/ is {line}"
    made = {"keys"} # which is a view of in[K], and no kernel
    for call in re.findall(r"ops_\w+\((.*?),? err\)", squeeze(" ".join(c["here"]))): # what a call reads, a line before it makes
        names = re.findall(r"&(\w+)\b(?!\[)", call)
        read = names if call.endswith(" out,") or call.endswith(" out") else names[:-1]
        assert made >= set(read), (at, call, made)
        made |= set(names)
    said += c["happened"] + c["also"] + ([c["answer"]] if "answer" in c else [])
asked = [k for k, v in questions.items() if isinstance(v, dict) and "ask" in v]
assert sorted(said) == sorted(asked), set(said) ^ set(asked)
END
run 0 collect --list "$TRACEBOOK_TOP/experiments/matrix.json"
mv out listed
python3 check.py "$TRACEBOOK_TOP"

# What is ascribed to the posts is in the table of what they print, with its place: the number itself, or what follows from theirs.
python3 - "$TRACEBOOK_TOP" <<'END'
import ast, json, operator, pathlib, re, sys
top = pathlib.Path(sys.argv[1])
does = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow}
def value(node):
    return does[type(node.op)](value(node.left), value(node.right)) if isinstance(node, ast.BinOp) else node.value
lines = [l.split("\t") for l in (top / "tests/data/posts.tsv").read_text(encoding="utf-8").splitlines() if not l.startswith("#")]
assert all(len(l) == 5 and all(l) for l in lines), [l for l in lines if len(l) != 5 or not all(l)]
table = {(chapter, row): (of, place) for chapter, row, of, _, place in lines}
book = json.loads((top / "templates/en/chapters.json").read_text(encoding="utf-8"))["chapters"]
said = {(c["id"], r["what"]): r["posts"] for c in book for r in c["box"] if "posts" in r}
assert set(said) == set(table) and len(table) == len(lines), set(said) ^ set(table)
for key, posts in said.items():
    of, place = table[key]
    assert place.startswith(("part 1, ", "part 2, ")), place
    if isinstance(posts, str):
        assert posts == of, (key, posts, of)
    else:
        assert abs(value(ast.parse(of, mode="eval").body) / posts - 1) < 0.01, (key, posts, of)
# No figure of theirs contradicts another: in a wait the device works no longer than in all of the run. Where an exercise sends its reader,
# there is what it speaks of.
for c in book:
    posts = {r["measure"]: r["posts"] for r in c["box"] if not isinstance(r.get("posts", ""), str)}
    if "last_wait_busy" in posts:
        assert posts["last_wait_busy"] * posts["last_wait"] <= min(r["posts"] for r in c["box"] if r["measure"] == "total_device" and "posts" in r), posts
titled = {c["title"]: c for c in book}
has = {"roofline": lambda c: {"run": "roofline"} in c["pictures"], "table": lambda c: c["box"] or any("run" in p or "causes" in p for p in c["pictures"]),
       "picture": lambda c: c["pictures"], "largest copy": lambda c: {"run": "widths"} in c["pictures"]}
for n, c in enumerate(book):
    text = c["exercise"]
    for word, there in has.items():
        at = text.find(word)
        if at < 0:
            continue
        behind = re.match(rf"{word} of “([^”]+)”", text[at:])
        of = titled[behind[1]] if behind else book[n - 1] if re.match(rf"{word} \(the chapter before", text[at:]) else c
        assert there(of), (c["id"], word, of["id"])
END

# Each box has a number of this machine and of the recorded one, and they are theirs.
run 0 report --dump document --recorded "$TRACEBOOK_TOP/experiments/recorded" "$host"
python3 - <<'END'
import re
lines = open("out", encoding="utf-8").read().split("\n")
heads = [l for l in lines if l.startswith("heading 1 #chapter-")]
assert heads == ["heading 1 #chapter-first 1. What only the first step pays", "heading 1 #chapter-block 2. A whole block"], heads
# A block was recorded elsewhere alone: each of its exercises has its key, with the numbers of that recording.
at = lines.index("heading 1 #solutions Answers to the exercises")
keys = lines[lines.index("text Exercise 2: A whole block", at):]
keys = keys[:next(i for i, l in enumerate(keys) if l.startswith("heading"))]
keys = [l for l in keys if re.match(r"  row \d+ \| ", l)]
assert len(keys) >= 7 and not any("–" in k or "{" in k for k in keys), keys
[first] = [l for l in lines if l.startswith("  row the first step on the CPU | ")]
assert re.fullmatch(r"  row the first step on the CPU \| 400 µs \| [\d.]+ ms \| –", first), first
assert "text NVIDIA H200:" in lines
# What holds for all tables and pictures is said once, in front of them or at the first; what a second recording says in the same
# words is not said again; and the machines are one table, without the places of their files.
for once in ("Three machines.", "the one nearest to the median", "head What | This machine | H200, recorded"):
    assert sum(once in l for l in lines) == 1, (once, [l for l in lines if once in l])
captions = [l for l in lines if l.startswith(("caption ", "heading "))]
assert len(captions) == len(set(captions)), sorted(c for c in captions if captions.count(c) > 1)
assert not [l for l in lines if " (/" in l and l.startswith("  row ")], [l for l in lines if " (/" in l]
# No answer without its question above it.
happened = lines.index(next(l for l in lines if l.endswith("What happened")))
assert "?" in lines[happened + 1], lines[happened:happened + 3]
END
# What PyTorch runs for attention is counted as its traces have it: written out, in place, by each back-end.
run 0 report --json sdpa.json "$TRACEBOOK_TOP/experiments/recorded/nvidia-h100-pytorch"
python3 - <<'END'
import json
cases = json.load(open("sdpa.json", encoding="utf-8"))["runs"][0]["cases"]
case = {c["id"].split("/")[1]: c["numbers"] for c in cases}
# Another back-end for the same shapes is other work: their times say nothing of how far processes are apart.
[sure] = [v["certainty"] for c in cases if c["id"].endswith("_math") for v in c["verdicts"] if v["expectation"] == "device_time_ratio"]
assert sure["high"] / sure["low"] < 1.5, sure
pieces = lambda tag: case[f"16_2048_64_{tag}"]["kernels"] + case[f"16_2048_64_{tag}"]["copies"]
assert [pieces(tag) for tag in ("written", "in_place", "efficient", "flash")] == [6, 5, 1, 1] and pieces("math") == 20, case
END
run 0 report -o book.pdf --recorded "$TRACEBOOK_TOP/experiments/recorded" "$host"
qpdf --check book.pdf >check 2>&1 || wrong "$(cat check)"

# Beside each sentence of a guess stands what became of it, with the number that decided; and the chapter
# on attention says what one kernel saves, in numbers of the two cases that it names.
run 0 report --json judged.json "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"
run 0 report --dump document "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"
python3 - <<'END'
import json, re
lines = open("out", encoding="utf-8").read().split("\n")
guesses, here = [], False
for line in lines:
    here = line == "  head here | Guessed before the run, and measured" or (here and line.startswith(("  row ", "  group ")))
    guesses += [line] if here and line.startswith("  row ") else []
marked = {}
for line in guesses:
    mark, says = re.fullmatch(r"  row (\S) \| (.*)", line).groups()
    marked.setdefault(mark, []).append(says)
assert set(marked) <= set("✓✗~·=–") and len(marked["✓"]) > 8, marked
assert any(re.search(r"Here: .*: [\d.]+× .*, expected [≤≥]", l) for l in marked["✓"]), marked
assert all("Here: " not in l for l in marked["·"]), marked["·"]
# A book shows the cases in which least can be seen, of all that the atlas has.
noise = lines[lines.index("heading 1 #noise How sure the numbers are"):]
least = [l.split(" | ")[6] for l in noise if re.match(r"  row .*( \| [^|]+){7}$", l)]
[told] = [re.search(r"(\d+) of (\d+)", l) for l in noise if l.startswith("caption The ")]
size = lambda text: float(text[:-1]) if text.endswith("×") else 1 + float(text[:-2]) / 100
assert len(least) == int(told[1]) == 8 < int(told[2]) == 48 and least == sorted(least, key=size, reverse=True), (told, least)
case = {c["id"]: c for c in json.load(open("judged.json", encoding="utf-8"))["runs"][0]["cases"]}
eager, fused = (case["attention/16_2048_64_" + mode]["numbers"]["device_ns"] for mode in ("eager", "fused"))
[answer] = [l for l in lines if l.startswith("text") and "134 MB" in l and "Attention over 2048 tokens" in l]
assert f"{fused / eager:.2f}×" in answer and "554 MB" in answer and "16.8 MB" in answer, answer
END

# A book of two machines, the second of them taken for one without a GPU: its size is what a class is given.
cp -r "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200" two
sed -i '0,/"is_gpu": true/s//"is_gpu": false/; 0,/"device": "cuda"/s//"device": "host"/' two/run.json
run 0 report -o two.pdf --recorded "$TRACEBOOK_TOP/experiments/recorded" two
pdftotext -layout two.pdf two.txt
pdfinfo two.pdf >info
python3 - <<'END'
import json, re
info, text = (open(f, encoding="utf-8").read() for f in ("info", "two.txt"))
pages, size = (int(re.search(rf"^{what}: +(\d+)", info, re.M)[1]) for what in ("Pages", "File size"))
assert 30 < pages <= 36 and size <= 250000, (pages, size)
# The pictures of a comparison on this machine and on the other one stand on one page.
page = {}
for nth, words in enumerate(text.split("\f"), 1):
    for title in re.findall(r"(?m)^(\S.*?): (?:of [^()]*? drawn )?the (?:device|CPU) takes [\d.]+ \S+ \(step \d+[^()]* median", words):
        page.setdefault(title, []).append(nth)
torn = {t: p for t, p in page.items() if len(p) == 2 and p[0] != p[1]}
assert len(page) > 12 and not torn, (page, torn)
# A result on page one names the page with its two numbers, or none.
pages = [" ".join(words.split()) for words in text.split("\f")]
led = re.findall(r"takes the (?:device|CPU) ([\d.]+ \S+), [^:]*? ([\d.]+ \S+): [\d.]+× \[[^]]*\]\. \(page (\d+)\)", pages[0])
shown = lambda nth: pages[nth - 1] + (pages[nth] if "All cases Times are" in pages[nth - 1] else "") # that table goes on overleaf
wrong = [(after, before, nth) for after, before, nth in led if not (after in shown(int(nth)) and before in shown(int(nth)))]
assert len(led) >= 2 and not wrong, (led, wrong)
# What would stand dozens of times is said once: whose an answer is stands in front of it as a name, that it is the same there as a mark.
assert pages[2].count("“= NVIDIA H200” behind an answer") == 1 and "The same on the" not in text and "H200: the same" not in text
assert text.count("= NVIDIA H200") > 9 and text.count("\nNVIDIA H200:\n") > 9, (text.count("= NVIDIA H200"), text.count("\nNVIDIA H200:\n"))
# What the sources teach and no case of ours runs is told in a sentence where it belongs; what both machines measured in the same words stands once.
seen = " ".join(text.split())
for words in ("TRITON_INTERPRET=1", "ncu’s source page", "get_kernel", "load_inline", "five in Lecture 1", "Both: Regime: device-bound, as expected.",
        "gets [64, 128, 768], tb::mm below it [8192, 768], so no bmm runs", "this GPU’s kernel leaves out what the mask hides"):
    assert words in seen, words
assert not re.search(r"Here: ([^.]+)\. H200: \1\.", seen)
# Each size of the sweep that page one draws has its name, and the lesson is of the regimes below it.
assert len(re.findall(r"512 +1024 +2048 +4096", text.split("\f")[0])) == 2
assert "In a small step the device waits; in a large step" in pages[0]
# Where nothing of this machine stands above it, nothing is called the same; and no column stands empty.
seen = " ".join(text.split())
assert "(G3) was not seen: 3 kernels, copies and fills have enough runs; the runs of none of them differ this much. " in seen and not re.search(r"[a-z]\.\. ", seen)
# No markup is seen; a number of one step beside its median says so; what a hash, a hatch, heights and slivers mean is what they are; of the
# three modes of a small step the key has all.
assert "`" not in text and "SDPBackend.FLASH_ATTENTION]))" in seen
for words in ("of the later ones, halfway between the two of them. ", "share a colour are of two heights", "Is its duration?",
        "hash is that of the list of operations", "Timelines hatch it from 0.4 mm on; narrower it stays white", "A sliver in front of a GPU’s matmul fills memory"):
    assert words in seen, words
assert re.search(r"\(median; [\d.]+ .s in this step\)", seen) and re.search(r"needs [\d.]+ .s instead of [\d.]+ .s \(.*?\)\. Compiled alone: [\d.]+ .s \(1\.", seen)
block = text[text.rindex("11. A whole block"):text.index("Exercise 11")]
assert block.count("On the NVIDIA H100 80GB HBM3:") == 1 and "The same" not in block, block
# Page one draws the steps that chapter one has medians beside, and says as it does where they are the first.
named = {n: {f", step {n}, the first" in pages[0], f"(step {n}, the first; medians" in seen} for n in set(re.findall(r"this machine, step (\d+)", pages[0]))}
assert named and all(len(both) == 1 for both in named.values()), named
# One rate is called reachable: the one that the roofline draws for large tensors, which none in the table of rates exceeds.
unit = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "µs": 1e-6, "ms": 1e-3}
reached = re.findall(r"at which this run moved large tensors \(([\d.]+ [GT]B)/s, as the roofline has it\)", seen)
drawn = [dashed or plain for plain, dashed in re.findall(r"Memory: ([\d.]+ [GT]B)/s by .*?(?:Dashed, with large tensors[^:]*: ([\d.]+ [GT]B)/s|Only device busy)", seen)]
assert len(reached) == 2 and reached == drawn, (reached, drawn)
of = lambda text: float(text.split()[0]) * unit[text.split()[1]]
rates = [of(r) for row in re.findall(r"(?m)^.*: bytes per second .*", text) for r in re.findall(r"([\d.]+ [GT]B)/s", row)[:2]]
assert len(rates) == 8 and max(rates) <= 1.01 * of(reached[0]), (rates, reached)
# What a compiled call pays before it runs is what its rows take, of the same steps as the times of a step beside it.
lookup, guard, tax = (re.search(p, seen)[1] for p in (r"finds the compiled version \(([\d.]+ .s)\)", r"checks shapes and types \(([\d.]+ .s)\)", r"guard take ([\d.]+ .s) in a usual call"))
assert abs(of(lookup) + of(guard) - of(tax)) < 0.02 * of(tax), (lookup, guard, tax)
# Whom a size's two times make the longer is not called a limit, which the regime of a case says by other means.
assert "is how much of the time the device had work, not which of the two times is longer" in seen
assert not re.search(r"(Below|smallest size)[^.]{0,40} limit", pages[0]), pages[0]
END

# What is drawn stands in the order of the medians that stand beside it, or the small print says that no recorded steps do.
run 0 report --dump document --recorded "$TRACEBOOK_TOP/experiments/recorded" two
cat >order.py <<'END'
import re, sys
unit = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
ns = lambda n, u: float(n) * unit[u]
lines = open("out", encoding="utf-8").read().split("\n")
told = pairs = 0
for at, line in enumerate(lines):
    if not line.startswith("figure ") or "compare-" not in line:
        continue
    print_below = lines[at + 1] if lines[at + 1].startswith("caption ") else ""
    drawn = [(ns(*f[:2]), ns(*f[2:])) for f in re.findall(r"takes ([\d.]+) (\S+) \(step \d+[^()\d]* median (?:of )?([\d.]+) (\S+?)\)", line)]
    told += len(drawn) > 1
    wrong = [(a, b) for a in drawn for b in drawn if a[1] < b[1] and a[0] > b[0]]
    assert not wrong or "nor do other recorded steps" in print_below, (wrong, line, print_below)
    # What it calls no difference is none between the medians.
    spread = re.search(r"The steps of “.*?” differ by up to ([\d.]+) %", print_below)
    if spread:
        medians = [m for _, m in drawn]
        assert max(medians) / min(medians) - 1 <= float(spread[1]) / 100 + 0.01, (medians, print_below)
    # Where widths are called no evidence: a pair that differs more than its steps is one of noise, and none is drawn further from its
    # median than the steps differ.
    untold = re.search(r"by noise, or no more .*? \(up to ([\d.]+) %, of “.*?”\), widths are not evidence of a change: counted from the top, (.*)\.$", print_below)
    for pair in untold[2].split("; ") if untold else []:
        (_, one), (_, other) = both = [drawn[int(n) - 1] for n in pair.split(" and ")]
        noise = any("noise" in l for l in lines[at:at + 40])
        assert noise or max(one / other, other / one) - 1 <= float(untold[1]) / 100 + 0.01, (line, print_below)
        assert all(abs(d / m - 1) <= float(untold[1]) / 100 + 0.01 for d, m in both), (line, print_below)
    # Both lanes of one: who is later in the picture is the one that the medians call later.
    for f in re.findall(r"CPU is done after ([\d.]+) (\S+), the device after ([\d.]+) (\S+) \(step [^;]*; medians[^:]*: CPU ([\d.]+) (\S+), device ([\d.]+) (\S+?)\)", line):
        cpu, device, its_cpu, its_device = (ns(*f[i:i + 2]) for i in (0, 2, 4, 6))
        assert (cpu < device) == (its_cpu < its_device), line
        pairs += 1
assert told >= int(sys.argv[1]) and pairs >= int(sys.argv[2]), (told, pairs)
END
python3 order.py 14 2

# What the sizes say of CPU and device stands behind a case only where that case agrees: the device is said to take twice as long, or
# always longer, not beside a step of such a size that takes less.
grep -q 'The two are equal at about' out || wrong 'the sizes do not say where'
for grow in 60:60 6:60; do # of the smallest size, of all others: the device's work takes so many times as long
	rm -rf grown
	cp -r two grown
	python3 - "$grow" <<'END'
import gzip, json, pathlib, sys
first, others = map(int, sys.argv[1].split(":"))
run = json.load(open("grown/run.json", encoding="utf-8"))
sizes = sorted((c["shape"]["size"], c["trace"]) for c in run["cases"] if c["id"].startswith("crossover/"))
assert len(sizes) > 3
for nth, (_, name) in enumerate(sizes):
    [path] = pathlib.Path("grown").glob(name + "*")
    trace = json.load(gzip.open(path, "rt", encoding="utf-8"))
    for e in trace["traceEvents"]:
        if e.get("cat") == "kernel":
            e["dur"] *= others if nth else first
    gzip.open(path, "wt", encoding="utf-8").write(json.dumps(trace))
END
	run 0 report --dump document grown
	says out 'A step takes the CPU 23.6 µs and the device 2.90 µs'
	! grep -E 'matter.*(at least twice as long here|At no size measured here)' out || wrong 'a case of the size takes less'
done
says out 'Below 16 × 16 another run may turn' 'from there on the device takes at least twice as long as launching them'

# A gap that returns has the cause of its own drawn launches: of the recorded GPU, which launches late, the code. And a sheet counts the
# events that a book has in the same picture.
run 0 report --template handout --dump document --recorded "$TRACEBOOK_TOP/experiments/recorded" two
mv out sheet
run 0 report --dump document --recorded "$TRACEBOOK_TOP/experiments/recorded" two
python3 - <<'END'
import re
book, sheet = (open(f, encoding="utf-8").read() for f in ("out", "sheet"))
returns = re.findall(r"A gap that returns in every step is no chance: that of “[^”]*” \([^)]*, median\) ([^.]*)\.", book)
assert returns and set(returns) == {"comes from the code, which launches late"}, returns
counts = [set(re.findall(r"caption (.*?, Step \d+), from its start to the end of its device work\. \d+ of (\d+) events drawn", t)) for t in (book, sheet)]
both = {c[0] for c in counts[0]} & {c[0] for c in counts[1]}
assert both and all(dict(counts[0])[c] == dict(counts[1])[c] for c in both), counts
assert "of 14 events drawn; the call after the step is left out" in sheet
END

# The marks of a chapter's guesses and the counts below them are of the same runs, on either machine; those of another GPU than the
# head of the column names have its name in front.
python3 - <<'END'
import re
marks, seen, others = [], set(), set()
for line in open("out", encoding="utf-8").read().split("\n"):
    if line.startswith("heading 1 "):
        marks = []
    elif re.match(r"  row [✓✗~·–=] \| [✓✗~·–=] \| ", line):
        marks.append(line[6:].split(" | ")[:2] + ["H100" if " H100: " in line else ""])
    elif line.startswith("  row the guesses above | ") and marks:
        here, there = line.split(" | ")[1:3]
        chips = {chip: part for chip, part in re.findall(r"(?:(?:^|; )(\w+): |^)([^;]*)", there) if part}
        for cell, column in [(here, [m[0] for m in marks])] + [(chips.get(c, ""), [m[1] for m in marks if m[2] == c]) for c in ("", "H100")]:
            told = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", cell)}
            counted = {word: column.count(mark) for word, mark in (("held", "✓"), ("broke", "✗"), ("undecided", "~")) if mark in column}
            assert told == counted, (line, marks)
            seen |= told.keys()
        others |= chips.keys()
assert {"held", "broke"} <= seen and "H100" in others, (seen, others)
text = open("out", encoding="utf-8").read()
used = {mark for pair in re.findall(r"\n  row ([✓✗~·–=]) \| ([✓✗~·–=]) \| ", text) for mark in pair}
legend = re.search(r"with a mark for each machine: .*", text)[0]
assert used and all(mark in legend for mark in used), (used, legend)
END
# The gains of an action are of a step that stands beside them.
python3 - <<'END'
import re
unit = {"µs": 1e-3, "ms": 1}
text = open("out", encoding="utf-8").read()
rows = re.findall(r"  row A transformer block, \w+ \| [^|]+ \| [\d.]+ ms \| ([\d.]+) ms \| .*?up to −([\d.]+) (ms|µs) a step \(([\d.]+)×\)", text)
assert len(rows) >= 2, rows
for step, gain, of, times in rows:
    left = float(step) - float(gain) * unit[of]
    assert abs(float(step) / left / float(times) - 1) < 0.03, (step, gain, times)
END

# What a kernel is said to move it can move in the time that it is drawn with: no faster than the roofline of the memory.
python3 - "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200" <<'END'
import gzip, json, re, statistics, sys
trace = json.load(gzip.open(f"{sys.argv[1]}/causal_attention/16_2048_64_eager.pt.trace.json.gz"))
text = " ".join(open("two.txt", encoding="utf-8").read().split())
scores, hidden = re.search(r"reads all scores and writes as many, ([\d.]+) MB each here; the mask writes what it hides, ([\d.]+) MB", text).groups()
roof = float(re.search(r"Memory: ([\d.]+) TB/s by", text)[1])
took = lambda name: statistics.median(e["dur"] for e in trace["traceEvents"] if e.get("cat") == "kernel" and name in e["name"])
for name, moved in (("mul_scalar", 2 * float(scores)), ("mask", float(hidden))):
    assert moved / took(name) < 1.01 * roof, (name, moved, took(name), roof)
END

# The list of traces: each of the run's files once, in its order, with its size; and links that open them, where they can be had.
run 0 report -o listed.pdf --traces-at https://example.org/t/ "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"
pdftotext -layout listed.pdf listed.txt
qpdf --qdf --object-streams=disable listed.pdf listed.qdf.pdf
python3 - "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200" <<'END'
import json, os, re, sys
run = json.load(open(f"{sys.argv[1]}/run.json", encoding="utf-8"))
done = [c for c in run["cases"] if c["status"] == "done"]
text = open("listed.txt", encoding="utf-8").read().split("The traces, by number")[1]
rows = re.findall(r"^ *(\d+) +(\S+/\S+)  +(\S.*), ([\d.]+) (k?B)$", text, re.M)
assert [int(r[0]) for r in rows] == list(range(1, len(done) + 1)), len(rows)
for (_, path, _, size, unit), c in zip(rows, done):
    assert path == c["id"].partition(".")[0], (path, c["id"])
    held = os.path.getsize(f"{sys.argv[1]}/{c['trace']}" if os.path.exists(f"{sys.argv[1]}/{c['trace']}") else f"{sys.argv[1]}/{c['trace']}.gz")
    assert abs(float(size) * {"B": 1, "kB": 1000}[unit] / held - 1) < 0.01, (path, size, held)
links = set(re.findall(rb"ui\.perfetto\.dev/#!/\?url=https://example\.org/t/([^)]+)\)", open("listed.qdf.pdf", "rb").read()))
assert {l.split(b".")[0] for l in links} == {r[1].encode() for r in rows} and all(b".json" in l for l in links), links
END

# An address with a query of its own stays one address: Perfetto divides its own by "&" and "=".
run 0 report -o signed.pdf --traces-at 'https://example.org/a%20b?key=1&of=' "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"
qpdf --qdf --object-streams=disable signed.pdf signed.qdf.pdf
python3 - <<'END'
import re, urllib.parse
links = set(re.findall(rb"ui\.perfetto\.dev/#!/\?([^)]+)\)", open("signed.qdf.pdf", "rb").read()))
for link in links:
    (name, value), = urllib.parse.parse_qsl(link.decode(), strict_parsing=True)
    assert name == "url" and value.startswith("https://example.org/a%20b?key=1&of=/") and ".json" in value, link
assert links
END

# The index leads to the page on which each question is asked and answered.
run 0 report -o index.pdf "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"
pdftotext -layout index.pdf index.txt
! grep -nF '\[' index.txt || wrong 'marks of the markup on a page'
python3 - <<'END'
import re
pages = open("index.txt", encoding="utf-8").read().split("\f")
index = "".join(pages).split("Where each question is answered")[1]
rows = re.findall(r"^ *\d+ +(\S.*?\?)  .* (\d+)$", index, re.M)
assert len(rows) > 15, rows
asked = [[line.strip() for line in p.split("\n")] for p in pages]
wrong = [(ask, page) for ask, page in rows if ask.strip() not in asked[int(page) - 1]]
assert not wrong, wrong
END

# What is misspelt is named.
cp -r "$TRACEBOOK_TOP/templates" t
sed -i 's/"measure": "first"/"measure": "frist"/' t/en/chapters.json
TRACEBOOK_TEMPLATES=t run 1 report -o no.pdf "$host"
says err chapters.json frist
absent no.pdf

# Every chapter's exercise has its answer, in numbers of this run: those of its box.
run 0 report --dump document "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"
python3 - <<'END'
import re
lines = open("out", encoding="utf-8").read().split("\n")
chapters = [l.split(". ", 1)[1] for l in lines if l.startswith("heading 1 #chapter-")]
at = lines.index("heading 1 #solutions Answers to the exercises")
texts = [l.removeprefix("text ") for l in lines[at + 1:lines.index("heading 2 Where each question is answered")]]
titles = [i for i, l in enumerate(texts) if l.startswith("Exercise ")]
asked = [texts[i] for i in titles]
answers = [texts[j - 1] for j in [*titles[1:], len(texts)]]
assert asked == [f"Exercise {i}: {t}" for i, t in enumerate(chapters, 1)] and len(asked) >= 9, asked
unit = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
time = lambda text: float(text.split()[0]) * unit[text.split()[1]]
box = lambda what: [l for l in lines if l.startswith(f"  row {what} | ")][0].split(" | ")[1]
cpu, device = box("64 × 64, warm: a step on the CPU"), box("64 × 64, warm: a step on the device")
[waits] = [a for q, a in zip(asked, answers) if q.endswith(chapters[0])]
told = re.match(r"A step takes the CPU (.*?) and the device (.*?): .* take ([\d.]+)× as long", waits)
assert told and told[1] == cpu and told[2] == device, waits
assert abs(float(told[3]) / (time(cpu) / time(device)) - 1) < 0.02, waits
[limits] = [a for a in answers if a.startswith("The kernel moves 151 MB. ")]
least, took, near, times = re.search(
    r"takes? (\S+ \S+)\. It takes (\S+ \S+), (?:.* ([\d.]+) %|([\d.]+)×) of", limits).groups()
near = near or 100 * float(times)
assert abs(float(near) / (100 * time(least) / time(took)) - 1) < 0.02, limits
END

# A run of which nothing that broke was guessed, and attention in three kernels is noise: nothing says that all held, and no exercise tells more than
# the chapter saw.
cp -r "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200" noisy
chmod -R u+w noisy
python3 - <<'END'
import gzip, json
name = "noisy/attention/16_2048_64_eager.pt.trace.json.gz"
trace = json.load(gzip.open(name))
kernels = sorted((e for e in trace["traceEvents"] if e.get("cat") == "kernel"), key=lambda e: e["ts"])
for i, e in enumerate(kernels):
    e["dur"] *= (1, 0.1, 0.7, 0.05)[i // 3 % 4]
with gzip.open(name, "wt") as out:
    json.dump(trace, out)
END
run 0 report --json noisy.json noisy
python3 - <<'END'
import json
broke = {c["id"] for c in json.load(open("noisy.json", encoding="utf-8"))["runs"][0]["cases"] if "broken" in (v["state"] for v in c["verdicts"])}
run = json.load(open("noisy/run.json", encoding="utf-8"))
for c in run["cases"]:
    if c["id"] in broke:
        c["guess"], c["expect"] = [{"says": "Nothing that is tested."}], {}
json.dump(run, open("noisy/run.json", "w", encoding="utf-8"))
END
run 0 report --dump document noisy
python3 - <<'END'
import re
text = open("out", encoding="utf-8").read()
held, broke, undecided = re.search(r"held, broke, undecided: (\d+) · (\d+) · (\d+)", text).groups()
assert broke == "0" and int(undecided) > 0, (broke, undecided)
assert f"No prediction broke: {held} held, {undecided} undecided." in text
assert "Whether the three kernels take longer than the one was not seen" in text and "the traffic explains all" not in text
assert "The guess held" not in text
[row] = re.findall(r"  row Attention over 2048 tokens, one kernel \|.*", text)
assert row.endswith("~ undecided"), row
END
