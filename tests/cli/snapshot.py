# SPDX-License-Identifier: Apache-2.0
"""What plain Python says of a PyTorch memory snapshot, beside what report says of it.

  snapshot.py check REPORT FILE...     peak, who holds it, free pieces, out of memory: --json, the PDF's text and this agree
  snapshot.py damage REPORT FILE N     N files with bytes changed, cut or put in: each ends with status 0 or 1 and one line
  snapshot.py make                     pickles of other kinds, into this folder
"""
import collections
import gzip
import json
import pathlib
import pickle
import random
import re
import shutil
import subprocess
import sys


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def load(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rb") as f:
        return Plain(f).load()


def is_library(path):
    if "-packages/" in path:
        return "-packages/torch/" in path and path.split("-packages/", 1)[1].startswith("torch/")
    return path.startswith(("<", "torch/")) or "/lib/python3" in path or "/lib64/python3" in path


def line_of(frames):
    """The innermost line of the program, else of Python, else autograd's node, else the operator."""
    found = [[], [], [], []]
    for f in frames or []:
        name, path = f["name"], f["filename"]
        node = re.match(r"torch::autograd::(?:\w+::)*(\w+)::apply\(", name)
        op = re.match(r"at::_ops::(\w+)", name)
        if path.endswith(".py") or path.startswith("<"):
            found[1 if is_library(path) else 0].append(f"{path}({f['line']}): {name}")
        elif node:
            found[2].append(node[1])
        elif op:
            found[3].append(f"aten::{op[1]}")
    return next((kind[0] for kind in found if kind), None)


def told(snapshot, device):
    # Without stamps a record is the microsecond of its place.
    trace = [{"time_us": i, **e} for i, e in enumerate(snapshot["device_traces"][device])]
    segments = [s for s in snapshot["segments"] if s["device"] == device]
    first = {}
    for e in trace:
        if e["action"] in ("alloc", "free_completed", "free"):
            first.setdefault(e["addr"], e)
    live = {a: (e["size"], "[before]") for a, e in first.items() if e["action"] != "alloc"}
    for s in segments:
        for b in s["blocks"]:
            if b["state"] != "inactive" and b["address"] not in first:
                live[b["address"]] = (b["requested_size"], line_of(b.get("frames")) or "[before]")
    got = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}
    reserved = sum(s["total_size"] for s in segments) - sum(got.get(e["action"], 0) * e["size"] for e in trace)
    pieces = {(s["address"], s["total_size"]) for s in segments}
    for e in reversed(trace):
        if got.get(e["action"]) == 1:
            pieces.discard((e["addr"], e["size"]))
        elif got.get(e["action"]) == -1:
            pieces.add((e["addr"], e["size"]))
    asked = collections.defaultdict(lambda: [0, 0])
    total = sum(size for size, _ in live.values())
    best = None
    # Time begins with the first block: one that stood before does with the first record of any device.
    begin = min([e.get("time_us", i) for t in snapshot["device_traces"] for i, e in enumerate(t) if live or e["action"] in ("alloc", "free_completed", "free")], default=0)
    for e in [None, *trace]:
        action = e and e["action"]
        if action == "alloc":
            line = line_of(e.get("frames")) or "[no line]"
            live[e["addr"]] = e["size"], line
            total += e["size"]
            asked[line][0] += 1
            asked[line][1] += e["size"]
        elif action in ("free_completed", "free"):
            total -= live.pop(e["addr"])[0]
        elif action in got:
            reserved += got[action] * e["size"]
            (pieces.add if got[action] == 1 else pieces.discard)((e["addr"], e["size"]))
        if not best or total > best["peak"]:
            at = e["time_us"] - begin if e else 0
            best = {"peak": total, "at": at * 1000, "live": dict(live), "reserved": reserved, "pieces": set(pieces)}
    free, largest = 0, 0
    for start, size in best["pieces"]:
        at = start
        for a, (n, _) in [*sorted((a, b) for a, b in best["live"].items() if start <= a < start + size), (start + size, (0, ""))]:
            free += a - at
            largest = max(largest, a - at)
            at = a + n
    holders = {}
    for size, line in best["live"].values():
        n, most, count = holders.get(line, (0, 0, 0))
        holders[line] = n + size, max(most, size), count + 1
    return {**best, "free": free, "largest": largest, "holders": holders, "asked": asked, "end": total,
            "refused": sum(e["action"] == "oom" for e in trace)}


