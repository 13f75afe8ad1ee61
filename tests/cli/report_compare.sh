# SPDX-License-Identifier: Apache-2.0
# Two traces of anybody's: identical, a slower kernel, other machines, too few steps, nothing to compare.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH=$TRACEBOOK_TOP/tests/cli PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 - <<'END'
from steps import trace
trace("a.json")
trace("slow.json", slow=1.1)
trace("host.json", host=20)
trace("renamed.json", kernel="gemm_retuned")
trace("other.json", device="NVIDIA A100")
trace("few.json", steps=2)
trace("fewer.json", steps=2, host=50)
END

# The same events in other bytes are identical, in one line, as pages and as data.
gzip -c a.json >b.json.gz
run 0 report --check --baseline a.json b.json.gz
says out identical
is out identical
silent err
run 0 report --baseline a.json --markdown - b.json.gz
says out '### identical'

# 10 % on one kernel, and 20 us on the host: by name, and the gate fails; the other way round it does not.
run 3 report --check --baseline a.json slow.json
says out 'SLOWER slow.json: a kernel 1.10x' 'gemm_of_step of aten::op0'
run 3 report --check --baseline a.json host.json
says out 'SLOWER host.json: step 1.0' 'largest difference of a step: idle.launching, +20.0'
run 0 report --check --baseline host.json a.json
says out 'FASTER a.json'
run 0 report --check --baseline slow.json a.json

# Another name under the same operator is a change; another device is told above the verdict.
run 0 report --json j.json --markdown m.md --baseline a.json renamed.json
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json
with open("j.json", encoding="utf-8") as f:
    c = json.load(f)["comparison"]
one = next(k for k in c["kernels"] if k["kernel"] == "gemm_retuned")
assert one["state"] == "changed" and one["was"] == "gemm_of_step" and one["operator"] == "aten::op0", one
assert c["verdict"] == "same" and c["differs"] == [] and not c["identical"], c
assert {k["state"] for k in c["kernels"]} == {"same", "changed"}
END
run 0 report --baseline a.json --markdown m.md -o p.pdf other.json
says m.md 'NVIDIA H200' 'NVIDIA A100'
pdftotext p.pdf text
[ "$(grep -n 'NVIDIA A100' text | head -1 | cut -d: -f1)" -lt "$(grep -n 'a step takes' text | head -1 | cut -d: -f1)" ] ||
	wrong 'what differs stands below the verdict'

# Several kernels of one operator, or of one range of the program, that became one; and one that became several.
python3 - <<'END'
import json


def fused(path, op, kernels, ranged=True):
    """8 steps: kernels each of an operator of its own, or all of `op`, in the range `attention`, and one behind it."""
    events, now = [], 1000.0
    for s in range(8):
        begin = now
        for k, name in enumerate([*kernels, "untouched"]):
            number, here = 10 * s + k + 1, op if op and name != "untouched" else f"aten::op{k}{len(kernels)}"
            events.append(dict(ph="X", cat="cpu_op", name=here, pid=1, tid=1, ts=now, dur=9))
            events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=now + 1, dur=5,
                               args=dict(correlation=number)))
            events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=now + 8, dur=40,
                               args=dict(correlation=number, device=0, stream=7, grid=[8, 1, 1], block=[128, 1, 1])))
            now += 60
            if k == len(kernels) - 1 and ranged:
                events.append(dict(ph="X", cat="user_annotation", name="attention", pid=1, tid=1, ts=begin + 0.5,
                                   dur=now - begin - 1))
        events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{s + 3}", pid=1, tid=1, ts=begin,
                           dur=now - begin - 0.25))
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": events}, f)


fused("three.json", None, ["scores", "softmax", "values"])
fused("one.json", None, ["flash"])
fused("without.json", None, ["flash"], ranged=False)
fused("two.json", "aten::norm", ["moments", "scale"])
fused("norm.json", "aten::norm", ["norm"])
END
run 0 report --json j.json --markdown m.md -o p.pdf --baseline three.json one.json
run 0 report --json back.json --baseline one.json three.json
run 0 report --json order.json --baseline three.json without.json
run 0 report --json op.json --baseline two.json norm.json
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json
def kernels(path):
    with open(path, encoding="utf-8") as f:
        return {k["kernel"]: k for k in json.load(f)["comparison"]["kernels"]}
