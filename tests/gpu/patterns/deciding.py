# SPDX-License-Identifier: Apache-2.0
"""Patterns of recommenders, networks of graphs, learning by reward, and of evaluation."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from shared import CUDA, HALF, layers, trained


def sgd(model, **more):
    return torch.optim.SGD(model.parameters(), lr=1e-4, fused=True, **more)


def distributions_checked(after):
    """before: 24 torch.distributions are made with their checks of arguments, each of which reads a number from the device
    remedy: validate_args=False"""
    model, x = layers(3, 256).to(CUDA), torch.randn(1024, 256, device=CUDA)
    more = {"validate_args": False} if after else {"validate_args": True}

    @torch.no_grad()
    def step():
        h, total = x, 0
        for _ in range(8):
            h = model(h)
            normal = torch.distributions.Normal(h[:, :8], F.softplus(h[:, 8:16]) + 0.1, **more)
            action = normal.sample()
            choice = torch.distributions.Categorical(logits=h[:, 16:32], **more)
            total = total + normal.log_prob(action).sum() + choice.log_prob(choice.probs.argmax(1)).sum()
        return total
    return step


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


def advantages_backwards(after):
    """before: advantages are summed up backwards in a loop over 128 points of time, four small operators each
    remedy: one matmul with the powers of the discount"""
    rewards, values = torch.randn(128, 64, device=CUDA), torch.randn(129, 64, device=CUDA)
    i = torch.arange(128, device=CUDA)
    powers = torch.where(i[None] >= i[:, None], 0.9405 ** (i[None] - i[:, None]).float(), 0.0)

    @torch.no_grad()
    def step():
        delta = rewards + 0.99 * values[1:] - values[:-1]
        if after:
            return powers @ delta
        out, last = torch.zeros_like(rewards), torch.zeros(64, device=CUDA)
        for t in reversed(range(128)):
            last = rewards[t] + 0.99 * values[t + 1] - values[t] + 0.9405 * last
            out[t] = last
        return out
    return step


def full_adjacency(after):
    """before: messages of a graph by a matmul with its adjacency matrix, 16384 x 16384, sixteen neighbours in each row
    remedy: index_select of the neighbours and a sum"""
    n = 16384
    neighbours = torch.randint(n, (n, 16), device=CUDA)
    matrix = torch.zeros(n, n, **HALF).scatter_(1, neighbours, 1.0)
    x, weights = torch.randn(n, 128, **HALF), [torch.randn(128, 128, **HALF) / 12 for _ in range(3)]

    @torch.no_grad()
    def step():
        h = x
        for w in weights:
            h = h @ w
            h = torch.relu(h.index_select(0, neighbours.view(-1)).view(n, 16, 128).sum(1) if after else matrix @ h)
        return h
    return step


def graphs_read_out(after):
    """before: the nodes of each of 96 graphs are summed in a loop over slices
    remedy: one index_add_ over all nodes"""
    sizes = np.random.default_rng(6).integers(20, 60, 96)
    ends = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    x, head = torch.randn(ends[-1], 256, device=CUDA), layers(2, 256).to(CUDA)
    of = torch.repeat_interleave(torch.arange(96), torch.from_numpy(sizes)).to(CUDA)

    @torch.no_grad()
    def step():
        if after:
            whole = torch.zeros(96, 256, device=CUDA).index_add_(0, of, x)
        else:
            whole = torch.stack([x[a:b].sum(0) for a, b in zip(ends, ends[1:])])
        return head(whole)
    return step


def degrees_in_each_layer(after):
    """before: each of 8 layers counts the degrees of the same graph and normalises its edges anew
    remedy: edge weights are made once in front of the layers"""
    n, edges = 1 << 17, 1 << 21
    a, b = torch.randint(n, (2, edges), device=CUDA)
    ones, x = torch.ones(edges, device=CUDA), torch.randn(n, 8, device=CUDA)

    def scales():
        degree = torch.zeros(n, device=CUDA).scatter_add_(0, b, ones).clamp(min=1).rsqrt()
        return (degree[a] * degree[b])[:, None]

    @torch.no_grad()
    def step():
        h, s = x, scales()
        for _ in range(8):
            h = torch.zeros_like(h).index_add_(0, b, h.index_select(0, a) * (s if after else scales()))
        return h
    return step


def tables_one_by_one(after):
    """before: 40 embedding tables of a recommender are looked up one after the other
    remedy: one table for all, with an offset for each feature: one call"""
    tables = nn.ModuleList(nn.Embedding(1000, 32) for _ in range(40)).to(CUDA)
    whole = nn.Embedding(40000, 32).to(CUDA)
    ids, start = torch.randint(1000, (2048, 40), device=CUDA), torch.arange(40, device=CUDA) * 1000
    top = nn.Sequential(nn.Linear(1280, 256), nn.ReLU(), nn.Linear(256, 1)).to(CUDA)

    @torch.no_grad()
    def step():
        if after:
            return top(whole(ids + start).flatten(1))
        return top(torch.cat([t(ids[:, f]) for f, t in enumerate(tables)], 1))
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


def ids_made_unique(after):
    """before: torch.unique of the ids of 16 features, whose number the host waits for, in front of the lookups
    remedy: looked up as they are"""
    table = torch.randn(100000, 64, device=CUDA)
    ids = torch.randint(100000, (16, 4096), device=CUDA)

    @torch.no_grad()
    def step():
        out = []
        for f in ids:
            if after:
                out.append(table.index_select(0, f).mean(0))
            else:
                found, back = torch.unique(f, return_inverse=True)
                out.append(table.index_select(0, found).index_select(0, back).mean(0))
        return torch.stack(out)
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


def columns_binned(after):
    """before: 64 columns of a table are put into bins one by one, torch.bucketize for each
    remedy: one torch.searchsorted over all columns"""
    x = torch.randn(64, 8192, device=CUDA)
    edges = torch.sort(torch.randn(64, 255, device=CUDA), 1).values

    @torch.no_grad()
    def step():
        return torch.searchsorted(edges, x) if after else torch.stack([torch.bucketize(c, e) for c, e in zip(x, edges)])
    return step


def logits_to_the_host(after):
    """before: evaluation copies all logits, 16384 x 1000, to the CPU and looks for the largest there
    remedy: argmax on the device, 16384 numbers are copied"""
    model, x = layers(4, 1024).to(**HALF), torch.randn(16384, 1024, **HALF)
    head, y = torch.randn(1024, 1000, **HALF), torch.randint(1000, (16384,))

    @torch.no_grad()
    def step():
        out = (model(x) @ head).float()
        found = out.argmax(1).cpu() if after else out.cpu().argmax(1)
        return (found == y).sum()
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


def every_expert(after):
    """before: all eight experts compute all tokens, and a gate keeps one of them
    remedy: tokens are sorted by expert, each computes its own share"""
    x, gate = torch.randn(8192, 1024, **HALF), torch.randn(1024, 8, **HALF)
    up, down = torch.randn(8, 1024, 4096, **HALF) / 32, torch.randn(8, 4096, 1024, **HALF) / 64

    @torch.no_grad()
    def step():
        best = (x @ gate).argmax(1)
        if not after:
            out = torch.stack([F.gelu(x @ up[e]) @ down[e] for e in range(8)])
            return (out * F.one_hot(best, 8).T[:, :, None].to(torch.bfloat16)).sum(0)
        order = torch.argsort(best)
        mine = x.index_select(0, order).view(8, 1024, 1024)
        return torch.bmm(F.gelu(torch.bmm(mine, up)), down).view(8192, 1024).index_select(0, torch.argsort(order))
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


def indexed_by_a_list(after):
    """before: columns are chosen by a Python list, x[:, [1, 5, ...]], 24 times; the list is uploaded each time
    remedy: the list is a tensor on the device"""
    x, chosen = torch.randn(2048, 256, device=CUDA), list(range(0, 256, 4))
    there = torch.tensor(chosen, device=CUDA)
    w = torch.randn(64, 256, device=CUDA) / 8

    @torch.no_grad()
    def step():
        h = x
        for _ in range(24):
            h = torch.relu(h[:, there if after else chosen] @ w)
        return h
    return step


def old_policy_again(after):
    """before: each of four passes over the same batch asks the frozen old policy once more for its probabilities
    remedy: the old policy is asked once in front of the passes"""
    policy, old, x = layers(6, 2048).to(**HALF), layers(6, 2048).to(**HALF), torch.randn(4096, 2048, **HALF)
    optimizer = sgd(policy)

    @torch.no_grad()
    def before_it():
        return torch.log_softmax(old(x).float(), 1)

    def step():
        kept = before_it()
        for _ in range(4):
            new = torch.log_softmax(policy(x).float(), 1)
            ratio = torch.exp((new - (kept if after else before_it()))[:, 0])
            torch.minimum(ratio, ratio.clamp(0.8, 1.2)).mean().backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    return step


PATTERNS = [distributions_checked, environments_one_by_one, advantages_backwards, full_adjacency, graphs_read_out,
            degrees_in_each_layer, tables_one_by_one, features_in_pairs, ids_made_unique, categories_as_vectors, columns_binned,
            logits_to_the_host, ranked_on_the_host, results_joined, clusters_by_masks, every_expert, ensemble_one_by_one,
            indexed_by_a_list, old_policy_again]
