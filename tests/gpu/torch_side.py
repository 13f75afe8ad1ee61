#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same experiments in PyTorch, on the same GPU, for comparison: `torch_side.py OUT_FOLDER`.

Writes torch.json (times of kernels and of CPU steps) and traces of torch.profiler. Kernel times are
those of torch.profiler, which are CUPTI's, as ours are; buffers rotate, inputs and outputs, so that
nothing is found in the level-2 cache; inputs are random. Each part fails alone and says so.

`torch_side.py OUT_FOLDER bare` writes bare.json, with the CPU steps alone, in a process that has
never started a profiler: a started one makes launches slower, recorded or not. `torch_side.py OUT_FOLDER turns`
prints what an eager step of 64 x 64 costs the CPU, unrecorded and recorded, for each line that it is given (adds.py).
"""
import json
import os
import statistics
import sys
import time
import traceback

import torch
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile, record_function, schedule

try:  # a kernel's names must be global
    import triton
    import triton.language as tl
    try:
        from triton.language.extra.libdevice import tanh
    except ImportError:
        from triton.language.extra.cuda.libdevice import tanh

    # One program a row; gelu in f32, rounded before the product: as Liger's kernel does it.
    @triton.jit
    def geglu(gate, up, out, stride, columns: tl.constexpr, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        lane = tl.arange(0, BLOCK)
        mask = lane < columns
        a = tl.load(gate + row * stride + lane, mask=mask, other=0).to(tl.float32)
        b = tl.load(up + row * stride + lane, mask=mask, other=0)
        inner = 0.7978845608028654 * (a + 0.044715 * a * a * a)
        gelu = 0.5 * a * (1 + tanh(inner))
        tl.store(out + row * stride + lane, gelu.cast(b.dtype) * b, mask=mask)
except ImportError:
    geglu = None

out = sys.argv[1]
BARE, TURNS = (sys.argv[2:] == [word] for word in ("bare", "turns"))
os.makedirs(out, exist_ok=True)
CUDA = torch.device("cuda")
ROTATE, WARM, ROUNDS = 4, 20, 60
PLACES, PACE_NS = 6, 40000  # of small products, as in products.c
result = {"torch": torch.__version__, "device": torch.cuda.get_device_name()}


def loaded(*names):
    """Paths of libraries that are in this process: ours should compare with the same ones."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "/" in line}
    return sorted(p for p in paths if any(n in os.path.basename(p) for n in names))


def part(name):
    """Runs a function, keeps what it returns under the name, or why it failed."""
    def run(f):
        if TURNS or BARE != (name == "bare steps"):
            return
        start = time.time()
        try:
            result[name] = f()
        except Exception:
            traceback.print_exc()
            result[name] = {"failed": traceback.format_exc(limit=1)}
        print(f"torch: {name} took {time.time() - start:.1f} s", file=sys.stderr)
        with open(os.path.join(out, "bare.json" if BARE else "torch.json"), "w") as file:
            json.dump(result, file, indent=1)
    return run


def rotating(make):
    return [make() for _ in range(ROTATE)]


def kept(f):
    """f, with its last results kept, so that the allocator does not hand out the same block again."""
    last = [None] * ROTATE

    def run(i):
        last[i % ROTATE] = None
        last[i % ROTATE] = f(i)
    return run


def rand(*shape, dtype=torch.bfloat16):
    """Uniform in [-1, 1), as our own programs fill their arrays: the values decide the power."""
    return (torch.rand(*shape, device=CUDA, dtype=torch.float32) * 2 - 1).to(dtype)


