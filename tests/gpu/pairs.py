#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of programs before and after one remedy, for `make advise PAIRS=FOLDER`: `pairs.py FOLDER`.

Each is timed without a profiler, both sides in turn, then three steps are recorded by torch.profiler: NAME.before
and NAME.after .pt.trace.json.gz, and PAIRS.json with what was done, why, and what a step takes. Each pair has a process
of its own: in one that has recorded CUPTI stays, and steps that only launch take 1.2 to 1.3 times as long.
"""
import json
import multiprocessing
import os
import pathlib
import shutil
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

from more_pairs import MORE, OF_TWO_RANKS, join
from pair_parts import CUDA, layers, recorded, timed

TIMED, WARM, TURNS = 12, 2, 7


def training(model, optimizer, batch):
    def step():
        x, y = batch()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def optimizer_pair(after):
    """before: 32 small layers, AdamW(foreach=False); a loop over 64 parameters, seven kernels each
    remedy: AdamW(fused=True)"""
    model = layers(32, 256).to(CUDA)
    x, y = torch.randn(512, 256, device=CUDA), torch.randn(512, 256, device=CUDA)
    how = {"fused": True} if after else {"foreach": False}
    return training(model, torch.optim.AdamW(model.parameters(), lr=1e-4, **how), lambda: (x, y))


def tf32_pair(after):
    """before: an MLP of 4096 wide layers in fp32, matmul precision "highest"; matmuls run on CUDA cores
    remedy: torch.set_float32_matmul_precision("high"), TF32"""
    model = layers(4, 4096).to(CUDA)
    x, y = torch.randn(4096, 4096, device=CUDA), torch.randn(4096, 4096, device=CUDA)

    def batch():
        torch.set_float32_matmul_precision("high" if after else "highest")
        return x, y
    return training(model, torch.optim.SGD(model.parameters(), lr=1e-4), batch)


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        x = torch.randn(256, 256)
        for _ in range(3):
            x = torch.tanh(x @ x / 16)
        return x


def loader_pair(after):
    """before: a small convolutional network, DataLoader(num_workers=0) with a transform; the loop waits for its data
    remedy: DataLoader(num_workers=8)"""
    more = {"num_workers": 8, "persistent_workers": True, "prefetch_factor": 4} if after else {}
    loader = iter(torch.utils.data.DataLoader(Slow(), batch_size=16, **more))
    model = nn.Sequential(nn.Conv2d(1, 64, 3), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(64, 1)).to(CUDA)

    def batch():
        return next(loader).unsqueeze(1).to(CUDA), torch.zeros(16, 1, device=CUDA)
    return training(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True), batch)


def fusion_pair(after):
    """before: ten pointwise operators in a row on 268 MB tensors, eager; each reads and writes memory
    remedy: torch.compile, one fused kernel"""
    x, y = (torch.randn(1 << 26, device=CUDA) for _ in range(2))

    def chain(x, y):
        a = torch.sigmoid(x) * y + 0.5
        b = torch.tanh(a) - x * 0.1
        return torch.relu(b * y + a) * 2 - 1
    run = torch.compile(chain) if after else chain
    return torch.no_grad()(lambda: run(x, y))


def cpu_pair(after):
    """before: a model of 32 layers whose output is compared on the CPU in each layer, .cpu() 32 times a step
    remedy: no .cpu() in the loop, one at its end"""
    model = nn.ModuleList(nn.Linear(2048, 2048) for _ in range(32)).to(CUDA)
    x = torch.randn(1024, 2048, device=CUDA)

    @torch.no_grad()
    def step():
        h, norms = x, []
        for layer in model:
            h = torch.relu(layer(h))
            norms.append(h.abs().mean() if after else h.abs().mean().cpu())
        return torch.stack(norms).cpu()
    return step


def graph_pair(after):
    """before: greedy decoding of one token by 6 transformer layers, batch 1, eager; launches are longer than kernels
    remedy: torch.compile(mode="reduce-overhead"), CUDA graphs"""
    block = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, device=CUDA, dtype=torch.float16).eval()
    model = nn.TransformerEncoder(block, 6, enable_nested_tensor=False).eval()
    run = torch.compile(model, mode="reduce-overhead") if after else model
    x = torch.randn(1, 8, 512, device=CUDA, dtype=torch.float16)
    return torch.no_grad()(lambda: run(x))


def synchronize_pair(after):
    """before: 24 layers with torch.cuda.synchronize() after each, as left behind by a timing of layers
    remedy: no torch.cuda.synchronize() in the loop"""
    model = nn.ModuleList(nn.Linear(1024, 1024) for _ in range(24)).to(CUDA, torch.bfloat16)
    x = torch.randn(2048, 1024, device=CUDA, dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        h = x
        for layer in model:
            h = torch.relu(layer(h))
            if not after:
                torch.cuda.synchronize()
        return h
    return step


def bmm_pair(after):
    """before: 64 products of 128 x 128, one torch.mm each in a loop
    remedy: one call, torch.bmm, batched"""
    a, b = (torch.randn(64, 128, 128, device=CUDA, dtype=torch.bfloat16) for _ in range(2))
    return (lambda: torch.bmm(a, b)) if after else (lambda: [torch.mm(a[i], b[i]) for i in range(64)])


def overlap_pair(after):
    """before: 128 MB copied from pinned memory on the stream that computes; the device waits for each copy
    remedy: prefetch of the next batch on another stream, copies overlap"""
    host = [torch.randn(1 << 25).pin_memory() for _ in range(2)]
    model = layers(6, 4096).to(CUDA, torch.bfloat16)
    other, held = torch.cuda.Stream(), {}

    @torch.no_grad()
    def step():
        if not after:
            x = host[0].to(CUDA, non_blocking=True)
            return model(x.view(-1, 4096).to(torch.bfloat16))
        torch.cuda.current_stream().wait_stream(other)
        x = held.pop("x", None)
        x = host[0].to(CUDA) if x is None else x
        x.record_stream(torch.cuda.current_stream())
        with torch.cuda.stream(other):
            held["x"] = host[1].to(CUDA, non_blocking=True)
        return model(x.view(-1, 4096).to(torch.bfloat16))
    return step


def amp_pair(after):
    """before: two transformer layers trained in fp32 with TF32, batch 16 x 512
    remedy: torch.autocast to bf16"""
    block = nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, dropout=0.0, device=CUDA)
    model = nn.TransformerEncoder(block, 2, enable_nested_tensor=False)
    x, y = torch.randn(16, 512, 1024, device=CUDA), torch.randn(16, 512, 1024, device=CUDA)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def step():
        torch.set_float32_matmul_precision("high")
        with torch.autocast("cuda", torch.bfloat16, enabled=after):
            loss = F.mse_loss(model(x).float(), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def allocator_pair(after):
    """before: torch.cuda.empty_cache() in each step, as habit has it; memory is asked from the driver again and again
    remedy: no empty_cache(), the caching allocator keeps its memory"""
    model = layers(12, 2048).to(CUDA)
    x, y = torch.randn(2048, 2048, device=CUDA), torch.randn(2048, 2048, device=CUDA)
    step = training(model, torch.optim.SGD(model.parameters(), lr=1e-4), lambda: (x, y))
    return step if after else lambda: (step(), torch.cuda.empty_cache())


PAIRS = [optimizer_pair, tf32_pair, loader_pair, fusion_pair, cpu_pair, graph_pair, synchronize_pair, bmm_pair,
         overlap_pair, amp_pair, allocator_pair]


def measured(make, folder):
    """Both sides timed in turn, so that drift hits both, then recorded; rank 0 keeps what it saw."""
    name = make.__name__.removesuffix("_pair")
    before, remedy = (line.strip() for line in make.__doc__.split("\n"))
    pair = {"before": before.removeprefix("before: "), "remedy": remedy.removeprefix("remedy: ")}
    torch.manual_seed(0)
    steps = {side: make(side == "after") for side in ("before", "after")}
    wall = {side: [] for side in steps}
    for i in range(WARM + TURNS):
        for side, step in steps.items():
            torch.set_float32_matmul_precision("highest")
            wall[side] += [timed(step, TIMED)][:i >= WARM]
    for side, step in steps.items():
        torch.set_float32_matmul_precision("highest")
        recorded(step, folder / f"{name}.{side}.pt.trace.json")
        pair[f"wall_us_per_step_{side}"] = sorted(wall[side])
    was, now = (statistics.median(times) for times in wall.values())
    print(name, was, now, flush=True)
    return name, pair | {"speedup": round(was / now, 2), "saved_us_per_step": round(was - now, 1)}


def rank(which, folder, found):
    join(which, 2, 29517)
    for make in OF_TWO_RANKS:
        name, pair = measured(make, folder / f"rank{which}" if which else folder)
        if not which:
            found[name] = pair
    torch.distributed.destroy_process_group()


def alone(make, folder, found):
    """What the child of a pair does."""
    try:
        name, pair = measured(make, folder)
        found[name] = pair
    except Exception as error:  # one pair costs itself
        print(f"{make.__name__}: {error!r}", flush=True)
    os._exit(0)  # nothing is put away: no other program waits for what is left


def main(folder):
    (folder / "rank1").mkdir(parents=True, exist_ok=True)
    found = multiprocessing.Manager().dict()
    for make in PAIRS + MORE:  # this process begins no CUDA before the last child is made
        child = multiprocessing.get_context("fork").Process(target=alone, args=(make, folder, found))
        child.start()
        child.join()
    if torch.cuda.device_count() > 1:
        torch.multiprocessing.spawn(rank, args=(folder, found), nprocs=2)
    pairs = dict(found)
    shutil.rmtree(folder / "rank1")
    about = (f"Programs before and after one remedy, by tests/gpu/pairs.py. Wall times: a step without any profiler, "
             f"{TURNS} runs of {TIMED} steps, both sides in turn. {torch.cuda.get_device_name()}, "
             f"torch {torch.__version__}, {time.strftime('%Y-%m-%d')}.")
    (folder / "PAIRS.json").write_text(json.dumps({"about": about, "pairs": pairs}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
