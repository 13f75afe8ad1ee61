#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs as people have them, to be recorded from outside: `programs.py NAME [--seconds S]`.

train     a convolutional network, AdamW, mixed precision
small     a network so small that the host limits, without any waiting; small_cpu without a GPU
generate  greedy decoding with a cache, one token after the other
compiled  a transformer block by torch.compile(mode="reduce-overhead"), which replays CUDA graphs
ddp       two processes by torchrun, DistributedDataParallel: NCCL with a GPU each, gloo on one GPU or none
graph_once, graph_again, graph_strict   a CUDA graph that is captured in the first unit, or in each; where no
          other thread may do what a capture forbids

Nothing in them knows of a profiler, unless `--inside FILE` is asked for: then torch.profiler records
`--units N` (20) of the same work, to compare with; with `--whole FILE` all of it (`--threads`: of all threads);
with `--own FILE` it records the first 5 seconds, and the program goes on. `--times FILE` writes when each unit ended,
`--count N` makes so many units in place of `--seconds`, and `--kill S` ends the program by SIGKILL, or by `--signal N`;
S, as in --seconds, counts from the end of the first unit.
"""
import argparse
import json
import os
import signal
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

UNITS = 20
os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # multicast is not open to every container
# each rank a GPU of its own, where there are as many
CUDA = (torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)) % torch.cuda.device_count())
        if torch.cuda.device_count() else torch.device("cpu"))


def train():
    torch.manual_seed(0)
    model = nn.Sequential(*(layer for i in range(6) for layer in (
        nn.Conv2d(3 if i == 0 else 128, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU())),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 100)).to(CUDA)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = torch.randn(64, 3, 96, 96, device=CUDA), torch.randint(100, (64,), device=CUDA)
    while True:
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item()


def small(device=CUDA):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 64, device=device), torch.randint(10, (32,), device=device)
    while True:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        yield None


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x, cache=None, at=None):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2)
                   for t in self.qkv(self.norm1(x)).chunk(3, -1))
        if cache is not None:
            cache[0][:, :, at:at + n], cache[1][:, :, at:at + n] = k, v
            k, v = cache
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, d))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


@torch.no_grad()
def generate():
    torch.manual_seed(0)
    dim, heads, layers, room, words = 1024, 16, 8, 128, 32000
    blocks = nn.ModuleList(Block(dim, heads) for _ in range(layers)).to(CUDA, torch.float16)
    embed = nn.Embedding(words, dim).to(CUDA, torch.float16)
    cache = [[torch.zeros(1, heads, room, dim // heads, device=CUDA, dtype=torch.float16)
              for _ in range(2)] for _ in range(layers)]
    token, at = torch.ones(1, 1, dtype=torch.long, device=CUDA), 0
    while True:
        x = embed(token)
        for block, c in zip(blocks, cache):
            x = block(x, c, at)
        token = (x[:, -1] @ embed.weight.T).argmax(-1, keepdim=True)
        at = (at + 1) % room
        yield token.item()


@torch.no_grad()
def compiled():
    torch.manual_seed(0)
    model = nn.Sequential(Block(1024, 16), Block(1024, 16)).to(CUDA, torch.bfloat16).eval()
    fast = torch.compile(model, mode="reduce-overhead")
    x = torch.randn(8, 256, 1024, device=CUDA, dtype=torch.bfloat16)
    while True:
        yield fast(x).float().mean().item()


def capture(step, mode):
    """As PyTorch's documentation shows it: warmed up on a stream beside, then captured."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode=mode):
        y = step()
    return graph, y


@torch.no_grad()
def graphs(again, mode="thread_local"):  # as torch.compile captures; PyTorch's own default is stricter
    torch.manual_seed(0)
    x, w = (torch.randn(512, 512, device=CUDA) for _ in range(2))

    def step():
        y = x
        for _ in range(20):
            y = torch.tanh(y @ w)
        return y
    graph = None
    while True:
        if again or graph is None:
            graph, y = capture(step, mode)
        for _ in range(10):
            graph.replay()
        yield y.sum().item()


