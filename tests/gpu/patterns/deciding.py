# SPDX-License-Identifier: Apache-2.0
"""Patterns of recommenders, networks of graphs, learning by reward, and of evaluation."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from shared import CUDA, HALF, layers


def environments_one_by_one(after):
    """before: 24 environments ask the policy one after the other for an action, read by .item()
    remedy: all environments in one batch, actions read once"""
    policy = nn.Sequential(nn.Linear(32, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 6)).to(CUDA)
    states = np.random.default_rng(5).standard_normal((24, 32)).astype(np.float32)

    @torch.no_grad()
    def step():
        if after:
            actions = policy(torch.from_numpy(states).to(CUDA)).argmax(1).cpu().numpy()
        else:
            actions = np.array([policy(torch.from_numpy(s[None]).to(CUDA)).argmax(1).item() for s in states])
        return states * 0.9 + actions[:, None] * 0.01
    return step


def features_in_pairs(after):
    """before: 16 features are multiplied with each other pair by pair in Python, 120 products
    remedy: one torch.bmm of all features with themselves"""
    x = torch.randn(2048, 16, 64, device=CUDA)
    i, j = torch.triu_indices(16, 16, 1, device=CUDA)
    top = nn.Sequential(nn.Linear(120, 256), nn.ReLU(), nn.Linear(256, 1)).to(CUDA)

    @torch.no_grad()
    def step():
        if after:
            return top(torch.bmm(x, x.transpose(1, 2))[:, i, j])
        return top(torch.stack([(x[:, a] * x[:, b]).sum(1) for a in range(16) for b in range(a + 1, 16)], 1))
    return step


def categories_as_vectors(after):
    """before: a category of 20000 becomes a vector of zeros and a one, which a matmul multiplies by the weights
    remedy: F.embedding: a lookup of the row"""
    w, y = torch.randn(20000, 256, **HALF), torch.randint(20000, (16384,), device=CUDA)
    head = layers(2, 256).to(**HALF)

    @torch.no_grad()
    def step():
        return head(F.embedding(y, w) if after else F.one_hot(y, 20000).to(torch.bfloat16) @ w)
    return step


def ranked_on_the_host(after):
    """before: the area under the curve of 300000 scores by NumPy on the CPU after each batch
    remedy: sorted and summed on the device"""
    x, w = torch.randn(300000, 64, device=CUDA), torch.randn(64, device=CUDA)
    y = (torch.rand(300000, device=CUDA) < 0.3).float()

    @torch.no_grad()
    def step():
        scores = torch.sigmoid(x @ w)
        if after:
            hit = y[torch.argsort(scores, descending=True)]
            return (hit.cumsum(0) * (1 - hit)).sum() / (hit.sum() * (1 - hit).sum())
        s, t = scores.cpu().numpy(), y.cpu().numpy()
        hit = t[np.argsort(-s)]
        return (hit.cumsum() * (1 - hit)).sum() / (hit.sum() * (1 - hit).sum())
    return step


def results_joined(after):
    """before: an evaluation joins its results by torch.cat after each of 40 batches, all of the former once more
    remedy: a list, joined once"""
    model = nn.Linear(512, 512).to(**HALF)
    x = torch.randn(40, 8192, 512, **HALF)

    @torch.no_grad()
    def step():
        if after:
            return torch.cat([model(a) for a in x])
        kept = model(x[0])
        for a in x[1:]:
            kept = torch.cat((kept, model(a)))
        return kept
    return step


def clusters_by_masks(after):
    """before: the middles of 48 clusters, each by x[assigned == k].mean(0), whose size the host waits for
    remedy: index_add_ over all points, divided by counts"""
    x, middles = torch.randn(65536, 64, device=CUDA), torch.randn(48, 64, device=CUDA)
    ones = torch.ones(65536, device=CUDA)

    @torch.no_grad()
    def step():
        near = torch.cdist(x, middles).argmin(1)
        if not after:
            return torch.stack([x[near == k].mean(0) for k in range(48)])
        counts = torch.zeros(48, device=CUDA).index_add_(0, near, ones)
        return torch.zeros(48, 64, device=CUDA).index_add_(0, near, x) / counts[:, None]
    return step


def ensemble_one_by_one(after):
    """before: an ensemble of 16 small networks answers one after the other
    remedy: torch.func.vmap over their stacked weights, one call"""
    models = [nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)).to(CUDA)
              for _ in range(16)]
    x = torch.randn(256, 128, device=CUDA)
    if after:
        weights, buffers = torch.func.stack_module_state(models)

    def one(w, b):
        return torch.func.functional_call(models[0], (w, b), (x,))

    @torch.no_grad()
    def step():
        return torch.vmap(one)(weights, buffers).mean(0) if after else torch.stack([m(x) for m in models]).mean(0)
    return step


PATTERNS = [environments_one_by_one, features_in_pairs, categories_as_vectors, ranked_on_the_host, results_joined,
            clusters_by_masks, ensemble_one_by_one]
