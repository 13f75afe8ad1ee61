# SPDX-License-Identifier: Apache-2.0
"""Patterns of the host: launching. Each is a program before and after one remedy, see measure.py."""
import gc
import io
import json
import threading
import time
import types

import torch
import torch.nn as nn

from shared import CUDA, HALF, layers, square, trained


def loop_over_heads(after):
    """before: attention of 16 heads, one after the other in a Python loop
    remedy: all heads in one call, batched"""
    q, k, v = (torch.randn(16, 512, 64, **HALF) for _ in range(3))

    def head(q, k, v):
        return torch.softmax(q @ k.transpose(-1, -2) / 8, -1) @ v
    return torch.no_grad()((lambda: head(q, k, v)) if after else (lambda: torch.stack([head(q[i], k[i], v[i]) for i in range(16)])))


def index_by_index(after):
    """before: 256 rows are copied one by one, y[i] = x[j]
    remedy: one index_select, vectorised"""
    x, order = torch.randn(4096, 1024, **HALF), torch.randperm(4096)[:256]
    here, there = order.tolist(), order.to(CUDA)

    def step():
        if after:
            return x.index_select(0, there)
        y = torch.empty(256, 1024, **HALF)
        for i, j in enumerate(here):
            y[i] = x[j]
        return y
    return torch.no_grad()(step)


def clip_one_by_one(after):
    """before: clip_grad_norm_(foreach=False) over 160 parameters
    remedy: clip_grad_norm_(foreach=True)"""
    model, x = layers(80, 256).to(CUDA), torch.randn(256, 256, device=CUDA)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        square(x)(model).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=after)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def zero_gradients(after):
    """before: zero_grad(set_to_none=False): each gradient is filled with zeros and added to
    remedy: zero_grad(set_to_none=True)"""
    model, x = layers(24, 4096).to(**HALF), torch.randn(256, 4096, **HALF)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        square(x)(model).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=after)
    return step


def compiled_without_graphs(after):
    """before: decoding by 12 small layers, torch.compile in its default mode; kernels are launched one by one
    remedy: torch.compile(mode="reduce-overhead"), CUDA graphs"""
    model, x = layers(12, 512).to(**HALF).eval(), torch.randn(8, 512, **HALF)
    run = torch.compile(model, mode="reduce-overhead" if after else "default")
    return torch.no_grad()(lambda: run(x))


def graph_breaks(after):
    """before: a compiled model that reads a number in each of 12 layers; the compiled graph breaks there
    remedy: torch.where instead of if tensor: no graph break"""
    weights = [torch.randn(512, 512, **HALF) / 23 for _ in range(12)]
    x = torch.randn(64, 512, **HALF)

    def model(h):
        for w in weights:
            h = torch.tanh(h @ w) * 1.1 + 0.1
            if after:
                h = torch.where(h.mean() > 0, h, -h)
            else:
                h = h if h.mean() > 0 else -h
        return h
    run = torch.compile(model)
    return torch.no_grad()(lambda: run(x))


def lengths():
    """A new length with each call."""
    n = 64
    while True:
        n += 8
        yield n


def recompiles(after):
    """before: torch.compile(dynamic=False) of a small network, with another length in each step; it compiles again each time
    remedy: torch.compile(dynamic=True)"""
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 100000
    model, n = layers(4, 256).to(CUDA).eval(), lengths()
    run = torch.compile(model, dynamic=after)
    return torch.no_grad()(lambda: run(torch.zeros(next(n), 256, device=CUDA)))


recompiles.turns, recompiles.timed = 2, 3


def recompile_limit(after):
    """before: torch.compile(dynamic=False), eight lengths seen, the ninth and all others run in eager mode
    remedy: torch.compile(dynamic=True)"""
    def chain(x):
        for _ in range(12):
            x = torch.sigmoid(x) * x + 0.5
        return x
    own = chain.__code__.replace(co_name=f"chain_{after}")  # else both sides share what is compiled, and the limit
    run, n = torch.compile(types.FunctionType(own, globals()), dynamic=after), lengths()
    for _ in range(12):
        run(torch.zeros(next(n) * 4096, device=CUDA))
    x = {}

    def step():
        size = next(n) * 4096
        if size > 1 << 23:
            size = 1 << 23
        if size not in x:
            x.clear()
            x[size] = torch.zeros(size, device=CUDA)
        return run(x[size])
    return torch.no_grad()(step)


