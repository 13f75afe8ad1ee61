# SPDX-License-Identifier: Apache-2.0
"""Patterns of language models: attention, generation, weights."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from blocks import Block
from shared import CUDA, HALF, layers


def without_a_cache(after):
    """before: each of 8 new tokens runs the whole text of 1024 tokens through the model once more
    remedy: keys and values of the text are kept, each token runs alone"""
    blocks = nn.ModuleList(Block(768, 12) for _ in range(4)).to(**HALF)
    x = torch.randn(8, 1024, 768, **HALF)
    k, v = (torch.randn(4, 8, 12, 1032, 64, **HALF) for _ in range(2))

    def one(block, i, h, n):
        q, new_k, new_v = block.qkv(block.first(h)).view(8, 1, 3, 12, 64).permute(2, 0, 3, 1, 4)
        k[i, :, :, n], v[i, :, :, n] = new_k[:, :, 0], new_v[:, :, 0]
        a = F.scaled_dot_product_attention(q, k[i, :, :, :n + 1], v[i, :, :, :n + 1])
        h = h + block.out(a.transpose(1, 2).reshape(8, 1, 768))
        return h + block.narrow(F.gelu(block.wide(block.second(h))))

    @torch.no_grad()
    def step():
        text, last = x, x[:, -1:]
        for n in range(8):
            h = last if after else text
            for i, block in enumerate(blocks):
                h = one(block, i, h, 1024 + n) if after else block(h)
            last = h[:, -1:]
            text = text if after else torch.cat((text, last), 1)
        return last
    return step


def drawn_on_the_host(after):
    """before: the logits of each of 12 tokens are copied to the CPU, sorted and drawn there
    remedy: softmax and drawing on the device, by exponential noise"""
    model, head = layers(4, 1024).to(**HALF), torch.randn(1024, 32000, **HALF) / 32
    words = torch.randn(32000, 1024, **HALF)

    @torch.no_grad()
    def step():
        token = torch.zeros(16, dtype=torch.int64, device=CUDA)
        for _ in range(12):
            logits = (model(words[token]) @ head).float()
            if after:
                p = torch.softmax(logits, -1)
                token = (p / torch.empty_like(p).exponential_()).argmax(-1)
            else:
                token = torch.multinomial(torch.softmax(logits.cpu(), -1), 1).squeeze(1).to(CUDA)
        return token
    return step


def penalty_for_repeats(after):
    """before: the logits of words that were said are lowered one by one in a Python loop, 192 of them
    remedy: gather and scatter over all said words at once"""
    logits = torch.randn(4, 32000, device=CUDA)
    said = torch.randint(32000, (4, 48))
    here, there = said.tolist(), said.to(CUDA)

    @torch.no_grad()
    def step():
        out = logits.clone()
        if after:
            out.scatter_(1, there, out.gather(1, there) / 1.2)
        else:
            for row, words in enumerate(here):
                for w in words:
                    out[row, w] /= 1.2
        return out.argmax(-1)
    return step


def prompts_one_by_one(after):
    """before: 12 prompts of other lengths run through the model one by one
    remedy: one batch, padded to the longest"""
    blocks = nn.ModuleList(Block(512, 8) for _ in range(6)).to(**HALF)
    prompts = [torch.randn(1, 24 + 4 * i, 512, **HALF) for i in range(12)]
    whole = torch.cat([F.pad(p, (0, 0, 0, 68 - p.shape[1])) for p in prompts])

    @torch.no_grad()
    def step():
        def run(h):
            for block in blocks:
                h = block(h)
            return h
        return run(whole) if after else [run(p) for p in prompts]
    return step


def key_heads_written_out(after):
    """before: grouped keys and values are written out for all 32 heads by repeat_interleave in front of attention
    remedy: enable_gqa=True"""
    q = torch.randn(16, 32, 128, 128, **HALF)
    k, v = (torch.randn(16, 4, 4096, 128, **HALF) for _ in range(2))

    @torch.no_grad()
    def step():
        out = []
        for _ in range(4):
            if after:
                out.append(F.scaled_dot_product_attention(q, k, v, enable_gqa=True))
            else:
                out.append(F.scaled_dot_product_attention(q, k.repeat_interleave(8, 1), v.repeat_interleave(8, 1)))
        return out
    return step


def weights_of_attention(after):
    """before: nn.MultiheadAttention returns its weights, as it does by default, which nobody reads
    remedy: need_weights=False, fused attention"""
    rooms = nn.ModuleList(nn.MultiheadAttention(1024, 16, batch_first=True) for _ in range(4)).to(**HALF)
    x = torch.randn(8, 1024, 1024, **HALF)

    def step():
        h = x
        for m in rooms:
            h = h + m(h, h, h, need_weights=not after)[0]
        h.float().square().mean().backward()
        rooms.zero_grad(set_to_none=True)
    return step


def window_by_a_mask(after):
    """before: attention that sees 256 tokens back is made by a mask of 8192 x 8192, all scores are computed
    remedy: blocks of 256 tokens, each with the block before it"""
    n, block = 8192, 256
    q, k, v = (torch.randn(2, 16, n, 64, **HALF) for _ in range(3))
    i = torch.arange(n, device=CUDA)
    mask = (i[:, None] >= i[None]) & (i[:, None] - i[None] < block)
    here = torch.arange(block, device=CUDA)[:, None] + block - torch.arange(2 * block, device=CUDA)[None]
    small = (here >= 0) & (here < block)

    def pairs(t):
        t = t.unflatten(2, (n // block, block))
        return torch.cat((F.pad(t, (0, 0, 0, 0, 1, 0))[:, :, :-1], t), 3).transpose(1, 2).flatten(0, 1)

    @torch.no_grad()
    def step():
        if not after:
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        parts = q.unflatten(2, (n // block, block)).transpose(1, 2).flatten(0, 1)
        return F.scaled_dot_product_attention(parts, pairs(k), pairs(v), attn_mask=small)
    return step


def angles_in_each_layer(after):
    """before: each of 16 layers makes the sines and cosines of 65536 positions anew
    remedy: they are made once in front of the layers"""
    q = torch.randn(1, 2, 65536, 128, **HALF)
    rate = 1e-4 ** (torch.arange(0, 64, device=CUDA) / 64)

    def angles():
        a = torch.outer(torch.arange(65536, device=CUDA).float(), rate).double()
        return torch.cos(a).to(torch.bfloat16), torch.sin(a).to(torch.bfloat16)

    def turned(x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)

    @torch.no_grad()
    def step():
        h, kept = q, angles()
        for _ in range(16):
            h = turned(h, *(kept if after else angles()))
        return h
    return step


def three_projections(after):
    """before: queries, keys and values by three small matmuls of the same input in each of 24 layers
    remedy: one matmul with the three weights side by side"""
    x = torch.randn(256, 512, **HALF)
    three = [[torch.randn(512, 512, **HALF) / 23 for _ in range(3)] for _ in range(24)]
    one = [torch.cat(ws, 1) for ws in three]

    @torch.no_grad()
    def step():
        h = x
        for ws, w in zip(three, one):
            q, k, v = (h @ w).chunk(3, 1) if after else (h @ a for a in ws)
            h = q * torch.sigmoid(k) + v
        return h
    return step


def adapters_beside(after):
    """before: 24 layers with adapters of rank 8 beside their weights, two more small matmuls each
    remedy: the adapters are added to the weights once"""
    x = torch.randn(32, 1024, **HALF)
    ws = [torch.randn(1024, 1024, **HALF) / 32 for _ in range(24)]
    a, b = torch.randn(24, 1024, 8, **HALF) / 32, torch.randn(24, 8, 1024, **HALF) / 32
    merged = [w + a[i] @ b[i] for i, w in enumerate(ws)]

    @torch.no_grad()
    def step():
        h = x
        for i, w in enumerate(ws):
            h = torch.relu(h @ merged[i] if after else h @ w + (h @ a[i]) @ b[i] * 1.0)
        return h
    return step


def head_turned_each_token(after):
    """before: the tied weights of the head are transposed and made contiguous for each of 16 tokens
    remedy: no contiguous(), the matmul reads the transposed weights"""
    words, model = torch.randn(32000, 2048, **HALF), layers(2, 2048).to(**HALF)

    @torch.no_grad()
    def step():
        token = torch.zeros(8, dtype=torch.int64, device=CUDA)
        for _ in range(16):
            h = model(words[token])
            token = (h @ (words.t() if after else words.t().contiguous())).argmax(-1)
        return token
    return step


def widened_each_pass(after):
    """before: weights kept in eight bits are widened to bf16 and scaled again in each of 16 layers in each pass
    remedy: they are widened once"""
    x = torch.randn(64, 2048, **HALF)
    narrow = [torch.randint(-127, 127, (2048, 2048), dtype=torch.int8, device=CUDA) for _ in range(16)]
    scale = torch.full((2048,), 1e-3, **HALF)
    wide = [w.to(torch.bfloat16) * scale for w in narrow]

    @torch.no_grad()
    def step():
        h = x
        for n, w in zip(narrow, wide):
            h = torch.relu(h @ (w if after else n.to(torch.bfloat16) * scale))
        return h
    return step


def attention_in_full_width(after):
    """before: queries, keys and values are converted to fp32 in front of scaled_dot_product_attention, out of caution
    remedy: attention in bf16"""
    q, k, v = (torch.randn(4, 16, 2048, 64, **HALF) for _ in range(3))

    @torch.no_grad()
    def step():
        if after:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True).to(torch.bfloat16)
    return step


def all_logits_of_a_prompt(after):
    """before: the head computes logits for all 4096 tokens of a prompt, of which the last is used
    remedy: the last token is taken in front of the head"""
    block, head = Block(1024, 16).to(**HALF), nn.Linear(1024, 64000, bias=False).to(**HALF)
    x = torch.randn(4, 4096, 1024, **HALF)

    @torch.no_grad()
    def step():
        h = block(x)
        return head(h[:, -1]) if after else head(h)[:, -1]
    return step


def encoded_for_each_answer(after):
    """before: the picture is encoded once more for each of 4 questions about it
    remedy: encoded once, kept for all questions"""
    encoder = nn.ModuleList(Block(1024, 16, causal=False) for _ in range(4)).to(**HALF)
    picture, questions = torch.randn(4, 1024, 1024, **HALF), torch.randn(4, 4, 16, 1024, **HALF)

    @torch.no_grad()
    def step():
        def encode():
            h = picture
            for block in encoder:
                h = block(h)
            return h
        kept, out = encode() if after else None, []
        for q in questions:
            h = kept if after else encode()
            out.append(F.scaled_dot_product_attention(q, h, h))
        return out
    return step


PATTERNS = [without_a_cache, drawn_on_the_host, penalty_for_repeats, prompts_one_by_one, key_heads_written_out,
            weights_of_attention, window_by_a_mask, angles_in_each_layer, three_projections, adapters_beside,
            head_turned_each_token, widened_each_pass, attention_in_full_width, all_logits_of_a_prompt, encoded_for_each_answer]
