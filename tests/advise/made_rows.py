# SPDX-License-Identifier: Apache-2.0
"""What small traces are made of: rows, and forms of known mistakes in them (made.py).

A trace is three steps of the same rows. A host row takes what is in it and a little; what it launches runs on one stream, in order.
Python may pause in front of it."""

STEPS, OWN, CALL = 3, 3, 5


class Op:
    """A row of the host: children run inside it; device: microseconds of a kernel that it launches."""

    def __init__(self, name, *children, dims=None, strides=None, concrete=None, types=None, device=0, kernel="k<float>", own=OWN,
                 copy=None, size=4, cat="cpu_op", tid=1, call="cudaLaunchKernel", wait=False, blocks=False, pause=0, beside=False, grid=64, threads=256):
        self.__dict__.update(locals())


def times(n, *rows):
    return [row for _ in range(n) for row in rows]


class Trace:
    def __init__(self, hopper=True):
        self.events, self.now, self.free, self.number = [], {1: 0.0, 2: 0.0}, 0.0, 0
        self.beside = 0.0  # the stream of copies is free then
        self.device = {"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320, "computeMajor": 9 if hopper else 8,
                       "computeMinor": 0, "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536, "warpSize": 32,
                       "numSms": 132, "sharedMemPerMultiprocessor": 233472}

    def add(self, cat, name, start, end, tid, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1 if isinstance(tid, int) and tid < 7 else 0, "tid": tid,
                            "ts": round(start, 3), "dur": round(end - start, 3), "args": args})

    def launch(self, op):
        self.number += 1
        start = self.now[op.tid]
        begin = max(start + CALL / 2, self.free, self.beside if op.beside else 0)
        done = begin + op.device
        if op.beside:
            self.beside = done
        else:
            self.free = done
        end = done + 1 if op.blocks else start + CALL
        self.now[op.tid] = end
        self.add("cuda_runtime", op.call, start, end, op.tid, correlation=self.number)
        cat, name = ("gpu_memcpy", op.copy) if op.copy else ("kernel", op.kernel)
        more = {"bytes": op.size} if op.copy else {"grid": [op.grid, 1, 1], "block": [op.threads, 1, 1], "registers per thread": 32, "shared memory": 0}
        stream = 13 if op.beside else 7
        self.add(cat, name, begin, done, stream, correlation=self.number, stream=stream, device=0, **more)
        if op.wait:
            start, end = self.now[op.tid], max(self.now[op.tid], self.free) + 2
            self.add("cuda_runtime", "cudaStreamSynchronize", start, end, op.tid)
            self.now[op.tid] = end

    def run(self, op):
        now = self.now
        now[op.tid] += op.pause
        start = now[op.tid]
        args = {}
        if op.dims is not None:
            args = {"Input Dims": op.dims, "Input type": op.types or ["c10::BFloat16" if d else "Scalar" for d in op.dims]}
            if op.strides is not None:
                args["Input Strides"] = op.strides
            if op.concrete is not None:
                args["Concrete Inputs"] = op.concrete
        for child in op.children:
            child.tid = op.tid
            self.run(child)
        if op.device:
            self.launch(op)
        now[op.tid] += op.own
        self.add(op.cat, op.name, start, now[op.tid], op.tid, **args)

    def steps(self, rows, ahead=False, beside=False):
        """rows: or what gives them for a step's number; ahead: the host waits for the device at the end of all steps alone; beside: a step is on the device, too."""
        for step in range(STEPS):
            start = self.now[1] = self.now[2] = max(self.now.values()) + 1
            before = len(self.events)
            for row in rows(step) if callable(rows) else rows:
                self.now[row.tid] = max(self.now.values())
                self.run(row)
            self.now[1] = max(self.now[1], self.now[2])
            if self.number and (not ahead or step == STEPS - 1):
                end = max(self.now[1], self.free, self.beside) + 2
                self.add("cuda_runtime", "cudaDeviceSynchronize", self.now[1], end, 1)
                self.now[1] = end + 1
            self.add("user_annotation", f"ProfilerStep#{step}", start, self.now[1], 1)
            if beside:
                began = min(e["ts"] for e in self.events[before:] if e["cat"] == "kernel")
                self.add("gpu_user_annotation", f"ProfilerStep#{step}", began, self.free, 7)
        return {"deviceProperties": [self.device], "traceEvents": self.events}


