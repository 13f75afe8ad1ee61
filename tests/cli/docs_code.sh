# SPDX-License-Identifier: Apache-2.0
# docs/architecture.md shows the code itself: each block of C in its "Add a ..." stands so in the file that is named last above it,
# but for "Add an experiment" (docs_work does what it says); a detector needs nowhere more than its function, its row and
# its words. Every link of the README and of docs/ leads to something that is there, and the README is short.
python3 - "$TRACEBOOK_TOP" <<'END'
import glob, json, os, re, sys

top = sys.argv[1]


def read(path):
    with open(os.path.join(top, path), encoding="utf-8") as f:
        return f.read()


page = read("docs/architecture.md")
sections = dict(s.split("\n", 1) for s in page.split("\n## ")[1:])
shown = 0
for title, text in sections.items():
    if not title.startswith("Add ") or title == "Add an experiment":
        continue
    named = None
    for part in re.split(r"(```c\n.*?```)", text, flags=re.S):
        if not part.startswith("```c\n"):
            named = (re.findall(r"`(report/[\w/]+\.[ch])`", part) or [named])[-1]
            continue
        block = part[len("```c\n"):-len("```")]
        assert block in read(named), f"{title}: not in {named}:\n{block}"
        shown += 1
assert shown >= 9, shown

section = sections["Add a detector"]
function, row = re.findall(r"```c\n(.*?)```", section, re.S)
[one] = re.findall(r"^static enum finding_state (\w+)\(", function, re.M)
[named] = re.findall(r'\.id = "([^"]+)"', row)
assert f".one = {one}" in row and function.count("\n}\n") == 1
[words] = [e for e in json.loads(read("templates/en/findings.json"))["findings"] if e["id"] == named]
told = set(re.findall(r'(?:tell\(f, |TELL\(f, \{|\}, +\{)"(\w+)"', re.sub(r"\s+", " ", function)))
assert set(re.findall(r"\{(\w+)\}", words["sentence"])) <= told, words["sentence"]

# What the other examples name is there under that name.
assert [a for a in json.loads(read("templates/en/advice.json"))["actions"] if a["id"] == "smaller-copies"]
for path in re.findall(r"`((?:report|collect|experiments|templates|tests)/[\w/.]+)`", page):
    if path != "experiments/work_square_add.c" and "ROOM" not in path and "NAME" not in path:
        assert os.path.exists(os.path.join(top, path)), f"docs/architecture.md names {path}"

pages = ["README.md"] + sorted(os.path.relpath(p, top) for p in glob.glob(glob.escape(top) + "/docs/*.md"))
for name in pages:
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", read(name)):
        if "://" not in link:
            where = os.path.join(top, os.path.dirname(name), link)
            assert os.path.exists(where), f"{name} leads to {link}"
assert len(pages) > 4, pages
size = len(read("README.md").encode())
assert size <= 9216, f"README.md has {size} bytes"
first = read("README.md").split("\n## ")[0]
assert "\nmake report " in first and "\nmake test " in first, "the first screen lacks the two commands"
END
