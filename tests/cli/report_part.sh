# SPDX-License-Identifier: Apache-2.0
# A part of a trace: what belongs to it is what its rule says, counted in plain Python; page one says that it is a part, and
# of what; and the file that --cut writes is JSON for anybody, of which the same report is made.
. "$TRACEBOOK_TOP/tests/cli/functions"
cat >made.py <<'END'
import json, sys


def events(pid, rank):
    """Four steps of 1000 us; the work of each runs over into the next, and arrows lead from call to kernel."""
    named = [{"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "ts": 0, "args": {"labels": f"rank {rank}"}},
             {"ph": "M", "name": "process_name", "pid": pid + 1, "tid": 0, "ts": 0, "args": {"name": f"rank {rank}"}}]
    for step in range(4):
        at = 5000 + 1000 * step
        yield {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step + 3}", "pid": pid, "tid": 7, "ts": at, "dur": 1000}
        yield {"ph": "X", "cat": "user_annotation", "name": "half/way", "pid": pid, "tid": 7, "ts": at + 10, "dur": 480}
        yield {"ph": "C", "name": "power", "pid": pid, "tid": 7, "ts": at + 20, "args": {"watts": 100 + step}}
        yield {"ph": "B", "name": "open", "pid": pid, "tid": 8, "ts": at + 900}
        yield {"ph": "E", "name": "open", "pid": pid, "tid": 8, "ts": at + 1200}
        for i in range(8):
            n, t = 10 * step + i + 100 * pid, at + 15 + 110 * i
            yield {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": pid, "tid": 7, "ts": t, "dur": 30,
                   "args": {"External id": n, "Input Dims": [[64, 64], [64, 64]]}}
            yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": pid, "tid": 7, "ts": t + 5, "dur": 9,
                   "args": {"correlation": n, "External id": n}}
            k = at + 300 + 120 * i
            yield {"ph": "s", "id": n, "pid": pid, "tid": 7, "ts": t + 5, "cat": "ac2g", "name": "ac2g"}
            yield {"ph": "f", "id": n, "pid": pid + 1, "tid": 7, "ts": k, "cat": "ac2g", "name": "ac2g", "bp": "e"}
            yield {"ph": "X", "cat": "kernel", "name": f"gemm_{i % 3}", "pid": pid + 1, "tid": 7, "ts": k, "dur": 100 + i,
                   "args": {"correlation": n, "stream": 7, "device": rank, "grid": [4, 1, 1], "block": [128, 1, 1]}}
    yield from named


def write(path, ranks, **members):
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, **members, "traceEvents": [e for r in ranks for e in events(10 * r + 10, r)], "traceName": "a \"name\""}, f)


if __name__ == "__main__":
    write("made.json", [0])
    write("two.json", [0, 1])
    for rank in (0, 1):
        write(f"ranks/r{rank}.json", [rank], distributedInfo={"rank": rank, "world_size": 2})
END
mkdir ranks
python3 made.py
cat >try.py <<'END'
import gzip, json, pathlib, subprocess, sys
import made

report = sys.argv[1]


def run(*words):
    return subprocess.run([report, "-q", *map(str, words)], capture_output=True, text=True, check=False)


def strict(path):
    data = pathlib.Path(path).read_bytes()
    data = gzip.decompress(data) if path.endswith(".gz") else data
    return json.loads(data.decode("utf-8"), parse_constant=lambda word: sys.exit(f"{path}: {word} is no JSON"))


def case_of(*words):
    done = run("--json", "j.json", *words)
    assert done.returncode == 0, (words, done.stderr)
    case = json.loads(pathlib.Path("j.json").read_text(encoding="utf-8"))["runs"][0]["cases"][0]
    return {k: v for k, v in case.items() if k not in ("id", "title")}


def page_one(*words):
    done = run("-o", "p.pdf", "--brief", "b.md", *words)
    assert done.returncode == 0, (words, done.stderr)
    text = subprocess.run(["pdftotext", "-l", "1", "-layout", "p.pdf", "-"], capture_output=True, text=True, check=True).stdout
    return [line for line in text.splitlines() if line.strip()], pathlib.Path("b.md").read_text(encoding="utf-8")


def belongs(every, low, high):
    """The rule of report/read/narrow.h, told again: (rows, names of kernels, of these launched earlier)."""
    calls = {e["args"]["correlation"]: e["ts"] for e in every if e.get("cat") == "cuda_runtime"}
    rows, kernels, earlier = 0, [], 0
    for e in every:
        if e["ph"] not in "XBC":
            continue
        inside = low <= e["ts"] < high
        if e.get("cat") == "kernel":
            launched = low <= calls[e["args"]["correlation"]] < high
            before = calls[e["args"]["correlation"]] < low and e["ts"] < high and e["ts"] + e["dur"] > low
            earlier += before
            inside = launched or before
            if inside:
                kernels.append(e["name"])
        rows += inside
    return rows, kernels, earlier