def work(device=20, n=4, own=OWN):
    return times(n, Op("aten::mm", dims=[[512, 512], [512, 512]], device=device, kernel="nvjet_sm90_mm", own=own))


def large_products(columns, of="c10::BFloat16"):
    return times(4, Op("aten::mm", dims=[[8192, 8192], [8192, columns]], types=[of] * 2, device=1600, kernel="nvjet_sm90_mm"))


def node(name, *children):
    return Op(f"autograd::engine::evaluate_function: {name}", Op(name, *children, tid=2), tid=2)


def item():
    return Op("aten::item", Op("aten::_local_scalar_dense", device=2, copy="Memcpy DtoH (Device -> Pinned)", call="cudaMemcpyAsync",
                               wait=True))


def upload(dims, device=30, size=1 << 20, pause=0):
    return Op("aten::to", Op("aten::_to_copy", Op("aten::copy_", dims=[dims, dims], device=device, wait=True, size=size,
                                                  copy="Memcpy HtoD (Pageable -> Device)", call="cudaMemcpyAsync"), dims=[dims]),
              dims=[dims], pause=pause)


def listed(filled):
    """torch.tensor() of a list, on the device."""
    up = upload([512, 512])
    up.pause = filled
    return [Op("aten::empty"), up, Op("aten::lift_fresh"), Op("aten::detach_")]


def visiting(sizes, back=None):
    """A module goes to the device for its work and back."""
    up = [upload([512, 512]) for _ in sizes]
    for one, size in zip(up, sizes):
        one.children[0].children[0].size = size
    return up + work() + [download(size=size) for size in back or sizes]


def download(device=30, size=1 << 20, dims=None):
    return Op("aten::to", Op("aten::copy_", device=device, wait=True, size=size, copy="Memcpy DtoH (Device -> Pageable)",
                             call="cudaMemcpyAsync"), dims=dims and [dims])


def annotation(name, *children):
    return Op(name, *children, cat="user_annotation")


HEADS = [8, 16, 2048, 64]
TRAINED = [node("SumBackward0", Op("aten::expand"))]
IMAGE = [32, 128, 64, 64]
MASK = [Op("aten::ones", Op("aten::fill_", dims=[[2048, 2048], []], device=5), dims=[[], []]),
        Op("aten::tril", dims=[[2048, 2048], []], device=15), Op("aten::where", dims=[[2048, 2048], [], []], device=15)]
FILL = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >"
TABLE = Op("aten::embedding_dense_backward", Op("aten::zeros", Op("aten::fill_", device=200, kernel=FILL), device=0), device=10,
           dims=[[4096, 128], [4096], [], [], []], concrete=["", "", "1048576", "-1", "False"])


def angles(name="cos", size=2048):
    """Of positions, from their number alone."""
    return [Op("aten::arange", dims=[[], [], [], [], []], concrete=[str(size), "", "", "", "False"], device=9), Op("aten::outer", dims=[[size], [64]], device=30),
            Op(f"aten::{name}", dims=[[size, 64]], device=40)]


def turned():
    return [Op("aten::mul", dims=[[1, 32, 2048, 64], [2048, 64]], device=30)]


def summed_by_node():
    """zeros of the size of what is summed into it: each layer has others."""
    return [Op("aten::zeros", dims=[[], [], [], [], []], concrete=["[4096, 64]", "", "", "", "False"], device=9),
            Op("aten::index_add_", dims=[[4096, 64], [], [65536], [65536, 64], []], device=90), Op("aten::relu", dims=[[4096, 64]], device=20),
            Op("aten::dropout", dims=[[4096, 64], [], []], device=20), Op("aten::index_select", dims=[[4096, 64], [], [65536]], concrete=["", "0", ""], device=90)]


def convolution(bias):
    inner = [Op("aten::cudnn_convolution", dims=[IMAGE], device=40)] + ([Op("aten::add_", dims=[IMAGE], device=60)] if bias else [])
    return Op("aten::conv2d", Op("aten::convolution", Op("aten::_convolution", *inner)), dims=[IMAGE])


