# SPDX-License-Identifier: Apache-2.0
"""What the patterns share."""
import torch
import torch.nn as nn

CUDA = torch.device("cuda")
HALF = {"device": CUDA, "dtype": torch.bfloat16}


def layers(n, width):
    return nn.Sequential(*(m for _ in range(n) for m in (nn.Linear(width, width), nn.GELU())))


def square(x):
    return lambda model: model(x).float().square().mean()


def trained(model, optimizer, loss):
    def step():
        loss(model).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step
