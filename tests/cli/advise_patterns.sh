# SPDX-License-Identifier: Apache-2.0
# Each pattern of the catalogue is named where it is, and not where something is only like it.
. "$TRACEBOOK_TOP/tests/cli/functions"
made="$TRACEBOOK_TOP/tests/advise/made.py"
advice="$TRACEBOOK_TOP/templates/en/advice.json"
mkdir patterns
python3 "$made" write patterns
run 0 report --json said.json patterns
python3 "$made" check "$advice" said.json >out || wrong "patterns"
says out ' 0 wrong'

# Each row of a pattern has a trace here.
sed -n 's/.*\(PATTERN(\|\.id = \)"\([a-z-]*\)".*/\2/p' "$TRACEBOOK_TOP"/report/rules/patterns_*.c \
	"$TRACEBOOK_TOP"/report/rules/remedies_rounds.c | sort >rows
sed 's/.*/"&"/' rows >rows_of_patterns
sed -n 's/^    "\([a-z-]*\)[a-z:+-]*": (.*/\1/p' "$made" | sort -u >traces
test -z "$(comm -23 rows traces)" || wrong "rows without a trace: $(comm -23 rows traces)"

# A setting stands in front of what saves more.
python3 - said.json <<'END' || wrong "settings first"
import json, sys
for run in json.load(open(sys.argv[1]))["runs"]:
    for case in run["cases"]:
        if case["id"].endswith("deterministic.yes.json") or case["id"].endswith("train-mode.yes.json"):
            assert case["actions"][0]["id"] in ("deterministic", "train-mode"), case["actions"]
END

# What an action is about is not left alone as well.
python3 - said.json <<'END' || wrong "matmuls to be changed and to be left alone"
import json, sys
leave = {case["id"].rpartition("/")[2]: [one["id"] for one in case["leave"]] for run in json.load(open(sys.argv[1]))["runs"] for case in run["cases"]}
assert "products" not in leave["fp8.yes.json"] and "products" in leave["fp8.no1.json"], leave
END

# A loop is told before graphs, which launch it as it is, where they save more, too.
python3 - said.json <<'END' || wrong "loops before graphs"
import json, sys
more = []
for run in json.load(open(sys.argv[1]))["runs"]:
    for case in run["cases"]:
        if "loops:" in case["id"] and case["id"].endswith("yes.json"):
            loops, graphs = case["actions"][:2]
            assert (loops["id"], graphs["id"]) == ("loops", "graphs"), case["actions"]
            more.append(graphs["gain_ns"] > loops["gain_ns"])
assert len(more) == 3 and any(more), more
END

# Data that come late in one step of three: told by what each step pays of it on average, though the step of median length does not;
# where they come late in half of the steps, by what the mean step takes longer; that a batch is handed over in 1 ms is nothing late.
python3 - "$TRACEBOOK_TOP/tests/advise" late.json first.json often.json handed.json <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
from made_rows import Op, Trace, work
for path, late in zip(sys.argv[2:], ({1}, {0}, {0, 2}, None)):
    trace = Trace()
    for step in range(4):
        start = trace.now[1] = max(trace.now.values()) + 1
        for row in [Op("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", cat="user_annotation", own=1000 if late is None else 9000 if step in late else 9)] + work(60, 9):
            trace.run(row)
        end = max(trace.now[1], trace.free) + 2
        trace.add("cuda_runtime", "cudaDeviceSynchronize", trace.now[1], end, 1)
        trace.now[1] = end + 1
        trace.add("user_annotation", f"ProfilerStep#{step}", start, trace.now[1], 1)
    json.dump({"deviceProperties": [trace.device], "traceEvents": trace.events}, open(path, "w"))
END
run 0 report --json late.out.json late.json first.json often.json handed.json
python3 - late.out.json <<'END' || wrong "input that comes late in some steps"
import json, sys
late, first, often, handed = ({a["id"]: a for a in case["actions"]} for run in json.load(open(sys.argv[1]))["runs"] for case in run["cases"])
assert next(iter(late)) == "input" and "input" not in first and "input" not in handed, (late, first, handed)
one = late["input"]
assert one["variant"] == "some" and one["gain_ns"] == 0 and 8.9e6 < one["once_ns"] < 9.1e6 and one["each_ns"] == one["once_ns"] // 3, one
one = often["input"]
assert one["variant"] == "some" and 8.9e6 < one["once_ns"] < 9.1e6 and 4.5e6 < one["each_ns"] < 5e6, one
END

