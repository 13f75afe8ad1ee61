# SPDX-License-Identifier: Apache-2.0
"""Patterns of the device: products, attention, convolutions, memory, work that need not be done, settings."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from shared import CUDA, HALF, layers, square, trained


# ---- products, convolutions, attention ----

def heads(batch, length, n=16, size=64):
    return [torch.randn(batch, n, length, size, **HALF) for _ in range(3)]


def math_attention(after):
    """before: scaled_dot_product_attention by its math back-end
    remedy: a fused back-end, flash or cuDNN"""
    q, k, v = heads(8, 2048)

    @torch.no_grad()
    def step():
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION] if after else [SDPBackend.MATH]):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return step


def slower_fused(after):
    """before: flash attention of PyTorch's own, forward and backward, on Hopper
    remedy: cuDNN's back-end, sdpa_kernel(CUDNN_ATTENTION)"""
    q, k, v = (t.requires_grad_() for t in heads(8, 2048, size=128))

    def step():
        with sdpa_kernel([SDPBackend.CUDNN_ATTENTION] if after else [SDPBackend.FLASH_ATTENTION]):
            F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()
        q.grad = k.grad = v.grad = None
    return step


def mask_in_each_layer(after):
    """before: each of 12 layers makes the causal mask anew, ones, tril and where on 4096 x 4096
    remedy: the mask is made once"""
    q, k, v = heads(1, 2048, 8)

    def mask():
        seen = torch.ones(2048, 2048, dtype=torch.bool, device=CUDA).tril()
        return torch.where(seen, 0.0, float("-inf")).to(torch.bfloat16)

    @torch.no_grad()
    def step():
        m, h = mask(), q
        for _ in range(12):
            h = F.scaled_dot_product_attention(h, k, v, attn_mask=m if after else mask())
        return h
    return step


def full_bias(after):
    """before: torch.addmm with a whole matrix that repeats one row as its bias
    remedy: a bias of one dimension"""
    x, w, b = torch.randn(8192, 1024, **HALF), torch.randn(1024, 4096, **HALF), torch.randn(4096, **HALF)
    whole = b.expand(8192, 4096).contiguous()
    return torch.no_grad()(lambda: torch.addmm(b if after else whole, x, w))


def few_tiles(after):
    """before: 24 products of 128 x 128 over 65536, one after the other: a few tiles on a large device
    remedy: all in one torch.bmm"""
    a, b = torch.randn(24, 128, 16384, **HALF), torch.randn(24, 16384, 128, **HALF)
    return torch.no_grad()((lambda: torch.bmm(a, b)) if after else (lambda: [a[i] @ b[i] for i in range(24)]))


def shared_operand(after):
    """before: torch.bmm of 1024 single rows with one matrix that was expanded
    remedy: one product, the rows as a matrix"""
    x, w = torch.randn(1024, 1, 2048, **HALF), torch.randn(2048, 2048, **HALF)
    return torch.no_grad()((lambda: x.view(1024, 2048) @ w) if after else (lambda: torch.bmm(x, w.expand(1024, -1, -1))))


def bias_before_norm(after):
    """before: convolutions with a bias in front of batch norms, which take it away again
    remedy: bias=False"""
    net = nn.Sequential(*(m for _ in range(8) for m in (nn.Conv2d(128, 128, 3, padding=1, bias=not after), nn.BatchNorm2d(128),
                                                      nn.ReLU()))).to(CUDA, memory_format=torch.channels_last)
    x = torch.randn(32, 128, 64, 64, device=CUDA).to(memory_format=torch.channels_last)

    def loss(m):
        with torch.autocast("cuda", torch.bfloat16):
            return m(x).float().square().mean()
    return trained(net, torch.optim.SGD(net.parameters(), lr=1e-4, fused=True), loss)


def depthwise(after):
    """before: depthwise convolutions in bf16 with channels first
    remedy: channels_last"""
    net = nn.Sequential(*(m for _ in range(6) for m in (nn.Conv2d(256, 256, 7, padding=3, groups=256), nn.Conv2d(256, 256, 1),
                                                      nn.GELU()))).to(**HALF)
    x = torch.randn(32, 256, 56, 56, **HALF)
    if after:
        net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    return torch.no_grad()(lambda: net(x))


