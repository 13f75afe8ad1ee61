# SPDX-License-Identifier: Apache-2.0
# One step: what the first sentence quotes, the bar shows, the picture enlarges, --json holds and a comparison takes.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH=$TRACEBOOK_TOP/tests/cli PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 - <<'END'
from steps import trace, written
k = [("ampere_sgemm_a", 4000, 5), ("elementwise_b", 1000, 5)]
# A profiler that was stopped one step late: the last steps hold nothing.
written("empty.json", [(9000, k)], empty=1)
written("empties.json", [(12000, k), (9000, k), (9100, k), (9200, k)], empty=2)
# Warmed up, since the number of the first is not 0, and still no sample.
written("late.json", [(90000, k), (9000, k), (9400, k)])
written("odd.json", [(90000, k), (9000, k), (9100, k), (9400, k)])
# Kernels of no length, as of a clock that is too coarse: no share of what they compute.
import json
zero = [dict(ph="X", cat="cpu_op", name="aten::add", pid=1, tid=1, ts=50 * i, dur=30) for i in range(12)]
zero += [dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=50 * i + 5, dur=10, args=dict(correlation=i + 1)) for i in range(12)]
zero += [dict(ph="X", cat="kernel", name="elementwise_kernel", pid=0, tid=7, ts=50 * i + 20, dur=0, args=dict(device=0, stream=7, correlation=i + 1))
         for i in range(12)]
json.dump(dict(schemaVersion=1, deviceProperties=[dict(id=0, name="NVIDIA H100")], traceEvents=zero), open("zero.json", "w"))
# A lone step that begins while the device still does earlier work.
x = lambda cat, name, ts, dur, pid=1, tid=1, **args: dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=ts, dur=dur, args=args)
events = [x("kernel", "before", 0, 400, 0, 7, device=0, stream=7), x("user_annotation", "ProfilerStep#1", 0, 1000),
          x("cuda_runtime", "cudaDeviceSynchronize", 10, 391), x("cpu_op", "aten::mm", 405, 30), x("cuda_runtime", "cudaLaunchKernel", 410, 10, correlation=1),
          x("kernel", "ampere_sgemm_a", 430, 560, 0, 7, device=0, stream=7, correlation=1)]
json.dump(dict(schemaVersion=1, deviceProperties=[dict(id=0, name="NVIDIA H100")], traceEvents=events), open("earlier.json", "w"))
trace("ranges.json", steps=7, host=[0, 30, 50, 20, 40, 10, 60])
END
one() {
	run 0 report --json j.json --markdown m.md -o p.pdf "$1"
	run 0 report --json c.json --baseline "$1" other.json
	pdftotext -layout p.pdf text
	python3 - "$@" <<'END' >out 2>&1 || wrong "$(cat out)"
import json, re, sys
case = json.load(open("j.json", encoding="utf-8"))["runs"][0]["cases"][0]
w, text = case["window"], " ".join(open("text", encoding="utf-8").read().split())
compared = json.load(open("c.json", encoding="utf-8"))["comparison"]
name, step, length, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
assert (w["step"], w["steps"]) == (step, steps) and abs(w["ns"] - length * 1000) < 21000, (name, w["step"], w["steps"], w["ns"])
assert sum(p["ns"] for p in w["parts"]) == w["ns"], name
assert compared["recorded"]["before_ns"] == w["ns"], (name, compared["recorded"], w["ns"])
said = re.search(r"% of the (?:median )?step of ([\d.]+) ms", text)
assert said and abs(float(said[1]) * 1e6 - w["ns"]) < 6000, (name, said and said[0], w["ns"])
if steps > 1:
    assert f"(step {step}" in text, (name, text[:600])
    zoomed = re.search(r"Step (\d+), enlarged\.", text)
    assert zoomed and int(zoomed[1]) == step, (name, zoomed and zoomed[0])
END
}
cp odd.json other.json
one empty.json 1 9000 1
! grep -q 'after the last work 100' text || wrong 'an empty step is the median'
one empties.json 3 9100 4
one late.json 2 9000 3
one odd.json 3 9100 4
run 0 report --json j.json -o p.pdf zero.json
# The picture has the whole range: the sentence says why it counts less.
run 0 report -o p.pdf earlier.json
pdftotext -layout p.pdf text
tr -s ' \n' '  ' <text >flat
says flat 'of the step of 600 µs (without its first 400 µs, in which the device ended earlier work)'
run 0 report --json j.json ranges.json
run 0 report --json c.json --baseline ranges.json ranges.json
grep -q '"before_ns": '"$(sed -n 's/.*"ns": \([0-9]*\),.*/\1/p' j.json | head -1)" c.json || wrong 'another step is compared'

# Every trace in reach: the same length as sentence, JSON and comparison.
for trace in "$TRACEBOOK_SHARED"/traces/h200/pairs/*.gz "$TRACEBOOK_SHARED"/traces/h200/programs/*.trace.json.gz; do
	if ! [ -f "$trace" ] || [ "$(stat -c %s "$trace")" -ge 1000000 ]; then continue; fi
	run 0 report --json j.json "$trace"
	run 0 report --json c.json --baseline "$trace" other.json
	python3 - "$trace" <<'END' >out 2>&1 || wrong "$(cat out)"
import json, sys
case = json.load(open("j.json", encoding="utf-8"))["runs"][0]["cases"][0]
c = json.load(open("c.json", encoding="utf-8"))["comparison"]
if case["window"]["step"] is not None:
    assert c["recorded"]["before_ns"] == case["window"]["ns"], (sys.argv[1], c["recorded"], case["window"]["ns"])
END
done

# Steps that nobody marked are told as what they are, and what "a step" means of them.
trace=$TRACEBOOK_SHARED/traces/kineto/b200_eager.json.gz
if [ -f "$trace" ]; then
	run 0 report -o p.pdf "$trace"
	pdftotext -layout p.pdf text
	tr -s ' \n' '  ' <text >flat
	says flat 'to the next: passes, or layers of one. “A step” means one of them here.'
fi
