# SPDX-License-Identifier: Apache-2.0
"""Page one's text, and what a printed number may stand for; for page_one.py."""
import bisect
import html
import re
import subprocess
from decimal import Decimal

# What every page of its kind says; the numbers in it are none of the trace's.
LEGENDS = ("from 20 calls on 5 % to 95 %", "The mean is more than 10 % from the median", "half of each launch")
UNIT = {"ns": 1, "µs": 1000, "ms": 10**6, "s": 10**9}


# ---- what is printed ----

NUMBER = r"−?\d[\d ]*(?:\.\d+)?"
LABEL = 9.6  # in points, the height of a picture's labels and of marks in the margin
TIME = rf"({NUMBER}) (ns|µs|ms|s)\b"


def printed(text, unit):
    """A printed time as the least and the most that it may stand for, in ns."""
    digits = text.replace(" ", "").replace("−", "-")
    half = Decimal(10) ** -(len(digits.split(".")[1]) if "." in digits else 0) / 2
    scale = UNIT[unit]
    return (Decimal(digits) - half) * scale, (Decimal(digits) + half) * scale


def stands_for(text, unit, ns):
    low, high = printed(text, unit)
    return low - 1 <= Decimal(ns) <= high + 1


def percent_of(text, part, all_of):
    digits = text.replace(" ", "")
    half = Decimal(10) ** -(len(digits.split(".")[1]) if "." in digits else 0) / 2
    true = Decimal(100 * part) / Decimal(all_of) if all_of else Decimal(0)
    return abs(Decimal(digits) - true) <= half + Decimal("0.0001")


# What the parts are called, on the bar and in the headline.
BAR = {"matmuls": ("computing.gemm",), "attention": ("computing.attention",), "convolutions": ("computing.convolution",),
       "embeddings": ("computing.embedding",), "element-wise": ("computing.pointwise",),
       "reductions, norms": ("computing.reduction",), "other kernels": ("computing.other",),
       "communication": ("communication",), "copies": ("copies",), "launching": ("idle.launching",),
       "getting data": ("idle.input",), "waiting for the device": ("idle.sync",), "stalls": ("idle.stall",),
       "the profiler": ("idle.profiler",), "before the recording": ("idle.before",),
       "after the last work": ("idle.after",), "not in the file": ("idle.unknown",)}


REST = {"computing": ("computing",)} | {name: parts for name, parts in BAR.items() if not parts[0].startswith("computing")}
# What a headline is about: the larger of what parts begin with so. The host is late, or launches nothing more.
LATE = ("idle.launching", "idle.after")
LIMITS = {"compute-bound": ("computing",), "memory-bound": ("computing",), "communication-bound": ("communication",),
          "copy-bound": ("copies",), "launch-bound": LATE, "host-bound": LATE, "cpu-bound": LATE, "compile-bound": LATE,
          "handover-bound": LATE, "input-bound": ("idle.input",), "sync-bound": ("idle.sync",), "stall-bound": ("idle.stall",),
          "profiler-bound": ("idle.profiler",), "unseen": ("idle.before", "idle.unknown")}


def printed_words(pdf):
    """Page one as a reader sees it, and of that what is set in the size of sentences and tables, without pictures' labels."""
    said = [subprocess.run(["pdftotext", "-f", "1", "-l", "1", how, pdf, "-"], stdout=subprocess.PIPE, text=True).stdout for how in ("-layout", "-bbox")]
    words = re.findall(r'yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">(.*?)</word>', said[1])
    return said[0], " ".join(html.unescape(w) for low, high, w in words if float(high) - float(low) > LABEL)


def without_names(text, names):
    """Without names that have digits, whole or cut off behind their first letters."""
    numbered = sorted({re.sub(r"\s+", " ", n) for n in names if re.search(r"\d", n) and re.search(r"[A-Za-z]", n) and len(n) > 2})
    for n in sorted(numbered, key=len, reverse=True):
        text = text.replace(n, " ")
    at = text.find("…")
    while at >= 0:
        for begin in range(max(0, at - 70), at - 3):
            i = bisect.bisect_left(numbered, text[begin:at])
            if i < len(numbered) and numbered[i].startswith(text[begin:at]) and re.search(r"\d", text[begin:at]):
                text, at = text[:begin] + " " + text[at + 1:], begin
                break
        at = text.find("…", at + 1)
    return text


class Page:
    """Page one's text; a piece that a check has read is taken out, so that what is left was not computed again."""

    def __init__(self, text, set_large=""):
        self.text = re.sub(r"[ \n]+", " ", text)
        self.left = re.sub(r"[ \n]+", " ", set_large)

    def unread(self, t, title):
        """What is left of its sentences, without what only names a place: pages, pictures, steps, names of events."""
        left = re.sub(r"^.*?where its time went", "", self.left.replace(title, ""))
        left = re.sub(r"Kernel Grid, block Calls Median.*?(?=Range: |$)", "", left)
        left = re.sub(r"\(?\bpython\d\S*|\b(?:CPU|GPU|process|device|thread)(?: \d+)?(?= |$)|cold start|What to do first(?: \d)?", "", left)
        left = re.sub("|".join(map(re.escape, LEGENDS)), "", left)
        left = re.sub(r"(?:→ )?page \d+|tracebook \d+ ?/ ?\d+|tracebook ¦|\(step \d+[^)]*\)|\b[TCDGKIHPR]\d+\b|Step \d+", "", left)
        left = re.sub(r"(?<![\w.])\d+ (?=Leave alone|The recorded step|All recorded steps|The whole trace|¦)|\b(?:FP|TF|BF)\d+\b", "", left)
        left = without_names(left, {e.name for e in t.rows} | t.labels)
        words = {w for e in t.rows for w in re.findall(r"[^ ]*\d[^ ]*", e.name)}
        heads = sorted(words)

        def is_name(w):
            w = w.strip("…,;()[]·")
            i = bisect.bisect_left(heads, w)
            return bool(re.search(r"[A-Za-z]", w) and re.search(r"\d|::|_|<", w)) and i < len(heads) and heads[i].startswith(w)
        return " ".join(w for w in left.split(" ") if not is_name(w))

    def told(self, words):
        """Takes words out that --json has, however their lines and thin spaces are set; are they there?"""
        pattern = r"[\s\u2009\u202f\u00a0]*".join(re.escape(w) for w in re.split(r"[\s\u2009\u202f\u00a0]+", words) if w)
        m = re.search(pattern, self.left)
        if m:
            self.left = self.left[:m.start()] + " ¦ " + self.left[m.end():]
        return m

    def all(self, pattern):
        found = list(re.finditer(pattern, self.text))
        for m in found:
            self.left = self.left.replace(m.group(0), " ¦ ", 1)
        return found
