# SPDX-License-Identifier: Apache-2.0
"""noise.py COLLECT REPORT FOLDER: does the gate cry wolf, and does it find what was planted?

PAIRS times small cases are measured by `collect --against` its own programs, ROUNDS rounds each: both sides are
the same, so every alarm is false. No two comparisons share a recording. Then the same recordings with one case
changed after, in all rounds: its largest kernel 10 % slower, and 20 us more on the host in each step. Prints how
many were found, by the name of the kernel and by the case, and ends with 1 when the aims are missed.

NOISE_PAIRS, NOISE_ROUNDS, NOISE_PLANTS, NOISE_ONLY choose; NOISE_SECONDS ends measuring after that time, with the pairs that are
there. What was measured in FOLDER by the same programs is taken as it is.
"""
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

collect, report, folder = (os.path.abspath(p) for p in sys.argv[1:4])
PAIRS, ROUNDS = int(os.environ.get("NOISE_PAIRS") or 100), int(os.environ.get("NOISE_ROUNDS") or 48)
SECONDS = float(os.environ.get("NOISE_SECONDS") or 1e9)
PLANTS = int(os.environ.get("NOISE_PLANTS") or 1)  # kernels a pair, in different cases
ONLY = (os.environ.get("NOISE_ONLY") or "matmul_add/64_* crossover/8_* crossover/16_* crossover/32_* crossover/64_* "
        "crossover/128_* square/256x64 square/256x256").split()
LEAST_KERNEL_US = 1.1  # of less, 10 % are the clock's (CHANGE_FLOOR_NS)


def measure(pair):
    only = [a for glob in ONLY for a in ("--only", glob)]
    subprocess.run([collect, "--quiet", "--device", "host", *only, "--repeat", str(ROUNDS), "--against", collect,
                    "--out", f"{folder}/{pair}"], check=True, stdout=subprocess.DEVNULL)


def check(run):
    done = subprocess.run([report, "--check", run], capture_output=True, text=True)
    lines = re.findall(r"^SLOWER (\S+): (.*)\n(?:  (.*)\n)?", done.stdout, re.M)
    assert done.stdout.strip().endswith("inconclusive"), done
    return lines


def on_device(e):
    return e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")


def slow_kernel(events):
    name = largest_kernel(events)[0]
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


def largest_kernel(events):
    """Its name, and the lower quartile of its calls."""
    calls = collections.defaultdict(list)
    for e in events:
        if e.get("cat") == "kernel":
            calls[e["name"]].append(e["dur"])
    name = max(sorted(calls), key=lambda n: sum(calls[n]))
    return name, sorted(calls[name])[(len(calls[name]) - 1) // 4]


def events_of(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def plant(run, case, how):
    """A copy of the run in which the case is changed in all rounds; its folder, and what was changed."""
    copy, name = f"{folder}/planted", None
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(run, copy, copy_function=os.link)
    for part in [""] + [f"repeat-{k}/" for k in range(2, ROUNDS + 1)]:
        path = f"{copy}/{part}{case['trace']}"
        trace = events_of(path)
        name = how(trace["traceEvents"])
        os.unlink(path)  # it is a link to the run's own
        with open(path, "w", encoding="utf-8") as f:
            json.dump(trace, f)
    return copy, name


def main():
    rng, began, worst = random.Random(14), time.time(), 0
    os.makedirs(folder, exist_ok=True)
    n, alarms, hosts = 0, 0, 0
    by_case = collections.defaultdict(lambda: [0, 0])
    while n < PAIRS and time.time() - began < SECONDS:
        measure(n + 1)
        worst = max(worst, os.getloadavg()[0])
        n += 1
        run = f"{folder}/{n}/host"
        cases = [c for c in events_of(f"{run}/run.json")["cases"] if c["status"] == "done"]
        long = [c for c in cases
                if largest_kernel(events_of(f"{run}/{c['trace']}")["traceEvents"])[1] >= LEAST_KERNEL_US]
        lines = check(run)
        alarms += bool(lines)
        for line in lines:
            print(f"false alarm in pair {n}:", *line, flush=True)
        for case in rng.sample(long, min(PLANTS, len(long))):
            copy, name = plant(run, case, slow_kernel)
            found = any(c == case["id"] and what.startswith("a kernel") and name in why
                        for c, what, why in check(copy))
            by_case[case["id"]][0] += found
            by_case[case["id"]][1] += 1
        case = rng.choice(cases)
        copy, _ = plant(run, case, slow_host)
        hosts += any(c == case["id"] for c, _, _ in check(copy))
    shutil.rmtree(f"{folder}/planted", ignore_errors=True)
    print(f"{n} pairs of identical runs, {len(cases)} cases, {ROUNDS} rounds in turn, load up to {worst:.0f}, "
          f"{time.time() - began:.0f} s: {alarms} false alarms")
    kernels, planted = (sum(v[i] for v in by_case.values()) for i in range(2))
    print(f"a kernel 10 % slower: found {kernels} of {planted}; 20 us more on the host: found {hosts} of {n}")
    for case, (found, of) in sorted(by_case.items()):
        print(f"  a kernel of {case}: {found} of {of}")
    return alarms > 0 or kernels < 0.95 * planted or hosts < 0.95 * n


sys.exit(main())
