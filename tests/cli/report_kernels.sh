# SPDX-License-Identifier: Apache-2.0
# The kernels of a run: what their names say, how they fill the device, what the hardware counted, and
# the clocks. Where a run has none of it there is no page.
. "$TRACEBOOK_TOP/tests/cli/functions"

python3 - <<'END'
import json, os

SMS = 132
device = {"id": 0, "name": "A GPU", "computeMajor": 9, "computeMinor": 0, "numSms": SMS, "warpSize": 32,
          "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536,
          "sharedMemPerMultiprocessor": 233472}
# name, grid, block, registers, shared, estimate
product = ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_splitK_TNT", 192, 384, 168, 213000, 0)
reduce_ = ("void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float>()", 500, 512,
           32, 0, 95)
add = ("tracebook_add_bf16", 20, 200, 32, 0, 1)
heavy = ("someones_kernel", 5280, 256, 255, 0, 12)


def write(path, steps, clocks):
    events, number = [], 0
    for s, kernels in enumerate(steps):
        at = 1000.0 * s
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{s}", "pid": 1,
                       "tid": 1, "ts": at, "dur": 900})
        for k, (name, grid, block, registers, shared, estimate) in enumerate(kernels):
            number += 1
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                           "tid": 1, "ts": at + 10 * k + 1, "dur": 5, "args": {"correlation": number}})
            args = {"device": 0, "context": 1, "stream": 7, "correlation": number, "grid": [grid, 1, 1],
                    "block": [block, 1, 1], "registers per thread": registers,
                    "shared memory": shared, "est. achieved occupancy %": estimate}
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
                           "ts": at + 100 * k + 20, "dur": 100 - k, "args": args})
    for at, values in clocks:
        for name, value in values.items():
            events.append({"ph": "C", "cat": "hardware_counters", "name": name, "pid": "GPU 0 Counters",
                           "tid": 0, "ts": at, "args": {"": value}})
    os.makedirs(os.path.dirname(path), exist_ok=True)
    json.dump({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events},
              open(path, "w"))


metrics = ["gpu__time_duration.sum", "dram__bytes_read.sum",
           "sm__warps_active.avg.pct_of_peak_sustained_active"]
one = [[product, reduce_, add]] * 3
write("run/a/one.json", one, [
    (0.5, {"SM clock (MHz)": 1980, "temperature (C)": 40, "power (mW)": 123456, "throttle reasons": 0}),
    (500, {"SM clock (MHz)": 1755, "temperature (C)": 41, "power (mW)": 400000,
           "throttle reasons": 4 | 64 | 4096})])
write("run/a/two.json", [[heavy, add]] * 2, [])
cases = [{"id": "a/one", "experiment": "a", "tag": "one", "title": "First", "status": "done",
          "trace": "a/one.json",
          "counters": {"deep": False, "passes": 1, "metrics": metrics, "step": [1, 2, 3],
                       "kernels": [[101000, 2000000, 18.5], [7000, None, 60], [1, 2, 3]]}},
         # one kernel less than it has: nobody knows whose these numbers are
         {"id": "a/two", "experiment": "a", "tag": "two", "title": "Second", "status": "done",
          "trace": "a/two.json",
          "counters": {"deep": False, "metrics": metrics, "kernels": [[9999, 9999, 99]]}}]
run = {"tracebook": 1, "device": "cuda", "created": "2026-11-20T00:00:00Z", "environment": {},
       "cases": cases}
json.dump(run, open("run/run.json", "w"))
os.makedirs("refused")
for c in cases:
    c["counters"] = {"deep": False, "reason": "counters are for root here"}
json.dump(run, open("refused/run.json", "w"))
END

