# SPDX-License-Identifier: Apache-2.0
# Where every nth step is longer, page one says which, by what and by how much a step; where the first is, that it is paid once.
. "$TRACEBOOK_TOP/tests/cli/functions"
cat >made.py <<'END'
import json, sys
pauses = json.loads(sys.argv[1])
events, now = [], 0
for i in range(13):
    start = now
    for k in range(4):
        wait = pauses.get(str(i), 0) if k == 2 else 0
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
