# SPDX-License-Identifier: Apache-2.0
# Who asked for the time: modules, functions of Python and ranges, forward and backward; equal to plain Python.
. "$TRACEBOOK_TOP/tests/cli/functions"
truth="$TRACEBOOK_TOP/tests/data/trust/callers_truth.py"
shared="$TRACEBOOK_SHARED/traces"

# A step of two layers. The second recomputes its forward in the backward pass, whose thread counts numbers of its own:
# 5 is that of an operator on either thread. A name is made to be taken for more than one.
cat >made.py <<'END'
import json
events, now = [], [0]
def span(cat, name, tid, *inner, **args):
    start = now[0] = now[0] + 1
    for one in inner:
        one()
    now[0] += 1
    events.append({"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, "ts": start, "dur": now[0] - start, "args": args})
def later(*a, **k):
    return lambda: span(*a, **k)
def work(tid, ns, cid=[0]):
    def launch():
        cid[0] += 1
        span("cuda_runtime", "cudaLaunchKernel", tid, correlation=cid[0])
        events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1000 + 100 * cid[0], "dur": ns / 1000,
                       "args": {"correlation": cid[0], "device": 0, "stream": 7}})
    return launch
def op(name, tid, number, *inner, thread=0):
    return later("cpu_op", name, tid, *inner, **{"Sequence number": number, "Fwd thread id": thread})
def module(name, tid, *inner):
    return later("python_function", "nn.Module: " + name, tid, later("python_function", "net.py(3): forward", tid, *inner))
layer = module("Layer_0", 1, op("aten::linear", 1, 5, op("aten::addmm", 1, 5, work(1, 1000))))
again = module("Layer_1", 2, op("aten::mm", 2, 5, work(2, 20000)), op("aten::relu", 2, 9, work(2, 2000)))
span("user_annotation", "ProfilerStep#3", 1,
     later("python_function", "train.py(1): step;x", 1,
           module("Net_0", 1, layer, op("CheckpointFunction", 1, 6, module("Layer_1", 1, work(1, 20000)))), work(1, 7)))
back = lambda name, number, thread, *inner: op("autograd::engine::evaluate_function: " + name, 2, number,
                                               op(name, 2, number, *inner, thread=thread), thread=thread)
back("CheckpointFunctionBackward", 6, 1, again, back("ReluBackward0", 9, 2, work(2, 300)), back("MmBackward0", 5, 2, work(2, 40000)))()
back("AddmmBackward0", 5, 1, work(2, 500))()
back("LostBackward0", 77, 1, work(2, 3))()
json.dump({"schemaVersion": 1, "traceEvents": events}, open("made.json", "w"))
END
python3 made.py

