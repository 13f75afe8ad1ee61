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

# Rounds that go on with what a mask left go; those that ask the same of each stay.
def picked(sizes):
    nonzero = op("aten::nonzero", op("aten::sub", device=2), *made.item().children)
    return [row for n in sizes for row in (op("aten::minimum", dims=[[n, 2]] * 2, device=9), op("aten::div", dims=[[n]] * 2, device=9),
                                           op("aten::index", nonzero, dims=[[n], []], device=9), op("aten::select", dims=[[n]]))]
write("rest", picked(range(99, 59, -1)))
write("same", picked([99] * 40))

# Rounds that ask it of the next slice each are one; not those that ask it of the same tensor, or read a number, too.
def masked(slices, reads=()):
    nonzero = op("aten::nonzero", op("aten::sub", device=2), *made.item().children)
    return [row for i in range(40) for row in (op("aten::select", dims=[[40, 900]], concrete=["", "0", str(i if slices else 7)]),
                                               op("aten::index", nonzero, dims=[[900], []], device=9), op("aten::abs", dims=[[300 + i % 7]], device=9),
                                               op("aten::square", dims=[[300 + i % 7]], device=9), *reads, op("aten::add", dims=[[], []], device=2))]
write("slices", masked(True))
write("one-slice", masked(False))
write("slices-read", masked(True, [made.item()]))

# Experts that are asked one by one, each for the rows that chose it, are one call; not where they put nothing back.
def experts(back):
    nonzero = op("aten::nonzero", op("aten::sub", device=2), *made.item().children)
    return [row for i in range(16) for row in (op("aten::where", nonzero, dims=[[512, 2]]), op("aten::index", dims=[[512, 64], []], device=2),
                                               op("aten::mm", dims=[[60 + i * 5 % 7, 64], [64, 64]], device=3), op("aten::silu", dims=[[60 + i * 5 % 7, 64]], device=2),
                                               op("aten::mm", dims=[[60 + i * 5 % 7, 64], [64, 64]], device=3), op(back, dims=[[512, 64], [], [60, 64]], device=2))]
write("experts", experts("aten::index_add_"))
write("beside-experts", experts("aten::cumsum"))

# What rounds work out of one tensor after the other and only copy to the host goes; not where they write into it, or take the same again.
def logged(operator="aten::histc", sizes=7):
    down = op("aten::to", op("aten::copy_", device=2, wait=True, size=256, copy="Memcpy DtoH (Device -> Pageable)", call="cudaMemcpyAsync"), dims=[[64]])
    return [row for i in range(24) for row in (op("aten::aminmax", dims=[[64 + i * 5 % sizes]], device=20), op(operator, dims=[[64 + i * 5 % sizes]], device=20), down)]
write("logged", logged())
write("written", logged("aten::mul_"))
write("iterated", logged(sizes=1))

# What takes tensors apart for rounds and joins what they gave goes with them.
def rounds(apart, joined):
    small = [row for _ in range(40) for row in (op("aten::abs", dims=[[900]], device=2, kernel="vectorized_elementwise_kernel"),
                                                op("aten::neg", dims=[[900]], device=2, kernel="vectorized_elementwise_kernel"))]
    return [op("aten::unbind", dims=[[apart, 900]], concrete=["", "0"], own=200)] + small + [op("aten::stack", dims=[[[900]] * joined, []], device=3, own=50)] + made.work(9)
write("around", rounds(40, 40))
write("beside", rounds(90, 9))

# What scales eight-bit weights goes with their cast; the way that Python takes to what goes goes, too.
def widened(of, pause=0):
    weights = [2048, 2048]
    cast = op("aten::to", op("aten::_to_copy", op("aten::copy_", dims=[weights] * 2, device=60, kernel="unrolled_elementwise_kernel<direct_copy_kernel_cuda>"), dims=[weights], types=[of]), dims=[weights], types=[of], pause=pause)
    return times(16, cast, op("aten::mul", dims=[weights, [2048]], device=50, kernel="elementwise_kernel<128, 4>"), op("aten::mm", device=9, kernel="nvjet_sm90_mm"))
write("eight", widened("signed char"))
write("wide", widened("float"))
def copied(pause):
    return times(12, op("cudaGraphLaunch", cat="cuda_runtime", device=9, call="cudaGraphLaunch"),
                 op("aten::copy_", device=4, copy="Memcpy DtoD (Device -> Device)", pause=pause))
