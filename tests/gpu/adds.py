#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording adds to a launch, beside what torch.profiler adds: `adds.py BIN_FOLDER [ROUNDS]`.

Two processes are asked in turn, ROUNDS (40) times each, in an order that dice decide: steps (CUPTI, as `collect` records its
experiments) and torch_side.py, both about an eager step of matmul_add/64_bf16_warm_eager, two launches. Prints what
each round's recorded step takes longer than its unrecorded one, and the ratio of the means with its interval of
95 % (rounds drawn again, with replacement).
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
LAUNCHES = 2


class Side:
    def __init__(self, *words, **environment):
        self.p = subprocess.Popen(list(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, env=dict(os.environ, **environment))
        self.plain, self.adds = [], []

    def turn(self, kept=True):
        self.p.stdin.write("go\n")
        self.p.stdin.flush()
        plain, recorded = map(float, self.p.stdout.readline().split())
        if kept:
            self.plain.append(plain)
            self.adds.append((recorded - plain) / LAUNCHES)

    def said(self):
        q = statistics.quantiles(self.adds, n=4)
        return (f"{statistics.mean(self.adds):.3f} us a launch (quartiles {q[0]:.3f}, {q[2]:.3f}), "
                f"over {statistics.median(self.plain):.2f} us a step")


def interval(a, b, dice):
    n = len(a)
    drawn = ([dice.randrange(n) for _ in range(n)] for _ in range(2000))
    ratios = sorted(sum(a[i] for i in r) / sum(b[i] for i in r) for r in drawn)
    return ratios[50], ratios[-51]


def main():
    rounds, dice = int(sys.argv[2]) if len(sys.argv) > 2 else 40, random.Random(1)
    matrix = os.path.join(here, "..", "..", "experiments", "matrix.json")
    sides = {"ours": Side(f"{sys.argv[1]}/steps", matrix, "matmul_add/64_bf16_warm_eager", "turns"),
             "torch.profiler": Side(sys.executable, os.path.join(here, "torch_side.py"), tempfile.mkdtemp(), "turns")}
    for i in range(rounds + 1):
        for side in dice.sample(list(sides.values()), len(sides)):
            side.turn(kept=i > 0)
    for name, side in sides.items():
        print(f"{name}: {side.said()}")
    ours, theirs = (side.adds for side in sides.values())
    low, high = interval(ours, theirs, dice)
    print(f"ratio {sum(ours) / sum(theirs):.3f} ({low:.3f} to {high:.3f}, {rounds} rounds)")


if __name__ == "__main__":
    main()