# The memory of a worker's batch is unmapped behind its upload, which pinning spares, too, as far as the copy is long; no other pause.
python3 - "$TRACEBOOK_TOP/tests/advise" worker.json own.json <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
from made_rows import Op, Trace, work
upload = Op("aten::to", device=3000, copy="Memcpy HtoD (Pageable -> Device)", size=1 << 24, call="cudaMemcpyAsync", blocks=True)
for path, name in zip(sys.argv[2:], ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "batch")):
    rows = [Op(name, cat="user_annotation"), upload, Op("aten::relu", device=20, pause=4000)] + work(20, 20)
    json.dump(Trace().steps(rows), open(path, "w"))
END
run 0 report --json unmapped.json worker.json own.json
python3 - unmapped.json <<'END' || wrong "memory of a worker's batch"
import json, sys
worker, own = ({a["id"]: a for a in case["actions"]} for run in json.load(open(sys.argv[1]))["runs"] for case in run["cases"])
assert 2.5e6 < worker["pinned"]["gain_ns"] - own["pinned"]["gain_ns"] < 3.1e6, (worker, own)
END

# Of two that name no cause the second makes room for one that does, though that saves less.
python3 - "$TRACEBOOK_TOP/tests/advise" room.json <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
from made_rows import Op, Trace, item, times
rows = times(60, *(Op("aten::add", device=2, kernel="elementwise_kernel<float>") for _ in range(3)), Op("aten::mm", device=2, kernel="nvjet_sm90_mm"))
rows[80:80] = [Op("aten::_amp_foreach_non_finite_check_and_unscale_", device=60), item()]
json.dump(Trace().steps(rows), open(sys.argv[2], "w"))
END
run 0 report --json room.out.json room.json
python3 - room.out.json <<'END' || wrong "room for a cause"
import json, sys
[first, second, third] = [(a["id"], a["gain_ns"]) for a in json.load(open(sys.argv[1]))["runs"][0]["cases"][0]["actions"]]
assert {first[0], third[0]} == {"graphs", "fusion"} and second[0] == "scaler" and second[1] < third[1], (first, second, third)
END

# Among those that name no cause the order is that of what they save: a cause in front of one is in front of those that save less.
python3 - "$TRACEBOOK_TOP/tests/advise" order.json <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
from made_rows import Op, Trace, item, times
rows = times(90, *(Op("aten::add", device=2, kernel="elementwise_kernel<float>") for _ in range(2)), Op("aten::mm", device=2, kernel="nvjet_sm90_mm"))
rows[80:80] = times(2, Op("aten::mm", device=60, kernel="nvjet_sm90_mm"), item())
json.dump(Trace().steps(rows), open(sys.argv[2], "w"))
END
run 0 report --json order.out.json order.json
python3 - order.out.json <<'END' || wrong "the order of those without a cause"
import json, sys
actions = [(a["id"], a["gain_ns"]) for a in json.load(open(sys.argv[1]))["runs"][0]["cases"][0]["actions"]]
assert [a[0] for a in actions[:3]] == ["sync", "graphs", "fusion"] and actions[0][1] < actions[2][1] / 2, actions
END

# Flags of a round that are added to those before go on, and stay; two comparisons in front of a check are made for it.
python3 - "$TRACEBOOK_TOP/tests/advise" flags.json checks.json <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
from made_rows import Op, Trace, item, times, work
for path, front in zip(sys.argv[2:], (("masked_fill", "eq", "__or__"), ("ge", "le", "__and__"))):
    rows = work(9, 9) + times(24, Op("aten::mm", device=60, kernel="nvjet_sm90_mm"), *(Op(f"aten::{name}", device=9, kernel="vectorized_elementwise_kernel") for name in front),
                               Op("aten::all", device=9, kernel="reduce_kernel<512, 1>"), item())
    json.dump(Trace().steps(rows), open(path, "w"))
