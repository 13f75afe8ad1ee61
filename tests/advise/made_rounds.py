# SPDX-License-Identifier: Apache-2.0
"""Rounds of a loop whose results are joined, or that are calls of their own."""

from made_rows import *  # noqa: F403


def joined_list(behind):
    """A list that is too long to be recorded, and what takes its result."""
    return [Op("aten::cat", dims=[[], []], device=2), small("relu", behind)]


def one_track(k, own=True):
    """A filter of a state and of its uncertainty, which comes last."""
    front = [part([24, 16, 2], k, 0)] if own else []
    return front + [product(16, 16, 2), small("add", [16, 2], [16, 2]), product(16, 16, 16), small("sub", [16, 16], [16, 16])]


def own_weights(_):
    return [linear(64, 128, 256), small("gelu", [64, 256]), linear(64, 256, 128)]


def stacked(n, *dims):
    return [Op("aten::cat", dims=[[list(dims)] * n, []], device=2)]


def one_picture(i):
    return [part([24, 3, 64, 64], i, 0), Op("aten::conv2d", dims=[[1, 3, 64, 64], [16, 3, 3, 3]], device=2), small("relu", [1, 16, 64, 64])]


def request(words):
    return [product(words, 384, 384), small("gelu", [words, 384]), product(words, 384, 384), small("add", [words, 384], [words, 384])]


def dilated(i):
    """A layer that pads by more than the one before it."""
    length = 4096 + 2 ** (i % 7)
    return [small("pad", [6, 32, 4096]), product(32, length, 64), small("tanh", [6, 32, 4096]), product(32, 4096, 32), small("add", [6, 32, 4096], [6, 32, 4096])]


def passes(n, step=False):
    """n times forward and backward; `step`: with an optimizer's step behind each."""
    one = [product(32, 256, 256), small("relu", [32, 256]), product(32, 256, 10), small("sum", [32, 10]), node("SumBackward0", small("expand", [32, 10])),
           node("MmBackward0", product(256, 32, 10), product(32, 10, 256)), small("mul", [256, 256], [])]
    return times(n, *one, *([annotation("Optimizer.step#SGD.step", small("_fused_sgd_", [256, 256]))] if step else []))


def one_sample(i):
    return [part([24, 128], i, 0), linear(1, 128, 256), small("relu", [1, 256]), linear(1, 256, 10)]


def one_head(_):
    return [product(64, 32, 64), small("softmax", [64, 64]), product(64, 64, 32)]


def told(picks):
    """A cell that is given what it picked the time before; else the next word of a text."""
    word = [small("argmax", [32, 1000])] if picks else [part([32, 24], 0)]
    return [small("embedding", [1000, 256], [32]), Op("aten::gru_cell", product(32, 256, 768), small("sigmoid", [32, 768]), small("tanh", [32, 256])),
            product(32, 256, 1000), *word]


def layer_by_parts(fused):
    """A layer that has its sequence: part by part, or as the library's one call."""
    if fused:
        return [Op("aten::gru", Op("aten::t"), Op("aten::_cudnn_rnn", device=90, own=400))] + work(2, 2)
    return [Op("aten::gru", *times(24, Op("aten::t"), product(32, 256, 768), Op("aten::_thnn_fused_gru_cell", device=2)))] + work(2, 2)


def drawn(_):
    """A cell that is given what it drew from the scores of the word before."""
    return told(False)[:-1] + [small("sort", [32, 1000]), small("cumsum", [32, 40]), small("gather", [32, 40])]


def angles_behind(between, *by):
    """Of positions alone, and an operator of a library between the layers; by: what else the first takes."""
    made = [angles()[0], *(Op(f"aten::{name}", dims=[[2048], *by], device=40) for name in ("mul", "cos", "to"))]
    return times(6, *made, small("mul", [1, 32, 2048, 2048], [2048]), small(between, [4, 32, 2048]), *work())


# ---- algebra ----

SQUARE = [512, 512]


def inverted(*behind, name="linalg_inv"):
    return [Op(f"aten::{name}", Op("aten::linalg_inv_ex", device=900), dims=[SQUARE]), *behind] + work()


def forms(outputs):
    return [Op("aten::bilinear", *times(outputs, Op("aten::bmm", dims=[[1, 512, 256], [1, 256, 256]], device=4)),
               dims=[[512, 256], [512, 256], [outputs, 256, 256]])] + work()


def adapted(rank, last="add", between=()):
    """A layer and a narrow one beside it."""
    sums = Op(f"aten::{last}", dims=[[32, 1024]] * 2, device=2)
    return times(6, linear(32, 1024, 1024), linear(32, 1024, rank), *between, linear(32, rank, 1024), small("mul", [32, 1024], []), sums, small("relu", [32, 1024]))


