# SPDX-License-Identifier: Apache-2.0
"""What pairs of programs share, those of pairs.py and of patterns/: parts of models, a step timed, steps recorded."""
import gzip
import shutil
import time

import torch
import torch.nn as nn
from torch.profiler import ProfilerActivity, profile, schedule

STEPS = 3  # recorded of each side
CUDA = torch.device("cuda")
HALF = {"device": CUDA, "dtype": torch.bfloat16}


def layers(n, width):
    return nn.Sequential(*(m for _ in range(n) for m in (nn.Linear(width, width), nn.GELU())))


def trained(model, optimizer, loss):
    def step():
        loss(model).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def timed(step, n):
    """Microseconds a step, of n without a profiler."""
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(n):
        step()
    torch.cuda.synchronize()
    return round((time.perf_counter() - began) / n * 1e6, 1)


def recorded(step, path):
    """Steps by torch.profiler, packed."""
    plan = schedule(wait=1, warmup=2, active=STEPS, repeat=1)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, schedule=plan) as p:
        for _ in range(3 + STEPS):
            step()
            p.step()
        torch.cuda.synchronize()
    p.export_chrome_trace(str(path))
    with open(path, "rb") as plain, gzip.open(f"{path}.gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    path.unlink()
