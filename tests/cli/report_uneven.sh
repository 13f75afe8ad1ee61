# SPDX-License-Identifier: Apache-2.0
# Where every nth step is longer, page one says which, by what and by how much a step; where the first is, that it is paid once.
. "$TRACEBOOK_TOP/tests/cli/functions"
cat >made.py <<'END'
import json, sys
pauses, steps, load, before = json.loads(sys.argv[1]), *(sys.argv[3:] or ["13", "", "0"])
events, now = [], 0


def setup(name, start, dur):
    kind = "cuda_driver" if name.startswith("cu") else "cpu_op"
    events.append({"ph": "X", "cat": kind, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": dur})


if int(before):
    setup("cuModuleLoadData", 0, int(before))
    setup("cudaGraphInstantiate", int(before) + 5, 100)
    now = int(before) + 200
for i in range(int(steps)):
    start = now
    for k in range(4):
        wait = pauses.get(str(i), 0) if k == 2 else 0
        if wait and load:
            setup(load, now, wait - 5)
            setup("aten::empty", now + 50, 100)
        now += wait
        events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": now, "dur": 40})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now + 5, "dur": 10,
                       "args": {"correlation": 8 * i + k + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": now + 20, "dur": 50,
                       "args": {"correlation": 8 * i + k + 1, "device": 0, "stream": 7}})
        now += 60
    now += 20
    events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": start, "dur": now - start})
json.dump({"traceEvents": events}, open(sys.argv[2], "w"))
END
python3 made.py '{"4": 300, "8": 300, "12": 300}' every.json
run 0 report --dump document every.json
says out 'every 4th step, from step 4 on (3 of 12), takes 300 µs more on average, 297 µs of it launching. That is 75.0 µs a step, 22.4 % of all steps'
! grep -q 'no other step pays' out || wrong "set-up where there is none"
python3 made.py '{"0": 900}' setup.json
run 0 report --dump document setup.json
says out 'The first step takes 900 µs more than the median one, 900 µs of it launching'
! grep -q 'does not stand for all' out || wrong "uneven steps where there are none"
python3 made.py '{}' alike.json
run 0 report --dump document alike.json
! grep -q 'does not stand for all\|no other step pays' out || wrong "steps that are alike"

# Of few steps it is set-up where spans say so; what stands in front of the first is told on its own.
python3 made.py '{"0": 900}' few.json 3 "" 0
run 0 report --dump document few.json
! grep -q 'no other step pays\|paid once' out || wrong "set-up that nothing names"
python3 made.py '{"0": 900}' loads.json 3 cuLibraryLoadData 0
run 0 report --dump document loads.json
says out 'Set-up, paid once: the first step takes 900 µs more than the median one, 900 µs of it' 'By its spans that is loading 895 µs.'
python3 made.py '{"0": 900}' compiles.json 3 '_compile.compile_inner (dynamo_timed)' 0
run 0 report --dump document compiles.json
says out 'Set-up, paid once: the first step takes 900 µs more' 'By its spans that is compiling 895 µs.'
python3 made.py '{}' before.json 4 "" 3000
run 0 report --dump document before.json
says out 'Set-up in front of the first step: 3.10 ms, which no step pays. By its spans that is loading 3.00 ms, compiling 100 µs.'
! grep -q 'paid once' out || wrong "set-up in a first step that has none"

# Steps between which others ran unrecorded end with their own work, and the page says which they are.
python3 - <<'END'
import json
trace = json.load(open("alike.json"))
starts = [e["ts"] for e in trace["traceEvents"] if e["name"].startswith("ProfilerStep")]
for e in trace["traceEvents"]:
    i = sum(s <= e["ts"] for s in starts) - 1
    e["ts"] += 100000 * i
    if e["name"].startswith("ProfilerStep"):
        e["name"] = f"ProfilerStep#{100 + 50 * i}"
json.dump(trace, open("sampled.json", "w"))
END
run 0 report --dump document sampled.json
says out '76.9 % of the median step of 260 µs' 'Of steps 100 to 700 every 50th was recorded (13 in all); what the others do is not in the file.'
sed 's/ProfilerStep#150/ProfilerStep#140/' sampled.json >odd.json
run 0 report --dump document odd.json
says out 'Of steps 100 to 700 13 were recorded; what the others do is not in the file.'
