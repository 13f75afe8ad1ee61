# SPDX-License-Identifier: Apache-2.0
"""A trace's events as page_one.py computes from them: whole nanoseconds, unions, launches, steps. None of the project's code."""
import bisect
import collections
import gzip
import json
import re
from decimal import Decimal

KERNEL, COPY, FILL = {"kernel"}, {"gpu_memcpy", "memcpy"}, {"gpu_memset", "memset"}
DEVICE = KERNEL | COPY | FILL | {"gpu_user_annotation"}
CALLS = {"cuda_runtime", "cuda_driver", "runtime", "driver", "hip_runtime", "privateuse1_runtime", "mtia_runtime", "xpu_runtime"}
# A collective by its own name: the libraries' prefixes and NCCL's way of naming device functions.
COLLECTIVE = re.compile(r"nccl|rccl|msccl|oneccl|multimem_all_|cross_device_reduce|all_?reduce_kernel", re.I)


def whole_ns(us):
    return int((Decimal(us) * 1000).to_integral_value(rounding="ROUND_HALF_UP"))


class Event:
    __slots__ = ("kind", "name", "start", "end", "pid", "tid", "args")

    def __init__(self, e):
        self.kind = str(e.get("cat", "")).lower()
        self.name, self.pid, self.tid = str(e.get("name", "")), e.get("pid"), e.get("tid")
        if self.kind == "mtia_ccp_events":
            self.kind = "memcpy" if "dma" in self.name else "" if self.name.startswith("event_") else "kernel"
        if not self.kind and str(self.pid).endswith(" functions"):  # before Kineto: processes instead of categories
            self.kind = "kernel" if str(self.pid).startswith("CUDA") else "operator"
        self.start = whole_ns(e["ts"])
        self.end = self.start + max(0, whole_ns(e.get("dur") or 0))
        self.args = e.get("args") if isinstance(e.get("args"), dict) else {}


def is_number(x):
    return isinstance(x, (int, Decimal)) and not isinstance(x, bool)


def pairs(listed, repairs):
    """Begins and ends of each thread as complete events. An end without a begin is none; a begin without an end ends with the
    span around it, unless its own comes later, and with the thread's last event where there is none."""
    by = collections.defaultdict(list)
    for e in listed:
        if e.get("ph") in ("B", "E") and is_number(e.get("ts")):
            by[str(e.get("pid")), str(e.get("tid"))].append(e)
    for rows in by.values():
        open_, passed = [], []
        for e in sorted(rows, key=lambda e: e["ts"]):
            if e["ph"] == "B":
                open_.append(dict(e, ph="X"))
                yield open_[-1]
                continue
            at = next((i for i in reversed(range(len(open_))) if e.get("name") in (None, "", open_[i].get("name"))), None)
            late = next((b for b in reversed(passed) if b.get("name") == e.get("name")), None) if at is None else None
            if late:
                late["dur"] = e["ts"] - late["ts"]
                passed.remove(late)
            elif at is None:
                repairs["no_begin"] += 1
            else:
                for b in open_[at:]:
                    b["dur"] = e["ts"] - b["ts"]
                passed += open_[at + 1:]
                del open_[at:]
        repairs["no_end"] += len(open_) + len(passed)
        for b in open_:
            b["dur"] = rows[-1]["ts"] - b["ts"] if rows[-1]["ts"] > b["ts"] else 0


