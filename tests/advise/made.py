# SPDX-License-Identifier: Apache-2.0
"""A small trace for each pattern of the catalogue, one in which it is and others in which it is not. "batch:slices" is the action
batch with the sentence of that name.

    made.py write FOLDER             writes NAME.yes.json and NAME.no.json
    made.py check ADVICE.json FILE   FILE is what `report --json` says of that folder: each yes has its action, in whole
                                     sentences, each no has not; and each pattern of the catalogue is here

A trace is three steps of the same rows. A host row takes what is in it and a little; what it launches runs on one stream, in order.
Python may pause in front of it."""

import json
import pathlib
import sys

STEPS, OWN, CALL = 3, 3, 5


class Op:
    """A row of the host: children run inside it; device: microseconds of a kernel that it launches."""

    def __init__(self, name, *children, dims=None, strides=None, concrete=None, types=None, device=0, kernel="k<float>", own=OWN,
                 copy=None, size=4, cat="cpu_op", tid=1, call="cudaLaunchKernel", wait=False, blocks=False, pause=0):
        self.__dict__.update(locals())


def times(n, *rows):
    return [row for _ in range(n) for row in rows]


class Trace:
    def __init__(self, hopper=True):
        self.events, self.now, self.free, self.number = [], {1: 0.0, 2: 0.0}, 0.0, 0
        self.device = {"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320, "computeMajor": 9 if hopper else 8,
                       "computeMinor": 0, "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536, "warpSize": 32,
                       "numSms": 132, "sharedMemPerMultiprocessor": 233472}

    def add(self, cat, name, start, end, tid, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1 if isinstance(tid, int) and tid < 7 else 0, "tid": tid,
                            "ts": round(start, 3), "dur": round(end - start, 3), "args": args})

    def launch(self, op):
        self.number += 1
        start = self.now[op.tid]
        begin = max(start + CALL / 2, self.free)
        self.free = begin + op.device
        end = self.free + 1 if op.blocks else start + CALL
        self.now[op.tid] = end
        self.add("cuda_runtime", op.call, start, end, op.tid, correlation=self.number)
        cat, name = ("gpu_memcpy", op.copy) if op.copy else ("kernel", op.kernel)
        more = {"bytes": op.size} if op.copy else {"grid": [64, 1, 1], "block": [256, 1, 1], "registers per thread": 32}
        self.add(cat, name, begin, self.free, 7, correlation=self.number, stream=7, device=0, **more)
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

    def steps(self, rows):
        for step in range(STEPS):
            start = self.now[1] = self.now[2] = max(self.now.values()) + 1
            for row in rows:
                self.now[row.tid] = max(self.now.values())
                self.run(row)
            self.now[1] = max(self.now[1], self.now[2])
            if self.number:
                end = max(self.now[1], self.free) + 2
                self.add("cuda_runtime", "cudaDeviceSynchronize", self.now[1], end, 1)
                self.now[1] = end + 1
            self.add("user_annotation", f"ProfilerStep#{step}", start, self.now[1], 1)
        return {"deviceProperties": [self.device], "traceEvents": self.events}


def work(device=20, n=4, own=OWN):
    return times(n, Op("aten::mm", dims=[[512, 512], [512, 512]], device=device, kernel="nvjet_sm90_mm", own=own))


def node(name, *children):
    return Op(f"autograd::engine::evaluate_function: {name}", Op(name, *children, tid=2), tid=2)


def item():
    return Op("aten::item", Op("aten::_local_scalar_dense", device=2, copy="Memcpy DtoH (Device -> Pinned)", call="cudaMemcpyAsync",
                               wait=True))


def upload(dims, device=30):
    return Op("aten::to", Op("aten::_to_copy", Op("aten::copy_", dims=[dims, dims], device=device, wait=True, size=1 << 20,
                                                  copy="Memcpy HtoD (Pageable -> Device)", call="cudaMemcpyAsync"), dims=[dims]),
              dims=[dims])