run 0 report --template atlas -o kernels.pdf run
qpdf --check kernels.pdf >check 2>&1 || wrong "$(cat check)"
run 0 report --template atlas --dump document run
says out 'heading 1 #kernels' \
	'bf16 | f32 | bf16 | 256x128 | 64 | 4 | tn | split' \
	'someones_kernel | 5280 | 256 | 255 | 0 | 1, registers | 12 % | 12 % | 40.00 | few warps: 12.5 %, by registers' \
	'192 | 384 | 168 | 213 kB | 1, registers | 0 % | 19 % | 1.45 | tail: 1 + 45.5 % of a wave, at most 50.0 % of the time' \
	'tracebook_add_bf16 | 20 | 200 | 32 | 0 |' 'small grid: 1.7 % of a wave; 24 idle lanes a block' \
	'| 101 µs | 2.00 MB | 18.5 % | 19 %' '| 7.00 µs | – | 60.0 % | 100 %' 'head Kernel | Time | Read | Occupancy achieved | theoretical' \
	'First | 2 | 1 of 3 | 1755 – 1980 | – | 40 – 41 | 123 – 400 | the power limit, temperature (hardware), unknown (0x1000)'
! grep -q '9999\|10.0 µs' out || wrong 'counters of nobody'
! grep -q 'row Second | 0' out || wrong 'a row without a reading'
# a split-K reduction says its own types, and what it does not say is unknown
grep -q 'row cublasLt::splitKreduce_kernel.*unknown' out || wrong "$(grep splitK out)"

cp -r run/a refused/
run 0 report --template atlas --dump document refused
says out 'Nothing was counted: counters are for root here'

# Tables that were measured beside the cases.
mkdir run/tables
printf 'what\tp20_us\tp50_us\tp80_us\tGB_per_s\tkernel\ncopy 5 bytes\t1\t2\t3\t4000\t\n' >run/tables/bandwidth.tsv
printf 'bytes\tdirection\tmemory\tGB_per_s\tcpu_us\n' >run/tables/copies.tsv
printf '4096\tHtoD\tpinned\t1.5\t2.5\n4096\tDtoH\tpageable\t3.5\t9\n65536\tDtoH\todd\t1\t1\n' >>run/tables/copies.tsv
printf 'what\tunrecorded_us\trecorded_us\tgpu_p50_us\na launch\t3.25\t4\tn/a\n' >run/tables/launches.tsv
printf 'width\tkernel\tp50_us\tGB_per_s\tGB_per_s_20\tGB_per_s_80\tevent_p50_us\n' >run/tables/sweep.tsv
printf '128\ta\t1\t10\t9\t11\t6\n256\ta\t1\t20\t19\t21\t6\n512\ta\t1\t15\t14\t16\t6\n' >>run/tables/sweep.tsv
printf 'extern "C" void fused()\n{\n}\n.version 9.0\n\tld.global.f32 %%f1, [%%rd1];\n\tret;\n' >run/tables/source.tsv
run 0 report --template atlas --dump document run
says out 'code extern "C" void fused()' 'row ld.global.f32 | 1' '2 instructions: 1 read memory, 0 write it'
says out 'heading 1 #tables' 'row copy 5 bytes |  | 1.00 µs | 2.00 µs | 3.00 µs | 4000.0' \
	'row 4.10 kB |  | 1.5 | 3.5 |  |  | 2.50 µs | 9.00 µs | ' 'row 65.5 kB |  |  |  |' \
	'row a launch | 3.25 µs | 4.00 µs | –' 'row a | 10.0 | 20.0 | 256 | 15.0 | 5.00 µs' \
	'Bandwidth over row width'
run 0 report --template atlas -o tables.pdf run
qpdf --check tables.pdf >check 2>&1 || wrong "$(cat check)"
: >run/tables/bandwidth.tsv
printf "\\377\\000\\tx" >run/tables/copies.tsv
rm run/tables/launches.tsv run/tables/sweep.tsv run/tables/source.tsv
run 0 report --template atlas --dump document run
! grep -q '^heading.*#tables\|^code' out || wrong 'a page about nothing'
rm -r run/tables

# The same of somebody's trace; nothing of a run whose kernels say nothing.
run 0 report --template atlas --dump document run/a/two.json
says out 'heading 1 #kernels' 'someones_kernel | 5280'
! grep -q 'What the hardware counted' out || wrong 'a heading without counters'
run 0 report --template atlas --dump document "$TRACEBOOK_TOP/tests/golden/host/in"
! grep -q '#kernels' out || wrong 'a page about nothing'
