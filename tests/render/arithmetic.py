#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""arithmetic.py REPORT TOP: is what the PDFs print true of what else they print?

Every sum, share, ratio, rate, count and page is computed again from the printed numbers alone, within
what their rounding leaves open. Then one number of each kind is changed in a copy of the text, which must
be noticed. Documents: the recorded H200's book and atlas, the small host run beside it, one trace.
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys

import arithmetic_counts as counts
import arithmetic_tables as tables
import arithmetic_text as text
from printed import Checks, Document

# What each kind must at least find; the review that asked for this test had made 217 checks by hand.
LEAST = {"a typical step is near the median": 15, "answer against its page": 3, "arithmetic of an answer": 15,
         "average of a profiler row": 645, "box against all cases": 55, "box against the profiler's table": 6,
         "bytes of a shape": 25, "case page against all cases": 115, "causes as captioned": 15,
         "causes of the first step sum": 5, "causes of the later step sum": 5, "comparison against all cases": 40,
         "comparison with its first case": 25,
         "count": 75, "device events": 110, "device work sums": 20, "extreme of a list": 12,
         "finding against its table": 20, "gain of an action": 1, "headline": 95, "idle time": 20, "interval of what broke": 4,
         "kernels sum to device total": 35, "median of a picture": 75, "median within": 115, "noise is said": 95, "number of a page": 165,
         "numbers of a step": 9, "order of a picture": 30, "page named": 240, "parts of a bar": 60, "parts of a step sum": 2,
         "picture against its bar": 45, "picture far from its median": 50, "quotient in a sentence": 35, "quotient of a prediction": 50, "rate": 80,
         "ratio in its interval": 150, "rows of a profiler table": 35, "self CPU sums": 20, "self within total": 335,
         "sentence against its table": 15, "share in a sentence": 35, "share of a cause": 75,
         "share of a kernel": 115, "share of a profiler row": 935, "share of a roofline": 30, "share of a step": 4,
         "share of waiting": 10, "shares of causes sum": 5, "shares of kernels sum": 50, "spans of a cause": 65,
         "strip of a first step sums": 10, "sum of a layer": 4, "summary against the document": 20, "summary counts": 3,
         "verdict of a prediction": 70, "waves of a kernel": 40, "work of a step": 5}
SWEPT = os.environ.get("TRACEBOOK_SWEEP") == "all"
WHOSE = ("numbers of a step", "quotient of a prediction", "median of a picture", "box against all cases")
TABLES = (tables.causes, tables.strips, tables.kernels, tables.profilers, tables.bars, tables.prediction_rows,
          tables.waves, counts.latencies, counts.measured_tables, counts.trace_front)
TEXTS = (text.headlines, text.per_step, text.quotients, text.predictions, text.answers, text.rates, text.shares, text.waits,
         counts.rooflines, counts.comparisons, counts.steps, counts.orders)


class Book:
    """Documents that are about the same runs, and what some of them know for the others."""

    def __init__(self, top, summary):
        self.top, self.summary = top, summary
        self.recorded, self.ids, self.totals, self.least, self.verdicts = {}, {}, {}, [], []

    def learn(self, document):
        """The H200's cases by name and by id, the totals of their profiler tables, and its verdicts."""
        cases = text.cases_of(document)[0]
        self.recorded.update(cases)
        self.least = self.least or text.least_changes(document)
        self.verdicts += [head[1:4] for _, head in document.find(r"\n *{n} +{n} · {n} · {n} +{n}\n\s*cases measured")]
        reader = text.Reader(document, cases, {}, Checks())
        for at, name in reader.headings:
            if found := re.match(r"([\w-]+/\S+) · ", document.flat[at:at + 200]):
                self.ids[found[1]] = name
        for m, pair in document.find(r"Self CPU total {t}, self device total {t}\."):
            self.totals[reader.section_of(m).name] = pair

    def check(self, document, checks, exchanged=False):
        beside = {} if document.name.startswith("h200") else self.recorded
        for part in document.parts():
            cases = (text.cases_of(part) or [{}])[0]
            reader = text.Reader(part, cases, beside, checks, [] if beside else self.least)
            reader.verdicts = self.verdicts
            if exchanged:
                reader.cases, reader.recorded = reader.recorded, reader.cases
            for each in TABLES:
                each(part, checks)
            for each in TEXTS:
                each(reader)
            counts.counts(reader, atlas="atlas" in document.name)
            counts.boxes(reader, self.top, self.ids, self.totals if not beside else {}, self.totals)
            counts.pages(reader, whole=not part.label)
        if document.name == "h200 book":
            counts.summary(document, self.summary, checks)
        return checks


def as_host(recorded):
    """The H200's run, taken for one of a machine without a GPU, with another time for every step: a whole book has
    two machines, and a number that is given to the wrong one is seen. One guess is in other words."""
    shutil.copytree(recorded, "two")
    run = pathlib.Path("two/run.json")
    run.chmod(0o644)
    text_of = run.read_text(encoding="utf-8")
    for was, becomes in (('"is_gpu": true', '"is_gpu": false'), ('"device": "cuda"', '"device": "host"'),
                         ("With 134 MB no cache helps any more", "134 MB fit into no cache")):
        assert was in text_of, was
        text_of = text_of.replace(was, becomes, 1)
    run.write_text(text_of, encoding="utf-8")
    for n, trace in enumerate(sorted(pathlib.Path("two").rglob("*.trace.json.gz"))):
        slower = 1.2 + n % 7 / 10
        told = gzip.decompress(trace.read_bytes()).decode()
        begin = min(float(at) for at in re.findall(r'"ts": ([\d.]+)', told))
        told = re.sub(r'"(ts|dur)": ([\d.]+)', lambda m: f'"{m[1]}": ' + (
            f"{begin + (float(m[2]) - begin) * slower:.3f}" if m[1] == "ts" else f"{float(m[2]) * slower:.3f}"), told)
        trace.chmod(0o644)
        trace.write_bytes(gzip.compress(told.encode(), 1))
    return "two"