def launched_in(case):
    table = case["tables"].get("kernels", {"columns": ["calls"], "rows": []})
    return sum(row[table["columns"].index("calls")] for row in table["rows"])


one = list(made.events(10, 0))
first = 5000
parts = {
    ("--step", "4"): (6000, 7000, "step 4, 1.00 ms to 2.00 ms"),
    ("--step", "4-5"): (6000, 8000, "steps 4 to 5, 1.00 ms to 3.00 ms"),
    ("--from", "1.5ms", "--to", "2400us"): (6500, 7400, "1.50 ms to 2.40 ms"),
    ("--to", "1ms"): (5000, 6000, "0.00 µs to 1.00 ms"),
    ("--from", "2ms"): (7000, 1e9, "2.00 ms to 4.25 ms"),
    ("--range", "half/way"): (5010, 5490, "the range half/way/0, one of 4, 10.0 µs to 490 µs"),
    ("--range", "half/way/2"): (7010, 7490, "the range half/way/2, one of 4, 2.01 ms to 2.49 ms"),
    ("--range", "ProfilerStep#5"): (7000, 8000, "the range ProfilerStep#5, 2.00 ms to 3.00 ms"),
}
for words, (low, high, said) in parts.items():
    rows, kernels, earlier = belongs(one, low, high)
    cut = "cut.json.gz" if words[0] == "--range" else "cut.json"
    case = case_of("--cut", cut, *words, "made.json")
    part = case["part"]
    assert part["rows"] == sum(e["ph"] in "XBC" for e in one) and part["of_whole"], (words, part)
    assert (part["earlier"], len(kernels)) == (earlier, launched_in(case)), (words, part, kernels)
    lines, brief = page_one(*words, "made.json")
    line = f"A part of made.json: {said}, of 4.25 ms; {rows} of {part['rows']} events."
    assert line == lines[2].strip(), (words, lines[2], line)
    assert line in brief.replace("*", "").replace("`", ""), (words, brief)
    assert any("launched before it begins" in l for l in lines[:6]) == (earlier > 0), (words, lines[:6])
    # The file of it: the same report; each event as it stands in the whole; arrows with both their ends.
    file = strict(cut)
    assert case_of(cut) == case, words
    left = [e for e in file["traceEvents"] if e["ph"] in "XBC"]
    assert len(left) == rows and file["traceName"] == "a \"name\"" and file["schemaVersion"] == 1, (words, len(left), rows)
    assert all(e in one for e in file["traceEvents"]), words
    assert sum(e["ph"] == "M" for e in file["traceEvents"]) == 2, words
    assert sum(e["ph"] == "B" for e in left) == sum(e["ph"] == "E" for e in file["traceEvents"]), words
    ids = [{e["id"] for e in file["traceEvents"] if e["ph"] == ph} for ph in "sf"]
    assert ids[0] == ids[1] and len(ids[0]) == len(kernels) - earlier, (words, ids)
    # A part of a part is told from the begin of the whole.
    again = case_of("--from", "10us", cut)
    assert again["part"]["whole_ns"] == part["whole_ns"] and again["part"]["rows"] == part["rows"], words

# A rank of a file with two of them, and of a folder that has one in each file.
both = case_of("--rank", "1", "--cut", "cut.json", "two.json")
assert both["part"]["rank"] == 1 and both == case_of("cut.json")
assert both["numbers"] == case_of("ranks/r1.json")["numbers"]
assert "A part of two.json: rank 1, of 4.25 ms; 112 of 224 events." in page_one("--rank", "1", "two.json")[0][2]
assert "rank 1, step 4, 1.00 ms to 2.00 ms" in page_one("--rank", "1", "--step", "4", "two.json")[0][2]
assert case_of("--rank", "1", "ranks") == case_of("ranks/r1.json")
# A file that is of that rank alone is all of it, and so is its part.
alone = case_of("--rank", "1", "--cut", "cut.json", "ranks/r1.json")
assert alone["part"]["rank"] == 1 and alone == case_of("cut.json") and alone["numbers"] == case_of("ranks/r1.json")["numbers"]

# Every output is of the part, and a baseline's part is compared.
for words in (["--table"], ["--dump", "trace"], ["--dump", "analysis"], ["--stacks", "-"], ["--markdown", "-"], ["--learn", "-"], ["--html", "-"]):
    whole, part, cut = (run(*words, *w).stdout for w in (["made.json"], ["--step", "4", "made.json"], ["--rank", "1", "two.json"]))
    assert whole and part and whole != part, words