set -- made.json
for name in h200/programs/resnet18_amp_loader.pt.trace kineto/switch_a100pcie_pyfn kineto/h100_falconsai_nsfw kineto/b200_eager \
	kineto/mi300x_ddp_resnet18; do
	[ ! -f "$shared/$name.json.gz" ] || set -- "$@" "$shared/$name.json.gz"
	sweep || [ $# -lt 3 ] || break
done
python3 "$truth" "$TRACEBOOK_BIN/report" "$@" >out || wrong "$(cat out)"
says out " $# traces, 0 wrong"

# What it says of the made one: a layer has its backward, what has no forward in the file belongs to nobody.
run 0 report --csv tables --json tables.json made.json
cut -d, -f2-4,10-12 tables/modules.csv >modules
is modules 'node,parent,module,device_ns,self_device_ns,backward_device_ns
0,,,83810,10,62800
1,0,nn.Module: Net_0,83800,0,62800
2,1,nn.Module: Layer_0,1500,1500,500
3,1,nn.Module: Layer_1,82300,82300,62300'
cut -d, -f2,8,10 tables/ranges.csv >ranges
is ranges 'range,device_ns,backward_device_ns
ProfilerStep#,21007,62800'
cat >others <<'END'
#!/bin/sh
"$TRACEBOOK_BIN/report" "$@" | sed 's/"nn.Module: Layer_0", 1, 1/"nn.Module: Layer_0", 2, 1/; s/"net.py(3): forward", 4, /&1/'
END
chmod +x others
! python3 "$truth" ./others made.json >out || wrong "callers_truth.py is blind"
says out 'Layer_0 calls is 2' 'forward cpu_ns is'

# Collapsed stacks, read as flamegraph.pl and speedscope read them: they sum to the tables, and a name is one frame.
cat >sums.py <<'END'
import json, re, sys
case = json.load(open(sys.argv[1]))["runs"][0]["cases"][0]["tables"]
whole = dict(zip(case["modules"]["columns"], case["modules"]["rows"][0]))
sums, lines = {"host": 0, "device": 0}, open(sys.argv[2], encoding="utf-8").read().splitlines()
for line in lines:
    stack, n = re.fullmatch(r"(.*) (\d+)", line).groups()
    sums[stack.split(";")[0]] += int(n)
assert lines[0] == "host 0" and sums == {"host": whole["cpu_ns"], "device": whole["device_ns"]}, (sums, whole)
END
run 0 report --stacks made.folded made.json
python3 sums.py tables.json made.folded || wrong "$(cat made.folded)"
grep '^device' made.folded >out
says out 'device;thread 1;ProfilerStep#;train.py(1): step:x;nn.Module: Net_0;net.py(3): forward;nn.Module: Layer_0;net.py(3): forward;'
says out ';aten::addmm;autograd::engine::evaluate_function: AddmmBackward0;AddmmBackward0;cudaLaunchKernel;gemm 500'
cp made.json other.json
run 0 report --stacks - made.json other.json
grep -q '^device;made.json;' out || wrong 'of several traces none has a name'

# On paper: the same times; what is folded and what is outside, so that a column sums to all; and bars as wide as that.
run 0 report --dump document made.json
says out 'row Layer_# | 3 | 40.0 µs | 83.8 µs | 62.8 µs | 100 %' 'row net.py(3): forward | 4 | 51.0 µs | 83.8 µs | 62.8 µs | 100 %'
run 0 report --svg figures made.json
says figures/*-callers.svg '>Layer_#  82.3 µs, 98.2 %<' 'd="M6 66h506v14h-506z' '<title>aten::linear  1.50 µs, 1.8 %'
# As deep as a file may nest, and numbers as odd as it may write them: no time is lost.
python3 - <<'END'
import json
n = 100000
deep = [{"ph": "X", "cat": "python_function", "name": f"nn.Module: M_{i % 7}", "pid": 1, "tid": 1, "ts": i, "dur": 2 * (n - i)} for i in range(n)]
odd = [{"ph": "X", "cat": "cpu_op", "name": "x", "pid": 1, "tid": 2, "ts": 3 * i, "dur": 2, "args": {"Sequence number": s, "Fwd thread id": f}}
       for i, (s, f) in enumerate([(0, 0), (0, 1), (-1, 0), (-1, 1), (2**64 - 1, 0), (2**64 - 1, 1), (2**63 - 1, 2**63), (2**31, 0),
                                   (2**31, -5), (2**31, 4294967295), ("5", "1"), (None, [1])] + [(i % 3, i) for i in range(200)])]
json.dump({"traceEvents": deep + odd}, open("deep.json", "w"))
END
run 0 report --json deep.out --stacks deep.folded deep.json
python3 sums.py deep.out deep.folded || wrong "$(head -c 1000 deep.folded)"
python3 - <<'END' || wrong "$(cat out)"
import json
t = json.load(open("deep.out"))["runs"][0]["cases"][0]["tables"]["modules"]
rows = [dict(zip(t["columns"], r)) for r in t["rows"]]
assert len(rows) == 100001 and rows[0]["cpu_ns"] == sum(r["self_cpu_ns"] for r in rows) == 200000000 + 212 * 2000, (len(rows), rows[0])
END
