# SPDX-License-Identifier: Apache-2.0
"""What the actions of a case quote, computed once more from the trace's rows; page_one.py calls it.

Each number of an action's sentence must stand for one of its values in --json, and each value is computed again from the
rows: counts and sums by name, kind or shape inside the window or the recording, shares of the time that it is set against.
What hangs on a judgement (which kernels belong together) is held to all that there is of its kind. A value of which no row
tells anything is listed as ID.VALUE.
"""
import collections
import re
from decimal import Decimal

from trace_events import CALLS, COLLECTIVE, COPY, FILL, KERNEL, clipped, length, union, whole_ns

NUMBER = r"(?<![\w.])−?\d[\d \u2009\u202f\u00a0]*(?:\.\d+)?"
UNITS = {"ns": {"ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9}, "share": {"%": Decimal("0.01")}, "count": {None: 1}, "ratio": {"×": 1},
         "bytes": {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}, "bytes/s": {"MB/s": 10**6, "GB/s": 10**9, "TB/s": 10**12},
         "FLOP/s": {"GFLOP/s": 10**9, "TFLOP/s": 10**12}}
QUANTITY = re.compile(rf"({NUMBER})(?:[ \u00a0\u202f]?(GB/s|MB/s|TB/s|GFLOP/s|TFLOP/s|kB|MB|GB|B|ns|µs|ms|s|%|×)(?![\w/]))?")
ALLOCATES = re.compile(r"(cuda|hip)(Malloc|HostAlloc|HostMalloc)|cuMem(Alloc|Create|Map|AddressReserve|SetAccess)")
FREES = re.compile(r"(cuda|hip)(Free|HostFree)|cuMem(Free|Release|Unmap|AddressFree)")
INPUT = re.compile(r"DataLoader|__next__|dataloader|get_batch|_next_data|enumerate|load", re.I)


def number_of(printed):
    return re.sub(r"[ \u2009\u202f\u00a0]", "", printed).replace("−", "-")


def stands_for(printed, scale, value):
    text, value, scale = number_of(printed), Decimal(repr(value)), Decimal(scale)
    half = Decimal(10) ** -(len(text.split(".")[1]) if "." in text else 0) / 2
    slack = abs(value) * Decimal("1e-6")
    return (Decimal(text) - half) * scale - slack <= value <= (Decimal(text) + half) * scale + slack


class Evidence:
    """The actions of one case; the window begins at `start`. holds(what, true, said, ours) takes each comparison."""

    def __init__(self, trace, case, start, holds):
        self.t, self.case, self.holds, self.left = trace, case, holds, collections.Counter()
        self.ns, self.whole_ns = case["window"]["ns"], case["whole"]["ns"]
        self.a, self.b = start, start + self.ns
        self.parts = {p["part"]: p["ns"] for p in case["window"]["parts"]}
        self.device = [e for e in trace.device if e.end >= self.a and e.start <= self.b]
        self.host = [e for e in trace.rows if e.kind not in KERNEL | COPY | FILL and e.start <= self.b]
        self.calls = [e for e in self.host if e.kind in CALLS]
        self.whole = self.sum_parts(case["whole"]["parts"], "idle")

    @staticmethod
    def sum_parts(parts, begins):
        return sum(p["ns"] for p in parts if p["part"].startswith(begins))

    def part(self, begins):
        return sum(ns for p, ns in self.parts.items() if p.startswith(begins))

    def named(self, name, rows=None):
        return [e for e in (self.host if rows is None else rows) if e.name == name]

    def busy(self, rows):
        return length(union(clipped([(e.start, e.end) for e in rows], self.a, self.b)))

    # -- a value's bounds, from the rows of its kind: (least, most) --

    def bounds(self, a, v, name, unit):
        known = getattr(self, "of_" + a["id"].replace("-", "_"), None)
        found = known(v, a).get(name) if known else None
        return found or self.of_any(v, a, name, unit)

    def of_any(self, v, a, name, unit):
        """Of any action: a share is that of its own time; device time is what there was; rows and calls are those of the file."""
        value = v[name]
        if name == "share":
            times = [v[x] for x in ("exposed", "time", "idle", "late", "host") if v.get(x)]
            of = [self.ns, self.part("computing"), self.part("")]
            near = [t / w for t in times for w in of if w]
            fits = [x for x in near if abs(x - value) <= 2e-6]
            return (value, value) if fits or not value else (1, 0)
        if name in ("computing", "all"):
            whole = self.part("computing")
            return (whole, whole) if name == "computing" else (0, whole)
        if name in ("late", "idle") and not a["once_ns"]:
            return 0, self.part("idle")
        if name == "time":
            return 0, max(self.busy(self.device) + self.part("idle"), 0)
        if name in ("launches", "kernels", "n", "norms", "chains", "operators"):
            return 0, len(self.device) + len(self.host)
        if name in ("floor", "stays", "good", "norms_time", "exposed", "alone"):
            return 0, self.part("computing") + self.part("copies") + self.part("communication")
        if name == "host":
            return 0, sum(e.end - e.start for e in self.host)
        if name in ("here", "waits", "link") and unit == "ns":
            return 0, self.ns if name != "link" else v.get("time", self.ns) * 10**3
        return None

    def of_graphs(self, v, a):
        pairs = [(e, self.t.launch(e)) for e in self.device]
        shorter = sum(c is not None and e.end - e.start < c.end - c.start for e, c in pairs)
        return {"late": (0, self.part("idle")), "kernels": (v["shorter"], len(self.device)), "shorter": (0, shorter),
                "launches": (1, len(self.calls)), "waits": (0, len(self.calls))}

    def of_fusion(self, v, a):
        work = [e for e in self.device if e.kind in KERNEL]
        return {"n": (2 * v["chains"], len(work)), "chains": (1, len(work) // 2), "time": (v["stays"], self.part("computing.")),
                "stays": (0, v["time"])}

    def of_elsewhere(self, v, a):
        return {"n": (1, len(self.device) + 1), "longest": (v["idle"] / v["n"] - 1, self.whole_ns)}  # of the host: it may begin while the device works

    def of_input(self, v, a):
        return {"time": (0, self.part("idle") if self.named(v["name"]) and INPUT.search(v["name"]) else -1)}

    def of_sync(self, v, a):
        rows = self.named(v["name"])
        return {"n": (1, len(rows) if a["variant"] else len(self.host)), "others": (0, len(self.host)), "idle": (0, self.part("idle")),
                "waits": (0, self.whole_ns)}

    def of_first_calls(self, v, a):
        every = [e for e in self.t.rows if e.name == v["name"]]
        spans = sorted(e.end - e.start for e in every)
        proof = sorted(round(Decimal(repr(e["dur_us"])) * 1000) for e in a["evidence"])
        slow = all(d in spans for d in proof) and (not spans or not proof or proof[0] >= v["median"])
        return {"calls": (v["n"], len(every)), "n": (len(proof), len(proof) if len(proof) < 8 else len(every)),
                "median": (spans[0], spans[-1]) if spans and slow else (1, 0), "first": (0, v["n"]), "idle": (0, self.whole)}

    def of_allocator(self, v, a):
        rows = [e for e in self.t.rows if e.kind in CALLS]
        allocs, frees = ([e for e in rows if x.match(e.name)] for x in (ALLOCATES, FREES))
        return {"mallocs": (0, len(allocs)), "frees": (0, len(frees)), "time": (0, sum(e.end - e.start for e in allocs + frees)),
                "idle": (0, self.whole)}

    def copies(self, v, a):
        rows = [e for e in self.device if e.kind in COPY]
        sizes = sorted((int(e.args.get("bytes") or 0) for e in rows), reverse=True)
        return {"n": (1, len(rows)), "bytes": (0, sum(sizes[:int(v["n"])])), "time": (0, self.part("copies") + self.part("idle"))}

    of_small_copies = of_overlap_copies = of_smaller_copies = copies

    def of_pinned(self, v, a):
        rate = v["bytes"] / v["time"] * 10**9 if v["time"] else 0
        return self.copies(v, a) | {"rate": (rate * 0.999999, rate * 1.000001)}

    def of_overlap_communication(self, v, a):
        rows = [e for e in self.device if e.kind in KERNEL and COLLECTIVE.search(e.name)]
        return {"n": (1, len(rows)), "time": (v["exposed"], sum(min(e.end, self.b) - max(e.start, self.a) for e in rows)),
                "exposed": (0, self.part("communication")), "alone": (0, v["computing"])}

    def of_buckets(self, v, a):
        return {"n": (1, len(self.device)), "each": (0, self.ns), "time": (0, self.part("communication"))}

    def of_pad(self, v, a):
        rows = [e for e in self.device if e.name == v["kernel"]]
        said = str([e.args.get("Input Dims") for e in self.host if "Input Dims" in e.args])
        odd = re.search(rf"\b{int(v['odd'])}\b", said) is not None and v["odd"] % v["multiple"] and not v["padded"] % v["multiple"]
        return {"n": (1 if rows else 10**9, len(self.device)), "odd": (v["odd"], v["odd"] if odd else -1), "multiple": (4, 128),
                "padded": (v["odd"], v["odd"] * 2 + 256), "rate": (v["time"] and 1, 10**16)}

    def of_precision(self, v, a):
        rows = [e for e in self.device if e.name == v["kernel"]]
        return {"n": (1 if rows else 10**9, len(self.device)), "time": (max((self.busy([e]) for e in rows), default=10**15), self.part("computing")),
                "times": (1, 64), "good": (0, v["time"])}

    of_half = of_fp64 = of_precision

    def of_batch(self, v, a):
        rows = self.named(v["name"])
        counted = {"rounds": (2, len(rows)), "operators": (1, len(self.host)), "late": (0, self.part("idle"))}
        if "all_rows" in v:  # shapes are known, and one call can take all of them
            counted |= {"rows": (1, v["all_rows"]), "all_rows": (v["rows"] * v["rounds"], v["rows"] * v["rounds"])}
        return counted

    def of_loops(self, v, a):
        return {"rounds": (2, len(self.named(v["name"]))), "operators": (1, len(self.host)), "late": (0, self.part("idle"))}

    # -- all of an action --

    def sentence(self, a):
        """Each number of the sentence stands for a value of that kind; what names say is no number."""
        text = a["sentence"]
        for x in sorted((str(v["value"]) for v in a["values"] if v["unit"] == "text"), key=len, reverse=True):
            for said in {x, re.sub(r" at 0x[0-9a-f]+>?", "", x).rstrip(">"), *(w for w in re.findall(r"[\w.:]+", x) if re.search(r"[A-Za-z_]", w) and re.search(r"\d", w))}:
                text = text.replace(said, " ") if said else text
        text = re.sub(r"\(\d+\): |\w+=\d+", " ", text)  # a line of Python, what a range's name gives
        text = re.sub(r"\b(?:fp|TF|FP|bf|uint|int)\d+\b|PyTorch \d[\d.]*|[\w.]*[A-Za-z_]\d[\w.]*|\b\d+[A-Za-z_]\w*::\w*", " ", text)
        for m in QUANTITY.finditer(text):
            printed, unit = m.group(1).rstrip(), m.group(2)
            fits = any(unit in UNITS[v["unit"]] and stands_for(printed, UNITS[v["unit"]][unit], v["value"])
                       for v in a["values"] if v["unit"] in UNITS)
            fits = fits or any(stands_for(printed, 1, x["value"]) for x in a["thresholds"])  # or for a limit that it names
            self.holds(f"{a['id']}: the sentence's numbers", fits, m.group(0), a["sentence"])

    def check(self, a):
        v = {x["name"]: x["value"] for x in a["values"]}
        self.sentence(a)
        for x in a["values"]:
            if x["unit"] == "text":
                continue
            found = self.bounds(a, v, x["name"], x["unit"])
            if found is None:
                self.left[f"{a['id']}.{x['name']}"] += 1
            else:
                self.holds(f"{a['id']}.{x['name']}", found[0] - 1e-6 <= x["value"] <= found[1] + 1e-6, x["value"], found)
        self.rows(a)

    def rows(self, a):
        """The rows that prove it are in the file, with that name, begin and length."""
        origin = self.case["origin_ns"] - self.t.base_ns
        known = {(r.name, r.end - r.start) for r in self.t.rows}
        starts = {r.start for r in self.t.rows}
        for e in a["evidence"]:
            at = origin + whole_ns(Decimal(repr(e["start_us"])))
            ns = whole_ns(Decimal(repr(e["dur_us"])))
            self.holds(f"{a['id']}: a row that proves it", at in starts and (e["name"], ns) in known, e["name"], at)
