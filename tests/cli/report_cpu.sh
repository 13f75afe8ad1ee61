# SPDX-License-Identifier: Apache-2.0
# A trace without a device has steps, too: by the optimizer or a range that recurs. They are compared, and fail a gate.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 - <<'END'
import json


def trace(path, steps=12, slow=1.0, optimizer="Optimizer.step#SGD.step", around=None, before=0, launches=()):
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
                add("user_annotation", optimizer, now, 100)
            dur += (7 * s + len(name)) % 5
            add("cpu_op", name, now + 1, dur)
            if name == "aten::addmm" and s in launches:
                add("cuda_runtime", "cudaLaunchKernel", now + 2, 5)
            now += dur + 20
        if around:
            add("user_annotation", around.format(s), begin, now - begin - 2)
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
expect two.json nothing 0
expect end.json nothing 0 # at one end of the recording
expect rare.json nothing 0
expect some.json nothing 0 # not in each step

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