def recurrent(copies):
    return times(4, Op("aten::_cudnn_rnn", *times(copies, Op("aten::copy_", dims=[SQUARE] * 2, device=9)), device=90)) + work()


def ordered(n, made=False):
    """Products with a sparse array that is sorted in each; made: it is made for them."""
    product = Op("aten::_sparse_mm", Op("aten::coalesce", Op("aten::_coalesce", device=90)), Op("aten::addmm", device=90))
    return times(made, Op("aten::_sparse_coo_tensor_unsafe")) + times(n, product) + work()


def cloned():
    return Op("aten::clone", Op("aten::copy_", device=60, copy="Memcpy DtoD (Device -> Device)", call="cudaMemcpyAsync"))


def copied_to(name, *dims, between=()):
    """What is computed is copied to a tensor that is there."""
    copy = Op("aten::copy_", dims=[[16, 4096], [16, 4096], []], device=40, copy="Memcpy DtoD (Device -> Device)", call="cudaMemcpyAsync")
    return times(6, Op(f"aten::{name}", dims=list(dims) or [[16, 4096], [4096]], device=90), *between, copy, *work(60, 1))


def spectral(scalar=()):
    """A matrix over u'(W v)."""
    return times(4, small("mv", SQUARE, [512]), small("dot", [512], [512]), Op("aten::div", dims=[SQUARE, list(scalar)], device=20), *work(9, 1))


def quadratic(between, columns=64):
    """(q k) v of attention without a softmax."""
    return times(4, Op("aten::matmul", Op("aten::bmm", dims=[[64, 2048, 64], [64, 64, 2048]], device=300), dims=[[4, 16, 2048, 64], [4, 16, 64, 2048]]), *between,
                 Op("aten::matmul", Op("aten::bmm", dims=[[64, 2048, 2048], [64, 2048, columns]], device=300), dims=[[4, 16, 2048, 2048], [4, 16, 2048, columns]]))


def looked_up(device, name="IndexBackward0"):
    return work() + [node(name, Op("aten::_index_put_impl_", dims=[[20000, 64], [], [600000, 64], [], []], types=["float", "", "float", "Scalar", "Scalar"], device=device))]


def fp32_product(device, rows=64):
    """On the plain cores; of 8192 rows and one column it does nothing but read."""
    columns = 64 if rows == 64 else 1
    return [Op("aten::mm", dims=[[rows, 64], [64, columns]] if rows == 64 else [[rows, rows], [rows, columns]], types=["float"] * 2, device=device,
               kernel="cutlass_80_simt_sgemm_64x64_8x5_tn_align1")]


def normed(blocks, device=900, name="native_group_norm"):
    """A block for each group of channels of each picture."""
    return times(4, Op(f"aten::{name}", dims=[[1, 64, 512, 512], [64], [64]], types=["float"] * 3, device=device, grid=blocks, threads=512,
                       kernel="void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float, float, int>"), *work(20, 1))


def attended(blocks):
    """So large that one block fits on an SM."""
    return times(4, Op("aten::_flash_attention_forward", dims=[[1, 4608, 4, 256]] * 3, device=900, grid=blocks, threads=1024,
                       kernel="pytorch_flash::flash_fwd_kernel"), *work(20, 1))


def plain_convolution(channels):
    return Op("aten::cudnn_convolution", dims=[[8, channels, 512, 512], [channels, channels, 3, 3]], types=["float"] * 2, device=90,
              kernel="void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, true, false, true>")


def plain_gradient(channels):
    """Of two pictures: how many there are is not how many channels they have."""
    return Op("aten::convolution_backward", dims=[[2, 64, 512, 512], [2, 64, 512, 512], [64, channels, 3, 3]], types=["float"] * 3, device=90,
              kernel="void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, true, false, true>")


def hidden_but(exposed):
    """A copy that computing hides, and one in front of what computes next."""
    hidden, = pinned_upload([4096, 4096], 1200)
    hidden.beside = True
    return [hidden] + work(1300, 1) + pinned_upload([4096, 4096], exposed) + work(900, 1)


def stacked_on_host(tensors):
    """Two that are made, and others; 0: a list that is too long to be recorded."""
    return [*times(2, Op("aten::linspace", own=40)), Op("aten::stack", dims=[[[512]] * tensors, []], own=900), upload([512, 512])]


def emptied(frees):
    """Each of four parts of a step asks for its memory anew."""
    return times(4, Op("aten::empty", Op("cudaMalloc", cat="cuda_runtime", own=60)), Op("aten::mm", device=90), *frees) + large_products(2048)[:1]


