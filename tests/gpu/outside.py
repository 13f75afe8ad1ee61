#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs recorded from outside, beside torch.profiler: `outside.py BIN_FOLDER WORK_FOLDER`.

Each program runs alone, recorded by `collect -- ...`, and with torch.profiler inside (programs.py). Of
both traces the kernels, copies and fills of whole units of work are compared: names, counts a unit,
time a unit. Prints a table and the verdicts, writes WORK_FOLDER/outside.json, keeps the traces there;
status 1 when a target is missed. BIN_FOLDER holds collect and plain.
"""
import collections
import gzip
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
programs = os.path.join(here, "programs.py")
binaries, work = (os.path.abspath(p) for p in sys.argv[1:3])
os.makedirs(work, exist_ok=True)
os.chdir(work)
os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(work, "inductor")
UNITS = 20
result, missed = {}, []
began = time.time()
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def target(name, met, words):
    result[name] = {"met": bool(met), "measured": words}
    print(f"{'ok' if met else 'MISSED':7} {name}: {words}", flush=True)
    if not met:
        missed.append(name)


def run(*words, expected=0, seconds=70, say=True):
    """(status as a shell says it, stdout, stderr, seconds)"""
    start = time.time()
    try:
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as e:
        print(f"TOO LONG: {words}: {e.stderr}", flush=True)
        missed.append(" ".join(map(str, words[-3:])))
        return None, "", str(e.stderr), seconds
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    took = time.time() - start
    if say:
        print(f"--- {took:5.1f} s, status {status}: {' '.join(str(w) for w in words[-8:])}")
        for line in done.stderr.splitlines()[-12:]:
            print("    " + line[:300])
    if status != expected:
        missed.append(f"status {status}, expected {expected}: {words[-3:]}")
        print(done.stdout[-2000:], flush=True)
    return status, done.stdout, done.stderr, took


def collect(folder, options, command, expected=0, seconds=70):
    shutil.rmtree(folder, ignore_errors=True)
    return run(f"{binaries}/collect", *options, "--out", folder, "--", *command, expected=expected,
               seconds=seconds)


def traces(folder):
    with open(f"{folder}/run.json") as f:
        return {c["tag"]: f"{folder}/{c['trace']}" for c in json.load(f)["cases"]}


def load(path):
    with open(path) as f:
        return json.load(f)


def device_work(trace):
    found = [(e["ts"], e["dur"], e["name"]) for e in trace["traceEvents"]
             if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    return sorted(found)


def window_of(trace):
    """Start and end of the profiler's own row, in seconds since 1970."""
    rows = [e for e in trace["traceEvents"] if e.get("cat") == "Trace"]
    base = trace.get("baseTimeNanoseconds", 0) / 1e9
    return base + rows[0]["ts"] / 1e6, base + (rows[0]["ts"] + rows[0]["dur"]) / 1e6


def by_unit(found, marker):
    """Counts and times a unit, of the work from the first marker up to the last."""
    at = [i for i, (_, _, name) in enumerate(found) if name == marker]
    if len(at) < 3:
        return None
    units = len(at) - 1
    times = collections.defaultdict(list)
    for _, dur, name in found[at[0]:at[-1]]:
        times[name].append(dur)
    return {"units": units, "counts": {k: len(t) / units for k, t in times.items()},
            "us": sum(map(sum, times.values())) / units,
            "median_us": sum(len(t) / units * statistics.median(t) for t in times.values())}


def compare(name, outside, inside, shared=False):
    """A marker is what happens once a unit in both; the best makes all counts whole. On a GPU that is
    shared, work takes as long as the other process lets it: times are told, and judge nothing."""
    out, ins = device_work(outside), device_work(inside)
    n_in = collections.Counter(k for _, _, k in ins)
    n_out = collections.Counter(k for _, _, k in out)
    best = None
    for marker in n_in:
        if abs(n_in[marker] - UNITS) > 1 or n_out[marker] < 3:
            continue
        a, b = by_unit(out, marker), by_unit(ins, marker)
        if not a or not b:
            continue
        rough = sum(abs(n - round(n)) for n in a["counts"].values())
        if best is None or rough < best[0]:
            best = (rough, marker, a, b)
    if best is None:
        target(f"{name}: kernels", False, f"no kernel runs once a unit: outside {len(out)}, inside {len(ins)} rows; "
               f"{n_out.most_common(4)} {n_in.most_common(4)}")
        return
    _, marker, a, b = best
    names_a, names_b = set(a["counts"]), set(b["counts"])
    target(f"{name}: same kernels", names_a == names_b,
           f"{len(names_a)} names outside, {len(names_b)} inside; only in one: "
           f"{sorted(n[:60] for n in names_a ^ names_b)[:4]}")
    off = {k[:60]: (round(a["counts"].get(k, 0), 3), round(b["counts"].get(k, 0), 3))
           for k in names_a | names_b if abs(a["counts"].get(k, 0) - b["counts"].get(k, 0)) > 0.02}
    target(f"{name}: same counts", not off,
           f"{sum(b['counts'].values()):.1f} a unit, {a['units']} units outside, {b['units']} inside, by {marker[:50]}; off: {off}")
    share, typical = a["us"] / b["us"] - 1, a["median_us"] / b["median_us"] - 1
    said = (f"{a['us']:.1f} us of device work a unit outside, {b['us']:.1f} inside ({100 * share:+.2f} %); by each "
           f"kernel's median {a['median_us']:.1f} and {b['median_us']:.1f} ({100 * typical:+.2f} %)")
    if shared:
        print(f"        {name}: times, of no verdict on a shared GPU: {said}")
    else:
        target(f"{name}: same times", abs(share) <= 0.01, said)