END
run 0 report --json flags.out.json flags.json checks.json
python3 - flags.out.json <<'END' || wrong "flags that go on"
import json, sys
cases = {case["id"]: case["actions"] for run in json.load(open(sys.argv[1]))["runs"] for case in run["cases"]}
flags, checks = (next(a["gain_ns"] for a in of if a["id"] == "sync") for name in ("flags", "checks") for key, of in cases.items() if name in key)
assert 0 < 1.5 * flags < checks, (flags, checks)
END

# Without shapes the products of attention stay, and what is between them goes.
python3 - patterns/math-attention.yes.json shapeless.json <<'END'
import json, sys
trace = json.load(open(sys.argv[1]))
for row in trace["traceEvents"]:
    row.get("args", {}).pop("Input Dims", None)
for row in [row for row in trace["traceEvents"] if row.get("cat") == "kernel"][1::4]:
    row["name"] = "softmax_warp_forward<float>"
json.dump(trace, open(sys.argv[2], "w"))
END
run 0 report --json shapeless.out.json shapeless.json
python3 - shapeless.out.json <<'END' || wrong "attention without shapes"
import json, sys
[action] = [a for a in json.load(open(sys.argv[1]))["runs"][0]["cases"][0]["actions"] if a["id"] == "math-attention"]
assert 890e3 <= action["gain_ns"] <= 910e3, action
END

# A switch belongs to the chip's vendor.
sed 's/cudaLaunchKernel/hipLaunchKernel/g' patterns/launch-blocking.yes.json >hip.json
run 0 report --json hip.out.json hip.json
grep -q HIP_LAUNCH_BLOCKING hip.out.json || wrong "a switch of CUDA on another chip"

# In the place of a number that is read an operator adds it up on the device, 6.4 us without the recorder; in that of a read
# that decides a branch there is nothing.
PYTHONPATH="$TRACEBOOK_TOP/tests/advise" python3 - <<'END'
import json, made
read = made.Op("aten::item", made.Op("aten::_local_scalar_dense", device=30, wait=True, own=12, call="cudaMemcpyAsync",
                                     copy="Memcpy DtoH (Device -> Pinned)"))
rows = [row for _ in range(20) for row in made.work(8, 3, 12) + [made.Op("aten::argmax", device=3), read]]
for name in ("aten::item", "aten::is_nonzero"):
    read.name = name
    json.dump(made.Trace().steps(rows), open(name.removeprefix("aten::") + ".json", "w"))
END
run 0 report --json reads.json item.json is_nonzero.json
python3 - reads.json <<'END' || wrong "a number that is read"
import json, sys
read, branch = (next(a["gain_ns"] for a in case["actions"] if a["id"] == "sync")
                for run in json.load(open(sys.argv[1]))["runs"] for case in run["cases"])
assert abs(branch - read - 20 * 6400) <= 20, (branch, read)
END

# What goes with a remedy: the check that an operator makes for itself, but no place that is used; what counts doubles, and what puts
# in order what a mask writes; the bias's cast and gradients; pauses half as long as a long one of the same names; what the host does
# between the parts of attention. A kernel's row that compiled code opens costs as much to record as a range.
PYTHONPATH="$TRACEBOOK_TOP/tests/advise" python3 - <<'END'
import json, made
op, times = made.Op, made.times
def write(name, rows):
    json.dump(made.Trace().steps(rows), open(name + ".json", "w"))
kernels = dict.fromkeys(("aten::min", "aten::argmax", "aten::sum"), "reduce_kernel<float>")
def reads(first, second, parent="aten::normal"):
    inside = [op(first, device=9, kernel=kernels.get(first, "vectorized_elementwise_kernel<float>")),
              op(second, device=9, kernel=kernels.get(second, "vectorized_elementwise_kernel<float>")), made.item()]
    return times(20, op("aten::mm", device=9), *([op(parent, *inside)] if parent else inside), op("aten::mul", device=9))
