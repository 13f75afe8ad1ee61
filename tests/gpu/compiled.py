# SPDX-License-Identifier: Apache-2.0
"""A program whose compiler has work while it is profiled: a graph break, recompiles for three reasons, a function that
is compiled once. Beside the trace lies the compiler's own log (TORCH_TRACE). For docs/compiler.md and its tests.

    TORCH_TRACE=$OUT/compiler python tests/gpu/compiled.py $OUT/compiled.json.gz
"""
import sys

import torch
from torch.profiler import ProfilerActivity, profile

scale = 2


def block(x, w, rounds):
    for _ in range(rounds):
        x = torch.relu(x @ w) * scale
    return x


def noisy(x, w):
    y = torch.relu(x @ w)
    print("largest", y.max().item())
    return y * 2 + 1


def main(path):
    global scale
    cuda = torch.cuda.is_available()
    device = "cuda" if cuda else "cpu"
    w = torch.randn(512, 512, device=device)
    fast, loud = torch.compile(block), torch.compile(noisy)
    once = torch.compile(lambda a, b: torch.nn.functional.gelu(a @ b))
    torch.randn(64, 512, device=device) @ w  # the libraries are loaded
    kinds = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if cuda else [])
    with profile(activities=kinds) as prof:
        for step, (rows, rounds) in enumerate([(64, 2), (64, 2), (96, 2), (96, 3), (96, 3), (96, 3)]):
            if step == 5:
                scale = 3
            x = torch.randn(rows, 512, device=device)
            fast(x, w, rounds)
            loud(x, w)
            once(x, w)
            prof.step()
        if cuda:
            torch.cuda.synchronize()
    prof.export_chrome_trace(path)


main(sys.argv[1])
