# SPDX-License-Identifier: Apache-2.0
# A trace without a device has steps, too: by the optimizer or a range that recurs. They are compared, and fail a gate.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 - <<'END'
import json


def trace(path, steps=12, slow=1.0, optimizer="Optimizer.step#SGD.step", around=None, before=0, launches=(),
          category="user_annotation"):
    """Steps of three operators, with an optimizer's range at the end, and a range around; none is marked by the
    profiler. slow: how much longer the first operator takes; before: time of other operators before them, us;
    launches: the steps that call a device whose work is not in the file."""
    events, now = [], 1000.0

    def add(cat, name, ts, dur):
        events.append(dict(ph="X", cat=cat, name=name, pid=1, tid=1, ts=ts, dur=dur))

    if before:
        add("cpu_op", "aten::copy_", now, before)
        now += before
    for s in range(steps):
        begin = now
        for name, dur in ("aten::mkldnn_convolution", 700 * slow), ("aten::addmm", 200), ("aten::add_", 80):
            if name == "aten::add_" and optimizer:
                add(category, optimizer, now, 100)
            dur += (7 * s + len(name)) % 5
            add("cpu_op", name, now + 1, dur)
            if name == "aten::addmm" and s in launches:
                add("cuda_runtime", "cudaLaunchKernel", now + 2, 5)
            now += dur + 20
        if around:
            add(category, around.format(s), begin, now - begin - 2)
        now += 5
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


trace("a.json")
trace("slow.json", slow=1.45)
trace("slower_by_little.json", slow=1.02)
trace("range.json", optimizer=None, around="my step {}")
trace("range_slow.json", optimizer=None, around="my step {}", slow=1.45)
trace("two.json", steps=2)
trace("end.json", steps=3, before=90000)
trace("rare.json", optimizer=None, around="my step {}", before=90000)
trace("some.json", optimizer=None, around="my step {}", launches=(1, 2))
# Before there was a category for ranges.
trace("old.json", category="Operator")
# The profiler's marks; the recording ends in an optimizer, and its first step was long.
trace("marked.json", optimizer=None, around="ProfilerStep#{}")
trace("warm.json", steps=4, before=3900)
trace("all.json", optimizer=None, around="my step {}", launches=range(12))
END

# expect TRACE BY STEPS [RANGE]: how its steps were told, and how many there are.
expect()
{
	run 0 report --json j.json "$1"
	python3 - "$@" <<'END' || wrong "steps of $1"
import json, sys
trace, by, steps, name = (sys.argv[1:] + [""])[:4]
w = json.load(open("j.json"))["runs"][0]["cases"][0]["window"]
assert (w["steps_by"], w["steps"], w["range"], w["lacks"]) == (by, int(steps), name, "device"), w
assert not w["parts"], w
events = json.load(open(trace))["traceEvents"]
ends = [e["ts"] + e["dur"] for e in events if e["name"] == name]
lengths = [round(1000 * (b - a)) for a, b in zip(ends, ends[1:])]
assert by != "optimizer" or w["ns"] in lengths[1:], (w["ns"], lengths)
assert by != "nothing" or w["ns"] == 0, w
END
}
expect a.json optimizer 11 'Optimizer.step#SGD.step'
expect range.json range 12 'my step #'
expect all.json range 12 'my step #' # the device's work was not recorded
expect old.json optimizer 11 'Optimizer.step#SGD.step'
expect warm.json optimizer 3 'Optimizer.step#SGD.step'
expect marked.json profiler 12 'ProfilerStep#'
expect two.json nothing 0
expect end.json nothing 0 # at one end of the recording
expect rare.json nothing 0
expect some.json nothing 0 # not in each step

# Page one says which operators take the time, of the same step that everything else speaks of, as counted once more here.
verdict()
{
	run 0 report --json j.json -o p.pdf "$1"
	pdftotext -layout p.pdf - | tr -s ' \n' '  ' >text
	python3 - "$1" <<'END' || wrong "verdict of $1"
import json, sys
case = json.load(open("j.json"))["runs"][0]["cases"][0]
w, cpu = case["window"], case["cpu_work"]
assert (cpu["start_us"], cpu["ns"]) == (w["start_us"], w["ns"]), (cpu, w)
events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["cat"] == "cpu_op"]
origin = min(e["ts"] for e in json.load(open(sys.argv[1]))["traceEvents"])
begin = origin + cpu["start_us"]
own = {}
for e in events:
    inside = min(e["ts"] + e["dur"], begin + cpu["ns"] / 1000) - max(e["ts"], begin)
    if inside > 0:
        own[e["name"]] = own.get(e["name"], 0) + round(1000 * inside)