def download(device=30, size=1 << 20):
    return Op("aten::to", Op("aten::copy_", device=device, wait=True, size=size, copy="Memcpy DtoH (Device -> Pageable)",
                             call="cudaMemcpyAsync"))


def annotation(name, *children):
    return Op(name, *children, cat="user_annotation")


HEADS = [8, 16, 2048, 64]
TRAINED = [node("SumBackward0", Op("aten::expand"))]
FLASH = dict(dims=[[8, 2048, 16, 64]] * 3, device=500, kernel="pytorch_flash::flash_fwd_kernel<X>")
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


def scored(i):
    return [part([24, 64, 64], i, 0), part([24, 64, 20], i, 0), product(64, 64, 20), small("softmax", [64, 20]), small("mul", [64, 20], [64, 20]),
            small("sum", [64, 20]), small("mean", [20]), small("add", [], [])]


def scored_state(i):
    return [part([24, 64, 20], i, 0), product(64, 64, 20), small("softmax", [64, 20]), small("mul", [64, 20], [64, 20]), product(20, 64, 64),
            product(64, 20, 20), small("mean", [64, 20]), small("add", [], [])]


def request(words):
    return [product(words, 384, 384), small("gelu", [words, 384]), product(words, 384, 384), small("add", [words, 384], [words, 384])]


def passes(n, step=False):
    """n times forward and backward; `step`: with an optimizer's step behind each."""
    one = [product(32, 256, 256), small("relu", [32, 256]), product(32, 256, 10), small("sum", [32, 10]), node("SumBackward0", small("expand", [32, 10])),
           node("MmBackward0", product(256, 32, 10), product(32, 10, 256)), small("mul", [256, 256], [])]
    return times(n, *one, *([annotation("Optimizer.step#SGD.step", small("_fused_sgd_", [256, 256]))] if step else []))


def network(columns=256):
    return [small("add", [32, 256], [32, 256])] + times(4, product(32, 256, 512), small("gelu", [32, 512]), product(32, 512, columns))


def sampler(per_step, columns=256):
    return times(3, *times(per_step, *network()), *network(columns), *(small("mul", [32, 256], []) for _ in range(6)))


def side_by_side(columns, *behind):
    return times(6, *times(3, product(256, 512, columns)), *behind)


def rows_of_derivative(n):
    return times(4, product(32, 256, 256)) + times(n, small("select", [32, 256]), *times(4, node("MmBackward0", product(32, 256, 256))))


def moved(*names):
    return times(32, *(small(name, [512, 512], [512, 512]) for name in names)) + BEHIND + work(2, 24, 9)


