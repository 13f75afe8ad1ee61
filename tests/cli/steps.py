# SPDX-License-Identifier: Apache-2.0
"""Made traces of a program's steps, for tests that compare two of them."""

import json
import os


def trace(path, steps=8, slow=1.0, host=0, kernel="gemm_of_step", device="NVIDIA H200", first=3, rank=None, world=2,
          ranges=True, gpu=True, pace=1, clock=1, ops=4, **more):
    """Steps of four operators, each with one kernel. slow: how much longer the first one's kernel takes; host: more
    time of the host in a step, us, or a list of it for each; first: the number of the first step; rank: of
    `world`; ranges: are the steps marked; gpu: has it launches and kernels; pace: how much longer all takes that the
    host does; clock: how much longer each kernel takes; ops: operators in a step, four kinds of them in turn; more:
    members of the file."""
    events, now = [], 1000.0
    for s in range(steps):
        begin = now
        for place in range(ops):
            k, number = place % 4, max(10, ops) * s + place + 1
            noise = (7 * s + 3 * k) % 5 / 10
            name = kernel if k == 0 else f"other{k}"
            events.append(dict(ph="X", cat="cpu_op", name=f"aten::op{0 if name == 'other1' else k}", pid=1, tid=1, ts=now,
                               dur=9 * pace))
            if gpu:
                events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=now + 1, dur=5 * pace,
                                   args=dict(correlation=number)))
                events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=now + 8,
                                   dur=(40 + noise) * clock * (slow if k == 0 else 1),
                                   args=dict(correlation=number, device=0, stream=7, grid=[8, 1, 1],
                                             block=[128, 1, 1])))
            now += (60 + noise) * pace
        now += host[s] if isinstance(host, list) else host
        if ranges:
            events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{s + first}", pid=1, tid=1, ts=begin,
                               dur=now - begin - 1))
    file = {"deviceProperties": [{"id": 0, "name": device}], "cuda_driver_version": 13000, **more, "traceEvents": events}
    if rank is not None:
        file["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": world}
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(file, f)


def written(path, steps, empty=0, launch="cudaLaunchKernel", device="NVIDIA H200", begin_together=False, between=20):
    """Steps written out, one (length, [(kernel, how long, how long its call)]) each; one kernel waits for the other.
    empty: so many steps of 50 us and nothing in them behind; begin_together: a call begins with the one before."""
    events, at, number, free = [], 0, 1, 0

    def call(name, ts, dur, correlation):
        events.append(dict(ph="X", cat="cuda_runtime", name=name, pid=1, tid=1, ts=ts, dur=dur,
                           args=dict(correlation=correlation)))

    for n, (length, kernels) in enumerate(steps, 1):
        events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{n}", pid=1, tid=1, ts=at, dur=length))
        now, alone = at + 10, True
        for name, dur, took in kernels:
            call(launch, now, took, number)
            free = max(now + took + 1, free)
            events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=free, dur=dur,
                               args=dict(device=0, stream=7, correlation=number, grid=[64, 1, 1], block=[128, 1, 1])))
            free += dur
            now += took + dur + 3 if not begin_together or not alone else 0
            alone = not alone
            number += 1
        at += length + between
    for n in range(empty):
        events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{99 + n}", pid=1, tid=1, ts=at, dur=50))
        at += 50 + between
    properties = {"id": 0, "name": device, "computeMajor": 9, "computeMinor": 0}
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": [properties], "traceEvents": events}, f)