def cells(after):
    """before: an LSTMCell in a loop over 128 tokens
    remedy: nn.LSTM, cuDNN's"""
    x = torch.randn(128, 64, 512, device=CUDA)
    cell, whole = nn.LSTMCell(512, 512).to(CUDA), nn.LSTM(512, 512).to(CUDA)

    @torch.no_grad()
    def step():
        if after:
            return whole(x)[0]
        state = (torch.zeros(64, 512, device=CUDA), torch.zeros(64, 512, device=CUDA))
        for t in range(128):
            state = cell(x[t], state)
        return state
    return step


def weights_cast_again(after):
    """before: autocast with its cache off casts fp32 weights to bf16 in each of four passes
    remedy: weights in bf16"""
    model, x = layers(8, 4096).to(CUDA), torch.randn(256, 4096, device=CUDA)
    model, x = (model.to(torch.bfloat16), x.to(torch.bfloat16)) if after else (model, x)

    @torch.no_grad()
    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=not after, cache_enabled=False):
            return [model(x) for _ in range(4)]
    return step


def unfolded(after):
    """before: a convolution by unfold and a product, which writes each pixel nine times
    remedy: conv2d"""
    x, w = torch.randn(32, 64, 112, 112, **HALF), torch.randn(64, 64, 3, 3, **HALF)

    def step():
        if after:
            return F.conv2d(x, w, padding=1)
        return (w.view(64, -1) @ F.unfold(x, 3, padding=1)).view(32, 64, 112, 112)
    return torch.no_grad()(step)


def order_of_products(after):
    """before: (A B) x with two matrices of 8192 x 8192 and 64 columns
    remedy: A (B x), the products in the other order"""
    a, b, x = torch.randn(8192, 8192, **HALF), torch.randn(8192, 8192, **HALF), torch.randn(8192, 64, **HALF)
    return torch.no_grad()(lambda: a @ (b @ x) if after else (a @ b) @ x)


def distances(after):
    """before: squared distances of 2048 to 2048 points by broadcasting, [2048, 2048, 128] written out
    remedy: one product of the points, and their norms"""
    x, y = torch.randn(2048, 128, device=CUDA), torch.randn(2048, 128, device=CUDA)

    def step():
        if after:
            return x.square().sum(1)[:, None] + y.square().sum(1)[None] - 2 * x @ y.T
        return (x[:, None] - y[None]).square().sum(-1)
    return torch.no_grad()(step)


# ---- memory ----

def contiguous_copies(after):
    """before: the two last dimensions are exchanged and made contiguous in front of each of 12 pointwise layers
    remedy: no contiguous(), the layout stays"""
    x, s = torch.randn(64, 1024, 1024, **HALF), torch.randn(1, 1, 1024, **HALF)

    @torch.no_grad()
    def step():
        h = x
        for _ in range(12):
            h = h * s + 0.1 if after else h.transpose(1, 2).contiguous() * s + 0.1
        return h
    return step


def norm_by_hand(after):
    """before: RMS norms written out of five operators, 12 of them on [8192, 4096]
    remedy: F.rms_norm, fused"""
    x, w = torch.randn(8192, 4096, **HALF), torch.randn(4096, **HALF)

    def one(h):
        if after:
            return F.rms_norm(h, (4096,), w, 1e-6)
        wide = h.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(h.dtype) * w

    @torch.no_grad()
    def step():
        h = x
        for _ in range(12):
            h = one(h)
        return h
    return step


def gelu_by_hand(after):
    """before: GELU written out of eight operators
    remedy: F.gelu(approximate="tanh"), fused"""
    x = torch.randn(1 << 26, **HALF)

    def step():
        if after:
            return F.gelu(x, approximate="tanh")
        return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))
    return torch.no_grad()(step)


def large_logits(after):
    """before: cross-entropy over 50304 words, logits converted to fp32 as a whole
    remedy: cross-entropy chunk by chunk under checkpointing, logits never whole in fp32"""
    h = torch.randn(8192, 1024, **HALF).requires_grad_()
    w, y = torch.randn(50304, 1024, **HALF).requires_grad_(), torch.randint(50304, (8192,), device=CUDA)

    def part(h, y):
        return F.cross_entropy((h @ w.T).float(), y, reduction="sum")

    def step():
        loss = sum(checkpoint(part, a, b, use_reentrant=False) for a, b in zip(h.chunk(8), y.chunk(8))) if after else part(h, y)
        loss.backward()
        h.grad = w.grad = None
    return step


