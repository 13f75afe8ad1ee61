# SPDX-License-Identifier: Apache-2.0
"""Tables of `report --csv` against plain Python over the raw events: tables_truth.py REPORT TRACE...

Shares no code with the project. Prints a line for each thing that differs and ends with
"N numbers of M traces, K wrong".
"""
import bisect
import collections
import csv
import gzip
import json
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
CALLS = {"cuda_runtime", "cuda_driver"}
HOST = CALLS | {"cpu_op", "user_annotation", "python_function"}


def ns(value):
    return int(Decimal(value) * 1000)


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        data = json.load(f, parse_float=Decimal)
    events = data["traceEvents"] if isinstance(data, dict) else data
    for e in events:
        if e.get("ph") in "Xi" and "ts" in e:
            e["at"] = ns(e["ts"])
            e["end"] = e["at"] + ns(e.get("dur", 0))
    return data, [e for e in events if e.get("ph") == "X"], [e for e in events if e.get("ph") == "i"]


def launches(spans):
    calls = {}
    for e in spans:
        if e.get("cat") in CALLS and e["args"].get("correlation"):
            old = calls.get(e["args"]["correlation"])
            if not old or e["at"] < old["at"]:
                calls[e["args"]["correlation"]] = e
    return [(e, calls.get(e["args"].get("correlation"))) for e in spans if e.get("cat") in DEVICE]


def holders(spans, category):
    """Of a call: the spans of a category around it, innermost first."""
    by_thread = collections.defaultdict(list)
    for e in spans:
        if e.get("cat") == category:
            by_thread[e["tid"]].append(e)
    for list_ in by_thread.values():
        list_.sort(key=lambda e: (e["at"], -e["end"]))
    starts = {tid: [e["at"] for e in list_] for tid, list_ in by_thread.items()}

    def around(call):
        list_ = by_thread.get(call["tid"], [])
        last = bisect.bisect_right(starts.get(call["tid"], []), call["at"])
        return [e for e in reversed(list_[:last]) if e["end"] >= call["end"]]
    return around


def ranges(spans, work):
    around, rows = holders(spans, "user_annotation"), collections.Counter()
    for e in spans:
        if e.get("cat") == "user_annotation":
            rows[re.sub("#?[0-9]+", "#", e["name"]), "calls"] += 1
            rows[re.sub("#?[0-9]+", "#", e["name"]), "cpu_ns"] += e["end"] - e["at"]
    for e, call in work:
        names = [re.sub("#?[0-9]+", "#", r["name"]) for r in around(call)] if call else []
        for name in set(names):
            rows[name, "device_ns"] += e["end"] - e["at"]
        for name in names[:1]:
            rows[name, "self_device_ns"] += e["end"] - e["at"]
    return rows


def products(spans, work):
    """aten::mm and aten::bmm by their shapes: calls, time on the device, FLOP/s."""
    around, ns_of, calls = holders(spans, "cpu_op"), collections.Counter(), collections.defaultdict(set)
    for e, call in work:
        ops = around(call) if call else []
        if ops and ops[0]["name"] in ("aten::mm", "aten::bmm") and "Input Dims" in ops[0]["args"]:
            key = ops[0]["name"], json.dumps(ops[0]["args"]["Input Dims"])
            ns_of[key] += e["end"] - e["at"]
            calls[key].add(id(ops[0]))
    rows = {}
    for key, total in ns_of.items():
        a, b = json.loads(key[1])[:2]
        flop = 2 * b[-1]
        for size in a:
            flop *= size
        n = len(calls[key])
        rows[key] = {"calls": n, "device_ns": total, "flop": flop, "flop_per_s": flop * n / total * 1e9}
    return rows


