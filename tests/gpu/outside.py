#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs recorded from outside: `outside.py BIN_FOLDER WORK_FOLDER [PART...]`.

A program of CUDA that ends in several ways; two ranks, beside torch.profiler inside (programs.py): of both traces
the kernels, copies and fills of whole units of work are compared: names, counts a unit, time a unit. Then several
contexts, nodes, and ranges of Python (contexts.py). Prints a table and the verdicts, writes WORK_FOLDER/outside.json,
keeps the traces there; status 1 when a target is missed. BIN_FOLDER holds collect and plain; a PART is the name of a
function below or there.
"""
import collections
import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

from recording import (binaries, collect, compare, compare_undisturbed, load, missed, only, programs, result, run,
                       target, traces, window_of, work)
import contexts

os.makedirs(work, exist_ok=True)
os.chdir(work)
os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(work, "inductor")
os.environ["PYTHONFAULTHANDLER"] = "1"  # who is aborted says where
began = time.time()
until = began + float(os.environ.get("OUTSIDE_SECONDS", 1e9))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ddp():
    """The recorded runs first; then as many of torch.profiler (DDP_RUNS, 4) as there is time for (OUTSIDE_SECONDS)."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", programs, "ddp"]
    collect("ddp-whole", [], [*torchrun, "--seconds", "4"], seconds=110)
    whole = sorted(traces("ddp-whole"))
    target("ddp: a start or all of each rank", {t.split("-")[0] for t in whole} >= {"rank0", "rank1"}, str(whole))
    # by steps, not by time: importing PyTorch twice and NCCL's first call take 10 to 20 s
    collect("ddp", ["--after", "300", "--steps", "400"], [*torchrun, "--seconds", "6"], seconds=110)
    found = traces("ddp")
    target("ddp: a trace a rank", sorted(found) == ["rank0", "rank1"], str(sorted(found)))
    gpus = int(run(sys.executable, "-c", "import torch; print(torch.cuda.device_count())")[1])
    both = [load(found[r]) for r in sorted(found)]
    target("ddp: ranks say who they are", [t.get("distributedInfo", {}).get("rank") for t in both] == [0, 1],
           str([t.get("distributedInfo", {}).get("rank") for t in both]))
    if len(both) == 2:
        (a, b), (c, d) = window_of(both[0]), window_of(both[1])
        target("ddp: one window", min(b, d) - max(a, c) > 0.9 * (b - a), f"{min(b, d) - max(a, c):.3f} s in common")
    inside = []
    # their units are few, and one run differs from the other
    for i in range(int(os.environ.get("DDP_RUNS", 4))):
        left = until - time.time()
        if left < 15 or not both:
            print(f"        ddp: {i} runs of torch.profiler, the time is over", flush=True)
            break
        run(*torchrun, "--inside", os.path.abspath(f"ddp.inside{i}.json"), seconds=min(110, left))
        parts = [f"ddp.inside{i}.json.{rank}" for rank in range(2)]
        if not all(map(os.path.exists, parts)):
            continue
        inside.append([load(p) for p in parts])
        if i == 0:
            for rank, t in enumerate(both):
                compare(f"ddp rank {rank}", t, inside[0][rank], shared=gpus < 2, ranks=True)
    for rank, t in enumerate(both if inside and gpus > 1 else ()):
        compare_undisturbed(f"ddp rank {rank}", t, [run_[rank] for run_ in inside])


def plain():
    for how, status in ("exit", 0), ("kill_late", 137), ("_exit_late", 0), ("kill", 137), ("abort", 134):
        folder = f"plain-{how}"
        _, out, said, _ = collect(folder, ["--quiet"], [f"{binaries}/plain", how], expected=status)
        told = json.loads(out)
        t = only(folder)
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
    t = only("plain-term")
    n = sum(e.get("cat") == "kernel" for e in t["traceEvents"])
    target("plain, SIGTERM: everything is there", status == -signal.SIGTERM and n == told["saxpy"] + told["scale"],
           f"status {status}, {n} kernels")


wanted = sys.argv[3:]
for part in (plain, ddp, *contexts.PARTS):
    if wanted and part.__name__ not in wanted:
        continue
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
for name in ("ddp", "plain-exit", "plain-kill"):
    for tag, path in traces(name).items():
        with open(path, "rb") as f, gzip.open(f"{keep}/{name}.{tag}.pt.trace.json.gz", "wb", 6) as g:
            shutil.copyfileobj(f, g)
    if os.path.exists(f"{name}/run.json"):
        shutil.copy(f"{name}/run.json", f"{keep}/{name}.run.json")
print(f"took {time.time() - began:.0f} s; missed: {missed or 'nothing'}")
sys.exit(bool(missed))