total = sum(own.values())
assert (cpu["own_ns"], cpu["within_ns"], cpu["threads"]) == (total, total, 1), (cpu, own)
assert [(m["name"], m["own_ns"]) for m in cpu["most"]] == sorted(own.items(), key=lambda x: -x[1]), (cpu, own)
text = open("text").read()
for n, (name, ns) in enumerate(sorted(own.items(), key=lambda x: -x[1])):
    share = f"{100 * ns / total:.1f} %"
    assert (f"{name} takes most: {share}" if not n else f"{name} {share}") in text, (name, share, text[:900])
assert f"open for {100 * total / cpu['ns']:.1f} % of that time, on 1 thread." in text, text[:900]
END
}
verdict a.json
verdict slow.json

# A collective that is open for most of the time is said before any operator: once where several are open at once.
python3 - <<'END'
import json
whole = json.load(open("range.json"))
talk = [dict(ph="X", cat="user_annotation", name="gloo:all_reduce", pid=1, tid=t, ts=e["ts"] + 20, dur=0.8 * e["dur"])
        for e in whole["traceEvents"] if e["name"].startswith("my step") for t in (7, 8)]
whole["traceEvents"] += talk
json.dump(whole, open("gloo.json", "w"))
END
run 0 report -o p.pdf gloo.json
pdftotext -layout p.pdf - | tr -s ' \n' '  ' >text
grep -q 'communication on the CPU: gloo:all_reduce is open for 7[0-9]' text || wrong 'the collective is not said first'

# In front of Kineto, torch.autograd.profiler wrote no categories: an operator is what the process of the CPU has.
python3 - <<'END'
import json
old = [dict(ph="X", name=e["name"], pid="CPU functions", tid=1, ts=e["ts"], dur=e["dur"], args={})
       for e in json.load(open("a.json"))["traceEvents"] if e["cat"] == "cpu_op"]
json.dump(old, open("legacy.json", "w"))
END
run 0 report -o p.pdf legacy.json
pdftotext -layout p.pdf - | tr -s ' \n' '  ' >text
grep -q 'On the CPU aten::mkldnn_convolution takes most' text || wrong 'operators of the old profiler are none'

# What a cut file lacks may be a device's: no verdict of the CPU alone, nothing to do.
head -c $(($(wc -c <a.json) * 2 / 3)) a.json >cut.json
run 0 report --json j.json cut.json
python3 - <<'END' || wrong 'a cut trace has a verdict'
import json
case = json.load(open("j.json"))["runs"][0]["cases"][0]
assert case["headline"] == "none" and not case.get("cpu_work") and not case["actions"], (case.get("cpu_work"), case["actions"])
END
verdict marked.json
run 0 report --json j.json all.json
! grep -q cpu_work j.json || wrong 'calls of a device are no work of a CPU alone'
# The comparison speaks of the step that the page speaks of.
run 0 report --json j.json marked.json
run 0 report --json c.json --baseline marked.json a.json
python3 -c 'import json; print(json.load(open("j.json"))["runs"][0]["cases"][0]["window"]["ns"] - json.load(open("c.json"))["comparison"]["before_ns"])' >off
is off 0

# A third more is found, and fails a build; the same is not.
run 3 report --check --json j.json --baseline a.json slow.json
says out 'SLOWER slow.json: step 1.3'
run 3 report --check --baseline range.json range_slow.json
says out 'SLOWER range_slow.json: step 1.3'
run 0 report --check --baseline slow.json a.json
says out 'FASTER a.json: step 0.7'
run 0 report --check --baseline a.json slower_by_little.json
says out 'SAME slower_by_little.json: step 1.01'
run 0 report --check --baseline a.json a.json
! grep -q SLOWER out || wrong 'a trace is slower than itself'

# A budget is of the step.
run 3 report --check --fail-on step=900us a.json
says out 'OVER a.json: a step takes 1051.000 us'
run 0 report --check --fail-on step=1.2ms a.json

# The page says how the steps were told.
run 0 report -o p.pdf a.json
pdftotext -layout p.pdf text
tr -s ' \n' '  ' <text | grep -q '11 were found, which run from the end of one Optimizer.step#SGD.step' ||
	wrong 'the page does not say what its steps are'
