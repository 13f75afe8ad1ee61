# SPDX-License-Identifier: Apache-2.0
"""A run of many ranks in one report: one generated trace, made that of each rank, two of which the others wait for."""
import bisect
import os
import random
import re
import shutil
import statistics
import subprocess
import sys

from large import measured

RANKS, TRACE_BYTES = 1000, 5_000_000
ROOM = 6_500_000  # of the disk, for a rank
PACE = {0.137: 1.25, 0.802: 1.15}  # at which rank of all, by how much its work is longer
STEP_ROOM = 1.35  # the steps' new distance, so that the slowest has an end
EVENT = re.compile(r'"cat": "([^"]*)", "name": "([^"]*)"[^{}]*?\n\s*"ts": (?P<ts>[0-9.]+)(?:, "dur": (?P<dur>[0-9.]+))?')


class Pattern:
    """A generated trace, cut at its times."""

    def __init__(self, text):
        self.parts, self.events, done = [], [], 0
        for m in EVENT.finditer(text):
            self.parts.append(text[done:m.start("ts")])
            self.events.append((m[1], m[2], float(m["ts"]), float(m["dur"] or -1)))
            done = m.end()
        self.rest = text[done:]
        self.steps = sorted((at, length) for kind, name, at, length in self.events
                            if kind == "user_annotation" and name.startswith("ProfilerStep"))
        self.starts = [at for at, _ in self.steps]

    def rank(self, rank, ranks, pace, slowest):
        """The trace of one: its steps begin with all others' and take `pace` times as long; each collective
        ends when the slowest has come to it."""
        dice, first, words = random.Random(rank), self.starts[0], []
        paces = [pace if pace > 1 else 1 + dice.uniform(-.01, .01) for _ in self.steps]
        for part, (kind, name, at, length) in zip(self.parts, self.events):
            step = max(0, bisect.bisect_right(self.starts, at) - 1)
            begin, behind = first + (self.starts[step] - first) * STEP_ROOM, at - self.starts[step]
            now = begin + behind * paces[step]
            if kind == "kernel" and name.startswith("nccl"):
                longer = begin + behind * slowest + length - now
            elif name.startswith("ProfilerStep"):
                longer = self.steps[step][1] * STEP_ROOM
            else:
                longer = length * paces[step]
            words += [part, f"{now:.3f}" if length < 0 else f'{now:.3f}, "dur": {longer:.3f}']
        text = "".join(words) + self.rest
        text = re.sub(r'"rank": 0, "world_size": \d+', f'"rank": {rank}, "world_size": {ranks}', text)
        return re.sub(r'"pg_size": \d+, "ranks": \[[^]]*\]', f'"pg_size": {ranks}, "ranks": {list(range(ranks))}', text)


def write_ranks(pattern, folder, ranks, late):
    slowest = max(late.values())
    children = []
    for k in range(cores := os.cpu_count()):
        child = os.fork()
        if not child:
            for rank in range(k, ranks, cores):
                (folder / f"rank{rank:04}.json").write_text(pattern.rank(rank, ranks, late.get(rank, 1), slowest))
            os._exit(0)
        children.append(child)
    if any(os.waitpid(child, 0)[1] for child in children):
        sys.exit(f"bench: the traces of {ranks} ranks could not be written")


def measure_ranks(table, build, shared, folder):
    """Wall, CPU and memory of one call with all of them; are the two that the others wait for on its first page?"""
    ranks = min(RANKS, int(shutil.disk_usage(folder).free / 2 / ROOM))
    one, traces, pdf = folder / "one.json", folder / "ranks", folder / "ranks.pdf"
    traces.mkdir()
    subprocess.run([sys.executable, shared / "tools/gen_kineto.py", one, str(TRACE_BYTES)], check=True, stdout=subprocess.DEVNULL)
    late = {int(where * ranks): pace for where, pace in PACE.items()}
    write_ranks(Pattern(one.read_text()), traces, ranks, late)
    os.sync()
    files = sorted(traces.iterdir())
    size = sum(f.stat().st_size for f in files)
    runs = [measured([build / "bin/report", "-o", pdf, *files]) for _ in range(3)]
    seconds, cpu, peaks = zip(*runs)
    page = subprocess.run(["pdftotext", "-l", "1", "-layout", pdf, "-"], check=True, stdout=subprocess.PIPE, text=True).stdout
    print(f"-- {ranks} ranks, {size / 1e9:.2f} GB, in one call")
    table.row("all to one PDF, end to end", statistics.median(seconds), "s", limit=f"{15 * ranks / RANKS:.1f} wanted")
    table.row("  CPU time", statistics.median(cpu), "s")
    table.row("  peak resident", max(peaks) / 1e9, "GB", bar=4, on_time=False)
    slowest = max(late, key=late.get)
    told = {rank: re.search(rf"^Rank {rank} is the straggler" if rank == slowest else rf"^rank {rank}\b", page, re.M)
            for rank in late}
    table.row("  ranks that the others wait for, not on page one", sum(not t for t in told.values()), "", bar=0, on_time=False)
    shutil.rmtree(traces)
    one.unlink()