def compiled_with(*between):
    """Small kernels of compiled code, a launch each."""
    return times(60, Op("Torch-Compiled Region: 0/0", Op("## Call CompiledFxGraph fabc ##", *times(3, Op("triton_poi_fused", device=2))), own=9), *between)


def graphs_with(*between):
    return times(8, Op("replay", cat="other", device=9, call="cudaGraphLaunch"), *between)


# ---- rounds of which none takes what another gave ----

def moments(i, own=False):
    """A matrix by what the round before gave, and by that before it; own: by a part of a tensor."""
    return ([part([24, 512, 64], i, 0)] if own else []) + [product(512, 512, 64), small("mul", [512, 64], []), small("sub", [512, 64], [512, 64]),
                                                           small("mul", [512, 64], [512, 64]), small("sum", [512, 64])]


def sent_one_by_one(copying):
    """Parts that come from the host: as one call they are as many bytes."""
    return times(12, upload([16, 256], copying), linear(16, 256, 512), small("relu", [16, 512]), linear(16, 512, 10))


def member(_, columns=1):
    """A network of an ensemble, whose result is added to that of the others."""
    return [linear(64, 32, 128), small("relu", [64, 128]), linear(64, 128, columns), small("add", [64, columns], [64, columns])]


def residual(_):
    return [small("layer_norm", [64, 128]), linear(64, 128, 256), small("gelu", [64, 256]), linear(64, 256, 128), small("add", [64, 128], [64, 128])]


def of_one_game(soon=True):
    """The pictures of one game are uploaded, and the move is read."""
    rest = [small("div", [4, 84, 84]), linear(1, 28224, 64), small("relu", [1, 64]), linear(1, 64, 6), small("argmax", [1, 6]), item()]
    up = upload([4, 84, 84])
    up.pause = 5 if soon else 500
    return [up, *rest]


def restored(i, compares="sub", reads="mean"):
    """One sample's own network gives it back: its layers alone repeat, too, and what it gives is held against it."""
    return [part([24, 128], i, 0), *times(4, linear(1, 128, 128), small("relu", [1, 128])), linear(1, 128, 128), small(compares, [1, 128], [1, 128]),
            small(reads, [1, 128])]


def siamese(out=64, between=(), behind=()):
    one = [linear(64, 128, 256), small("relu", [64, 256]), linear(64, 256, 512), small("relu", [64, 512]), linear(64, 512, out)]
    return [*one, *between, *one, small("sub", [64, out], [64, out]), *behind]


def tried_whole(behind=(), frees=12):
    """Memory runs out in an operator, all is freed, and the halves are computed."""
    def layers(rows):
        return times(8, Op("aten::linear", dims=[[rows, 512], [512, 512]], device=30), Op("aten::gelu", dims=[[rows, 512]], device=9))
    fails = Op("aten::rms_norm", Op("cudaFree", cat="cuda_runtime", own=90), Op("cudaMemGetInfo", cat="cuda_runtime", own=9), *behind)
    return layers(8192) + [fails] + times(frees, Op("cudaFree", cat="cuda_runtime", own=60)) + 2 * layers(4096)


def ranked_on_host(dims=(12,), own=150):
    return [download(2, 48), Op("aten::argsort", dims=[list(dims)], types=["float"], own=own), upload([12], 2, 48)]


def area(part, operators=6):
    """A metric over all that was stored so far, of which a step adds a part."""
    whole = [1 << 22]
    return [*work(40), Op("aten::slice", dims=[whole, [], [], [], []], concrete=["", "0", "8192", str(8192 + part), "1"]), small("copy_", [part], [part]),
            *(Op(f"aten::{name}", dims=[whole], device=90) for name in ("sort", "index", "cumsum", "rsub", "div", "trapezoid")[:operators])]


# ---- constants in each layer ----

def distances_of_places():
    """Two sequences of places against each other, and a table that is looked up by that."""
    def places(dim):
        return [Op("aten::arange", dims=[[], [], [], [], []], concrete=["512", "", "", "", "False"], device=9), Op("aten::unsqueeze", dims=[[512]], concrete=["", str(dim)])]
    return [*places(1), *places(0), Op("aten::sub", dims=[[512, 1], [1, 512]], device=20), *(Op(f"aten::{n}", dims=[[512, 512]], device=20) for n in ("abs", "log"))]