def find(where, key):
    if isinstance(where, dict) and key in where:
        return where[key]
    for inner in where.values() if isinstance(where, dict) else where if isinstance(where, list) else []:
        if (found := find(inner, key)) is not None:
            return found
    return None


def rows(tables, name):
    table = tables.get(name, {"columns": [], "rows": []})
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


def si(n):
    """As the pages print sizes: three digits."""
    for power, unit in (4, "TB"), (3, "GB"), (2, "MB"), (1, "kB"):
        if n >= 1000 ** power * 0.9995:
            return re.sub(r"^(\d+)\.$", r"\1", f"{n / 1000 ** power:#.3g}") + " " + unit
    return f"{n} B"


def check(report, path):
    said = subprocess.run([report, "--json", "said.json", "-o", "said.pdf", path], capture_output=True, text=True)
    assert said.returncode == 0 and not said.stderr, said
    tables = find(json.load(open("said.json")), "tables")
    snapshot = load(path)
    for device in range(len(snapshot["device_traces"])):
        want = told(snapshot, device)
        peak = [p for p in rows(tables, "memory_peaks") if p["device"] == device]
        if not want["peak"]:
            assert not peak
            continue
        got = {k: peak[0][k] for k in ("peak_bytes", "peak_ns", "reserved_bytes", "free_bytes", "largest_free_bytes", "blocks", "end_bytes", "refused")}
        wish = {"peak_bytes": want["peak"], "peak_ns": want["at"], "reserved_bytes": want["reserved"], "free_bytes": want["free"],
                "largest_free_bytes": want["largest"], "blocks": len(want["live"]), "end_bytes": want["end"], "refused": want["refused"]}
        assert got == wish, (path, got, wish)
        holders = {r["name"]: (r["bytes"], r["largest_bytes"], r["blocks"]) for r in rows(tables, "memory_holders")
                   if r["device"] == device and r["bytes"]}
        assert holders == want["holders"], (path, holders, want["holders"])
        asked = {r["name"]: [r["allocations"], r["allocated_bytes"]] for r in rows(tables, "memory_holders")
                 if r["device"] == device and r["allocations"]}
        assert asked == dict(want["asked"]), (path, asked, want["asked"])
        alive = sorted(r["bytes"] for r in rows(tables, "memory_blocks") if r["device"] == device)
        assert alive == sorted(n for n, _ in want["live"].values())
        segments = sum(r["bytes"] for r in rows(tables, "memory_segments") if r["device"] == device and r["what"] == "at the end")
        assert segments == sum(s["total_size"] for s in snapshot["segments"] if s["device"] == device)
        if device == 0 and shutil.which("pdftotext"):
            text = " ".join(subprocess.run(["pdftotext", "-layout", "said.pdf", "-"], capture_output=True, text=True).stdout.split())
            held = max((n for line, (n, _, _) in want["holders"].items() if line != "[before]"), default=0)
            for number in filter(None, (want["peak"], want["reserved"], want["free"], want["largest"], held)):
                assert si(number).replace(" ", "") in re.sub(r"[\s  ]", "", text), (path, si(number))
    print(f"ok {path}")


