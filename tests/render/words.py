# SPDX-License-Identifier: Apache-2.0
"""The words of a PDF by page, as `pdftotext -bbox` writes them."""
import html
import re

WORD = re.compile(r'<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)</word>')


def pages(path):
    """A list a page of (text, (left, top, right, bottom)) in points from the top left."""
    result = []
    for line in open(path, encoding="utf-8"):
        found = WORD.search(line)
        if "<page " in line:
            result.append([])
        elif found:
            box = tuple(float(found[i]) for i in range(1, 5))
            result[-1].append((html.unescape(found[5]), box))
    return result
