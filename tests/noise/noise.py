# SPDX-License-Identifier: Apache-2.0
"""noise.py COLLECT REPORT FOLDER: does the gate cry wolf, and does it find what was planted?

PAIRS times small cases are measured by `collect --against` its own programs: both sides are the same, so every
case that is called slower, or faster, is a false alarm. No two comparisons share a recording. Then the same
recordings with one case changed after, in all rounds: its largest kernel 10 % slower, and 20 us more on the host
in each step. Prints how many were found, by the name of the kernel and by the case, and ends with 1 when the aims
are missed. A line a pair goes to FOLDER/pairs.tsv.

NOISE_PAIRS, NOISE_ROUNDS (0: as many as --against has without --repeat), NOISE_PLANTS, NOISE_ONLY choose;
NOISE_SECONDS ends measuring after that time, with the pairs that are there.
"""
import collections
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

collect, report, folder = (os.path.abspath(p) for p in sys.argv[1:4])
PAIRS, ROUNDS = int(os.environ.get("NOISE_PAIRS") or 100), int(os.environ.get("NOISE_ROUNDS") or 0)
SECONDS = float(os.environ.get("NOISE_SECONDS") or 1e9)
PLANTS = int(os.environ.get("NOISE_PLANTS") or 1)  # kernels a pair, in different cases
ONLY = (os.environ.get("NOISE_ONLY") or "matmul_add/64_* crossover/8_* crossover/16_* crossover/32_* crossover/64_* "
        "crossover/128_* square/256x64 square/256x256").split()
LEAST_KERNEL_US = 1.1  # of less, 10 % are the clock's (CHANGE_FLOOR_NS)


def measure(pair):
    only = [a for glob in ONLY for a in ("--only", glob)]
    rounds = ["--repeat", str(ROUNDS)] if ROUNDS else []
    subprocess.run([collect, "--quiet", "--device", "host", *only, *rounds, "--against", collect, "--out",
                    f"{folder}/{pair}"], check=True, stdout=subprocess.DEVNULL)


def check(run):
    done = subprocess.run([report, "--check", run], capture_output=True, text=True)
    lines = re.findall(r"^(?:SLOWER|FASTER) (\S+): (.*)\n(?:  (.*)\n)?", done.stdout, re.M)
    assert done.stdout.strip().endswith("inconclusive"), done
    return lines


def on_device(e):
    return e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")


def slow_kernel(events, name):
    for e in events:
        if e.get("cat") == "kernel" and e["name"] == name:
            e["dur"] = round(e["dur"] * 1.1, 3)


def slow_host(events, _):
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


def largest_kernel(run, case):
    """Its name, and its shortest call, of the last round."""
    calls = collections.defaultdict(list)
    last = max(glob.glob(f"{run}/repeat-*"), key=lambda p: int(p.rsplit("-", 1)[1]))
    for e in events_of(f"{last}/{case['trace']}")["traceEvents"]:
        if e.get("cat") == "kernel":
            calls[e["name"]].append(e["dur"])
    name = max(sorted(calls), key=lambda n: sum(calls[n]))
    return name, min(calls[name])


def events_of(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def plant(run, case, how, name):
    """A copy of the run in which the case is changed in all rounds."""
    copy = f"{folder}/planted"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(run, copy, copy_function=os.link)
    for path in [f"{copy}/{case['trace']}", *glob.glob(f"{copy}/repeat-*/{case['trace']}")]:
        trace = events_of(path)
        how(trace["traceEvents"], name)
        os.unlink(path)  # it is a link to the run's own
        with open(path, "w", encoding="utf-8") as f:
            json.dump(trace, f)
    return copy


class Counts:
    def __init__(self):
        self.pairs = self.alarms = self.hosts = 0
        self.by_case = collections.defaultdict(lambda: [0, 0])


def try_pair(all_, run, rng):
    """Counts what is found in it; the words of its line."""
    cases = [c for c in events_of(f"{run}/run.json")["cases"] if c["status"] == "done"]
    kernel = {c["id"]: largest_kernel(run, c) for c in cases}
    long = [c for c in cases if kernel[c["id"]][1] >= LEAST_KERNEL_US]
    lines, words = check(run), []
    all_.pairs += 1
    all_.alarms += bool(lines)
    words += [f"false alarm {' '.join(line)}" for line in lines]
    for case in rng.sample(long, min(PLANTS, len(long))):
        name = kernel[case["id"]][0]
        found = any(c == case["id"] and what.startswith("a kernel") and name in why
                    for c, what, why in check(plant(run, case, slow_kernel, name)))
        all_.by_case[case["id"]][0] += found
        all_.by_case[case["id"]][1] += 1
        words.append(f"{'found' if found else 'MISSED'} kernel of {case['id']}")
    case = rng.choice(cases)
    found = any(c == case["id"] for c, _, _ in check(plant(run, case, slow_host, None)))
    all_.hosts += found
    words.append(f"{'found' if found else 'MISSED'} host of {case['id']}")
    return words


def main():
    rng, began, worst, all_ = random.Random(14), time.time(), 0, Counts()
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/pairs.tsv", "w", encoding="utf-8") as log:
        while all_.pairs < PAIRS and time.time() - began < SECONDS:
            start, run = time.time(), f"{folder}/{all_.pairs + 1}/host"
            measure(all_.pairs + 1)
            took, load = time.time() - start, os.getloadavg()[0]
            worst = max(worst, load)
            words = try_pair(all_, run, rng)
            print(all_.pairs, f"{took:.0f} s", f"load {load:.1f}", *words, sep="\t", file=log, flush=True)
            shutil.rmtree(f"{folder}/planted", ignore_errors=True)
            if not any(w.startswith(("false", "MISSED")) for w in words):  # else somebody wants to look at it
                shutil.rmtree(f"{folder}/{all_.pairs}")
    print(f"{all_.pairs} pairs of identical runs, load up to {worst:.0f}, {time.time() - began:.0f} s: "
          f"{all_.alarms} false alarms")
    kernels, planted = (sum(v[i] for v in all_.by_case.values()) for i in range(2))
    print(f"a kernel 10 % slower: found {kernels} of {planted}; 20 us more on the host: found {all_.hosts} of "
          f"{all_.pairs}")
    for case, (found, of) in sorted(all_.by_case.items()):
        print(f"  a kernel of {case}: {found} of {of}")
    return all_.alarms > 0 or kernels < 0.95 * planted or all_.hosts < 0.95 * all_.pairs


sys.exit(main())
