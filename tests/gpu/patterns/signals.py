# SPDX-License-Identifier: Apache-2.0
"""Patterns of images, sounds, diffusion and numerics."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from blocks import Block
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


PATTERNS = [guidance_in_two_passes, enlarged_first, bands_each_step, long_filter, prime_length, transform_of_both_halves,
            bilinear_layer, times_by_math]
