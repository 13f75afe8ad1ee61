#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make bench: what the project must reach, measured in one run, beside what it is measured against.

A bar that is missed makes the exit status 1. Bars on time count only when the machine was free for
us: when others had more than a tenth of it meanwhile, they are shown and marked, and the status stays
0. Bars on bytes always count. Takes six minutes, and on a fresh clone the time of the default matrix.
"""
import argparse
import filecmp
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import browser
from large import Large, measured
from ranks import measure_ranks

ROUNDS, SPAN_ROUNDS, SIZES = 5, 5, ("2048", "4096")
ATLAS_MB = 1.5
BOOKS = 5  # times reading and judging: 0.5 s where that takes 0.1
BUSY = 0.10  # share of the machine that others may have


class Machine:
    """How much of all cores others had since it was made."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        ticks = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
        own = sum(os.times()[:4]) * os.sysconf("SC_CLK_TCK")
        return sum(ticks), ticks[3] + ticks[4], own

    def others(self):
        total, idle, own = (b - a for a, b in zip(self.before, self.read()))
        return max(0.0, (total - idle - own) / total) if total else 0.0


class Table:
    def __init__(self):
        self.missed, self.missed_time = 0, 0
        print(f"{'measure':<58}{'value':>13}{'bar':>13}{'ratio':>9}  {'':4}  {'peer':<26}limit")

    def row(self, measure, value, unit, bar=None, most=True, on_time=True, peer="", limit=""):
        """A value against its bar: at most, or at least; without a bar only told. `peer`: what others
        take for the same, `limit`: what nobody can pass, both measured in this run."""
        unit = unit.replace("us", "µs")
        text, against, ratio, verdict = f"{value:.4g} {unit}".strip(), "", "", ""
        if bar is not None:
            kept = value <= bar if most else value >= bar
            against = f"{'≤' if most else '≥'} {bar:g} {unit}".strip()
            ratio, verdict = f"{value / bar:.2f}" if bar else "", "PASS" if kept else "MISS"
            self.missed += not kept and not on_time
            self.missed_time += not kept and on_time
        print(f"{measure:<58}{text:>13}{against:>13}{ratio:>9}  {verdict:4}  {peer:<26}{limit}".rstrip(),
              flush=True)

    def beside(self, measure, ratio, text="", limit=""):
        """Two things measured side by side, as their ratio."""
        print(f"{measure:<58}{text:>13}{'':>13}{ratio:>9.2f}{'':34}{limit}".rstrip(), flush=True)


def one_core():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def measure(command, **env):
    """(wall s, CPU s, peak RSS MB) of a command on one core; its failure ends the bench."""
    wall, cpu, peak = measured(command, (0, 3), preexec_fn=one_core, env=dict(os.environ, **env))
    return wall, cpu, peak / 1e6