def index_backward(after):
    """before: rows are gathered by x[i]; its backward sorts the indices
    remedy: index_select, whose backward adds"""
    x = torch.randn(65536, 256, device=CUDA, requires_grad=True)
    i = torch.randint(65536, (1 << 18,), device=CUDA)

    def step():
        (x.index_select(0, i) if after else x[i]).square().sum().backward()
        x.grad = None
    return step


def dense_embedding(after):
    """before: an embedding of a million rows with a dense gradient, 4096 rows used
    remedy: sparse=True"""
    table = nn.Embedding(1 << 20, 128, sparse=after).to(CUDA)
    i = torch.randint(1 << 20, (4096,), device=CUDA)
    return trained(table, torch.optim.SGD(table.parameters(), lr=1e-3), lambda m: m(i).square().mean())


def repeated(after):
    """before: x.repeat over the heads in front of a pointwise operator
    remedy: expand, broadcasting"""
    x, y = torch.randn(32, 1, 1024, 512, **HALF), torch.randn(32, 8, 1024, 512, **HALF)
    return torch.no_grad()(lambda: [y * (x if after else x.repeat(1, 8, 1, 1)) for _ in range(4)])


def growing_cache(after):
    """before: torch.cat of keys and values with each of 64 tokens
    remedy: a static cache, written in place"""
    k = torch.randn(16, 16, 2048, 128, **HALF)
    new, q = torch.randn(16, 16, 1, 128, **HALF), torch.randn(16, 16, 1, 128, **HALF)
    room = torch.zeros(16, 16, 2048 + 64, 128, **HALF)

    @torch.no_grad()
    def step():
        if after:
            room[:, :, :2048] = k
        whole = k
        for i in range(64):
            if after:
                room[:, :, 2048 + i] = new[:, :, 0]
                whole = room[:, :, :2049 + i]
            else:
                whole = torch.cat((whole, new), 2)
            q @ whole[:, :, :64].transpose(-1, -2)
        return whole
    return step


def whole_sort(after):
    """before: torch.sort over 128000 words, of which 50 are used
    remedy: torch.topk"""
    p = torch.randn(64, 128000, device=CUDA)
    return torch.no_grad()(lambda: torch.topk(p, 50).values if after else torch.sort(p, descending=True).values[:, :50])


def zeroed_buffers(after):
    """before: torch.zeros of 512 MB in each step, which are overwritten at once
    remedy: torch.empty"""
    x = torch.randn(1 << 27, device=CUDA)

    def step():
        room = (torch.empty if after else torch.zeros)(1 << 27, device=CUDA)
        return torch.mul(x, 2, out=room)
    return torch.no_grad()(step)


def cast_to_and_fro(after):
    """before: a bf16 model converts to fp32 and back around each of 16 layer norms
    remedy: layer norms in bf16"""
    lines = [torch.randn(1024, 1024, **HALF) / 32 for _ in range(16)]
    x = torch.randn(16384, 1024, **HALF)

    @torch.no_grad()
    def step():
        h = x
        for w in lines:
            h = F.layer_norm(h, (1024,)) if after else F.layer_norm(h.float(), (1024,)).to(torch.bfloat16)
            h = h @ w
        return h
    return step


# ---- work that need not be done ----

def kept_for_backward(after):
    """before: inference of 24 layers with gradients recorded
    remedy: torch.inference_mode()"""
    model, x = layers(24, 512).to(**HALF), torch.randn(64, 512, **HALF)

    def step():
        with torch.inference_mode(after):
            return model(x)
    return step


def checkpointed(after):
    """before: each of 8 blocks is checkpointed although memory is free; forward runs twice
    remedy: no checkpointing"""
    blocks = nn.ModuleList(layers(2, 2048) for _ in range(8)).to(**HALF)
    x = torch.randn(8192, 2048, **HALF)

    def loss(m):
        h = x
        for b in m:
            h = b(h) if after else checkpoint(b, h, use_reentrant=False)
        return h.float().square().mean()
    return trained(blocks, torch.optim.SGD(blocks.parameters(), lr=1e-4, fused=True), loss)


