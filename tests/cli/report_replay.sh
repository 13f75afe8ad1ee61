# SPDX-License-Identifier: Apache-2.0
# Made programs are run again as they are, with kernels of half their length and without waits, and each time take what a
# simulation in Python says, to the nanosecond.
. "$TRACEBOOK_TOP/tests/cli/functions"
check="$TRACEBOOK_TOP/tests/check/replay.py"
python3 "$check" "$TRACEBOOK_BIN/report" 0 1 2 3 4 5 6 7 8 9 10 11 >out || wrong "$(cat out)"
says out 'seed 11: '

# It sees a replay that is off.
cat >faulty <<'END'
#!/bin/sh
"$TRACEBOOK_BIN/report" "$@" | sed 's/\(no waits -*\)\([0-9]\)/\11\2/'
END
chmod +x faulty
! python3 "$check" ./faulty 5 >out || wrong "replay.py does not see a replay that is off"
says out 'no waits: the report says '

# What the only step of a file saves by one launch: its kernels still take their time.
python3 - <<'END'
import json
rows = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 1200}]
for i in range(30):
    at = 10 + 40 * i
    rows += [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": at, "dur": 36},
             {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 20, "dur": 10,
              "args": {"correlation": i + 1}},
             {"ph": "X", "cat": "kernel", "name": "vectorized_elementwise_kernel", "pid": 0, "tid": 7, "ts": at + 32, "dur": 8,
              "args": {"device": 0, "stream": 7, "correlation": i + 1}}]
json.dump({"schemaVersion": 1, "traceEvents": rows}, open("only.json", "w"))
END
run 0 report --json j.json only.json
python3 - <<'END' || wrong 'more is saved than the kernels leave'
import json
case = json.load(open("j.json"))["runs"][0]["cases"][0]
gains = [a["gain_ns"] for a in case["actions"] if a["id"] == "graphs"]
assert gains and case["unrecorded"]["ns"] - gains[0] >= 30 * 8000, (case["unrecorded"]["ns"], gains)
END