def streams(spans, work):
    """Busy inside the window, which begins with the first step; the queue over the whole file."""
    steps = [e["at"] for e in spans if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#")]
    rows, begin = {}, min(steps) if steps else None
    by_stream = collections.defaultdict(list)
    for e, call in work:
        by_stream[str(e["tid"])].append((e, call))
    for tid, list_ in by_stream.items():
        busy, reached = 0, begin
        for e, _ in sorted(list_, key=lambda p: p[0]["at"]):
            start = e["at"] if reached is None else max(e["at"], reached)
            busy += max(0, e["end"] - start)
            reached = max(e["end"], reached or e["end"])
        moments = sorted(m for e, call in list_ if call and e["at"] > call["at"]
                         for m in ((call["at"], 1), (e["at"], -1)))
        length = most = 0
        for _, by in moments:
            length += by
            most = max(most, length)
        rows[tid] = {"busy_ns": busy, "queue_most": most}
    return rows


def busy(spans, work):
    """Of all streams together, inside the window."""
    steps = [e["at"] for e in spans if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#")]
    total, reached = 0, min(steps) if steps else min((e["at"] for e, _ in work), default=0)
    for e, _ in sorted(work, key=lambda p: p[0]["at"]):
        total += max(0, e["end"] - max(e["at"], reached))
        reached = max(e["end"], reached)
    return total


class Check:
    def __init__(self, trace):
        self.trace, self.n, self.wrong = trace, 0, 0

    def same(self, what, ours, wanted):
        self.n += 1
        ours = float(ours or 0)
        if abs(ours - wanted) > abs(wanted) * 1e-6 + (1 if isinstance(wanted, float) else 0):
            self.wrong += 1
            print(f"{self.trace}: {what} is {ours}, plain Python {wanted}")


def check(report, trace):
    data, spans, instants = load(trace)
    work, c = launches(spans), Check(trace)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([report, "--csv", folder, trace], check=True)

        def table(name):
            with open(f"{folder}/{name}.csv", newline="") as f:
                return list(csv.DictReader(f))
        rows = ranges(spans, work)
        for r in table("ranges"):
            for column in ("calls", "cpu_ns", "device_ns", "self_device_ns"):
                c.same(f"range {r['range']} {column}", r[column], rows[r["range"], column])
        wanted, ours = products(spans, work), collections.Counter()
        for r in table("gemm"):
            key = r["operator"], json.dumps(json.loads(r["shapes"])) if r["shapes"].startswith("[") else ""
            if key in wanted:
                ours[key, "calls"] += int(r["calls"])
                ours[key, "device_ns"] += int(r["device_ns"])
                c.same(f"{key} flop", r["flop"], wanted[key]["flop"])
                c.same(f"{key} flop/s", r["flop_per_s"], float(r["flop"]) * int(r["calls"]) / int(r["device_ns"]) * 1e9)
        for key, w in wanted.items():
            for column in ("calls", "device_ns"):
                c.same(f"{key} {column}", ours[key, column], w[column])
        wanted = streams(spans, work)
        for r in table("streams"):
            w = wanted[r["stream"].split()[-1]]
            c.same(f"{r['stream']} busy", r["busy_ns"], w["busy_ns"])
            c.same(f"{r['stream']} queue", r["queue_most"], w["queue_most"])
        total = sum(e["end"] - e["at"] for e, _ in work)
        c.same("kinds", sum(int(r["device_ns"]) for r in table("kinds")), total)
        c.same("kernels", sum(int(r["device_ns"]) for r in table("kernels")), total)
        for name, column in (("uses", "whole_ns"), ("purposes", "busy_ns")):
            c.same(f"{name} of the busy time", sum(int(r[column]) for r in table(name)), busy(spans, work))
        groups = collections.defaultdict(list)
        for r in table("purposes"):
            groups[r["operator"], r["shapes"]].append(r)
        for r in table("gemm"):
            mine = groups[r["operator"], r["shapes"]]
            if r["flop_share"] and len(mine) == 1 and int(mine[0]["device_ns"]) == int(r["device_ns"]):
                most = min(1, max(float(r["flop_share"]), float(r["bytes_share"])))
                c.same(f"roof of {r['operator']} {r['shapes']}", round(float(mine[0]["roof_share"]), 4), round(most, 4))
        c.same("events with a purpose", sum(int(r["events"]) for r in table("purposes")), len(work))
        copies = [e for e, _ in work if e["cat"] != "kernel"]
        c.same("bytes of copies", sum(int(r["bytes"] or 0) for r in table("copies")),
               sum(e["args"].get("bytes", 0) for e in copies))
        changes = [e["args"] for e in instants if e["name"] == "[memory]"]
        c.same("changes of memory", len(table("memory")), len(changes))
        c.same("their bytes", sum(int(r["bytes"]) for r in table("memory")), sum(a["Bytes"] for a in changes))
    return c


def main():
    checks = [check(sys.argv[1], trace) for trace in sys.argv[2:]]
    wrong = sum(c.wrong for c in checks)
    print(f"{sum(c.n for c in checks)} numbers of {len(checks)} traces, {wrong} wrong")
    sys.exit(wrong > 0)


main()
