#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pftrace.py write JSON FILE FORM | check REPORT JSON FILE FORM | count REPORT FILE | damage REPORT FILE N

A trace of Kineto's JSON as Perfetto's packets, in the forms that are written: `stages` as PyTorch's newest back-end
(work of the GPU as render stages), `first` as its first one (slices without categories, all begins before all ends),
`kineto` as Kineto's own writer (a track for each slice, args as one text), `events` with everything in TrackEvents, and
`live` the same in order of time, interned anew again and again, by a clock of its own; .gz packs it. `count` decodes a
file by itself and holds numbers and sums against what report says.
"""
import collections
import decimal
import gzip
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import zlib

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
CLEARED, NEEDS = 1, 2
STAGES = {"kernel": (1, "Kernel"), "gpu_memcpy": (2, "Memcpy"), "gpu_memset": (3, "Memset"), "gpu_user_annotation": (4, "Annotation")}
STREAM = 100


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """By the kind of the value: bytes and texts are spans, floats take eight bytes, all else is a varint."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    return varint(number << 3) + varint(int(value))


def message(*fields):
    return b"".join(field(number, value) for number, value in fields if value is not None)


def annotation(name, value):
    head = field(10, name) if name is not None else b""
    if isinstance(value, dict):
        return head + b"".join(field(11, annotation(key, inner)) for key, inner in value.items())
    if isinstance(value, list):
        return head + b"".join(field(12, annotation(None, inner)) for inner in value)
    if isinstance(value, bool):
        return head + field(2, value)
    value = float(value) if isinstance(value, decimal.Decimal) else value
    return head + field({int: 4, float: 5}.get(type(value), 6), "null" if value is None else value)


class Trace:
    def __init__(self):
        self.packets, self.tracks, self.names, self.base = [], {}, {}, 0

    def packet(self, *fields, sequence=1):
        self.packets.append(field(1, message(*fields, (10, sequence))))

    def describe(self, uuid, parent=None, name=None, process=None, thread=None, counter=None):
        self.packet((60, message((1, uuid), (5, parent), (2, name), (3, process and message((1, process[0]), (6, process[1]))),
                                 (4, thread and message((1, thread[0]), (2, thread[1]), (5, thread[2]))), (8, counter))))
        return uuid

    def iid(self, kind, text):
        """The number of a text, and whether it is new."""
        known = self.names.setdefault(kind, {})
        new = text not in known
        return known.setdefault(text, len(known) + 1), new

    def bytes(self):
        return b"".join(self.packets)


def number_of(ident, known={}):
    return ident if isinstance(ident, int) else known.setdefault(ident, 0x7fff0000 + len(known))


def ns(us):
    return round(decimal.Decimal(us) * 1000)


def load(path):
    data = pathlib.Path(path).read_bytes()
    whole = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, parse_float=decimal.Decimal)
    whole = whole if isinstance(whole, dict) else {"traceEvents": whole}
    base = int(whole.get("baseTimeNanoseconds", 0))
    events = [e for e in whole["traceEvents"] if e.get("ph") in ("X", "C") and e.get("cat") != "Trace"]
    for e in events:
        e["at"], e["for"] = base + ns(e["ts"]), ns(e.get("dur", 0))
    labels = {(e["name"], e.get("pid"), e.get("tid")): e["args"].get("name", "") for e in whole["traceEvents"] if e.get("ph") == "M"}
    return base, events, labels