def pages_of(report, name, *arguments):
    subprocess.run([report, "-q", "-o", "r.pdf", *arguments], check=True)
    out = subprocess.run(["pdftotext", "-layout", "r.pdf", "-"], capture_output=True, check=True).stdout.decode()
    return Document(name, out.rstrip("\f"))


def learnt(report, top):
    """What else was recorded, on the H200 and on an H100: of a whole book it has cases and guesses."""
    return [pages_of(report, run, "--template", "atlas", top / f"experiments/recorded/nvidia-{run}")
            for run in ("h200-more", "h100-pytorch")]


def documents(report, top):
    """What report writes of runs that are in the project."""
    recorded, golden, own = top / "experiments/recorded", top / "tests/golden", top / "out/traces/host"
    # With everything swept, the book of this machine, too, where it was measured.
    measured = [("book of this machine", "--recorded", recorded, own)] if SWEPT and (own / "run.json").exists() else []
    for name, *arguments in (
            ("h200 book", "--markdown", "summary.md", recorded / "nvidia-h200"),
            ("h200 atlas", "--template", "atlas", recorded / "nvidia-h200"),
            ("host book", "--recorded", recorded / "nvidia-h200", golden / "host/in"),
            ("book of two", "--recorded", recorded, as_host(recorded / "nvidia-h200")),
            ("host atlas", "--template", "atlas", "--recorded", recorded / "nvidia-h200-more", golden / "host/in"),
            *measured, ("trace", golden / "kineto/in/trace.json"),
            ("trace atlas", "--template", "atlas", golden / "kineto/in/trace.json")):
        yield pages_of(report, name, *arguments)


def changed(numbers, attempt):
    """The text of a document with another first digit in some of its numbers."""
    text_of = list(numbers[0].doc.text)
    for number in numbers:
        at = number.at + re.search(r"\d" if attempt % 4 == 3 else r"[1-9]", number.doc.text[number.at:number.end]).start()
        was = text_of[at]
        text_of[at] = ("2" if was == "9" else str(int(was) + 1), "9" if was == "1" else "1", "1" if was == "9" else "9",
                       "9" if was == "0" else "0")[attempt % 4]
    return "".join(text_of)


def unnoticed(book, checks):
    """The kinds of which a wrong number would not be seen: one of each is changed in a copy, up to sixteen
    times, and a check of its kind that reads it has to fail."""
    results = {}
    for kind, right, _, numbers in checks.rows:
        if right and numbers and re.search(r"[1-9]", numbers[-1].text):
            results.setdefault(kind, {}).setdefault(numbers[-1].doc.name, []).append(numbers[-1])
    sizes = {"summary.md": 0, **{d.name: len(d.text) for d in book.documents}}
    left = {kind: min(of.items(), key=lambda pair: sizes[pair[0]]) for kind, of in results.items()}
    for attempt in range(16):
        for name in sizes:
            chosen = {kind: numbers[len(numbers) * (attempt + 1) // 17] for kind, (where, numbers) in left.items() if where == name}
            if not chosen:
                continue
            copy, found = changed(list(chosen.values()), attempt), Checks()
            if name == "summary.md":
                counts.summary(book.documents[0], copy, found)
            else:
                book.check(Document(name, copy), found)
            for kind, number in chosen.items():
                if any(k == kind and not right and any(n.at == number.at for n in read) for k, right, _, read in found.rows):
                    del left[kind]
    return [f"{kind}: a wrong number is not noticed" for kind in left]


def unmistaken(book, document):
    """The kinds of which a number that stands at the wrong machine would not be seen: each machine's cases are taken
    for the other's, so that nearly all that is said of them is wrong."""
    checks = Checks()
    book.check(document, checks, exchanged=True)
    found = checks.counts()
    return [f"{kind}: a number of the other machine is not noticed" for kind in WHOSE if found[kind][0] > found[kind][1]]


def main():
    report, top = sys.argv[1], pathlib.Path(sys.argv[2])
    books = list(documents(report, top))
    book, checks = Book(top, pathlib.Path("summary.md").read_text(encoding="utf-8")), Checks()
    book.documents = books
    for atlas in [books[1], *learnt(report, top)]:
        book.learn(atlas)
    for document in books:
        book.check(document, checks)
    wrong = [said for _, right, said, _ in checks.rows if not right]
    found = checks.counts()
    few = [f"{kind}: {sum(found.get(kind, [0, 0]))} checks, at least {least} are wanted" for kind, least in LEAST.items()
           if sum(found.get(kind, [0, 0])) < least]
    for kind, (right, bad) in sorted(found.items()):
        print(f"{right + bad:5}  {kind}" + (f", {bad} wrong" if bad else ""))
    # That each kind of check can fail takes as long as all of them: make check asks.
    missed = unnoticed(book, checks) if SWEPT else []
    missed += unmistaken(book, next(d for d in books if d.name == "book of two"))
    print(f"{len(checks.rows)} checks of {len(found)} kinds, {len(wrong)} wrong")
    print("\n".join(wrong + few + missed))
    return 1 if wrong or few or missed else 0


if __name__ == "__main__":
    sys.exit(main())