def over_nccl():
    return torch.cuda.device_count() >= int(os.environ.get("LOCAL_WORLD_SIZE", 1)) > 0


def ddp():
    if over_nccl():
        torch.cuda.set_device(CUDA)
    torch.distributed.init_process_group("nccl" if over_nccl() else "gloo")
    torch.manual_seed(torch.distributed.get_rank())
    model = nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 256)).to(CUDA)
    model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(512, 1024, device=CUDA)
    while True:
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item()


PROGRAMS = {"train": train, "small": small, "small_cpu": lambda: small("cpu"), "generate": generate, "compiled": compiled, "ddp": ddp,
            "graph_once": lambda: graphs(False), "graph_again": lambda: graphs(True),
            "graph_strict": lambda: graphs(True, "global")}


def record_inside(units, path, n, device):
    """By torch.profiler, as its documentation shows it."""
    from torch.profiler import ProfilerActivity, profile, schedule
    for _ in range(60):
        next(units)
    ends = []
    with profile(activities=[ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device == "cuda"), record_shapes=True,
                 schedule=schedule(wait=5, warmup=5, active=n, repeat=1)) as prof:
        for _ in range(10 + n):
            next(units)
            ends.append(time.time())
            prof.step()
    rank = os.environ.get("RANK", "")
    prof.export_chrome_trace(path + (f".{rank}" if rank else ""))
    return ends[9:]


def record_whole(device, threads):
    """By torch.profiler from here on; `threads`: of all threads, as collect records where PyTorch can."""
    from torch.profiler import ProfilerActivity, profile
    more = {}
    if threads:
        try:
            more["experimental_config"] = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
        except TypeError:  # before PyTorch 2.8
            pass
    prof = profile(activities=[ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device == "cuda"), record_shapes=True, **more)
    prof.start()
    return prof


def record_own(units, path):
    from torch.profiler import profile
    began = time.time()
    with profile() as prof:
        while time.time() < began + 5:
            next(units)
    print(f"profiled itself from {began:.1f} to {time.time():.1f}", flush=True)
    prof.export_chrome_trace(path)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("name", choices=PROGRAMS)
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--inside")
    p.add_argument("--whole")
    p.add_argument("--threads", action="store_true")
    p.add_argument("--units", type=int, default=UNITS)
    p.add_argument("--count", type=int)
    p.add_argument("--times")
    p.add_argument("--own")
    p.add_argument("--kill", type=float)
    p.add_argument("--signal", type=int, default=signal.SIGKILL)
    o = p.parse_args()
    device = "cpu" if o.name == "small_cpu" else CUDA.type
    whole = record_whole(device, o.threads) if o.whole else None
    units, ends = PROGRAMS[o.name](), []
    next(units)  # the first takes seconds: libraries choose their kernels
    began = time.time()
    if o.inside:
        ends = record_inside(units, o.inside, o.units, device)
    if o.own:
        record_own(units, o.own)
    stopping = torch.zeros(1, device=CUDA if o.name == "ddp" and over_nccl() else "cpu")
    while not o.inside:
        next(units)
        ends.append(time.time())
        if o.kill is not None and ends[-1] - began > o.kill:
            os.kill(os.getpid(), o.signal)
        if o.name != "ddp" and (len(ends) >= o.count if o.count else ends[-1] - began > o.seconds):
            break
        if o.name == "ddp" and len(ends) % 50 == 0:  # all ranks end together
            stopping[0] = ends[-1] - began > o.seconds
            torch.distributed.all_reduce(stopping)
            if stopping.item():
                break
    if whole:
        whole.stop()
        whole.export_chrome_trace(o.whole)
    if o.times and os.environ.get("RANK", "0") == "0":
        with open(o.times, "w") as f:
            json.dump(ends, f)
    if o.name == "ddp":
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
