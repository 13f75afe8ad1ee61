# SPDX-License-Identifier: Apache-2.0
"""Programs whose remedy is good advice elsewhere and was meant to save nothing here: traps.

One saves 9 % all the same (an H100, where four workers are not always ahead): workers_of_a_full_device, whose row of
remedies.tsv was changed for it when it had been timed, before any report of it was read.
"""
import torch
import torch.nn as nn

from blocks import Block
from shared import CUDA, HALF, layers, square, trained


def large_micro_batches(after):
    """before: gradients of 4 micro-batches are accumulated, each of which fills the device
    remedy: one batch of all rows"""
    model, x = layers(6, 4096).to(**HALF), torch.randn(32768, 4096, **HALF)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        for part in [x] if after else x.chunk(4):
            (model(part).float().square().mean() * len(part) / 32768).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def optimizer_of_large_weights(after):
    """before: SGD(foreach=True) over a few large weights
    remedy: SGD(fused=True)"""
    model, x = layers(4, 4096).to(**HALF), torch.randn(8192, 4096, **HALF)
    how = {"fused": True} if after else {"foreach": True}
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, **how), square(x))


def compiled_products(after):
    """before: large matmuls in a row in eager mode, nothing between them
    remedy: torch.compile"""
    ws = [torch.randn(8192, 8192, **HALF) / 90 for _ in range(4)]
    x = torch.randn(8192, 8192, **HALF)

    def chain(h):
        for w in ws:
            h = h @ w
        return h
    run = torch.compile(chain) if after else chain
    return torch.no_grad()(lambda: run(x))


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        return torch.full((512, 1024), i % 7 / 7)


def workers_of_a_full_device(after):
    """before: a DataLoader of four workers that is always ahead of a network that fills the device
    remedy: num_workers=8"""
    loader = iter(torch.utils.data.DataLoader(Rows(), batch_size=8, num_workers=8 if after else 4, pin_memory=True))
    blocks = nn.Sequential(*(Block(1024, 16) for _ in range(12))).to(**HALF)
    return trained(blocks, torch.optim.SGD(blocks.parameters(), lr=1e-4, fused=True),
                   lambda m: m(next(loader).to(CUDA, torch.bfloat16, non_blocking=True)).float().square().mean())


PATTERNS = [large_micro_batches, optimizer_of_large_weights, compiled_products, workers_of_a_full_device]
