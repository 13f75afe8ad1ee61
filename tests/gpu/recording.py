# SPDX-License-Identifier: Apache-2.0
"""What outside.py, contexts.py and costs.py share: programs run by collect, their traces compared, verdicts kept."""
import bisect
import collections
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
programs = os.path.join(here, "programs.py")
binaries, work = (os.path.abspath(p) for p in sys.argv[1:3])
UNITS = 20
COLLECTIVE = ("nccl",)
result, missed = {}, []


def target(name, met, words):
    result[name] = {"met": bool(met), "measured": words}
    print(f"{'ok' if met else 'MISSED':7} {name}: {words}", flush=True)
    if not met:
        missed.append(name)


def python(*words):
    return [sys.executable, programs, *map(str, words)]


def shell_status(code):
    return code if code >= 0 else 128 - code


def run(*words, expected=0, seconds=70, say=True):
    """(status as a shell says it, stdout, stderr, seconds)"""
    start = time.time()
    try:
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as e:
        print(f"TOO LONG: {words}: {e.stderr}", flush=True)
        missed.append(" ".join(map(str, words[-3:])))
        return None, "", str(e.stderr), seconds
    status = shell_status(done.returncode)
    took = time.time() - start
    if say:
        print(f"--- {took:5.1f} s, status {status}: {' '.join(str(w) for w in words[-8:])}")
        for line in done.stderr.splitlines()[-(12 if status == expected else 150):]:
            print("    " + line[:300])
    if status != expected:
        missed.append(f"status {status}, expected {expected}: {words[-3:]}")
        print(done.stdout[-2000:], flush=True)
    return status, done.stdout, done.stderr, took


def collect(folder, options, command, expected=0, seconds=70):
    shutil.rmtree(folder, ignore_errors=True)
    return run(f"{binaries}/collect", *options, "--out", folder, "--", *command, expected=expected,
               seconds=seconds)


class Job:
    """A program that runs beside others; its streams go to files."""

    def __init__(self, name, words, environment=None, expected=0):
        self.name, self.words, self.status, self.expected = name, [str(w) for w in words], None, expected
        self.out, self.err = (tempfile.NamedTemporaryFile("w+", dir=work, prefix=f"{name}.", suffix=s)
                              for s in (".out", ".err"))
        self.began = time.time()
        self.process = subprocess.Popen(self.words, stdout=self.out, stderr=self.err,
                                        env=dict(os.environ, **(environment or {})))

    def said(self):
        with open(self.err.name) as f:
            return f.read()

    def printed(self):
        with open(self.out.name) as f:
            return f.read()

    def wait(self, until):
        try:
            self.status = shell_status(self.process.wait(max(until - time.time(), 0.1)))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            self.status = "too long"
        self.took = time.time() - self.began
        return self.status


def recorded(name, options, command, environment=None, expected=0):
    shutil.rmtree(name, ignore_errors=True)
    return Job(name, [f"{binaries}/collect", *options, "--out", name, "--", *command], environment, expected)


def finish(jobs, seconds=60):
    """Waits for all; what ended in another way than expected has all of its stderr printed."""
    until = time.time() + seconds
    for job in jobs:
        job.wait(until)
    for job in jobs:
        if job.status == job.expected:
            continue
        print(f"--- {job.name}: status {job.status} after {job.took:.1f} s: {' '.join(job.words[1:])}")
        for line in job.said().splitlines()[-150:]:
            print("    " + line[:300])
        print(job.printed()[-1000:], flush=True)


def traces(folder):
    if not os.path.exists(f"{folder}/run.json"):
        return {}
    with open(f"{folder}/run.json") as f:
        return {c["tag"]: f"{folder}/{c['trace']}" for c in json.load(f)["cases"]}


def load(path):
    with open(path) as f:
        return json.load(f)


def only(folder):
    """The trace of a folder, of several the largest; an empty one when there is none, or it is broken, which is told."""
    found = sorted(traces(folder).values(), key=os.path.getsize)
    try:
        return load(found[-1]) if found else {"traceEvents": []}
    except ValueError as e:
        print(f"        {folder}: its trace is broken: {str(e)[:100]}")
        return {"traceEvents": []}


def count(trace, *categories):
    return sum(e.get("cat") in categories for e in trace["traceEvents"])


def device_work(trace, categories=("kernel", "gpu_memcpy", "gpu_memset")):
    found = [(e["ts"], e["dur"], e["name"]) for e in trace["traceEvents"] if e.get("cat") in categories]
    return sorted(found)


def window_of(trace):
    """Start and end of the profiler's own row, in seconds since 1970."""
    rows = [e for e in trace["traceEvents"] if e.get("cat") == "Trace"]
    base = trace.get("baseTimeNanoseconds", 0) / 1e9
    return base + rows[0]["ts"] / 1e6, base + (rows[0]["ts"] + rows[0]["dur"]) / 1e6


def by_unit(found, marker, last=0):
    """Counts and times a unit, of the work from the first marker up to the last; of so many units at the end."""
    at = [i for i, (_, _, name) in enumerate(found) if name == marker][-last - 1 if last else 0:]
    if len(at) < 3:
        return None
    units = len(at) - 1
    times = collections.defaultdict(list)
    for _, dur, name in found[at[0]:at[-1]]:
        times[name].append(dur)
    own = {k: t for k, t in times.items() if not is_collective(k)}
    return {"units": units, "counts": {k: len(t) / units for k, t in times.items()},
            "us": sum(map(sum, own.values())) / units,
            "each_us": {k: statistics.mean(t) for k, t in times.items()},
            "waiting_us": sum(sum(t) for k, t in times.items() if k not in own) / units,
            "median_us": sum(len(t) / units * statistics.median(t) for t in own.values())}