one = kernels("j.json")
assert set(one) == {"flash", "untouched"}, one
assert one["flash"]["state"] == "fused" and one["flash"]["from"] == ["scores", "softmax", "values"], one["flash"]
assert (one["flash"]["before_ns"], one["flash"]["after_ns"], one["flash"]["calls_before"]) == (120000, 40000, 3), one
back = kernels("back.json")["flash"]
assert back["state"] == "split" and back["into"] == ["scores", "softmax", "values"], back
assert (back["before_ns"], back["after_ns"]) == (40000, 120000), back
assert kernels("order.json")["flash"]["state"] == "fused", kernels("order.json")
norm = kernels("op.json")
assert norm["norm"]["state"] == "fused" and norm["norm"]["from"] == ["moments", "scale"], norm
assert norm["untouched"]["state"] == "same", norm
END
says m.md 'flash, fused'
pdftotext -layout p.pdf text
says text 'flash ← scores, softmax' 'Fused: one kernel instead of several' 'inferred'

# Two steps prove nothing, and fail nothing.
run 0 report --check --baseline few.json fewer.json
says out 'INCONCLUSIVE fewer.json' 'There are too few samples for an interval.'
says err 'inconclusive'

# Of several recordings a call's time is the shortest of its place in a step: the longer call of one kernel is seen
# beside the shorter one.
python3 - <<'END'
from steps import trace
for run in range(8):
    for side, slow in (("was", 1), ("now", 1.2)):
        trace(f"{side}/{run}/t.json", kernel="other1", slow=4 * slow, first=3 + run)
END
run 3 report --check --baseline was now
says out 'SLOWER now/0/t.json: a kernel 1.16x' 'other1'
run 0 report --check --baseline now was
# Nor does one long call before hide that all of them became slower.
python3 - <<'END'
import json
from steps import trace
for run in range(8):
    for side, slow in (("calm", 1.1), ("met", 1)):
        trace(f"{side}/{run}/t.json", slow=slow, first=3 + run)
    with open(f"met/{run}/t.json", encoding="utf-8") as f:
        t = json.load(f)
    next(e for e in t["traceEvents"] if e["name"] == "gemm_of_step")["dur"] += 500
    with open(f"met/{run}/t.json", "w", encoding="utf-8") as f:
        json.dump(t, f)
END
run 3 report --check --baseline met calm
says out 'SLOWER calm/0/t.json: a kernel 1.10x' 'gemm_of_step'

# A side without anything to compare is named, and fails.
echo '{"traceEvents": []}' >empty.json
for pair in 'a.json empty.json' 'empty.json a.json'; do
	run 1 report --check --baseline "${pair% *}" "${pair#* }"
	is err 'report: nothing could be compared: empty.json holds no time of a step or of work'
done

# A program that chooses its kernel anew in each process, at one speed or the other, is no alarm; the reason is said.
python3 - <<'END'
from steps import trace
for run in range(8):
    for side, often in (("choice", 3), ("again", 5)):
        odd = run < often
        trace(f"{side}/{run}/t.json", kernel="gemm_split" if odd else "gemm", host=100 if odd else 0, first=3 + run)
END
run 0 report --check --json j.json --baseline choice again
says out 'INCONCLUSIVE' 'The program does not run the same kernels every time: some recordings of one side lack gemm'
says j.json '"why": "kernel"'

