# SPDX-License-Identifier: Apache-2.0
"""Parts of models that several patterns use."""
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    """A transformer's block, the norms in front."""

    def __init__(self, width, heads, causal=True):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attended(self, x, mask=None):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        h = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=self.causal and mask is None)
        return self.out(h.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x, mask=None):
        x = x + self.attended(self.first(x), mask)
        return x + self.narrow(F.gelu(self.wide(self.second(x))))


class Residual(nn.Module):
    """Two convolutions and what they were given."""

    def __init__(self, channels):
        super().__init__()
        self.a, self.b = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.m, self.n = (nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x):
        return F.relu(x + self.n(self.b(F.relu(self.m(self.a(x))))))


def classifier(channels, blocks, classes=10):
    return nn.Sequential(nn.Conv2d(3, channels, 3, 2, 1), *(Residual(channels) for _ in range(blocks)),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))