def sorted_for(k):
    return [Op("aten::sort", dims=[[64, 128000], [], []], device=400, kernel="DeviceRadixSort"),
            Op("aten::slice", dims=[[64, 128000], [], [], [], []], concrete=["", "1", "0", str(k), "1"])]


def zeros(device=100):
    return Op("aten::zeros", Op("aten::zero_", Op("aten::fill_", dims=[[1 << 24], []], device=device), dims=[[1 << 24]]), dims=[[], []])


def by_parts(n):
    """Zeros, and n of their four quarters written, each behind the one before it."""
    quarter = 1 << 22
    write = [row for k in range(n) for row in (Op("aten::slice", dims=[[1 << 24]], concrete=["", "0", str(k * quarter), str((k + 1) * quarter), "1"]),
                                               Op("aten::copy_", dims=[[quarter], [quarter]], device=30))]
    return [zeros(), *write, Op("aten::sum", dims=[[1 << 24]], device=30)]


def joined(large):
    return [Op("aten::cat", dims=[[[16, large + i, 128], [16, 1, 128]], []], device=50) for i in range(8)]


def layers(again):
    saved = [Op("_NoopSaveInputs", pause=250)] if again else []
    def linear(pause=0):
        return Op("aten::linear", Op("aten::addmm", dims=[[512], [64, 512]], device=30), dims=[[64, 512]], pause=pause)
    forward = times(4, *saved, linear())
    back = [node("AddmmBackward0", *([linear(300)] if again else []), Op("aten::mm", device=60, pause=200 if again else 0)) for _ in range(4)]
    return forward + back


def accumulated(passes, forward_passes):
    back = [row for i in range(passes) for row in
            times(4, node("AddmmBackward0", Op("aten::mm", device=2 if passes > 2 else 90)))
            + times(4, node("torch::autograd::AccumulateGrad", *([Op("aten::add_", device=2)] if i else [])))]
    forward = times(4 * forward_passes, Op("aten::addmm", device=2))
    return forward + back


def heads(losses, trunks=1):
    """A trunk, and a head for each loss."""
    return (times(8 * trunks, Op("aten::convolution", device=20)) + times(losses, Op("aten::addmm", device=2))
            + [row for i in range(losses) for row in
               [node("AddmmBackward0", Op("aten::mm", device=3)), node("torch::autograd::AccumulateGrad")]
               + times(8, node("ConvolutionBackward0", Op("aten::convolution_backward", device=60)))
               + times(8, node("torch::autograd::AccumulateGrad", *([Op("aten::add_", device=2)] if i else [])))])