# A name may hold anything.
python3 - <<'END'
from steps import trace
trace("@octocat [x](http:evil) <b> #1.json", kernel="k <img> @octocat | `x` [a](http://b)", slow=1.3)
END
run 3 report --check --markdown m.md --baseline a.json '@octocat [x](http:evil) <b> #1.json'
sed 's/`` .* ``//g; s/`[^`]*`//g' m.md >bare # what stands in backticks is no markup
! grep -q '<img>\|<b>\|@octocat\|(http' bare || wrong "$(cat m.md)"
says m.md 'Slower in one kernel: ' 'A call of `` k <img> @octocat | `x` [a](http://b) `` in `aten::op0` takes 1.30×'

# Figures alone are those of the comparison.
run 0 report --svg svg --baseline a.json slow.json
[ -s svg/baseline-parts.svg ] || wrong "$(ls svg)"
# On the timelines a black line stands below what differs, as wide as it, and below nothing else; the pages say so.
python3 - "$TRACEBOOK_BIN/report" <<'END' >out 2>&1 || wrong "$(cat out)"
import re, subprocess, sys


def marked(new):
    """Titles of the bars right above the lines, and the words of the pages."""
    subprocess.run([sys.argv[1], "--svg", "marks", "-o", "marks.pdf", "--baseline", "a.json", new], check=True)
    with open("marks/baseline-steps.svg", encoding="utf-8") as f:
        svg = f.read()
    bars = {(x, w, float(y) + float(h)): name for x, y, w, h, name in re.findall(
        r'<path d="M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z"><title>(\w+) ', svg)}
    lines = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v1\.5h-", svg)
    words = subprocess.run(["pdftotext", "marks.pdf", "-"], check=True, capture_output=True, text=True).stdout
    return [next(n for (bx, bw, foot), n in bars.items() if (bx, bw) == (x, w) and 0 < float(y) - foot < 1)
            for x, y, w in lines], "A black line below work of the device" in words


assert marked("slow.json") == (["gemm_of_step", "gemm_of_step"], True), marked("slow.json")
assert marked("renamed.json") == (["gemm_of_step", "gemm_retuned"], True), marked("renamed.json")
assert marked("host.json") == ([], False), marked("host.json")
END

# Long names stay on the page; its pictures are called before and after.
long=$(printf 'host-%060d.us-east-2.compute.internal' 7)
cp a.json "$long-a.json"
cp slow.json "$long-b.json"
run 0 report -o p.pdf --baseline "$long-a.json" "$long-b.json"
pdftotext -bbox p.pdf box.html
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import re
with open("box.html", encoding="utf-8") as f:
    text = f.read()
words = re.findall(r'<word xMin="([\d.]+)" yMin="[\d.]+" xMax="([\d.]+)" yMax="[\d.]+">([^<]*)<', text)
assert len(words) > 200 and {"before:", "after:"} <= {w[2] for w in words}, len(words)
# Both margins are as wide.
left = min(float(w[0]) for w in words)
over = [w for w in words if float(w[1]) > 595.3 - left + 1]
assert left > 20 and not over, (left, over)
END

# What a reader may fold is folded, and closed again; a name in it stays harmless (m.md is of that name).
says m.md '<details><summary>Kernels and findings</summary>' '</details>'
[ "$(grep -c '<details>' m.md)" = "$(grep -c '</details>' m.md)" ] || wrong "$(cat m.md)"

# A finding of one side only, and a prediction that was kept before.
cat >expect.json <<'END'
{"tracebook_expectations": 1, "traces": [{"trace": "*.json", "expect": {"kernels": 4, "must_fire": ["DEVICE-BOUND"]}}]}
END
run 3 report --check --expect expect.json --json j.json --markdown m.md -o p.pdf --baseline a.json host.json
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json
with open("j.json", encoding="utf-8") as f:
    c = json.load(f)["comparison"]
assert c["findings_came"] == [] and c["findings_went"] == ["DEVICE-BOUND"], c
assert [b["key"] for b in c["predictions_broken_now"]] == ["must_fire"], c["predictions_broken_now"]
END
says m.md 'Found before but not after: Device-bound (T2)' 'A prediction that held before is broken now'
pdftotext -layout p.pdf text
says text 'Found before but not after' 'is broken now'