def damage(report, path, n):
    whole = gzip.open(path).read()
    for seed in range(n):
        chance = random.Random(seed)
        data = bytearray(whole)
        kind = seed % 4
        if kind == 0:
            del data[chance.randrange(len(data)):]
        for _ in range(chance.choice((1, 3, 30)) if kind else 0):
            at = chance.randrange(2, len(data))
            if kind == 1:
                data[at] = chance.randrange(256)
            elif kind == 2:
                data[at:at] = bytes(chance.choices(b"cRbio\x81\x93\x94(.}]ueaq\x00\xff", k=chance.randrange(1, 5)))
            else:
                del data[at:at + chance.randrange(1, 9)]
        bad = pathlib.Path("bad.pickle")
        bad.write_bytes(data)
        done = subprocess.run([report, "-o", "bad.pdf", "--json", "bad.json", bad], capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), f"seed {seed}: status {done.returncode} {done.stderr[-300:]}"
        assert done.returncode == 0 or done.stderr.count("\n") == 1 and "bad.pickle: " in done.stderr, f"seed {seed}: {done.stderr}"
    print(f"ok {n} damaged")


class Runs:
    """What a hostile pickle does when it is loaded."""
    def __reduce__(self):
        return eval, ("open('pwned', 'w')",)


def make():
    dump = lambda name, what, **how: open(name, "wb").write(pickle.dumps(what, **how))
    segment = {"device": 0, "address": 4096, "total_size": 8192, "allocated_size": 512, "active_size": 512, "blocks": [
        {"size": 512, "state": "active_allocated", "history": [{"addr": 4096, "real_size": 500, "frames": [{"filename": "a.py", "line": 3, "name": "f"}]}]},
        {"size": 7680, "state": "inactive"}]}
    event = lambda action, addr, size, **more: {"action": action, "addr": addr, "size": size, "stream": 0, **more}
    frames = [{"filename": "/x/site-packages/torch/nn/b.py", "line": 9, "name": "g"}, {"filename": "/x/site-packages/net/c.py", "line": 8, "name": "h"}]
    dump("list.pickle", [segment])  # torch.cuda.memory_snapshot(), by PyTorch 1.13
    dump("old.pickle", {"segments": [segment], "device_traces": [[event("alloc", 9000, 100, frames=frames), event("free_completed", 9000, 100)]]}, protocol=2)
    expandable = {"device": 0, "address": 0x1000, "total_size": 0x3000, "active_size": 0, "blocks": [], "is_expandable": True}
    dump("expand.pickle", {"segments": [expandable], "device_traces": [[
        event("segment_map", 0x1000, 0x1000, time_us=10), event("segment_map", 0x2000, 0x2000, time_us=11),
        event("alloc", 0x1000, 0x200, time_us=12), event("free_completed", 0x1000, 0x200, time_us=13)]]})
    # A block that stood before the ring of records began, with its line: it holds memory, and is no allocation of the recording.
    stood = {"size": 512, "requested_size": 500, "state": "active_allocated", "address": 4096, "frames": [{"filename": "a.py", "line": 3, "name": "f"}]}
    dump("stood.pickle", {"segments": [{**segment, "blocks": [stood, segment["blocks"][1]]}], "device_traces": [[
        event("alloc", 5120, 100, time_us=10, frames=frames), event("free_completed", 5120, 100, time_us=11)]]})
    dump("runs.pickle", Runs())
    dump("inside.pickle", {"segments": [segment], "device_traces": [[Runs()]]})
    dump("other.pickle", {"weights": [1, 2, 3]})
    dump("none.pickle", {"segments": [], "device_traces": [[]]})
    dump("number.pickle", 7)
    # A tree that is endless, and one of ten levels with ten times the same in each.
    endless = {"segments": [], "device_traces": []}
    endless["device_traces"].append([event("alloc", 1, 2, time_us=1, frames=endless)])
    endless["segments"].append(endless)
    dump("endless.pickle", endless)
    laugh = [event("alloc", 1, 2, time_us=1)] * 1000
    dump("laugh.pickle", {"segments": [{**segment, "blocks": segment["blocks"] * 3000}] * 3000, "device_traces": [laugh] * 3000})


if __name__ == "__main__":
    if sys.argv[1] == "check":
        for name in sys.argv[3:]:
            check(sys.argv[2], name)
    elif sys.argv[1] == "damage":
        damage(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        make()
