# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own averages against ours: averages_truth.py REPORT TRACE AVERAGES...

AVERAGES is what key_averages() said of the recording: a list of rows, or two of them, "operators" and
"shapes" (group_by_input_shape). Every row and number that PyTorch has must be in operators.csv and
shapes.csv: times to the nanosecond; memory and FLOPs in the table that --table prints, too. Left out is what the trace itself does not hold as PyTorch counts
it; each such rule stands here with its reason. Prints "N rows, M numbers, K wrong".
"""
import csv
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile

TIMES = {"self_cpu": "self_cpu_ns", "cpu": "cpu_ns", "self_device": "self_device_ns", "device": "device_ns"}
SIZES = {"cpu_memory": "cpu_bytes", "self_cpu_memory": "self_cpu_bytes", "device_memory": "device_bytes",
         "self_device_memory": "self_device_bytes"}


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        return json.load(f)


def table(folder, name):
    with open(f"{folder}/{name}.csv", newline="") as f:
        return list(csv.DictReader(f))


def number(text):
    return float(text or 0)


def kind(row):
    device = "CPU" not in row["type"]
    return ("range on device" if row["is_user"] else "device") if device else "range" if row["is_user"] else "cpu"


def rules_of(trace, rows):
    """What PyTorch counts that nobody else can see, or counts wrongly."""
    events = load(trace)
    events = events["traceEvents"] if isinstance(events, dict) else events
    spans = [e for e in events if e.get("ph") == "X"]
    owners = {e["tid"] for e in spans if e.get("cat") in ("cpu_op", "user_annotation")}
    overhead = {e["name"] for e in spans if e.get("cat") == "overhead"}
    return {
        # Calls outside of operators stand on the thread that stopped the profiler, whichever made them.
        "threads": any(e.get("cat") in ("cuda_runtime", "cuda_driver") and e["tid"] not in owners for e in spans),
        # Overhead gets the device time of kernels that it has nothing to do with (torch-xpu-ops issue 4824).
        "overhead": overhead,
        "excess": sum(round(r["self_device"] * 1000) for r in rows if r["key"] in overhead),
    }


def is_pytorchs(row, name, ours, theirs, rules):
    if name == "self_cpu_ns":
        return rules["threads"]
    if row["key"] in rules["overhead"]:
        return "device" in name
    return name == "device_ns" and 0 < theirs - ours <= rules["excess"]


def check(row, ours, flops, where, rules):
    wrong, n = [], 0
    for theirs, name in TIMES.items():
        if kind(row) in ("device", "range on device") and "cpu" in theirs:
            continue
        n += 1
        wanted = round(row[theirs] * 1000)
        if wanted != number(ours[name]) and not is_pytorchs(row, name, number(ours[name]), wanted, rules):
            wrong.append(f"{where} {row['key']}: {name} {ours[name]}, PyTorch {row[theirs]} us")
    for theirs, name in SIZES.items():
        if theirs in row and kind(row) in ("cpu", "range"):
            n += 1
            if row[theirs] != number(ours[name]):
                wrong.append(f"{where} {row['key']}: {name} {ours[name]}, PyTorch {row[theirs]}")
    if flops and kind(row) == "cpu":
        n += 1
        if row["flops"] != number(ours["flop"]):
            wrong.append(f"{where} {row['key']}: flop {ours['flop']}, PyTorch {row['flops']}")
    n += 1
    if row["count"] != number(ours["calls"]):
        wrong.append(f"{where} {row['key']}: calls {ours['calls']}, PyTorch {row['count']}")
    return n, wrong


def memory_words(size):
    for unit, name in (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"):
        if abs(size) >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size} B"


def check_printed(report, trace, averages):
    """--table prints memory and FLOPs as PyTorch's table() writes these averages (_build_table())."""
    text = subprocess.run([report, "--table", trace], check=True, capture_output=True).stdout.decode()
    head, *lines = [re.split(r" {2,}", line.strip()) for line in text.split("\n") if "  " in line and "---" not in line]
    lines = [dict(zip(head, line)) for line in lines]
    units = ["FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"]
    fewest = min((r["flops"] for r in averages if r["flops"]), default=0)
    scale = min(int(math.log10(fewest) / 3), 5) if fewest else 0
    n, wrong = 0, []
    for row in averages:
        wanted = {}
        if "cpu_memory" in row:
            wanted |= {"CPU Mem": memory_words(row["cpu_memory"]), "Self CPU Mem": memory_words(row["self_cpu_memory"])}
            if any(r["self_device_memory"] > 0 for r in averages):
                wanted |= {"CUDA Mem": memory_words(row["device_memory"]),
                           "Self CUDA Mem": memory_words(row["self_device_memory"])}
        if fewest:
            flop = row["flops"] / 1000 ** scale
            wanted["Total " + units[scale]] = f"{flop:.3f}" if flop else "--"
        named = [line for line in lines if line["Name"] == row["key"]]
        n += len(wanted)
        if kind(row) in ("cpu", "range") and named and not any(wanted.items() <= line.items() for line in named):
            wrong.append(f"--table {row['key']}: {named}, PyTorch {wanted}")
    return n, wrong


def compare(report, trace, averages):
    theirs = load(averages)
    theirs = {"operators": theirs} if isinstance(theirs, list) else theirs
    rows = 0
    n, wrong = check_printed(report, trace, theirs["operators"])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([report, "--csv", folder, trace], check=True)
        operators = {(r["name"], r["where"]): r for r in table(folder, "operators")}
        shapes = {(r["name"], r["shapes"]): r for r in table(folder, "shapes")}
    for which, list_ in theirs.items():
        flops = any(r["flops"] for r in list_)
        rules = rules_of(trace, list_)
        for row in list_:
            if which == "shapes" and not any(c.isdigit() for c in row["shapes"]):
                continue  # lists of tensors are told as they are, not as []
            ours = (operators.get((row["key"], kind(row))) if which == "operators"
                    else shapes.get((row["key"], row["shapes"])))
            rows += 1
            if not ours:
                wrong.append(f"{which} {row['key']} {row.get('shapes', '')} {kind(row)}: not there")
                continue
            more, bad = check(row, ours, flops, which, rules)
            n += more
            wrong += bad
    return rows, n, wrong


def main():
    report, pairs = sys.argv[1], sys.argv[2:]
    failed = 0
    for trace, averages in zip(pairs[::2], pairs[1::2]):
        rows, n, wrong = compare(report, trace, averages)
        print("\n".join(wrong), end="\n" if wrong else "")
        print(f"{os.path.basename(trace)}: {rows} rows, {n} numbers, {len(wrong)} wrong")
        failed += bool(wrong)
    sys.exit(failed > 0)


main()