for name, rows in {"normal": ("aten::min", "aten::ge"), "added": ("aten::min", "aten::add"), "branch": ("aten::min", "aten::ge", None),
                   "place": ("aten::square", "aten::argmax", None), "most": ("aten::square", "aten::sum", None)}.items():
    write(name, reads(*rows))
write("doubles", times(20, op("aten::mm", device=9), op("aten::_unique2", *times(5, op("aten::sub", device=2)), made.item()), op("aten::mul", device=9)))
counted = op("aten::nonzero", op("aten::sub", device=2), *made.item().children)
for name in ("aten::_index_put_impl_", "aten::index"):
    write(name[6:], times(20, op("aten::mm", device=9), op(name, counted, *times(6, op("aten::remainder", device=2, own=12))), op("aten::mul", device=9)))
def bias(cast):
    forward = made.convolution(True)
    forward.children += (op("aten::to", op("aten::copy_", device=5), dims=[[256]]),) if cast else ()
    back = [made.node("ConvolutionBackward0", op("aten::convolution_backward", op("aten::sum", device=60, tid=2), device=30, tid=2))]
    for name in ("ToCopyBackward0", "torch::autograd::AccumulateGrad") if cast else ():
        back.append(made.node(name, op("aten::copy_", device=5, tid=2)))
        back[-1].children[0].dims = [[256]]
    return times(4, forward, op("aten::batch_norm", device=40), *back)
write("bias", bias(True))
write("no-cast", bias(False))
def pauses(next_name):
    return [row for i in range(12) for row in (op("aten::detach"), op("aten::clone" if i % 2 else next_name, device=2, pause=180 if i % 2 else 300),
                                               *times(6, op("aten::mm", device=2, pause=2)))]
write("pauses", pauses("aten::clone") + [op("aten::mm", device=18000)])
write("others", pauses("aten::copy_") + [op("aten::mm", device=18000)])
def attention(views):
    heads, scores = [64, 512, 64], [64, 512, 512]
    return times(4, op("aten::bmm", dims=[heads, [64, 64, 512]], device=9, kernel="nvjet_sm90_mm"), *times(views, op("aten::view", own=10)),
                 op("aten::softmax", dims=[scores, [], []], device=9, kernel="cunn_SoftMaxForward<float>"), op("aten::view", own=10),
                 op("aten::bmm", dims=[scores, heads], device=9, kernel="nvjet_sm90_mm"), *made.work(9))
write("views", attention(4))
write("no-views", attention(0))
def repeated(kernel):
    whole = [[32, 8, 1024, 512]] * 2
    return times(4, op("aten::repeat", op("aten::copy_", dims=whole, device=200, strides=[[4194304, 524288, 512, 1], [524288, 0, 512, 1]])),
                 op("aten::mul", dims=whole, device=260, kernel=kernel))
write("repeated", repeated("vectorized_elementwise_kernel<8>"))
write("by-one", repeated("elementwise_kernel<128, 4>"))
for name, kernel in {"between": "vectorized_elementwise_kernel<4>", "product": "nvjet_sm90_mm"}.items():
    write(name, times(20, op("Torch-Compiled Region: 0/0", device=3, own=30), op("aten::add", device=3, kernel=kernel)))
for name, of in {"added-up": 1048576, "added-few": 4096}.items():
    table = made.node("EmbeddingBackward0", made.TABLE)
    table.children += (op("aten::add_", dims=[[of, 128]] * 2 if of > 4096 else [[of, 128], [1, 128]], device=400, tid=2),)
    write(name, [table, made.annotation("Optimizer.step#SGD.step", op("aten::_foreach_add_", dims=[[[1048576, 128]]] * 2, device=600))])
def normed(own):
    return times(8, op("aten::conv2d", dims=[[64, 64, 56, 56], [64, 64, 3, 3], []], device=9, kernel="nvjet_sm90_mm"),
                 op("aten::batch_norm", device=9, own=own))
write("norm", normed(90))
write("long-norm", normed(190))
def compiled(name):
    return times(40, op(name, device=1, kernel="triton_poi_fused_gelu_0", own=30))