run("--csv", "whole", "made.json"), run("--csv", "part", "--step", "4", "made.json")
assert pathlib.Path("whole/kernels.csv").read_text() != pathlib.Path("part/kernels.csv").read_text()
done = run("--json", "j.json", "--step", "4", "--baseline", "made.json", "made.json")
assert json.loads(pathlib.Path("j.json").read_text(encoding="utf-8"))["comparison"], done.stderr

# What is no JSON in a trace that is read all the same is JSON in its part; so is every damaged file of ours.
event = '{"ph":"X","name":"a%d","pid":1,"tid":1,"ts":%d,"dur":5,"args":{"x":%s}}'
for odd, x in {"NaN": "NaN", "01.5": "01.5", "C:\\Users": "\"C:\\Users\"", "a\tb": "\"a\tb\"", "�": "\"\xff\"", "say \"hi\" now": "\"say \"hi\" now\""}.items():
    text = "{\"traceEvents\":[" + ",\n".join(event % (i, 10 * i, x) for i in range(6)) + "],\"tail\":[1,,2,],\"c:\\Users\":\"\x01\"}"
    pathlib.Path("odd.json").write_bytes(text.encode("latin-1"))
    assert not run("--cut", "cut.json", "--from", "10us", "odd.json").stderr
    file = strict("cut.json")
    assert [e["args"]["x"] for e in file["traceEvents"]] == 5 * [odd] and file["tail"] == [1, 2], (odd, file)
tried = 0
for path in sorted(pathlib.Path(sys.argv[2]).glob("*.json*")):
    done = run("--cut", "cut.json", "--from", "0s", path)
    if done.returncode == 0:
        strict("cut.json")
        assert case_of("cut.json")["numbers"] == case_of("--from", "0s", path)["numbers"], path
        tried += 1
assert tried >= 12, tried

# A part of a file that was cut off is not whole either, in the file of it, too.
data = pathlib.Path("made.json").read_bytes()
pathlib.Path("torn.json").write_bytes(data[:len(data) * 2 // 3])
assert not run("--cut", "cut.json", "--step", "4", "torn.json").returncode
case, said = case_of("cut.json"), run("--json", "j.json", "cut.json").stderr
assert not case["part"]["of_whole"] and case["headline"] == "none" and not case["actions"], case["part"]
lines, brief = page_one("cut.json")
assert any("torn.json is not whole" in l for l in lines[2:5]) and "is not whole" in brief, lines[:6]
END
python3 try.py "$TRACEBOOK_BIN/report" "$TRACEBOOK_TOP/tests/data/read" || wrong 'a part is not as it says'
run 0 report --json j.json cut.json
says err 'cut.json is a part of a trace that is not whole'

# What makes no sense is said in a line, and nothing is written.
for file in ./*; do [ -d "$file" ] || rm -f "${file}.x"; done
no() { # STATUS SAID WORD...
	status=$1 said=$2
	shift 2
	run "$status" report --json no.json "$@"
	says err "$said"
	lines err 1
	absent no.json
}
no 2 '--step takes a step' --step three made.json
no 2 '--step takes a step' --step 5-3 made.json
no 2 'a part is a time (--from, --to), some steps (--step) or a range' --step 3 --from 1ms made.json
no 2 '--from takes a time with its unit' --from 12 made.json
no 2 '--to 1ms is not behind --from 2ms' --from 2ms --to 1ms made.json
no 2 '--rank takes a rank' --rank one made.json
no 2 '--cut writes a part of a trace, and none is named' --cut c.json made.json
no 1 'made.json has no step 9: its steps are 3 to 6' --step 9 made.json
no 1 'made.json: nothing begins in that part; all of it takes 4.25 ms' --from 1s made.json
no 1 'made.json has no range "half/wax": is it "half/way"?' --range half/wax made.json
no 1 'made.json has 4 ranges "half/way": the last is half/way/3' --range half/way/9 made.json
no 1 'two.json has no rank 7: its ranks are 0 to 1' --rank 7 two.json
no 1 'no trace is of rank 7: those that were read are of ranks 0 to 1' --rank 7 ranks
no 2 'several are read: name one of them, or --rank R' --cut c.json --step 4 ranks
no 2 'ends with neither' --cut c.txt --step 4 made.json
no 1 'is a run of a matrix' --step 4 "$TRACEBOOK_TOP/tests/golden/host/in"
absent c.json c.txt
run 2 report --cut made.json --step 4 made.json
says err 'would overwrite made.json, which is read'
gzip -k made.json
run 0 report --cut c.json.gz --step 4 made.json.gz
run 0 report --cut c.json.gz --step 5 made.json.gz
run 2 report --cut made.json.gz --step 5 made.json
says err 'made.json.gz, which holds something else'
