# SPDX-License-Identifier: Apache-2.0
"""Made traces of a program's steps, for tests that compare two of them."""

import json
import os


def trace(path, steps=8, slow=1.0, host=0, kernel="gemm_of_step", device="NVIDIA H200", first=3, rank=None, world=2,
          ranges=True, gpu=True, **more):
    """Steps of four operators, each with one kernel. slow: how much longer the first one's kernel takes; host: more
    time of the host in a step, us, or a list of it for each; first: the number of the first step; rank: of
    `world`; ranges: are the steps marked; gpu: has it launches and kernels; more: members of the file."""
    events, now = [], 1000.0
    for s in range(steps):
        begin = now
        for k in range(4):
            number = 10 * s + k + 1
            noise = (7 * s + 3 * k) % 5 / 10
            name = kernel if k == 0 else f"other{k}"
            events.append(dict(ph="X", cat="cpu_op", name=f"aten::op{0 if name == 'other1' else k}", pid=1, tid=1, ts=now,
                               dur=9))
            if gpu:
                events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=now + 1, dur=5,
                                   args=dict(correlation=number)))
                events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=now + 8,
                                   dur=(40 + noise) * (slow if k == 0 else 1),
                                   args=dict(correlation=number, device=0, stream=7, grid=[8, 1, 1],
                                             block=[128, 1, 1])))
            now += 60 + noise
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
