# SPDX-License-Identifier: Apache-2.0
"""Does the advice hold? Programs before and after one remedy, timed without a profiler.

    pairs.py REPORT FOLDER

FOLDER holds NAME.before.* and NAME.after.* and PAIRS.json: of each NAME the remedy in words and what
it saved, in microseconds a step. Prints a line for each: what limits it, the first two actions, what
the remedy's own action promises, and what it gave. Status 1 when an action that names a remedy is not
among the first two before, or is still there after, or when fewer than seven of ten promise 0.67 to 1.5
times what they gave."""

import json
import pathlib
import re
import subprocess
import sys

LEAST, MOST, FIRST, SHARE = 0.67, 1.5, 2, 0.7

# The actions that a remedy in words may be, the first that fits.
REMEDIES = [
    (r"channels_last", "channels-last"),
    (r"padd?e?d?\b.*\d|vocabulary", "pad"),
    (r"scaled_dot_product|flash", "attention"),
    (r"\.item|synchroni[sz]|\.cpu\(\)", "sync"),
    (r"pin_memory|pinned", "pinned"),
    (r"one copy", "small-copies"),
    (r"contiguous|casts", "rewrites"),
    (r"for the list|for the loop", "loops"),
    (r"one call|batched|vmap", "batch"),
    (r"fused=True|foreach", "optimizer loops"),
    (r"num_workers|loader", "input"),
    (r"bucket", "buckets"),
    (r"float64", "fp64"),
    (r"tf32", "precision"),
    (r"autocast|amp\b|bf16", "half precision"),
    (r"expandable|allocator", "allocator"),
    (r"reduce-overhead|cuda ?graph", "graphs"),
    (r"stream|overlap|prefetch", "overlap-copies"),
    (r"bytes|uint8", "smaller-copies"),
    (r"static|fixed (shape|length)|enable_cudnn_sdp", "first-calls"),
    (r"torch\.compile", "fusion"),
]


def remedy_of(words):
    return next((actions.split() for pattern, actions in REMEDIES if re.search(pattern, words, re.I)), [])


def case_of(report, folder, name, side):
    trace = next(folder.glob(f"{name}.{side}.*"))
    done = subprocess.run([report, "--json", "-", trace], check=True, capture_output=True)
    return json.loads(done.stdout)["runs"][0]["cases"][0]


def told(action):
    return f"{action['id']} {action['gain_ns'] / 1000:.0f}" if action else "-"


def judge(report, folder, name, pair):
    before, after = (case_of(report, folder, name, side) for side in ("before", "after"))
    wanted, saved = remedy_of(pair["remedy"]), pair["saved_us_per_step"]
    first = before["actions"][:FIRST] + [None] * FIRST
    own = next((a for a in first if a and a["id"] in wanted), None)
    times = own["gain_ns"] / 1000 / saved if own else 0
    gone = all(a["id"] not in wanted for a in after["actions"])
    wrong = [] if own else [f"{' or '.join(wanted)} is not among the first {FIRST}"]
    if not gone:
        wrong.append(f"{' or '.join(wanted)} is still there after")
    print(f"{name:<15}{before['headline']:<16}{told(first[0]):<21}{told(first[1]):<21}"
          f"{own['gain_ns'] / 1000 if own else 0:>9.0f}{saved:>9.0f}{times:>7.2f}  {'; '.join(wrong) or 'kept'}")
    return not wrong, LEAST <= times <= MOST


def main(report, folder):
    folder = pathlib.Path(folder)
    pairs = json.loads((folder / "PAIRS.json").read_text(encoding="utf-8"))["pairs"]
    print(f"{'trace':<15}{'headline':<16}{'action 1, us':<21}{'action 2, us':<21}"
          f"{'promised':>9}{'gave':>9}{'times':>7}")
    kept, held = (sum(x) for x in zip(*(judge(report, folder, name, pair) for name, pair in pairs.items())))
    print(f"{kept} of {len(pairs)} kept, {held} promise {LEAST} to {MOST} of what they gave")
    return 0 if kept == len(pairs) and held >= SHARE * len(pairs) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
