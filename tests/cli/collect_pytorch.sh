# SPDX-License-Identifier: Apache-2.0
# PyTorch itself, on the CPU: what is recorded from outside is what its own profiler records, step by step.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 -c 'import torch' 2>/dev/null || { echo "no PyTorch here: apt-get install python3-torch (Debian 13), or pip's torch"; exit 77; }
[ -z "${TRACEBOOK_SAN:-}" ] || { echo "the same program is tried without sanitizers"; exit 77; }
TMPDIR=/tmp
export TMPDIR

cat >train.py <<'END'
import os, sys, time
import torch
from torch.profiler import profile, schedule

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
ranks = int(os.environ.get("WORLD_SIZE", 1))
if ranks > 1:
    torch.distributed.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 64), torch.randint(10, (32,))

def step():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()

if sys.argv[1] == "inside":
    with profile(record_shapes=True, schedule=schedule(wait=5, warmup=5, active=6)) as profiler:
        for _ in range(16):
            step()
            profiler.step()
    profiler.export_chrome_trace(sys.argv[2])
    sys.exit()
stop, longest = torch.zeros(1), time.time() + float(sys.argv[1])
recorded = os.environ["KINETO_IPC_SOCKET_DIR"]  # only to be quick: it ends when all windows are written
while not stop.item():
    for _ in range(20):
        step()
    done = len([f for f in os.listdir(recorded) if f.startswith(("main", "steps")) and f.endswith(".json")])
    stop[0] = done >= ranks or time.time() > longest
    if ranks > 1:
        torch.distributed.all_reduce(stop, torch.distributed.ReduceOp.MAX)
sys.exit(7)
END
python3 train.py inside inside.json >/dev/null 2>&1
run 7 collect --after 40 --steps 6 --report train.pdf --out train -- python3 train.py 60
says err "PyTorch $(python3 -c 'import torch; print(torch.__version__)' 2>/dev/null) asks for work" 'is recorded; the program runs on'
says train/run.json '"Command": "python3 train.py 60"' '"PyTorch": "'
python3 - train/train.pt.trace.json inside.json <<'END' || wrong 'not what its own profiler records'
import collections, json, sys
def steps(path):
    events = sorted((e for e in json.load(open(path))["traceEvents"] if e.get("ph") == "X"), key=lambda e: e["ts"])
    ends = [e["ts"] + e["dur"] for e in events if e["name"].startswith("Optimizer.step#")]
    ops = [e for e in events if e.get("cat") == "cpu_op"]
    assert any("Input Dims" in e.get("args", {}) for e in ops), path
    return [collections.Counter(e["name"] for e in ops if a < e["ts"] < b) for a, b in zip(ends, ends[1:])]
outside, inside = map(steps, sys.argv[1:])
assert len(outside) >= 5, len(outside)  # short steps go on while it stops
assert all(s == inside[1] for s in outside), (outside[0], inside[1])
assert sum(inside[1].values()) > 20, inside[1]
END
[ -s train.pdf ] || wrong 'no report'

# Two ranks, each with its trace, in the same window.
run 0 collect --after 25s --for 500ms --out ranks -- sh -c 'for rank in 0 1; do
	RANK=$rank WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 20000)) USE_LIBUV=0 python3 train.py 60 &
done; wait'
says ranks/sh.rank0.pt.trace.json '"rank": 0' 'aten::addmm'
says ranks/sh.rank1.pt.trace.json '"rank": 1' 'aten::addmm'
