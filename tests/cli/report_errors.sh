# SPDX-License-Identifier: Apache-2.0
# What a teaching review found wrong in the books once, on the pages that a reader sees now: those of
# the recorded GPU, and of a recording whose first step is cold.
. "$TRACEBOOK_TOP/tests/cli/functions"
recorded="$TRACEBOOK_TOP/experiments/recorded"

# book NAME REPORT_OPTION...: the words of a PDF, without line breaks.
book() {
	name=$1
	shift
	run 0 report -o "$name.pdf" "$@"
	pdftotext -layout "$name.pdf" - | grep -v '^tracebook ' | tr -s ' \n' '  ' >"$name.txt"
}
book h200 --template atlas "$recorded/nvidia-h200"
book more --template atlas "$recorded/nvidia-h200-more"
book report "$recorded/nvidia-h200"

python3 - "$recorded" "$TRACEBOOK_TOP/experiments" <<'END'
import json, pathlib, re, sys
h200, more, report = (open(f + ".txt", encoding="utf-8").read() for f in ("h200", "more", "report"))
both = h200 + more

# One cold first step does not decide who waits for whom: 4096 x 4096 is the device's, cold or warm.
rows = re.findall(r"4096 × 4096, (?:cold|warm)(?:, compiled)? (overhead-bound|device-bound|mixed) ", h200)
assert len(rows) >= 4 and set(rows) == {"device-bound"}, rows

# Runs of other work under one name are no noise, and no clock is blamed for them.
said = re.findall(r"every run is a dot; median [\d.]+ µs, mean [\d.]+ µs\.( Input shapes are not recorded)?", more)
assert " Input shapes are not recorded" in said, said
assert "compiled again)" in both and "If the shapes are the same too: clock speed" in report

# Nothing is called near its limit below the report's own 80 %.
shares = re.findall(r"move ([\d.]+) % of the memory's peak \([^)]*\), by a model of their bytes: from 80\.0 % on hardly", both)
assert shares and all(float(s) >= 80 for s in shares), shares
assert "cannot get much faster" not in both

# A grid of many waves is not told to grow, a small one is; at a roof occupancy is no matter.
gaps = set(re.findall(r"\(OCCUPANCY\)\. [^②-⑳]*?would fit\. The grid is (smaller|[\d.]+×) (?:than )?what the device", both))
assert "smaller" in gaps and len(gaps) > 1, gaps
assert all(float(g[:-1]) >= 10 for g in gaps - {"smaller"}), gaps

# What memory limits is told by the memory roofline of the run, not by one copy; an exercise that beats
# the copy says so, and calls no time a least one that is longer than the time itself.
rate, share, best = re.search(r"moves ([\d.]+) TB/s, ([\d.]+) % of the highest rate at which this run moved large tensors \(([\d.]+) TB/s, as the roofline has it\)", report).groups()
assert f"Memory: {best} TB/s by" in h200, best
assert abs(float(rate) / float(best) - float(share) / 100) < 0.003, (rate, share, best)
of_copy, least, time, near = map(float, re.search(
    r"At the rate of the largest copy, ([\d.]+) TB/s, that would take ([\d.]+) µs\. It takes ([\d.]+) µs, ([\d.]+)× of that rate", report).groups())
assert abs(least / time - near) < 0.01 and near > 1, (least, time, near)
# The largest copy is one: that of the dashed line, of each exercise.
assert set(re.findall(r"copy ([\d.]+) TB/s", h200)) == {f"{of_copy:.2f}"}, (of_copy, re.findall(r"copy ([\d.]+) TB/s", h200))
assert re.search(rf"would take [\d.]+ µs at {of_copy:.2f} TB/s\. The three kernels", report), of_copy
assert "at least. It takes" not in report

# Guesses made with earlier runs in view say so, and nothing is near a roofline that it set itself.
assert "They were written on 2026-11-22, with earlier runs known, before the run that judges them." in report
for book in (h200, more):
    assert "Guess, written on 2026-11-22, with earlier runs known, before the run." in book
closest = re.search(r"Of those that set no roofline themselves “([^”]*)” is closest", h200)[1]
setters = re.findall(r"(?:FLOP/s|TB/s) by \S+ in “([^”]*)”", h200)
assert setters and closest not in setters, (closest, setters)

# A guess about fp32 is not tied to a finding about half precision, which it can never show.
for path in ("matrix.json", "gpu.json"):
    for c in json.loads(pathlib.Path(sys.argv[2], path).read_text(encoding="utf-8"))["cases"]:
        fires = [f for s in c.get("guess", []) if isinstance(s, dict) for f in s.get("by", {}).get("must_fire", [])]
        assert c.get("dtype") != "fp32" or "HALF-ON-CUDA-CORES" not in fires, (path, c["title"])
assert re.search(r"1024 × 1024 in fp32.*?Tensor cores unused \(TC-UNUSED\)\. No matmul or convolution ran on the tensor cores", h200)

# Of a few runs no percentiles stand anywhere: ranges hold the longest run.
assert "5 % – 95 %" not in both and "Range: shortest to longest, from 20 calls on 5 % to 95 %" in both
[low, high] = re.search(r"Range: .{0,400}? tracebook_add_bf16 [^µ]*?3 [\d.]+ µs [\d.]+ µs (?:† )?([\d.]+) µs – ([\d.]+) µs", h200).groups()
assert float(low) < float(high)

# No kernel takes the middle of two.
assert "median kernel" not in both
END
