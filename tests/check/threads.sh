# SPDX-License-Identifier: Apache-2.0
# What two threads do with a trace at once, under ThreadSanitizer: reading, analysis, detectors, from
# the number of events on where they are used (BOTH_FROM).
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${MAKE:-make} --no-print-directory SAN=threads out/tsan/bin/report >"$folder/log" 2>&1 || {
	cat "$folder/log"
	exit 1
}
python3 - "$folder/many.json" <<'END'
import json, sys

def event(cat, name, ts, dur, tid, args):
    return json.dumps({"ph": "X", "cat": cat, "name": name, "pid": tid // 100, "tid": tid, "ts": ts,
                       "dur": dur, "args": args})

with open(sys.argv[1], "w") as f:
    f.write('{"schemaVersion": 1, "traceEvents": [')
    for i in range(60000):
        dims = [[i % 97 + 1, 64], [64, i % 31 + 1]]
        shapes = {"Input Dims": dims, "Input type": [["float", "c10::BFloat16"][i % 7 % 2]] * 2}
        op = "aten::mm" if i % 3 else "aten::add"
        rows = (event("cpu_op", op, 20 * i, 15, 100, {"External id": i + 1, **shapes}),
                event("cuda_runtime", "cudaLaunchKernel", 20 * i + 3, 5, 100,
                      {"correlation": i + 1}),
                event("kernel", ["gemm_%d" % (i % 5), "add_%d" % (i % 7)][not i % 3], 20 * i + 9,
                      6, 7, {"correlation": i + 1, "device": 0, "stream": 7,
                             "grid": [i % 64 + 1, 1, 1], "block": [128, 1, 1]}))
        f.write("%s%s" % (",\n" if i else "", ",\n".join(rows)))
    f.write("]}")
END
set -- "$folder/many.json"
largest=${TRACEBOOK_SHARED:-../shared}/traces/kineto/h100_owlv2_large.json.gz
[ -r "$largest" ] && set -- "$@" "$largest"
for trace; do
	TSAN_OPTIONS=exitcode=66 out/tsan/bin/report -o "$folder/report.pdf" "$trace" >"$folder/log" 2>&1 || {
		head -n 60 "$folder/log"
		exit 1
	}
done
