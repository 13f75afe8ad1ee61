#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time went, in plain Python over the raw events, sharing no code with the project.

usage: breakdown_truth.py REPORT TRACE...

Runs `REPORT --json` and `--dump analysis` on each trace and holds their parts against its own: at
every moment between two ends of device events it looks which events run, and gives the moment to the
best of them (report/analyse/breakdown.h). The window of the whole is worked out anew where the
profiler wrote steps, and so is the median step. What a kernel's name means is taken from the dump.
Prints a line for each trace; status 1 when one differs.
"""
import collections
import gzip
import heapq
import json
import os
import re
import subprocess
import sys
import tempfile

KERNELS, COPIES, FILLS = {"kernel", "Kernel"}, {"gpu_memcpy", "Memcpy"}, {"gpu_memset", "Memset"}
WORK = KERNELS | COPIES | FILLS
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}
STEP = re.compile(r"Profile[r]?Step#(\d+)$")
PART_OF_CLASS = {
    "gemm": "gemm", "split-K": "gemm", "attention": "attention", "convolution": "convolution", "embedding": "embedding",
    "add": "pointwise", "mul": "pointwise", "gelu": "pointwise", "fused": "pointwise",
    "elementwise": "pointwise", "copy": "pointwise", "fill": "pointwise",
    "reduction": "reduction", "norm": "reduction"}
COMPUTING = ["gemm", "attention", "convolution", "embedding", "pointwise", "reduction", "other"]


class Unreadable(Exception):
    pass


def nanoseconds(text):
    """Microseconds as the file writes them, without a detour over floating point."""
    m = re.fullmatch(r"(-?)(\d+)(?:\.(\d*))?", str(text))
    if not m:
        raise Unreadable(f"a time of {text!r}")
    whole = int(m[2]) * 1000 + int(((m[3] or "") + "000")[:3])
    return -whole if m[1] else whole


def read(path):
    with open(path, "rb") as f:
        body = f.read()
    try:
        body = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        doc = json.loads(body.decode("utf-8-sig"), strict=False, parse_float=str)
    except (OSError, EOFError, ValueError) as e:
        raise Unreadable(type(e).__name__) from e
    events = doc if isinstance(doc, list) else doc.get("traceEvents", [])
    events = [e for e in events if isinstance(e, dict) and e.get("ph") == "X" and "ts" in e]
    first = min((nanoseconds(e["ts"]) for e in events), default=0)
    for e in events:
        e["s"] = nanoseconds(e["ts"]) - first
        e["e"] = e["s"] + max(0, nanoseconds(e.get("dur", 0)))
    return events


def by_start(e):
    return e["s"], -e["e"]


def kind_of(event, classes):
    """communication, copies, or the kind of computing."""
    if event["cat"] in COPIES:
        return "copies"
    if event["cat"] in FILLS:
        return "pointwise"
    kind = classes.get(event["name"])
    return "communication" if kind == "communication" else PART_OF_CLASS.get(kind, "other")


def spend(work, classes, start, end):
    """The parts of [start, end) by the events that run at each moment."""
    parts, running = collections.Counter(), {"computing": [], "communication": [], "copies": []}
    events = sorted(work, key=by_start)
    bounds = sorted({b for e in events for b in (e["s"], e["e"])} | {start, end})
    level = {"communication": "communication", "copies": "copies"}
    at = 0
    for here, there in zip(bounds, bounds[1:]):
        while at < len(events) and events[at]["s"] <= here:
            kind = kind_of(events[at], classes)
            heapq.heappush(running[level.get(kind, "computing")], (at, events[at]["e"], kind))
            at += 1
        if here < start or there > end:
            continue
        winner = "idle"
        for heap in running.values():
            while heap and heap[0][1] <= here:
                heapq.heappop(heap)
            if heap:
                winner = heap[0][2]
                break
        parts[winner] += there - here
    return parts


def begin_of_first(events, work, start):
    """Where the first step begins: behind what the device still does of the step in front while its host waits."""
    launches = {(k.get("args") or {}).get("correlation") for k in work} - {None, 0}
    calls = [e for e in events if e.get("cat") in CALLS and e["s"] >= start]
    launched = min((c["s"] for c in calls if "Launch" in c["name"] or
                    (c.get("args") or {}).get("correlation") in launches), default=None)
    if launched is None:
        return start
    waited = max((c["e"] for c in calls if c["s"] < launched and "Synchronize" in c["name"]), default=start)
    worked = max((k["e"] for k in work if k["s"] < launched), default=start)
    return max(start, worked) if worked <= waited else start


def median_step(events, work, whole_end):
    """The window of the median step, and of all steps; None without steps."""
    steps = [e for e in events if STEP.match(str(e.get("name"))) and
             e.get("cat") not in ("gpu_user_annotation",)]
    threads = collections.Counter((e["pid"], e["tid"]) for e in steps)
    if not threads:
        return None
    thread = max(threads, key=lambda t: threads[t])
    if list(threads.values()).count(threads[thread]) > 1:
        return None  # which is the main thread is told by the order of the rows
    steps = sorted((e for e in steps if (e["pid"], e["tid"]) == thread), key=by_start)
    calls = collections.defaultdict(list)
    for e in sorted((e for e in events if e.get("cat") in CALLS), key=by_start):
        calls[(e.get("args") or {}).get("correlation")].append(e)
    ends = [max(s["e"], steps[i + 1]["s"] if i + 1 < len(steps) and s["e"] < steps[i + 1]["s"]
                else s["e"]) for i, s in enumerate(steps)]
    for k in work:
        number = (k.get("args") or {}).get("correlation")
        same = calls.get(number) if number else None
        if not same:
            continue
        call = ([c for c in same if c["s"] <= k["s"]] or same)[-1 if same[0]["s"] <= k["s"] else 0]
        call = min((c for c in same if c["s"] <= call["s"] and c["e"] >= call["e"] and
                    c["tid"] == call["tid"]), key=by_start)
        inside = [i for i, s in enumerate(steps) if s["s"] <= call["s"]]
        if inside and call["s"] < steps[inside[-1]]["e"]:
            ends[inside[-1]] = max(ends[inside[-1]], k["e"])
    windows, start = [], begin_of_first(events, work, steps[0]["s"])
    for end in ends:
        end = max(start, min(end, whole_end))
        windows.append((start, end))
        start = end
    steady = windows[1:] or windows
    steady = sorted(steady, key=lambda w: (w[1] - w[0], w[0]))
    return steady[(len(steady) - 1) // 2]


def compare(told, parts, merged):
    """The first difference between the report's parts and ours, None without."""
    given = {p["part"]: p["ns"] for p in told["parts"]}
    if sum(given.values()) != told["ns"]:
        return f"the parts sum to {sum(given.values())} of {told['ns']}"
    mine = {"computing." + k: parts[k] for k in COMPUTING}
    mine.update({k: parts[k] for k in ("communication", "copies")})
    given_idle = sum(ns for part, ns in given.items() if part.startswith("idle."))
    pairs = [(k, mine[k], given[k]) for k in mine if k.split(".")[-1] not in sum(merged, [])]
    pairs += [("+".join(group), sum(parts[k] for k in group), sum(given["computing." + k] for k in group))
              for group in merged]
    pairs.append(("idle", parts["idle"], given_idle))
    return next((f"{k}: {b}, and not {a}" for k, a, b in pairs if a != b), None)


