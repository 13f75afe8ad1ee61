# SPDX-License-Identifier: Apache-2.0
# Traces of anybody's: what limits each and what to do first, one trace or several; findings by what they save.
. "$TRACEBOOK_TOP/tests/cli/functions"

# Twenty steps of two products and what is between them; SLOW us pass between two launches, then comes a copy.
make_trace() { # FILE SLOW
	python3 - "$1" "$2" <<'END_PYTHON'
import json, sys
path, slow = sys.argv[1], int(sys.argv[2])
events, c = [], 0
for step in range(20):
    t = 1000 + (3 * slow + 600) * step
    events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{step}", pid=1, tid=1, ts=t, dur=3 * slow + 600))
    for k, (op, cat, name, dur) in enumerate((("aten::mm", "kernel", "sm80_xmma_gemm", 100), ("aten::relu", "kernel", "elementwise", 50),
                                              ("aten::mm", "kernel", "sm80_xmma_gemm", 100),
                                              ("aten::to", "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 200))):
        c += 1
        at = t + k * (slow + 100)
        events.append(dict(ph="X", cat="cpu_op", name=op, pid=1, tid=1, ts=at, dur=20, args={}))
        events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=at + 5, dur=5, args=dict(correlation=c)))
        events.append(dict(ph="X", cat=cat, name=name, pid=0, tid=7, ts=at + 12, dur=dur,
                           args=dict(correlation=c, device=0, stream=7, bytes=1000000, grid=[1 + k, 1, 1], block=[128, 1, 1])))
with open(path, "w") as f:
    json.dump(dict(traceEvents=events, deviceProperties=[dict(id=0, name="NVIDIA H200", numSms=132)]), f)
END_PYTHON
}
make_trace a.json 1000
make_trace b.json 2000

run 0 report --dump document a.json b.json
for trace in a.json b.json; do
	sed -n "/^heading 1 .* $trace/,/^heading 1 /p" out | sed '1d' >part
	says part 'text Limited by the host' 'heading 3 What to do first' 'heading 2 #' 'What it is made of'
	grep -q '^figure .*-breakdown ' part || wrong "$trace: no bar"
done
run 0 report -o two.pdf a.json b.json
[ "$(pdfinfo two.pdf | awk '/^Pages:/ { print $2 }')" -le 13 ] || wrong 'two traces take more than six pages each'

# Page one: verdict, the rule that gave it, action, the ten names with most self time; of a trace without a device those of
# the host, of one without operators those of its spans, which say at least who has most of the time.
run 0 report -o one.pdf a.json
pdftotext -layout -l 1 one.pdf one.txt
python3 - a.json <<'END_PYTHON'
import json, re, sys
page = open("one.txt", encoding="utf-8").read()
places = [page.find(t) for t in ("Limited by the host", "host-bound: The device waits: the host does", "What to do first", "Top ten by self time")]
assert -1 not in places and places == sorted(places), places
rows = re.findall(r"(?m)^ *(\S.*?) {2,}([\d.]+ [µm]?s) +([\d.]+) % +(\S.*?) {2,}([\d.]+ [µm]?s) +([\d.]+) %$", page.split("Top ten")[1])
assert len(rows) >= 3, rows
kernels = {}
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    if e.get("cat") in ("kernel", "gpu_memcpy"):
        kernels[e["name"]] = kernels.get(e["name"], 0) + e["dur"]
shares = sorted((100 * v / sum(kernels.values()) for v in kernels.values()), reverse=True)
assert all(abs(float(r[2]) - s) < 0.06 for r, s in zip(rows, shares)), (rows, shares)
assert [float(r[5]) for r in rows] == sorted((float(r[5]) for r in rows), reverse=True), rows
events = json.load(open(sys.argv[1]))["traceEvents"]
for name, keep in ("host.json", ("cpu_op", "user_annotation")), ("spans.json", ()):
    kept = [e if keep else dict(ph="X", name=e["name"], pid=1, tid=1, ts=e["ts"], dur=e["dur"])
            for e in events if e["cat"] in (keep or ("user_annotation",))]
    json.dump(dict(traceEvents=kept), open(name, "w"))
END_PYTHON
run 0 report --dump document host.json
says out '  head Host | Self time | Share |  | Self time | Share' '  row ProfilerStep* | '
run 0 report --dump document spans.json
says out '  head Spans | ' 'By self time ProfilerStep' 'Of the threads ' ' is in spans for longest, '

# Each word of a verdict stands in the table of them.
python3 - "$TRACEBOOK_TOP" <<'END_PYTHON'
import json, pathlib, sys
en = pathlib.Path(sys.argv[1], "templates/en")
text, sheet = (json.loads((en / f).read_text(encoding="utf-8")) for f in ("text.json", "cheatsheet.json"))
said = {k[len("headline."):-len(".what")] for k in text if k.startswith("headline.") and k.endswith(".what")} | {"mixed"}
listed = {v["of"] for v in sheet["verdicts"]}
assert said == listed and all(text[f"headline.{k}.means"] for k in said), said ^ listed
END_PYTHON

# Kernels stand under the operator that launches them, all sizes of one together; steps and objects are one each.
says part '  row aten::mm · sm80_xmma_gemm | 2 sizes | 40 |' '  row aten::relu · elementwise | 2, 128 | 20 |' '  row ProfilerStep* | '
! grep -q '  row ProfilerStep#' part || wrong 'a row for each step'

# What is drawn wider than it lasts is so much lower.
says part 'where the device’s bar is low'
run 0 report --dump canvas b.json
python3 - <<'END_PYTHON'
import re
heights = [float(h) for h in re.findall(r"^rect #005A8EFF \S+ \S+ \S+ (\S+)$", open("out").read(), re.M)]
assert any(1 < h < 17 for h in heights), heights
END_PYTHON

# Of many the first page of each: actions, but no page that they could point to.
for n in 1 2 3 4; do cp a.json "many$n.json"; done
run 0 report --dump document many1.json many2.json many3.json many4.json
[ "$(grep -c '^heading 3 What to do first' out)" -eq 4 ] || wrong 'not every trace says what to do first'
! grep -q 'What it is made of' out || wrong 'four traces with all their pages'

# What actions save falls, and they are numbered by it; what describes has no advice.
run 0 report --set GRID-SMALL.share=0 --dump document b.json
! grep -q '^point Grid too small' out || wrong 'a kernel of an idle device is worth a mark'
run 0 report --dump document "$TRACEBOOK_TOP/tests/data/trust/averages/gpu_net.pt.trace.json.gz"
python3 - <<'END_PYTHON'
import re

def microseconds(text):
    number, unit = re.fullmatch(r"([\d.]+) (ns|µs|ms|s)", text).groups()
    return float(number) * {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}[unit]

lines = open("out", encoding="utf-8").read().split("\n")
found = [re.search(r"^point .*?: up to −(.*?) a step.* \((\d)\)$", line) for line in lines]
found = [(microseconds(m[1]), m[2]) for m in found if m]
assert len(found) >= 2 and found == sorted(found, key=lambda f: -f[0]), found
assert "".join(mark for _, mark in found) == "123456789"[:len(found)], found
described = [line for line in lines if line.startswith("point ") and line.endswith("(·)") and "(T5)" in line]
assert described and not any("Look at the rows" in line for line in described), described
END_PYTHON

# Versions as their makers count them: CUDA's 12090 and HIP's 70253211.
python3 - "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" <<'END'
import json, sys
trace = json.load(open(sys.argv[1], encoding="utf-8"))
trace = {k: v for k, v in trace.items() if not k.endswith("_version")}
json.dump({**trace, "hip_driver_version": 70253211, "cuda_runtime_version": 12090}, open("versions.json", "w", encoding="utf-8"))
END
run 0 report --dump document versions.json
says out 'driver for 7.2.53211' 'runtime 12.9'
