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
