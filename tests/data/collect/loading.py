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