def dropout_at_inference(after):
    """before: inference with model.train(), so that 16 dropouts draw numbers
    remedy: model.eval()"""
    model = nn.Sequential(*(m for _ in range(16) for m in (nn.Linear(1024, 1024), nn.Dropout(0.1)))).to(**HALF).train(not after)
    x = torch.randn(16384, 1024, **HALF)
    return torch.no_grad()(lambda: model(x))


def frozen_backbone(after):
    """before: a backbone of 12 layers that nobody trains computes its gradients, too
    remedy: the backbone under torch.no_grad()"""
    back, head = layers(12, 2048).to(**HALF), nn.Linear(2048, 10).to(**HALF)
    x = torch.randn(4096, 2048, **HALF)
    optimizer = torch.optim.SGD(head.parameters(), lr=1e-4, fused=True)

    def step():
        with torch.set_grad_enabled(not after):
            h = back(x)
        head(h).float().square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        back.zero_grad(set_to_none=True)
    return step


def encoded_twice(after):
    """before: two losses, each of which runs the same encoder on the same input
    remedy: the encoder runs once, both losses use its result"""
    model, x = layers(12, 2048).to(**HALF), torch.randn(4096, 2048, **HALF)

    def loss(m):
        a = m(x)
        b = a if after else m(x)
        return a.float().square().mean() + b.float().abs().mean()
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True), loss)


def backward_twice(after):
    """before: two losses of one network, backward(retain_graph=True) for each
    remedy: one backward of their sum"""
    model, x = layers(12, 2048).to(**HALF), torch.randn(4096, 2048, **HALF)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)

    def step():
        out = model(x).float()
        a, b = out.square().mean(), out.abs().mean()
        if after:
            (a + b).backward()
        else:
            a.backward(retain_graph=True)
            b.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def weight_norm_at_inference(after):
    """before: inference with weight norm, which makes each of 12 weights anew in each pass
    remedy: remove_parametrizations, weights made once"""
    model = layers(12, 4096).to(CUDA)
    for m in model[::2]:
        nn.utils.parametrizations.weight_norm(m)
        if after:
            nn.utils.parametrize.remove_parametrizations(m, "weight")
    model, x = model.to(torch.bfloat16), torch.randn(64, 4096, **HALF)
    return torch.no_grad()(lambda: model(x))


# ---- settings ----

def deterministic(after):
    """before: torch.use_deterministic_algorithms(True), index_add_ by sorting
    remedy: use_deterministic_algorithms(False)"""
    x, i = torch.randn(1 << 18, 128, device=CUDA), torch.randint(4096, (1 << 18,), device=CUDA)

    def step():
        torch.use_deterministic_algorithms(not after)
        out = torch.zeros(4096, 128, device=CUDA).index_add_(0, i, x)
        torch.use_deterministic_algorithms(False)
        return out
    return torch.no_grad()(step)


def small_steps():
    model, x = layers(16, 512).to(CUDA), torch.randn(512, 512, device=CUDA)
    return trained(model, torch.optim.SGD(model.parameters(), lr=1e-4, fused=True), square(x))


def launch_blocking(after):
    """before: CUDA_LAUNCH_BLOCKING=1, each launch waits for its kernel
    remedy: CUDA_LAUNCH_BLOCKING is not set"""
    return small_steps()


def allocator_off(after):
    """before: PYTORCH_NO_CUDA_MEMORY_CACHING=1, each tensor asks the driver for its memory
    remedy: PYTORCH_NO_CUDA_MEMORY_CACHING is not set, the caching allocator is on"""
    return small_steps()


launch_blocking.environment = {"CUDA_LAUNCH_BLOCKING": "1"}
allocator_off.environment = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}

PATTERNS = [math_attention, slower_fused, mask_in_each_layer, full_bias, few_tiles, shared_operand, bias_before_norm, depthwise,
            cells, weights_cast_again, unfolded, order_of_products, distances, contiguous_copies, norm_by_hand, gelu_by_hand,
            large_logits, index_backward, dense_embedding, repeated, growing_cache, whole_sort, zeroed_buffers, cast_to_and_fro,
            kept_for_backward, checkpointed, dropout_at_inference, frozen_backbone, encoded_twice, backward_twice,
            weight_norm_at_inference, deterministic, launch_blocking, allocator_off]
