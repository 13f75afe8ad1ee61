#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks traces of the cuda device: `check_trace.py [--like TORCH.json] TRACE.json...`.

A trace must be what PyTorch's profiler writes and what readers of it rely on (Perfetto, HTA, the
TensorBoard plugin): spelling and order of fields, nesting, every kernel joined to its launch and its
operator, flows in pairs, nothing lost, nothing before its launch. With --like, names of fields are
also compared with those in a trace that torch wrote on the same machine.

Prints a line per trace and, below it, what is wrong. Exit status 1 when anything is.
"""
import argparse
import json
import sys

KERNEL = ["External id", "queued", "device", "context", "stream", "correlation",
          "registers per thread", "shared memory", "blocks per SM", "warps per SM", "grid", "block",
          "est. achieved occupancy %", "graph id", "graph node id"]
COPY = ["External id", "device", "context", "stream", "correlation", "bytes",
        "memory bandwidth (GB/s)", "graph id", "graph node id"]
CALL = ["External id", "cbid", "correlation"]
PROPERTIES = ["id", "name", "totalGlobalMem", "computeMajor", "computeMinor", "maxThreadsPerBlock",
              "maxThreadsPerMultiprocessor", "regsPerBlock", "warpSize", "sharedMemPerBlock",
              "numSms", "regsPerMultiprocessor", "sharedMemPerBlockOptin",
              "sharedMemPerMultiprocessor"]
HEAD = ["schemaVersion", "deviceProperties", "trace_id", "cupti_version", "cuda_runtime_version",
        "cuda_driver_version", "distributedInfo", "displayTimeUnit", "baseTimeNanoseconds",
        "traceEvents", "traceName"]
WORK = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")
# Ours, in fields of their own.
OWN = {"tracebook", "tracebook result", "kind"}


class Trace:
    def __init__(self, path):
        self.wrong = []
        with open(path) as f:
            self.json = json.load(f)
        self.events = self.json["traceEvents"]
        self.spans = [e for e in self.events if e["ph"] == "X" and e["pid"] != "Spans"]
        self.work = [e for e in self.spans if e["cat"] in WORK]
        self.calls = [e for e in self.spans if e["cat"] in CALLS]

    def need(self, good, what):
        if not good and len(self.wrong) < 20:
            self.wrong.append(what)
        return good


def in_order(keys, wanted):
    """Are the keys among the wanted ones, in their order?"""
    at = [wanted.index(k) for k in keys if k in wanted]
    return at == sorted(at)


def end(e):
    return e["ts"] + e["dur"]


def check_head(t):
    t.need(in_order(list(t.json), HEAD), f"order of the head: {list(t.json)}")
    for key in HEAD:
        t.need(key in t.json, f"the head has no {key}")
    t.need(t.json["displayTimeUnit"] == "ms", "displayTimeUnit is not ms")
    devices = t.json["deviceProperties"]
    t.need(len(devices) == 1 and list(devices[0]) == PROPERTIES, "deviceProperties differ")
    t.need(t.json["cupti_version"] > 0, "not recorded by CUPTI")
    t.need(abs(t.json["cupti_clock_offset_ns"]) < 5000, "CUPTI's clock and ours differ by "
           f"{t.json['cupti_clock_offset_ns']} ns")
    for key in ("dropped_spans", "zero_stamped_records", "records_before_their_call",
                "records_without_a_call"):
        t.need(t.json.get(key) == 0, f"{key} is {t.json.get(key)}")


def check_fields(t):
    for e in t.spans:
        wanted = KERNEL if e["cat"] == "kernel" else COPY if e["cat"] in WORK else \
            CALL if e["cat"] in CALLS else None
        if not wanted:
            continue
        keys = [k for k in e["args"] if k not in OWN]
        t.need(in_order(keys, wanted) and set(keys) <= set(wanted),
               f"fields of {e['name']}: {keys}")
        missing = set(wanted) - set(keys) - {"External id"}
        t.need(not missing, f"{e['name']} lacks {missing}")
    for e in t.work:
        a = e["args"]
        t.need(isinstance(a["stream"], int) and a["stream"] > 0, "HTA wants a stream above 0")
        t.need(isinstance(a["correlation"], int), "the correlation is no whole number")
        t.need(e["tid"] == a["stream"] and e["pid"] == a["device"], "a row is at another place")
    for e in t.work:
        if e["cat"] != "kernel":
            continue
        a = e["args"]
        blocks = a["grid"][0] * a["grid"][1] * a["grid"][2]
        t.need(abs(a["blocks per SM"] - blocks / t.json["deviceProperties"][0]["numSms"]) < 1e-4,
               "blocks per SM is not the grid over the SMs")
        t.need(a["registers per thread"] > 0, f"{e['name']} has no registers")


def check_joins(t):
    by_number = {}
    for e in t.calls:
        by_number.setdefault(e["args"]["correlation"], []).append(e)
    operators = {e["args"]["External id"]: e for e in t.spans if e["cat"] == "cpu_op"}
    for e in t.work:
        calls = by_number.get(e["args"]["correlation"])
        if not t.need(calls, f"{e['name']} has no launch"):
            continue
        t.need(min(c["ts"] for c in calls) <= e["ts"], f"{e['name']} starts before its launch")
        op = operators.get(e["args"].get("External id"))
        if t.need(op, f"{e['name']} has no operator"):
            t.need(any(op["ts"] <= c["ts"] and end(c) <= end(op) + 0.002 for c in calls),
                   f"{op['name']} does not enclose the launch of {e['name']}")


def check_flows(t):
    starts = [e["id"] for e in t.events if e["ph"] == "s"]
    ends = [e["id"] for e in t.events if e["ph"] == "f"]
    t.need(len(starts) == len(set(starts)), "a flow starts twice")
    t.need(set(starts) == set(ends), "flows without a partner")
    t.need(len(ends) == len(t.work), f"{len(ends)} flows for {len(t.work)} pieces of work")
    t.need(all(e.get("bp") == "e" for e in t.events if e["ph"] == "f"), "a flow without bp")


def check_nesting(t):
    rows = {}
    for e in t.spans:
        if e["cat"] not in WORK + ("gpu_user_annotation", "cuda_sync", "overhead"):
            rows.setdefault((e["pid"], e["tid"]), []).append(e)
    for row in rows.values():
        open_spans = []
        for e in sorted(row, key=lambda e: (e["ts"], -e["dur"])):
            while open_spans and end(open_spans[-1]) <= e["ts"] + 1e-6:
                open_spans.pop()
            t.need(not open_spans or end(e) <= end(open_spans[-1]) + 0.002,
                   f"{e['name']} sticks out of {open_spans[-1]['name'] if open_spans else ''}")
            open_spans.append(e)


def check_steps(t):
    steps = [e for e in t.spans if e["cat"] == "user_annotation" and
             e["name"].startswith("ProfilerStep#")]
    t.need(steps, "no steps")
    shadows = {e["name"] for e in t.spans if e["cat"] == "gpu_user_annotation"}
    for s in steps:
        t.need(s["name"] in shadows, f"{s['name']} has no shadow on the GPU")
    t.need(t.events[-1]["name"] == "Record Window End", "the last event is not the window's end")


def fields_by_category(json_trace):
    fields = {}
    for e in json_trace["traceEvents"]:
        if e.get("ph") == "X" and "cat" in e:
            fields.setdefault(e["cat"], set()).update(e.get("args", {}))
    return fields


def compare(ours, theirs):
    """Fields of ours that torch does not write, and the other way round; for reading, not judging."""
    mine, other = fields_by_category(ours), fields_by_category(theirs)
    for cat in sorted(set(mine) | set(other)):
        if cat not in mine or cat not in other:
            print(f"  {cat}: only {'ours' if cat in mine else 'torch'}")
            continue
        print(f"  {cat}: same {len(mine[cat] & other[cat])}, only ours "
              f"{sorted(mine[cat] - other[cat])}, only torch {sorted(other[cat] - mine[cat])}")
    print(f"  head: only ours {sorted(set(ours) - set(theirs))}, "
          f"only torch {sorted(set(theirs) - set(ours))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--like")
    parser.add_argument("trace", nargs="+")
    args = parser.parse_args()
    bad = 0
    for path in args.trace:
        t = Trace(path)
        for check in (check_head, check_fields, check_joins, check_flows, check_nesting,
                      check_steps):
            check(t)
        bad += bool(t.wrong)
        print(f"{'wrong' if t.wrong else 'good '} {path}: {len(t.work)} pieces of work, "
              f"{len(t.calls)} calls")
        for w in t.wrong:
            print(f"      {w}")
    if args.like:
        with open(args.like) as f:
            compare(t.json, json.load(f))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
