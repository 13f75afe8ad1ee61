# SPDX-License-Identifier: Apache-2.0
"""Does a comparison say faster of what became faster? Programs timed before and after one remedy, both ways.

    directions.py REPORT FOLDER...

A FOLDER holds NAME.before.* and NAME.after.* and PAIRS.json: of each NAME what a step takes without a profiler, before and
after (tests/gpu/pairs.py). A line for each direction that is not right, then how many are right, inconclusive and wrong, and in
how many the interval, which is of the recordings, holds the ratio without a profiler. Status 1 for a wrong one: faster of what
became slower by the wall, slower of what became faster, the same of what is a tenth off, or a gate that fails for a step that
became shorter."""

import json
import pathlib
import statistics
import subprocess
import sys


def compare(report, before, after):
    done = subprocess.run([report, "--check", "--json", "-", "--baseline", before, after], capture_output=True, text=True)
    found, _ = json.JSONDecoder().raw_decode(done.stdout, done.stdout.index("{\n"))
    return done.returncode, found["comparison"]


def judged(became, status, wall):
    if (became == "faster" and wall > 1) or (became == "slower" and wall < 1) or (status == 3 and wall < 1):
        return "wrong"
    if became == "same":
        return "right" if 0.9 < wall < 1.1 else "wrong"
    return "inconclusive" if became == "inconclusive" else "right"


def main(report, *folders):
    count, holds, told = dict.fromkeys(("right", "inconclusive", "wrong"), 0), 0, 0
    for folder in map(pathlib.Path, folders):
        for name, pair in json.loads((folder / "PAIRS.json").read_text(encoding="utf-8"))["pairs"].items():
            sides = [list(folder.glob(f"{name}.{side}.*")) for side in ("before", "after")]
            if [len(side) for side in sides] != [1, 1]:
                continue  # of several ranks
            files = [side[0] for side in sides]
            wall = [statistics.median(pair[f"wall_us_per_step_{side}"]) for side in ("before", "after")]
            for way in (1, -1):
                status, c = compare(report, *files[::way])
                ratio = (wall[1] / wall[0]) ** way
                what = judged(c["became"], status, ratio)
                count[what] += 1
                told += c["low"] is not None
                holds += c["low"] is not None and c["low"] <= ratio <= c["high"]
                if what != "right":
                    print(f"{what}: {folder.name}/{name} {'before to after' if way > 0 else 'after to before'}: became "
                          f"{c['became']}, status {status}, {c['ratio']:.2f} as compared, {ratio:.2f} without a profiler")
    print(", ".join(f"{n} {what}" for what, n in count.items()) + f"; the interval of the recordings holds the ratio "
          f"without a profiler in {holds} of {told}")
    return 1 if count["wrong"] or not count["right"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
