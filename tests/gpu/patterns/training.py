# SPDX-License-Identifier: Apache-2.0
"""Patterns of training loops: what is computed, what is read, what is written down beside the step."""
import copy
import io
import zlib

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from blocks import Block, classifier
from shared import CUDA, HALF, layers, square, trained


def sgd(model, **more):
    return torch.optim.SGD(model.parameters(), lr=1e-4, fused=True, **more)


def running_metrics(after):
    """before: loss, accuracy and two norms of each of 12 batches are read by .item() for their running means
    remedy: the sums stay on the device and are read every hundredth step"""
    model = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 100)).to(CUDA)
    x, y = torch.randn(12, 256, 512, device=CUDA), torch.randint(100, (12, 256), device=CUDA)
    optimizer, there, here = sgd(model), torch.zeros(4, device=CUDA), [0.0] * 4

    def step():
        for a, b in zip(x, y):
            out = model(a)
            loss = F.cross_entropy(out, b)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            with torch.no_grad():
                values = loss, (out.argmax(1) == b).float().mean(), out.norm(), out.abs().max()
                if after:
                    there.add_(torch.stack(values))
                    continue
                for k, value in enumerate(values):
                    here[k] += value.item()
    return step


def penalty_of_weights(after):
    """before: the squares of 120 weights are summed up one by one and added to the loss
    remedy: weight_decay= of the optimizer"""
    model, x = layers(60, 256).to(CUDA), torch.randn(256, 256, device=CUDA)
    if after:
        return trained(model, sgd(model, weight_decay=2e-4), square(x))
    return trained(model, sgd(model), lambda m: square(x)(m) + 1e-4 * sum(p.square().sum() for p in m.parameters()))


