#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyTorch runs, as a recorded run of the book: `torch_cases.py OUT_FOLDER [ID_PART...]`.

Runs the cases of experiments/pytorch.json, attention by each of PyTorch's back-ends and a transformer
block in training, under torch.profiler, and writes traces, profiler tables and a run.json as collect
writes it. Each case is compared with plain fp64 arithmetic or, a block, with its eager form; a case
that fails says so in run.json, and the others go on.
"""
import json
import os
import platform
import sys
import time
import traceback

import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

HERE = os.path.dirname(os.path.abspath(__file__))
MATRIX = os.path.join(HERE, "..", "..", "experiments", "pytorch.json")
CUDA = torch.device("cuda")
DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}
LIMIT = {"bf16": 0.02, "fp32": 1e-3}
HEADS_OF_BLOCK = 12
WARM_BEFORE_CAPTURE = 3


def rand(*shape, dtype):
    """Uniform with unit variance, as our own inputs."""
    return ((torch.rand(*shape, device=CUDA) * 2 - 1) * 3 ** 0.5).to(dtype)


# ---- attention ------------------------------------------------------------------------------------

def future(seq):
    """True where a key lies behind its query."""
    return torch.ones(seq, seq, dtype=torch.bool, device=CUDA).triu(1)


def written(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    scores = scores * q.shape[-1] ** -0.5
    scores = scores.masked_fill(mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v


def in_place(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    scores = scores * q.shape[-1] ** -0.5
    scores.masked_fill_(mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v


BACKENDS = {"math": torch.backends.cuda.enable_math_sdp, "flash": torch.backends.cuda.enable_flash_sdp,
            "efficient": torch.backends.cuda.enable_mem_efficient_sdp, "cudnn": torch.backends.cuda.enable_cudnn_sdp}


def allow(backend):
    """This back-end alone; all, where it is none of them."""
    for name, enable in BACKENDS.items():
        enable(name == backend or backend not in BACKENDS)


def attention_call(variant, q, k, v):
    mask = future(q.shape[-2])
    allow(variant.replace("whole_", ""))
    if variant in ("written", "in_place"):
        how = written if variant == "written" else in_place
        return lambda: how(q, k, v, mask)
    if variant == "tensor_mask":
        seen = ~mask
        return lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
    causal = not variant.startswith("whole_")
    return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)


def attention_error(call, variant, q, k, v):
    scores = (q.double() @ k.double().transpose(-2, -1)) * q.shape[-1] ** -0.5
    if not variant.startswith("whole_"):
        scores = scores.masked_fill(future(q.shape[-2]), float("-inf"))
    want = torch.softmax(scores, dim=-1) @ v.double()
    return ((call().double() - want).norm() / want.norm()).item()


def attention_step(case):
    dtype = DTYPES[case["dtype"]]
    variant = case["variant"]
    q, k, v = (rand(1, case["batch"], case["seq"], case["dim"], dtype=dtype) for _ in range(3))
    call = attention_call(variant, q, k, v)
    with torch.no_grad():
        error = attention_error(call, variant, q, k, v)

    def step():
        with torch.no_grad():
            call()
    return step, error


# ---- a block --------------------------------------------------------------------------------------

class Block(nn.Module):
    """Attention and an MLP, each behind a norm and beside a shortcut."""

    def __init__(self, dim, hidden, heads, seq):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.register_buffer("mask", torch.ones(seq, seq, dtype=torch.bool).triu(1))

    def attend(self, x):
        batch, seq, dim = x.shape
        q, k, v = self.qkv(x).view(batch, seq, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        return self.proj(written(q, k, v, self.mask).transpose(1, 2).reshape(batch, seq, dim))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


def training(case, variant, seed=1):
    """A step of training; the loss is read in every step, as many programs do. Graphs as PyTorch's notes on them
    capture one: three steps beside, then one that has no gradients yet."""
    torch.manual_seed(seed)
    dtype = DTYPES[case["dtype"]]
    captured = "graph" in variant
    model = Block(case["dim"], case["hidden"], HEADS_OF_BLOCK, case["seq"]).to(CUDA, dtype)
    x = torch.randn(case["batch"], case["seq"], case["dim"], device=CUDA).to(dtype)
    target = torch.randn(x.shape, device=CUDA).to(dtype)
    run = torch.compile(model) if "compile" in variant else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=captured,
                                  foreach="compile" in variant)

    def work():
        optimizer.zero_grad(set_to_none=True)
        with record_function("forward"):
            loss = F.mse_loss(run(x), target)
        with record_function("backward"):
            loss.backward()
        with record_function("optimizer"):
            optimizer.step()
        return loss.detach()

    if not captured:
        return lambda: work().item()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_BEFORE_CAPTURE):
            work()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        loss = work()

    def replay():
        graph.replay()
        return loss.item()
    replay.works_on = work  # a graph knows addresses only: without this the next model would lie where this one lay
    return replay


def block_step(case):
    """Its first losses are those of the eager step, which are nearly those of fp32."""
    variant = case["variant"]
    first = WARM_BEFORE_CAPTURE if "graph" in variant else 0
    step = training(case, variant)
    plain = training(dict(case, dtype="fp32") if variant == "eager" else case, "eager")
    want = [plain() for _ in range(first + 3)][first:]
    got = [step() for _ in range(3)]
    print(f"losses of {variant}: {got}, wanted: {want}", flush=True)
    return step, max(abs(a - b) / abs(a) for a, b in zip(want, got))


# ---- recording ------------------------------------------------------------------------------------

STEPS = {"sdpa": attention_step, "block": block_step}
SIZES = ("batch", "seq", "dim", "hidden")


def record(case, step, folder):
    plan = case["schedule"]
    for _ in range(5):
        step()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
                 schedule=schedule(**plan)) as prof:
        for _ in range(plan["wait"] + plan["warmup"] + plan["active"]):
            with record_function("attention" if case["workload"] == "sdpa" else "training step"):
                step()
            prof.step()
        torch.cuda.synchronize()
    stem = os.path.join(folder, case["experiment"], case["tag"])
    os.makedirs(os.path.dirname(stem), exist_ok=True)
    prof.export_chrome_trace(stem + ".pt.trace.json")
    with open(stem + ".txt", "w", encoding="utf-8") as out:
        out.write(prof.key_averages().table(sort_by="cuda_time_total", row_limit=15))


def flop_of(case):
    if case["workload"] == "sdpa":
        pairs = case["batch"] * case["seq"] ** 2
        return pairs * (4 * case["dim"] + 5)
    rows = case["batch"] * case["seq"]
    products = rows * case["dim"] * (4 * case["dim"] + 2 * case["hidden"]) + 2 * rows * case["seq"] * case["dim"]
    return 3 * 2 * products


def told(case, matrix):
    """The case as run.json has it, before it runs."""
    sizes = [s for s in SIZES if s in case]
    tag = case.get("tag") or "_".join([str(case[s]) for s in sizes] + [case["variant"]])
    entry = {"experiment": case["workload"], "tag": tag, "id": f"{case['workload']}/{tag}"}
    entry.update({k: case[k] for k in ("title", "question", "guess", "workload", "mode", "dtype", "warm")})
    entry["shape"] = {s: case[s] for s in sizes}
    entry["schedule"] = case.get("schedule", matrix["schedule"])
    entry["flop_per_step"] = flop_of(case)
    entry["expect"] = case.get("expect", {})
    return entry


def run(case, entry, folder):
    began = time.time()
    try:
        step, error = STEPS[case["workload"]](case)
        entry["check"] = {"error": error, "limit": LIMIT[case["dtype"]]}
        if not error <= LIMIT[case["dtype"]]:
            raise RuntimeError(f"it computes something else: error {error:.3g}")
        record(dict(case, **entry), step, folder)
        entry.update(status="done", trace=f"{entry['id']}.pt.trace.json", table=f"{entry['id']}.txt")
    except Exception as problem:  # the other cases go on
        traceback.print_exc()
        entry.update(status="failed", reason=str(problem).splitlines()[0][:200])
    entry["seconds"] = round(time.time() - began, 3)
    print(f"{entry['id']}: {entry['status']} {entry.get('reason', entry.get('check'))} "
          f"({entry['seconds']} s)", flush=True)
    torch.cuda.empty_cache()


def environment():
    capability = torch.cuda.get_device_capability()
    chip = torch.cuda.get_device_properties(0)
    return {"Device": torch.cuda.get_device_name(), "Cores": str(os.cpu_count()),
            "Instruction set used": f"sm_{capability[0]}{capability[1]}", "CUDA": torch.version.cuda,
            "Multiprocessors": str(chip.multi_processor_count), "PyTorch": torch.__version__,
            "cuDNN": str(torch.backends.cudnn.version()), "Kernel": f"{platform.system()} {platform.release()}"}


def main():
    folder = os.path.join(sys.argv[1], "cuda")
    os.makedirs(folder, exist_ok=True)
    with open(MATRIX, encoding="utf-8") as file:
        matrix = json.load(file)
    manifest = {"tracebook": 1, "device": "cuda", "is_gpu": True,
                "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "environment": environment(),
                "matrix": {"file": "experiments/pytorch.json", "guessed": matrix["guessed"]},
                "cases": [], "comparisons": matrix["comparisons"]}
    for case in matrix["cases"]:
        entry = told(case, matrix)
        if sys.argv[2:] and not any(part in entry["id"] for part in sys.argv[2:]):
            continue
        run(case, entry, folder)
        manifest["cases"].append(entry)
        with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file, indent=1)
    return any(c["status"] != "done" for c in manifest["cases"])


if __name__ == "__main__":
    sys.exit(main())
