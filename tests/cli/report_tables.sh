# SPDX-License-Identifier: Apache-2.0
# The tables of a trace: equal to PyTorch's own averages and to plain Python, the same as CSV and as JSON.
. "$TRACEBOOK_TOP/tests/cli/functions"
trust="$TRACEBOOK_TOP/tests/data/trust"
own="$trust/averages"
shared="$TRACEBOOK_SHARED/traces/h200"

# PyTorch 2.11 on an H200: with shapes, memory and FLOPs, and the same by shape.
set --
for name in cpu_net gpu_net gpu_attention; do
	set -- "$@" "$own/$name.pt.trace.json.gz" "$own/$name.averages.json.gz"
done
for averages in "$shared"/programs/*.averages.json; do
	[ ! -f "$averages" ] || set -- "$@" "${averages%.averages.json}.pt.trace.json.gz" "$averages"
done
python3 "$trust/averages_truth.py" "$TRACEBOOK_BIN/report" "$@" >out || wrong "$(cat out)"
says out 'cpu_net.pt.trace.json.gz: 205 rows, 2259 numbers, 0 wrong'
[ "$(grep -c ' 0 wrong$' out)" = $(($# / 2)) ] || wrong "$(cat out)"

# Plain Python over the raw events; it sees a nanosecond too many.
printf '%s\n' "$own"/*.pt.trace.json.gz >traces
[ ! -d "$shared/programs" ] || printf '%s\n' "$shared"/programs/*.pt.trace.json.gz "$shared"/pairs/*.pt.trace.json.gz | every 4 >>traces
tr '\n' '\0' <traces | xargs -0 python3 "$trust/tables_truth.py" "$TRACEBOOK_BIN/report" >out || wrong "$(cat out)"
says out ', 0 wrong'
cat >longer <<'END'
#!/bin/sh
"$TRACEBOOK_BIN/report" "$@" && sed -i 's/,\([0-9][0-9]*\)$/,9\1/' "$2/memory.csv" "$2/ranges.csv" &&
	awk -F, -v OFS=, 'NR > 1 { $4++ } 1' "$2/ranges.csv" >"$2/x" && mv "$2/x" "$2/ranges.csv"
END
chmod +x longer
! python3 "$trust/tables_truth.py" ./longer "$own/gpu_net.pt.trace.json.gz" >out || wrong "tables_truth.py is blind"
says out 'cpu_ns is'

# A file for each table, always; as CSV and as JSON the same. Two traces stand in one file.
run 0 report --csv tables --json tables.json "$own/gpu_net.pt.trace.json.gz" "$own/cpu_net.pt.trace.json.gz"
python3 - tables tables.json <<'END' >out || wrong "$(cat out)"
import csv, json, os, sys
folder, cases = sys.argv[1], json.load(open(sys.argv[2]))["runs"][0]["cases"]
names = "operators shapes kernels gemm convolution attention pointwise kinds uses purposes modules functions ranges steps collectives copies streams ranks first_step memory memory_peaks memory_holders memory_blocks memory_segments idle held gaps waited launches device busy totals health repairs occupancy clocks counters"
assert sorted(os.listdir(folder)) == sorted(n + ".csv" for n in names.split()), os.listdir(folder)
n = 0
for name in names.split():
    with open(f"{folder}/{name}.csv", newline="") as f:
        head, *rows = csv.reader(f)
    for case in cases:
        ours = [r[1:] for r in rows if r[0] == case["id"]]
        table = case["tables"].get(name)
        assert bool(ours) == bool(table), (case["id"], name)
        if not table:
            continue
        assert head[1:] == table["columns"] and len(ours) == len(table["rows"]), name
        for one, other in zip(ours, table["rows"]):
            for a, b in zip(one, other):
                n += 1
                assert (a == "") == (b is None or b == "") and (b is None or a in (b, "'" + str(b)) or float(a) == b), (name, a, b)
print(n, "values")
END
grep -Eq '^[0-9]{4,} values' out || wrong "only $(cat out)"

# Lists of facts, held against the events themselves and against each other.
run 0 report --json facts.json --csv facts "$own/gpu_net.pt.trace.json.gz"
python3 - "$own/gpu_net.pt.trace.json.gz" facts.json <<'END' >out || wrong "$(cat out)"
import gzip, json, sys
events = json.load(gzip.open(sys.argv[1]))["traceEvents"]
case = json.load(open(sys.argv[2]))["runs"][0]["cases"][0]
tables = {name: [dict(zip(t["columns"], row)) for row in t["rows"]] for name, t in case["tables"].items()}
ns = lambda e: round(e["dur"] * 1000)
kernels = [e for e in events if e.get("cat") == "kernel"]
launched = {e["args"]["correlation"] for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")}
linked = [e for e in kernels if e["args"]["correlation"] in launched]
launches = {row["what"]: row for row in tables["launches"]}
assert launches["kernel"]["events"] == len(linked) and launches["kernel"]["most_ns"] == max(map(ns, linked)), launches
assert launches["kernel"]["mean_ns"] == round(sum(map(ns, linked)) / len(linked)), launches
totals = {row["line"]: row for row in tables["totals"]}
assert totals["kernel_sum"]["time_ns"] == sum(map(ns, kernels)), totals
parts = tables["device"]
assert abs(sum(row["share"] for row in parts) - 1) < 1e-5, parts
window = case["numbers"]["window_ns"]
assert sum(row["time_ns"] for row in parts) == window, (parts, window)
gaps = [row["idle_ns"] for row in tables["gaps"]]
causes = {row["cause"]: row for row in tables["idle"]}
assert gaps == sorted(gaps, reverse=True) and gaps[0] == max(row["longest_ns"] for row in causes.values())
assert sum(row["idle_ns"] for row in tables.get("held", [])) == causes.get("held", {"idle_ns": 0})["idle_ns"]
waiting = sum(causes[c]["idle_ns"] for c in ("host", "sync") if c in causes)
assert 0 < sum(row["idle_ns"] for row in tables["waited"]) <= waiting
busy = {row["rule"]: row for row in tables["busy"]}
assert busy["device"]["busy_ns"] <= busy["file"]["window_ns"] and 0 < busy["device"]["share"] <= 1, busy
named = {e["name"]: e["args"] for e in kernels}
fits = tables["occupancy"]
assert fits and all(f["kernel"] in named and 0 < f["occupancy"] <= 1 for f in fits), fits
assert all(abs(f["waves"] - named[f["kernel"]]["blocks per SM"] / f["resident"]) < 0.01 for f in fits
           if sum(k["name"] == f["kernel"] for k in kernels) == 1), fits
print(len(fits), "kernels fit")
END
says out 'kernels fit'
# What the first step was spent on is its length, to the nanosecond, and of a recording of one step is not told.
run 0 report --json steps.json "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json"
python3 - "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" steps.json facts.json <<'END' || wrong "the first step is another"
import json, sys
events, case, one = json.load(open(sys.argv[1]))["traceEvents"], *(json.load(open(f))["runs"][0]["cases"][0] for f in sys.argv[2:])
steps = sorted((e["ts"], e["dur"]) for e in events if e.get("name", "").startswith("ProfilerStep#") and e.get("cat") == "user_annotation")
rows = case["tables"]["first_step"]["rows"]
assert sum(ns for _, _, ns, _, _ in rows) == round(steps[0][1] * 1000) and abs(sum(share for *_, share, _ in rows) - 1) < 1e-5, rows
assert "first_step" not in one["tables"]
END

# One line of its times for each trace that says its rank.
for rank in 0 1; do
	python3 - "$own/gpu_net.pt.trace.json.gz" "$rank" <<'END'
import gzip, json, sys
data = json.load(gzip.open(sys.argv[1]))
data["distributedInfo"] = {"rank": int(sys.argv[2]), "world_size": 2}
json.dump(data, open(f"rank{sys.argv[2]}.json", "w"))
END
done
run 0 report --csv ranks --json ranks.of.json rank0.json rank1.json
python3 - ranks/ranks.csv ranks.of.json facts.json <<'END' || wrong "the ranks differ"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
cases = json.load(open(sys.argv[2]))["runs"][0]["cases"]
alone = json.load(open(sys.argv[3]))["runs"][0]["cases"][0]
assert [row["rank"] for row in rows] == ["0", "1"], rows
device = {part: ns for part, ns, share in alone["tables"]["device"]["rows"]}
for row in rows:
    assert int(row["compute_ns"]) == device["compute"] and int(row["idle_ns"]) == device["idle"], row
    assert int(row["window_ns"]) == alone["numbers"]["window_ns"], row
assert "ranks" not in alone["tables"] and len(cases) == 2
END
run 0 report --csv mended "$TRACEBOOK_TOP"/tests/golden/cut/in
says mended/repairs.csv 'repair,times,offset,context'
says mended/health.csv ',cut,1,'
[ "$(wc -l <mended/repairs.csv)" -gt 1 ] || wrong 'nothing was mended'

# A name that a spreadsheet would run is none there; commas and quotes stay in their field.
cat >formula.json <<'END'
{"traceEvents": [{"ph": "X", "cat": "user_annotation", "name": "=cmd|' /C calc'!A0, \"x\"", "pid": 1, "tid": 1, "ts": 1,
  "dur": 2}]}
END
run 0 report --csv formula formula.json
says formula/ranges.csv "formula.json,\"'=cmd|' /C calc'!A#, \"\"x\"\"\",1,2000,2000,0,0,0,0,0,"
# What a screen obeys, or a spreadsheet runs behind what it passes over, in any file: none of it in CSV, and all of it in
# JSON, escaped.
python3 - "$TRACEBOOK_BIN/report" <<'END'
import csv, json, pathlib, subprocess, sys
names = ["\n=1+1", "\ufeff=1", "\uff1d1+1", "\u200b\u3000+1", "\u00a0@x", "\x1b[31mred", "k\u009b31mred\u202ex", "a\u2066b\u2069c",
         "two\nlines", "\r-1", "\t=2", "\x7fd", "\u2028 line", "\u061cm"]
host = [{"ph": "X", "cat": "user_annotation", "name": n, "pid": 1, "tid": 1, "ts": 10 * i, "dur": 9} for i, n in enumerate(names)]
work = [{"ph": "X", "cat": "kernel", "name": n, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 9, "args": {"stream": 7}} for i, n in enumerate(names)]
pathlib.Path("odd.json").write_text(json.dumps({"traceEvents": host + work}))
subprocess.run([sys.argv[1], "--csv", "odd", "--json", "odd.of.json", "--learn", "odd.learnt", "odd.json"], check=True)
obeyed = {chr(c) for c in [*range(32), *range(127, 160), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a)]} - {"\n"}
for path in [*pathlib.Path("odd").iterdir(), pathlib.Path("odd.of.json"), pathlib.Path("odd.learnt")]:
    found = obeyed & set(path.read_text(encoding="utf-8"))
    assert not found, (path, found)
for path in ("odd/ranges.csv", "odd/kernels.csv"):
    with open(path, encoding="utf-8", newline="") as f:
        head, *rows = csv.reader(f)
    assert len(rows) == len(names), (path, len(rows))
    for row in rows:
        first = row[1].lstrip(" \u00a0\u200b\u3000\ufeff")
        assert first[0] not in "=+-@\uff1d\uff0b\uff0d\uff20", (path, row)
seen = json.dumps(json.load(open("odd.of.json", encoding="utf-8")))
assert all(json.dumps(n)[1:-1] in seen for n in names if "1" not in n), "a name is another in JSON"
END
run 1 report --csv formula.json/x formula.json
says err 'formula.json'

# The atlas of a trace shows the largest rows, the columns of which something is known.
run 0 report --template atlas --markdown - "$own/gpu_net.pt.trace.json.gz"
says out '**Matmuls** by operator' '| `backward` | 2 |' '**Device time by kind.**' 'Own device memory' '`--csv` writes them all.'
! grep -q 'Bus bandwidth' out || wrong "there are no collectives"

# What is missing is said, with what cannot be told for it; the rest is told.
python3 - "$own/gpu_net.pt.trace.json.gz" <<'END'
import gzip, json, sys
data = json.load(gzip.open(sys.argv[1]))
events, device = data["traceEvents"], ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation")


def write(name, events):
    json.dump(dict(data, traceEvents=events), open(name + ".json", "w"))


def without_shapes(event):
    args = {k: v for k, v in event.get("args", {}).items() if not k.startswith("Input")}
    return dict(event, args=args) if event.get("cat") == "cpu_op" else event


kernels = [e for e in events if e.get("cat") == "kernel"]
write("no_device", [e for e in events if e.get("cat") not in device])
write("no_host", [e for e in events if e.get("cat") in device or e.get("ph") == "M"])
write("no_shapes", [without_shapes(e) for e in events])
write("lost", [e for e in events if e not in kernels[::2]])
END
while IFS='|' read -r name lack rest; do
	run 0 report --markdown - "$name.json"
	says out "$lack" "$rest"
done <<'END'
no_device|The file has no work of a device|**The cost is in the children**
no_host|The file has no launches, so it cannot tell|Limited by something that the file does not show
no_shapes|The shapes of inputs were not recorded|**Launch everything at once
lost|The work of 50 of 102 launches is not in the file|**Launch everything at once
END
run 0 report --markdown - "$own/gpu_net.pt.trace.json.gz"
! grep -q 'were not recorded\|have no work\|No work of a device' out || wrong "nothing is missing here"

# The profiler table on the page has FLOPs and memory where the trace holds them.
for name in "$own/gpu_net.pt.trace.json.gz" no_shapes.json; do
	run 0 report -o page.pdf "$name"
	pdftotext -layout page.pdf table
	for line in 'Total  *# of  *device' 'calls  *mem' 'convolution_backward .* 262 kB'; do # its heads are broken
		grep -q "$line" table || wrong "the page of $name has no $line"
	done
	case $name in
	no_shapes*) ! grep -q 'FLOPs' table || wrong "there are no shapes to count FLOPs by" ;;
	*) grep -q 'aten::conv2d .* 6.19 MFLOP$' table || wrong "the page has no FLOPs" ;;
	esac
done

# The picture of memory: its peak, when it came and in which operator, by plain Python over the raw events.
for name in gpu_net cpu_net; do
	run 0 report -o page.pdf --svg svg "$own/$name.pt.trace.json.gz"
	pdftotext page.pdf - | tr '\n' ' ' >table
	python3 - "$own/$name.pt.trace.json.gz" >wanted <<'END_OF_PYTHON'
import gzip, json, sys
events = json.load(gzip.open(sys.argv[1]))["traceEvents"]
changes = [e for e in events if e.get("name") == "[memory]"]
device = max(e["args"]["Device Id"] for e in changes)
changes = [e for e in changes if e["args"]["Device Id"] == device]
peak = max(changes, key=lambda e: (e["args"]["Total Allocated"], -e["ts"]))
around = [e for e in events if e.get("cat") == "cpu_op" and e["tid"] == peak["tid"] and
          e["ts"] <= peak["ts"] <= e["ts"] + e["dur"]]
print(f"{'GPU 0' if device == 0 else 'CPU'} peaks at {peak['args']['Total Allocated'] / 1e6:.3g} MB")
print(f"into the window, in {max(around, key=lambda e: e['ts'])['name']}")
if device == 0:
    print(f"the allocator held {peak['args']['Total Reserved'] / 1e6:.3g} MB then.")
END_OF_PYTHON
	while read -r line; do says table "$line"; done <wanted
	[ "$(find svg -name '*-memory.svg' | wc -l)" = 1 ] || wrong "$name: no picture of its memory"
	rm -r svg
done
run 0 report --template atlas --dump document "$own/gpu_net.pt.trace.json.gz"
says out '-memory 515.3 x'
run 0 report --dump document "$TRACEBOOK_TOP/tests/golden/kineto/in"
! grep -q -e '-memory' out || wrong "no trace there tells of memory"
