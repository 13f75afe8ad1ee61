# SPDX-License-Identifier: Apache-2.0
"""What the recorder's hooks add to a step outside of a window: `collect --after N -- python3 hooked.py cpu|cuda`.

Blocks of training steps with them and without, in turn, in one process, so that nothing else differs, by its CPU time; the mean of the
ratios of the pairs, with its interval of 95 %. Prints a line of JSON.
"""
import gc
import json
import math
import random
import statistics
import sys
import time

import torch

device = sys.argv[1]
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = torch.randn(32, 64, device=device), torch.randint(10, (32,), device=device)


def block(step):
    type(optimizer).step = step
    began = time.process_time_ns()
    for _ in range(20):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return time.process_time_ns() - began


hooked = type(optimizer).step
bare = hooked.__wrapped__ if hasattr(hooked, "tracebook") else hooked
for _ in range(30):
    block(hooked)
time.sleep(1)  # a window that was is written
for _ in range(20):
    block(hooked)
gc.disable()  # it comes at every so many objects
dice = random.Random(1)
ratios, least = [], {"hooked": math.inf, "bare": math.inf}
for i in range(int(sys.argv[2]) if len(sys.argv) > 2 else 200):
    took = {}
    for name in ("hooked", "bare") if dice.random() < 0.5 else ("bare", "hooked"):
        took[name] = block(hooked if name == "hooked" else bare)
        least[name] = min(least[name], took[name])
    ratios.append(math.log(took["hooked"] / took["bare"]))
kept = sorted(ratios)[len(ratios) // 10:-(len(ratios) // 10)]  # without what others took of the machine
half = 1.96 * statistics.stdev(kept) / math.sqrt(len(kept))
print(json.dumps({"hooks": hasattr(hooked, "tracebook"), "percent": round(100 * math.expm1(statistics.mean(kept)), 3),
                  "half": round(100 * half, 3), "pairs": len(kept),
                  "least_us": {k: round(v / 20e3, 3) for k, v in least.items()}}))