def rate(ends, start, end):
    """Median seconds a unit among those that lie between."""
    steps = sorted(b - a for a, b in zip(ends, ends[1:]) if a >= start and b <= end)
    return steps[len(steps) // 2] if len(steps) > 10 else None


def python(*words):
    return [sys.executable, programs, *map(str, words)]


def train():
    run(*python("train", "--seconds", 4, "--times", "train.alone.json"))
    collect("train", ["--after", 200, "--steps", UNITS],
            python("train", "--seconds", 11, "--times", "train.outside-times.json"))
    run(*python("train", "--inside", "train.inside.json", "--times", "train.inside-times.json"))
    run(*python("train", "--seconds", 4, "--times", "train.alone2.json"))
    outside, inside = load(traces("train")["train"] if "train" in traces("train") else
                           list(traces("train").values())[0]), load("train.inside.json")
    steps = sum(1 for e in outside["traceEvents"]
                if e.get("cat") == "user_annotation" and e["name"].startswith("Optimizer.step"))
    target("train: as many optimizer steps as asked for", steps == UNITS, f"{steps} of {UNITS}")
    shapes = sum(1 for e in outside["traceEvents"] if "Input Dims" in e.get("args", {}))
    target("train: shapes", shapes > 0, f"{shapes} operators with shapes")
    compare("train", outside, inside)
    start, end = window_of(outside)
    ends = load("train.outside-times.json")
    alone = [rate(e, e[0] + 1.5, e[-1]) for e in (load("train.alone.json"), load("train.alone2.json"))]
    before, after = rate(ends, ends[0] + 1, start - 3), rate(ends, end + 3, ends[-1])
    within = rate(ends, start, end) or rate(ends, start - 0.05, end + 0.05)
    inside_times = load("train.inside-times.json")
    by_torch = rate(inside_times, inside_times[0], inside_times[-1])
    result["train_ms_a_unit"] = {k: v and round(v * 1e3, 4) for k, v in {
        "alone": alone[0], "alone again": alone[1], "outside the window, before": before,
        "outside the window, after": after, "in the window": within, "in torch.profiler's": by_torch}.items()}
    print(result["train_ms_a_unit"])
    quiet = min(x for x in (before, after) if x) if before or after else None
    base = min(alone)
    target("cost outside the window <= 1 %", quiet and quiet / base - 1 <= 0.01,
           f"{quiet and 100 * (quiet / base - 1):+.2f} % (alone twice: {100 * (max(alone) / base - 1):.2f} % apart)")
    target("cost in the window <= torch.profiler's", within and within <= by_torch * 1.02,
           f"{within and within * 1e3:.3f} ms a unit, torch.profiler {by_torch * 1e3:.3f}, alone {base * 1e3:.3f}")


def generate():
    run(*python("generate", "--inside", "generate.inside.json"))
    collect("generate", ["--after", "7s", "--for", "400ms"], python("generate", "--seconds", 8))
    compare("generate", load(list(traces("generate").values())[0]), load("generate.inside.json"))


def compiled():
    run(*python("compiled", "--inside", "compiled.inside.json"))
    _, _, said, _ = collect("compiled", [], python("compiled", "--seconds", 18))
    target("compiled: known to be steady", "is steady after" in said, said.strip()[-300:])
    compare("compiled", load(list(traces("compiled").values())[0]), load("compiled.inside.json"))


def ddp():
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", programs, "ddp"]
    run(*torchrun, "--inside", os.path.abspath("ddp.inside.json"))
    collect("ddp", ["--after", "18s", "--for", "1s"], [*torchrun, "--seconds", "13"])
    found = traces("ddp")
    target("ddp: a trace a rank", sorted(found) == ["rank0", "rank1"], str(sorted(found)))
    gpus = int(run(sys.executable, "-c", "import torch; print(torch.cuda.device_count())")[1])
    both = [load(found[r]) for r in sorted(found)]
    target("ddp: ranks say who they are", [t.get("distributedInfo", {}).get("rank") for t in both] == [0, 1],
           str([t.get("distributedInfo", {}).get("rank") for t in both]))
    if len(both) == 2:
        (a, b), (c, d) = window_of(both[0]), window_of(both[1])
        target("ddp: one window", min(b, d) - max(a, c) > 0.9 * (b - a), f"{min(b, d) - max(a, c):.3f} s in common")
    for rank, t in enumerate(both):
        compare(f"ddp rank {rank}", t, load(f"ddp.inside.json.{rank}"), shared=gpus < 2)


def plain():
    for how, status in ("exit", 0), ("kill_late", 137), ("_exit_late", 0), ("kill", 137), ("abort", 134):
        folder = f"plain-{how}"
        _, out, said, _ = collect(folder, ["--quiet"], [f"{binaries}/plain", how], expected=status)
        told = json.loads(out)
        t = load(list(traces(folder).values())[0])
        n = collections.Counter(e["name"].split("(")[0] for e in t["traceEvents"] if e.get("cat") == "kernel")
        seen = {"saxpy": n["saxpy"], "scale": n["scale"],
                "memcpy": sum(e.get("cat") == "gpu_memcpy" for e in t["traceEvents"]),
                "memset": sum(e.get("cat") == "gpu_memset" for e in t["traceEvents"]),
                "range": sum(e.get("cat") == "user_annotation" and e["name"] == "step" for e in t["traceEvents"])}
        words = f"{seen} of { {k: told[k] for k in seen} }, dropped {t.get('dropped_spans')}; {said.strip()[-200:]}"
        if how in ("kill", "abort"):  # up to the last flush: what is lost is less than 0.2 s of work
            base = t["baseTimeNanoseconds"] / 1e9
            last = max((base + (e["ts"] + e["dur"]) / 1e6 for e in t["traceEvents"] if e.get("cat") == "kernel"), default=0)
            target(f"plain, {how}: ranges whole, kernels up to the last flush", seen["range"] == told["range"]
                   and told["done"] - last < 0.25, f"last kernel {told['done'] - last:.3f} s before the end; {words}")
        else:
            target(f"plain, {how}: everything is there", all(seen[k] == told[k] for k in seen), words)
        if how == "exit":
            linked = sum(e.get("ph") == "f" and e.get("cat") == "ac2g" for e in t["traceEvents"])
            target("plain: launches joined with their work", linked >= told["saxpy"] + told["scale"], f"{linked} flows")
            graphs = sum(e.get("cat") == "kernel" and e["args"].get("graph id", 0) > 0 for e in t["traceEvents"])
            target("plain: kernels of the graph", graphs == 300, f"{graphs} of 300")
            _, alone, _, _ = run(f"{binaries}/plain", "exit")
            result["plain_steps_s"] = {"alone": json.loads(alone)["steps_s"], "recorded": told["steps_s"]}
            print(result["plain_steps_s"])
    start = subprocess.Popen([f"{binaries}/collect", "--quiet", "--out", "plain-term", "--", f"{binaries}/plain", "wait"],
                             stdout=subprocess.PIPE)
    told = json.loads(start.stdout.readline())
    start.send_signal(signal.SIGTERM)
    status = start.wait(20)
    t = load(list(traces("plain-term").values())[0])
    n = sum(e.get("cat") == "kernel" for e in t["traceEvents"])
    target("plain, SIGTERM: everything is there", status == -signal.SIGTERM and n == told["saxpy"] + told["scale"],
           f"status {status}, {n} kernels")


def killed():
    _, _, said, _ = collect("killed", ["--after", "8500ms", "--for", "300ms"],
                            python("train", "--seconds", 60, "--kill", 6), expected=137)
    t = load(list(traces("killed").values())[0])
    target("train, SIGKILL after its window: the trace is there", len(device_work(t)) > 0, f"{len(device_work(t))} rows")


for part in (plain, train, generate, compiled, ddp, killed):
    print(f"==== {part.__name__}, at {time.time() - began:.0f} s", flush=True)
    try:
        part()
    except Exception as e:  # the others go on
        import traceback
        traceback.print_exc(file=sys.stdout)
        missed.append(f"{part.__name__}: {e!r}")
with open("outside.json", "w") as f:
    json.dump({"result": result, "missed": missed, "seconds": time.time() - began}, f, indent=1)
keep = os.path.join(work, "keep")
os.makedirs(keep, exist_ok=True)
for name in ("train", "generate", "compiled", "ddp", "plain-exit", "plain-kill"):
    for tag, path in (traces(name) if os.path.exists(f"{name}/run.json") else {}).items():
        with open(path, "rb") as f, gzip.open(f"{keep}/{name}.{tag}.pt.trace.json.gz", "wb", 6) as g:
            shutil.copyfileobj(f, g)
    if os.path.exists(f"{name}/run.json"):
        shutil.copy(f"{name}/run.json", f"{keep}/{name}.run.json")
print(f"took {time.time() - began:.0f} s; missed: {missed or 'nothing'}")
sys.exit(bool(missed))
