# SPDX-License-Identifier: Apache-2.0
"""A small trace for each pattern of the catalogue, one in which it is and others in which it is not. "batch:slices" is the action
batch with the sentence of that name, "whole-sort+nucleus" another program that shows whole-sort, "+ahead" one whose host is
far ahead of its device.

    made.py write FOLDER             writes NAME.yes.json and NAME.no.json
    made.py check ADVICE.json FILE   FILE is what `report --json` says of that folder: each yes has its action, in whole
                                     sentences, each no has not; and each pattern of the catalogue is here"""

import json
import pathlib
import sys

from made_rounds import *  # noqa: F403
from made_rows import *  # noqa: F403

PICK = Op("aten::select", dims=[[256, 64]])
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
    "train-mode:norms": (times(4, Op("aten::batch_norm", device=30, kernel="cudnn::bn_fw_tr_1C11_kernel_NCHW")) + work(),
                         times(4, Op("aten::batch_norm", device=30, kernel="cudnn::bn_fw_inf_1C11_kernel_NCHW")) + work(),
                         times(4, Op("aten::instance_norm", Op("aten::batch_norm", device=30, kernel="cudnn::bn_fw_tr_1C11_kernel_NCHW"))) + work()),
    "math-attention": ([Op("aten::_scaled_dot_product_attention_math", *work(900), dims=[HEADS] * 3)],
                       [Op("aten::_scaled_dot_product_flash_attention", *work(900), dims=[HEADS] * 3)]),
    "slower-attention": ([Op("aten::_flash_attention_forward", **flash(1024))] + TRAINED, [Op("aten::_flash_attention_forward", **flash(1024))],
                         [Op("aten::_flash_attention_forward", **flash(256))] + TRAINED),
    "slower-attention+inference": ([Op("aten::_flash_attention_forward", **flash(2048))], [Op("aten::_flash_attention_forward", **flash(1024))]),
    "dense-mask": (masked([1, 1, 2048, 2048]), masked([8, 1, 2048, 2048]), masked([])),
    "dense-mask+cudnn": (masked([2048, 2048], "cudnn"), masked([2048, 77], "cudnn"), masked([2048, 2048], "flash")),
    "same-again": (times(8, *MASK) + work(), MASK + work()),
    "same-again:constants": (times(6, *angles(), *turned(), *work()), times(6, *angles("bernoulli"), *turned(), *work()),
                             times(6, *summed_by_node(), *work()), [row for i in range(6) for row in angles(size=2048 + 64 * i) + work()]),
    "same-again:constants+unknown": (angles_behind("of_a_library"), angles_behind("of_a_library", [2048])),
    "same-again:reread": (read_again(range(384, 390)), read_again(range(384, 390), "softmax"), read_again([384] * 6), read_again([384, 1, 1, 1, 1, 1]),
                          read_again([384, 392, 385, 390, 384]), read_again([8, 16, 24, 32])),
    "same-again:weights": (used_by_passes(2), used_by_passes(1), used_by_passes(3), used_by_passes(2, penalty=True)),
    "full-bias": (times(4, Op("aten::addmm", dims=[[8192, 4096], [8192, 1024], [1024, 4096], [], []], device=150)),
                  times(4, Op("aten::addmm", dims=[[4096], [8192, 1024], [1024, 4096], [], []], device=150))),
    "shared-operand": ([Op("aten::bmm", dims=[[1024, 1, 2048], [1024, 2048, 2048]], strides=[[2048, 2048, 1], [0, 2048, 1]], device=900)],
                       [Op("aten::bmm", dims=[[1024, 1, 2048], [1024, 2048, 2048]], strides=[[2048, 2048, 1], [4194304, 2048, 1]],
                           device=900)]),
    "shared-operand+left": ([Op("aten::bmm", dims=[[256, 512, 512], [256, 512, 16]], strides=[[0, 512, 1], [8192, 16, 1]], device=900)],
                            [Op("aten::bmm", dims=[[256, 512, 512], [256, 512, 16]], strides=[[0, 0, 0], [8192, 16, 1]], device=900)]),
    "order-of-products": ([Op("aten::mm", dims=[[8192, 8192], [8192, 8192]], device=1500), Op("aten::mm", dims=[[8192, 8192], [8192, 64]], device=50)],
                          [Op("aten::mm", dims=[[8192, 8192], [8192, 8192]], device=1500),
                           Op("aten::mm", dims=[[8192, 8192], [8192, 8192]], device=1500)]),
    "order-of-products+vector": ([Op("aten::matmul", dims=[[8192, 8192]] * 2, device=1500), Op("aten::matmul", dims=[[8192, 8192], [8192]], device=50)],
                                 [Op("aten::matmul", dims=[[8192, 8192], [8192, 16]], device=50), Op("aten::matmul", dims=[[16, 8192], [8192]], device=50)]),
    "order-of-products+second": ([Op("aten::matmul", dims=[[8192, 16], [16, 8192]], device=90), Op("aten::matmul", dims=[[256, 8192], [8192, 8192]], device=200)],
                                 [Op("aten::matmul", dims=[[8192, 4096], [4096, 8192]], device=900), Op("aten::matmul", dims=[[8192, 8192]] * 2, device=900)]),
    "order-of-products+attention": (quadratic([]), quadratic([small("softmax", [4, 16, 2048, 2048])])),
    "order-of-products+scaled": (quadratic([small("div", [4, 16, 2048, 2048], [])]), quadratic([small("mul", [4, 16, 2048, 2048], [2048, 2048])])),
    "inverse": (inverted(Op("aten::matmul", dims=[SQUARE, [512, 1]], device=9)), inverted(small("add", SQUARE, SQUARE)),
                inverted(Op("aten::matmul", dims=[[512, 8], [8, 1]], device=9))),
    "inverse+view": (inverted(Op("aten::transpose", dims=[SQUARE]), Op("aten::bmm", dims=[[1, 8, 512], [1, 512, 512]], device=9), name="pinverse"),
                     inverted(Op("aten::diagonal", dims=[SQUARE]), small("sum", [512]))),
    "bilinear": (forms(32), forms(2)),
    "adapters": (adapted(8), adapted(512), adapted(8, "mul"), adapted(8, between=[small("gelu", [32, 8])]), adapted(8) + TRAINED),
    "rnn-weights": (recurrent(8), recurrent(0)),
    "weight-norm+spectral": (spectral(), spectral([512]), spectral() + TRAINED),
    "conv-bias": (times(4, convolution(True), Op("aten::batch_norm", device=40)), times(4, convolution(True), Op("aten::relu", device=40))),
    "conv-bias+instance": (times(4, convolution(True), Op("aten::instance_norm", Op("aten::batch_norm", device=40))),
                           times(4, convolution(True), Op("aten::group_norm", device=40))),
    "depthwise": ([Op("aten::_conv_depthwise2d", dims=[[32, 256, 56, 56], [256, 1, 7, 7]], device=900)],
                  [Op("aten::conv2d", dims=[[32, 256, 56, 56], [256, 256, 7, 7]], device=900)]),
    "depthwise:": ([Op("aten::cudnn_convolution", dims=[[32, 256, 56, 56], [256, 1, 7, 7]], strides=[[802816, 3136, 56, 1], [49, 49, 7, 1]],
                       types=["float", "float"], device=900)],
                   [Op("aten::cudnn_convolution", dims=[[32, 256, 56, 56], [256, 1, 7, 7]], strides=[[802816, 1, 14336, 256], [49, 49, 7, 1]],
                       types=["float", "float"], device=900)]),
    "fp64:moves": ([Op("aten::add", device=500, kernel="vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<double> >")] + work(),
                   [Op("aten::add", device=500, kernel="vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >")] + work()),
    "blocks": ([Op("cuLaunchKernelEx", cat="cuda_driver", device=900, kernel="forces")] + work(), [Op("aten::sum", device=900, kernel="forces")] + work()),
    "blocks:uneven": ([Op("cuLaunchKernelEx", cat="cuda_driver", device=900, kernel="hits", grid=146, threads=1024)] + work(),
                      [Op("cuLaunchKernelEx", cat="cuda_driver", device=900, kernel="hits", grid=264, threads=1024)] + work()),
    "unused": (head_of_all(last_of(LOGITS)), head_of_all(last_of(LOGITS), small("argmax", LOGITS)),
               head_of_all(last_of(LOGITS), last_of(LOGITS, "0")), head_of_all(last_of(LOGITS, dim="2")), head_of_all(small("view", LOGITS))),
    "unused+index": (head_of_all(Op("aten::index_select", dims=[LOGITS, [], [200]], concrete=["", "1", ""], device=9)),
                     head_of_all(Op("aten::index_select", dims=[LOGITS, [], [900]], concrete=["", "1", ""], device=9))),
    "unused+cast": (head_of_all(Op("aten::to", dims=[LOGITS], device=90), last_of(LOGITS)), head_of_all(Op("aten::to", dims=[LOGITS], device=90), small("sum", LOGITS))),
    "unused:diagonal": ([*large_products(2048)[:1], Op("aten::diagonal", dims=[[8192, 2048]], concrete=["", "0", "0", "1"]), small("sum", [2048])],
                        [*large_products(2048)[:1], Op("aten::diagonal", dims=[[8192, 2048]], concrete=["", "0", "0", "1"]), small("sum", [8192, 2048])]),
    "unused:scaled": ([Op("aten::diag", dims=[[2048], []], device=30), Op("aten::matmul", dims=[[2048, 2048], [2048, 512]], device=90)],
                      [Op("aten::diag", dims=[[2048, 2048], []], device=30), Op("aten::matmul", dims=[[2048, 2048], [2048, 512]], device=90)]),
    "unused:table": (one_hot(2048, Op("aten::matmul", dims=[[4096, 2048], [2048, 64]], device=90)),
                     one_hot(2048, Op("aten::matmul", dims=[[4096, 1024], [1024, 64]], device=90))),
    "unused:classes": (kept_of(8), kept_of(7)),
    "fourier": (echoed([16, 1, 8192]), echoed([16, 1, 64]), echoed([64, 32, 8192])),
    "fourier:odd": ([Op("aten::_fft_r2c", dims=[[32, 1048573]], types=["float"], device=1500, kernel="multi_bluestein_fft<128u>")] + work(),
                    [Op("aten::_fft_r2c", dims=[[32, 1048576]], types=["float"], device=1500, kernel="regular_fft<128u>")] + work()),
    "fourier:halves": ([Op("aten::fft_fft2", Op("aten::to", device=90), Op("aten::_fft_c2c", device=300))] + work(),
                       [Op("aten::fft_fft2", Op("aten::_fft_c2c", device=300))] + work()),
    "fp8": (large_products(8192), large_products(8200), large_products(8192, "float"), large_products(8192) + times(8, Op("aten::add", device=900))),
    "fp8:training": (large_products(8192) + TRAINED, large_products(512) + TRAINED),
    "channels-last:strides": (turned_to_rows(True), turned_to_rows(False), turned_to_rows(True)[1:]),
    "unfold": ([Op("aten::im2col", device=300)] + work(), [Op("aten::unfold", device=300)] + work()),
    "cells+told": (rounds(lambda t: told(False)), rounds(lambda t: told(True))),
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
    "whole-sort+argsort": ([Op("aten::argsort", *sorted_words()[:1], dims=[WORDS, [], []]),
                            Op("aten::slice", dims=[WORDS], concrete=["", "1", "-50", "9223372036854775807", "1"])] + work(),
                           [Op("aten::argsort", *sorted_words()[:1], dims=[WORDS, [], []]),
                            Op("aten::slice", dims=[WORDS], concrete=["", "0", "0", "1", "1"])] + work()),
    "whole-sort+narrow": (sorted_words(Op("aten::narrow", dims=[WORDS], concrete=["", "1", "0", "50"])),
                          sorted_words(Op("aten::narrow", dims=[WORDS], concrete=["", "1", "64000", "50"]))),
    "whole-sort+quantile": ([Op("aten::quantile", *sorted_words()[:1], Op("aten::gather", device=3))] + work(), [Op("aten::unique", *sorted_words()[:1])] + work()),
    "whole-sort+kth": (sorted_words(Op("aten::select", dims=[WORDS], concrete=["", "1", "49"])),
                       sorted_words(Op("aten::select", dims=[WORDS], concrete=["", "1", "64000"]))),
    "whole-sort+nucleus": (sorted_words(Op("aten::softmax", dims=[WORDS], device=30), Op("aten::cumsum", dims=[WORDS], device=60)),
                           sorted_words(Op("aten::softmax", dims=[WORDS], device=30), Op("aten::cumsum", dims=[[16, 50]], device=60)),
                           sorted_words(Op("aten::softmax", dims=[WORDS], device=30), Op("aten::cumsum", dims=[WORDS], device=60)) + TRAINED),
    "zero-fill": ([zeros(), Op("aten::mul", dims=[[1 << 24], [], [1 << 24]], device=150)],
                  [zeros(), Op("aten::mul", dims=[[1 << 24], [1 << 24]], device=150)]),
    "zero-fill+parts": (by_parts(4), by_parts(3)),
    "zero-fill+again": (filled("zero_", Op("aten::copy_", dims=[IMAGES] * 2, device=90)), filled("zero_", Op("aten::add_", dims=[IMAGES] * 2, device=90))),
    "zero-fill+added": ([zeros(), Op("aten::add_", dims=[IMAGES] * 2, device=90)], [zeros(), Op("aten::index_add_", dims=[IMAGES] * 2, device=90)]),
    "in-place": (written("masked_fill"), written("masked_fill", other=True), written("masked_fill") + TRAINED),
    "in-place+copy": (written("scatter", clone=False), written("other", clone=False)),
    "repeats": (times(4, Op("aten::repeat", Op("aten::copy_", dims=[[32, 8, 1024, 512]] * 2, device=200,
                                               strides=[[4194304, 524288, 512, 1], [524288, 0, 512, 1]]))),
                times(4, Op("aten::repeat", Op("aten::copy_", dims=[[32, 8, 1024, 512]] * 2, device=200,
                                               strides=[[4194304, 524288, 512, 1]] * 2)))),
    "dense-embedding": ([node("EmbeddingBackward0", TABLE),
                         annotation("Optimizer.step#SGD.step", Op("aten::_foreach_add_", dims=[[[1048576, 128]]] * 2, device=600))],
                        [annotation("Optimizer.step#SGD.step", Op("aten::_foreach_add_", device=600))]),
    "dense-embedding+bag": ([node("EmbeddingBagBackward0", Op("aten::_embedding_bag_dense_backward", Op("aten::zeros", Op("aten::fill_", device=200, kernel=FILL)),
                                                           device=10, dims=[[4096, 128], [4096], [512]], concrete=["", "", "", "", "", "1048576"]))],
                            [node("EmbeddingBagBackward0", Op("aten::_embedding_bag_dense_backward", Op("aten::zeros", Op("aten::fill_", device=200, kernel=FILL)),
                                                           device=10, dims=[[4096, 128], [4096], [512]], concrete=["", "", "", "", "", "4096"]))]),
    "python-thread": ([row for _ in range(16) for row in (Op("aten::mm", device=3), Op("time.sleep", cat="other", own=5050))],
                      [row for _ in range(16) for row in (Op("aten::mm", device=3), Op("time.sleep", cat="other", own=7500))]),
    "index-loop": (times(32, Op("aten::select", dims=[[256, 64]]), Op("aten::copy_", dims=[[64]] * 2, device=2)),
                   times(32, Op("aten::select", dims=[[256, 64]]), Op("aten::copy_", dims=[[64]] * 2, device=2),
                         Op("aten::mm", dims=[[64, 64]] * 2, device=3))),
    "index-loop:stacked": (times(32, PICK, Op("aten::select", dims=[[256]])) + [Op("aten::stack", device=9)] * 2 + work(),
                           times(32, PICK) + [Op("aten::cat", device=9)] + work(), times(32, PICK, Op("aten::view")) + [Op("aten::stack", device=9)] + work()),
    "made-on-host": (times(8, Op("aten::arange", own=40), upload([512, 512])), times(8, upload([512, 512])),
                     [Op("aten::arange", own=40), upload([512, 512])] + work()),
    "made-on-host:": ([Op("aten::randperm", own=900), upload([512, 512])] + work(), [Op("aten::index", own=900), upload([512, 512])] + work()),
    "made-on-host+chain": (times(8, Op("aten::arange", own=40), Op("aten::to", own=40), Op("aten::div", own=40), Op("aten::unsqueeze"), upload([512, 512])),
                           times(8, Op("aten::zeros", own=40), Op("aten::slice"), Op("aten::copy_", own=40), upload([512, 512])),
                           times(8, Op("aten::zeros", own=40), Op("aten::cat", own=40), upload([512, 512]))),
    "made-on-host+drawn": ([Op("aten::empty"), Op("aten::normal_", own=900), upload([512, 512])] + work(),
                           [Op("aten::empty"), Op("aten::normal_", own=900), *work(), upload([512, 512])]),
    "made-on-host+long": ([Op("aten::arange", own=40), *times(20, Op("aten::div", own=40)), upload([512, 512])] * 4 + work(),
                          [Op("aten::arange", own=40), *times(20, Op("aten::div", own=40)), Op("aten::mm", device=9), upload([512, 512])] * 4 + work()),
    "made-on-host:lists": (times(2, *listed(900)) + work(), times(2, *listed(50)) + work(), times(2, *listed(900)[:2]) + work()),
    "there-and-back": (times(4, download(), Op("aten::clamp", own=60), upload([512, 512])) + work(),
                       times(4, download(size=1 << 18), upload([512, 512])) + work()),
    "there-and-back:computed": (times(2, download(size=1 << 18), Op("aten::exponential_", own=400), upload([512, 512])) + work(),
                                times(2, download(size=1 << 18), Op("aten::exponential_", *work(9, 1), own=400), upload([512, 512])) + work(),
                                times(2, download(size=1 << 18), upload([512, 512]), Op("aten::exponential_", own=400)) + work()),
    "there-and-back:stays": ([download(size=1 << 20), Op("aten::cat", own=900)] + work(), [download(size=1 << 20), Op("aten::cat", own=20)] + work(),
                             [download(size=256), Op("aten::cat", own=900)] + work()),
    "there-and-back:visits": (visiting([1 << 18, 512] * 6), visiting([1 << 18] * 12), visiting([1 << 18, 512] * 3),
                              visiting([1 << 18, 512] * 6, [512] * 12)),
    "multinomial": (checks("aten::multinomial", ["aten::min", "aten::ge"]), checks("aten::other", ["aten::min", "aten::ge"])),
    "repeat-interleave": (checks("aten::repeat_interleave", ["aten::ge"]), checks("aten::other", ["aten::ge"])),
    "one-hot": (checks("aten::one_hot", ["aten::max"]), checks("aten::other", ["aten::max"])),
    "bincount": (checks("aten::bincount", ["aten::max"]), checks("aten::other", ["aten::max"])),
    "hooks": (times(32, Op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", Op("aten::mul_", device=2), own=9, tid=2)),
              times(32, Op("autograd::engine::evaluate_function: MulBackward0", Op("aten::mul_", device=2), own=9, tid=2))),
    "recompiles": ([Op("_compile.compile_inner (dynamo_timed)", own=9000)] + work(), [Op("aten::other", own=9000)] + work()),
    "recompiles:graphs": ([Op("Torch-Compiled Region: 0/1", Op("cudagraphify.get_container", own=30), own=900)] + work(),
                          [Op("Torch-Compiled Region: 0/1", *work(2, 1), own=900)] + work()),
    "recompiles:limit": (versions(8, 4), versions(7, 4), versions(12, 0)),
    "recompiles:kernel": (loaded(9000), loaded(9000, loading="Activity Buffer Request"), loaded(20)),
    "tuning:kernels": (tried(1 << 26), tried(1 << 20), tried(1 << 26, 9)),
    "graph-breaks": (regions(["0/0", "1/0", "2/0", "3/0"], lambda: [item()]), regions(["0/0", "1/0", "2/0", "3/0"], lambda: [])),
    "graph-breaks:inside": (left_inside(5), regions([f"{i}/0" for i in range(6)], lambda: [Op("aten::cos", device=2)])),
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
    "zero-gradients+bare": (added_to(8, times(8, Op("aten::zero_", device=9))), added_to(8, times(4, Op("aten::zero_", device=9))),
                            added_to(8, times(8, Op("aten::zero_", device=9)), add=False)),
    "zero-gradients+ahead": (added_to(8, times(8, Op("aten::zero_", device=200))) + work(900), added_to(8, times(2, Op("aten::zero_", device=200))) + work(900)),
    "graphs:pieces": (graphs_with(Op("aten::copy_", device=2, copy="Memcpy DtoD (Device -> Device)", call="cudaMemcpyAsync"), Op("aten::mul", dims=[[16, 14]], device=2, kernel=FILL)),
                      graphs_with(product(512, 512, 512)), graphs_with(small("mul", [16, 14]), item())),
    "graphs:sizes": (lambda step: times(60, small("mul", [64 + 8 * step, 64])), times(60, small("mul", [64, 64])),
                     lambda step: times(60, Op("aten::mul", dims=[[64 + 8 * step, 64]], device=9))),
    "scaler": ([Op("aten::_amp_foreach_non_finite_check_and_unscale_", device=30), item()] + work(),
               [Op("aten::_foreach_mul_", device=30), item()] + work()),
    "scaler+clipped": (clipped("aten::_amp_foreach_non_finite_check_and_unscale_"), clipped("aten::_foreach_mul_")),
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
    "cells:unrolled+unbound": ([taken_apart("unbind", SEQUENCE, "1")] + rounds(lambda t: gates()[:4] + gates()[5:]),
                               [taken_apart("unbind", [32, 5, 256], "1")] + rounds(lambda t: gates()[:4] + gates()[6:])),
    "cells:layer": (layer_by_parts(False), layer_by_parts(True)),
    "cells:unrolled+drawn": (rounds(lambda t: told(False)), rounds(drawn)),
    "cells:unrolled+listed": (rounds(lambda t: gates()), rounds(gated_layer)),
    "cells:unrolled+joined": (rounds(joined_state), rounds(lambda t: joined_state(t)[1:])),
    "cells:unrolled+added": (rounds(added_input), rounds(by_itself)),
    "batch:slices+chunk": ([taken_apart("chunk", [64, 768], "24", "1")] * 3 + rounds(one_head), rounds(one_head)),
    "batch:slices+samples": (rounds(one_sample), rounds(lambda i: one_sample(0))),
    "batch:slices+ahead": (rounds(expert) + work(200), rounds(stacked_layer) + work(200)),
    "batch:joined": (rounds(own_weights, 24)[:-3] + stacked(24, 64, 128) + work(2, 2), rounds(own_weights), rounds(own_weights)[:-3] + stacked(5, 64, 128) + work(2, 2)),
    "batch:joined+list": (rounds(own_weights, 24)[:-3] + joined_list([24 * 64, 128]) + work(2, 2), rounds(own_weights, 24)[:-3] + joined_list([64, 128]) + work(2, 2)),
    "batch:joined+state": (rounds(one_track, 24)[:-3] + stacked(24, 16, 2) + work(2, 2),
                           rounds(lambda k: one_track(k, own=False), 24)[:-3] + stacked(24, 16, 2) + work(2, 2)),
    "batch:joined+pictures": (rounds(one_picture)[:-3] + stacked(24, 1, 16, 64, 64) + work(2, 2), rounds(one_picture)[:-3] + work(2, 2)),
    "batch:slices": (rounds(expert), rounds(rectified), rounds(gated), rounds(stacked_layer), rounds(filled_in), rounds(decoded),
                     rounds(kept)),
    "batch:": (rounds(scored), rounds(scored_state)),
    "batch:requests": (rounds(lambda i: request(24 + 8 * (i * 5 % 8))), rounds(lambda i: request(24 + 8 * i)), rounds(lambda i: request(64)),
                       rounds(decoded), rounds(dilated)),
    "batch:passes": (passes(16), passes(16, step=True), passes(2)),
    "batch:apart": (rounds(member), rounds(residual), rounds(lambda i: member(i, 32))),
    "batch:apart+games": (times(12, *of_one_game()) + work(2, 60), times(12, *of_one_game(False)) + work(2, 60)),
    "batch:twice+inputs": (siamese(), siamese(128), siamese(between=[item()]), siamese(between=TRAINED)),
    "batch:twice": (sampler(1), sampler(0), sampler(1, 512)),
    "batch:twice+guided": (guided(), guided(2)),
    "batch:operands": (side_by_side(256, small("mul", [256, 256], [256, 256])),
                       side_by_side(512, small("gelu", [256, 512])),
                       side_by_side(512, small("add", [256, 512], [256, 512]))),
    "backward-twice:rows": (rows_of_derivative(16), rows_of_derivative(2)),
    "loops:norm": (moved("linalg_vector_norm"), moved("linalg_vector_norm", "mm")),
    "loops:average": (moved("mul_", "add_"), moved("mul_", "add_", "add_")),
    "loops:update": (moved("lerp_", "addcmul_", "addcdiv_"),
                     [annotation("Optimizer.step#Adam.step", *moved("lerp_", "addcmul_", "addcdiv_"))] + work()),
    "attention": (attending(2048, [Op("aten::softmax", device=60, kernel="softmax_warp_forward<float>")]),
                  attending(2048, [Op("aten::softmax", device=60, kernel="softmax_warp_forward<float>")], layer=True),
                  attending(16, [Op("aten::softmax", device=60, kernel="softmax_warp_forward<float>")])),
    "attention+written": (attending(2048, written_out(2048)), attending(2048, written_out(2048)[:3])),
    "input:computed": ([Op("aten::upsample_bilinear2d", own=900), Op("aten::div", own=300), upload([512, 512])] + work(),
                       [Op("aten::upsample_bilinear2d", own=900), Op("aten::div", own=300), *work(), upload([512, 512])],
                       [Op("aten::arange", own=900), Op("aten::div", own=300), upload([512, 512])] + work()),
    "smaller-copies:narrowed": (pinned_upload([4096, 4096], to="c10::BFloat16") + work(900, 2), pinned_upload([4096, 4096], to="double") + work(900, 2),
                                pinned_upload([4096, 4096]) + work(900, 2)),
    "overlap-copies": (pinned_upload([4096, 4096]) + work(100, 4), pinned_upload([4096, 4096]) + work(40, 4)),
    "overlap-copies+half": (fetched_ahead(False), fetched_ahead(True)),
    "gloo": ([Op("gloo:all_reduce", own=900)] + work(), [Op("nccl:all_reduce", own=900)] + work()),
}

# What an action promises, at least, in microseconds: with the time in which the host came to what goes.
LEAST = {"made-on-host:lists": 2 * 900, "made-on-host+long": 4 * 20 * 40, "weight-norm": 3 * 50, "anomaly-mode": 8 * 270, "checkpointed": 3 * 150 + 4 * (300 + 200)}
# Told first, though one that names no cause saves more.
FIRST = {"hooks", "index-loop", "scaler"}


def sides_of(sides):
    return [(f"no{i}" if i else "yes", rows) for i, rows in enumerate(sides)]


def write(folder):
    for name, sides in PATTERNS.items():
        for side, rows in sides_of(sides):
            (folder / f"{name}.{side}.json").write_text(json.dumps(Trace().steps(rows, "+ahead" in name)), encoding="utf-8")


def check(advice, said):
    words = {a["id"]: a for a in json.loads(advice.read_text(encoding="utf-8"))["actions"]}
    wrong, seen = [], set()
    for run in json.loads(said.read_text(encoding="utf-8"))["runs"]:
        for case in run["cases"]:
            name, side = pathlib.PurePath(case["id"]).name.removesuffix(".json").rsplit(".", 1)
            seen.add((name, side))
            of, _, variant = name.partition("+")[0].partition(":")
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
