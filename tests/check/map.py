#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms and who includes whom, from the real includes: `map.py` prints the graph in graphviz's
language, `map.py draw FILE.svg` draws it (make map), `map.py check FILE.svg` says whether that file
still shows it (make check). The drawing carries its graph in its <desc>, so that checking needs no
graphviz and no version of it matters.

An arrow leads from a room to one that it uses. What follows from other arrows is left out: who uses
`analyse`, which uses `trace`, may use `trace` as well.
"""
import html
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
FOLDERS = "base", "experiments", "collect", "report"
MAIN = "report: main, --check, --json"


def room_of(path):
    """The room of a file by its path from the top, as the map calls it."""
    part = path.split("/")
    if part[0] == "experiments" and len(part) > 2:
        return "experiments/" + part[1]
    if part[0] == "report":
        return part[1] if len(part) > 2 else MAIN
    return part[0]


def uses_of_rooms():
    """{room: the rooms that its files include}"""
    uses = {}
    for folder in FOLDERS:
        for path in sorted((TOP / folder).rglob("*.[ch]")):
            room = room_of(path.relative_to(TOP).as_posix())
            found = {room_of(i) for i in INCLUDE.findall(path.read_text()) if i.split("/")[0] in FOLDERS}
            uses.setdefault(room, set()).update(found - {room})
    return uses


def reach(uses, room, seen):
    for other in uses.get(room, ()):
        if other not in seen:
            seen.add(other)
            reach(uses, other, seen)
    return seen


def needed(uses, room):
    """The uses of a room that do not follow from its others."""
    return sorted(o for o in uses[room]
                  if not any(o in reach(uses, via, set()) for via in uses[room] - {o}))


def graph():
    uses = uses_of_rooms()
    programs = {"collect", MAIN}
    line = ["digraph rooms {", "  rankdir=RL; nodesep=0.16; ranksep=0.42; bgcolor=white;",
            '  node [shape=box style="rounded,filled" fillcolor="#eef2f7" color="#5b6b7f"'
            ' fontname="Noto Sans,sans-serif" fontsize=11 height=0.3 margin="0.12,0.04"];',
            '  edge [color="#5b6b7f" arrowsize=0.6];']
    line += [f'  "{r}"' + (' [fillcolor="#d5e3f5" penwidth=1.6]' if r in programs else "") + ";"
             for r in sorted(uses)]
    line += [f'  "{r}" -> "{o}";' for r in sorted(uses) for o in needed(uses, r)]
    return "\n".join(line + ["}"]) + "\n"


def shown(path):
    """The graph that a drawing carries."""
    found = re.search(r"<desc>(.*?)</desc>", path.read_text(), re.S) if path.exists() else None
    return html.unescape(found.group(1)) if found else ""


def draw(path, dot):
    svg = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=True).stdout
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.S)
    path.write_text(svg.replace("</svg>", f"<desc>{html.escape(dot)}</desc>\n</svg>"))


def main(words):
    dot = graph()
    if not words:
        print(dot, end="")
    elif words[0] == "draw":
        draw(pathlib.Path(words[1]), dot)
    elif shown(pathlib.Path(words[1])) != dot:
        sys.exit(f"{words[1]} does not show the rooms as they are: make map")


if __name__ == "__main__":
    main(sys.argv[1:])