def tiny_regions(after):
    """before: 100 calls of a compiled function of two small operators
    remedy: one compiled region around the loop"""
    x = torch.randn(64, 64, device=CUDA)

    def one(h):
        return torch.sin(h) + 0.5

    def many(h, call):
        for _ in range(100):
            h = call(h)
        return h
    whole, single = torch.compile(lambda h: many(h, one)), torch.compile(one)
    return torch.no_grad()((lambda: whole(x)) if after else (lambda: many(x, single)))


def hooks(after):
    """before: a Python hook on each of 160 parameters averages its gradient with the last
    remedy: one _foreach_ call after backward, no hooks"""
    model, x = layers(80, 256).to(CUDA), torch.randn(256, 256, device=CUDA)
    kept = {p: torch.zeros_like(p) for p in model.parameters()}

    def average(p):
        kept[p].mul_(0.9).add_(p.grad, alpha=0.1)
    for p in [] if after else kept:
        p.register_post_accumulate_grad_hook(average)

    def step():
        square(x)(model).backward()
        if after:
            held, grads = list(kept.values()), [p.grad for p in kept]
            torch._foreach_mul_(held, 0.9)
            torch._foreach_add_(held, grads, alpha=0.1)
        model.zero_grad(set_to_none=True)
    return step


def anomaly_mode(after):
    """before: torch.autograd.set_detect_anomaly(True) was left on
    remedy: set_detect_anomaly(False)"""
    model, x = layers(24, 512).to(CUDA), torch.randn(512, 512, device=CUDA)
    inner = trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True), square(x))

    def step():
        with torch.autograd.set_detect_anomaly(not after):
            inner()
    return step


def own_optimizer(after):
    """before: momentum written by hand, a loop over 160 parameters
    remedy: torch._foreach_ calls over all parameters at once"""
    model, x = layers(80, 256).to(CUDA), torch.randn(256, 256, device=CUDA)
    ps = list(model.parameters())
    ms = [torch.zeros_like(p) for p in ps]

    @torch.no_grad()
    def update():
        gs = [p.grad for p in ps]
        if after:
            torch._foreach_mul_(ms, 0.9)
            torch._foreach_add_(ms, gs)
            torch._foreach_add_(ps, ms, alpha=-1e-4)
            return
        for p, m, g in zip(ps, ms, gs):
            m.mul_(0.9).add_(g)
            p.add_(m, alpha=-1e-4)

    def step():
        square(x)(model).backward()
        update()
        model.zero_grad(set_to_none=True)
    return step


def python_thread(after):
    """before: a Python thread of the program counts all the time and takes the interpreter's lock
    remedy: no such thread; a process of its own"""
    model, x = layers(48, 256).to(**HALF), torch.randn(64, 256, **HALF)
    run, busy = torch.no_grad()(lambda: model(x)), {"on": False}

    def count():
        n = 0
        while True:
            n += 1
            if not busy["on"]:
                time.sleep(0.001)
    if not after:
        threading.Thread(target=count, daemon=True).start()

    def step():
        busy["on"] = not after
        out = run()
        torch.cuda.synchronize()
        busy["on"] = False
        return out
    return step


def garbage(after):
    """before: gc.collect() with half a million objects in each step
    remedy: gc.freeze() once, no collection in the step"""
    kept = [{"n": i, "of": [i]} for i in range(250000)]
    model, x = layers(8, 1024).to(**HALF), torch.randn(1024, 1024, **HALF)
    run = torch.no_grad()(lambda: model(x))

    def step():
        out = run()
        if not after:
            gc.collect()
        return out, len(kept)
    return step


def logging_each_step(after):
    """before: a record of 20000 numbers is written as JSON text after each step
    remedy: every hundredth step"""
    model, x = layers(8, 1024).to(**HALF), torch.randn(1024, 1024, **HALF)
    numbers, n, run = [float(i) for i in range(20000)], {"step": 0}, torch.no_grad()(lambda: model(x))

    def step():
        out = run()
        n["step"] += 1
        if not after or n["step"] % 100 == 0:
            json.dump({"step": n["step"], "values": numbers}, io.StringIO())
        return out
    return step


def micro_batches(after):
    """before: gradients of 16 micro-batches of 8 rows are accumulated, each too small for the device
    remedy: one batch of 128 rows, larger batches"""
    model, x = layers(16, 512).to(**HALF), torch.randn(128, 512, **HALF)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        for part in [x] if after else x.chunk(16):
            (model(part).square().mean() * len(part) / 128).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


PATTERNS = [loop_over_heads, index_by_index, clip_one_by_one, zero_gradients, compiled_without_graphs, graph_breaks,
            recompiles, recompile_limit, tiny_regions, hooks, anomaly_mode, own_optimizer, python_thread, garbage,
            logging_each_step, micro_batches]
