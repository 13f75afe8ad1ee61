# SPDX-License-Identifier: Apache-2.0
"""Patterns of torch.compile."""
import io

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


def name_of_each_step(after):
    """before: a compiled function gets the name of the step as a string, and compiles for each name
    remedy: the name stays outside of what is compiled"""
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 100000
    weights, n, seen = [torch.randn(256, 256, device=CUDA) / 16 for _ in range(4)], {"step": 0}, {}

    @torch.compile
    def run(h, name):
        for w in weights:
            h = torch.relu(h @ w) + 0.1 * len(name)
        return h

    def step():
        n["step"] += 1
        name = f"step {n['step']:06}"
        seen["last"] = name
        return run(torch.ones(64, 256, device=CUDA), "step 000000" if after else name)
    return torch.no_grad()(step)


name_of_each_step.turns, name_of_each_step.timed = 2, 3


def printing_in_the_model(after):
    """before: a compiled model prints to a log in each of 10 layers, and the compiled graph breaks there
    remedy: no print inside the model"""
    log = io.StringIO()
    weights = [torch.randn(512, 512, **HALF) / 23 for _ in range(10)]
    x = torch.randn(64, 512, **HALF)

    def model(h):
        for i, w in enumerate(weights):
            h = torch.tanh(h @ w) * 1.1 + 0.1
            if not after:
                print("layer", i, h.shape, file=log)
        return h
    run = torch.compile(model)
    return torch.no_grad()(lambda: run(x))


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

PATTERNS = [compiled_code_dropped, name_of_each_step, printing_in_the_model, graphs_for_each_size]