def lines_of(command):
    """`name value unit` lines of a bench program."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} ended with {done.returncode}")
    return [line.split() for line in done.stdout.splitlines() if len(line.split()) == 3]


def find_run(build):
    """The traces of the default matrix on the host device; measured now if there are none."""
    run = pathlib.Path("out/traces/host")
    if not (run / "run.json").exists():
        print("no run yet: measuring the default matrix first", file=sys.stderr)
        done = subprocess.run([build / "bin/collect", "--device", "host", "--keep-going"],
                              stdout=subprocess.PIPE, text=True)
        run = pathlib.Path(done.stdout.strip())
    return run


def bench_spans(table, build):
    values = {name: (float(value), unit) for name, value, unit in lines_of(
        [build / "bench/bench_spans", build / "lib/tracebook-host.so", str(SPAN_ROUNDS), *SIZES])}
    span, clock = values["span_recorded"][0], values["clock_read"][0]
    table.row("record a span", span, "ns")
    table.row("  ÷ reading the clock twice", span / (2 * clock), "", bar=2, limit="1")
    for name, text in (("launch_back_to_back", "launch, one after the other"),
                       ("launch_to_start_queue_awake", "launch to start, queue awake"),
                       ("launch_to_start_queue_asleep", "launch to start, queue asleep")):
        table.row(text, *values[name])
    for size in SIZES:
        start = f"gemm_add_{size}"
        text = f"speed at {size}, recorded ÷ plain oneDNN"
        fastest = values[start + "_speed_recorded_over_plain_fastest"][0]
        if size == "4096":
            table.row(text, fastest, "", bar=0.97, most=False)
        else:
            table.beside(text, fastest)
        for kind in ("recorded", "unrecorded"):
            table.beside(f"  medians, {kind} ÷ plain",
                         values[f"{start}_speed_{kind}_over_plain"][0])


def pages_of(pdf):
    """How many pages a PDF of ours has: poppler, which every build for tests needs, tells."""
    said = subprocess.run(["pdfinfo", pdf], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(next(line.split()[1] for line in said.splitlines() if line.startswith("Pages:")))


def bench_report(table, build, run, folder):
    report = build / "bin/report"
    traces = sorted(p for p in run.rglob("*") if p.is_file())
    rounds = {"report": [], "read": [], "cat": []}
    for i in range(ROUNDS):
        out = folder / str(i)
        where = {"LC_ALL": ["C", "C.UTF-8", "POSIX"][i % 3],
                 "TZ": ["UTC", "Asia/Tokyo", "America/Lima"][i % 3]}
        rounds["report"].append(measure([report, "-o", out / "r.pdf", "--svg", out / "svg", run],
                                        **where))
        subprocess.run([report, "--markdown", out / "r.md", run], check=True,
                       env=dict(os.environ, **where))
        rounds["read"].append(measure([report, "--check", run]))
        rounds["cat"].append(measure(["cat", *traces]))
    wall, cpu, rss = (statistics.median(r[k] for r in rounds["report"]) for k in range(3))
    table.row("report: read all, PDF + SVG, one core, wall", wall, "s")
    table.row("  CPU time", cpu, "s")
    table.row("  peak resident", max(r[2] for r in rounds["report"]), "MB", bar=150,
              on_time=False)
    table.row("  its PDF", (folder / "0/r.pdf").stat().st_size / 1e6, "MB", bar=1.5,
              on_time=False)
    files = sorted(p.relative_to(folder / "0") for p in (folder / "0").rglob("*") if p.is_file())
    others = sum(not filecmp.cmp(folder / "0" / name, folder / str(i) / name, shallow=False)
                 for i in range(1, ROUNDS) for name in files)
    table.row(f"  files that differ of {len(files)} in {ROUNDS} places", others, "files",
              bar=0, on_time=False)
    floor = statistics.median(r[1] for r in rounds["cat"])
    reading = statistics.median(r[1] for r in rounds["read"])
    size = sum(p.stat().st_size for p in traces)
    table.row("  CPU: report ÷ reading and judging alone", cpu / reading, "", bar=3, limit=f"1 ({reading:.3f} s)")
    table.beside(f"  CPU: reading and judging ÷ cat of {size / 1e6:.2f} MB",
                 reading / floor if floor else 0, f"{floor * 1e3:.1f} ms")


def bench_books(table, build, run, folder):
    """The call of `make report`, with what was recorded elsewhere."""
    report, kept = build / "bin/report", pathlib.Path("experiments/recorded")
    beside = ["--recorded", kept] if any(kept.glob("*/run.json")) else []
    books, read = [], []
    for _ in range(ROUNDS):
        books.append(measure([report, "-o", folder / "report.pdf", "--markdown", folder / "s.md", "--atlas",
                              folder / "atlas.pdf", "--svg", folder / "figures", *beside, run]))
        read.append(measure([report, "--check", run, *(p.parent for p in kept.glob("*/run.json"))])[1])
    wall, cpu = (statistics.median(r[k] for r in books) for k in range(2))
    table.row("make report: both PDFs, SVG, Markdown, wall", wall, "s", limit="0.5 wanted")
    table.row("  CPU time", cpu, "s")
    table.row("  ÷ reading and judging alone", cpu / statistics.median(read), "", bar=BOOKS, limit="1")
    table.row("  report.pdf", (folder / "report.pdf").stat().st_size / 1e6, "MB", bar=0.25, on_time=False)
    atlas = (folder / "atlas.pdf").stat().st_size
    table.row("  atlas.pdf", atlas / 1e6, "MB", bar=ATLAS_MB, on_time=False)
    table.row("    of each page", atlas / pages_of(folder / "atlas.pdf") / 1e3, "kB")


def bench_page(table, build, folder):
    """The page for a browser of a trace of 1 MB, and how long one takes until something of it is seen."""
    trace, page, loads = folder / "page.json", folder / "page.html", []
    subprocess.run([build / "bench/bench_repeat", "tests/golden/kineto/in/trace.json", trace, "1000000"], check=True, stdout=subprocess.DEVNULL)
    writes = [measure([build / "bin/report", "--html", page, trace]) for _ in range(ROUNDS)]
    table.row("report --html of a trace of 1 MB, wall", statistics.median(w[0] for w in writes), "s", bar=0.1)
    table.row("  the page", page.stat().st_size / 1e6, "MB", bar=5, on_time=False)
    if not browser.program():
        return
    for _ in range(ROUNDS):
        chromium = browser.Browser()
        try:
            chromium.open(page)
            loads.append(chromium.first_paint_ms())
        finally:
            chromium.close()
    table.row("  first paint in Chromium, all cores", statistics.median(loads), "ms", bar=300)


def bench_oracle(table, build, run, folder):
    """The same pages through cairo's own PDF back-end."""
    oracle, ours, theirs = build / "tests/oracle", [], []
    if not oracle.exists():
        return
    for _ in range(3):
        ours.append(measure([build / "bin/report", "-o", folder / "a.pdf", run])[1])
        theirs.append(measure([oracle, folder / "b.pdf", run])[1])
    table.beside("  CPU: libharu's pages ÷ cairo's", statistics.median(ours) /
                 statistics.median(theirs), f"{statistics.median(theirs):.3f} s")
    table.beside("  size: libharu's PDF ÷ cairo's", (folder / "a.pdf").stat().st_size /
                 (folder / "b.pdf").stat().st_size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default="out")
    parser.add_argument("--bytes", type=int, default=1_000_000_000,
                        help="size of the large traces (default: 1 GB)")
    options = parser.parse_args()
    build = options.build.resolve()
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    run = find_run(build)
    machine, folder = Machine(), pathlib.Path(tempfile.mkdtemp())
    table = Table()
    try:
        bench_report(table, build, run, folder)
        bench_books(table, build, run, folder)
        bench_page(table, build, folder)
        bench_oracle(table, build, run, folder)
        large = Large(table, build, folder, options.bytes)
        large.measure()
        if large.can_generate():
            measure_ranks(table, build, large.shared, folder)
        bench_spans(table, build)
    finally:
        shutil.rmtree(folder)
    others = machine.others()
    busy = others > BUSY
    print(f"others had {others:.0%} of the machine meanwhile"
          + ("; bars on time are shown, but do not count" if busy and table.missed_time else ""))
    missed = table.missed + (0 if busy else table.missed_time)
    print(f"{missed} missed" if missed else "every bar that counts was kept")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
