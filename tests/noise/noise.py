# SPDX-License-Identifier: Apache-2.0
"""noise.py COLLECT REPORT FOLDER: does the gate cry wolf, and does it find what was planted?

Records RUNS runs of small cases on this machine. Each of PAIRS comparisons sorts them into before and
after, two that follow each other to either side by a coin, as a run that takes both sides in turn would:
all are the same program, so every alarm is false. Then the same comparison with one case changed after:
its largest kernel 10 % slower, and 20 us more on the host in each step. Prints how many were found, by
the name of the kernel and by the case, and ends with 1 when the aims are missed.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

collect, report, folder = (os.path.abspath(p) for p in sys.argv[1:4])
RUNS, PAIRS = int(os.environ.get("NOISE_RUNS") or 32), int(os.environ.get("NOISE_PAIRS") or 100)
ONLY = os.environ.get("NOISE_ONLY", "matmul_add/64_* crossover/8_* crossover/16_* crossover/32_* crossover/64_* "
                      "crossover/128_* square/256x64 square/256x256").split()
LEAST_KERNEL_US = 2  # where 10 % are more than a clock shows


def record(k):
    only = [a for glob in ONLY for a in ("--only", glob)]
    subprocess.run([collect, "--quiet", "--device", "host", *only, "--out", f"{folder}/runs/{k}"], check=True,
                   stdout=subprocess.DEVNULL)


def sort(rng):
    """Each two runs that follow each other, one to a side."""
    sides = ([], [])
    for k in range(0, RUNS - 1, 2):
        first = rng.random() < 0.5
        sides[not first].append(k)
        sides[first].append(k + 1)
    return sides


def lay_out(sides):
    for name, runs in zip(("before", "after"), sides):
        shutil.rmtree(f"{folder}/{name}", ignore_errors=True)
        for k in runs:
            shutil.copytree(f"{folder}/runs/{k}/host", f"{folder}/{name}/{k}/host", copy_function=os.link)


def check():
    done = subprocess.run([report, "--check", "--baseline", f"{folder}/before", f"{folder}/after"],
                          capture_output=True, text=True)
    lines = re.findall(r"^SLOWER (\S+): (.*)\n(?:  (.*)\n)?", done.stdout, re.M)
    return done, lines


def on_device(e):
    return e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")


def slow_kernel(events):
    total = {}
    for e in events:
        if e.get("cat") == "kernel":
            total[e["name"]] = total.get(e["name"], 0) + e["dur"]
    name = max(sorted(total), key=total.get)
    for e in events:
        if e.get("cat") == "kernel" and e["name"] == name:
            e["dur"] = round(e["dur"] * 1.1, 3)
    return name


def slow_host(events):
    """20 us inside each step: what comes later is later, what is around it is longer."""
    for step in sorted((e for e in events if str(e.get("name")).startswith("ProfilerStep#")), key=lambda e: -e["ts"]):
        at = step["ts"] + step["dur"] / 2
        for e in events:
            if "ts" not in e or e.get("ph") == "M":
                continue
            if e["ts"] > at:
                e["ts"] = round(e["ts"] + 20, 3)
            elif "dur" in e and not on_device(e) and e["ts"] + e["dur"] > at:
                e["dur"] = round(e["dur"] + 20, 3)
    return None


def plant(case, how, runs):
    name = None
    for k in runs:
        path = f"{folder}/after/{k}/host/{case['trace']}"
        with open(path, encoding="utf-8") as f:
            trace = json.load(f)
        name = how(trace["traceEvents"])
        os.unlink(path)  # it is a link to the run's own
        with open(path, "w", encoding="utf-8") as f:
            json.dump(trace, f)
    return name


def has_long_kernel(case):
    with open(f"{folder}/runs/0/host/{case['trace']}", encoding="utf-8") as f:
        kernels = [e["dur"] for e in json.load(f)["traceEvents"] if e.get("cat") == "kernel"]
    return bool(kernels) and max(kernels) >= LEAST_KERNEL_US


def main():
    rng = random.Random(14)
    shutil.rmtree(folder, ignore_errors=True)
    began = time.time()
    for k in range(RUNS):
        record(k)
    with open(f"{folder}/runs/0/host/run.json", encoding="utf-8") as f:
        cases = [c for c in json.load(f)["cases"] if c["status"] == "done"]
    print(f"{RUNS} runs of {len(cases)} cases in {time.time() - began:.0f} s, load {os.getloadavg()[0]:.1f}")
    long = [c for c in cases if has_long_kernel(c)]
    alarms, kernels, hosts = 0, 0, 0
    for _ in range(PAIRS):
        sides = sort(rng)
        lay_out(sides)
        done, lines = check()
        alarms += bool(lines)
        for line in lines:
            print("false alarm:", *line)
        assert done.stdout.strip().endswith("inconclusive"), done
        case = rng.choice(long)
        name = plant(case, slow_kernel, sides[1])
        kernels += any(c == case["id"] and what.startswith("a kernel") and name in why
                       for c, what, why in check()[1])
        lay_out(sides)
        case = rng.choice(cases)
        plant(case, slow_host, sides[1])
        hosts += any(c == case["id"] for c, _, _ in check()[1])
    print(f"{PAIRS} pairs of identical runs, {RUNS // 2} a side: {alarms} false alarms")
    print(f"a kernel 10 % slower: found {kernels} of {PAIRS}; 20 us more on the host: found {hosts} of {PAIRS}")
    return alarms > 0 or kernels < 0.95 * PAIRS or hosts < 0.95 * PAIRS


sys.exit(main())
