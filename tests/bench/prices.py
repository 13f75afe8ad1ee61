#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each rule, walk and table costs behind reading: prices.py BENCH_STAGES TRACE... [--top N]

Runs bench_stages once over the traces under callgrind (of valgrind) and prints, for the functions of
report/analyse, replay, rules and tables, the instructions with all that they call, the most first:
`instructions share-of-reading calls file:function`. What several ask for and the first works out
stands with that one. Instructions are the same on a busy machine; times are bench_stages' own.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

ROOMS = re.compile(r"report/(analyse|replay|rules|tables)/")


class Prices:
    """Instructions of each function with what it calls, by a file of callgrind."""

    def __init__(self, path):
        self.cost, self.calls, self.file = collections.Counter(), collections.Counter(), {}
        self.names = {"fn": {}, "fl": {}}
        current = callee = source = None
        for line in open(path, encoding="utf-8"):
            kind, _, text = line.rstrip("\n").partition("=")
            if kind == "fl":
                source = self.name("fl", text)
            elif kind in ("fi", "fe", "cfi", "cfl"):
                self.name("fl", text)
            elif kind == "fn":
                current = self.name("fn", text)
                self.file[current] = source
            elif kind == "cfn":
                callee = self.name("fn", text)
            elif kind == "calls":
                self.calls[callee] += int(text.split()[0])
                callee = (callee,)
            elif line[0] in "+-*0123456789" and current:
                self.add(current, callee, int(line.split()[1]))
                callee = None

    def add(self, current, callee, cost):
        """A function's own, or that of a call; what calls itself counts once."""
        if callee != (current,):
            self.cost[current] += cost

    def name(self, kind, text):
        """Names are numbered where they stand first: "(12) name", then "(12)"."""
        number, _, name = text.partition(" ")
        if name:
            self.names[kind][number] = name
        return self.names[kind].get(number, text)


def measure(bench, traces):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, bench, "1",
                        *traces], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return Prices(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("trace", nargs="+")
    parser.add_argument("--top", type=int, default=30)
    args = parser.parse_args()
    prices = measure(args.bench, args.trace)
    read = prices.cost["trace_read"]
    rules = sum(prices.cost[f] for f in ("prepare_facts", "prepare_replay", "run_detectors"))
    print("read %d, rules %.4f of it, breakdown %.4f" %
          (read, rules / read, prices.cost["breakdown_of"] / read))
    ours = [f for f, _ in prices.cost.most_common() if ROOMS.search(prices.file.get(f) or "")]
    for f in ours[:args.top]:
        print("%12d %7.4f %8d %s:%s" % (prices.cost[f], prices.cost[f] / read, prices.calls[f],
                                        os.path.basename(prices.file[f]), f))
    return 0


if __name__ == "__main__":
    sys.exit(main())
