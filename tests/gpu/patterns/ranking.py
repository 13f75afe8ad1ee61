# SPDX-License-Identifier: Apache-2.0
"""Patterns of two GPUs."""
import contextlib

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from blocks import classifier
from shared import layers


def own():
    return torch.device("cuda", torch.cuda.current_device())


def reduced_in_each_pass(after):
    """before: DistributedDataParallel accumulates four passes and reduces the gradients after each
    remedy: no_sync() but for the last pass"""
    model = DistributedDataParallel(layers(12, 4096).to(own(), torch.bfloat16), gradient_as_bucket_view=True)
    x = torch.randn(4, 512, 4096, device=own(), dtype=torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        for i, part in enumerate(x):
            with model.no_sync() if after and i < 3 else contextlib.nullcontext():
                model(part).float().square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def statistics_sent(after):
    """before: DistributedDataParallel sends the statistics of 40 batch norms before each pass of a small network
    remedy: broadcast_buffers=False"""
    net = DistributedDataParallel(classifier(32, 20).to(own()), broadcast_buffers=not after, gradient_as_bucket_view=True)
    x = torch.randn(8, 3, 64, 64, device=own())
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4, fused=True)

    def step():
        net(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def numbers_reduced_one_by_one(after):
    """before: 24 numbers for a table are reduced over the ranks one by one after each step
    remedy: put into one tensor, one all_reduce"""
    model, x = layers(4, 1024).to(own(), torch.bfloat16), torch.randn(1024, 1024, device=own(), dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        out = model(x).float()
        numbers = [out[:, k].mean() for k in range(24)]
        if after:
            whole = torch.stack(numbers)
            dist.all_reduce(whole)
            return whole
        for number in numbers:
            dist.all_reduce(number)
        return numbers
    return step


def small_buckets(after):
    """before: DistributedDataParallel(bucket_cap_mb=0.25) of a network of many small layers
    remedy: buckets of 25 MB"""
    more = {"bucket_cap_mb": 25 if after else 0.25}
    model = DistributedDataParallel(layers(48, 512).to(own(), torch.bfloat16), gradient_as_bucket_view=True, **more)
    x = torch.randn(2048, 512, device=own(), dtype=torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        model(x).float().square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def objects_gathered(after):
    """before: results of an evaluation go to the other rank as pickled objects, all_gather_object
    remedy: all_gather_into_tensor"""
    model, x = layers(4, 1024).to(own(), torch.bfloat16), torch.randn(4096, 1024, device=own(), dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        out = model(x).float()[:, :64].contiguous()
        if after:
            whole = torch.empty(8192, 64, device=own())
            dist.all_gather_into_tensor(whole, out)
            return whole
        found = [None, None]
        dist.all_gather_object(found, out.cpu())
        return torch.cat(found)
    return step


PATTERNS = [reduced_in_each_pass, statistics_sent, numbers_reduced_one_by_one, small_buckets, objects_gathered]
for make in PATTERNS:
    make.ranks = 2