def is_collective(name):
    return name.lower().startswith(COLLECTIVE)


def undisturbed(found):
    """Durations of kernels by name, without those that share the GPU with a collective for a while."""
    waits = [(ts, ts + dur) for ts, dur, name in found if is_collective(name)]
    starts, free = [a for a, _ in waits], collections.defaultdict(list)
    for ts, dur, name in found:
        i = bisect.bisect_left(starts, ts + dur)
        if not is_collective(name) and not any(b > ts for _, b in waits[max(0, i - 4):i]):
            free[name].append(dur)
    return free


def compare_undisturbed(name, outside, inside):
    """Of several runs of torch.profiler, each held against all of them too: how far it is from itself."""
    def sums(of, against):
        a, b = ({k: sum((r.get(k, []) for r in runs), []) for k in set().union(*runs)} for runs in (of, against))
        both = [k for k in a if len(a[k]) > 2 and len(b.get(k, ())) > 2]
        us_a, us_b = (sum(statistics.mean(x[k]) for k in both) for x in (a, b))
        return len(both), us_a, us_b, us_a / us_b - 1 if us_b else 1, sum(map(len, a.values()))
    ours, theirs = undisturbed(device_work(outside, ("kernel",))), [undisturbed(device_work(t, ("kernel",))) for t in inside]
    n, us_a, us_b, share, launches = sums([ours], theirs)
    own = [f"{100 * sums([t], theirs)[3]:+.2f}" for t in theirs]
    target(f"{name}: same times", n and abs(share) <= 0.01,
           f"{n} kernels that met no collective, one of each: {us_a:.2f} us outside, {us_b:.2f} inside "
           f"({100 * share:+.2f} %), {launches} launches outside, {sums(theirs, theirs)[4]} inside in {len(theirs)} runs, "
           f"which are {', '.join(own)} % from their mean")


def best_marker(out, ins, units, last=0):
    """A kernel that runs once a unit in both; the best makes all counts whole."""
    n_in, n_out = (collections.Counter(k for _, _, k in of) for of in (ins, out))
    best = None
    for marker in n_in:
        if abs(n_in[marker] - units) > 1 or n_out[marker] < 3 or is_collective(marker):
            continue
        a, b = by_unit(out, marker, last), by_unit(ins, marker, last)
        if not a or not b:
            continue
        rough = sum(abs(n - round(n)) for n in a["counts"].values())
        if best is None or rough < best[0]:
            best = (rough, marker, a, b)
    if best is None:
        print(f"        outside {len(out)}, inside {len(ins)} rows; {n_out.most_common(4)} {n_in.most_common(4)}")
    return best


def compare(name, outside, inside, shared=False, ranks=False, most=0.01, units=UNITS, last=0):
    """Names, counts and times of whole units; what share the times differ by. On a GPU that is shared, work takes as long as the other
    process lets it: times are told, and judge nothing. Of ranks only kernels are timed that meet no
    collective: these last as long as they wait for each other, so they are held by their number, and
    what runs beside them is slower (on two H200s by 4 % of the sum and more)."""
    categories = ("kernel",) if ranks else ("kernel", "gpu_memcpy", "gpu_memset")
    best = best_marker(device_work(outside, categories), device_work(inside, categories), units, last)
    if best is None:
        target(f"{name}: kernels", False, "no kernel runs once a unit")
        return None
    _, marker, a, b = best
    names_a, names_b = set(a["counts"]), set(b["counts"])
    target(f"{name}: same kernels", names_a == names_b,
           f"{len(names_a)} names outside, {len(names_b)} inside; only in one: "
           f"{sorted(n[:60] for n in names_a ^ names_b)[:4]}")
    off = {k[:60]: (round(a["counts"].get(k, 0), 3), round(b["counts"].get(k, 0), 3))
           for k in names_a | names_b if abs(a["counts"].get(k, 0) - b["counts"].get(k, 0)) > (0.03 if ranks else 0.02)}
    collectives = sum(n for k, n in a["counts"].items() if is_collective(k))
    target(f"{name}: same counts", not off,
           f"{sum(b['counts'].values()):.1f} a unit, of them {collectives:.2f} collectives; {a['units']} units outside, "
           f"{b['units']} inside, by {marker[:50]}; off: {off}")
    share, typical = a["us"] / b["us"] - 1, a["median_us"] / b["median_us"] - 1
    said = (f"{a['us']:.1f} us of device work a unit outside, {b['us']:.1f} inside ({100 * share:+.2f} %); by each "
            f"kernel's median {a['median_us']:.1f} and {b['median_us']:.1f} ({100 * typical:+.2f} %)")
    if ranks:
        said += f"; in collectives, which wait, {a['waiting_us']:.1f} and {b['waiting_us']:.1f} us"
    if ranks and not shared:
        print(f"        {name}: {said}")
    elif shared or most is None:
        print(f"        {name}: times: {said}")
    else:
        target(f"{name}: same times", abs(share) <= most, said)
    return share
