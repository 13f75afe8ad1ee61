# SPDX-License-Identifier: Apache-2.0
"""page.py PAGE [DUMP]: is what report --html wrote sound, strict and whole? Its elements are closed, it holds nothing that
runs but the script that its policy names, nothing is fetched, links lead somewhere, it is not too long; and every heading,
cell and paragraph of `--dump document` stands in it."""
import base64
import hashlib
import html.parser
import json
import re
import sys

MOST = 5_000_000
VOID = {"meta", "link", "input", "br"}
KNOWN = set("html head meta link title style body nav ol ul li a main section h1 h2 h3 h4 p dl dt dd div table thead tbody tr th td "
            "span code strong pre figure svg path text g clippath footer script details summary".split())
ATTRIBUTES = set("lang charset http-equiv content name rel href id class aria-label aria-hidden role scope colspan type viewbox "
                 "stroke-miterlimit preserveaspectratio fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray d x y "
                 "font-size textlength lengthadjust transform clip-path pointer-events open".split())
wrong = []


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.words, self.ids, self.links, self.scripts, self.styles, self.metas = [], [], [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in KNOWN:
            wrong.append(f"an element {tag!r}")
        for key, value in attributes:
            if key not in ATTRIBUTES and not key.startswith("data-"):
                wrong.append(f"{tag} has an attribute {key!r}")
            if key == "id":
                self.ids.append(value)
            if key == "href":
                self.links.append((tag, value))
        if tag == "meta":
            self.metas.append(dict(attributes))
        if tag == "script":
            self.scripts.append([dict(attributes).get("type"), ""])
        if tag == "style":
            if self.open[:2] != ["html", "head"]:
                wrong.append("a style behind the head")
            self.styles.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            wrong.append(f"</{tag}> in {self.open[-3:]}, line {self.getpos()[0]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        inside = self.open[-1] if self.open else None
        if inside == "script":
            self.scripts[-1][1] += data
        elif inside == "style":
            self.styles[-1] += data
        elif "svg" not in self.open:
            self.words.append(data)


def hashed(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def squeezed(text):
    return re.sub(r"[\s\u00a0\u2009\u202f]+", "", text)


raw = open(sys.argv[1], "rb").read()
text = raw.decode("utf-8")
page = Page(text)
if page.open:
    wrong.append(f"left open: {page.open}")
if len(raw) > MOST:
    wrong.append(f"{len(raw)} bytes")
hidden = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]", text)
if hidden:
    wrong.append(f"U+{ord(hidden[0]):04X} at {hidden.start()}")
scripts = [s for kind, s in page.scripts if kind is None]
data = [s for kind, s in page.scripts if kind == "application/json"]
if (len(scripts), len(data), len(page.styles)) != (1, 2, 1):
    wrong.append(f"{len(scripts)} scripts, {len(data)} data, {len(page.styles)} styles")
policy = (f"default-src 'none'; style-src {hashed(page.styles[0])}; script-src {hashed(scripts[0])}; img-src data:; "
          "base-uri 'none'; form-action 'none'")
if page.metas[1] != {"http-equiv": "Content-Security-Policy", "content": policy}:
    wrong.append(f"the policy is {page.metas[1]}, not {policy}")
if re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|\.src\b|fetch\(|XMLHttp|import\(|localStorage", scripts[0]):
    wrong.append("the script can make words live, or asks somebody")
if re.search(r"url\(|@import", page.styles[0]):
    wrong.append("the style asks for something")
for part in data:
    json.loads(part)
twice = {i for i in page.ids if page.ids.count(i) > 1} if len(page.ids) < 3000 else {i for i, j in zip(sorted(page.ids), sorted(page.ids)[1:]) if i == j}
if twice:
    wrong.append(f"ids that stand twice: {sorted(twice)[:5]}")
for tag, link in page.links:
    if link.startswith("#") and link[1:] not in page.ids:
        wrong.append(f"{link} leads nowhere")
    elif not link.startswith(("#", "https://", "http://")) and (tag, link) != ("link", "data:,"):
        wrong.append(f"a link to {link!r}")
whole, missing, n = squeezed("".join(page.words)), [], 0
for line in open(sys.argv[2], encoding="utf-8", errors="replace") if len(sys.argv) > 2 else ():
    m = re.match(r"(?:heading \d|text|point|caption|  row|  head|  group)(?: #\S+)? (.*)\n", line)
    if not m or "¶" in line:
        continue
    said = re.sub(r" \([^()]*\)$", "", m[1]) if line.startswith(("heading", "point")) else m[1]
    if line.startswith("  head"):  # whose links the dump leaves as they are written
        said = re.sub(r"\[([^\]]*)\]\(#[^)]*\)", r"\1", said)
    for cell in said.split(" | ") if line.startswith("  ") else [said]:
        n += 1
        if re.search(r"\\(x|u)[0-9a-f]{2}", cell):  # what a screen obeys, as the dump says it
            continue
        cell = "".join(c for c in cell if ord(c) & 0xfffe != 0xfffe)
        if squeezed(cell.replace("\ufffd", "")) not in whole.replace("\ufffd", ""):
            missing.append(cell)
if missing or (len(sys.argv) > 2 and n < 5):
    wrong.append(f"{len(missing)} of {n} texts are missing: {missing[:5]}")
print(*wrong[:20], sep="\n")
sys.exit(bool(wrong))
