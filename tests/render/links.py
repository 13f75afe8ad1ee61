# SPDX-License-Identifier: Apache-2.0
"""links.py DOCUMENT OBJECTS WORDS: do bookmarks and links of a PDF lead to what they name?

DOCUMENT is report's own dump, OBJECTS the PDF as `qpdf --json`, WORDS that of `pdftotext -bbox`.
"""
import json
import re
import sys

from words import pages

document, objects, text_path = sys.argv[1:]
pdf = json.load(open(objects, encoding="utf-8"))
of = {name[len("obj:"):]: value["value"] for name, value in pdf["qpdf"][1].items()
      if name.startswith("obj:") and "value" in value}
page_names = [page["object"] for page in pdf["pages"]]
words = pages(text_path)
wrong = []


def height(page):
    return of[page_names[page]]["/MediaBox"][3]


def target(dest, what):
    """(page index, points from its top) of a destination, None when it leads nowhere."""
    dest = of.get(dest, dest) if isinstance(dest, str) else dest
    if not isinstance(dest, list) or dest[0] not in page_names or dest[1] != "/XYZ":
        wrong.append(f"{what} leads nowhere: {dest}")
        return None
    page = page_names.index(dest[0])
    return page, height(page) - dest[3]


def walk(item):
    while item:
        yield of[item]
        yield from walk(of[item].get("/First"))
        item = of[item].get("/Next")


root = of[pdf["qpdf"][1]["trailer"]["value"]["/Root"]]
bookmarks = [(entry["/Title"].removeprefix("u:"), entry["/Dest"])
             for entry in walk(of[root["/Outlines"]].get("/First"))]
heading = re.compile(r"(?:title|heading [12]|heading 3(?= #))(?: #\S+)? (.*)")
headings = [found[1] for found in map(heading.match, open(document, encoding="utf-8")) if found]
if len(bookmarks) != len(headings) or len(bookmarks) < 8:
    wrong.append(f"{len(bookmarks)} bookmarks, {len(headings)} headings")
for (title, dest), text in zip(bookmarks, headings):
    if text != title and not text.startswith(title + " ("):
        wrong.append(f"bookmark {title!r} stands where the heading is {text!r}")
    place = target(dest, f"bookmark {title!r}")
    if place and not any(word == title.split()[0] and -10 < box[1] - place[1] < 24
                         for word, box in words[place[0]]):
        wrong.append(f"bookmark {title!r} does not lead to its heading")

def within(page, rect):
    """Which of a page's words lie in a rectangle of the PDF, by their places among them."""
    left, bottom, right, top = rect
    return [at for at, (_, box) in enumerate(words[page])
            if box[0] < right - 1 and box[2] > left + 1 and
            -1 < (box[1] + box[3]) / 2 - (height(page) - top) < top - bottom + 1]


links = numbered = 0
for i, name in enumerate(page_names):
    before = {}
    annotations = of[name].get("/Annots", [])
    for annotation, after in zip(annotations, annotations[1:] + [None]):
        links += 1
        places = within(i, annotation["/Rect"])
        inside = [words[i][at][0] for at in places]
        # A label may go on behind the end of a line, and what stands there may be a number: the size
        # in the title of a case is no page.
        goes_on = before and before.get("/Dest") == annotation.get("/Dest") and places and \
            places[0] - 1 in within(i, before["/Rect"])
        # Nor is a size that a label begins with at the end of a line.
        goes_on = goes_on or (after and after.get("/Dest") == annotation.get("/Dest") and
                              after["/Rect"][1] < annotation["/Rect"][1] - 1)
        before = annotation
        if not inside:
            wrong.append(f"page {i + 1}: a link around nothing at {annotation['/Rect']}")
        if "/A" in annotation:
            continue
        place = target(annotation["/Dest"], f"page {i + 1}: link {inside}")
        number = inside[0] if len(inside) == 1 and inside[0].isdigit() and not goes_on else None
        if place and number:
            numbered += 1
            if int(number) != place[0] + 1:
                wrong.append(f"page {i + 1}: link {inside} leads to page {place[0] + 1}")
if links < 10 or numbered < 4:
    wrong.append(f"only {links} links, {numbered} with a page number")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