def trained(computed, updated, groups=1):
    return ([Op("aten::addmm", device=9) for _ in range(computed)]
            + [row for _ in range(computed) for row in (node("AddmmBackward0", Op("aten::mm", device=60)), node("TBackward0"),
                                                        node("torch::autograd::AccumulateGrad", Op("aten::detach")))]
            + [annotation("Optimizer.step#SGD.step", *times(groups, Op("aten::_fused_sgd_", dims=[[[512, 512]] * (updated // groups)] * 2, device=20)))])


def regions(names, between):
    return [row for n in names for row in [Op("TorchDynamo Cache Lookup", own=20),
                                           Op(f"Torch-Compiled Region: {n}", Op("Pregraph bytecode", own=20), device=10)] + between()]


def checks(parent, names):
    return times(8, Op(parent, *(Op(n, device=3) for n in names), item(), Op("aten::argmax", device=5)))


def part(whole, at, dim=1):
    """A view of part `at` of a tensor, along a dimension."""
    return Op("aten::select", dims=[whole, [], []], concrete=["", str(dim), str(at)])


def product(rows, inner, columns):
    return Op("aten::mm", dims=[[rows, inner], [inner, columns]], device=2)


def small(name, *dims):
    return Op(f"aten::{name}", dims=list(dims), device=2)


SEQUENCE, HIDDEN, BEHIND = [32, 24, 256], [32, 256], [small("sum", [32, 256])] + work(2, 2)


def rounds(one, n=24):
    return [row for i in range(n) for row in one(i)] + BEHIND


def gated(t):
    return [part(SEQUENCE, t), product(32, 256, 256), product(32, 256, 256), small("add", HIDDEN, HIDDEN), small("sigmoid", HIDDEN),
            small("tanh", HIDDEN), small("mul", HIDDEN, HIDDEN)]


def gated_layer(_):
    return [row for row in gated(0) if row.name != "aten::select"]


def decoded(t):
    return [part([1, 64, 512], t), small("add", [1, 512], [1, 512]), product(1, 512, 512), small("cat", [16, t + 1, 32]),
            Op("aten::bmm", dims=[[16, 1, 32], [16, 32, t + 2]], device=2), small("sigmoid", [16, 1, t + 2]), product(1, 512, 512)]


def rectified(t):
    return [part(SEQUENCE, t), product(32, 256, 256), product(32, 256, 256), small("add", HIDDEN, HIDDEN), small("relu", HIDDEN)]


def expert(e):
    return [part([24, 64, 128], e, 0), part([24, 128, 256], e, 0), product(64, 128, 256), small("gelu", [64, 256]),
            part([24, 256, 128], e, 0), product(64, 256, 128)]


def stacked_layer(i):
    return [part([24, 512, 512], i, 0), product(64, 512, 512), small("gelu", [64, 512])]


def filled_in(t):
    return [part(SEQUENCE, t), part(SEQUENCE, t + 1), product(32, 256, 256), small("relu_", HIDDEN), small("copy_", HIDDEN, HIDDEN)]


def kept(t):
    """What a layer gives is copied into a slice, and the next one goes on with it."""
    return [part([24, 512, 256], t, 0), Op("aten::copy_", dims=[[512, 256]] * 2, device=2, copy="Memcpy DtoD (Device -> Device)", call="cudaMemcpyAsync"),
            product(512, 256, 256), small("tanh", [512, 256])]


def scored(i):
    return [part([24, 64, 64], i, 0), part([24, 64, 20], i, 0), product(64, 64, 20), small("softmax", [64, 20]), small("mul", [64, 20], [64, 20]),
            small("sum", [64, 20]), small("mean", [20]), small("add", [], [])]


def scored_state(i):
    return [part([24, 64, 20], i, 0), product(64, 64, 20), small("softmax", [64, 20]), small("mul", [64, 20], [64, 20]), product(20, 64, 64),
            product(64, 20, 20), small("mean", [64, 20]), small("add", [], [])]


def linear(m, k, n, device=2):
    return Op("aten::linear", Op("aten::addmm", dims=[[n], [m, k], [k, n]], device=device), dims=[[m, k], [n, k], [n]])


def taken_apart(name, whole, *concrete):
    return Op(f"aten::{name}", dims=[whole], concrete=["", *concrete])


def gates():
    """An LSTM's; what it works on is a list."""
    return [linear(32, 256, 1024), linear(32, 256, 1024), small("add", [32, 1024], [32, 1024]), *times(3, small("sigmoid", HIDDEN)),
            small("tanh", HIDDEN), small("mul", HIDDEN, HIDDEN)]


def joined_state(t):
    return [part(SEQUENCE, t), Op("aten::cat", dims=[[HIDDEN, HIDDEN], []], device=2), linear(32, 512, 256), small("tanh", HIDDEN)]


def added_input(t):
    return [part(SEQUENCE, t), linear(32, 256, 256), small("add", HIDDEN, HIDDEN), small("tanh", HIDDEN)]


def by_itself(t):
    return [part(SEQUENCE, t), linear(32, 256, 256), part(SEQUENCE, t), small("add", HIDDEN, HIDDEN), small("tanh", HIDDEN)]


def pinned_upload(dims, device=1200, to=None):
    """fp32 from pinned memory; to: the type that it is converted to behind."""
    size = 4 * dims[0] * dims[1]
    rows = [Op("aten::copy_", dims=[dims, dims], types=["float", "float"], device=device, size=size, copy="Memcpy HtoD (Pinned -> Device)", call="cudaMemcpyAsync")]
    return rows + ([Op("aten::to", Op("aten::copy_", dims=[dims, dims], types=[to, "float"], device=50))] if to else [])


def fetched_ahead(stream):
    """A copy of which a little could run beside computing yet; on a stream of its own most does."""
    copy, *_ = pinned_upload([4096, 4096], 1200)
    copy.beside = stream
    return work(200, 1) + [copy] + work(650, 1)


def written(name, other=False, clone=True):
    """What is written into a copy, which the operator itself makes."""
    copy = Op("aten::copy_", device=60, copy="Memcpy DtoD (Device -> Device)", call="cudaMemcpyAsync")
    inside = [Op("aten::clone", copy), Op(f"aten::{'other' if other else name}_", device=90)] if clone else [copy, Op("aten::empty", device=90)]
    return times(4, Op(f"aten::{name}", *inside), *work(200, 1))


def turned_to_rows(first):
    """Images of a convolution as rows, with a copy in each norm over their channels; first: these lie there first."""
    copy = Op("aten::contiguous", Op("aten::clone", Op("aten::copy_", dims=[[8, 196, 1024]] * 2, device=70, kernel="elementwise_kernel<direct_copy_kernel_cuda>")))
    norm = Op("aten::native_layer_norm", copy, dims=[[8, 196, 1024]], strides=[[200704, 1, 196] if first else [200704, 1024, 1]], device=30)
    return [Op("aten::cudnn_convolution", dims=[IMAGE, [1024, 128, 4, 4]], device=300)] + times(6, norm, *work(60, 1))


def loaded(pause, loading="Lazy Function Loading"):
    """A kernel that no operator launches, behind a pause at whose end something is loaded."""
    return work() + [Op(loading, cat="overhead", own=15, pause=pause, tid=0), Op("cuLaunchKernelEx", cat="cuda_driver", device=30, kernel="of_length", pause=40)]


LOGITS = [4, 1024, 32000]


def head_of_all(*behind):
    return [Op("aten::linear", Op("aten::mm", dims=[[4096, 512], [512, 32000]], device=400), dims=[[4, 1024, 512], [32000, 512]]), *behind] + work(90, 2)


def last_of(whole, index="-1", dim="1"):
    return Op("aten::select", dims=[whole, [], []], concrete=["", dim, index])


def echoed(weights):
    return [Op("aten::convolution", dims=[[16, weights[1], 65536], weights], types=["float"] * 2, device=9000, kernel="implicit_convolve_sgemm")] + work()


def tried(elements, n=40):
    """A kernel of the program's own, again and again behind a fill."""
    return work() + times(n, Op("aten::zero_", Op("aten::fill_", dims=[[elements]], types=["int"], device=90, kernel=FILL)),
                          Op("cuLaunchKernelEx", cat="cuda_driver", device=30, kernel="mine"))


def used_by_passes(n, penalty=False):
    """Six layers, n times forward; backward the gradients of each weight are summed. penalty: another use than by a matmul."""
    size = [[512, 512]]
    mm = Op("aten::mm", dims=size * 2, device=60, kernel="nvjet_sm90_mm")
    rows = times(6 * n, mm)
    for use in range(n):
        for _ in range(6):
            sums = [Op("aten::add", dims=size * 2, device=4)] if use else []
            back = node("PowBackward0", Op("aten::mul", device=9)) if penalty and not use else node("AddmmBackward0", mm, mm)
            rows += [back, Op("autograd::engine::evaluate_function: TBackward0", Op("TBackward0"), *sums, tid=2)]
            if use == n - 1:
                rows.append(Op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", Op("torch::autograd::AccumulateGrad", dims=size), tid=2))
    return rows


def one_hot(classes, *behind):
    return [Op("aten::one_hot", device=40, dims=[[4096], []], concrete=["", str(classes)]),
            Op("aten::to", device=40, dims=[[4096, classes]]), *behind] + work(90, 2)


def kept_of(classes, rows=4096):
    """All experts compute all rows, and a one-hot matrix keeps one of them."""
    return times(classes, Op("aten::matmul", dims=[[rows, 256], [256, 512]], device=90)) + one_hot(
        8, Op("aten::mul", dims=[[8, rows, 512], [8, 4096, 1]], device=50), Op("aten::sum", dims=[[8, rows, 512]], device=50))


def masked(mask, by="efficient"):
    """Attention with a mask, which no flash kernel takes."""
    return times(4, Op(f"aten::_scaled_dot_product_{by}_attention", dims=[[8, 16, 2048, 64]] * 3 + [mask], device=900, kernel="fmha_cutlassF_bf16_aligned"),
                 *work(90, 2))


def flash(tokens):
    return dict(dims=[[8, tokens, 16, 64]] * 3, device=500, kernel="pytorch_flash::flash_fwd_kernel<X>")


def clipped(check):
    """Gradients are checked, clipped, and then the check is read."""
    return [Op("aten::reciprocal", dims=[[]], device=2, pause=60), Op("aten::full", dims=[[]], device=2, pause=60), Op(check, device=9),
            *times(9, Op("aten::_foreach_norm", device=2)), item()] + work(9, 4)


def network(columns=256):
    return [small("add", [32, 256], [32, 256])] + times(4, product(32, 256, 512), small("gelu", [32, 512]), product(32, 512, columns))


def sampler(per_step, columns=256):
    return times(3, *times(per_step, *network()), *network(columns), *(small("mul", [32, 256], []) for _ in range(6)))


def guided(takes_the_first=0):
    """A network with operators of its own around its layers, twice a step; before the second something may be done with the first."""
    one = [small(name, [32, 256]) for name in ("sin", "cos", "mul", "exp", "add")] + network() + [product(32, 256, 64)]
    return times(3, *one, *(small("sub", [32, 64]) for _ in range(takes_the_first)), *one, *(small("mul", [32, 64], []) for _ in range(6)))


def read_again(words, pick="argmax"):
    """An answer is written word by word, each time by a pass over as many words."""
    return [row for n in words for row in (Op("aten::embedding", dims=[[16000, 512], [8, n], [], [], []], device=9), *work(400, 8),
                                           Op(f"aten::{pick}", dims=[[8, 16000]], device=3), small("cat", [8, n]))]


def side_by_side(columns, *behind):
    return times(6, *times(3, product(256, 512, columns)), *behind)


def rows_of_derivative(n):
    return times(4, product(32, 256, 256)) + times(n, small("select", [32, 256]), *times(4, node("MmBackward0", product(32, 256, 256))))


def moved(*names):
    return times(32, *(small(name, [512, 512], [512, 512]) for name in names)) + BEHIND + work(2, 24, 9)


WORDS, IMAGES = [16, 128000], [1 << 24]


def sorted_words(*behind):
    return [Op("aten::sort", dims=[WORDS, [], []], concrete=["", "-1", "True"], device=400, kernel="DeviceRadixSort"), *behind] + work()


def filled(name, *behind):
    return [Op(f"aten::{name}", dims=[IMAGES, []], device=60, kernel=FILL), *behind] + work()


def added_to(gradients, front=(), add=True):
    """Each gradient is added to, where add; front: what the program does first."""
    return [*front, *times(4, Op("aten::addmm", device=9))] + times(
        gradients, node("MmBackward0", Op("aten::mm", device=9)), node("torch::autograd::AccumulateGrad", *([Op("aten::add_", device=9)] if add else []))) + work()


def attending(rows, softmax, layer=False):
    """One head: queries by keys, softmax, by values; layer: by weights."""
    def by(m, k, n):
        inner = Op("aten::mm", dims=[[m, k], [k, n]], device=60, kernel="nvjet_sm90_mm")
        return Op("aten::linear", inner, dims=[[m, k], [n, k]]) if layer else inner
    return times(4, by(rows, 64, rows), *softmax, by(rows, rows, 64), *work())


def written_out(rows):
    return [Op(f"aten::{name}", dims=[[16, rows, rows]], device=40) for name in ("amax", "sub", "exp", "sum", "div")]


def left_inside(n):
    """A compiled function that leaves its code n times, each time to go on inside."""
    rows = []
    for i in reversed(range(n + 1)):
        rows = [Op("TorchDynamo Cache Lookup", own=20), Op(f"Torch-Compiled Region: {i}/0", Op("Pregraph bytecode", own=20),
                                                           Op("## Call CompiledFxGraph f", *work(2, 2)), Op("aten::cos", device=2), *rows)]
    return rows


def versions(n, given_up):
    """Calls of a function with n compiled versions, and of it operator by operator."""
    rows = [row for i in range(n) for row in (Op("TorchDynamo Cache Lookup", own=20), Op(f"Torch-Compiled Region: 0/{i}", device=3, own=20))]
    return rows + times(given_up, Op("TorchDynamo Cache Lookup", own=20), *times(8, small("mul", [512, 512], [512, 512])))
