# SPDX-License-Identifier: Apache-2.0
"""Is the cause named, and priced? Pairs of the catalogue of patterns, before and after one remedy.

    patterns.py REPORT FOLDER REMEDIES.tsv

FOLDER is what tests/gpu/patterns/measure.py made; REMEDIES.tsv says which actions name the remedy of a pattern. For each pair
that REMEDIES.tsv knows: the first two actions, what the one that fits promises beside what the remedy gave, and whether it is
still named after it. A remedy that gave less than LEAST_SAVED of the step is a trap: nothing may be promised for it. What it
gave is known where the turns of the walls, of nine or more without the slowest and the fastest, leave it within LOW to HIGH of
itself; those pairs are summed up on a line of their own. The last line is how often a step without the recorder, as it is estimated, lies
within STEP_WITHIN of the walls. Status 1 where a figure of all pairs misses its bar."""

import json
import pathlib
import statistics
import subprocess
import sys

FIRST, LEAST_SAVED = 2, 0.02
BARS = {"named": 0.8, "priced": 0.7, "misled": 0.05, "again": 0.0}
LOW, HIGH = 0.67, 1.5
STEP_WITHIN, STEADY = 0.1, 0.05  # of an estimate; of the turns of a wall around their median


def read_remedies(path):
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line and line[0] != "#")
    return {name: (fits.split(), misleads.split()) for name, fits, misleads in rows}


def case_of(report, trace):
    done = subprocess.run([report, "--json", "-", trace], check=True, capture_output=True)
    return json.loads(done.stdout)["runs"][0]["cases"][0]


def fits(action, wanted):
    return any(w == action["id"] or w == f"{action['id']}:{action.get('variant', '')}" for w in wanted)


def promised_us(action):
    """Of a step; where the one that is shown does not pay it, of each on average."""
    return (action["gain_ns"] or action["each_ns"]) / 1000


def told(action):
    return f"{action['id']}{':' if action.get('variant') else ''}{action.get('variant', '')} {promised_us(action):.0f}"


def turns_of(pair, side):
    """In order of time taken; of nine or more without the slowest and the fastest."""
    turns = sorted(pair[f"wall_us_per_step_{side}"])
    return turns[1:-1] if len(turns) >= 9 else turns


def known(pair, gave):
    """Whether the walls tell what the remedy gave as narrowly as it is to be promised: the medians' intervals (94 % for five turns, 96 % for nine)."""
    was, now = (turns_of(pair, side) for side in ("before", "after"))
    return LOW * gave <= was[0] - now[-1] and was[-1] - now[0] <= HIGH * gave


def step_within(case, turns):
    """Whether the step without the recorder is the walls', and whether these are steady. One that is not estimated is not."""
    wall = statistics.median(turns)
    return (abs(case["unrecorded"].get("ns", 0) / 1000 / wall - 1) <= STEP_WITHIN,
            turns[0] >= (1 - STEADY) * wall and turns[-1] <= (1 + STEADY) * wall)


def judge(report, folder, name, pair, remedies):
    wanted, misleads = remedies
    cases = {side: case_of(report, next(folder.glob(f"{name}.{side}.*"))) for side in ("before", "after")}
    before, after = (case["actions"] for case in cases.values())
    wall, gave = statistics.median(pair["wall_us_per_step_before"]), pair["saved_us_per_step"]
    first = before[:FIRST]
    own = next((a for a in first if fits(a, wanted)), None)
    promised = promised_us(own) if own else 0
    trap = gave < LEAST_SAVED * wall
    says = {"trap": trap, "known": known(pair, gave), "named": own is not None, "priced": own is not None and LOW * gave <= promised <= HIGH * gave,
            "misled": bool(first) and fits(first[0], misleads), "again": any(fits(a, wanted) for a in after),
            "steps": [step_within(case, turns_of(pair, side)) for side, case in cases.items()]}
    notes = [word for word in ("trap", "misled", "again") if says[word]] + [w for w in ("named", "priced") if not says[w] and not trap]
    notes = [{"named": "NOT NAMED", "priced": "not priced"}.get(n, n) for n in notes]
    print(f"{name:<25}{wall:>9.0f}{gave:>9.0f}{promised:>9.0f}{promised / gave if gave > 0 else 0:>7.2f}  "
          f"{'; '.join(notes) or 'kept':<28} {', '.join(told(a) for a in first) or '-'}")
    return says


def summed(said, what):
    """Prints the shares that hold against BARS; returns them."""
    true = [s for s in said if not s["trap"]]
    shares = {word: sum(s[word] for s in of) / max(len(of), 1)
              for word, of in (("named", true), ("priced", true), ("misled", said), ("again", said))}
    print(f"{len(said)} {what}, {len(said) - len(true)} of them traps: remedy named in the first {FIRST} {shares['named']:.0%}, "
          f"gain {LOW} to {HIGH} of what it gave {shares['priced']:.0%}, first action misleads {shares['misled']:.0%}, "
          f"named again after {shares['again']:.0%}")
    return shares


def main(report, folder, remedies):
    folder, remedies = pathlib.Path(folder), read_remedies(pathlib.Path(remedies))
    pairs = json.loads((folder / "PAIRS.json").read_text(encoding="utf-8"))["pairs"]
    print(f"{'pattern':<25}{'step us':>9}{'gave':>9}{'promised':>9}{'times':>7}")
    said = [judge(report, folder, name, pair, remedies[name]) for name, pair in pairs.items() if name in remedies]
    shares = summed(said, "pairs")
    summed([s for s in said if s["known"] and not s["trap"]], "of them by their walls known")
    steps = [within for s in said for within in s["steps"]]
    steady = [within for within in steps if within[1]]
    print(f"step without the recorder within {STEP_WITHIN:.0%}: {sum(w for w, _ in steps)} of {len(steps)}; where the turns agree "
          f"within {STEADY:.0%} {sum(w for w, _ in steady)} of {len(steady)}")
    good = shares["named"] >= BARS["named"] and shares["priced"] >= BARS["priced"]
    return 0 if good and shares["misled"] <= BARS["misled"] and shares["again"] <= BARS["again"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
