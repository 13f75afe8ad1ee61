# SPDX-License-Identifier: Apache-2.0
"""Patterns of input and copies."""
import numpy as np
import torch
import torch.nn as nn

from shared import CUDA, layers, trained


class Images(torch.utils.data.Dataset):
    def __init__(self, rounds=3, size=256):
        self.rounds, self.size = rounds, size

    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        x = torch.randn(self.size, self.size)
        for _ in range(self.rounds):
            x = torch.tanh(x @ x / 16)
        return x


def small_net():
    return nn.Sequential(nn.Conv2d(1, 64, 3), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(64, 1)).to(CUDA)


def few_workers(after):
    """before: a DataLoader of one worker, which takes longer for a batch than the step
    remedy: num_workers=8"""
    loader = iter(torch.utils.data.DataLoader(Images(), batch_size=16, num_workers=8 if after else 1, prefetch_factor=4))
    model = small_net()
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True),
                   lambda m: m(next(loader).unsqueeze(1).to(CUDA)).square().mean())


def new_workers(after):
    """before: epochs of eight batches, whose workers are started anew each time
    remedy: persistent_workers=True"""
    data = torch.utils.data.Subset(Images(1, 64), range(128))
    loader = torch.utils.data.DataLoader(data, batch_size=16, num_workers=4, persistent_workers=after)
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        for x in loader:
            model(x.unsqueeze(1).to(CUDA)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    return step


new_workers.turns, new_workers.timed = 3, 3


def normalised_on_the_host(after):
    """before: images are normalised with numpy before they are uploaded
    remedy: uint8 is uploaded and normalised on the device"""
    raw = np.random.randint(0, 255, (64, 3, 224, 224), dtype=np.uint8)
    net = nn.Sequential(nn.Conv2d(3, 64, 7, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()).to(CUDA)
    mean = np.full((1, 3, 1, 1), 120, np.float32)
    there = torch.from_numpy(mean).to(CUDA)

    def batch():
        if after:
            return (torch.from_numpy(raw).to(CUDA).float() - there) / 58
        return torch.from_numpy((raw.astype(np.float32) - mean) / 58).to(CUDA)
    return torch.no_grad()(lambda: net(batch()))


def made_on_the_host(after):
    """before: positions and masks are made on the CPU in each of 24 layers, then moved
    remedy: device=, made on the device"""
    x, where = torch.randn(16, 512, 512, device=CUDA), CUDA if after else torch.device("cpu")

    def layer(h):
        mask = torch.ones(512, 512, device=where).tril().to(CUDA)
        place = torch.arange(512, device=where).to(CUDA)
        return (h * mask) + place.view(1, 1, -1) * 1e-3

    @torch.no_grad()
    def step():
        h = x
        for _ in range(24):
            h = layer(h)
        return h
    return step


def dictionary_of_tensors(after):
    """before: a batch of 96 small pinned tensors is uploaded one by one
    remedy: they are put into one tensor, one copy"""
    batch = [torch.randn(64, 16).pin_memory() for _ in range(96)]
    whole, model = torch.stack(batch).pin_memory(), layers(2, 16).to(CUDA)

    def step():
        there = whole.to(CUDA, non_blocking=True) if after else [b.to(CUDA, non_blocking=True) for b in batch]
        return model(there if after else torch.stack(there))
    return torch.no_grad()(step)


def wide_on_the_wire(after):
    """before: images are uploaded as fp32
    remedy: uploaded as uint8, converted on the device"""
    raw = torch.randint(0, 255, (128, 3, 224, 224), dtype=torch.uint8).pin_memory()
    wide = raw.float().pin_memory()
    net = nn.Conv2d(3, 32, 7, 4).to(CUDA)
    return torch.no_grad()(lambda: net((raw if after else wide).to(CUDA, non_blocking=True).float()))


def there_and_back(after):
    """before: a tensor goes to the CPU, is clamped there, and comes back, in each of 8 layers
    remedy: clamped on the device"""
    model, x = layers(8, 1024).to(CUDA), torch.randn(1024, 1024, device=CUDA)

    @torch.no_grad()
    def step():
        h = x
        for layer in model:
            h = layer(h)
            h = h.clamp(-3, 3) if after else h.cpu().clamp(-3, 3).to(CUDA)
        return h
    return step


def lists_collated(after):
    """before: torch.tensor of Python lists, 64 rows of 4096 numbers
    remedy: torch.from_numpy of an array"""
    rows = [[float(i) for i in range(4096)] for _ in range(64)]
    array, model = np.array(rows, np.float32), layers(4, 4096).to(CUDA)
    return torch.no_grad()(lambda: model((torch.from_numpy(array) if after else torch.tensor(rows)).to(CUDA)))


PATTERNS = [few_workers, new_workers, normalised_on_the_host, made_on_the_host, dictionary_of_tensors, wide_on_the_wire,
            there_and_back, lists_collated]
