# SPDX-License-Identifier: Apache-2.0
# What an action gives back is of the time it is set against; its words are true of the device; calls beside each other.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH=$TRACEBOOK_TOP/tests/cli PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 - <<'END'
from steps import written
k = lambda stall, at=3: [("k", 2500, stall if i == at else 5) for i in range(40)]
loads = [(300345, [("k", 2500, 5)] * 3 + [("another", 2500, 200000)] + [("another", 2500, 5)] * 36)] + [(100350, k(5))] * 2
written("once.json", [(300345, k(200000)), (100350, k(5)), (100350, k(5))])
written("each.json", [(130345, k(30000, 3 + n)) for n in range(4)])
written("hip.json", loads, launch="hipLaunchKernel", device="AMD Instinct MI300X")
written("cuda.json", loads)
written("fp32.json", [(100, [("ampere_sgemm_128x64_nn", 10000, 5)])] * 3)
# Whole microseconds: a launch of 0 us ends where a call begins.
written("whole.json", [(200, [("k", 10, 0), ("k", 10, 5)] * 3)], begin_together=True)
END

# One stall in the first of three steps: of the recording, behind what each step pays, without a ratio to a step.
run 0 report --json j.json -o p.pdf once.json
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json
case = json.load(open("j.json", encoding="utf-8"))["runs"][0]["cases"][0]
stall = next(a for a in case["actions"] if a["id"] == "first-calls")
assert stall["gain_ns"] == 0 and 199e6 < stall["once_ns"] < 201e6, stall
assert case["window"]["ns"] < 101e6, case["window"]
END
pdftotext -layout p.pdf text
says text 'up to −200 ms of the 501 ms recorded'
! grep -q '×)' text || wrong "a ratio of the recording to a step"

# A stall in each step is one of the step.
run 0 report --json j.json each.json
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json
case = json.load(open("j.json", encoding="utf-8"))["runs"][0]["cases"][0]
stall = next(a for a in case["actions"] if a["id"] == "first-calls")
assert stall["once_ns"] == 0 and 29e6 < stall["gain_ns"] < 31e6, stall
END

# What is set for CUDA helps no HIP program.
run 0 report --dump document hip.json
says out 'first launch'
! grep -q 'CUDA_MODULE_LOADING' out || wrong "CUDA's variable for HIP"
run 0 report --dump document cuda.json
says out 'CUDA_MODULE_LOADING=EAGER'

# The tensor cores' bound is the chip's own.
run 0 report --dump document fp32.json
says out 'up to 7.39×'

# Neighbours are no calls inside calls.
run 0 report --json j.json whole.json
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json
numbers = json.load(open("j.json", encoding="utf-8"))["runs"][0]["cases"][0]["numbers"]
assert numbers["launches"] == 6, numbers
END

# Where nothing was predicted, nothing "held"; what could not be read stands under its own heading.
mkdir folder
cp once.json each.json folder
echo '{"traceEvents": 5}' >folder/broken.json
run 1 report --markdown m.md -o p.pdf --template report folder
pdftotext -layout p.pdf text
! grep -q 'No prediction broke' text || wrong 'predictions that nobody made held'
says text 'What did not run or could not be read' 'broken.json'

# A launch that began late and took most of the gap is latency, and the page says so; ranges are named as the file does.
run 0 report --csv csv once.json
run 0 report --dump document once.json
grep -q 'took most of the gap itself' out || wrong 'the causes of idle time overlap in words'
! grep -rq 'ProfilerStep##' csv || wrong "$(grep -r 'ProfilerStep##' csv)"