class Writer(Trace):
    def __init__(self, path, form):
        super().__init__()
        self.base, self.events, self.labels = load(path)
        self.form, self.next = form, 1000
        for e in self.events if form in ("first", "kineto") else []:
            if e.get("cat") in ("cuda_runtime", "cuda_driver"): # as both write it
                e["args"] = dict(e.get("args", {}), cbid=211)

    def track(self, pid, tid, lane):
        """The track of a thread, and that of its process before it."""
        if ("p", pid) not in self.tracks:
            name = next((text for (what, p, _), text in self.labels.items() if what == "process_name" and p == pid), str(pid))
            gpu = lane == "device" and self.form in ("first", "stages")
            self.tracks["p", pid] = self.describe(len(self.tracks) + 1, process=(number_of(pid), f"GPU {pid}" if gpu else name))
        if (pid, tid) not in self.tracks:
            name = self.labels.get(("thread_name", pid, tid), f"stream {tid}" if lane == "device" else f"thread {tid}")
            self.tracks[pid, tid] = self.describe(len(self.tracks) + 1, self.tracks["p", pid], thread=(number_of(pid), number_of(tid), name))
        return self.tracks[pid, tid]

    def begin(self, e, args=None, **given):
        """The TrackEvent of a begin, its texts in the packet or as numbers."""
        fields = [(9, given.get("type", BEGIN)), (11, given["track"])]
        if given.get("interned"):
            fields += [(10, self.iid(2, e["name"])[0])]
            fields += [(3, self.iid(1, e["cat"])[0])] if given.get("category") else []
        else:
            fields += [(23, e["name"])] + ([(22, e["cat"])] if given.get("category") else [])
        return message(*fields, *((4, annotation(key, value)) for key, value in (e.get("args", {}) if args is None else args).items()))

    def spans(self, events, category, interned):
        """All begins, then all ends, as PyTorch's writer does."""
        for e in events:
            track = self.track(e["pid"], e["tid"], "device" if "stream" in e.get("args", {}) else "host")
            self.packet((8, e["at"]), (13, NEEDS), (11, self.begin(e, track=track, category=category, interned=interned)))
        for e in events:
            self.packet((8, e["at"] + e["for"]), (11, message((9, END), (11, self.tracks[e["pid"], e["tid"]]))))

    def intern(self, *more):
        tables = [(kind, message((1, iid), (2, text))) for kind, texts in self.names.items() for text, iid in texts.items()]
        self.packet((13, CLEARED), (12, message(*tables, *more)))

    def stage(self, e):
        args, (kind, _) = e.get("args", {}), STAGES[e["cat"]]
        lane = (int(e["pid"]), int(e["tid"]))
        extra = {"device id": args.get("device", e["pid"]), "context id": args.get("context", 1), "stream id": args.get("stream", e["tid"]),
                 "correlation": args.get("correlation"), "graph node id": args.get("graph node id"), "bytes": args.get("bytes")}
        launch = None
        if "grid" in args:
            shape = [message(*enumerate(args[key], 1)) for key in ("grid", "block")]
            numbers = [message((1, i), (4, args[key])) for i, key in ((1, "registers per thread"), (2, "shared memory")) if key in args]
            launch = message((1, shape[0]), (2, shape[1]), *((3, one) for one in numbers))
        name = self.iid(2, e["name"])[0] if kind in (1, 4) else None
        self.packet((8, e["at"]), (13, NEEDS), (53, message((1, len(self.packets)), (2, e["for"]), (11, lane[0]), (13, STREAM + self.lanes[lane]),
            (14, kind), (5, 1), (20, name), *((6, message((1, key), (2, str(value)))) for key, value in extra.items() if value is not None),
            (21, launch))))

    def counters(self, samples):
        """Of an interned descriptor, as PyTorch's; the process says which GPU it is."""
        for e in samples:
            gpu = int(re.search(r"\d+", str(e["pid"]))[0])
            self.packet((8, e["at"]), (13, NEEDS), (52, message((4, gpu + 1),
                        (2, message((1, self.iid("counter", e["name"])[0]), (3, float(next(iter(e["args"].values())))))))))

    def stages(self):
        work = [e for e in self.events if e["ph"] == "X" and e["cat"] in STAGES]
        samples = [e for e in self.events if e["ph"] == "C"]
        host = [e for e in self.events if e["ph"] == "X" and e["cat"] not in STAGES]
        self.lanes = {lane: i for i, lane in enumerate(sorted({(int(e["pid"]), int(e["tid"])) for e in work}))}
        width = max((len(str(tid)) for _, tid in self.lanes), default=1)
        specs = [(24, message((1, iid), (2, name), (4, 2 * (iid == 1)))) for iid, name in STAGES.values()]
        specs += [(24, message((1, STREAM + i), (2, f"[{tid:0{width}}] stream {tid}"))) for (_, tid), i in self.lanes.items()]
        specs += [(1001, message((1, 1), (2, "registers_per_thread"))), (1001, message((1, 2), (2, "shared_mem_dynamic")))]
        for e in self.events:
            self.iid(2, e["name"])
            if e["ph"] == "X":
                self.iid(1, e["cat"])
        counters = {e["name"]: self.iid("counter", e["name"])[0] for e in samples}
        self.names.pop("counter", None)
        for gpu in {re.search(r"\d+", str(e["pid"]))[0] for e in samples}:
            specs.append((47, message((1, int(gpu) + 1), (3, int(gpu)), (2, message(*((1, message((1, i), (2, name))) for name, i in counters.items()))))))
        for e in host:
            self.track(e["pid"], e["tid"], "device" if "stream" in e.get("args", {}) else "host")
        self.intern(*specs)
        self.names["counter"] = counters
        for category in sorted({e["cat"] for e in host}):
            self.spans([e for e in host if e["cat"] == category], category != "cuda_sync", True)
        for e in work:
            self.stage(e)
        self.counters(samples)

    def first(self):
        self.packet((13, CLEARED))
        spans = [e for e in self.events if e["ph"] == "X"]
        for category in sorted({e["cat"] for e in spans}):
            self.spans([e for e in spans if e["cat"] == category], False, False)

    def kineto(self):
        """A track of its own for each slice, below that of its thread; args in one text."""
        for e in (e for e in self.events if e["ph"] == "X"):
            parent = self.track(e["pid"], e["tid"], "host")
            self.next += 1
            self.describe(self.next, parent, "PLACE_HOLDER")
            args = {"metadata": json.dumps(e.get("args", {}), default=float)[1:-1]} if e.get("args") else {}
            self.packet((8, e["at"]), (11, self.begin(e, args, track=self.next)))
            self.packet((8, e["at"] + e["for"]), (11, message((9, END), (11, self.next))))

    def live(self):
        """In order of time, by a clock that counts microseconds from the packet before, with a reset every 50 packets."""
        marks, last = [], 0
        unit = 1 if any(e["at"] % 1000 or e["for"] % 1000 for e in self.events) else 1000
        for i, e in enumerate(e for e in self.events if e["ph"] == "X"):
            track, long = self.track(e["pid"], e["tid"], "host"), e["for"] > 0
            marks += [(e["at"], 1, -e["for"], i, 0, e, track), (e["at"] + e["for"], int(not long), 0, i, 1, None, track)]
        marks.sort(key=lambda m: m[:5])
        for n, (at, _, _, _, _, e, track) in enumerate(marks):
            fresh = n % 50 == 0
            if fresh:
                self.names.clear()
                clocks = [message((1, 6), (2, at - 1_000_000_000)), message((1, 64), (2, at // unit), (3, 1), (4, unit)),
                          message((1, 1), (2, at))]
                self.packet((13, CLEARED), (59, message((58, 64))), (8, at - 1_000_000_000), (58, 6),
                            (6, message(*((1, clock) for clock in clocks))))
                last = at
            tables = []
            if e:
                for kind, text in ((2, e["name"]), (1, e["cat"])):
                    iid, new = self.iid(kind, text)
                    tables += [(kind, message((1, iid), (2, text)))] if new else []
            event = self.begin(e, track=track, category=True, interned=True) if e else message((9, END), (11, track))
            self.packet((8, (at - last) // unit), (13, NEEDS), (12, message(*tables) if tables else None), (11, event))
            last = at

    def write(self, path):
        if self.form == "events":
            self.spans([e for e in self.events if e["ph"] == "X"], True, False)
        else:
            getattr(self, self.form)()
        data = self.bytes()
        if ".deflated" in path:
            half = len(self.packets) // 2
            data = b"".join(field(1, message((50, zlib.compress(b"".join(part))))) for part in (self.packets[:half], self.packets[half:]))
        pathlib.Path(path).write_bytes(gzip.compress(data) if path.endswith(".gz") else data)


ROW = re.compile(r"(\d+) (\d+) \+(\d+) t\d+ d\d+ ([a-z ]+) (?:\[(.*?)\] )?(.*)")


def rows(report, path, ext=True):
    done = subprocess.run([report, "--dump", "trace", path], capture_output=True, check=True, timeout=300)
    found = filter(None, map(ROW.fullmatch, done.stdout.decode().splitlines()))
    return [(int(m[2]), int(m[3]), m[4], m[5], m[6]) for m in found]


def check(report, source, path, form):
    """Row by row what JSON gives, but for what the form does not have."""
    want, got = rows(report, source), rows(report, path)
    spoken = lambda text: re.sub(r" (in|launch) \d+", "", text)
    if form == "stages":
        loses = re.compile(r" ext \d+| occ \S+| blocks/SM \S+| warps/SM \S+| \d\S* GB/s| memcpy.*")
        plain = lambda row: row[:3] + (loses.sub("", spoken(row[4])) if row[2] not in ("memcpy", "memset") else "",)
    elif form in ("first", "kineto"):
        # Without categories a range that a program names like an operator is one, and the other way round.
        ranges = {"op": "range", "annotation": "range", "gpu annotation": "range"}
        plain = lambda row: row[:2] + (ranges.get(row[2], row[2]), spoken(row[4]))
    else:
        plain = lambda row: row[:4] + (spoken(row[4]),)
    skip = {"counter", "instant", "span"} if form != "stages" else {"instant", "span"}
    want, got = ([plain(row) for row in part if row[2] not in skip] for part in (want, got))
    begin = min(row[0] for row in want)
    a, b = collections.Counter((row[0] - begin,) + row[1:] for row in want), collections.Counter((row[0] - min(r[0] for r in got),) + row[1:] for row in got)
    assert a == b, f"{path}: {list((a - b).items())[:3]} in JSON, {list((b - a).items())[:3]} in packets"
    assert len(got) > 10


def fields(data):
    at = 0
    while at < len(data):
        tag, at = number(data, at)
        if tag & 7 == 0:
            value, at = number(data, at)
        elif tag & 7 == 2:
            size, at = number(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[tag & 7]
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def packets(data):
    for kind, packet in fields(data):
        if kind != 1:
            continue
        packet = list(fields(packet))
        inner = [value for key, value in packet if key == 50]
        if inner:
            yield from packets(zlib.decompress(inner[0]))
        else:
            yield packet


def count(report, path):
    """Slices with stages, samples and instants, decoded here and by report."""
    data = pathlib.Path(path).read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    begins, stages, samples, instants, busy = 0, 0, 0, 0, 0
    for packet in packets(data):
        packet = dict(packet)
        if 53 in packet:
            stages += 1
            busy += dict(fields(packet[53])).get(2, 0)
        samples += sum(key == 2 for key, _ in fields(packet.get(52, b"")))
        event = dict(fields(packet.get(11, b"")))
        kind, phase = event.get(9), chr(dict(fields(event.get(6, b""))).get(2, 0))
        begins += kind == BEGIN or (not kind and phase in "BXbS" and phase != "\0")
        instants += kind == INSTANT or (not kind and phase in "IinR" and phase != "\0")
        samples += kind == COUNTER and (30 in event or 44 in event)
    got = rows(report, path)
    kinds = collections.Counter({"counter": "sample", "instant": "instant"}.get(row[2], "slice") for row in got)
    want = {"slice": begins + stages, "sample": samples, "instant": instants}
    assert all(kinds[kind] == n for kind, n in want.items()), f"{path}: {want} here, {dict(kinds)} by report"
    print(path, want, busy)


def damage(report, path, n):
    """Bytes that are changed, cut or moved: one line and status 1, or a report, and never a crash."""
    whole, seen = pathlib.Path(path).read_bytes(), collections.Counter()
    bad = pathlib.Path("bad.pftrace")
    for seed in range(int(n)):
        rng, data = random.Random(seed), bytearray(whole)
        for _ in range(rng.choice((1, 1, 4, 40, 400))):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x0a, 0x7f, 0x80, 0xff, rng.randrange(256)))
        if rng.random() < 0.3:
            del data[rng.randrange(1, len(data)):]
        elif rng.random() < 0.3:
            a, b, size = rng.randrange(len(data)), rng.randrange(len(data)), rng.randrange(2000)
            data[a:a + size] = data[b:b + size]
        bad.write_bytes(data)
        done = subprocess.run([report, "--dump", "trace", str(bad)], capture_output=True, timeout=60, check=False)
        said = done.stderr.decode(errors="replace")
        assert done.returncode in (0, 1), f"seed {seed}: status {done.returncode}: {said[-2000:]}"
        assert done.returncode == 0 or said.count("\n") == 1 and "bad.pftrace: " in said, f"seed {seed}: {said}"
        seen[done.returncode] += 1
    print(dict(seen))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        Writer(sys.argv[2], sys.argv[4]).write(sys.argv[3])
    else:
        {"check": check, "count": count, "damage": damage}[sys.argv[1]](*sys.argv[2:])