write("near", copied(0))
write("far", copied(15))
# Graphs of compiled code hold what that launches: what comes to it, and what stands beside it, stays.
def compiled(guards, beside):
    call = op("## Call CompiledFxGraph fcwq ##", op("aten::empty", own=guards), *times(60, op("aten::addmm", device=1, own=20, kernel="nvjet_sm90_mm")))
    return [op("Torch-Compiled Region: 0/0", call)] + times(beside, op("aten::addmm", device=1, own=20, kernel="nvjet_sm90_mm"))
write("bare", compiled(1, 0))
write("guarded", compiled(90, 0))
write("eager-beside", compiled(1, 20))
# An inverse goes where its matrix is factored besides; a short transform that fits takes three passes, a longer one eleven.
def inverted(besides):
    return [op("aten::inverse", dims=[[900, 900]], device=900), op("aten::matmul", dims=[[900, 900], [900, 1]], device=9)] + [op(besides, dims=[[900, 900]], device=9)] + made.work(9)
write("factored", inverted("aten::logdet"))
write("inverted", inverted("aten::exp"))
def transformed(length):
    return [op("aten::_fft_r2c", dims=[[(1 << 25) // length, length]], types=["float"], device=2000, kernel="multi_bluestein_fft<128u>")] + made.work(9)
write("short", transformed(32749))
write("long", transformed(32771))

# A norm that is folded leaves a bias that is added, which reads single numbers; its small kernels go.
def folded(bias, small=0):
    images = [64, 64, 160, 160]
    norm = op("aten::batch_norm", *times(small, op("aten::rsqrt", device=2)), op("aten::native_batch_norm", device=400), dims=[images])
    return times(4, op("aten::conv2d", dims=[images, [64, 64, 3, 3], [64] if bias else []], device=300), norm)
write("has-bias", folded(True))
write("gets-bias", folded(False))
write("small-kernels", folded(False, 3))

# What a norm of turned images copies is the matter of channels-last, and not of rewrites, too.
copies = [op("aten::contiguous", op("aten::clone", op("aten::copy_", dims=[[8, 196, 1024]] * 2, device=200, kernel="elementwise_kernel<direct_copy_kernel_cuda>")),
             dims=[[8, 196, 1024]])] * 4
write("turned", made.turned_to_rows(True) + copies)
END
names="factored inverted short long has-bias gets-bias small-kernels turned few many backward others rest same slices one-slice slices-read experts beside-experts logged written iterated around beside eight wide near far bare guarded eager-beside"
# shellcheck disable=SC2086
run 0 report --json prices.json $(printf '%s.json ' $names)
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
rounds = [case[name]["unrecorded"]["ns"] for name in ("rest", "same")]
assert saves("rest", "sync") > 0.9 * rounds[0] and saves("same", "sync") < 0.7 * rounds[1], (rounds, case)
rounds = [case[name]["unrecorded"]["ns"] for name in ("slices", "one-slice", "slices-read")]
assert saves("slices", "sync") > 0.7 * rounds[0] and saves("one-slice", "sync") < 0.5 * rounds[1], (rounds, case)
assert saves("slices-read", "sync") < 0.7 * rounds[2], (rounds, case)
def share(name, of="sync"):
    return saves(name, of) / case[name]["unrecorded"]["ns"]
assert share("experts") > 0.8 and share("beside-experts") < 0.6, case
assert share("logged") > 0.9 and share("written") < 0.7 and share("iterated") < 0.7, (share("logged"), share("written"), share("iterated"))
assert saves("around", "loops") - saves("beside", "loops") > 220e3, case
scaled = saves("eight", "rewrites") - saves("wide", "rewrites")
assert scaled >= 16 * 50e3, scaled
assert abs(saves("factored", "inverse") - saves("inverted", "inverse") - (0.98 - 2 / 3) * 900e3) < 100, case
assert saves("long", "fourier") < saves("short", "fourier") <= 2000e3 - 3 * 4 * (1 << 25) / (0.85 * 4.8e12) * 1e9 + 2000, case
bias = 64 * 64 * 160 * 160 / (2.5 * 132)
assert abs(saves("has-bias", "fold-norm") - saves("gets-bias", "fold-norm") - 4 * bias) < 1000, (bias, case)
assert saves("small-kernels", "fold-norm") - saves("gets-bias", "fold-norm") >= 4 * 3 * 2000, case
turned = {a["id"]: a for a in case["turned"]["actions"]}
assert turned["rewrites"]["gain_ns"] <= 4 * 200e3 + 1000 and turned["channels-last"]["variant"] == "strides", turned
assert saves("far", "graphs") - saves("near", "graphs") > 11 * 9e3, case
graphs = [saves(name, "graphs") for name in ("bare", "guarded", "eager-beside")]
assert max(graphs) - min(graphs) < 0.05 * graphs[0], graphs
END
