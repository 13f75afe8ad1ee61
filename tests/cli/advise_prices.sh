# SPDX-License-Identifier: Apache-2.0
# What a remedy takes along, and what it leaves: prices of made traces, each against one that differs in one thing.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH="$TRACEBOOK_TOP/tests/advise" python3 - <<'END' || wrong "the traces"
import json, made
op, times = made.Op, made.times
def write(name, rows, numbers=()):
    trace = made.Trace().steps(rows)
    for number, names in enumerate(numbers):
        for row in trace["traceEvents"]:
            if row["name"] in names:
                row["args"] |= {"Sequence number": number, "Fwd thread id": 1 if "Backward" in row["name"] else 0}
    json.dump(trace, open(name + ".json", "w"))

# An addition by sorting: the sort, the checks and the host's time go, and what adds takes what an element does.
def added(rows):
    put = op("aten::index_put_", op("aten::_index_put_impl_", *times(9, op("aten::remainder", device=20)), device=2000, kernel="indexing_backward_kernel<float>"),
             dims=[[24000, 96], [], [rows, 96], []])
    return [op("aten::index_add_", put, dims=[[24000, 96], [], [rows], [rows, 96], []])] + made.work(9)
write("few", added(100000))
write("many", added(400000))

# The backward pass of what goes goes, by the same share.
def attended():
    math = op("aten::_scaled_dot_product_attention_math", op("aten::bmm", *made.work(900), dims=[made.HEADS[0:3]] * 2), dims=[made.HEADS] * 3)
    return [math] + made.work(9) + [made.node("BmmBackward0", op("aten::bmm", device=3000, tid=2))]
write("backward", attended(), [(), ("aten::bmm", "BmmBackward0", "autograd::engine::evaluate_function: BmmBackward0")])
write("others", attended(), [("aten::bmm",), ("aten::mm", "BmmBackward0", "autograd::engine::evaluate_function: BmmBackward0")])
END
run 0 report --json prices.json few.json many.json backward.json others.json
python3 - prices.json <<'END' || wrong "what goes with a remedy"
import json, sys
case = {c["id"].split("/")[-1].removesuffix(".json"): c for run in json.load(open(sys.argv[1]))["runs"] for c in run["cases"]}
def saves(name, of):
    return next(a["gain_ns"] for a in case[name]["actions"] if a["id"] == of)
adding = [n * 96 * 24 / 4.8e12 * 1e9 for n in (100000, 400000)]
assert abs(saves("few", "deterministic") - saves("many", "deterministic") - (adding[1] - adding[0])) < 100, case
assert saves("many", "deterministic") > 0.99 * (2000e3 + 9 * 20e3 - adding[1]), case
more = saves("backward", "math-attention") - saves("others", "math-attention")
assert abs(more / 3000e3 - saves("others", "math-attention") / 3600e3) < 0.01, more
END
