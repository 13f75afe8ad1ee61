# SPDX-License-Identifier: Apache-2.0
"""More programs before and after one remedy, for pairs.py; those of two ranks need two GPUs.

They were written when the advice on the first eleven was done, to see whether it holds for others."""
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from pair_parts import CUDA, HALF, layers, trained


def square(x):
    return lambda model: model(x).square().mean()


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norm, self.last = (nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x):
        return torch.relu(x + self.last(self.second(torch.relu(self.norm(self.first(x))))))


def residual_net_pair(after):
    """before: a residual network under autocast, images with channels first; cuDNN transposes around convolutions
    remedy: channels_last"""
    model = nn.Sequential(nn.Conv2d(3, 128, 7, 2, 3), *(Residual(128) for _ in range(6)), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(128, 10)).to(CUDA)
    x, y = torch.randn(64, 3, 128, 128, device=CUDA), torch.randint(10, (64,), device=CUDA)
    if after:
        model, x = (m.to(memory_format=torch.channels_last) for m in (model, x))

    def loss(m):
        with torch.autocast("cuda", torch.bfloat16):
            return F.cross_entropy(m(x), y)
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-3, fused=True), loss)


def convolutions_pair(after):
    """before: convolutions in fp32 with torch.backends.cudnn.allow_tf32 = False; cuDNN uses Fourier transforms
    remedy: torch.backends.cudnn.allow_tf32 = True, TF32"""
    model = nn.Sequential(*(m for _ in range(6) for m in (nn.Conv2d(256, 256, 3, padding=1), nn.ReLU())))
    model = model.to(CUDA).to(memory_format=torch.channels_last)
    x = torch.randn(32, 256, 64, 64, device=CUDA).to(memory_format=torch.channels_last)

    @torch.no_grad()
    def step():
        torch.backends.cudnn.allow_tf32 = after
        return model(x)
    return step


def double_pair(after):
    """before: a float64 constant makes a whole MLP work in float64
    remedy: no float64"""
    x = torch.randn(4096, 2048, device=CUDA, dtype=torch.float32 if after else torch.float64)
    model = layers(4, 2048).to(CUDA, x.dtype)
    step = trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True), square(x))

    def in_tf32():
        torch.set_float32_matmul_precision("high")
        step()
    return in_tf32


def causal_pair(after):
    """before: causal attention written out and trained: product, mask, softmax, product, 12 heads, 2048 tokens
    remedy: F.scaled_dot_product_attention(is_causal=True)"""
    qkv, x = nn.Linear(768, 2304).to(**HALF), torch.randn(8, 2048, 768, **HALF)
    mask = torch.ones(2048, 2048, device=CUDA, dtype=torch.bool).tril()

    def step():
        q, k, v = qkv(x).view(8, 2048, 3, 12, 64).permute(2, 0, 3, 1, 4)
        if after:
            h = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-1, -2)) / 8
            h = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1) @ v
        h.square().mean().backward()
        qkv.zero_grad(set_to_none=True)
    return step


def width_pair(after):
    """before: a bf16 MLP whose hidden width is 4095
    remedy: padded to 4096, a multiple of 8"""
    width = 4096 if after else 4095
    model = nn.Sequential(nn.Linear(2048, width), nn.GELU(), nn.Linear(width, width), nn.GELU(),
                          nn.Linear(width, 2048)).to(**HALF)
    x = torch.randn(4096, 2048, **HALF)
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True), square(x))


def mask_pair(after):
    """before: x[mask] in each of 16 layers, whose size the CPU waits for
    remedy: torch.where, no synchronization for sizes"""
    model = nn.ModuleList(nn.Linear(1024, 1024) for _ in range(16)).to(**HALF)
    x = torch.randn(2048, 1024, **HALF)

    @torch.no_grad()
    def step():
        h = x
        for layer in model:
            g = layer(h)
            keep = g.mean(-1) > -9
            if after:
                h = torch.where(keep[:, None], torch.relu(g), h)
            else:
                h = h.clone()
                h[keep] = torch.relu(g[keep])
        return h
    return step


def experts_pair(after):
    """before: 32 experts in a Python loop, each a product of its slices
    remedy: one call, batched: torch.bmm over all experts"""
    w, x = torch.randn(32, 512, 512, **HALF), torch.randn(32, 256, 512, **HALF)

    @torch.no_grad()
    def step():
        return F.gelu(torch.bmm(x, w)) if after else torch.stack([F.gelu(x[i] @ w[i]) for i in range(32)])
    return step


def solve_pair(after):
    """before: 48 systems of 64 equations are solved one by one in a loop
    remedy: one call, batched: torch.linalg.solve over all"""
    a = torch.randn(48, 64, 64, device=CUDA) + 64 * torch.eye(64, device=CUDA)
    b = torch.randn(48, 64, 16, device=CUDA)

    @torch.no_grad()
    def step():
        one = [] if after else [torch.linalg.solve(a[i], b[i]) for i in range(48)]
        return torch.linalg.solve(a, b) if after else torch.stack(one)
    return step


def samples_pair(after):
    """before: a small MLP is called for each of 64 samples
    remedy: one call for the batch, batched"""
    model, x = layers(3, 512).to(CUDA), torch.randn(64, 512, device=CUDA)
    return torch.no_grad()(lambda: model(x) if after else torch.stack([model(row) for row in x]))