def reported(report, path):
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        subprocess.run([report, "--json", result, path], check=False, capture_output=True)
        if not os.path.exists(result):
            raise Unreadable("not read by report")
        with open(result, encoding="utf-8") as f:
            text = f.read()
    case = json.loads(text)["runs"][0]["cases"][0]
    dump = subprocess.run([report, "--dump", "analysis", path], check=False,
                          capture_output=True, text=True, errors="replace").stdout
    found = re.findall(r'^activity (\S+) ("(?:[^"\\]|\\.)*")', dump, re.M)
    return case, {json.loads(name): kind for kind, name in found}


def check(report, path):
    """None when it is right, else what is wrong."""
    events = read(path)
    if any(str(e.get("cat")).startswith("mtia") for e in events):
        raise Unreadable("events that tell their kinds by their names")
    case, classes = reported(report, path)
    if not case["readable"]:
        raise Unreadable("not read by report")
    work = [e for e in events if e.get("cat") in WORK]
    if case["window"]["lacks"] == "device":
        return f"{len(work)} device events, and none reported" if work else None
    # A kernel whose name tells nothing is of its operator's kind, which another row of that name need not share; small
    # fills are told by the products behind them.
    merged = [["attention", "convolution", "embedding", "reduction", "other"]]
    if any(e["cat"] in FILLS and (e.get("args") or {}).get("bytes", 0) <= 4096 for e in work):
        merged.append(["pointwise", "gemm"])
    for told in (case["whole"], case["window"]):
        start = round(told["start_us"] * 1000)
        wrong = compare(told, spend(work, classes, start, start + told["ns"]), merged)
        if wrong:
            return wrong
    whole = case["whole"]
    if case["window"]["steps_by"] == "profiler":
        step = median_step(events, work, round(whole["start_us"] * 1000) + whole["ns"])
        start = round(case["window"]["start_us"] * 1000)
        if step and step != (start, start + case["window"]["ns"]):
            return f"the median step is {step}, and not from {start} for {case['window']['ns']}"
    return None


def main():
    report, paths, wrong, right = sys.argv[1], sys.argv[2:], 0, 0
    for path in paths:
        name = os.path.basename(path)
        try:
            difference = check(report, path)
        except Unreadable as e:
            print(f"left out {name}: {e}")
            continue
        wrong += difference is not None
        right += difference is None
        print(f"wrong {name}: {difference}" if difference else f"equal {name}", flush=True)
    print(f"{right} equal, {wrong} wrong")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
