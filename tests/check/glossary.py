#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The texts that a reader sees use the words of the glossary, and count in grammar.

Each term of templates/en/cheatsheet.json may say what must never stand for it; no text of templates/en,
and no title, question or guess of a matrix in experiments/, has any of that. What stands in backticks or
braces is a name. A number follows its noun nowhere ("calls: {n}"), which reads wrong for 1 and for 0:
{n?call|calls} is there for that. With "--terms N" the glossary has exactly N terms.
"""
import json
import pathlib
import re
import sys

NAMES = {"id", "source", "example", "seen", "program", "torch", "term", "never", "case", "cases", "bar"}
OF_A_MATRIX = {"title", "question", "says", "guess", "untested"}
MEASURED = "time|share|plain|occupancy|list|rate|bytes"
COUNTED = re.compile(rf"[a-z]s: \{{(?!(?:{MEASURED})\}})[a-z_]+\}}(?=[;,.)])")


def texts(value, where, wanted=None, key=""):
    """Yields (where, text) of a JSON value; of a matrix only members that are read."""
    if isinstance(value, dict):
        for k, v in value.items():
            plain = isinstance(v, str) or (isinstance(v, list) and all(isinstance(e, str) for e in v))
            code = (k in NAMES and plain) or (k == "here" and isinstance(v, list))
            if not code:
                yield from texts(v, f"{where} {value.get('id', '')} {k}".replace("  ", " "), wanted, k)
    elif isinstance(value, list):
        for v in value:
            yield from texts(v, where, wanted, key)
    elif isinstance(value, str) and (not wanted or key in wanted):
        yield where, value


def prose(text):
    """Without what stands in backticks; of {n?one|many} the words stay."""
    text = re.sub(r"`[^`]*`", "·", text)
    text = re.sub(r"\{=?[a-z_.0-9]+\?", "{", text)
    return re.sub(r"\{=?[a-z_.0-9]+\}", "·", text)


def main():
    wanted = int(sys.argv[sys.argv.index("--terms") + 1]) if "--terms" in sys.argv else None
    sheet = pathlib.Path("templates/en/cheatsheet.json")
    if not sheet.exists():
        return 0
    glossary = json.loads(sheet.read_text(encoding="utf-8"))["glossary"]
    found = []
    if wanted and len(glossary) != wanted:
        found.append(f"{sheet}: the glossary has {len(glossary)} terms, not {wanted}")
    own = {g["term"]: {g["text"]} for g in glossary}
    never = [(re.compile(rf"(?<![\w-])(?:{word})(?![\w-])", re.I), g["term"]) for g in glossary for word in g.get("never", [])]
    files = [(p, None) for p in sorted(pathlib.Path("templates/en").glob("*.json"))]
    files += [(p, OF_A_MATRIX) for p in sorted(pathlib.Path("experiments").glob("*.json"))]
    for path, members in files:
        for where, text in texts(json.loads(path.read_text(encoding="utf-8")), str(path), members):
            if where.endswith(" about") and path.parent.name == "en" and where.count(" ") == 1:
                continue  # what the file is, for who edits it
            for pattern, term in never:
                hit = pattern.search(prose(text))
                if hit and text not in own[term]:
                    found.append(f"{where}: “{hit[0]}” stands for “{term}”: {text}")
            if COUNTED.search(text):
                found.append(f"{where}: a number behind its noun, {COUNTED.search(text)[0]}: {text}")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