def average_pair(after):
    """before: a moving average of 200 weights in a Python loop, two small operators each
    remedy: torch._foreach_lerp_, one call for the list"""
    weights = [torch.randn(256, 256, device=CUDA) for _ in range(200)]
    averages = [w.clone() for w in weights]
    model, x = layers(8, 2048).to(**HALF), torch.randn(1024, 2048, **HALF)

    @torch.no_grad()
    def step():
        model(x)
        if after:
            torch._foreach_lerp_(averages, weights, 0.01)
        else:
            for average, w in zip(averages, weights):
                average.mul_(0.99).add_(w, alpha=0.01)
    return step


def vector_pair(after):
    """before: one token through 12 fp32 layers of 8192: weights by a vector
    remedy: bf16 weights"""
    like = {"device": CUDA, "dtype": torch.bfloat16 if after else torch.float32}
    model = nn.Sequential(*(nn.Linear(8192, 8192, bias=False) for _ in range(12))).to(**like)
    x = torch.randn(1, 8192, **like)

    @torch.no_grad()
    def step():
        torch.set_float32_matmul_precision("high")
        return model(x)
    return step


def types_pair(after):
    """before: each layer casts its weights and activations from fp32 to bf16 and back
    remedy: bf16 throughout, no casts"""
    like = {"device": CUDA, "dtype": torch.bfloat16 if after else torch.float32}
    weights, x = [torch.randn(4096, 4096, **like) * 0.01 for _ in range(8)], torch.randn(2048, 4096, **like)

    @torch.no_grad()
    def step():
        h = x
        for w in weights:
            h = torch.relu((h.to(torch.bfloat16) @ w.to(torch.bfloat16)).to(x.dtype))
        return h
    return step


def uploads_pair(after):
    """before: 64 Python lists become device tensors one by one in each step
    remedy: one copy: one tensor of all lists, then .to(device)"""
    lists = [[float(i * k % 17) for k in range(64)] for i in range(64)]
    model = layers(2, 64).to(CUDA)

    @torch.no_grad()
    def step():
        one = [] if after else [torch.tensor(row, device=CUDA) for row in lists]
        return model(torch.tensor(lists).to(CUDA) if after else torch.stack(one))
    return step


def images_pair(after):
    """before: a batch of images from pageable memory in each step
    remedy: pinned memory and non_blocking=True"""
    host = torch.randn(96, 3, 256, 256)
    host = host.pin_memory() if after else host
    model = nn.Sequential(nn.Conv2d(3, 64, 7, 4), nn.ReLU(), nn.Conv2d(64, 128, 3, 2), nn.ReLU(),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10)).to(CUDA)
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-3, fused=True),
                   lambda m: m(host.to(CUDA, non_blocking=after)).square().mean())


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        a = np.random.default_rng(i).random((3, 160, 160), dtype=np.float32)
        return torch.from_numpy((a - a.mean()) / a.std())


def numpy_pair(after):
    """before: images are normalized by NumPy on the training thread, DataLoader(num_workers=0)
    remedy: DataLoader(num_workers=6)"""
    more = {"num_workers": 6, "persistent_workers": True, "prefetch_factor": 6} if after else {}
    loader = iter(torch.utils.data.DataLoader(Images(), batch_size=32, **more))
    model = nn.Sequential(nn.Conv2d(3, 64, 7, 2), nn.ReLU(), nn.Conv2d(64, 128, 3, 2), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(128, 10)).to(CUDA)
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-3, fused=True),
                   lambda m: m(next(loader).to(CUDA)).square().mean())


def weights_pair(after):
    """before: the weights of 8 layers come from pinned memory on the computing stream, layer by layer
    remedy: prefetch of the next layer's weights on another stream, copies overlap"""
    host = [torch.randn(4096, 4096, dtype=torch.bfloat16).pin_memory() for _ in range(8)]
    x, other = torch.randn(8192, 4096, **HALF), torch.cuda.Stream()

    def fetch(i):
        with torch.cuda.stream(other if after else torch.cuda.current_stream()):
            w = host[i].to(CUDA, non_blocking=True)
            return w, torch.cuda.current_stream().record_event()

    @torch.no_grad()
    def step():
        h, following = x, fetch(0)
        for i in range(8):
            w, ready = following
            torch.cuda.current_stream().wait_event(ready)
            w.record_stream(torch.cuda.current_stream())
            following = fetch(i + 1) if after and i < 7 else None
            h = torch.relu(h @ w)
            following = following or (fetch(i + 1) if i < 7 else None)
        return h
    return step


def buckets_pair(after):
    """before: dist.all_reduce of each of 80 gradients of a small model
    remedy: one flat tensor, a bucket"""
    model, x = layers(40, 512).to(**HALF), torch.randn(4096, 512, **HALF)

    def step():
        model(x).square().mean().backward()
        gradients = [p.grad for p in model.parameters()]
        for g in [torch.cat([g.flatten() for g in gradients])] if after else gradients:
            dist.all_reduce(g)
        model.zero_grad(set_to_none=True)
    return step


def join(rank, ranks, port):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "RANK": str(rank), "WORLD_SIZE": str(ranks),
                   "NCCL_NVLS_ENABLE": "0"}
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")


MORE = [residual_net_pair, convolutions_pair, double_pair, causal_pair, width_pair, mask_pair, experts_pair,
        solve_pair, samples_pair, average_pair, vector_pair, types_pair, uploads_pair, images_pair, numpy_pair,
        weights_pair]
OF_TWO_RANKS = [buckets_pair]
