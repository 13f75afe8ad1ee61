#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs a PyTorch program: `costs.py BIN_FOLDER WORK_FOLDER [PART...]`, on a machine that does nothing else.

Each number is of programs that run in turn, alone, recorded and with torch.profiler in them: the geometric mean of the ratios of
the turns, with its interval of 95 %. Prints the table as it grows, writes WORK_FOLDER/costs.json; status 1 when a target
is missed. COSTS_SECONDS=N: a part that has not begun by then is left out, and one that goes on makes no more turns.
COSTS_DEVICE=cpu: as much of it as there is without a GPU, to try it out.
"""
import collections
import concurrent.futures
import glob
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

from recording import (UNITS, best_marker, binaries, by_unit, compare, device_work, here, load, missed, only, programs, result,
                       run, target, traces, work)

os.makedirs(work, exist_ok=True)
os.chdir(work)
os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(work, "inductor")
began = time.time()
until = began + float(os.environ.get("COSTS_SECONDS", 1e9))
device = os.environ.get("COSTS_DEVICE", "cuda")
if device == "cpu":
    os.environ["OMP_NUM_THREADS"] = "1"
battery = os.path.join(here, "..", "data", "collect", "programs.py")
UNITS_INSIDE = 60 + 10 + UNITS  # that programs.py makes with torch.profiler in it
T95 = (0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13,
       2.12, 2.11, 2.10, 2.09, 2.09)


def interval(ratios):
    """(geometric mean - 1, half of its interval of 95 %) in percent. (The plain mean of a / b and that of b / a are both
    above 1 where times differ from run to run.)"""
    n, logs = len(ratios), [math.log(r) for r in ratios]
    if not n:
        return math.nan, math.nan
    mean = math.exp(statistics.mean(logs))
    half = T95[min(n - 1, len(T95) - 1)] * statistics.stdev(logs) / math.sqrt(n) if n > 1 else math.inf
    return 100 * (mean - 1), 100 * mean * half


def said(ratios):
    mean, half = interval(ratios)
    return f"{mean:+.2f} % (± {half:.2f}, {len(ratios)} turns)"


def save():
    """What is known so far: whoever is ended has that."""
    with open("costs.json", "w") as f:
        json.dump({"result": result, "missed": missed, "seconds": time.time() - began}, f, indent=1)


def careful(f):
    """One that fails costs itself."""
    def call(*args):
        try:
            return f(*args)
        except Exception as e:
            missed.append(f"{f.__name__} {args}: {e!r}")
            print(missed[-1], flush=True)
    return call


def words(name, *more):
    return [sys.executable, programs, name, *map(str, more)]


def recorded(folder, options, command, environment=None, seconds=60):
    shutil.rmtree(folder, ignore_errors=True)
    start = time.time()
    p = subprocess.run([f"{binaries}/collect", *map(str, options), "--out", folder, "--", *command], capture_output=True,
                       text=True, timeout=seconds, env=dict(os.environ, **(environment or {})))
    if p.returncode:
        missed.append(f"{folder}: status {p.returncode}")
        print(p.stdout[-500:], p.stderr[-1500:], flush=True)
    return time.time() - start, p.stdout, p.stderr


def window(trace):
    """Of its steps, in seconds since 1970."""
    base = trace.get("baseTimeNanoseconds", 0) / 1e9
    steps = [e for e in trace["traceEvents"] if e["name"].startswith("ProfilerStep#")]
    if not steps:
        return None
    return base + min(e["ts"] for e in steps) / 1e6, base + max(e["ts"] + e["dur"] for e in steps) / 1e6, len(steps)


def a_step(ends, start=0, end=math.inf):
    """Median seconds of the steps that lie between."""
    steps = sorted(b - a for a, b in zip(ends, ends[1:]) if a >= start and b <= end)
    return statistics.median(steps) if len(steps) > 8 else None


def turn_of_steps(name, kind, i, plan):
    """One turn: seconds a step, by where it lies."""
    seconds, first, steps, longer = plan
    file = f"{kind}.{i}"
    if kind == "alone":
        run(*words(name, "--seconds", seconds, "--times", file), say=False)
        ends = load(file)
        return {"alone": a_step(ends, ends[0] + 0.4)}
    if kind == "torch":
        run(*words(name, "--inside", f"{name}.inside.json", "--units", steps, "--times", file), say=False)
        return {"torch.profiler": a_step(load(file))}
    options = ["--with", "shapes"] if kind == "shapes" else []
    recorded(f"{name}-{kind}", ["--after", first, "--steps", steps, *options],
             words(name, "--seconds", longer, "--times", file))
    ends, at = load(file), window(only(f"{name}-{kind}"))
    if at is None or at[2] != steps:
        target(f"{name}: {steps} steps in the window", False, str(at))
        return {}
    found = {"in " + kind: a_step(ends, at[0] - 1e-4, at[1] + 1e-4)}
    if kind == "shapes":
        found.update({"before": a_step(ends, ends[0] + 0.1, at[0] + 1e-4), "after": a_step(ends, at[1] + 1)})
    return found


def steps(name, plan, seconds):
    """A step outside of the window, in it, and in torch.profiler's."""
    turns, ending = [], min(until, time.time() + seconds)
    while len(turns) < 6 and (time.time() < ending or len(turns) < 2):
        turn = {}
        for kind in ("alone", "shapes", "torch", "stacks"):
            if kind != "stacks" or len(turns) < 2:  # in the window these are the default
                turn.update({k: v for k, v in turn_of_steps(name, kind, len(turns), plan).items() if v})
        turns.append(turn)
        print(f"    {name}: " + ", ".join(f"{k} {1e3 * v:.4f} ms" for k, v in turn.items()), flush=True)
    ratios = {k: [t[k] / t["alone"] for t in turns if k in t and "alone" in t]
              for k in ("before", "after", "in shapes", "in stacks", "torch.profiler")}
    result[f"{name} a step"] = {"ms": turns, "ratios": {k: interval(v) for k, v in ratios.items()}}
    for where in "before", "after":
        mean, _ = interval(ratios[where])
        target(f"{name}: a step {where} the window as alone", abs(mean) <= 0.5, said(ratios[where]))
    beside = [t["in shapes"] / t["torch.profiler"] for t in turns if "in shapes" in t and "torch.profiler" in t]
    mean, _ = interval(beside)
    target(f"{name}: a step in the window no longer than in torch.profiler's", mean <= 0.5,
           f"{said(beside)}; over alone {said(ratios['in shapes'])}, torch.profiler {said(ratios['torch.profiler'])}, with "
           f"stacks {said(ratios['in stacks'])}")