PATTERNS = {
    "launch-blocking": (times(12, Op("aten::mm", device=40, blocks=True)), work(40, 12)),
    "anomaly-mode": (times(8, Op("aten::mul", device=5, own=300)) + times(8, Op("autograd::engine::evaluate_function: MulBackward0", Op("aten::isnan", device=5), item(), tid=2)),
                     times(8, Op("aten::isnan", device=5), item())),
    "allocator-off": (times(40, Op("aten::empty", Op("cudaMalloc", cat="cuda_runtime", own=30)), Op("aten::mm", device=9),
                            Op("cudaFree", cat="cuda_runtime", own=30), Op("aten::mul", own=210)),
                      times(40, Op("aten::empty", Op("cudaFree", cat="cuda_runtime", own=30), Op("cudaMalloc", cat="cuda_runtime", own=30)),
                            Op("aten::mm", device=9))),
    "deterministic": ([Op("aten::empty", Op("aten::fill_", device=50))] + work(), [Op("aten::zeros", Op("aten::fill_", device=50))] + work()),
    "train-mode": (times(4, Op("aten::dropout", Op("aten::native_dropout", device=30))) + work(),
                   times(4, Op("aten::dropout", Op("aten::native_dropout", device=30))) + work() + TRAINED),
    "math-attention": ([Op("aten::_scaled_dot_product_attention_math", *work(900), dims=[HEADS] * 3)],
                       [Op("aten::_scaled_dot_product_flash_attention", *work(900), dims=[HEADS] * 3)]),
    "slower-attention": ([Op("aten::_flash_attention_forward", **FLASH)] + TRAINED, [Op("aten::_flash_attention_forward", **FLASH)]),
    "same-again": (times(8, *MASK) + work(), MASK + work()),
    "same-again:constants": (times(6, *angles(), *turned(), *work()), times(6, *angles("bernoulli"), *turned(), *work()),
                             times(6, *summed_by_node(), *work()), [row for i in range(6) for row in angles(size=2048 + 64 * i) + work()]),
    "full-bias": (times(4, Op("aten::addmm", dims=[[8192, 4096], [8192, 1024], [1024, 4096], [], []], device=150)),
                  times(4, Op("aten::addmm", dims=[[4096], [8192, 1024], [1024, 4096], [], []], device=150))),
    "shared-operand": ([Op("aten::bmm", dims=[[1024, 1, 2048], [1024, 2048, 2048]], strides=[[2048, 2048, 1], [0, 2048, 1]], device=900)],
                       [Op("aten::bmm", dims=[[1024, 1, 2048], [1024, 2048, 2048]], strides=[[2048, 2048, 1], [4194304, 2048, 1]],
                           device=900)]),
    "order-of-products": ([Op("aten::mm", dims=[[8192, 8192], [8192, 8192]], device=1500), Op("aten::mm", dims=[[8192, 8192], [8192, 64]], device=50)],
                          [Op("aten::mm", dims=[[8192, 8192], [8192, 8192]], device=1500),
                           Op("aten::mm", dims=[[8192, 8192], [8192, 8192]], device=1500)]),
    "conv-bias": (times(4, convolution(True), Op("aten::batch_norm", device=40)), times(4, convolution(True), Op("aten::relu", device=40))),
    "depthwise": ([Op("aten::_conv_depthwise2d", dims=[[32, 256, 56, 56], [256, 1, 7, 7]], device=900)],
                  [Op("aten::conv2d", dims=[[32, 256, 56, 56], [256, 256, 7, 7]], device=900)]),
    "depthwise:": ([Op("aten::cudnn_convolution", dims=[[32, 256, 56, 56], [256, 1, 7, 7]], strides=[[802816, 3136, 56, 1], [49, 49, 7, 1]],
                       types=["float", "float"], device=900)],
                   [Op("aten::cudnn_convolution", dims=[[32, 256, 56, 56], [256, 1, 7, 7]], strides=[[802816, 1, 14336, 256], [49, 49, 7, 1]],
                       types=["float", "float"], device=900)]),
    "fp64:moves": ([Op("aten::add", device=500, kernel="vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<double> >")] + work(),
                   [Op("aten::add", device=500, kernel="vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >")] + work()),
    "unfold": ([Op("aten::im2col", device=300)] + work(), [Op("aten::unfold", device=300)] + work()),
    "cells": (times(32, Op("aten::lstm_cell", *work(1, 6))), times(4, Op("aten::lstm_cell", *work(1, 6)))),
    "growing-cache": (joined(2048), [Op("aten::cat", dims=[[[16, 2048, 128], [16, 2048, 128]], []], device=50) for _ in range(8)]),
    "distances": ([Op("aten::sub", dims=[[2048, 1, 128], [1, 2048, 128]], device=400), Op("aten::square", dims=[[2048, 2048, 128]], device=600),
                   Op("aten::sum", dims=[[2048, 2048, 128]], device=300)],
                  [Op("aten::sub", dims=[[2048, 2048, 128]] * 2, device=400), Op("aten::square", dims=[[2048, 2048, 128]], device=600),
                   Op("aten::sum", dims=[[2048, 2048, 128]], device=300)]),
    "distances:whole": ([Op("aten::cosine_similarity", *times(3, Op("aten::mul", device=300)), dims=[[2048, 1, 128], [1, 2048, 128], [], []])],
                        [Op("aten::cosine_similarity", *times(3, Op("aten::mul", device=300)), dims=[[2048, 128], [2048, 128], [], []])]),
    "distances:": ([Op("aten::mul", dims=[[2048, 1, 128], [1, 2048, 128]], device=400), Op("aten::sum", dims=[[2048, 2048, 128]], device=300)],
                   [Op("aten::mul", dims=[[2048, 1, 128], [1, 2048, 128]], device=400), Op("aten::exp", dims=[[2048, 2048, 128]], device=300)]),
    "whole-sort": (sorted_for(50), sorted_for(127000)),
    "zero-fill": ([zeros(), Op("aten::mul", dims=[[1 << 24], [], [1 << 24]], device=150)],
                  [zeros(), Op("aten::mul", dims=[[1 << 24], [1 << 24]], device=150)]),
    "repeats": (times(4, Op("aten::repeat", Op("aten::copy_", dims=[[32, 8, 1024, 512]] * 2, device=200,
                                               strides=[[4194304, 524288, 512, 1], [524288, 0, 512, 1]]))),
                times(4, Op("aten::repeat", Op("aten::copy_", dims=[[32, 8, 1024, 512]] * 2, device=200,
                                               strides=[[4194304, 524288, 512, 1]] * 2)))),
    "dense-embedding": ([node("EmbeddingBackward0", TABLE),
                         annotation("Optimizer.step#SGD.step", Op("aten::_foreach_add_", dims=[[[1048576, 128]]] * 2, device=600))],
                        [annotation("Optimizer.step#SGD.step", Op("aten::_foreach_add_", device=600))]),
    "python-thread": ([row for _ in range(16) for row in (Op("aten::mm", device=3), Op("time.sleep", cat="other", own=5050))],
                      [row for _ in range(16) for row in (Op("aten::mm", device=3), Op("time.sleep", cat="other", own=7500))]),
    "index-loop": (times(32, Op("aten::select", dims=[[256, 64]]), Op("aten::copy_", dims=[[64]] * 2, device=2)),
                   times(32, Op("aten::select", dims=[[256, 64]]), Op("aten::copy_", dims=[[64]] * 2, device=2),
                         Op("aten::mm", dims=[[64, 64]] * 2, device=3))),
    "made-on-host": (times(8, Op("aten::arange", own=40), upload([512, 512])), times(8, upload([512, 512])),
                     [Op("aten::arange", own=40), upload([512, 512])] + work()),
    "made-on-host:": ([Op("aten::randperm", own=900), upload([512, 512])] + work(), [Op("aten::index", own=900), upload([512, 512])] + work()),
    "there-and-back": (times(4, download(), Op("aten::clamp", own=60), upload([512, 512])) + work(),
                       times(4, download(size=1 << 18), upload([512, 512])) + work()),
    "there-and-back:computed": (times(2, download(size=1 << 18), Op("aten::exponential_", own=400), upload([512, 512])) + work(),
                                times(2, download(size=1 << 18), Op("aten::exponential_", *work(9, 1), own=400), upload([512, 512])) + work(),
                                times(2, download(size=1 << 18), upload([512, 512]), Op("aten::exponential_", own=400)) + work()),
    "there-and-back:stays": ([download(size=1 << 20), Op("aten::cat", own=900)] + work(), [download(size=1 << 20), Op("aten::cat", own=20)] + work(),
                             [download(size=256), Op("aten::cat", own=900)] + work()),
    "multinomial": (checks("aten::multinomial", ["aten::min", "aten::ge"]), checks("aten::other", ["aten::min", "aten::ge"])),
    "repeat-interleave": (checks("aten::repeat_interleave", ["aten::ge"]), checks("aten::other", ["aten::ge"])),
    "one-hot": (checks("aten::one_hot", ["aten::max"]), checks("aten::other", ["aten::max"])),
    "bincount": (checks("aten::bincount", ["aten::max"]), checks("aten::other", ["aten::max"])),
    "hooks": (times(32, Op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", Op("aten::mul_", device=2), own=9, tid=2)),
              times(32, Op("autograd::engine::evaluate_function: MulBackward0", Op("aten::mul_", device=2), own=9, tid=2))),
    "recompiles": ([Op("_compile.compile_inner (dynamo_timed)", own=9000)] + work(), [Op("aten::other", own=9000)] + work()),
    "recompiles:graphs": ([Op("Torch-Compiled Region: 0/1", Op("cudagraphify.get_container", own=30), own=900)] + work(),
                          [Op("Torch-Compiled Region: 0/1", *work(2, 1), own=900)] + work()),
    "graph-breaks": (regions(["0/0", "1/0", "2/0", "3/0"], lambda: [item()]), regions(["0/0", "1/0", "2/0", "3/0"], lambda: [])),
    "tiny-regions": (times(20, Op("Torch-Compiled Region: 0/0", device=3, own=30)), times(4, Op("Torch-Compiled Region: 0/0", device=3, own=30))),
    "micro-batches": (accumulated(8, 8), accumulated(1, 1)),
    "backward-twice": (accumulated(2, 1), accumulated(2, 2)),
    "frozen": (trained(8, 2), trained(8, 8), trained(8, 8, groups=8)),
    "checkpointed": (layers(True), layers(False)),
    "zero-gradients": (times(8, node("torch::autograd::AccumulateGrad", Op("aten::add_", device=30)))
                       + [annotation("Optimizer.zero_grad#SGD.zero_grad", Op("aten::_foreach_zero_", device=30))] + work(),
                       times(8, node("torch::autograd::AccumulateGrad", Op("aten::add_", device=30))) + work()),
    "zero-gradients:": ([annotation("Optimizer.zero_grad#SGD.zero_grad", Op("aten::_foreach_zero_", device=30))] + work()
                        + times(8, node("torch::autograd::AccumulateGrad", Op("aten::add_", device=30))) + [Op("aten::mm", device=3000)],
                        work() + times(8, node("torch::autograd::AccumulateGrad", Op("aten::add_", device=30))) + [Op("aten::mm", device=3000)]),
    "scaler": ([Op("aten::_amp_foreach_non_finite_check_and_unscale_", device=30), item()] + work(),
               [Op("aten::_foreach_mul_", device=30), item()] + work()),
    "fold-norm": (times(4, Op("aten::conv2d", device=30), Op("aten::batch_norm", device=30)),
                  times(4, Op("aten::conv2d", device=30), Op("aten::batch_norm", device=30)) + TRAINED),
    "cpu-collectives": ([Op("gloo:all_reduce", own=90, cat="user_annotation"), Op("aten::add", own=90)],
                        [Op("gloo:all_reduce", own=90, cat="user_annotation"), Op("aten::add", device=9)]),
    "cpu-rewrites": (times(4, Op("aten::contiguous", dims=[[512, 512]], own=90), Op("aten::add", own=90)),
                     times(4, Op("aten::contiguous", dims=[[123]], own=90), Op("aten::add", own=90))),
    "weight-norm": (times(4, Op("aten::_weight_norm", device=1, pause=50)) + work(1), times(4, Op("aten::_weight_norm", device=30)) + work() + TRAINED),
    "no-sync": ([annotation("DistributedDataParallel.forward", *work()), Op("c10d::allreduce_", device=200, kernel="ncclDevKernel_AllReduce"),
                 annotation("DistributedDataParallel.forward", *work()), Op("c10d::allreduce_", device=200, kernel="ncclDevKernel_AllReduce"),
                 annotation("Optimizer.step#SGD.step", Op("aten::_fused_sgd_", device=20))],
                [annotation("DistributedDataParallel.forward", *work()), Op("DistributedDataParallel.forward", cat="gpu_user_annotation"),
                 *times(2, Op("c10d::allreduce_", device=200, kernel="ncclDevKernel_AllReduce")),
                 annotation("Optimizer.step#SGD.step", Op("aten::_fused_sgd_", device=20))],
                [*times(2, annotation("DistributedDataParallel.forward", *work())),
                 *times(2, Op("c10d::allreduce_", device=200, kernel="ncclDevKernel_AllReduce")),
                 annotation("Optimizer.step#SGD.step", Op("aten::_fused_sgd_", device=20))]),
    "bucket-views": (times(16, Op("torch.distributed.ddp.reducer::copy_bucket_to_grad", device=20)) + work(), work()),
    "ddp-buffers": ([annotation("DistributedDataParallel.forward", Op("c10d::broadcast_", device=90), *work())],
                    [annotation("DistributedDataParallel.forward", *work())]),
    "data-parallel": ([annotation("DataParallel.forward", Op("Broadcast", device=90), *work())], [annotation("DataParallel.forward", *work())]),
    "cells:unrolled": (rounds(gated), rounds(gated_layer), rounds(decoded)),
    "batch:slices": (rounds(expert), rounds(rectified), rounds(gated), rounds(stacked_layer), rounds(filled_in), rounds(decoded)),
    "batch:": (rounds(scored), rounds(scored_state)),
    "batch:requests": (rounds(lambda i: request(24 + 8 * (i * 5 % 8))), rounds(lambda i: request(24 + 8 * i)), rounds(lambda i: request(64)),
                       rounds(decoded)),
    "batch:passes": (passes(16), passes(16, step=True), passes(2)),
    "batch:twice": (sampler(1), sampler(0), sampler(1, 512)),
    "batch:operands": (side_by_side(256, small("mul", [256, 256], [256, 256])),
                       side_by_side(512, small("gelu", [256, 512])),
                       side_by_side(512, small("add", [256, 512], [256, 512]))),
    "backward-twice:rows": (rows_of_derivative(16), rows_of_derivative(2)),
    "loops:norm": (moved("linalg_vector_norm"), moved("linalg_vector_norm", "mm")),
    "loops:average": (moved("mul_", "add_"), moved("mul_", "add_", "add_")),
    "loops:update": (moved("lerp_", "addcmul_", "addcdiv_"),
                     [annotation("Optimizer.step#Adam.step", *moved("lerp_", "addcmul_", "addcdiv_"))] + work()),
    "gloo": ([Op("gloo:all_reduce", own=900)] + work(), [Op("nccl:all_reduce", own=900)] + work()),
}

# What an action promises, at least, in microseconds: with the time in which the host came to what goes.
LEAST = {"weight-norm": 3 * 50, "anomaly-mode": 8 * 270, "checkpointed": 3 * 150 + 4 * (300 + 200)}
# Told first, though one that names no cause saves more.
FIRST = {"hooks", "index-loop"}


def sides_of(sides):
    return [(f"no{i}" if i else "yes", rows) for i, rows in enumerate(sides)]


def write(folder):
    for name, sides in PATTERNS.items():
        for side, rows in sides_of(sides):
            (folder / f"{name}.{side}.json").write_text(json.dumps(Trace().steps(rows)), encoding="utf-8")


def check(advice, said):
    words = {a["id"]: a for a in json.loads(advice.read_text(encoding="utf-8"))["actions"]}
    wrong, seen = [], set()
    for run in json.loads(said.read_text(encoding="utf-8"))["runs"]:
        for case in run["cases"]:
            name, side = pathlib.PurePath(case["id"]).name.removesuffix(".json").rsplit(".", 1)
            seen.add((name, side))
            of, _, variant = name.partition(":")
            action = next((a for a in case["actions"] if a["id"] == of and a.get("variant", "") == (variant or a.get("variant", ""))), None)
            if (action is not None) != (side == "yes") or (side == "yes" and name in FIRST and action is not case["actions"][0]):
                wrong.append(f"{name}.{side}: {[a['id'] for a in case['actions']]}")
            elif action and (action["name"] != words[of]["title"] or not action["events"] or "{" in action["sentence"]
                             or not LEAST.get(name, 0) * 1000 < action["gain_ns"] <= case["window"]["ns"]):
                wrong.append(f"{name}: {action}")
    missing = {(name, side) for name, sides in PATTERNS.items() for side, _ in sides_of(sides)} - seen
    print("\n".join(wrong + [f"{name}.{side} was not read" for name, side in sorted(missing)]))
    print(f"{len(seen)} traces, {len(wrong)} wrong")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(check(*map(pathlib.Path, sys.argv[2:])))
