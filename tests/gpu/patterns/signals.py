# SPDX-License-Identifier: Apache-2.0
"""Patterns of images, sounds, diffusion and numerics."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from blocks import Block, classifier
from shared import CUDA, HALF, layers


def guidance_in_two_passes(after):
    """before: guided sampling runs a small network twice for each of 6 steps, with and without the text
    remedy: both in one batch"""
    blocks = nn.ModuleList(Block(384, 6, causal=False) for _ in range(6)).to(**HALF)
    x, text, none = (torch.randn(2, 64, 384, **HALF) for _ in range(3))

    def run(h):
        for block in blocks:
            h = block(h)
        return h

    @torch.no_grad()
    def step():
        h = x
        for _ in range(6):
            if after:
                a, b = run(torch.cat((h + text, h + none))).chunk(2)
            else:
                a, b = run(h + text), run(h + none)
            h = h - 0.1 * (b + 3 * (a - b))
        return h
    return step


def schedule_on_the_host(after):
    """before: the numbers of the noise schedule lie on the CPU, and three of them are uploaded in each of 20 steps
    remedy: the schedule is moved to the device once"""
    alphas = torch.linspace(0.99, 0.01, 20).cumprod(0)
    if after:
        alphas = alphas.to(CUDA)
    net = nn.Sequential(nn.Conv2d(4, 64, 3, padding=1), nn.SiLU(), nn.Conv2d(64, 4, 3, padding=1)).to(**HALF)
    x = torch.randn(4, 4, 64, 64, **HALF)

    @torch.no_grad()
    def step():
        h = x
        for t in range(1, 20):
            noise = net(h)
            a, b, s = (v.to(CUDA, torch.bfloat16) for v in (alphas[t], alphas[t - 1], (1 - alphas[t]).sqrt()))
            h = b.sqrt() * (h - s * noise) / a.sqrt() + (1 - b).sqrt() * noise
        return h
    return step


def frames_one_by_one(after):
    """before: the 32 frames of a film run through the network one by one
    remedy: all frames in one batch"""
    net = classifier(64, 3).to(CUDA, memory_format=torch.channels_last).eval()
    x = torch.randn(32, 3, 96, 96, device=CUDA).to(memory_format=torch.channels_last)
    return torch.no_grad()(lambda: net(x) if after else torch.cat([net(f[None]) for f in x]))


def resized_on_the_host(after):
    """before: 32 images are resized by F.interpolate on the CPU in the step
    remedy: uploaded as bytes, resized on the device"""
    raw = torch.randint(0, 255, (32, 3, 320, 320), dtype=torch.uint8).pin_memory()
    net = classifier(64, 2).to(CUDA, memory_format=torch.channels_last).eval()

    @torch.no_grad()
    def step():
        x = raw.to(CUDA, non_blocking=True) if after else raw
        x = F.interpolate(x.float(), (224, 224), mode="bilinear", antialias=True) / 255
        return net(x.to(CUDA))
    return step


def boxes_one_by_one(after):
    """before: boxes that overlap are dropped in a Python loop, which reads a number from the device for each of 64
    remedy: torchvision.ops.nms"""
    corner = torch.rand(64, 2, device=CUDA) * 400
    boxes = torch.cat((corner, corner + 20 + torch.rand(64, 2, device=CUDA) * 60), 1)
    scores, features = torch.rand(64, device=CUDA), torch.randn(64, 256, device=CUDA)

    def areas(b):
        return (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])

    def dropped_one_by_one():
        order, kept = torch.argsort(scores, descending=True), []
        while len(order):
            i, rest = order[0], order[1:]
            kept.append(i.item())
            low, high = torch.maximum(boxes[i, :2], boxes[rest, :2]), torch.minimum(boxes[i, 2:], boxes[rest, 2:])
            both = (high - low).clamp(min=0).prod(1)
            order = rest[both / (areas(boxes[rest]) + areas(boxes[i:i + 1])[0] - both) < 0.5]
        return torch.tensor(kept, device=CUDA)

    @torch.no_grad()
    def step():
        if after:
            from torchvision.ops import nms
            return features[nms(boxes, scores, 0.5)]
        return features[dropped_one_by_one()]
    return step


def permuted_around_norms(after):
    """before: channels are moved to the end for a layer norm and a linear layer and back, contiguous, in each of 6 blocks
    remedy: channels stay at the end through all blocks"""
    norms = nn.ModuleList(nn.LayerNorm(128) for _ in range(6)).to(**HALF)
    lines = nn.ModuleList(nn.Linear(128, 128) for _ in range(6)).to(**HALF)
    x = torch.randn(64, 128, 64, 64, **HALF)

    @torch.no_grad()
    def step():
        h = x.permute(0, 2, 3, 1).contiguous() if after else x
        for norm, line in zip(norms, lines):
            if after:
                h = h + line(norm(h))
            else:
                h = h + line(norm(h.permute(0, 2, 3, 1).contiguous())).permute(0, 3, 1, 2).contiguous()
        return h
    return step


def norms_apart(after):
    """before: inference with batch norms behind their convolutions, 16 of them
    remedy: torch.nn.utils.fusion.fuse_conv_bn_eval, folded into the convolutions"""
    pairs = [(nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64)) for _ in range(16)]
    if after:
        parts = [torch.nn.utils.fusion.fuse_conv_bn_eval(c.eval(), b.eval()) for c, b in pairs]
    else:
        parts = [m for pair in pairs for m in pair]
    net = nn.Sequential(*parts).to(**HALF).to(memory_format=torch.channels_last).eval()
    x = torch.randn(64, 64, 56, 56, **HALF).to(memory_format=torch.channels_last)
    return torch.no_grad()(lambda: net(x))


def enlarged_first(after):
    """before: features are enlarged four times in each direction, and then a 1 x 1 convolution narrows them
    remedy: the convolution in front of the enlargement"""
    x, line = torch.randn(16, 256, 64, 64, **HALF), nn.Conv2d(256, 21, 1).to(**HALF)

    @torch.no_grad()
    def step():
        if after:
            return F.interpolate(line(x), scale_factor=4, mode="bilinear")
        return line(F.interpolate(x, scale_factor=4, mode="bilinear"))
    return step


def spectra_one_by_one(after):
    """before: spectra of 48 sounds one by one, torch.stft of each
    remedy: one call for all sounds"""
    x, window = torch.randn(48, 16000, device=CUDA), torch.hann_window(512, device=CUDA)

    def spectrum(a):
        return torch.stft(a, 512, 128, window=window, return_complex=True).abs().square().clamp(min=1e-9).log()
    return torch.no_grad()(lambda: spectrum(x) if after else torch.stack([spectrum(a) for a in x]))


def bands_each_step(after):
    """before: the filters of a mel scale are made by NumPy loops in each step and uploaded
    remedy: they are made once"""
    x = torch.rand(64, 201, 400, device=CUDA)
    net = layers(2, 400).to(CUDA)

    def bands():
        edges = 700 * (10 ** (np.linspace(0, 2840, 82) / 2595) - 1)
        out = np.zeros((80, 201), np.float32)
        for m in range(80):
            for f in range(201):
                hz = f * 40.0
                rising = (hz - edges[m]) / (edges[m + 1] - edges[m])
                falling = (edges[m + 2] - hz) / (edges[m + 2] - edges[m + 1])
                out[m, f] = max(0.0, min(rising, falling))
        return torch.from_numpy(out)
    kept = bands().to(CUDA)

    @torch.no_grad()
    def step():
        return net(((kept if after else bands().to(CUDA)) @ x).clamp(min=1e-6).log())
    return step


def long_filter(after):
    """before: a room's echo of 8192 samples is put on sounds by conv1d
    remedy: a product of Fourier transforms"""
    x, echo = torch.randn(16, 1, 1 << 16, device=CUDA), torch.randn(1, 1, 8192, device=CUDA) / 90

    @torch.no_grad()
    def step():
        if after:
            n = (1 << 16) + 8192
            return torch.fft.irfft(torch.fft.rfft(x, n) * torch.fft.rfft(echo, n), n)
        return F.conv1d(x, echo, padding=8191)
    return step


def prime_length(after):
    """before: Fourier transforms of 1048573 points, a prime
    remedy: padded with zeros to 1048576 points"""
    x = torch.randn(32, 1048573, device=CUDA)
    size = 1048576 if after else 1048573
    return torch.no_grad()(lambda: torch.fft.rfft(x, size).abs())


def transform_of_both_halves(after):
    """before: torch.fft.fft2 of real images and their whole spectrum filtered, though half of it mirrors the other
    remedy: rfft2 and irfft2"""
    x, keep = torch.randn(64, 1024, 1024, device=CUDA), torch.rand(1024, 1024, device=CUDA)

    @torch.no_grad()
    def step():
        if after:
            return torch.fft.irfft2(torch.fft.rfft2(x) * keep[:, :513], s=(1024, 1024))
        return torch.fft.ifft2(torch.fft.fft2(x) * keep).real
    return step


def inverse_for_one_side(after):
    """before: a Gaussian process inverts its matrix of 3072 points to multiply one column by it
    remedy: torch.linalg.cholesky and cholesky_solve"""
    x, y = torch.randn(3072, 8, device=CUDA), torch.randn(3072, 1, device=CUDA)

    @torch.no_grad()
    def step():
        cov = torch.exp(-0.5 * torch.cdist(x, x).square()) + torch.eye(3072, device=CUDA)
        if after:
            return torch.cholesky_solve(y, torch.linalg.cholesky(cov))
        return torch.linalg.inv(cov) @ y
    return step


def bilinear_layer(after):
    """before: nn.Bilinear, which goes through its outputs one by one
    remedy: one matmul with all its weights, then one torch.bmm"""
    a, b = torch.randn(512, 256, device=CUDA), torch.randn(512, 256, device=CUDA)
    m = nn.Bilinear(256, 256, 96).to(CUDA)

    @torch.no_grad()
    def step():
        if not after:
            return m(a, b)
        wide = (a @ m.weight.permute(1, 0, 2).reshape(256, -1)).view(512, 96, 256)
        return torch.bmm(wide, b[:, :, None])[:, :, 0] + m.bias
    return step


def times_by_math(after):
    """before: sines of the times of 64 samples are made by the math module in Python loops and uploaded
    remedy: made on the device by one outer product"""
    net, times = layers(3, 256).to(CUDA), torch.randint(1000, (64,))
    there, rate = times.to(CUDA).float(), torch.exp(-math.log(10000) * torch.arange(128, device=CUDA) / 128)

    def embedded():
        if after:
            a = torch.outer(there, rate)
            return torch.cat((a.sin(), a.cos()), 1)
        rows = []
        for t in times.tolist():
            angles = [t * math.exp(-math.log(10000) * i / 128) for i in range(128)]
            rows.append([math.sin(a) for a in angles] + [math.cos(a) for a in angles])
        return torch.tensor(rows, device=CUDA)
    return torch.no_grad()(lambda: net(embedded()))


def similar_by_broadcasting(after):
    """before: F.cosine_similarity of 1024 with 1024 vectors by broadcasting
    remedy: normalised, then one matmul"""
    x, y = torch.randn(1024, 256, device=CUDA), torch.randn(1024, 256, device=CUDA)

    def step():
        if after:
            return F.normalize(x, dim=1) @ F.normalize(y, dim=1).T
        return F.cosine_similarity(x[:, None], y[None], dim=2)
    return torch.no_grad()(step)


def overlap_of_masks(after):
    """before: a loss of 3D masks written out of fifteen pointwise operators, each on 64 million numbers
    remedy: torch.compile, a few fused kernels"""
    x = torch.randn(4, 1, 256, 256, 256, device=CUDA, requires_grad=True)
    y = (torch.rand(4, 1, 256, 256, 256, device=CUDA) < 0.2).float()

    def loss(x, y):
        p = torch.sigmoid(x).clamp(1e-6, 1 - 1e-6)
        right = p * y + (1 - p) * (1 - y)
        focal = (-0.25 * (1 - right) ** 2 * torch.log(right)).mean()
        return focal + 1 - 2 * (p * y).sum() / (p.sum() + y.sum() + 1)
    run = torch.compile(loss) if after else loss

    def step():
        run(x, y).backward()
        x.grad = None
    return step


PATTERNS = [guidance_in_two_passes, schedule_on_the_host, frames_one_by_one, resized_on_the_host, boxes_one_by_one,
            permuted_around_norms, norms_apart, enlarged_first, spectra_one_by_one, bands_each_step, long_filter, prime_length,
            transform_of_both_halves, inverse_for_one_side, bilinear_layer, times_by_math, similar_by_broadcasting,
            overlap_of_masks]