def degrees(own=True):
    """Of a graph with an edge from each node to itself; own: the edges are not what the layer before made."""
    n, edges = [4096], [32768]
    rows = [Op("aten::arange", dims=[[], [], [], [], []], concrete=["4096", "", "", "", "False"], device=9), Op("aten::cat", dims=[[edges, n], []], device=40),
            Op("aten::clamp", dims=[[36864]], device=60)]
    return rows + [Op("aten::linear", dims=[[60, 512], [512, 512]], device=30)] + ([] if own else [Op("aten::add", dims=[edges, edges], device=9)])


def placed():
    """Angles by which a layer's input is multiplied, one behind the other."""
    return [*angles(), Op("aten::mul", dims=[[4, 2048, 64], [2048, 64]], device=30), Op("aten::relu", dims=[[4, 2048, 64]], device=20)]


# ---- lists that grow, and others ----

def kept_in_list(training=False, same=False):
    rows = [Op("aten::stack", Op("aten::cat", dims=[[[64, 1, 1024]] * (8 if same else 4 + i), []], device=60), dims=[[[64, 1024]] * (8 if same else 4 + i), []]) for i in range(12)]
    return [row for one in rows for row in (one, product(64, 1024, 1024))] + (TRAINED if training else [])


def made_unseen(size, read=False):
    """A pause, and then an upload."""
    up = upload([512, 512])
    up.pause = 2000
    up.children[0].children[0].size = size
    return work(20, 4) + ([item()] if read else []) + [up, *work(20, 4)]


def windows(stride, step=1039):
    return [Op("aten::clone", Op("aten::copy_", dims=[[8, 32, 1024, 16]] * 2, device=300), dims=[[8, 32, 1024, 16]], strides=[[32 * step, step, stride, 1]])] + work()


def never_cleared(sizes):
    """Gradients of a head are set, those of what is in front of it added to what was there."""
    head = [node("AddmmBackward0", Op("aten::mm", device=9)), node("torch::autograd::AccumulateGrad")]
    head[1].children[0].dims = [[10, 64]]
    back = []
    for size in sizes:
        keep = node("torch::autograd::AccumulateGrad", Op("aten::add_", device=2))
        keep.children[0].dims = [size]
        back += [node("AddmmBackward0", Op("aten::mm", device=9)), keep]
    step = annotation("Optimizer.step#SGD.step", Op("aten::_foreach_add_", dims=[[[10, 64]]], device=5))
    return times(len(sizes) + 1, Op("aten::addmm", dims=[[64], [32, 64], [64, 64]], device=9)) + head + back + [step]


def enlarged(channels, filter=1):
    return [Op("aten::upsample_bilinear2d", dims=[[16, 256, 64, 64]], device=900), Op("aten::conv2d", dims=[[16, 256, 256, 256], [channels, 256, filter, filter]], device=900)] + work()


def pooled(i):
    """A picture of a film, whose places are averaged."""
    return [part([24, 3, 64, 64], i, 0), Op("aten::conv2d", dims=[[1, 3, 64, 64], [16, 3, 3, 3]], device=2), small("relu", [1, 16, 64, 64]),
            small("adaptive_avg_pool2d", [1, 16, 64, 64])]


def weighed_expert(i, rows=64):
    """An expert of all words, and the weight that each word has for it."""
    return [part([64, 24], i), linear(rows, 128, 256), small("gelu", [rows, 256]), linear(rows, 256, 128), small("mul", [rows, 128], [rows, 1]),
            small("add", [rows, 128], [rows, 128])]


def swung(k, vectors=True):
    """A method with four slopes a turn, whose first operators are there four times: six numbers of one of 24, or a batch."""
    rows = [] if vectors else [24]
    wide, narrow = [*rows, 48], [*rows, 6]
    slope = [Op("aten::linear", dims=[narrow, [48, 6], [48]], device=2), small("tanh", wide), Op("aten::linear", dims=[wide, [6, 48], [6]], device=2),
             Op("aten::matmul", dims=[narrow, [6, 6]], device=2), small("sub", narrow, narrow)]
    on = [small("mul", narrow, []), small("add", narrow, narrow)]
    return times(k, *times(3, *slope, *on), *slope, *times(2, *on), on[1])


def boats(apart=True):
    return [taken_apart("unbind", [24, 6], "0")] * apart + swung(24 * 4) + stacked(24, 6)


def two_words(fed):
    """A decoder says two words; fed: the second is given the first, else what comes from elsewhere."""
    layer = [small("layer_norm", [16, 1, 256]), linear(16, 256, 256), small("gelu", [16, 256]), linear(16, 256, 256), small("add", [16, 1, 256], [16, 1, 256])]
    said = [linear(16, 256, 900), small("argmax", [16, 900])]
    word = [small("embedding", [900, 256], [16, 1]) if fed else linear(16, 99, 256)]
    return 2 * (word + 6 * layer + said)


