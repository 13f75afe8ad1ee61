# SPDX-License-Identifier: Apache-2.0
"""Is what a report says of a trace useful? Judged by hand, each thing that it prints.

    labels.py REPORT FOLDER LABELS.tsv [--list]

LABELS.tsv has a line for each headline, limit of an operator, action, finding and thing to leave alone that the default
report prints of a trace in FOLDER: trace, kind, id, number, label, evidence. The number is the share
of a headline or an operator in per cent, what an action (of a step, or once of the recording) or a finding saves and what is left alone in microseconds;
the label is useful, describes or misleading; the evidence is what the trace's own events show.

Status 1 when something is printed that has no label, or has one for another number (by more than a
quarter, or ten per cent of the time), when a label's thing is printed no more, when anything
misleads, when fewer than four fifths are useful, or when fewer than 40 traces or 150 things are judged. --list
prints what stands in the reports as lines without labels."""

import json
import pathlib
import re
import subprocess
import sys

LEAST_TRACES, LEAST_THINGS, LEAST_USEFUL, TOLERANCE, POINTS = 40, 150, 0.8, 0.25, 10
UNITS = {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}
LABELS = ("useful", "describes", "misleading")


def run(report, *arguments):
    return subprocess.run([report, *arguments], check=True, capture_output=True).stdout.decode("utf-8")


def findings_of(document):
    """What stands under the pictures, in front of what the trace is made of."""
    front = document.split(" What it is made of\n")[0]
    for line in re.findall(r"^point .*", front, re.M):
        found = re.match(r"point [^(]*\(([A-Z][A-Z0-9'-]*)\)\..* \(up to −([\d.]+) (ns|µs|ms|s)[^)]*\) \(.\)$", line)
        if found:
            yield found[1], float(found[2]) * UNITS[found[3]]


def printed_of(report, trace):
    case = json.loads(run(report, "--json", "-", trace))["runs"][0]["cases"][0]
    document = run(report, "--dump", "document", trace)
    things = {}
    said = (re.search(r"^text The device waits because .*In all ([\d.]+) % of it goes to", document, re.M)
            or re.search(r"^text The device waits because .*?: ([\d.]+) % of the ", document, re.M)
            or re.search(r"^text (?:Limited by|No single part limits) .*?([\d.]+) %", document, re.M))
    if said:
        things["headline", case["largest"]] = float(said[1])
    limit = re.search(r"^text (\S+) of .* has ([\d.]+) % of the device’s busy time\.", document, re.M)
    if limit:
        things["limit", limit[1].strip("`")] = float(limit[2])
    for action in case["actions"]:
        things["action", action["id"]] = (action["once_ns"] or action["gain_ns"]) / 1000
        sentence = action["sentence"].replace("`", "").split("{")[0][:40]
        assert sentence.split(" (")[0][:20] in document, f"{trace}: {action['id']} is not printed"
    for name, saves in findings_of(document):
        things["finding", name] = saves
    for left in case["leave"]:
        spent = re.search(r"([\d.]+) (ns|µs|ms|s)\b", left["sentence"])
        things["leave", left["id"]] = float(spent[1]) * UNITS[spent[2]]
    return things


def read_labels(path):
    labels = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            trace, kind, name, number, label, evidence = line.split("\t")
            assert label in LABELS and evidence, f"{path}: {line}"
            assert (trace, kind, name) not in labels, f"{path}: twice: {line}"
            labels[trace, kind, name] = float(number), label
    return labels


def differ(kind, one, other):
    if kind in ("headline", "limit"):
        return abs(one - other) > POINTS
    return abs(one - other) > TOLERANCE * max(abs(one), abs(other))


def judge(report, folder, labels):
    wrong, seen = [], []
    for trace in sorted({trace for trace, _, _ in labels}):
        printed = printed_of(report, folder / trace)
        for (kind, name), number in printed.items():
            label = labels.get((trace, kind, name))
            if not label:
                wrong.append(f"{trace}: {kind} {name} {number:.3g} has no label")
            elif differ(kind, number, label[0]):
                wrong.append(f"{trace}: {kind} {name} {number:.3g} was judged at {label[0]:.3g}")
            else:
                seen.append(label[1])
        wrong += [f"{trace}: {kind} {name} is printed no more" for t, kind, name in labels
                  if t == trace and (kind, name) not in printed]
    return wrong, seen


def main(report, folder, path, *more):
    folder, path = pathlib.Path(folder), pathlib.Path(path)
    labels = read_labels(path)
    if more:
        for trace in sorted({trace for trace, _, _ in labels}):
            for (kind, name), number in printed_of(report, folder / trace).items():
                print(trace, kind, name, f"{number:.4g}", sep="\t")
        return 0
    wrong, seen = judge(report, folder, labels)
    traces = len({trace for trace, _, _ in labels})
    counts = {label: seen.count(label) for label in LABELS}
    share = counts["useful"] / len(seen) if seen else 0
    print("\n".join(wrong))
    print(f"{traces} traces, {len(seen)} things said: " + ", ".join(f"{counts[name]} {name}" for name in LABELS) +
          f"; {share:.1%} useful")
    return 1 if wrong or counts["misleading"] or share < LEAST_USEFUL or traces < LEAST_TRACES or len(seen) < LEAST_THINGS else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
