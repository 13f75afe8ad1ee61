#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Targets and expectation cards from what tests/gpu/run collected: `summary.py FOLDER`.

Reads FOLDER/traces, traces-gpu, tables/*.tsv and torch/torch.json; what is not there is called open.
Nothing here is a constant of some GPU: every number printed was measured in this run.
"""
import json
import os
import re
import statistics
import sys

top = sys.argv[1]
GEMM = re.compile(r"nvjet|gemm|xmma|cutlass", re.I)
LAUNCH = re.compile(r"Launch")
WORK = ("kernel", "gpu_memcpy", "gpu_memset")
kept = broken = unknown = 0


class Case:
    """One trace, cut into its steps."""

    def __init__(self, path):
        with open(path) as f:
            self.head = json.load(f)
        events = self.head["traceEvents"]
        spans = [e for e in events if e["ph"] == "X" and e["pid"] != "Spans"]
        self.steps = sorted((e for e in spans if e["cat"] == "user_annotation" and
                             e["name"].startswith("ProfilerStep#")), key=lambda e: e["ts"])
        self.calls = [e for e in spans if e["cat"] in ("cuda_runtime", "cuda_driver")]
        self.overhead = [e for e in spans if e["cat"] == "overhead"]
        self.ops = [e for e in spans if e["cat"] == "cpu_op"]
        self.samples = [e for e in events if e["ph"] == "C"]
        self.work = sorted((e for e in spans if e["cat"] in WORK), key=lambda e: e["ts"])
        launch = {}
        for c in self.calls:
            number = c["args"]["correlation"]
            if number not in launch or c["ts"] < launch[number]["ts"]:
                launch[number] = c
        self.launch = launch
        self.by_step = [[w for w in self.work if self.inside(launch.get(w["args"]["correlation"]), s)]
                        for s in self.steps]
        self.calls_by_step = [[c for c in self.calls if self.inside(c, s)] for s in self.steps]

    @staticmethod
    def inside(e, s):
        return e is not None and s["ts"] <= e["ts"] < s["ts"] + s["dur"]

    def names(self, step=-1):
        return [w["name"] for w in self.by_step[step]]

    def kernels(self, step=-1):
        return [w for w in self.by_step[step] if w["cat"] == "kernel"]

    def copies(self, step=-1):
        return [w for w in self.by_step[step] if w["cat"] == "gpu_memcpy"]

    def gemms(self, step=-1):
        return [w["name"] for w in self.kernels(step)
                if GEMM.search(w["name"]) and "splitKreduce" not in w["name"]]

    def launches(self, step=-1):
        return [c["name"] for c in self.calls_by_step[step] if LAUNCH.search(c["name"])]

    def device_us(self):
        return statistics.median(sum(w["dur"] for w in step) for step in self.by_step)

    def durations(self, pattern):
        return [w["dur"] for w in self.work if re.search(pattern, w["name"])]

    def step_us(self):
        return [s["dur"] for s in self.steps]


def case(name):
    for folder in ("traces", "traces-gpu"):
        path = os.path.join(top, folder, "cuda", name + ".pt.trace.json")
        if os.path.exists(path):
            return Case(path)
    return None


def table(name):
    path = os.path.join(top, "tables", name + ".tsv")
    if not os.path.exists(path) or not os.path.getsize(path):
        return []
    with open(path) as f:
        head, *rows = [line.rstrip("\n").split("\t") for line in f]
    return [dict(zip(head, row)) for row in rows]


def torch_result():
    result = {}
    for name in ("torch.json", "bare.json"):
        path = os.path.join(top, "torch", name)
        if os.path.exists(path):
            with open(path) as f:
                result.update(json.load(f))
    return result


def value(rows, column, **where):
    for r in rows:
        if all(r.get(k) == v for k, v in where.items()):
            try:
                return float(r[column])
            except (KeyError, ValueError):
                return None
    return None


torch = torch_result()


def theirs(*path):
    at = torch
    for key in path:
        at = at.get(key) if isinstance(at, dict) else None
        if at is None:
            return None
    return at


def verdict(good):
    global kept, broken, unknown
    if good is None:
        unknown += 1
        return "open  "
    kept += good
    broken += not good
    return "kept  " if good else "BROKEN"


def say(label, good, text):
    print(f"{verdict(good)} {label:<5} {text}")


def need(c, names):
    return c is not None and all(x is not None for x in names)


# ---- targets --------------------------------------------------------------------------------------

def ratio_line(label, ours, other, most, what, less_is_better=True):
    if ours is None or other is None or other <= 0:
        say(label, None, f"{what}: ours {ours}, the other {other}")
        return
    ratio = ours / other
    good = ratio <= most if less_is_better else ratio >= most
    say(label, good, f"{what}: {ours:.3f} against {other:.3f}, ratio {ratio:.3f} "
                     f"(wanted {'at most' if less_is_better else 'at least'} {most})")


def targets():
    print("Targets\n")
    bandwidth, gemms = table("bandwidth"), table("gemms")
    copy = value(bandwidth, "GB_per_s", what=f"copy {8192 * 3072 * 2} bytes")
    big = value(bandwidth, "GB_per_s", what=f"copy {1 << 29} bytes")
    fused = value(bandwidth, "GB_per_s", what="fused gelu*mul 8192x3072 bf16")
    add = value(bandwidth, "GB_per_s", what="add 4096x4096 bf16")
    best = max((x for x in (copy, big) if x), default=None)
    ratio_line("BW1", fused, best, 0.95, "fused gelu*mul, GB/s, against the copy", False)
    ratio_line("BW2", add, best, 0.95, "add 4096x4096, GB/s, against the copy", False)
    ours = value(bandwidth, "p50_us", what="fused gelu*mul 8192x3072 bf16")
    ratio_line("T1", ours, theirs("compiled gelu*mul", "p50"), 1.0,
               "fused gelu*mul, us, against torch.compile")
    ratio_line("T2", ours, theirs("Liger-style Triton gelu*mul", "p50"), 1.0,
               "fused gelu*mul, us, against Liger's way in Triton")
    ratio_line("T3", value(bandwidth, "p50_us", what="generic geglu 8192x3072 bf16"),
               theirs("Liger-style Triton gelu*mul", "p50"), 1.0,
               "generic geglu, us, against Liger's way in Triton")
    ratio_line("T4", value(bandwidth, "p50_us", what="add 4096x4096 bf16"),
               theirs("compiled add", "p50"), 1.0, "add, us, against torch.compile")
    print(f"             torch's own add: {theirs('pointwise', 'add 4096x4096 bf16', 'p50')} us")
    for name in ("64", "1024", "1024 fp32", "4096", "8 x 64", "linear 1024x32->64",
                 "gate, up 8192x768->3072", "down 8192x3072->768"):
        ratio_line("GEMM", value(gemms, "p50_us", product=name, how="first choice"),
                   theirs("gemms", name, "p50"), 1.02, f"product {name}, us, against torch")
    steps = table("steps") + table("steps-layers")
    eager = "matmul_add/64_bf16_warm_eager"
    ours = value(steps, "unrecorded_us", case=eager)
    bare = table("steps-bare")
    alone = value(bare, "unrecorded_us", case=eager)
    ratio_line("CPU1", alone, theirs("bare steps", eager), 1 / 3,
               "CPU us of a 64 eager step against torch, no profiler loaded")
    print(f"             with CUPTI loaded and idle: {ours} against "
          f"{theirs('steps', eager, 'unrecorded_us')} us")
    ratio_line("CPU2", value(bare, "unrecorded_us", case="matmul_add/64_bf16_warm_graph"), alone,
               0.5, "CPU us of a graph step against our eager")
    recorded = value(steps, "recorded_us", case=eager)
    more = (recorded - ours) / 2 if recorded and ours else None
    a, b = theirs("steps", eager, "recorded_us"), theirs("steps", eager, "unrecorded_us")
    ratio_line("REC", more, (a - b) / 2 if a and b else None, 1.0,
               "what recording adds to a launch, us, against torch.profiler")


# ---- cards ----------------------------------------------------------------------------------------

M = "matmul_add/"


def card_steps():
    c = case(M + "64_bf16_cold_eager")
    if c:
        w = c.step_us()
        say("E01", len(c.kernels()) == 2 and w[0] > 2 * statistics.median(w[1:]),
            f"cold: {c.names()}; steps {[round(x, 1) for x in w]} us")
        setup = {}
        for e in c.ops:
            if e["args"].get("kind") == "setup":
                setup[e["name"]] = setup.get(e["name"], 0) + e["dur"]
        print("             first-call costs: " + ", ".join(
            f"{k} {v:.0f} us" for k, v in sorted(setup.items(), key=lambda kv: -kv[1])))
        print(f"             overhead: {[(e['name'], round(e['dur'], 1)) for e in c.overhead]}")
    else:
        say("E01", None, "no trace")
    c = case(M + "64_bf16_warm_eager")
    if c:
        w = c.step_us()
        say("E02", max(w) <= 1.5 * min(w), f"warm: steps {[round(x, 1) for x in w]} us; "
            f"{len(c.kernels())} kernels")
    else:
        say("E02", None, "no trace")
    c = case(M + "64_bf16_warm_eager_at_once")
    requests = [e for e in c.overhead if e["name"] == "Activity Buffer Request"] if c else []
    if c:
        first = [x["dur"] for x in c.calls_by_step[0] if LAUNCH.search(x["name"])]
        torch_requests = [(k, v) for k, v in (theirs("traces", "64 eager, recorded at once") or
                                              {}).items() if "Buffer Request" in k]
        say("E03", len(requests) >= 1, f"recorded at once: {len(requests)} buffer requests, "
            f"{sum(e['dur'] for e in requests):.1f} us; launches of the first step "
            f"{[round(x, 1) for x in first]} us; torch: {torch_requests}")
    else:
        say("E03", None, "no trace")
    c = case(M + "4096_bf16_warm_eager_x20")
    if c:
        n = sum(e["name"] == "Activity Buffer Request" for e in c.overhead)
        say("E04", n <= 1, f"twenty steps: {n} buffer requests, not 20")
        d = c.durations(GEMM.pattern)
        names = {x for s in range(len(c.steps)) for x in c.gemms(s)}
        say("E07", len(names) == 1 and len(d) == 20,
            f"twenty GEMMs: {len(names)} name, median {statistics.median(d):.1f}, mean "
            f"{statistics.mean(d):.1f}, {min(d):.1f} to {max(d):.1f} us")
    else:
        say("E04", None, "no trace")
        say("E07", None, "no trace")


def card_products():
    eager, compiled = case(M + "4096_bf16_warm_eager"), case(M + "4096_bf16_warm_compile")
    fused, addmm = case(M + "4096_bf16_warm_fused"), case("addmm/4096_bf16_warm_eager")
    if eager:
        g, a = eager.durations(GEMM.pattern), eager.durations("tracebook_add")
        say("E06", bool(g and a) and statistics.median(g) > 3 * statistics.median(a),
            f"4096: GEMM {statistics.median(g):.1f} us, add {statistics.median(a):.1f} us, "
            f"{2 * 4096 ** 3 / statistics.median(g) * 1e-6:.0f} TFLOP/s; {eager.gemms()}")
    else:
        say("E06", None, "no trace")
    if compiled:
        n = compiled.by_step[-1]
        say("E08", len(n) == 2 and n[0]["cat"] == "gpu_memcpy" and
            n[0]["args"]["bytes"] == 2 * 4096 ** 2,
            f"compiled: {compiled.names()}, device {compiled.device_us():.1f} us "
            f"(eager {eager.device_us() if eager else 0:.1f})")
    else:
        say("E08", None, "no trace")
    if fused:
        say("E08b", len(fused.by_step[-1]) == 1, f"C is not D: {fused.names()}, "
            f"{fused.device_us():.1f} us; same kernel as with beta 1: "
            f"{bool(compiled) and fused.gemms() == compiled.gemms()}")
    else:
        say("E08b", None, "no trace")
    if addmm:
        say("E10", bool(compiled) and addmm.names() == compiled.names(),
            f"addmm: {addmm.names()}")
    else:
        say("E10", None, "no trace")
    bmm, small = case("bmm_add/8x64_bf16_warm_eager"), case(M + "64_bf16_warm_eager")
    if bmm and small:
        say("E09", len(bmm.kernels()) == 2, f"eight at once: {bmm.names()}; "
            f"{len(bmm.calls_by_step[-1])} calls a step, one product "
            f"{len(small.calls_by_step[-1])}")
    else:
        say("E09", None, "no trace")
    graph = case(M + "64_bf16_warm_graph")
    if graph:
        ids = {w["args"]["graph id"] for w in graph.by_step[-1]}
        say("E11", graph.launches() == ["cudaGraphLaunch"] and 0 not in ids and bool(ids),
            f"graph: calls {graph.launches()}, graph ids {ids}, steps "
            f"{[round(x, 1) for x in graph.step_us()]} us")
    else:
        say("E11", None, "no trace")
    tuned, plain = case(M + "4096_bf16_warm_autotune"), case(M + "4096_bf16_warm_compile")
    if tuned and plain:
        say("E11b", tuned.device_us() <= plain.device_us() * 1.02,
            f"tuned: {tuned.gemms()} {tuned.device_us():.1f} us, first choice {plain.gemms()} "
            f"{plain.device_us():.1f} us")
    else:
        say("E11b", None, "no trace")
    fp32, bf16 = case(M + "1024_fp32_warm_eager"), case(M + "1024_bf16_warm_eager")
    if fp32 and bf16:
        name = fp32.gemms()[0] if fp32.gemms() else ""
        say("E12", bool(re.search(r"sgemm|ffma|simt|_sss_", name)) and "tf32" not in name,
            f"fp32: {name}; {fp32.device_us() / bf16.device_us():.1f} times bf16's time")
    else:
        say("E12", None, "no trace")


def card_layers():
    eager, compiled = case("linear/1024_32_64_eager"), case("linear/1024_32_64_compile")
    if eager:
        say("E20", len(eager.by_step[-1]) == 1, f"linear: {eager.names()}")
        say("E21", bool(compiled) and compiled.names() == eager.names(), "compiled: the same")
    else:
        say("E20", None, "no trace")
        say("E21", None, "no trace")
    G = "geglu_mlp/64_128_768_3072_"
    eager, compiled, hand = case(G + "eager"), case(G + "compile"), case(G + "handwritten")
    for label, c, count in (("E30", eager, 5), ("E31", compiled, 4), ("E32", hand, 4)):
        if not c:
            say(label, None, "no trace")
            continue
        plain = [k for k in c.kernels() if "splitKreduce" not in k["name"]]
        say(label, len(plain) == count, f"{len(c.kernels())} kernels, {c.device_us():.1f} us: " +
            ", ".join(f"{k['name']} {k['dur']:.1f}" for k in c.kernels()) +
            f"; launches {c.launches()}")
    then = case(G + "compile_then_32")
    if then:
        n = sum(e["name"].startswith("recompile:") for e in then.ops)
        cost = [e["dur"] for e in then.ops if e["name"].startswith("recompile:")]
        say("E33", n == 1, f"new shape: {n} recompilations, {[round(x / 1e3, 1) for x in cost]} ms")
    else:
        say("E33", None, "no trace")


def card_lecture():
    names = {"vectorised": "square/10000x10000_vectorised", "x*x": "square_mul/10000x10000_product",
             "naive": "square_naive/10000x10000", "powf": "square_powf/10000x10000",
             "tile": "square_tile/10000x10000", "row": "square_row/10000x10000",
             "row loop": "square_row_loop/10000x10000"}
    times = {k: c.device_us() for k, v in names.items() if (c := case(v))}
    text = ", ".join(f"{k} {v:.1f}" for k, v in times.items())
    base = times.get("vectorised")
    three = [theirs("square 10000x10000 fp32", k, "p50") for k in
             ("torch.square", "b * b", "b ** 2")]
    say("E40", max(times[k] for k in ("vectorised", "x*x")) <= 1.1 * base
        if base and "x*x" in times else None, f"squares, us: {text}; torch {three}")
    say("E43", times["tile"] > base if "tile" in times and base else None, "16 x 16 is slower")
    say("E44", times["row loop"] < times["row"]
        if "row" in times and "row loop" in times else None, "a fixed block in a loop is faster")
    copies = table("copies")
    page = value(copies, "GB_per_s", bytes="268435456", direction="HtoD", memory="pageable")
    pin = value(copies, "GB_per_s", bytes="268435456", direction="HtoD", memory="pinned")
    say("E42", pin > page if pin and page else None, f"to the GPU, GB/s: pageable {page}, "
        f"pinned {pin}")
    sweep = table("sweep")
    if sweep:
        wins = sum(value(sweep, "p50_us", width=w, kernel="square") <=
                   min(value(sweep, "p50_us", width=w, kernel=k)
                       for k in ("square_row", "square_row_loop"))
                   for w in {r["width"] for r in sweep})
        say("E45", wins >= len({r["width"] for r in sweep}) * 0.9,
            f"sweep: vectorised is fastest at {wins} of {len({r['width'] for r in sweep})} widths")
    else:
        say("E45", None, "no table")
    path = os.path.join(top, "tables", "source.tsv")
    ptx = open(path).read() if os.path.exists(path) else ""
    counts = {op: len(re.findall(r"^\s*(?:@\S+\s+)?" + op, ptx, re.M)) for op in
              (r"ld\.global", r"st\.global", r"ld\.shared", r"fma\.", r"mul\.f32", r"ex2\.",
               r"rcp\.", r"setp", r"bar\.sync")}
    say("E47", counts[r"ld\.global"] == 2 and counts[r"st\.global"] == 1 if ptx else None,
        f"PTX of the fused kernel: {counts}")
    say("E49", "tracebook_fused" in ptx if ptx else None, "its source is in tables/source.tsv")
    rows = table("counters")
    say("E46", bool(rows) or None, f"counters: {len(rows)} rows")


# ---- questions ------------------------------------------------------------------------------------

def questions():
    print("\nQuestions\n")
    all_calls, gemm_launch, threads = {}, {}, set()
    for folder in ("traces", "traces-gpu"):
        for path, _, files in os.walk(os.path.join(top, folder)):
            for f in files:
                if not f.endswith(".json") or f == "run.json":
                    continue
                c = Case(os.path.join(path, f))
                for e in c.calls:
                    all_calls[e["name"]] = all_calls.get(e["name"], 0) + 1
                for w in c.work:
                    call = c.launch.get(w["args"]["correlation"])
                    if w["cat"] == "kernel" and GEMM.search(w["name"]) and call:
                        key = (w["name"].split("_")[0], call["name"], call["cat"])
                        gemm_launch[key] = gemm_launch.get(key, 0) + 1
    run = os.path.join(top, "traces", "cuda", "run.json")
    if os.path.exists(run):
        with open(run) as f:
            manifest = json.load(f)
        print(json.dumps(manifest["environment"], indent=1))
        for c in manifest["cases"]:
            if c["status"] != "done" or "scaled" in c:
                print(f"  {c['id']}: {c['status']} {c.get('reason', '')} {c.get('scaled', '')}")
    print(f"torch: {torch.get('torch')}, its libraries: {theirs('libraries')}")
    print(f"What launches GEMMs: {gemm_launch}")
    print("Occupancy queries: " + str({k: n for k, n in all_calls.items()
                                       if "Occupancy" in k or "Attribute" in k}))
    print(f"All calls: {dict(sorted(all_calls.items(), key=lambda kv: -kv[1]))}")
    c = case(M + "64_bf16_warm_eager")
    if c and c.work:
        print("A 64 step, calls then work (us from its start):")
        s = c.steps[-1]
        for e in sorted(c.calls_by_step[-1] + c.by_step[-1], key=lambda e: e["ts"]):
            print(f"  {e['ts'] - s['ts']:9.3f} {e['dur']:9.3f} {e['cat']:<13} {e['name']}")
    clocks = {}
    for name in (M + "4096_bf16_warm_eager_x20", "geglu_mlp/64_128_768_3072_eager"):
        c = case(name)
        for e in c.samples if c else ():
            clocks.setdefault(e["name"], []).append(e["args"][""])
    print(f"Clocks: {clocks}")
    for name in ("launches", "launches-bare", "steps", "steps-layers", "steps-bare", "bandwidth", "recipes", "gemms", "counters",
                 "counters-mlp"):
        path = os.path.join(top, "tables", name + ".tsv")
        if os.path.exists(path):
            print(f"\n[{name}]")
            with open(path) as f:
                print(f.read().rstrip())


def guarded(f):
    try:
        f()
    except Exception as e:  # one card must not cost the others
        print(f"{f.__name__} failed: {type(e).__name__}: {e}")


for f in (targets, lambda: print("\nExpectation cards\n"), card_steps, card_products, card_layers,
          card_lecture, questions):
    guarded(f)
print(f"\n{kept} kept, {broken} broken, {unknown} open")