def train_steps():
    steps("train" if device == "cuda" else "small_cpu", (2.5, 40, 30, 4) if device == "cuda" else (1.5, 60, 100, 3), 75)


def small_steps():
    if device == "cuda":
        steps("small", (1, 300, 200, 2.5), 50)


def hooks():
    """What recording adds to a step before a window, and leaves in it afterwards, in one process (hooked.py)."""
    hooked = [sys.executable, os.path.join(here, "hooked.py")]
    for on in ("cuda", "cpu") if device == "cuda" else ("cpu",):
        pairs, told, after, theirs = 150 if on == "cpu" else 100, [], [], []
        first = run(*hooked, "before", pairs, say=False)[1].strip()
        ending = time.time() + (until - time.time()) * (0.7 if on == "cuda" else 1) - 25
        while len(told) < 12 and (time.time() < ending or not told):
            kinds = {"alone": lambda: run(*hooked, on, pairs, say=False)[1],
                     "own": lambda: run(*hooked, on, pairs, "own", say=False)[1],
                     "recorded": lambda: recorded("hooked", ["--after", first, "--steps", 10], [*hooked, on, str(pairs)])[1]}
            turn = {k: json.loads(kinds[k]()) for k in sorted(kinds, reverse=len(told) % 2)}
            told.append(turn["recorded"])
            after.append(turn["recorded"]["after"] / turn["alone"]["after"])
            theirs.append(turn["recorded"]["after"] / turn["own"]["after"])
        result[f"hooks {on}"] = {"turns": told, "after": after, "beside torch.profiler": theirs}
        each = [1 + t["percent"] / 100 for t in told]
        mean, _ = interval(each)
        target(f"hooks before a window, {on}", all(t["hooks"] for t in told) and mean <= 0.5,
               f"{said(each)} of {told[0]['pairs']} pairs of blocks each, of the CPU time of a step of {told[0]['us']:.0f} us")
        target(f"hooks after a window, {on}", not any(t["left"] for t in told), "the optimizer's step is that of PyTorch")
        mean, _ = interval(after)
        beside, _ = interval(theirs)
        target(f"a step after a window, {on}", min(mean, beside) <= 0.5, f"{said(after)}: over before it, as against a process "
               f"that nobody records; {said(theirs)} as against one that torch.profiler recorded: CUPTI stays in both")