def spoken(k):
    """Scores of each word are kept, and the next one is given it."""
    return [small("embedding", [900, 256], [16, 1]), small("layer_norm", [16, 1, 256]), linear(16, 256, 512), small("gelu", [16, 512]), linear(16, 512, 900),
            small("max", [16, 1, 900])]


def products_of_layers(layers=5, n=24):
    """In each layer a loop over samples, and its backward."""
    loop = [row for k in range(n) for row in (part([n, 64, 64], k, 0), product(64, 64, 1024))] + stacked(n, 64, 1024) + [small("leaky_relu", [n, 64, 1024])]
    back = [node("LeakyReluBackward0", small("leaky_relu_backward", [n, 64, 1024])), node("StackBackward0", small("clone", [n, 64, 1024]))]
    back += times(n, node("MmBackward0", product(64, 1024, 64), product(64, 64, 1024)), node("SelectBackward0", small("zeros", [n, 64, 64]), small("copy_", [64, 64])))
    return layers * loop + layers * back


def by_operators(compiled):
    """Compiled code is looked for, and what runs is not; compiled: something else is."""
    rows = times(compiled, Op("Torch-Compiled Region: 0/0", device=3))
    return [Op("TorchDynamo Cache Lookup"), *times(8, Op("aten::mul", dims=[[512, 512]] * 2, device=40, kernel="vectorized_elementwise_kernel<4>"))] + rows


def turns_alone(back, table=False):
    """All that a program does: rounds on tensors of their own; back: of which each may take what the one before it gave."""
    return times(16, *times(table, small("index_select", [40, 1], [], [1])), linear(16, 512, 512 if back else 64), small("gelu", [16, 512 if back else 64]))


def asked_in_between():
    """A decoder that asks behind twelve words whether all have ended."""
    word = [small("embedding", [900, 256], [16]), linear(16, 256, 512), small("gelu", [16, 512]), linear(16, 512, 900), small("argmax", [16, 900])]
    return 2 * [*(12 * word), small("all", [16]), item()] + work(2, 2)


def padded(by, before="conv2d"):
    """Zeros around an image, and what takes it."""
    around = [Op("aten::fill_", device=20), Op("aten::copy_", device=60)]
    rows = [Op("aten::pad", Op("aten::constant_pad_nd", *around, dims=[IMAGE], concrete=["", str(by), "0."])), Op(f"aten::{before}", dims=[IMAGE], device=90)]
    return times(4, *rows)


def learned(sizes, adds):
    """Backward of layers, and of each the gradient that is kept."""
    rows = []
    for size in sizes:
        keep = node("torch::autograd::AccumulateGrad", *([Op("aten::add_", device=3)] if adds else []))
        keep.children[0].dims = [size]
        rows += [node("ConvolutionBackward0", Op("aten::convolution_backward", device=60)), keep]
    return rows


def against_each_other(turns):
    """Two networks, each with an optimizer: what the backward pass in front of its step goes through, and whether that is added."""
    sizes = {"judge": [[64, 32, 3, 3]] * 5, "maker": [[32, 32, 4, 4]] * 6}
    def step(name):
        return annotation("Optimizer.step#Adam.step", Op("aten::_fused_adam_", dims=[sizes[name]] * 2, device=20))
    forward = times(6, Op("aten::convolution", device=60))
    return [row for name, through in turns for row in [*forward, *[r for of, adds in through for r in learned(sizes[of], adds)], step(name)]]


def listening(made=False, picks=True):
    """A decoder whose layer makes keys and values of what was heard for each word; made: what was heard is made, too."""
    heard = [16, 1500, 256]
    word = [small("embedding", [900, 256], [16, 1]), linear(16, 256, 256), *times(made, Op("aten::add", dims=[heard, heard], device=90)),
            Op("aten::linear", Op("aten::addmm", dims=[[512], [24000, 256], [256, 512]], device=90), dims=[heard, [512, 256], [512]]),
            small("scaled_dot_product_attention", [16, 4, 1, 64], [16, 4, 1500, 64], [16, 4, 1500, 64]), linear(16, 256, 900), small("argmax", [16, 900])]
    return 12 * word[not picks:]


def deep(i):
    """A sample of its own goes through 40 layers."""
    layer = [small("layer_norm", [1, 128]), linear(1, 128, 256), small("gelu", [1, 256]), linear(1, 256, 128), small("mul", [1, 128], [128]), small("relu", [1, 128]),
             small("add", [1, 128], [1, 128])]
    return [part([12, 1, 64], i, 0), linear(1, 64, 128), *(40 * layer), linear(1, 128, 10)]