class Trace:
    """The complete events of a file, in ns from the file's own zero."""

    def __init__(self, path):
        raw = open(path, "rb").read()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
        doc = json.loads(text, parse_float=Decimal)
        listed = doc if isinstance(doc, list) else doc.get("traceEvents", [])
        base = doc.get("baseTimeNanoseconds", 0) if isinstance(doc, dict) else 0
        self.base_ns = int(base) if is_number(base) else 0
        self.head = str({k: v for k, v in doc.items() if k != "traceEvents"}) if isinstance(doc, dict) else ""
        listed = [e for e in listed if isinstance(e, dict)]
        phases = collections.Counter(e.get("ph") for e in listed)
        self.phases = {x for x in phases if isinstance(x, str)}
        # Complete and instant events; a file with begins, ends or counters has other ways to count them.
        self.events = phases["X"] + phases["i"] + phases["I"] if set(phases) <= set("XiIMstf") else None
        self.threads = {}
        for e in listed:
            if e.get("ph") == "M" and e.get("name") == "thread_name" and isinstance(e.get("args"), dict):
                self.threads[e.get("pid"), str(e.get("tid"))] = str(e["args"].get("name", ""))
        self.labels = {str(x) for e in listed for x in (e.get("pid"), e.get("tid"), *(e["args"].values() if e.get("ph") == "M" and isinstance(e.get("args"), dict) else ()))}
        self.raw, self.repairs = raw if raw[:2] != b"\x1f\x8b" else text.encode(), collections.Counter()
        complete = [e for e in listed if e.get("ph") == "X" and is_number(e.get("ts"))]
        self.repairs["no_duration"] = sum(e.get("dur") is None for e in complete)
        self.repairs["negative"] = sum(is_number(e.get("dur")) and e["dur"] < 0 for e in complete)
        self.memory = [(whole_ns(e["ts"]), (a.get("Device Type"), a.get("Device Id")), int(a["Total Allocated"]), int(a.get("Total Reserved") or 0))
                       for e in listed for a in [e.get("args")] if e.get("name") == "[memory]" and isinstance(a, dict) and "Total Allocated" in a]
        self.rows = [Event(e) for e in [*listed, *list(pairs(listed, self.repairs))] if e.get("ph") == "X" and is_number(e.get("ts"))
                     and (e.get("dur") is None or is_number(e["dur"]))]
        self.kernels = [e for e in self.rows if e.kind in KERNEL]
        self.copies = [e for e in self.rows if e.kind in COPY]
        self.fills = [e for e in self.rows if e.kind in FILL]
        self.device = sorted(self.kernels + self.copies + self.fills, key=lambda e: (e.start, e.end))
        self.call_of = {}
        for e in self.rows:
            if e.kind in CALLS and "correlation" in e.args:
                self.call_of.setdefault(e.args["correlation"], e)

    def thread(self, e):
        """What a page may call the thread of an event: its number, or what the file names it."""
        named = re.fullmatch(r"thread (\d+)(?: \(.*\))?", self.threads.get((e.pid, str(e.tid)), ""))
        return named.group(1) if named else str(e.tid)

    def own_times(self, every=False, python=True):
        """(event, its time without the rows right inside it) of the host's threads; every: whatever its category."""
        by, out = collections.defaultdict(list), []
        for e in self.rows:
            if (e.kind in {"cpu_op", "operator", "user_annotation", "python_function"} | CALLS or every and e.kind not in DEVICE) \
                    and (python or e.kind != "python_function"):
                by[str(e.pid), str(e.tid)].append(e)
        for rows in by.values():
            open_, own = [], {}
            for e in sorted(rows, key=lambda e: (e.start, -e.end)):
                while open_ and open_[-1].end <= e.start and not (open_[-1].end == e.start == e.end):
                    open_.pop()
                own[id(e)] = e.end - e.start
                if open_ and e.end <= open_[-1].end:
                    own[id(open_[-1])] -= e.end - e.start
                open_.append(e)
            out += [(e, max(0, own[id(e)])) for e in rows]
        return out

    def crossing(self):
        """(span, how far it ends behind) of the host's that begin inside another of their thread and end behind it."""
        by, out = collections.defaultdict(list), []
        for e in self.rows:
            if e.kind not in DEVICE:
                by[str(e.pid), str(e.tid)].append(e)
        for rows in by.values():
            open_ = []
            for e in sorted(rows, key=lambda e: (e.start, -e.end)):
                while open_ and open_[-1].end <= e.start:
                    open_.pop()
                if open_ and e.end > open_[-1].end:
                    out.append((e, e.end - open_[-1].end))
                open_.append(e)
        return out

    def launch(self, e):
        return self.call_of.get(e.args.get("correlation"))


def union(spans):
    """Disjoint spans of the same times, by start."""
    out = []
    for a, b in sorted(s for s in spans if s[1] > s[0]):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def length(spans):
    return sum(b - a for a, b in spans)


def clipped(spans, a, b):
    return [(max(s, a), min(e, b)) for s, e in spans if min(e, b) > max(s, a)]


def parts_between(t, a, b):
    """Computing, communication, copies and idle time of [a, b): each moment is the first's that is at work."""
    spans = {"computing": [], "communication": [], "copies": []}
    for e in t.device:
        if e.end > a and e.start < b:
            key = "copies" if e.kind in COPY else \
                "communication" if e.kind in KERNEL and COLLECTIVE.search(e.name) else "computing"
            spans[key].append((max(e.start, a), min(e.end, b)))
    out, so_far, before = {}, [], 0
    for key in ("computing", "communication", "copies"):
        so_far = union([tuple(s) for s in so_far] + spans[key])
        out[key], before = length(so_far) - before, length(so_far)
    out["idle"] = (b - a) - before
    return out


# ---- steps ----

def ranges(t):
    return [e for e in t.rows if e.kind in {"user_annotation", "cpu_op", "operator", "python_function"}]


def device_end_by_step(t, bounds):
    """For each [begin, end) of the host: the end of the last device event that was launched in it, on any thread."""
    begins, ends = [b for b, _ in bounds], [None] * len(bounds)
    for e in t.device:
        call = t.launch(e)
        if call is None:
            continue
        i = bisect.bisect_right(begins, call.start) - 1
        if i >= 0 and call.start < bounds[i][1]:
            ends[i] = e.end if ends[i] is None else max(ends[i], e.end)
    return ends


def begin_of_first(t, start):
    """Where the first step begins: behind what the device still does of the step in front while the host waits for it."""
    calls = [e for e in t.rows if e.kind in CALLS and e.start >= start]
    joined = {id(t.launch(e)) for e in t.device}
    launched = min((c.start for c in calls if "Launch" in c.name or id(c) in joined), default=None)
    if launched is None:
        return start
    waited = max((c.end for c in calls if c.start < launched and "Synchronize" in c.name), default=start)
    worked = max((e.end for e in t.device if e.start < launched), default=start)
    return max(start, worked) if worked <= waited else start


def profiler_steps(t):
    """(number, begin, end) of each ProfilerStep#N on the host, extended by what it launched."""
    seen = {}
    for e in ranges(t):
        m = re.fullmatch(r"ProfilerStep#(\d+)", e.name)
        if m and e.kind != "gpu_user_annotation":
            seen.setdefault(int(m.group(1)), e)
    rows = sorted(seen.items(), key=lambda s: s[1].start)
    late = device_end_by_step(t, [(e.start, e.end) for _, e in rows])
    begin, out = [], []
    for i, (_, e) in enumerate(rows):
        begin.append(max([e.start if i else begin_of_first(t, e.start)] + [x for x in late[:i][-1:] if x is not None] + begin[-1:]))
    for i, (n, e) in enumerate(rows):
        end = begin[i + 1] if i + 1 < len(rows) else max(x for x in (e.end, late[i], begin[i]) if x is not None)
        out.append((n, begin[i], end))
    return out
