# SPDX-License-Identifier: Apache-2.0
"""What the programs of programs.py have in common: a device, a size, products and training."""
import json
import os
import sys

import torch

DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"
SIZE = 1024 if DEVICE == "cuda" else 96
LONG = float(os.environ.get("SECONDS", 0.3))  # of what goes on for a time

torch.manual_seed(0)


def expect(**more):
    print("EXPECT", json.dumps({"aten::" + k: v for k, v in more.items() if v}), flush=True)


def products(n, x=None):
    x = torch.randn(SIZE, SIZE, device=DEVICE) if x is None else x
    for _ in range(n):
        y = torch.mm(x, x)
        y = torch.add(y, x)
    if x.is_cuda:
        print("EXPECT", json.dumps({"kernel": 2 * n}), flush=True)
    return y


def model():
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).to(DEVICE)


def train(n, kind=torch.optim.SGD, net=None, x=None, y=None):
    net = net or model()
    optimizer = kind(net.parameters(), lr=1e-3)
    x = torch.randn(32, 64, device=DEVICE) if x is None else x
    y = torch.randint(10, (32,), device=DEVICE) if y is None else y
    for _ in range(n):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()
