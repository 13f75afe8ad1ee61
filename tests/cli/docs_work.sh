# SPDX-License-Identifier: Apache-2.0
# "Add an experiment" of docs/architecture.md, followed literally in a copy of the tree: the case of its first
# block, then the new kind of work with its file, its row and its case; built, checked, measured, judged
# and shown.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'the copy is built without sanitizers'; exit 77; }

# The tree with what is built of it, so that only what changes is compiled.
mkdir -p tree/out
for part in tracebook base collect experiments report templates Makefile docs; do
	cp -a "$TRACEBOOK_TOP/$part" tree/
done
cp -a "$(dirname "$TRACEBOOK_BIN")/obj" "$TRACEBOOK_BIN" "$TRACEBOOK_LIB" tree/out/
(cd tree && python3 -) <<'END'
import json, re

with open("docs/architecture.md", encoding="utf-8") as f:
    section = f.read().split("## Add an experiment")[1].split("\n## ")[0]
cases = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", section, re.S)]
source, row = re.findall(r"```c\n(.*?)```", section, re.S)
[path] = re.findall(r"The file, `(experiments/\w+\.c)`", section)
with open(path, "x", encoding="utf-8") as f:
    f.write(source)
[(table, path)] = re.findall(r"The row, in `(\w+)` of `(experiments/\w+\.c)`", section)
with open(path, encoding="utf-8") as f:
    text = f.read()
head = f"#define {table}(ROW) \\\n"
assert text.count(head) == 1
with open(path, "w", encoding="utf-8") as f:
    f.write(text.replace(head, head + row))
with open("experiments/matrix.json", encoding="utf-8") as f:
    matrix = json.load(f)
assert len(cases) == 2
matrix["cases"] += cases + [dict(cases[1], mode="eager", expect={"kernels": 2, "copies": 0})]
with open("experiments/matrix.json", "w", encoding="utf-8") as f:
    json.dump(matrix, f)
END
make -C tree READY=1 CUDA=none out/bin/collect out/bin/report >out 2>&1 || wrong 'the example does not build'

TRACEBOOK_BIN=$PWD/tree/out/bin
run 0 collect --device host --only 'matmul_add/256_bf16_warm_eager' --only 'square_add/*' --out traces \
	tree/experiments/matrix.json
# Three cases, each in three rounds as long as a step takes less than a millisecond: on a busy machine it may not.
grep -qE '^[3-9] measured, 0 kept, 0 failed: ' err || wrong 'not all three cases were measured'
run 0 report --dump document traces/host
says out 'One kernel reads and writes 1.05 MB.'
run 0 report --json answer.json traces/host
python3 - <<'END'
import json
answer = json.load(open("answer.json", encoding="utf-8"))
cases = {c["id"]: c for r in answer["runs"] for c in r["cases"]}
for mode in ("compile", "eager"):
    case = cases[f"square_add/256_1024_{mode}"]
    assert case["status"] == "done", case
    states = {v["expectation"]: v["state"] for v in case["verdicts"]}
    assert states and set(states.values()) == {"kept"}, states
END
