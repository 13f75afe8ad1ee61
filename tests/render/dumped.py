# SPDX-License-Identifier: Apache-2.0
"""dumped.py CANVAS PDF.html TEXT.json: is what --dump canvas prints on the pages of the PDF?

Compares the signs of each page without the spaces, and finds the legend of where a step's time goes
once on each page with such a figure, and on no other.
"""
import collections
import json
import re
import sys

from words import pages

TEXT = re.compile(r'^text (".*") \w+ [\d.]+ #')
wrong = []


def dumped(path):
    """A list a page of what its texts say."""
    result = []
    for line in open(path, encoding="utf-8"):
        found = TEXT.match(line)
        if line.startswith("page "):
            result.append([])
        elif found:
            result[-1].append(found[1][1:-1].replace('\\"', '"').replace("\\\\", "\\"))
    return result


def signs(texts):
    return collections.Counter("".join("".join(texts).split()))


canvas, printed = dumped(sys.argv[1]), pages(sys.argv[2])
words = json.load(open(sys.argv[3], encoding="utf-8"))
host = re.compile(re.escape(words["step_bars.host"]).replace(r"\{time\}", r"\S+ \S+") + "$")
with_figure = 0
if len(canvas) != len(printed):
    wrong.append(f"{len(canvas)} pages dumped, {len(printed)} printed")
for number, (texts, found) in enumerate(zip(canvas, printed), 1):
    there = signs(text for text, _ in found)
    for sign, n in (signs(texts) - there).items():
        wrong.append(f"page {number}: {sign!r} is missing {n} times in the PDF")
    for sign, n in (there - signs(texts)).items():
        wrong.append(f"page {number}: {sign!r} is in the PDF {n} times more")
    figure = any(host.match(t) for t in texts)
    legends = texts.count(words["step_bars.annotation"])
    with_figure += figure
    if legends != figure:
        wrong.append(f"page {number} has {legends} legends, figures: {figure}")
if with_figure < 2:
    wrong.append(f"only {with_figure} pages have a figure of where a step's time goes")
print("\n".join(wrong[:20]) or f"{len(canvas)} pages, {with_figure} with a shared legend")
sys.exit(bool(wrong))
