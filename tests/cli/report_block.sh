# SPDX-License-Identifier: Apache-2.0
# The book of two machines with a block of a third: its chapter's picture, tables and key are of the same steps, and words that a reader
# found to be wrong stand nowhere.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp -r "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200" two
sed -i '0,/"is_gpu": true/s//"is_gpu": false/; 0,/"device": "cuda"/s//"device": "host"/' two/run.json
run 0 report -o two.pdf --recorded "$TRACEBOOK_TOP/experiments/recorded" two
run 0 report --json pytorch.json "$TRACEBOOK_TOP/experiments/recorded/nvidia-h100-pytorch"
pdftotext -layout two.pdf two.txt
python3 - <<'END'
import json, re
text = open("two.txt", encoding="utf-8").read()
seen = " ".join(text.split())
block = text[text.rindex("11. A whole block"):text.index("Exercise 11")]
# Words that were wrong once: launching is no part of a device's time, a large step leaves the CPU work, PyTorch's program has one line.
for words in ("computing and launching", "nothing to do. Each bar", "two lines", "that happens inside the library", "but its duration is not"):
    assert words not in seen, words
assert "torch.softmax(s, dim=-1) ops_softmax(o, in_place ? &scaled : &masked," in seen
assert "broke on the NVIDIA H200, 48 cases, and 16 recorded by themselves" in seen
# A limit that lies inside an interval is no end of it as printed; the verdict of a share is by its own rule; names and slivers are told.
assert not re.search(r"–([\d.]+)×\), expected ≤ \1×", seen) and "(0.17–0.203×), expected ≤ 0.2×" in seen
for words in ("a share of time has no such room), · not", "“Lecture 1” is the first of GPU MODE; the atlas, a file", "A sliver in front of a GPU’s matmul", "134 MB each here"):
    assert words in seen, words
assert seen.count("left of 1×: less time · line: interval · grey: noise") >= 4 and "these three on H200 and H100" in seen
# A result of page one that no picture of a chapter shows leads to the table of all cases.
cases = next(n for n, p in enumerate(text.split("\f"), 1) if "\nAll cases\n" in p)
assert re.search(rf"“64 × 64, warm, compiled” takes the device [^•]*\(page {cases}\)|“[^”]*” takes the CPU [^•]*\(page {cases}\)", " ".join(text.split("\f")[0].split())), text.split("\f")[0]
# Of the mask that is handed over as a tensor most of what it takes longer is in the kernel itself.
mask, choice = ([float(n) for n in re.search(rf"(?m)^{name} +cuDNN +\d+ +([\d.]+) µs +[\d.]+× +([\d.]+) µs", text).groups()]
    for name in ("The mask as a tensor", "The call, PyTorch’s choice"))
assert mask[1] - choice[1] > 0.5 * (mask[0] - choice[0]), (mask, choice)
# The block's device events, of all four cases, are its kernels, copies and fills, and the fills that count with a matmul; where taking the recorder's cost off
# turns the order of two steps, that is said.
key = " ".join(text[text.rindex("Exercise 11: A whole block"):].split())
kernels = [int(n) for n in re.search(r"(\d+) and (\d+)\. The matmuls stay", key).groups()]
yellow = [[int(n) for n in re.search(p, key).groups()] for p in (
    r"draws (\d+) bars as copies and fills: (\d+) by the runtime, .*? (\d+) kernels that .* and (\d+) fills for a matmul", r"Compiled (\d+): (\d+), (\d+) and (\d+);")]
assert all(drawn == runtime + own + beside for drawn, runtime, own, beside in yellow), yellow # what the picture colours is what the key counts
captured = [c["numbers"] for c in json.load(open("pytorch.json", encoding="utf-8"))["runs"][0]["cases"] if c["id"].endswith("_graph")]
events = sum(kernels) + sum(n for _, runtime, _, beside in yellow for n in (runtime, beside)) + sum(n["kernels"] + n["copies"] for n in captured)
assert len(captured) == 2 and int(re.search(r"\d+ of (\d+) events drawn", block)[1]) == events, (key, block)
# The parts of a step sum to it, and what the key says of its gaps is what the table has; both guesses of a busy device broke, and the list
# of what broke says why.
unit = {"µs": 1, "ms": 1e3}
time = lambda text: sum(float(n) * unit[u] for n, u in re.findall(r"([\d.]+) (µs|ms)", text))
rows = re.findall(r"(?m)^A transformer block.* {2,}(\d+) +([\d.]+ [µm]s) +([\d.]+ [µm]s), ([\d.]+) % +([\d.]+ [µm]s) +([\d.]+ [µm]s) +(–|[\d.]+ µs \((\d+): [\d.]+ µs\)) +([\d.]+ µs)$", block)
assert len(rows) == 4, block
for _, step, busy, share, before, between, inside, _, after in rows:
    parts = time(busy) + time(before) + time(between) + time(inside.split("(")[0]) + time(after)
    assert abs(parts / time(step) - 1) < 0.01 and abs(time(busy) / time(step) * 100 - float(share)) < 0.6, (step, parts)
gaps = [re.match(r"([\d.]+ µs) \((\d+): ([\d.]+ µs)\)", r[6]).groups() for r in rows if r[6] != "–"]
told = re.findall(r"([\d.]+ µs) of ([\d.]+ µs)(?: idle)? in (\d+)(?: gaps)? \(median ([\d.]+ µs)\)", key)
assert gaps == [(inside, n, gap) for inside, _, n, gap in told] and all(2 * time(inside) > time(idle) for inside, idle, _, _ in told), (gaps, key)
assert f"works {rows[2][3]} % and {rows[3][3]} % of a step. Most of the rest" in key, key
# The picture has the step that the table has: from its first event to its last, and each lane says how much of what is drawn is work. What
# the adviser's rows add is said, and that its share of a device that computes is of all that it computes.
drawn = [time(t) for t in re.findall(r"(?m)^A transformer block.*: of ([\d.]+ [µm]s) that are drawn the device takes", block)]
assert len(drawn) == 4 and all(abs(ns / (time(r[2]) + time(r[5]) + time(r[6].split("(")[0])) - 1) < 0.01 for ns, r in zip(drawn, rows)), (drawn, rows)
assert "which “A step” above leaves out" in " ".join(block.split()) and len(re.findall(r"memory-bound; [^\n]*\n[^\n]*computing [78]", block)) == 2, block
assert len(re.findall(r"(?m)^ *· +✗ ", block)) == 2 and len(re.findall(r"Share of the window in which the device\s+works: 0\.8", block)) == 2, block
assert seen.count("between what one launch runs") == 2
# What the adviser promised and what capturing gave is as the sentence has it, in the numbers of its table.
told = re.search(r"without the profiler’s cost: eager (.*?) of (.*?), and captured it takes (.*?)\. Compiled (.*?) of (.*?), and captured it takes (.*?), less than that leaves", key)
gain, step, captured, gain_compiled, compiled, both = map(time, told.groups())
assert both < compiled - gain_compiled and captured < step - 0.9 * gain, told.groups()
adviser = " ".join(block.split())
assert all(f"at once, up to −{told[n]} a step" in adviser for n in (1, 4)) and all(told[n] in adviser for n in (2, 3, 5, 6)), (told.groups(), adviser)
steps = [[float(t) for t in re.findall(r"([\d.]+) ms", row)[:2]] for row in re.findall(r"(?m)^ *A transformer block[^\n]*launch-bound[^\n]*", block)]
turned = (steps[0][0] > steps[1][0]) != (steps[0][1] > steps[1][1])
assert turned == ("recorded they stand in the other order" in " ".join(block.split())), (steps, block)
END
