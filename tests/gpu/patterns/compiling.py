# SPDX-License-Identifier: Apache-2.0
"""Patterns of torch.compile."""
import torch

from shared import CUDA, HALF, layers


def compiled_code_dropped(after):
    """before: torch.compiler.reset() after each step, meant to free memory, so that the next step compiles anew
    remedy: no reset, compiled once"""
    model, x = layers(3, 256).to(CUDA).eval(), torch.randn(128, 256, device=CUDA)
    run = torch.compile(lambda h: torch.tanh(model(h)) * 0.5)

    def step():
        out = run(x)
        if not after:
            torch.compiler.reset()
        return out
    return torch.no_grad()(step)


compiled_code_dropped.turns, compiled_code_dropped.timed = 2, 3
compiled_code_dropped.environment = {}


def graphs_for_each_size(after):
    """before: CUDA graphs of a compiled model, mode="reduce-overhead", with ever new batch sizes: it records each size anew
    remedy: sizes are padded to 64, one graph"""
    model, n = layers(6, 512).to(**HALF).eval(), {"step": 0}
    run = torch.compile(model, mode="reduce-overhead", dynamic=False if after else None)

    def step():
        n["step"] += 1
        size = 64 if after else 16 + n["step"] % 48
        torch.compiler.cudagraph_mark_step_begin()
        return run(torch.zeros(size, 512, **HALF))
    return torch.no_grad()(step)


graphs_for_each_size.turns, graphs_for_each_size.timed = 2, 3
PATTERNS = [compiled_code_dropped, graphs_for_each_size]
