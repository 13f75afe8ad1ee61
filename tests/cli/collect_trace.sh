# SPDX-License-Identifier: Apache-2.0
# A measured case: the trace is whole, nests, joins, and says the same as the table; run.json lists it.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

cat >matrix.json <<'END'
{"schedule": {"wait": 1, "warmup": 2, "active": 3, "repeat": 2},
 "cases": [
  {"workload": "matmul_add", "size": 64, "question": "Really?", "expect": {"kernels": 2}},
  {"workload": "matmul_add", "size": 64, "mode": "graph", "warm": true},
  {"workload": "geglu_mlp", "batch": 2, "seq": 8, "dim": 32, "hidden": 64, "mode": "compile"}
]}
END
run 0 collect --device host --out traces matrix.json
is out traces/host
python3 - <<'END'
import glob, json, re

run = json.load(open("traces/host/run.json"))
assert run["tracebook"] == 1 and run["device"] == "host" and run["is_gpu"] is False
assert "Device" not in run["environment"]
assert run["environment"]["CPU"] and run["environment"]["oneDNN"]
assert run["cases"][0]["expect"] == {"kernels": 2} and run["cases"][0]["question"] == "Really?"

def inside(a, b):
    return b["ts"] <= a["ts"] and a["ts"] + a["dur"] <= b["ts"] + b["dur"] + 1e-6

ids = set()
for case in run["cases"]:
    assert case["status"] == "done" and 0 <= case["check"]["error"] <= case["check"]["limit"]
    trace = json.load(open("traces/host/" + case["trace"]))
    assert trace["tracebook_case"] == case["id"] and trace["dropped_spans"] == 0
    # what TensorBoard's plugin asks of a name, HTA of a rank, and Kineto of an identity
    assert re.match(r"^(.*?)(\.\d+)?\.pt\.trace\.json(?:\.gz)?$", case["trace"].split("/")[-1])
    assert trace["traceName"] == case["trace"].split("/")[-1]
    assert trace["distributedInfo"] == {"rank": 0, "world_size": 1}
    assert re.fullmatch("[0-9A-F]{32}", trace["trace_id"]) and trace["trace_id"] not in ids
    ids.add(trace["trace_id"])
    events = trace["traceEvents"]
    rows = [e for e in events if e["ph"] == "X" and e["pid"] != "Spans"]
    assert all(e["dur"] >= 0 and e["cat"] for e in rows)

    # two windows of three steps each: wait 1, warmup 2
    steps = [e["name"] for e in rows if e["cat"] == "user_annotation" and "Profiler" in e["name"]]
    assert steps == [f"ProfilerStep#{n}" for n in (3, 4, 5, 9, 10, 11)], steps
    windows = [e for e in events if e.get("cat") == "Trace"]
    assert len(windows) == 2
    assert all(any(inside(e, w) for w in windows) for e in rows), "a row outside the windows"

    # rows of one thread nest
    cpu = [e for e in rows if e["pid"] != 0]
    open_rows = []
    for e in sorted(cpu, key=lambda e: (e["ts"], -e["dur"])):
        while open_rows and open_rows[-1]["ts"] + open_rows[-1]["dur"] <= e["ts"]:
            open_rows.pop()
        assert not open_rows or inside(e, open_rows[-1]), (e, open_rows[-1])
        open_rows.append(e)

    # every device row has its launch, every flow its pair, and work comes after its launch
    calls = {e["args"]["correlation"]: e for e in cpu if e["name"].startswith("host")}
    device = [e for e in rows if e["cat"] in ("kernel", "gpu_memcpy")]
    assert device
    for e in device:
        assert calls[e["args"]["correlation"]]["ts"] <= e["ts"]
    starts = {e["id"] for e in events if e["ph"] == "s"}
    assert starts == {e["id"] for e in events if e["ph"] == "f"}
    assert starts == {e["args"]["correlation"] for e in device}

    # the queue works in order, one after the other
    device.sort(key=lambda e: e["ts"])
    for a, b in zip(device, device[1:]):
        assert a["ts"] + a["dur"] <= b["ts"] + 1e-6

    # the table counts the same
    table = open("traces/host/" + case["table"]).read()
    name = device[0]["name"]
    n = sum(e["name"] == name for e in device)
    line = next(l for l in table.splitlines() if l.strip().startswith(name[:50]))
    assert line.split()[-1] == str(n), line

assert run["cases"][1]["schedule"] == {"wait": 1, "warmup": 2, "active": 3, "repeat": 2}
assert not glob.glob("traces/host/**/*.part", recursive=True)
END
