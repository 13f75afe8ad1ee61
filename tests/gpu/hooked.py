# SPDX-License-Identifier: Apache-2.0
"""What recording adds to a training step before and after a window: `collect --after N --steps 10 -- python3 hooked.py cpu|cuda [PAIRS [own]]`.

Blocks of twenty steps with the recorder's hooks and without, in turn, in one process, so that nothing else differs: the
mean of the ratios of the pairs of their CPU time, with its interval of 95 %. The window follows, by itself (N is what
`hooked.py before PAIRS` prints), and then blocks of steps as the process has them after it: the median of their wall time, over that
of those without hooks before it, says what is left for good. Run alone, all but the hooks is the same; with `own` torch.profiler
records the window. TURN=FILE: what is measured waits for the lock of that file. Prints a line of JSON.
"""
import contextlib
import fcntl
import gc
import json
import math
import os
import random
import statistics
import sys
import time

STEPS, WARM, AROUND = 20, 30, 30
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
if sys.argv[1] == "before":
    print((WARM + PAIRS) * STEPS)
    sys.exit()

import torch  # noqa: E402
from torch.profiler import ProfilerActivity, profile  # noqa: E402

device = sys.argv[1]
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = torch.randn(32, 64, device=device), torch.randint(10, (32,), device=device)
kind = type(optimizer)
own = profile(activities=[ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device == "cuda"), record_shapes=True
              ) if sys.argv[3:] else contextlib.nullcontext()


def block(clock):
    """Microseconds a step."""
    began = clock()
    for _ in range(STEPS):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return (clock() - began) / STEPS / 1e3


def blocks(n, clock=time.perf_counter_ns):
    return [block(clock) for _ in range(n)]


hooked = kind.step
bare = hooked.__wrapped__ if hasattr(hooked, "tracebook") else hooked
block(time.perf_counter_ns)
if "TURN" in os.environ:
    turn = open(os.environ["TURN"], "w")
    fcntl.flock(turn, fcntl.LOCK_EX)
blocks(WARM - 1)
gc.disable()  # it comes at every so many objects
dice = random.Random(1)
took = {"hooked": [], "bare": []}
kind.step = bare
before = blocks(AROUND)
for _ in range(PAIRS):
    for name in ("hooked", "bare") if dice.random() < 0.5 else ("bare", "hooked"):
        kind.step = hooked if name == "hooked" else bare
        took[name].append(block(time.thread_time_ns))  # all that is hooked is called in this thread
kind.step = hooked
ratios = sorted(math.log(a / b) for a, b in zip(took["hooked"], took["bare"]))
kept = ratios[len(ratios) // 10:-(len(ratios) // 10)]  # without what others took of the machine
half = 1.96 * statistics.stdev(kept) / math.sqrt(len(kept))
with own:
    blocks(1)  # the window
time.sleep(1)  # in which it is written
blocks(AROUND)
after = blocks(AROUND)
print(json.dumps({"hooks": hooked is not bare, "left": kind.step is not bare, "percent": 100 * math.expm1(statistics.mean(kept)),
                  "half": 100 * half, "pairs": len(kept), "us": statistics.median(took["bare"]),
                  "before_us": statistics.median(before), "after": statistics.median(after) / statistics.median(before)}))
