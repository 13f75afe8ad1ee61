# SPDX-License-Identifier: Apache-2.0
"""Patterns of the host: waiting for the device."""
import io

import torch
import torch.nn.functional as F

from shared import CUDA, HALF, layers, square, trained


def numpy_of_outputs(after):
    """before: .cpu().numpy() of each step's 16 outputs
    remedy: non_blocking copies into pinned memory, read a step later"""
    model, x = layers(16, 1024).to(**HALF), torch.randn(2048, 1024, **HALF)
    held = [torch.empty(2048, 1024, dtype=torch.bfloat16).pin_memory() for _ in range(16)]

    @torch.no_grad()
    def step():
        h, out = x, []
        for i in range(16):
            h = model[2 * i + 1](model[2 * i](h))
            out.append(held[i].copy_(h, non_blocking=True) if after else h.cpu())
        return out
    return step


def boolean_mask(after):
    """before: 24 losses over x[mask]; the host waits for each mask's size
    remedy: torch.where and sums, static sizes"""
    x, masks = torch.randn(512, 1024, device=CUDA), torch.rand(24, 512, 1024, device=CUDA) > 0.5

    def of(m):
        return torch.where(m, x, 0).sum() / m.sum() if after else x[m].mean()
    return torch.no_grad()(lambda: sum(of(m) for m in masks))


def repeat_interleave(after):
    """before: repeat_interleave by a tensor of counts, 24 times, without output_size
    remedy: output_size="""
    x, counts = torch.randn(512, 256, device=CUDA), torch.randint(1, 4, (512,), device=CUDA)
    more = {"output_size": int(counts.sum())} if after else {}
    return torch.no_grad()(lambda: [torch.relu(x.repeat_interleave(counts, 0, **more)) for _ in range(24)])


def one_hot_classes(after):
    """before: F.one_hot without num_classes, 24 times; it looks for the largest label
    remedy: num_classes="""
    y, w = torch.randint(100, (8192,), device=CUDA), torch.randn(100, 128, device=CUDA)
    more = {"num_classes": 100} if after else {}

    def one():
        hot = F.one_hot(y, **more).float()
        return hot @ w[:hot.shape[1]]
    return torch.no_grad()(lambda: [one() for _ in range(24)])


def histogram(after):
    """before: torch.bincount, 24 times: it asks for the largest value and copies
    remedy: scatter_add_ into a tensor of a known size"""
    y, ones = torch.randint(1000, (65536,), device=CUDA), torch.ones(65536, dtype=torch.int64, device=CUDA)

    def one():
        return torch.zeros(1000, dtype=torch.int64, device=CUDA).scatter_add_(0, y, ones) if after else torch.bincount(y)
    return torch.no_grad()(lambda: [one() for _ in range(24)])


def scaler(after):
    """before: fp16 with GradScaler, which reads whether a gradient is infinite in each step
    remedy: bf16, no GradScaler"""
    model, x = layers(12, 512).to(CUDA), torch.randn(512, 512, device=CUDA)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    scale = torch.amp.GradScaler("cuda", enabled=not after)

    def step():
        with torch.autocast("cuda", torch.bfloat16 if after else torch.float16):
            loss = model(x).float().square().mean()
        scale.scale(loss).backward()
        scale.step(optimizer)
        scale.update()
        optimizer.zero_grad(set_to_none=True)
    return step


def finite_check(after):
    """before: if not torch.isfinite(h).all() after each of 24 layers
    remedy: one check at the end of every hundredth step"""
    model, x, n = layers(24, 1024).to(**HALF), torch.randn(512, 1024, **HALF), {"step": 0}

    @torch.no_grad()
    def step():
        h, n["step"] = x, n["step"] + 1
        for layer in model:
            h = layer(h)
            if not after and not torch.isfinite(h).all():
                raise ValueError("not finite")
        if after and n["step"] % 100 == 0 and not torch.isfinite(h).all():
            raise ValueError("not finite")
        return h
    return step


def stop_token(after):
    """before: decoding of 32 tokens asks after each whether it was the last
    remedy: ask once after 32 tokens"""
    model, head = layers(6, 512).to(**HALF), torch.randn(512, 1000, **HALF)
    words = torch.randn(1000, 512, **HALF)

    @torch.no_grad()
    def step():
        token, done = torch.zeros(8, dtype=torch.int64, device=CUDA), torch.zeros(8, dtype=torch.bool, device=CUDA)
        for _ in range(32):
            token = (model(words[token]) @ head).argmax(-1)
            done |= token == 1000
            if not after and bool(done.all()):
                break
        return bool(done.all())
    return step


def slice_by_device_number(after):
    """before: 24 slices x[:n], where n is a number on the device
    remedy: the lengths are kept on the host, too"""
    x, sizes = torch.randn(4096, 512, device=CUDA), list(range(1024, 4096, 128))
    there = torch.tensor(sizes, device=CUDA)
    return torch.no_grad()(lambda: [x[:n].sum() for n in (sizes if after else there)])


def sampling(after):
    """before: torch.multinomial for each of 24 tokens
    remedy: argmax of the logits divided by exponential noise, no host in it"""
    p = torch.softmax(torch.randn(64, 32000, device=CUDA), -1)

    def one():
        return (p / torch.empty_like(p).exponential_()).argmax(-1) if after else torch.multinomial(p, 1)
    return torch.no_grad()(lambda: [one() for _ in range(24)])


def saving_each_step(after):
    """before: torch.save of all weights in each step
    remedy: every hundredth step"""
    model, x, n = layers(8, 1024).to(CUDA), torch.randn(1024, 1024, device=CUDA), {"step": 0}
    inner = trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True), square(x))

    def step():
        inner()
        n["step"] += 1
        if not after or n["step"] % 100 == 0:
            torch.save(model.state_dict(), io.BytesIO())
    return step


PATTERNS = [numpy_of_outputs, boolean_mask, repeat_interleave, one_hot_classes, histogram, scaler, finite_check, stop_token,
            slice_by_device_number, sampling, saving_each_step]
