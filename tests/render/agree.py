# SPDX-License-Identifier: Apache-2.0
"""agree.py A B: do two PDFs show the same?

Compares the words of A.html and B.html (pdftotext -bbox), the glyphs of A.stext and B.stext (mutool,
when it is there) and the pixels of A-N.pgm and B-N.pgm (pdftoppm).
"""
import collections
import glob
import os
import re
import sys

from words import pages

NEAR = 0.5  # points
DIFFERENT, MOST_DIFFERENT = 96, 0.005  # of 255 grey levels; share of a page's pixels
wrong = []


def by_text(items):
    result = collections.defaultdict(list)
    for text, box in items:
        result[text].append(box)
    return result


def farthest(what, one, other):
    """The largest distance between things of one text, each taken with the nearest of the other."""
    one, other, worst = by_text(one), by_text(other), 0
    for text in set(one) | set(other):
        if len(one[text]) != len(other[text]):
            wrong.append(f"{what}: {text!r} {len(one[text])} and {len(other[text])} times")
            continue
        for box in one[text]:
            def distance(b):
                return max(abs(p - q) for p, q in zip(box, b))
            nearest = min(other[text], key=distance)
            other[text].remove(nearest)
            worst = max(worst, distance(nearest))
            if distance(nearest) > NEAR:
                wrong.append(f"{what}: {text!r} at {box} and {nearest}")
    return worst


def compare(what, one, other, least):
    if len(one) != len(other):
        wrong.append(f"{len(one)} and {len(other)} pages of {what}s")
    if sum(map(len, one)) < least:
        wrong.append(f"only {sum(map(len, one))} {what}s")
    worst = max((farthest(f"page {i + 1}, {what}", *both)
                 for i, both in enumerate(zip(one, other))), default=0)
    print(f"{sum(map(len, one))} {what}s, {worst:.3f} points apart at most")


def glyphs(path):
    result = []
    for line in open(path, encoding="utf-8"):
        if "<page " in line:
            result.append([])
        found = re.search(r'<char quad="\S+ \S+ \S+ \S+ \S+ \S+ \S+ \S+" x="(\S+)" y="(\S+)".*c="(.*?)"',
                          line)
        if found and found[3].strip():
            result[-1].append((found[3], (float(found[1]), float(found[2]))))
    return result


def pixels(path):
    raw = open(path, "rb").read()
    head = re.match(rb"P5\s+(\d+)\s+(\d+)\s+255\s", raw)
    return (int(head[1]), int(head[2])), raw[head.end():]


a, b = sys.argv[1:]
compare("word", pages(a + ".html"), pages(b + ".html"), 1000)
if os.path.exists(a + ".stext"):
    compare("glyph", glyphs(a + ".stext"), glyphs(b + ".stext"), 5000)
pictures = sorted(glob.glob(a + "-*.pgm"))
if len(pictures) != len(pages(a + ".html")):
    wrong.append("pages without a picture")
most = 0
for picture in pictures:
    size, one = pixels(picture)
    other_size, other = pixels(b + picture[len(a):])
    if size != other_size or len(set(one)) < 3:
        wrong.append(f"{picture}: {size}, {other_size} or blank")
    share = sum(abs(p - q) > DIFFERENT for p, q in zip(one, other)) / len(one)
    most = max(most, share)
    if share > MOST_DIFFERENT:
        wrong.append(f"{picture}: {share:.2%} of the pixels differ")
print(f"{len(pictures)} pages, {most:.3%} of the pixels differ at most")
print("\n".join(wrong[:40]))
sys.exit(1 if wrong else 0)
