# SPDX-License-Identifier: Apache-2.0
# What torch.compile logged beside a trace: each compilation with its reason and what it cost there, each graph break.
. "$TRACEBOOK_TOP/tests/cli/functions"

cat >made.py <<'END'
import json, sys
spans, now = [], [1000.0]
def span(cat, name, dur, tid=1):
    spans.append({"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, "ts": now[0], "dur": dur})
    now[0] += dur + 1
def compiled(id, ms, tid=1):
    span("user_annotation", f"entire_frame_compile_data: fn_name=_compile.compile_inner, compile_id={id}", 5, tid)
    span("cpu_op", "_compile.compile_inner (dynamo_timed)", ms * 1000, tid)
    span("cpu_op", f"Torch-Compiled Region: {id}", 50, tid)
compiled("0/0", 400)
compiled("1/0", 30)
compiled("0/1", 200)
span("cpu_op", "_compile.compile_inner (dynamo_timed)", 7000)  # nothing says which
json.dump({"schemaVersion": 1, "traceEvents": spans, **({"distributedInfo": {"rank": 3}} if "rank" in sys.argv else {})}, open("made.json", "w"))
spans = [s for s in spans if s["cat"] == "cpu_op"]
json.dump({"schemaVersion": 1, "traceEvents": spans}, open("old.json", "w"))

def line(object, *payload, frame=0, nth=0):
    record = {**object, "frame_id": frame, "frame_compile_id": nth, "attempt": 0}
    return f"V1124 16:36:08.494000 483 torch/_dynamo/utils.py:12] {json.dumps(record)}\n" + "".join(f"\t{p}\n" for p in payload)
def metrics(name, at, s, frame, nth, **more):
    return line({"compilation_metrics": {"co_name": name, "co_filename": "/srv/a|b/net.py", "co_firstlineno": at, "entire_frame_compile_time_s": s, **more}}, frame=frame, nth=nth)
broke = lambda where, *why: line({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, "has_payload": "1"}, f"Graph break in user code at {where}", *why, frame=1)
log = [line({"str": ["x.py", 0]}), "W1124 16:36:08.489000 483 torch/other.py:1] [0/0] not a record\n",
       metrics("forward", 3, .401, 0, 0),
       broke("net.py:9", "Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):", "",
             "Unsupported Tensor.item() call", "  Explanation: Dynamo does not", "  Hint: Set `a_*b*_c`."),
       metrics("noisy", 8, .0301, 1, 0),
       line({"artifact": {"name": "recompile_reasons", "encoding": "json"}, "has_payload": "2"}, "0/0: tensor 'x' size mismatch at index 0. expected 64, actual 96  # y = f(x)", "User stack trace:", nth=1),
       metrics("forward", 3, .202, 0, 1),
       broke("net.py:9", "Graph Break Reason: of this kind:", "", "Unsupported Tensor.item() call"),
       broke("net.py:30", "Reason: Unsupported: builtin print", "User code traceback:"),
       metrics("forward", 3, 5, 0, 2, recompile_reason="0/1: L['n'] == 2\n0/0: L['n'] == 1", fail_reason="backend='b' raised:\nRuntimeError: broken"),
       metrics("forward", 3, .5, 0, 0, is_forward=False)]
open("one.log", "w").write("".join(log))
open("cut.log", "w").write("".join(log)[:-60])
END
python3 made.py
run 0 report --compile-log one.log --json j.json -o r.pdf made.json
silent out err
python3 "$TRACEBOOK_TOP/tests/cli/schema.py" "$TRACEBOOK_TOP/docs/report.schema.json" j.json >out || wrong "$(cat out)"
python3 - <<'END'
import json
told = lambda path: json.load(open(path))["runs"][0]["cases"][0]["compiler"]
c = told("j.json")
rows = [(x["id"], x["function"], x["line"], x["because"], x["failed"], x["backward"], x["log_ns"], x["trace_ns"]) for x in c["compilations"]]
assert rows == [
    ("0/0", "forward", 3, None, None, False, 401000000, 400000000),
    ("1/0", "noisy", 8, None, None, False, 30100000, 30000000),
    ("0/1", "forward", 3, "tensor 'x' size mismatch at index 0. expected 64, actual 96", None, False, 202000000, 200000000),
    ("0/2", "forward", 3, "L['n'] == 2", "RuntimeError: broken", False, 5000000000, None),
    ("0/0", "forward", 3, None, None, True, 500000000, None)], rows
breaks = [(b["where"], b["why"], b["hint"], b["times"]) for b in c["graph_breaks"]]
assert breaks == [("net.py:9", "Unsupported Tensor.item() call", "Set `a_*b*_c`.", 2),
                  ("net.py:30", "Unsupported: builtin print", None, 1)], breaks
END
run 0 report --compile-log one.log --dump document made.json
says out 'made code 5 times, 2 of them again' 'says 6.13 s in all; 3 of them stand in this trace, with 630 ms, 98.9 % of its length' \
	"row 0/1 | forward net.py:3 | again: tensor 'x' size mismatch" '| 202 ms | 200 ms' 'failed: RuntimeError: broken' '| 5.00 s | –' 'its gradient was asked for' \
	'2 places break a graph' "row net.py:9 | Unsupported Tensor.item"
if grep -q 'may be of another run' out; then wrong 'its own log is called that of another run'; fi

# A trace without marks has the log's times alone; a log of another run is told; a rank has its own, by the name.
run 0 report --compile-log one.log --dump document old.json
says out 'only the log’s times stand here' '| 401 ms | –'
sed 's/compile_time_s": 0.401/compile_time_s": 4.01/' one.log >other.log
run 0 report --compile-log other.log --dump document made.json
says out 'may be of another run'
mkdir ranks
gzip -c one.log >ranks/dedicated_log_torch_trace_rank_3_x.log.gz
cp other.log ranks/dedicated_log_torch_trace_rank_4_x.log
echo 'of something else' >ranks/train.log
python3 made.py rank
run 0 report --compile-log ranks --json rank.json made.json
run 0 report --compile-log one.log --json one.json made.json
cmp rank.json one.json || wrong 'another log than its rank'"'"'s'
python3 made.py
run 0 report --compile-log ranks --json none.json made.json
if grep -q graph_breaks none.json; then wrong 'a log of some rank for a trace of none'; fi

# Dynamo's numbers begin again with its reset: the first is the first, and where one side has a number more often nothing is said.
cat >>made.py <<'END'
if "again" in sys.argv:
    again = [s for s in json.load(open("made.json"))["traceEvents"] if "0/0" in s["name"]]
    compile_inner = {**again[0], "cat": "cpu_op", "name": "_compile.compile_inner (dynamo_timed)", "ts": 9e6 + 9, "dur": 77000}
    trace = json.load(open("made.json"))
    trace["traceEvents"] += [{**again[0], "ts": 9e6}, compile_inner]
    json.dump(trace, open("made.json", "w"))
    open("twice.log", "w").write("".join([log[2], *log[4:8], metrics("forward", 3, .078, 0, 0)]))
END
python3 made.py again
for log in twice one; do
	run 0 report --compile-log $log.log --json $log.json made.json
done
python3 - <<'END'
import json
told = lambda path: [(x["id"], x["trace_ns"]) for x in json.load(open(path))["runs"][0]["cases"][0]["compiler"]["compilations"]]
assert told("twice.json") == [("0/0", 400000000), ("1/0", 30000000), ("0/1", 200000000), ("0/0", 77000000)], told("twice.json")
assert told("one.json")[0] == ("0/0", None), told("one.json")
END
python3 made.py

# What ends early is read to there; what is none is refused, and nothing is written over.
run 0 report --compile-log cut.log --json cut.json made.json
says cut.json RuntimeError
for bad in made.json /dev/null nowhere; do
	run 1 report --compile-log $bad -o no.pdf made.json
	lines err 1
	says err compile-log
	absent no.pdf
done
mkdir two none
cp one.log two/a.log
cp one.log two/b.log
run 1 report --compile-log two -o no.pdf made.json
says err 'two/a.log and two/b.log are logs of two programs'
run 1 report --compile-log none -o no.pdf made.json
says err 'run the program with TORCH_TRACE=none'
cp one.log kept.log
run 2 report --compile-log one.log --json one.log made.json
cmp one.log kept.log || wrong 'the log was written over'
run 2 report --compile-log one.log --table made.json
says err '--compile-log'
