#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The causes of idle time of real traces in plain Python, sharing no code with the project.

usage: idle_causes_truth.py FOLDER < idle_causes.tsv

Each line of the table names a trace under FOLDER and the window of its analysis (nanoseconds from
the trace's first event), then for each cause the gaps and their nanoseconds. The lines come out with
the causes worked out anew from the raw events, by the rules in report/analyse/idle_causes.h:
`idle_causes_truth.py FOLDER < idle_causes.tsv | diff idle_causes.tsv -` says whether the table is right.
"""
import collections
import decimal
import gzip
import json
import os
import sys

WORK = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
COPIES = {"gpu_memcpy", "Memcpy"}
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}
CAUSES = ["profiler", "host", "latency", "sync", "held", "unknown", "before", "after"]
NOT_THE_PROFILERS = ("oading", "ompil", "Command Buffer")


def read(path):
    body = open(path, "rb").read()
    body = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
    doc = json.loads(body.decode("utf-8-sig"), strict=False, parse_float=decimal.Decimal)
    events = doc if isinstance(doc, list) else doc["traceEvents"]
    events = [e for e in events if "ts" in e and e.get("ph") in ("X", "i")]
    for e in events:
        e["s"] = int(decimal.Decimal(str(e["ts"])) * 1000)
        e["e"] = e["s"] + max(0, int(decimal.Decimal(str(e.get("dur", 0))) * 1000))
    return events


def order(e):
    return e["s"], -e["e"]


def outer_calls(calls):
    """The outermost call around each, by identity."""
    outer, threads = {}, collections.defaultdict(list)
    for e in calls:
        threads[e["pid"], e["tid"]].append(e)
    for thread in threads.values():
        stack = []
        for e in sorted(thread, key=order):
            while stack and not (e["s"] < stack[-1]["e"] and e["e"] <= stack[-1]["e"]):
                stack.pop()
            outer[id(e)] = stack[0] if stack else e
            stack.append(e)
    return outer


def launches(work, calls, outer):
    """The call that launched each event, by identity."""
    by_number, found = collections.defaultdict(list), {}
    for e in sorted(calls, key=order):
        by_number[(e.get("args") or {}).get("correlation")].append(e)
    for k in work:
        number = (k.get("args") or {}).get("correlation")
        same = by_number.get(number) if number else None
        if same:
            earlier = [e for e in same if e["s"] <= k["s"]]
            found[id(k)] = outer[id(earlier[-1] if earlier else same[0])]
    return found


def waits_by_thread(work, calls, outer, launch):
    caused, waits = {}, collections.defaultdict(list)
    for k in work:
        if id(k) in launch:
            caused.setdefault(id(launch[id(k)]), k)
    for e in calls:
        k = caused.get(id(e))
        blocking = (k and k["cat"] in COPIES and k["e"] <= e["e"] and
                    ("Async" not in e["name"] or "Pageable" in k["name"]))
        if outer[id(e)] is e and (blocking or (not k and "ynchron" in e["name"])):
            waits[e["pid"], e["tid"]].append(e)
    return waits


def covered(spans, begin, end):
    total, done = 0, begin
    for a, b in sorted((e["s"], e["e"]) for e in spans):
        a, b = max(a, done), min(b, end)
        if b > a:
            total, done = total + b - a, b
    return total


def cause(begin, end, call, waits, overhead):
    length = end - begin
    if call and end - call["e"] > 20000 and 2 * (end - max(call["e"], begin)) >= length:
        return "held"
    by_profiler = covered(overhead, begin, end)
    if by_profiler and 2 * by_profiler >= length:
        return "profiler"
    if not call:
        return "unknown"
    inside = min(call["e"], end) - call["s"]
    if call["s"] <= begin or (inside > 50000 and 2 * inside >= length):
        return "latency"
    for w in waits[call["pid"], call["tid"]]:
        if w["s"] < begin <= w["e"] <= call["s"] <= w["e"] + 1000000:
            return "sync"
    return "host"


def causes(events, window):
    begin, end = window
    first = min(e["s"] for e in events)
    for e in events:
        e["s"], e["e"] = e["s"] - first, e["e"] - first
    events = [e for e in events if e["ph"] == "X"]
    work = sorted((e for e in events if e.get("cat") in WORK), key=order)
    calls = [e for e in events if e.get("cat") in CALLS]
    overhead = [e for e in events if e.get("cat") == "overhead" and
                not any(word in e["name"] for word in NOT_THE_PROFILERS)]
    outer = outer_calls(calls)
    launch = launches(work, calls, outer)
    waits = waits_by_thread(work, calls, outer, launch)
    sums = {c: [0, 0] for c in CAUSES}

    def add(what, ns):
        sums[what][0] += 1
        sums[what][1] += ns

    since, before = begin, None
    for k in work:
        s, e = max(k["s"], begin), min(k["e"], end)
        if e <= s or e <= since:
            continue
        if s > since and not before:
            add("before", s - since)
        elif s > since:
            add(cause(since, s, launch.get(id(k)), waits, overhead), s - since)
        since, before = e, k
    if end > since:
        add("after" if before else "before", end - since)
    return sums


for line in sys.stdin:
    name, begin, end = line.split("\t")[:3]
    sums = causes(read(os.path.join(sys.argv[1], name)), (int(begin), int(end)))
    print(name, begin, end, *(f"{n} {ns}" for n, ns in sums.values()), sep="\t")
