# SPDX-License-Identifier: Apache-2.0
# "Add a detector" in the README is the code itself: what it shows as C stands so in the file that it
# names, and nowhere is more needed than those two and their words.
python3 - "$TRACEBOOK_TOP" <<'END'
import json, re, sys

top = sys.argv[1]
with open(top + "/README.md", encoding="utf-8") as f:
    section = f.read().split("## Add a detector")[1].split("\n## ")[0]
[name] = re.findall(r"`(report/[\w/]+\.c)`", section)
with open(f"{top}/{name}", encoding="utf-8") as f:
    source = f.read()
blocks = re.findall(r"```c\n(.*?)```", section, re.S)
assert len(blocks) == 2, len(blocks)
for block in blocks:
    assert block in source, f"not in {name}:\n{block}"
function, row = blocks
[one] = re.findall(r"^static enum finding_state (\w+)\(", function, re.M)
[named] = re.findall(r'\.id = "([^"]+)"', row)
assert f".one = {one}" in row and function.count("\n}\n") == 1
with open(f"{top}/templates/en/findings.json", encoding="utf-8") as f:
    [words] = [e for e in json.load(f)["findings"] if e["id"] == named]
told = set(re.findall(r'(?:tell\(f, |TELL\(f, \{|\}, +\{)"(\w+)"', re.sub(r"\s+", " ", function)))
assert set(re.findall(r"\{(\w+)\}", words["sentence"])) <= told, words["sentence"]
END
