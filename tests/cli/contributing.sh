# SPDX-License-Identifier: Apache-2.0
# CONTRIBUTING.md, done literally in a copy of the tree: the test fails first, then detector and words
# make it pass, report prints the finding, and the golden texts take it in. Its longest commands, those
# that test everything, and those that need a clone of one's own, are left out.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'the copy is built without sanitizers'; exit 77; }
command -v clang-format >/dev/null || { echo 'clang-format is not here'; exit 77; }

# The tree with what is built of it, so that only what changes is compiled.
mkdir -p tree/out/tests
for part in base collect experiments report templates tests tracebook Makefile CONTRIBUTING.md .clang-format; do
	cp -a "$TRACEBOOK_TOP/$part" tree/
done
cp -a "$(dirname "$TRACEBOOK_BIN")/obj" "$TRACEBOOK_BIN" "$TRACEBOOK_LIB" tree/out/
cd tree
git init -q . && git add base report tests/golden tests/unit && git -c user.name=a -c user.email=a@b commit -qm start
python3 - <<'PYTHON'
import json, re, subprocess, sys

with open("CONTRIBUTING.md", encoding="utf-8") as f:
    page = f.read()
blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.S)
c = [text for kind, text in blocks if kind == "c"]
words, pattern_words = [json.loads(text) for kind, text in blocks if kind == "json"]
[pattern_trace] = [text for kind, text in blocks if kind == "python"]
start, fails, passes, pattern_passes, end = [text for kind, text in blocks if kind == "sh"]
test, listed, function, row, pattern_row = c


def put(path, marker, text, behind=False):
    """In front of the only line that has the marker, or behind it."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    [at] = [i for i, line in enumerate(lines) if marker in line]
    lines[at + behind:at + behind] = text.rstrip("\n").split("\n") + [""] * (not behind)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


def do(commands, wanted):
    done = subprocess.run(["sh", "-eu", "-c", commands.replace("make ", "make READY=1 CUDA=/none ")],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if (done.returncode == 0) != wanted:
        sys.exit(f"status {done.returncode}:\n{commands}\n{done.stdout[-3000:]}")
    return done.stdout


unit, detect = "tests/unit/rules/test_findings_common.c", "report/rules/findings_common.c"
assert unit in page and detect in page
put(unit, "int main(", test)
put(unit, "const struct CMUnitTest ", listed, behind=True)
assert "SHORT-TRACE" in do(fails, False)
put(detect, "static const struct rule field_rows[]", function)
put(detect, "static const struct rule field_rows[]", row, behind=True)
with open("templates/en/findings.json", encoding="utf-8") as f:
    texts = json.load(f)
[behind] = re.findall(r"findings\.json`, in front of that of `([^`]+)`", page)
[at] = [i for i, entry in enumerate(texts["findings"]) if entry["id"] == behind]
texts["findings"].insert(at, words)
with open("templates/en/findings.json", "w", encoding="utf-8") as f:
    json.dump(texts, f, ensure_ascii=False, indent=1)
said = do(passes, True)
assert re.search(r"SHORT-TRACE", said) and "tests/golden" in said, said
changed = do("git diff --name-only", True).split()
assert sorted(p for p in changed if p.endswith(".c")) == [detect, unit], changed  # formatted as they stand
assert not do("clang-format --dry-run " + detect + " " + unit + " 2>&1", True)

# The pattern: a row, its words, its trace.
patterns, made = "report/rules/patterns_host.c", "tests/advise/made.py"
assert patterns in page and made in page
put(patterns, "static const struct rule rows[]", pattern_row, behind=True)
put(made, '    "there-and-back": ', pattern_trace, behind=False)
with open("templates/en/advice.json", encoding="utf-8") as f:
    texts = json.load(f)
[behind] = re.findall(r"advice\.json` in front of those of `([^`]+)`", page)
[at] = [i for i, entry in enumerate(texts["actions"]) if entry["id"] == behind]
texts["actions"].insert(at, pattern_words)
with open("templates/en/advice.json", "w", encoding="utf-8") as f:
    json.dump(texts, f, ensure_ascii=False, indent=1)
said = do(pattern_passes.split("make advise")[0] + "\nmake out/tests/test_rule_words && out/tests/test_rule_words", True)
assert " 0 wrong" in said, said
assert not do("clang-format --dry-run " + patterns + " 2>&1", True)
PYTHON
