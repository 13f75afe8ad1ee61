# SPDX-License-Identifier: Apache-2.0
# --json: the result as data: whole, the same every time, and in agreement with --check.
. "$TRACEBOOK_TOP/tests/cli/functions"
golden="$TRACEBOOK_TOP/tests/golden"
run 0 report --json all.json --baseline "$golden/host/in" "$golden/host/in" "$golden/kineto/in"
silent out err
absent report.pdf
run 0 report --json again.json --baseline "$golden/host/in" "$golden/host/in" "$golden/kineto/in"
cmp all.json again.json || wrong 'the same input gave other bytes'
run 3 report --check "$golden/host/in"
mv out checked
python3 - <<'END' >out 2>&1 || wrong 'all.json is not as json_report.h says'
import json, re

with open("all.json", encoding="utf-8") as f:
    report = json.load(f)
assert report["tracebook_report"] == 1
ours, foreign = report["runs"]
assert ours["device"] == "host" and ours["created"] and foreign["folder"] is None
cases = [c for r in report["runs"] for c in r["cases"]]
counted = {"kept": 0, "broken": 0, "open": 0}
broken = []
for c in cases:
    assert c["readable"] == (c["status"] == "done") == ("numbers" in c)
    if not c["readable"]:
        continue
    n = c["numbers"]
    assert n["busy_ns"] + n["idle_ns"] == n["window_ns"]
    window = c["window"]
    assert sum(p["ns"] for p in window["parts"]) == window["ns"], window
    assert len({p["part"] for p in window["parts"]}) == len(window["parts"]) == 17, window
    assert c["headline"] != "none" and 0 < window["headline_share"] <= 1
    assert (c["headline"] == "mixed") == (window["headline_share"] < 0.5) and c["largest"] != "mixed", c["headline"]
    assert c["headline"] in ("mixed", c["largest"]), c["headline"]
    assert (window["steps_by"] == "nothing") == (window["step"] is None), window
    for key in ("cpu_ns", "device_ns", "window_ns", "busy_ns"):
        assert isinstance(n[key], int), key
    for v in c["verdicts"]:
        counted[v["state"]] += 1
        for e in v["evidence"]:
            assert e["name"] and e["row"] >= 0 and e["dur_us"] >= 0
        if v["state"] == "broken":
            broken.append((c["id"], v["expectation"], v["expected"], v["observed"]))
            assert v["first"]["name"]
    ids = [f["id"] for f in c["findings"]]
    assert len(ids) == len(set(ids)) and "OVERHEAD-BOUND" in ids
assert counted == report["predictions"], (counted, report["predictions"])
with open("checked", encoding="utf-8") as f:
    lines = re.findall(r"^BROKEN (\S+): (\S+): expected (.*), saw (.*)$", f.read(), re.M)
assert lines == broken and broken, (lines, broken)
kernels = next(v for c in cases if c["readable"] for v in c["verdicts"]
               if v["expectation"] == "kernels" and v["state"] == "broken")
assert kernels["step"] == 1 and kernels["min"] == 2 and kernels["value"] == 1
assert report["unseen"] == []
base = report["comparison"]
assert base["compared"] == 2 and base["slower"] == 0
assert {p["id"] for p in base["pairs"]} == {c["id"] for c in ours["cases"] if c["readable"]}
assert all(p["identical"] and p["ratio"] == 1 and p["saved_ns"] == 0 for p in base["pairs"])
END

# A trace that cannot be read is in the file and in the status; so is a name nobody has.
cp -r "$golden/host/in" half
rm half/matmul_add/64_bf16_cold_eager.json
cat >expect.json <<'END'
{"traces": [{"trace": "*compile.json", "expect": {"kernels": 1}}, {"trace": "x", "expect": {}}]}
END
run 1 report --expect expect.json --json half.json half
says err 64_bf16_cold_eager.json
python3 - <<'END' >out 2>&1 || wrong 'half.json is not as json_report.h says'
import json

with open("half.json", encoding="utf-8") as f:
    report = json.load(f)
cases = {c["id"]: c for c in report["runs"][0]["cases"]}
eager, compiled = cases["matmul_add/64_bf16_cold_eager"], cases["matmul_add/64_bf16_cold_compile"]
assert not eager["readable"] and eager["reason"] and "numbers" not in eager
assert [v["state"] for v in compiled["verdicts"]] == ["kept"]
assert report["unseen"] == ["x"] and "comparison" not in report
END

# To standard output, and where nothing can be written.
"$TRACEBOOK_BIN/report" --json /dev/stdout "$golden/kineto/in" | python3 -m json.tool >out ||
	wrong 'no JSON on stdout'
# A link stays one, and what it points at is written.
printf '{\n  "tracebook_report": "earlier"}' >target.json
ln -s target.json link.json
run 0 report --json link.json "$golden/kineto/in"
[ -L link.json ] || wrong 'the link was replaced by a file'
says target.json '"runs"'
mkdir folder
run 1 report --json folder "$golden/kineto/in"
says err folder

# The form is written down, by its version: no member more, none less, and of tables each column.
schema="$TRACEBOOK_TOP/docs/report.schema.json"
python3 "$TRACEBOOK_TOP/tests/cli/schema.py" "$schema" all.json >out || wrong 'docs/report.schema.json is another form'
sed 's/"origin_ns": /"origin_us": /' all.json >other.json
! python3 "$TRACEBOOK_TOP/tests/cli/schema.py" "$schema" other.json >out || wrong 'schema.py is blind'
says out 'origin_us is not told of'
sed 's/"tracebook_report": 1/"tracebook_report": 2/' all.json >other.json
! python3 "$TRACEBOOK_TOP/tests/cli/schema.py" "$schema" other.json >out || wrong 'schema.py does not see a version'
says out '2 is not 1'
run 0 report --csv tables "$golden/kineto/in"
python3 - "$schema" <<'END' || wrong 'docs/report.schema.json has other tables'
import csv, json, pathlib, sys
told = json.load(open(sys.argv[1]))["$defs"]["tables"]["properties"]
ours = {p.stem: next(csv.reader(open(p)))[1:] for p in pathlib.Path("tables").iterdir()}
assert ours == {name: t["properties"]["columns"]["const"] for name, t in told.items()}
END
