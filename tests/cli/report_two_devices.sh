# SPDX-License-Identifier: Apache-2.0
# Kernels of several traces in one report: of a device that the file describes, of another, and of one
# that it does not. Each trace has its own devices, or none.
. "$TRACEBOOK_TOP/tests/cli/functions"

python3 - <<'END'
import json

def device(sms):
    return {"id": 0, "name": "A GPU", "computeMajor": 9, "computeMinor": 0, "numSms": sms, "warpSize": 32,
            "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536,
            "sharedMemPerMultiprocessor": 233472}

def trace(name, dur, devices):
    args = {"device": 0, "stream": 7, "correlation": 1, "grid": [20, 1, 1], "block": [128, 1, 1],
            "registers per thread": 32, "shared memory": 0}
    rows = [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 5,
             "args": {"correlation": 1}},
            {"ph": "X", "cat": "kernel", "name": name + "_kernel", "pid": 0, "tid": 7, "ts": 9, "dur": dur, "args": args}]
    with open(name + ".json", "w") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": devices, "traceEvents": rows}, f)

trace("none", 900, [])
trace("big", 90, [device(132)])
trace("small", 9, [device(80)])
END

for order in 'none big small' 'big small none' 'small none big'; do
	# shellcheck disable=SC2086 # three words
	set -- $order
	"$TRACEBOOK_BIN/report" --template atlas --markdown said.md -o said.pdf "$1.json" "$2.json" "$3.json"
	says said.md 'the device has 132 or 80 of them'
done
"$TRACEBOOK_BIN/report" --template atlas --markdown said.md none.json big.json
says said.md 'the device has 132 of them'
"$TRACEBOOK_BIN/report" --template atlas --markdown said.md none.json
