# SPDX-License-Identifier: Apache-2.0
"""Programs whose remedy is good advice elsewhere and saves nothing here."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from blocks import Block, classifier
from shared import CUDA, HALF, layers, square, trained


def dropout_of_zero(after):
    """before: a network in training with 8 dropouts of probability 0
    remedy: nn.Identity in their place"""
    model = nn.Sequential(*(m for _ in range(8) for m in (nn.Linear(2048, 2048), nn.Identity() if after else nn.Dropout(0.0),
                                                      nn.GELU()))).to(**HALF)
    x = torch.randn(8192, 2048, **HALF)
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True), square(x))


def loss_read_once(after):
    """before: loss.item() at the end of each step that fills the device
    remedy: read every hundredth step"""
    model, x, n = layers(10, 4096).to(**HALF), torch.randn(8192, 4096, **HALF), {"step": 0, "loss": 0.0}
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        loss = square(x)(model)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        n["step"] += 1
        if not after or n["step"] % 100 == 0:
            n["loss"] = loss.item()
    return step


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


def rate_in_each_step(after):
    """before: a schedule sets the learning rate after each step of a network that fills the device
    remedy: every hundredth step"""
    net = classifier(128, 6).to(CUDA, memory_format=torch.channels_last)
    x = torch.randn(128, 3, 128, 128, device=CUDA).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, fused=True)
    schedule, n = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10000), {"step": 0}
    inner = trained(net, optimizer, square(x))

    def step():
        inner()
        n["step"] += 1
        if not after or n["step"] % 100 == 0:
            schedule.step()
    return step


def labels_pinned(after):
    """before: 512 labels a step are uploaded from pageable memory, to a network that fills the device
    remedy: pin_memory() and non_blocking=True"""
    net = classifier(128, 6).to(CUDA, memory_format=torch.channels_last)
    x = torch.randn(512, 3, 96, 96, device=CUDA).to(memory_format=torch.channels_last)
    y = torch.randint(10, (512,))
    y = y.pin_memory() if after else y
    return trained(net, torch.optim.SGD(net.parameters(), lr=1e-3, fused=True),
                   lambda m: F.cross_entropy(m(x), y.to(CUDA, non_blocking=after)))


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


PATTERNS = [dropout_of_zero, loss_read_once, large_micro_batches, optimizer_of_large_weights, compiled_products, rate_in_each_step,
            labels_pinned, workers_of_a_full_device]
