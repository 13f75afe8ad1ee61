# SPDX-License-Identifier: Apache-2.0
# A comparison as data, of two traces and of a run with cases; and the gate: status 3 only for what is slower by more than
# 5 % and outside of the noise.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH=$TRACEBOOK_TOP/tests/cli PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
chmod -R u+w run
python3 - <<'END'
import json
from steps import trace

trace("a.json")
trace("slow.json", slow=1.5, host=60, device="NVIDIA A100")
trace("faster.json", slow=0.5)
# What a step of 241 us takes more: below the threshold, and above it.
trace("below.json", host=9)
trace("above.json", host=16)
# Every other step takes 300 us more: the medians differ by more than the threshold, and the steps of one side do, too.
noisy = [0, 300, 0, 300, 0, 300, 0, 0]
trace("noisy.json", host=noisy)
trace("noisier.json", host=[300 - n for n in noisy])
path = "run/matmul_add/64_bf16_cold_eager.json"
with open(path, encoding="utf-8") as f:
    t = json.load(f)
for e in t["traceEvents"]:
    if e.get("cat") == "kernel":
        e["dur"] *= 1.25
with open(path, "w", encoding="utf-8") as f:
    json.dump(t, f)
END

run 0 report --json two.json --baseline a.json slow.json
run 0 report --json run.json --baseline "$TRACEBOOK_TOP/tests/golden/host/in" run
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json

CHANGES = {"faster", "slower", "same", "inconclusive"}
RATIO = ["verdict", "ratio", "low", "high", "level", "before_ns", "after_ns", "samples_before", "samples_after"]
PAIR = ["before", "after", "identical", "became", *RATIO, "saved_ns", "estimated", "recorder_before_ns", "recorder_after_ns",
        "recorded", "unrecorded", "cpu", "device", "parts", "largest", "kernels", "differs", "findings_came",
        "findings_went", "predictions_broken_now"]
COUNTS = ["compared", "only_before", "only_after", "slower", "faster", "same", "inconclusive"]
KERNEL = ["kernel", "operator", "state", "calls_before", "calls_after", "before_ns", "after_ns", "call"]


def read(path):
    with open(path, encoding="utf-8") as f:
        whole = json.load(f)
    return whole, whole["comparison"]


def check(pair, parts):
    assert [k for k in pair if k not in ("id", "why", "needs")] == PAIR, list(pair)
    assert pair["verdict"] in CHANGES and ("why" in pair) == (pair["verdict"] == "inconclusive"), pair
    assert abs(pair["ratio"] - pair["after_ns"] / pair["before_ns"]) < 1e-6 or pair["level"], pair
    assert pair["level"] is None and pair["low"] is None or pair["low"] <= pair["ratio"] <= pair["high"], pair
    assert pair["saved_ns"] == pair["before_ns"] - pair["after_ns"], pair
    assert [list(p) for p in pair["parts"]] == [["part", "before_ns", "after_ns"]] * len(parts), pair["parts"]
    assert [p["part"] for p in pair["parts"]] == parts, pair["parts"]
    for side in ("before_ns", "after_ns"):
        assert sum(p[side] for p in pair["parts"]) == pair[side], pair
    for one in ("recorded", "unrecorded", "cpu", "device"):
        assert pair[one] is None or list(pair[one]) == RATIO, pair[one]
    for k in pair["kernels"]:
        assert [m for m in k if m not in ("was", "from", "into")] == KERNEL, k
        assert k["state"] in ("same", "changed", "fused", "split", "gone", "new"), k
    for d in pair["differs"]:
        assert list(d) == ["what", "before", "after"], d


whole, c = read("two.json")
parts = [p["part"] for p in whole["runs"][0]["cases"][0]["window"]["parts"]]
assert len(parts) == 17
check({k: v for k, v in c.items() if k not in COUNTS and k != "pairs"}, parts)
check(c["pairs"][0], parts)
assert list(c) == PAIR + COUNTS + ["pairs"] and len(c["pairs"]) == c["compared"] == c["slower"] == 1, list(c)
assert {k: v for k, v in c["pairs"][0].items() if k != "id"} == {k: c[k] for k in PAIR}
# 60 us more on the host in each step, and the first kernel half as long again: 20 us of idle time become work.
assert c["verdict"] == "slower" and abs(c["saved_ns"] + 60000) <= 500 and c["largest"] == "idle.launching", c
gemm = next(k for k in c["kernels"] if k["kernel"] == "gemm_of_step")
assert gemm["state"] == "same" and abs(gemm["call"]["ratio"] - 1.5) < 1e-6 and gemm["calls_after"] == 1, gemm
assert abs(gemm["after_ns"] - gemm["before_ns"] - 20100) < 100, gemm
assert c["differs"] == [{"what": "differs.device", "before": "NVIDIA H200", "after": "NVIDIA A100"}], c["differs"]

whole, c = read("run.json")
assert list(c) == COUNTS + ["pairs"] and len(c["pairs"]) == c["compared"] == 2, list(c)
assert sum(c[k] for k in ("slower", "faster", "same", "inconclusive")) == 2
for pair, case in zip(c["pairs"], whole["runs"][0]["cases"]):
    assert pair["id"] == pair["after"] == case["id"]
    check(pair, parts)
eager, compiled = c["pairs"]
assert not eager["identical"] and eager["verdict"] == "inconclusive" and eager["why"] == "few", eager
assert eager["device"]["ratio"] == 1.25 and eager["kernels"][0]["call"]["ratio"] == 1.25, eager
assert compiled["identical"] and compiled["verdict"] == "same" and compiled["saved_ns"] == 0, compiled
END

# gate STATUS OLD NEW TEXT: what it says; without --check the status is 0 in any case.
gate() {
	run "$1" report --check --baseline "$2" "$3"
	says out "$4"
	if [ "${4#INCONCLUSIVE}" = "$4" ]; then
		silent err
	else
		says err 'report: warning: 1 of 1 pairs are inconclusive: too few samples, or too much noise'
	fi
	run 0 report -o gate.pdf --baseline "$2" "$3"
}
gate 3 a.json slow.json 'SLOWER slow.json: step 1.25x'
gate 3 a.json above.json 'SLOWER above.json: step 1.07x (1.07 to 1.07, 95 % sure by these recordings)'
gate 0 a.json below.json 'SAME below.json: step 1.04x (1.04 to 1.04, 95 % sure by these recordings)'
gate 0 above.json a.json 'FASTER a.json: step 0.94x'
gate 0 a.json faster.json '1 compared: 0 slower'
gate 0 noisy.json noisier.json 'INCONCLUSIVE noisier.json: step 2.24x'
gate 0 noisier.json noisy.json 'INCONCLUSIVE noisy.json: step 0.45x'
run 0 report --check --baseline noisy.json noisier.json
says out 'Samples of one side differ too much: the ratio may lie anywhere from 0.45× to 2.25×.'
