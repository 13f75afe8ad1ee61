# SPDX-License-Identifier: Apache-2.0
"""text.py DOCUMENT TEXT: is every word of a document dump in what pdftotext read from the pages?

Words of prose and headings are counted, and those of cells that are numbers; names in tables may
be cut to fit and are left out.
"""
import collections
import re
import sys

PROSE = re.compile(r"(title|heading \d|text|caption|point)( #\S+)?( |$)")
# "1 234", "12.3 µs", "1.50 – 2.00 ms", "−8 %", "20.0×", "1 + 1"
NUMBER = re.compile(r"[-−≤≥]?[\d.]+([\s–+×%÷]|[µm]?s|[kMGT]?(FLOP|B|iB)(/s)?|[\d.])*$")
SIGNS = "→×µ÷−–·…≥≤"

wanted, numbers = collections.Counter(), 0
dump = open(sys.argv[1], encoding="utf-8").read()
for line in dump.splitlines():
    if PROSE.match(line):
        line = line[PROSE.match(line).end():]
        wanted.update(w for w in re.split(r"[\s()]+", line) if w and "¶" not in w)
    elif re.match(r"  (row|[^|]*: [^|]*$)", line):
        for cell in re.split(r" \| |: ", line[6:] if line.startswith("  row") else line):
            if NUMBER.match(cell.strip()):
                wanted.update(cell.split())
                numbers += 1
read = collections.Counter()
text = open(sys.argv[2], encoding="utf-8").read()
text = re.sub(r"(\d)\+(\d)", r"\1 + \2", text)  # poppler leaves out the spaces of "1 + 1"
read.update(w for w in re.split(r"[\s()]+", text) if w)

wrong = [f"{w!r}: {n} in the document, {read[w]} on the pages"
         for w, n in sorted(wanted.items()) if read[w] < n]
wrong += [f"no {sign} on the pages" for sign in SIGNS
          if sign in dump and text.count(sign) < 1]
if numbers < 100 or len(wanted) < 300:
    wrong.append(f"only {numbers} numbers and {len(wanted)} words were looked for")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
