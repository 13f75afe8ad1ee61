#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sweep of experiments/matrix.json in PyTorch: `crossover.py` prints a table with tabs, a line a size.

A step is torch.add(torch.matmul(x, w), b), eager, bf16, warm, as in the posts. CPU: how long the
two calls took, in bursts that do not fill the stream, without a profiler. Device: what the step's kernels
took by torch.profiler's record, in a second pass. Times in microseconds, quantiles over the steps.
"""
import statistics
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

SIZES = [8 << i for i in range(10)]
BURST, BURSTS = 10, 30


def tensors(size):
    def make():
        return torch.randn(size, size, dtype=torch.bfloat16, device="cuda")
    return make(), make(), make()


def step(x, w, b):
    return torch.add(torch.matmul(x, w), b)


def cpu_times(x, w, b):
    times = []
    for _ in range(BURSTS):
        for _ in range(BURST):
            start = time.perf_counter_ns()
            step(x, w, b)
            times.append((time.perf_counter_ns() - start) / 1e3)
        torch.cuda.synchronize()
    return times


def device_times(x, w, b, steps):
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        for _ in range(steps):
            step(x, w, b)
        torch.cuda.synchronize()
    kernels = sorted((e.time_range.start, e.time_range.elapsed_us()) for e in p.events()
                     if e.device_type == torch.autograd.DeviceType.CUDA)
    each = len(kernels) // steps
    if not each or len(kernels) % steps:
        raise SystemExit(f"{len(kernels)} device events in {steps} steps: what belongs to which?")
    return [sum(us for _, us in kernels[i * each:(i + 1) * each]) for i in range(steps)]


def quantiles(times):
    q = statistics.quantiles(times, n=10, method="inclusive")
    return [q[1], q[4], q[7]]


def main():
    print("size\tsteps\tcpu_p20_us\tcpu_p50_us\tcpu_p80_us\tdevice_p20_us\tdevice_p50_us\tdevice_p80_us")
    for size in SIZES:
        inputs = tensors(size)
        for _ in range(20):
            step(*inputs)
        torch.cuda.synchronize()
        cpu = cpu_times(*inputs)
        torch.cuda.synchronize()
        row = quantiles(cpu) + quantiles(device_times(*inputs, 40))
        print("\t".join([str(size), str(len(cpu))] + [f"{v:.3f}" for v in row]), flush=True)
    print(f"torch {torch.__version__} on {torch.cuda.get_device_name()}", file=sys.stderr)


if __name__ == "__main__":
    main()
