# SPDX-License-Identifier: Apache-2.0
"""What programs.py loads by a DataLoader; a module of its own, since workers that are spawned import it."""
import time

import torch


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, i):
        return self.decode(i), i % 10

    def decode(self, i):
        time.sleep(0.001)
        return torch.full((64,), float(i)).sort()[0]


def train_loaded(net, device, epochs, **options):
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, **options)
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(x.to(device)), y.to(device)).backward()
            optimizer.step()


class Pictures(torch.utils.data.Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.decode(i), i % 10

    def decode(self, i):
        time.sleep(0.002)
        return torch.full((3, 48, 48), float(i % 7)).sort()[0]


def train_pictures(device, batches):
    """Says what its loop waited and what a worker took, as it measures it itself."""
    net = torch.nn.Sequential(*(layer for a, b in ((3, 32), (32, 64), (64, 64)) for layer in (
        torch.nn.Conv2d(a, b, 3, padding=1), torch.nn.BatchNorm2d(b), torch.nn.ReLU())),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(64, 10)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    loader = torch.utils.data.DataLoader(Pictures(8 * batches), batch_size=8, num_workers=4)
    waits, before = [], time.perf_counter()
    for x, y in loader:
        waits.append(time.perf_counter() - before)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        loss.item()
        before = time.perf_counter()
    print("WAITED %.3f ms" % (1e3 * sum(waits[1:]) / (len(waits) - 1)))
    print("EXPECT", '{"aten::cross_entropy_loss": %d}' % batches)