def gradient_norms_logged(after):
    """before: the norm of each of 96 gradients is read by .item() for a table
    remedy: torch._foreach_norm, read every hundredth step"""
    model, x = layers(48, 256).to(CUDA), torch.randn(256, 256, device=CUDA)
    optimizer, table = sgd(model), {}

    def step():
        square(x)(model).backward()
        grads = [p.grad for p in model.parameters()]
        if after:
            table["all"] = torch.stack(torch._foreach_norm(grads))
        else:
            table["all"] = [g.norm().item() for g in grads]
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def many_parameter_groups(after):
    """before: AdamW(fused=True) with a group for each of 96 parameters, whose rates fall from layer to layer
    remedy: four groups, one for each stage of the network: few optimizer kernels"""
    model, x = layers(48, 384).to(CUDA), torch.randn(512, 384, device=CUDA)
    ps = list(model.parameters())
    size = 24 if after else 1
    groups = [{"params": ps[i:i + size], "lr": 1e-4 * 0.9 ** (i // 24)} for i in range(0, len(ps), size)]
    return trained(model, torch.optim.AdamW(groups, lr=1e-4, fused=True), square(x))


def target_copied(after):
    """before: Q-learning that makes its target network by copy.deepcopy in each step
    remedy: torch._foreach_lerp_ moves the target's weights"""
    model, x = layers(24, 256).to(CUDA), torch.randn(512, 256, device=CUDA)
    held, optimizer = {"target": copy.deepcopy(model)}, sgd(model)

    def step():
        if after:
            with torch.no_grad():
                torch._foreach_lerp_(list(held["target"].parameters()), list(model.parameters()), 0.005)
        else:
            held["target"] = copy.deepcopy(model)
        with torch.no_grad():
            aim = held["target"](x).amax(1)
        F.mse_loss(model(x).amax(1), aim).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def target_with_gradients(after):
    """before: Q-learning whose target network is part of the graph and gets gradients nobody uses
    remedy: the target under torch.no_grad()"""
    model, target = layers(8, 2048).to(**HALF), layers(8, 2048).to(**HALF)
    x, then, reward = torch.randn(4096, 2048, **HALF), torch.randn(4096, 2048, **HALF), torch.randn(4096, **HALF)
    optimizer = sgd(model)

    def step():
        with torch.set_grad_enabled(not after):
            aim = reward + 0.99 * target(then).amax(1)
        F.smooth_l1_loss(model(x).amax(1), aim).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        target.zero_grad(set_to_none=True)
    return step


def smoothed_by_hand(after):
    """before: label smoothing with a whole matrix of smoothed targets, 8192 x 32000
    remedy: F.cross_entropy(label_smoothing=0.1), no matrix of targets"""
    logits = torch.randn(8192, 32000, device=CUDA, requires_grad=True)
    y = torch.randint(32000, (8192,), device=CUDA)

    def step():
        if after:
            loss = F.cross_entropy(logits, y, label_smoothing=0.1)
        else:
            aim = torch.full_like(logits, 0.1 / 32000).scatter_(1, y[:, None], 0.9 + 0.1 / 32000)
            loss = -(aim * torch.log(torch.softmax(logits, 1) + 1e-9)).sum(1).mean()
        loss.backward()
        logits.grad = None
    return step


def gradients_of_samples(after):
    """before: gradients of 32 samples one by one, each clipped, for private training
    remedy: torch.func.vmap of the gradient, all samples batched"""
    model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)).to(CUDA)
    x, y = torch.randn(32, 256, device=CUDA), torch.randint(10, (32,), device=CUDA)
    names, ps = zip(*model.named_parameters())

    def loss(values, a, b):
        return F.cross_entropy(torch.func.functional_call(model, dict(zip(names, values)), (a[None],)), b[None])

    def step():
        if after:
            grads = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(tuple(p.detach() for p in ps), x, y)
            norms = sum(g.flatten(1).square().sum(1) for g in grads).sqrt()
            scale = (1 / (norms + 1e-6)).clamp(max=1)
            return [torch.einsum("n,n...->...", scale, g) for g in grads]
        total = [torch.zeros_like(p) for p in ps]
        for a, b in zip(x, y):
            grads = torch.autograd.grad(F.cross_entropy(model(a[None]), b[None]), ps)
            norm = torch.sqrt(sum(g.square().sum() for g in grads))
            scale = (1 / (norm + 1e-6)).clamp(max=1)
            for t, g in zip(total, grads):
                t.add_(g * scale)
        return total
    return step


def jacobian_by_rows(after):
    """before: a Jacobian row by row, 32 calls of autograd.grad with retain_graph=True
    remedy: one call with is_grads_batched=True"""
    model, x = layers(6, 512).to(CUDA), torch.randn(64, 512, device=CUDA, requires_grad=True)
    rows = torch.eye(32, device=CUDA)[:, None].expand(32, 64, 32)

    def step():
        out = model(x)[:, :32]
        if after:
            return torch.autograd.grad(out, x, rows, is_grads_batched=True)[0]
        return torch.stack([torch.autograd.grad(out[:, i].sum(), x, retain_graph=True)[0] for i in range(32)])
    return step


def everyone_padded(after):
    """before: texts of at most 200 tokens are padded to the 1024 of the longest in the data set
    remedy: padded to the longest of the batch"""
    size = 208 if after else 1024
    model = nn.ModuleList(Block(768, 12, causal=False) for _ in range(4)).to(**HALF)
    x, lengths = torch.randn(32, size, 768, **HALF), torch.randint(100, 200, (32,), device=CUDA)
    seen = torch.arange(size, device=CUDA)[None] < lengths[:, None]

    def loss(m):
        h = x
        for block in m:
            h = block(h, seen[:, None, None])
        return (h.float().square().mean(-1) * seen).sum()
    return trained(model, sgd(model), loss)


def head_on_all_positions(after):
    """before: masked words are learned: logits of all 8192 positions, of which one in seven is scored
    remedy: the positions are chosen in front of the head"""
    h = torch.randn(8192, 1024, **HALF).requires_grad_()
    head = nn.Linear(1024, 30528).to(**HALF)
    chosen, y = torch.randperm(8192, device=CUDA)[:1170], torch.randint(30528, (1170,), device=CUDA)

    def step():
        logits = head(h.index_select(0, chosen)) if after else head(h).index_select(0, chosen)
        F.cross_entropy(logits.float(), y).backward()
        h.grad = None
        head.zero_grad(set_to_none=True)
    return step


def gradient_of_the_images(after):
    """before: images that were left with requires_grad=True, so that the first layers compute gradients of pixels
    remedy: images without requires_grad"""
    net = nn.Sequential(nn.Conv2d(64, 64, 7, padding=3), nn.ReLU(), nn.Conv2d(64, 32, 3, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                        nn.Flatten()).to(**HALF)
    x = torch.randn(32, 64, 112, 112, **HALF, requires_grad=not after)

    def loss(m):
        x.grad = None
        return m(x).float().square().mean()
    return trained(net, sgd(net), loss)


def average_on_the_host(after):
    """before: the moving average of all weights is kept on the CPU, each weight copied there in each step
    remedy: the average is kept on the device, torch._foreach_lerp_"""
    model, x = layers(12, 1024).to(CUDA), torch.randn(1024, 1024, device=CUDA)
    ps = list(model.parameters())
    kept = [p.detach().clone() if after else p.detach().cpu() for p in ps]
    inner = trained(model, sgd(model), square(x))

    @torch.no_grad()
    def average():
        if after:
            torch._foreach_lerp_(kept, ps, 0.01)
            return
        for k, p in zip(kept, ps):
            k.lerp_(p.cpu(), 0.01)
    return lambda: (inner(), average())


def activations_offloaded(after):
    """before: what the backward pass needs is kept in the host's memory, save_on_cpu(pin_memory=True), though the device has room
    remedy: no save_on_cpu"""
    model, x = layers(6, 2048).to(**HALF), torch.randn(4096, 2048, **HALF)
    optimizer = sgd(model)

    def step():
        if after:
            loss = square(x)(model)
        else:
            with torch.autograd.graph.save_on_cpu(pin_memory=True):
                loss = square(x)(model)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def histograms_logged(after):
    """before: a histogram of each weight by NumPy after each step, for a dashboard
    remedy: every hundredth step"""
    model, x, n = layers(6, 512).to(CUDA), torch.randn(512, 512, device=CUDA), {"step": 0}
    inner = trained(model, sgd(model), square(x))

    def step():
        inner()
        n["step"] += 1
        if not after or n["step"] % 100 == 0:
            return [np.histogram(p.detach().cpu().numpy(), bins=64) for p in model.parameters()]
    return step


def memory_reported(after):
    """before: torch.cuda.memory_summary() is written to the log in each step
    remedy: every hundredth step"""
    model, x, n = layers(6, 1024).to(**HALF), torch.randn(1024, 1024, **HALF), {"step": 0}
    inner, log = trained(model, sgd(model), square(x)), io.StringIO()

    def step():
        inner()
        n["step"] += 1
        if not after or n["step"] % 100 == 0:
            log.write(torch.cuda.memory_summary())
    return step


WORDS = [f"word{i}" for i in range(2000)]


def texts_split_in_the_step(after):
    """before: texts are split into words and looked up in a dictionary inside the step
    remedy: texts are numbered once, before training"""
    vocabulary = {w: i for i, w in enumerate(WORDS)}
    rng = np.random.default_rng(1)
    texts = [" ".join(WORDS[i] for i in rng.integers(2000, size=256)) for _ in range(64)]
    table, head = nn.Embedding(2000, 256).to(CUDA), layers(4, 256).to(CUDA)
    model = nn.ModuleList([table, head])

    def numbers():
        return torch.from_numpy(np.array([[vocabulary[w] for w in text.split()] for text in texts]))
    ready = numbers().pin_memory()
    return trained(model, sgd(model),
                   lambda m: m[1](m[0]((ready if after else numbers()).to(CUDA, non_blocking=True)).mean(1)).square().mean())


def augmented_one_by_one(after):
    """before: 64 images are cropped, mirrored and scaled one by one by NumPy in the step
    remedy: bytes are uploaded, the device crops and mirrors the whole batch"""
    raw = np.random.default_rng(2).integers(0, 255, (64, 3, 160, 160), dtype=np.uint8)
    pinned = torch.from_numpy(raw).pin_memory()
    net = classifier(64, 2).to(CUDA, memory_format=torch.channels_last)
    rng = np.random.default_rng(3)

    def batch():
        if not after:
            out = []
            for image in raw:
                y, x = rng.integers(0, 32, 2)
                part = image[:, y:y + 128, x:x + 128]
                part = part[:, :, ::-1] if rng.random() < 0.5 else part
                out.append((part.astype(np.float32) / 255 - 0.5) / 0.25)
            return torch.from_numpy(np.stack(out)).to(CUDA)
        there = pinned.to(CUDA, non_blocking=True)
        y, x = (int(i) for i in rng.integers(0, 32, 2))
        part = there[:, :, y:y + 128, x:x + 128].float().div_(127.5).sub_(2)
        return torch.where(torch.rand(64, 1, 1, 1, device=CUDA) < 0.5, part.flip(3), part)
    return trained(net, sgd(net), lambda m: m(batch()).square().mean())


def unpacked_in_the_step(after):
    """before: a batch is decompressed by zlib in the training thread before each step
    remedy: a thread decompresses the next batch meanwhile"""
    from concurrent.futures import ThreadPoolExecutor
    rng = np.random.default_rng(4)
    packed = [zlib.compress(rng.integers(0, 64, 1 << 19, dtype=np.uint8).tobytes(), 1) for _ in range(4)]
    model, pool, n, coming = layers(10, 4096).to(**HALF), ThreadPoolExecutor(4), {"step": 0}, []

    def unpack(i):
        return torch.from_numpy(np.frombuffer(bytearray(zlib.decompress(packed[i % 4])), np.uint8)).view(-1, 4096)

    def batch():
        n["step"] += 1
        if not after:
            return unpack(n["step"])
        while len(coming) < 4:
            coming.append(pool.submit(unpack, n["step"] + len(coming)))
        return coming.pop(0).result()

    def loss(m):
        x = batch().to(CUDA).to(torch.bfloat16) / 64
        return m(x.repeat(8, 1)).float().square().mean()
    return trained(model, sgd(model), loss)


def table_in_a_loader(after):
    """before: a table that fits into memory goes through a DataLoader row by row, 2048 rows a batch
    remedy: the table lies on the device and is indexed by a batch of row numbers"""
    data = torch.utils.data.TensorDataset(torch.randn(1 << 17, 32), torch.randn(1 << 17))
    loader = iter(torch.utils.data.DataLoader(data, batch_size=2048, sampler=torch.utils.data.RandomSampler(
        data, replacement=True, num_samples=1 << 20)))
    model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1)).to(CUDA)
    there = [t.to(CUDA) for t in data.tensors]

    def loss(m):
        if after:
            rows = torch.randint(1 << 17, (2048,), device=CUDA)
            x, y = (t[rows] for t in there)
        else:
            x, y = (t.to(CUDA) for t in next(loader))
        return F.mse_loss(m(x).squeeze(1), y)
    return trained(model, sgd(model), loss)