def timed(command, name):
    """(seconds, CPU seconds of it and all that it waited for, stderr)"""
    with open(f"{name}.err", "w+") as err:
        start = time.time()
        p = subprocess.Popen(["timeout", "100", *command], stdout=subprocess.DEVNULL, stderr=err)
        _, status, used = os.wait4(p.pid, 0)
        took, p.returncode = time.time() - start, os.waitstatus_to_exitcode(status)
        err.seek(0)
        told = err.read()
    if p.returncode:
        missed.append(f"{name}: status {p.returncode}")
        print(told[-1500:], flush=True)
    return took, used.ru_utime + used.ru_stime, told


def start_to_exit():
    """Programs of three seconds from their start to the end of collect, alone and recorded in turn: COSTS_PAIRS (12) of each of
    COSTS_PROGRAMS, COSTS_LANES (1) at one time, copies of one where there are fewer. Each turn is told when it is over."""
    plans = {"first": [sys.executable, battery, "first", device], "train": words("train", "--count", 20),
             "small": words("small", "--count", 400), "dense": words("small", "--count", 1500),
             "generate": words("generate", "--count", 1000)}
    if device == "cpu":
        plans = {"first": plans["first"], "small_cpu": words("small_cpu", "--count", 400),
                 "generate": words("generate", "--count", 20)}
    wanted = os.environ.get("COSTS_PROGRAMS", "").split() or list(plans)
    found = {name: [] for name in plans if name in wanted}
    at_once, pairs = int(os.environ.get("COSTS_LANES", 1)), int(os.environ.get("COSTS_PAIRS", 12))
    every = [(name, i) for i in range(max(1, at_once // len(found))) for name in found]

    def pair(job):
        name, lane, order = job
        folder, took = f"exit-{name}" + (f".{lane}" if lane else ""), {}
        for kind in ("alone", "recorded") if order % 2 else ("recorded", "alone"):
            if kind == "recorded":
                shutil.rmtree(folder, ignore_errors=True)
            before = [] if kind == "alone" else [f"{binaries}/collect", "--out", folder, "--"]
            times = ["--times", f"{name}.{lane}.times"] if programs in plans[name] else []
            took[kind] = timed([*before, *plans[name], *times], f"{name}.{lane}.{kind}")
            ends = load(times[1]) if times else [0]
            took[kind] += (ends[-1] - ends[0],)
        found[name].append((took["alone"], took["recorded"]))

    longest = 45
    with concurrent.futures.ThreadPoolExecutor(at_once) as lanes:
        list(lanes.map(careful(lambda name: run(*plans[name], say=False)), found))  # from a cold disk
        while any(len(p) < pairs for p in found.values()):
            start, had = time.time(), {name: len(p) for name, p in found.items()}
            if any(had.values()) and start > until - longest:
                break
            list(lanes.map(careful(pair), [(name, i, had[name] + i) for name, i in every if had[name] + i < pairs]))
            longest = time.time() - start + 5
            print("    alone and recorded: " + ", ".join(f"{name} {a[0]:.2f} and {b[0]:.2f}" for name, p in found.items()
                                                         for a, b in p[had[name]:]) + " s", flush=True)
            result["exit"] = found
            save()
            if all(len(p) == had[name] for name, p in found.items()):
                break
    for name, turns in found.items():
        told_exit(name, turns)


def told_exit(name, turns):
    if not turns:
        target(f"{name}: start to exit at most + 20 %", False, "no pair")
        return
    ratios, of_cpu = ([b[i] / a[i] for a, b in turns] for i in (0, 1))
    events = len(only(f"exit-{name}")["traceEvents"])
    ending = [sum(map(float, re.findall(r"it took ([0-9.]+) s to end and write", b[2]))) for _, b in turns]
    result[f"exit {name}"] = {"seconds": [(a[0], b[0]) for a, b in turns], "cpu_s": [(a[1], b[1]) for a, b in turns],
                              "ending_s": ending, "events": events, "steps_s": [(a[3], b[3]) for a, b in turns]}
    target(f"{name}: start to exit at most + 20 %", interval(ratios)[0] <= 20,
           f"{said(ratios)} of {statistics.mean(a[0] for a, _ in turns):.2f} s, {events} events; CPU time {said(of_cpu)} of "
           f"{statistics.mean(a[1] for a, _ in turns):.2f} s; of it ending and writing {statistics.median(ending):.2f} s, and steps "
           f"{statistics.median(b[3] for _, b in turns):.2f} s for {statistics.median(a[3] for a, _ in turns):.2f}, endings in them")


KERNEL_RUNS = {  # how a trace of the same units is made
    "collect": None,
    "whole": ("--whole", "--threads"),  # torch.profiler as collect has it: these options, from before the first unit on
    "plain": ("--whole",),              # the same place, the options that everybody takes
    "last": ("--inside",)}              # these, of the last units only


def kernel_run(name, kind):
    """The trace of a program of UNITS_INSIDE units after the first."""
    file, count = f"{name}.{kind}.json", ("--count", UNITS_INSIDE)
    if KERNEL_RUNS[kind] is None:
        said_ = recorded(f"{name}-whole", [], words(name, *count), {"TRACEBOOK_START_S": "60"})[2]
        trace = only(f"{name}-whole")
        if not count_kernels(trace):
            print(said_, collections.Counter(e.get("cat") for e in trace["traceEvents"]), traces(f"{name}-whole"))
        return trace
    option, *more = KERNEL_RUNS[kind]
    run(*words(name, option, file, *more, *(count if option == "--whole" else ())), say=False)
    return load(file)


def count_kernels(trace):
    return len(device_work(trace, ("kernel",)))


def told_kernels(name, turn, found, marker):
    """us a unit by kind; each kernel's, of collect beside the same of torch.profiler, those first that differ most."""
    units = {kind: by_unit(device_work(trace), marker, UNITS - 1) for kind, trace in found.items()}
    units = {kind: u for kind, u in units.items() if u}
    print(f"    {name}, turn {turn + 1}, us a unit: " + ", ".join(f"{k} {u['us']:.2f}" for k, u in units.items()), flush=True)
    each = {kind: collections.defaultdict(lambda: math.nan, u["each_us"]) for kind, u in units.items()}
    counts = units["whole"]["counts"]
    names = sorted(counts, key=lambda k: -abs(each["collect"][k] - each["whole"][k]) * counts[k])
    for k in names[:20 if turn == 0 else 3]:
        print(f"        {counts[k]:6.2f} x " + ", ".join(f"{kind} {us[k]:.3f}" for kind, us in each.items()) + f" us  {k[:70]}")
    return {kind: u["us"] for kind, u in units.items()}


def kernels():
    """The same steps of the program, at its end, beside torch.profiler's, in turn: with the same options in the same place,
    which is what is judged, with everybody's there, and with everybody's at the end alone. Of COSTS_KERNELS alone."""
    plans = {"compiled": 1, "generate": 3, "train": 3}
    for name, turns in ((n, plans[n]) for n in os.environ.get("COSTS_KERNELS", " ".join(plans)).split()):
        us, kinds, took = [], list(KERNEL_RUNS), 15
        for turn in range(turns):
            start = time.time()
            if start > until - took:
                print(f"        {name}: turn {turn + 1} left out, the time is over")
                break
            made = {kind: careful(kernel_run)(name, kind) for kind in kinds[turn % 4:] + kinds[:turn % 4]}
            found = {kind: trace for kind, trace in made.items() if trace}
            if not {"collect", "whole"} <= found.keys() or compare(name, found["collect"], found["whole"], most=None, units=UNITS_INSIDE + 1, last=UNITS - 1) is None:
                continue
            marker = best_marker(*(device_work(found[k]) for k in ("collect", "whole")), UNITS_INSIDE + 1, UNITS - 1)[1]
            us.append(told_kernels(name, turn, found, marker))
            result[f"kernels {name}"] = us
            save()
            took = time.time() - start
        for a, b, what in (("collect", "whole", "same times"), ("whole", "plain", "what all threads do"),
                           ("plain", "last", "what recording from the start does"),
                           ("collect", "last", "beside everybody's options at the end alone")):
            ratios = [u[a] / u[b] for u in us if a in u and b in u]
            if what == "same times" and us:
                target(f"{name}: {what}", abs(interval(ratios)[0]) <= 0.5, f"{said(ratios)}; torch.profiler's own runs "
                       f"{min(u[b] for u in us):.2f} to {max(u[b] for u in us):.2f} us a unit")
            elif us:
                print(f"        {name}: {what}: {said(ratios)}", flush=True)


def memory_and_flops():
    """--with memory, flops: in a window and from the start. (PyTorch's trace has no FLOP: they follow from the shapes.)"""
    name = "small" if device == "cuda" else "small_cpu"
    for options in ([], ["--after", 20, "--steps", 10]):
        recorded("with", ["--with", "memory,flops", *options], words(name, "--count", 120))
        events = only("with")["traceEvents"]
        memory = sum(e["name"] == "[memory]" for e in events)
        shapes = sum("Input Dims" in e.get("args", {}) for e in events)
        target(f"--with memory,flops {'in a window' if options else 'from the start'}", memory and shapes,
               f"{memory} rows of memory, {shapes} operators with shapes")


def loader():
    """What collect says of a loop and its workers beside what the program measures."""
    _, out, err = recorded("loader", [], [sys.executable, battery, "convolutional", device])
    own = re.search(r"WAITED ([0-9.]+) ms", out)
    ours = re.search(r"waited ([0-9.]+) ms .* takes ([0-9.]+) ms", err)
    if not own or not ours:
        target("loader", False, f"{out} {err}")
        return
    mine, wait, make = float(own[1]), float(ours[1]), float(ours[2])
    target("loader: the loop's wait as the program measures it", abs(wait - mine) <= max(0.1, 0.1 * mine),
           f"{wait} ms a batch, by the program {mine}; a worker takes {make} ms (16 are slept); {len(traces('loader'))} traces")


def peak(command, environment=None):
    """(MB that its largest process took, seconds)"""
    probe = ("import resource, subprocess, sys; s = subprocess.call(sys.argv[1:], stderr=subprocess.DEVNULL); "
             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)")
    start = time.time()
    p = subprocess.run([sys.executable, "-c", probe, *command], capture_output=True, text=True, timeout=100,
                       env=dict(os.environ, **(environment or {})))
    return float(p.stdout.split()[-1]), time.time() - start


def most_memory():
    """A program of nothing but small operators, for longer than its start is."""
    name = "small" if device == "cuda" else "small_cpu"
    mb, seconds = peak(words(name, "--seconds", 2))
    shutil.rmtree("most", ignore_errors=True)
    mb_2, seconds_2 = peak([f"{binaries}/collect", "--out", "most", "--", *words(name, "--seconds", 14)])
    files = {os.path.basename(f): os.path.getsize(f) >> 20 for f in glob.glob("most/*.json")}
    n = 0
    for path in glob.glob("most/*start*.json"):
        with open(path) as f:
            n += sum('"ph": "X"' in line for line in f)
    result["memory"] = {"alone": mb, "recorded": mb_2, "files": files, "events": n}
    target("memory of a start of ten seconds", mb_2 - mb < 8000,
           f"{mb:.0f} MB alone, {mb_2:.0f} recorded, {n} events ({(mb_2 - mb) * 2 ** 20 / max(n, 1):.0f} bytes each); "
           f"{seconds:.1f} and {seconds_2:.1f} s; files in MB {files}")


def main():
    parts = (start_to_exit, small_steps, hooks, kernels, loader, memory_and_flops, most_memory, train_steps)
    for part in parts:
        if sys.argv[3:] and part.__name__ not in sys.argv[3:]:
            continue
        print(f"==== {part.__name__}, at {time.time() - began:.0f} s", flush=True)
        if time.time() > until - 8:
            target(part.__name__, False, "left out, the time is over")
            continue
        try:
            part()
        except Exception as e:  # the others go on
            import traceback
            traceback.print_exc(file=sys.stdout)
            missed.append(f"{part.__name__}: {e!r}")
        save()
    print(f"took {time.time() - began:.0f} s; missed: {missed or 'nothing'}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
