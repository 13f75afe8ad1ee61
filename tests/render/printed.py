# SPDX-License-Identifier: Apache-2.0
"""The numbers that a document prints: each knows where it stands and what it may have been before it
was rounded. "1.76 µs" is anything from 1.755 to 1.765 µs; a count is itself."""
import re

SCALE = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "%": 0.01, "×": 1.0, "": 1.0, "bytes": 1.0,
         "MHz": 1e6, "GHz": 1e9, "MiB": 2**20, "GiB": 2**30}
for _n, _prefix in enumerate(("", "k", "M", "G", "T", "P")):
    for _unit in ("B", "B/s", "FLOP", "FLOP/s"):
        SCALE[_prefix + _unit] = 1000.0 ** _n
DIGITS = r"[−-]?\d{1,3}(?:[\s ]\d{3})+(?![\d.])|[−-]?\d+(?:\.\d+)?"
SMALL = r"\d+(?:\.\d+)?"
KINDS = {"t": rf"(?:[−-]?{SMALL}) (?:ns|µs|ms|s)\b", "p": rf"(?:[−-]?{SMALL}) %", "r": rf"(?:{DIGITS})×",
         "b": rf"(?:{SMALL}) [kMGT]?B(?![\w/])", "w": rf"(?:{SMALL}) [kMGT]?B/s", "f": rf"(?:{SMALL}) [kMGTP]?FLOP(?!/)",
         "o": rf"(?:{SMALL}) [kMGTP]?FLOP/s", "n": rf"(?:{DIGITS})", "d": SMALL}
QUANTITY = re.compile(rf"({DIGITS})(\s*)(ns\b|µs|ms\b|s\b|%|×|[kMGTP]?FLOP/s|[kMGTP]?FLOP|[kMGT]?B/s|[kMGT]?B\b|)")


class Number:
    """What stands at doc.text[at:end], and the least and the most that it can have been."""

    def __init__(self, doc, at, text):
        self.doc, self.at, self.end, self.text = doc, at, at + len(text), " ".join(text.split())
        digits, _, unit = QUANTITY.fullmatch(text.strip()).groups()
        digits = re.sub(r"[\s ]", "", digits).replace("−", "-")
        half = 0.5 * 10 ** -len(digits.partition(".")[2])
        if not unit or unit == "B" and "." not in digits:
            half = half if "." in digits else 0.0
        self.value, scale = float(digits) * SCALE[unit], SCALE[unit]
        self.lo, self.hi = self.value - half * scale, self.value + half * scale

    @property
    def page(self):
        return self.doc.page_of(self.at)


def sum_of(parts):
    """The least and the most that numbers add up to."""
    return sum(p.lo for p in parts), sum(p.hi for p in parts)


def quotient(a, b):
    (al, ah), (bl, bh) = bounds(a), bounds(b)
    return (al / bh if bh > 0 else 0.0), (ah / bl if bl > 0 else float("inf"))


def product(a, b):
    corners = [x * y for x in bounds(a) for y in bounds(b)]
    return min(corners), max(corners)


def bounds(x):
    if isinstance(x, Number):
        return x.lo, x.hi
    return x if isinstance(x, tuple) else (x, x)


class Document:
    """The text of a document as pdftotext lays it out: page numbers in the margin are blanked."""

    def __init__(self, name, text):
        self.name, self.text, self.label = name, text, ""
        self.feet, kept, at = [], list(text), 0
        self.starts = [0] + [m.end() for m in re.finditer("\f", text)]
        for page in text.split("\f"):
            found = re.search(r"([^\n]*?)(\d+) ?/ ?(\d+)\s*$", page)
            self.feet.append((at, *(found and Number(self, at + found.start(i), found[i]) for i in (2, 3)), found and found[1].strip()))
            if found:
                for i in range(at + found.start(1), at + found.end(3)):
                    kept[i] = " "
            at += len(page) + 1
        self.flat = "".join(kept)

    def parts(self):
        """The document as this machine's pages, and those of each machine recorded elsewhere: the same text at
        the same places, the others' blanked."""
        ends = self.starts[1:] + [len(self.text) + 1]
        labels = [found[0] if (found := re.findall(r"recorded on .*? at \S+, not measured here", self.text[a:b].strip()[-400:]))
                  and self.feet[n][3].startswith("recorded on") else "" for n, (a, b) in enumerate(zip(self.starts, ends))]
        for label in dict.fromkeys(labels):
            part = Document.__new__(Document)
            part.__dict__.update(self.__dict__)
            part.flat = "".join(self.flat[a:b] if mine == label else re.sub(r"[^\n\f]", "\0", self.flat[a:b])
                                for a, b, mine in zip(self.starts, ends, labels))
            part.label = label
            yield part

    def page_of(self, at):
        return sum(start <= at for start in self.starts)

    def page(self, number):
        """The text of a page, its spaces squeezed."""
        ends = self.starts[1:] + [len(self.flat)]
        return " ".join(self.flat[self.starts[number - 1]:ends[number - 1]].split()) \
            if 0 < number <= len(self.starts) else ""

    def lines(self, start=0, end=None):
        end, at = len(self.flat) if end is None else end, start
        for line in re.split(r"[\n\f]", self.flat[start:end]):
            yield at, line
            at += len(line) + 1

    def numbers(self, start, end, kind="t"):
        """Every number of one kind between two places."""
        found = re.compile(KINDS[kind].replace(" ", r"\s*")).finditer(self.flat, start, end)
        return [Number(self, m.start(), m.group()) for m in found]

    def find(self, pattern, start=0, end=None, **names):
        """All places of a sentence in which {t} is a time, {p} a share, {r} a ratio, {n} a count, and so
        on as in KINDS, and {x} any of names["x"]: (match, its numbers). A space is any white space, two are a gap
        between columns."""
        groups, out = [], []
        for part in re.split(r"(\{\w+\})", pattern):
            kind = part[1:-1] if part.startswith("{") else None
            if kind in KINDS:
                groups.append(f"q{len(groups)}")
                out.append(f"(?P<{groups[-1]}>{KINDS[kind].replace(' ', chr(92) + 's*')})")
            elif kind:
                out.append(f"(?P<{kind}>{names[kind]})")
            else:
                out.append(re.sub(r" +(?![*+?])", lambda m: r"\s+" if m.group() == " " else " {2,}", part))
        found = re.compile("".join(out)).finditer(self.flat, start, len(self.flat) if end is None else end)
        return [(m, [Number(self, m.start(g), m.group(g)) for g in groups]) for m in found]


class Checks:
    """What was compared, by kind."""

    def __init__(self):
        self.rows, self.job = [], None

    def add(self, kind, said, expected, seen, numbers=()):
        lo, hi = bounds(expected)
        low, high = bounds(seen)
        slack = 1e-9 * max(abs(lo), abs(hi), abs(low))
        self.row(kind, said, low <= hi + slack and lo <= high + slack,
                 f"{lo:.6g}" if lo == hi else f"{lo:.6g} to {hi:.6g}",
                 seen.text if isinstance(seen, Number) else seen, [*numbers, seen])

    def row(self, kind, said, right, expected, seen, numbers):
        at = [n for n in numbers if isinstance(n, Number)]
        where = f"{at[-1].doc.name} page {at[-1].page}" if at else ""
        self.rows.append((kind, bool(right), f"{where}: {kind}: {said}: expected {expected}, seen {seen}", at))

    def counts(self):
        kinds = {}
        for kind, right, *_ in self.rows:
            kinds.setdefault(kind, [0, 0])[0 if right else 1] += 1
        return kinds
