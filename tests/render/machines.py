# SPDX-License-Identifier: Apache-2.0
"""Whose sentence is it? A book of two machines tells of this one first and then of the one that was recorded
elsewhere, under its name; the next heading, question, guess or bullet is about this machine again."""
import bisect
import json
import pathlib
import re

TEXT = json.loads((pathlib.Path(__file__).parents[2] / "templates/en/text.json").read_text(encoding="utf-8"))
TITLES = {text for key, text in TEXT.items() if key.endswith(".title") and "{" not in text}
OURS, THEIRS, BOTH = "this machine", "the other machine", "both machines"
MARK = r"[✓✗~–·=]"


class Machines:
    """Where a document begins to tell of which machine."""

    def __init__(self, doc):
        self.doc, self.at, self.whose, self.rows, self.titles = doc, [0], [OURS], [], [0]
        recorded = [] if doc.label else re.findall(
            r"recorded\s+on\s+(\w+\s+(\w+)(?:\s+\w+){0,3}?)\s+at\s+\S+,\s+not\s+measured\s+here", doc.flat)
        full, short = ("(?:" + "|".join(sorted({" ".join(r[nth].split()) for r in recorded})) + ")" if recorded else "(?!)" for nth in (0, 1))
        names = re.compile(rf"(?:On the )?{full}(?::|, step \d)")
        words = re.compile(rf"(?<!\S)(?:(Here|this machine)|(Both)|(?:{full}|{short})): ")
        apart, headed, blank = False, False, True
        for at, line in doc.lines():
            text = line.strip(" •\0")
            if not text:
                blank = True
                continue
            if re.match(rf"\S.* broke on the {full}", line):
                apart = True  # a list of theirs alone, until the next title
                self.say(at, THEIRS)
            elif line in TITLES or re.match(r"\d+\. [A-Z]", line):
                apart = False
                self.say(at, OURS)
                self.titles.append(at)
            elif not apart:
                if re.match(rf"\s*{MARK}\s+\S", line):
                    self.rows.append(at)
                if names.match(text):
                    self.say(at, THEIRS)
                    self.titles.append(at)
                elif not headed and heading(line, blank):
                    self.say(at, OURS)
                    self.titles.append(at)
                for m in words.finditer(line):
                    self.say(at + m.start(), OURS if m[1] else BOTH if m[2] else THEIRS)
            headed, blank = bool(re.fullmatch(rf"(?:On the )?{full}:", text)), False

    def say(self, at, whose):
        self.at.append(at)
        self.whose.append(whose)

    def of(self, at):
        """Whose sentence begins here."""
        return self.whose[bisect.bisect_right(self.at, at) - 1]

    def turns(self, start, end):
        """Does something else begin between two places?"""
        return bisect.bisect_right(self.titles, start) != bisect.bisect_right(self.titles, end)

    def mark(self, at):
        """What stands in front of a guess, in the column of the machine that its sentence is about."""
        row = bisect.bisect_right(self.rows, at) - 1
        if row < 0:
            return None
        line = self.doc.flat[self.rows[row]:self.doc.flat.find("\n", self.rows[row])]
        marks = re.match(rf"\s*({MARK})(?:\s+({MARK}))?\s", line)
        return marks and marks[2 if marks[2] and self.of(at) == THEIRS else 1]


def heading(line, blank):
    """Does a line begin something else: a question, a table, a guess, a bullet, the title of a figure?"""
    return re.match(rf"\s*{MARK}\s+\S|•|[A-Z\d“][^\n]*\?$|Exercise \d+|Measured  |Cold start: where|this machine, step| {6,}Step \d+ |here +\S", line) or \
        blank and re.match(r"[A-Z\d“][^\n?]*\. [A-Z][^\n]*\?", line)