def summary_of(us, one_call):
    us = sorted(us)
    n = len(us)
    return {"p20": us[n // 5], "p50": us[n // 2], "p80": us[n * 4 // 5],
            "kernels": [e["name"] for e in one_call],
            "registers": [e["args"].get("registers per thread") for e in one_call],
            "grid": [e["args"].get("grid") for e in one_call]}


def in_places(make):
    """As kernel_times of make(), on arrays in several places, as time_in_places of tables.c."""
    times, one_call = [], []
    for place in range(PLACES):
        torch.cuda.empty_cache()
        unused = torch.empty(1 + place * (8 << 30), dtype=torch.uint8, device=CUDA)
        f = make()
        us, one_call = raw_times(f, ROUNDS, WARM)
        times += us
        del f, unused
    return summary_of(times, one_call)


def kernel_times(f, rounds=ROUNDS, warm=WARM):
    """{"p20", "p50", "p80": microseconds of GPU work a call, "kernels": names of one call}"""
    return summary_of(*raw_times(f, rounds, warm))


def raw_times(f, rounds, warm):
    for i in range(warm):
        f(i)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        for i in range(rounds):
            with record_function(f"call {i}"):
                f(i)
        torch.cuda.synchronize()
    path = os.path.join(out, "scratch.json")
    prof.export_chrome_trace(path)
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    os.remove(path)
    work = sorted((e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")),
                  key=lambda e: e["ts"])
    if len(work) % rounds:
        raise RuntimeError(f"{len(work)} pieces of work in {rounds} rounds")
    per = len(work) // rounds
    us = [sum(e["dur"] for e in work[i * per:(i + 1) * per]) for i in range(rounds)]
    return us, work[:per]


def cpu_times(f, recorded):
    """Median microseconds a call on the CPU, in bursts that do not fill the stream."""
    burst, bursts, us = 40, 25, []
    for i in range(WARM):
        f(i)
    torch.cuda.synchronize()

    def one_burst():
        start = time.perf_counter_ns()
        for i in range(burst):
            f(i)
        us.append((time.perf_counter_ns() - start) * 1e-3 / burst)
        torch.cuda.synchronize()

    for _ in range(bursts):
        if recorded:
            with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
                f(0)
                one_burst()
        else:
            one_burst()
    return statistics.median(us)


# ---- products -------------------------------------------------------------------------------------

def placed(f, *shapes, dtype=torch.bfloat16):
    """f on arrays of several places, one call every PACE_NS."""
    sets = [[rand(*shape, dtype=dtype) for shape in shapes] for _ in range(PLACES)]
    following = 0

    def run(i):
        nonlocal following
        while time.perf_counter_ns() < following:
            pass
        following = time.perf_counter_ns() + PACE_NS
        return f(*sets[i % PLACES])
    return run


@part("gemms")
def _():
    times = {"64": kernel_times(placed(torch.matmul, (64, 64), (64, 64))),
             "8 x 64": kernel_times(placed(torch.bmm, (8, 64, 64), (8, 64, 64))),
             "linear 1024x32->64": kernel_times(placed(F.linear, (1024, 32), (64, 32), (64,)))}
    for size, dtype in ((1024, torch.bfloat16), (1024, torch.float32), (4096, torch.bfloat16)):
        name = f"{size}" + (" fp32" if dtype == torch.float32 else "")
        x, w = rand(size, size, dtype=dtype), rand(size, size, dtype=dtype)
        times[name] = kernel_times(lambda i: torch.matmul(x, w))
    x, w = rand(8192, 768), rand(3072, 768)
    times["gate, up 8192x768->3072"] = kernel_times(lambda i: F.linear(x, w))
    x, w = rand(8192, 3072), rand(768, 3072)
    times["down 8192x3072->768"] = kernel_times(lambda i: F.linear(x, w))
    x, w, b = rand(4096, 4096), rand(4096, 4096), rand(4096, 4096)
    times["4096 addmm"] = kernel_times(lambda i: torch.addmm(b, x, w))
    return times


# ---- pointwise ------------------------------------------------------------------------------------

ROWS, COLUMNS = 8192, 3072


@part("libraries")
def _():
    torch.matmul(rand(64, 64), rand(64, 64))
    return loaded("cublasLt", "cupti", "nvrtc")


def element(f, *shape):
    """f on two arrays, which rotate; its results are kept."""
    a, b = rotating(lambda: rand(*shape)), rotating(lambda: rand(*shape))
    return kept(lambda i: f(a[i % ROTATE], b[i % ROTATE]))


@part("pointwise")
def _():
    return {
        "add 4096x4096 bf16": in_places(lambda: element(torch.add, 4096, 4096)),
        "gelu 8192x3072 bf16": in_places(lambda: element(
            lambda g, u: F.gelu(g, approximate="tanh"), ROWS, COLUMNS)),
        "mul 8192x3072 bf16": in_places(lambda: element(torch.mul, ROWS, COLUMNS)),
    }


@part("compiled gelu*mul")
def _():
    @torch.compile(dynamic=False)
    def fused(gate, up):
        return F.gelu(gate, approximate="tanh") * up
    return in_places(lambda: element(fused, ROWS, COLUMNS))


@part("compiled add")
def _():
    added = torch.compile(lambda x, y: x + y, dynamic=False)
    return in_places(lambda: element(added, 4096, 4096))


@part("Liger-style Triton gelu*mul")
def _():
    def run(g, u):
        o = torch.empty_like(g)
        geglu[(ROWS,)](g, u, o, COLUMNS, COLUMNS, BLOCK=4096, num_warps=8)
        return o
    g, u = rand(ROWS, COLUMNS), rand(ROWS, COLUMNS)
    want = F.gelu(g, approximate="tanh") * u
    worst = ((run(g, u).float() - want.float()).norm() / want.float().norm()).item()
    times = in_places(lambda: element(run, ROWS, COLUMNS))
    times["error"] = worst
    return times


@part("square 10000x10000 fp32")
def _():
    b = rand(10000, 10000, dtype=torch.float32)
    return {"torch.square": kernel_times(kept(lambda i: torch.square(b))),
            "b * b": kernel_times(kept(lambda i: b * b)), "b ** 2": kernel_times(kept(lambda i: b ** 2))}


@part("copy")
def _():
    a = rotating(lambda: rand(ROWS, COLUMNS))
    b = rotating(lambda: torch.empty_like(a[0]))
    big = torch.empty(1 << 30, dtype=torch.bfloat16, device=CUDA)
    other = torch.empty_like(big)
    return {"8192x3072 bf16": kernel_times(lambda i: b[i % ROTATE].copy_(a[i % ROTATE])),
            "2 GiB": kernel_times(lambda i: other.copy_(big), rounds=15, warm=3)}


# ---- steps ----------------------------------------------------------------------------------------

def mlp(compiled):
    dim, hidden = 768, 3072
    wg, wu, wd = rand(hidden, dim), rand(hidden, dim), rand(dim, hidden)
    x = rand(64, 128, dim)

    def forward(x):
        gate = F.gelu(F.linear(x, wg), approximate="tanh")
        return F.linear(gate * F.linear(x, wu), wd)
    f = torch.compile(forward, dynamic=False) if compiled else forward
    return lambda i: f(x)


def matmul_add(size, mode):
    x, w, b = rand(size, size), rand(size, size), rand(size, size)

    def forward(x, w, b):
        return torch.add(torch.matmul(x, w), b)
    f = forward if mode == "eager" else torch.compile(
        forward, dynamic=False, **({} if mode == "compile" else {"mode": mode}))
    return lambda i: f(x, w, b)


def linear(compiled):
    layer = torch.nn.Linear(32, 64, bias=True, device=CUDA, dtype=torch.bfloat16).eval()
    x = rand(1024, 32)
    f = torch.compile(layer, dynamic=False) if compiled else layer
    return lambda i: f(x)


def attention(heads, seq, fused):
    """softmax(q k') v, with the scale in q as in ours."""
    q, k, v = rand(heads, seq, 64) / 8, rand(heads, seq, 64), rand(heads, seq, 64)
    if fused:
        return lambda i: F.scaled_dot_product_attention(q[None], k[None], v[None], scale=1.0)
    return lambda i: torch.softmax(q @ k.transpose(-2, -1), -1) @ v


STEPS = {
    "matmul_add/64_bf16_warm_eager": lambda: matmul_add(64, "eager"),
    "matmul_add/64_bf16_warm_compile": lambda: matmul_add(64, "compile"),
    "matmul_add/64_bf16_warm_graph": lambda: matmul_add(64, "reduce-overhead"),
    "matmul_add/4096_bf16_warm_eager": lambda: matmul_add(4096, "eager"),
    "linear/1024_32_64_eager": lambda: linear(False),
    "linear/1024_32_64_compile": lambda: linear(True),
    "geglu_mlp/64_128_768_3072_eager": lambda: mlp(False),
    "geglu_mlp/64_128_768_3072_compile": lambda: mlp(True),
    "attention/16_128_64_eager": lambda: attention(16, 128, False),
    "attention/16_128_64_fused": lambda: attention(16, 128, True),
    "attention/16_2048_64_eager": lambda: attention(16, 2048, False),
    "attention/16_2048_64_fused": lambda: attention(16, 2048, True),
}


@part("attention")
def _():
    with torch.no_grad():
        return {name: kernel_times(make()) for name, make in STEPS.items()
                if name.startswith("attention/")}


@part("bare steps")
def _():
    with torch.no_grad():
        return {name: cpu_times(make(), False) for name, make in STEPS.items()}


@part("steps")
def _():
    times = {}
    with torch.no_grad():
        for name, make in STEPS.items():
            f = make()
            times[name] = {"unrecorded_us": cpu_times(f, False),
                           "recorded_us": cpu_times(f, True)}
    return times


def record(f, path, wait, warmup, active):
    """A trace as the posts' scripts make it."""
    with torch.no_grad(), profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
            schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=1)) as prof:
        for i in range(wait + warmup + active):
            with record_function("matmul_add"):
                f(i)
            prof.step()
        torch.cuda.synchronize()
    prof.export_chrome_trace(path)
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    counts = {}
    for e in events:
        if e.get("ph") == "X" and e.get("cat") in ("cuda_runtime", "cuda_driver", "overhead",
                                                   "kernel", "gpu_memcpy", "gpu_memset"):
            key = f"{e['cat']}: {e['name'][:100]}"
            n, us = counts.get(key, (0, 0.0))
            counts[key] = (n + 1, us + e["dur"])
    return {k: {"n": n, "us": us} for k, (n, us) in sorted(counts.items())}


@part("traces")
def _():
    seen = {}
    for name, make in STEPS.items():
        f = make()
        with torch.no_grad():
            for i in range(3):
                f(i)
        torch.cuda.synchronize()
        path = os.path.join(out, name.replace("/", "__") + ".json")
        seen[name] = record(f, path, 1, 1, 3)
    f = matmul_add(64, "eager")
    f(0)
    torch.cuda.synchronize()
    seen["64 eager, recorded at once"] = record(
        f, os.path.join(out, "at_once.json"), 0, 0, 3)
    return seen


def answer_turns():
    f = matmul_add(64, "eager")
    with torch.no_grad():
        for _ in sys.stdin:
            print(f"{cpu_times(f, False):.3f}\t{cpu_times(f, True):.3f}", flush=True)


if TURNS:
    answer_turns()