write("triton", compiled("triton_poi_fused_gelu_0"))
write("plain", compiled("aten::gelu"))
END
names="normal added branch place most doubles _index_put_impl_ index bias no-cast pauses others views no-views repeated by-one between product added-up added-few norm long-norm triton plain"
# shellcheck disable=SC2086
run 0 report --json goes.json $(printf '%s.json ' $names)
python3 - goes.json <<'END' || wrong "what goes with a remedy"
import json, sys
case = {c["id"].split("/")[-1].removesuffix(".json"): c for run in json.load(open(sys.argv[1]))["runs"] for c in run["cases"]}
def action(name, of):
    return next((a for a in case[name]["actions"] if a["id"] == of), None)
def saves(name, of):
    return next(a["gain_ns"] for a in case[name]["actions"] if a["id"] == of)
def number(name, of):
    return next(a["values"][0]["value"] for a in case[name]["actions"] if a["id"] == of)
def unrecorded(name):
    return case[name]["unrecorded"]["ns"]
assert saves("normal", "sync") - saves("added", "sync") == 20 * (9 + 9) * 1000
assert saves("place", "sync") == saves("branch", "sync") == saves("most", "sync") - 20 * (9 + 9) * 1000
doubles = next(a for a in case["doubles"]["actions"] if a["id"] == "sync")
assert doubles["variant"] == "nonzero" and "_unique2" in doubles["sentence"] and doubles["gain_ns"] > 20 * 5 * 2000, doubles
assert saves("_index_put_impl_", "sync") - saves("index", "sync") > 20 * 50 * 1000
assert saves("bias", "conv-bias") - saves("no-cast", "conv-bias") == 4 * 3 * 5000
assert number("pauses", "elsewhere") == 11 and number("others", "elsewhere") == 5
assert saves("views", "attention") - saves("no-views", "attention") == unrecorded("views") - unrecorded("no-views") > 0
assert saves("by-one", "repeats") - saves("repeated", "repeats") == round(4 * ((32 * 8 * 1024 * 512) / (2.5 * 132) - 260e3), -1)
assert saves("between", "tiny-regions") > saves("product", "tiny-regions")
assert saves("added-up", "dense-embedding") - saves("added-few", "dense-embedding") >= 390e3
assert saves("long-norm", "fold-norm") - saves("norm", "fold-norm") > 0.99 * (unrecorded("long-norm") - unrecorded("norm")) > 700e3
assert unrecorded("plain") - unrecorded("triton") >= 40 * 7 * 1000
END

# It sees an action that is not there, and one too many.
for fault in 's/"id": "unfold"/"id": "pad"/' 's/"id": "repeats"/"id": "unfold"/' 's/"name": "Convolve/"name": "Fold/'; do
	sed "$fault" said.json >faulty.json
	! python3 "$made" check "$advice" faulty.json >out || wrong "made.py does not see: $fault"
done

# Every known pattern has an action or a finding that names it, or a sentence why none does.
python3 - "$TRACEBOOK_TOP" <<'END' || wrong "the catalogue"
import json, sys
top = sys.argv[1]
rules = {r["id"] for file, key in (("advice", "actions"), ("advice", "leave"), ("findings", "findings"))
         for r in json.load(open(f"{top}/templates/en/{file}.json", encoding="utf-8"))[key]}
lines = [line.rstrip("\n").split("\t") for line in open(f"{top}/tests/advise/catalogue.tsv", encoding="utf-8") if line[0] != "#"]
assert all(len(line) == 4 and line[1] in "TSKMRC-" for line in lines), lines
assert len({line[0] for line in lines}) == len(lines) >= 112, len(lines)
for name, _, named, why in lines:
    assert set(named.split()) <= rules or (named == "-" and why.endswith(".") and len(why) > 40), (name, named, why)
by_trace = [line for line in lines if line[1] in "TSR"]
assert 10 * sum(line[2] != "-" for line in by_trace) >= 8 * len(by_trace), by_trace
patterns = {line.split('"')[1] for line in open("rows_of_patterns")}
assert not patterns - {rule for line in lines for rule in line[2].split()}, patterns
print(sum(line[2] != "-" for line in lines), "of", len(lines), "named;", sum(line[2] != "-" for line in by_trace), "of", len(by_trace), "by a trace")
END