def replay_of_lists(after):
    """before: a replay buffer that is a list of small CPU tensors; 256 of them are drawn, stacked and uploaded, five fields
    remedy: the buffer lies on the device, one index_select for each field"""
    import random
    sizes = [64, 64, 8, 1, 1]
    kept = [tuple(torch.randn(s) for s in sizes) for _ in range(5000)]
    there = [torch.stack([k[f] for k in kept]).to(CUDA) for f in range(5)]
    model = nn.Sequential(nn.Linear(138, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1)).to(CUDA)

    def loss(m):
        if after:
            rows = torch.randint(5000, (256,), device=CUDA)
            batch = [t.index_select(0, rows) for t in there]
        else:
            drawn = random.sample(kept, 256)
            batch = [torch.stack(field).to(CUDA) for field in zip(*drawn)]
        return m(torch.cat(batch, 1)).square().mean()
    return trained(model, sgd(model), loss)


def whole_data_converted(after):
    """before: (images.float() / 255)[rows]: all 60000 images are converted for the 512 of a batch
    remedy: images[rows].float() / 255"""
    images = torch.randint(0, 255, (60000, 784), dtype=torch.uint8, device=CUDA)
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10)).to(CUDA)

    def loss(m):
        rows = torch.randint(60000, (512,), device=CUDA)
        x = images[rows].float() / 255 if after else (images.float() / 255)[rows]
        return m(x).square().mean()
    return trained(model, sgd(model), loss)


def shuffled_on_the_host(after):
    """before: torch.randperm of two million rows on the CPU, uploaded as an index
    remedy: torch.randperm(device=)"""
    x, w = torch.randn(1 << 21, 64, device=CUDA), torch.randn(64, 64, device=CUDA)

    @torch.no_grad()
    def step():
        rows = torch.randperm(1 << 21, device=CUDA) if after else torch.randperm(1 << 21).to(CUDA)
        return [(x.index_select(0, part) @ w).mean() for part in rows.chunk(8)]
    return step


PATTERNS = [running_metrics, penalty_of_weights, gradient_norms_logged, many_parameter_groups, target_copied, target_with_gradients,
            smoothed_by_hand, gradients_of_samples, jacobian_by_rows, everyone_padded, head_on_all_positions,
            gradient_of_the_images, average_on_the_host, activations_offloaded, histograms_logged, memory_reported,
            texts_split_in_the_step, augmented_one_by_one, unpacked_in_the_step, table_in_a_loader, replay_of_lists,
            whole_data_converted, shuffled_on_the_host]
