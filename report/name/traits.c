/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/traits.h"

#include "report/name/classify.h"
#include "report/name/kernel_name.h"

#include <string.h>

/* Where in a name a word stands, and in which case. */
enum where { PART, PART_ANY_CASE, BEGIN, WHOLE };

struct trait_row {
	const char *word;
	enum where where;
	uint32_t bits;
};

/* What rows say to the rules at the end of each kind; nobody else sees it. */
enum {
	SAYS_PLAIN = 1 << 24, /* plain cores, whatever else stands there */
	SAYS_TENSOR = 1 << 25,
	SAYS_SCALAR = 1 << 26, /* plain cores, if no tensor cores stand there */
	SAYS_FLOAT = 1 << 27,
	SAYS_OTHER_TYPE = 1 << 28,
	SAYS_TORCHS_NORM = 1 << 29,
	SAYS_CHANNELS_LAST = 1 << 30,
	SAYS_HALF = TRAIT_PEER, /* copies are no kernels */
	SAYS = SAYS_PLAIN | SAYS_TENSOR | SAYS_SCALAR | SAYS_FLOAT | SAYS_OTHER_TYPE |
		SAYS_TORCHS_NORM | SAYS_CHANNELS_LAST
};

/* In the case in which libraries write them: "cublasGemmSmallN" is no "sgemm". */
static const struct trait_row kernel_rows[] = {
	{"nchwToNhwc", PART_ANY_CASE, TRAIT_TURNS},
	{"nhwcToNchw", PART_ANY_CASE, TRAIT_TURNS},
	{"batched_transpose", PART, TRAIT_TURNS},
	{"1C11", PART, TRAIT_CHANNELS_FIRST},
	{"kernel_NCHW", PART, TRAIT_CHANNELS_FIRST},
	{"at::native::batch_norm_", PART, SAYS_TORCHS_NORM},
	{"channels_last", PART, SAYS_CHANNELS_LAST},
	{"softmax", PART_ANY_CASE, TRAIT_SOFTMAX},
	/* full precision: "sm80_xmma_gemm_f32f32_..._ffma" holds a word of tensor cores, too */
	{"simt", PART, SAYS_PLAIN},
	{"ffma", PART, SAYS_PLAIN},
	{"nvjet", PART, SAYS_TENSOR},
	{"tensorop", PART, SAYS_TENSOR},
	{"wmma", PART, SAYS_TENSOR},
	{"16816", PART, SAYS_TENSOR},
	{"161616", PART, SAYS_TENSOR},
	{"1688", PART, SAYS_TENSOR},
	{"h884", PART, SAYS_TENSOR},
	{"s884", PART, SAYS_TENSOR},
	{"i8816", PART, SAYS_TENSOR},
	{"hmma", PART, SAYS_TENSOR},
	{"imma", PART, SAYS_TENSOR},
	{"xmma", PART, SAYS_TENSOR},
	{"mma_", PART, SAYS_TENSOR},
	{"_mma", PART, SAYS_TENSOR},
	{"s16832", PART, SAYS_TENSOR},
	{"s1616", PART, SAYS_TENSOR},
	{"s64x", PART, SAYS_TENSOR},
	{"warpgroup", PART, SAYS_TENSOR},
	{"tf32", PART, TRAIT_TF32 | SAYS_TENSOR},
	{"sgemm", PART, SAYS_SCALAR},
	{"scudnn", PART, SAYS_SCALAR},
	{"fgemm", PART, SAYS_SCALAR},
	{"hgemm_", PART, SAYS_SCALAR | SAYS_HALF},
	{"dgemm", PART, SAYS_SCALAR | TRAIT_FP64},
	{"engine<float", PART, SAYS_SCALAR},
	{"fft", PART, SAYS_SCALAR | TRAIT_FOURIER},
	{"complex<float2", PART, SAYS_SCALAR | TRAIT_FOURIER},
	{"f64f64", PART, TRAIT_FP64},
	{"d884", PART, TRAIT_FP64},
	{"<double", PART, TRAIT_FP64},
	{"_f32", PART, TRAIT_ATTENDS_FP32},
	{"<float", PART, TRAIT_ATTENDS_FP32 | SAYS_FLOAT},
	{"multi_tensor", PART, SAYS_OTHER_TYPE},
	{"Half", PART, SAYS_OTHER_TYPE},
	{"BFloat16", PART, SAYS_OTHER_TYPE},
	/* what is compiled already, by hand or one for many tensors stays what it is */
	{"elementwise_kernel", PART, TRAIT_FUSIBLE},
	{"reduce_kernel", PART, TRAIT_FUSIBLE},
	{"CatArray", PART, TRAIT_FUSIBLE},
	{"event_wait", PART, TRAIT_SPINS},
	{"spin_kernel", PART, TRAIT_SPINS}, /* torch.cuda._sleep() */
	{"wait_signal", PART, TRAIT_SPINS},
	{"RadixSort", PART, TRAIT_SORTS},
	{"radix_sort", PART, TRAIT_SORTS},
	{"merge_sort", PART, TRAIT_SORTS},
	{"batch_norm_collect_statistics", PART, TRAIT_BATCH_STATISTICS},
	{"bn_fw_tr", PART, TRAIT_BATCH_STATISTICS},
	{NULL, PART, 0},
};

static const struct trait_row copy_rows[] = {
	{"Pageable", PART, TRAIT_PAGEABLE},
	{"Pinned", PART, TRAIT_PINNED},
	{"HtoD", PART, TRAIT_TO_DEVICE},
	{"HostToDevice", PART, TRAIT_TO_DEVICE},
	{"DtoH", PART, TRAIT_TO_HOST},
	{"DeviceToHost", PART, TRAIT_TO_HOST},
	{"DtoD", PART, TRAIT_WITHIN},
	{"DeviceToDevice", PART, TRAIT_WITHIN},
	{"HtoH (host", PART, TRAIT_WITHIN | TRAIT_HOST_TO_HOST},
	{"PtoP", PART, TRAIT_PEER},
	{NULL, PART, 0},
};

static const char graph_launch[] = "GraphLaunch";

static const struct trait_row host_rows[] = {
	{"bmm", PART, TRAIT_BATCHED},
	{"linear", PART, TRAIT_PRODUCT},
	{"matmul", PART, TRAIT_PRODUCT},
	{"mm", PART, TRAIT_PRODUCT},
	{"conv", PART, TRAIT_PRODUCT},
	{"convolution", PART, TRAIT_CONVOLUTION},
	{"copy_", PART, TRAIT_COPIES},
	{"aten::_to_copy", PART, TRAIT_CASTS},
	{"aten::contiguous", PART, TRAIT_REORDERS},
	{"aten::clone", PART, TRAIT_REORDERS},
	{"aten::matmul", PART, TRAIT_MATMUL},
	{"aten::nonzero", PART, TRAIT_NONZERO},
	{"Optimizer.step", BEGIN, TRAIT_OPTIMIZER},
	{"autograd::engine::", BEGIN, TRAIT_BACKWARD},
	{"_backward", PART, TRAIT_BACKWARD},
	{graph_launch, PART, TRAIT_GRAPH},
	{"StreamBeginCapture", PART, TRAIT_CAPTURE},
	{"Malloc", PART, TRAIT_ALLOCATES},
	{"MemAlloc", PART, TRAIT_ALLOCATES},
	{"HostAlloc", PART, TRAIT_ALLOCATES},
	{"cudaFree", BEGIN, TRAIT_ALLOCATES | TRAIT_FREES},
	{"hipFree", BEGIN, TRAIT_ALLOCATES | TRAIT_FREES},
	{"cuMemFree", BEGIN, TRAIT_ALLOCATES | TRAIT_FREES},
	{"Async", PART, TRAIT_ASYNC},
	{"LaunchKernelEx", PART, TRAIT_LAUNCH_EX},
	{"StreamWaitEvent", PART, TRAIT_ORDERS},
	{"item", PART, TRAIT_WAITS_ITEM},
	{"_local_scalar_dense", PART, TRAIT_WAITS_ITEM},
	{"is_nonzero", PART, TRAIT_WAITS_ITEM},
	{"nonzero", PART, TRAIT_WAITS_NONZERO},
	{"masked_select", PART, TRAIT_WAITS_NONZERO},
	{"unique", PART, TRAIT_WAITS_NONZERO},
	{"copy", PART, TRAIT_WAITS_COPY},
	{"aten::to", PART, TRAIT_WAITS_COPY},
	{"Memcpy", PART, TRAIT_WAITS_COPY},
	{"enumerate(DataLoader)", BEGIN, TRAIT_LOADER},
	{"Activity Buffer Request", WHOLE, TRAIT_REQUEST},
	{NULL, PART, 0},
};

static const struct trait_row input_rows[] = {
	{"DataLoader", PART_ANY_CASE, TRAIT_INPUT},
	{"__next__", PART_ANY_CASE, TRAIT_INPUT},
	{"preprocess", PART_ANY_CASE, TRAIT_INPUT},
	{"pre_process", PART_ANY_CASE, TRAIT_INPUT},
	{"collate", PART_ANY_CASE, TRAIT_INPUT},
	{"image_processing", PART_ANY_CASE, TRAIT_INPUT},
	{"feature_extraction", PART_ANY_CASE, TRAIT_INPUT},
	{"tokeniz", PART_ANY_CASE, TRAIT_INPUT},
	{"load_data", PART_ANY_CASE, TRAIT_INPUT},
	{"load_batch", PART_ANY_CASE, TRAIT_INPUT},
	{"get_batch", PART_ANY_CASE, TRAIT_INPUT},
	{"next_batch", PART_ANY_CASE, TRAIT_INPUT},
	{"fetch_data", PART_ANY_CASE, TRAIT_INPUT},
	{"fetch_batch", PART_ANY_CASE, TRAIT_INPUT},
	{NULL, PART, 0},
};

static bool row_fits(const struct trait_row *r, const struct lettered *l)
{
	switch (r->where) {
	case PART:
		return lettered_may_have(l, r->word) && strstr(l->name, r->word);
	case PART_ANY_CASE:
		return lettered_has(l, r->word);
	case BEGIN:
		return *l->name == *r->word && !strncmp(l->name, r->word, strlen(r->word));
	case WHOLE:
		return !strcmp(l->name, r->word);
	}
	return false;
}

static uint32_t bits_of(const struct trait_row *r, const struct lettered *l)
{
	uint32_t bits = 0;
	for (; r->word; r++)
		if ((bits & r->bits) != r->bits && row_fits(r, l))
			bits |= r->bits;
	return bits;
}

/* 16 bytes are what a thread reads at once. */
static bool is_misaligned(const struct lettered *l, bool plain)
{
	struct kernel_name k;
	if (plain || !strstr(l->name, "align") || !kernel_name_decode(&k, l->name))
		return false;
	const char *alignment = kernel_name_part(&k, PART_ALIGNMENT);
	return alignment && (!strcmp(alignment, "1") || !strcmp(alignment, "2"));
}

uint32_t traits_of_kernel(const char *name)
{
	struct lettered l = lettered_of(name);
	uint32_t x = bits_of(kernel_rows, &l);
	bool plain = x & SAYS_PLAIN || (x & SAYS_SCALAR && !(x & SAYS_TENSOR));
	bool fp32 = plain && !(x & (TRAIT_FP64 | SAYS_HALF));
	x |= x & SAYS_TORCHS_NORM && !(x & SAYS_CHANNELS_LAST) ? TRAIT_CHANNELS_FIRST : 0;
	x |= x & SAYS_FLOAT && !(x & SAYS_OTHER_TYPE) ? TRAIT_MOVES_FP32 : 0;
	x |= plain ? TRAIT_PLAIN : x & SAYS_TENSOR ? TRAIT_TENSOR : 0;
	x |= fp32 ? TRAIT_PLAIN_FP32 : 0;
	x |= is_misaligned(&l, plain) ? TRAIT_MISALIGNED : 0;
	return x & ~(uint32_t)(SAYS | SAYS_HALF);
}

uint32_t traits_of_copy(const char *name)
{
	struct lettered l = lettered_of(name);
	return bits_of(copy_rows, &l);
}

/* Memory that a pool takes back is not waited for, and a wait is for one thing. */
uint32_t traits_of_host(const char *name)
{
	struct lettered l = lettered_of(name);
	uint32_t x = bits_of(host_rows, &l) | bits_of(input_rows, &l);
	if (x & TRAIT_ASYNC)
		x &= ~(uint32_t)(TRAIT_ALLOCATES | TRAIT_FREES);
	if (x & TRAIT_WAITS_ITEM)
		x &= ~(uint32_t)(TRAIT_WAITS_NONZERO | TRAIT_WAITS_COPY);
	if (x & TRAIT_WAITS_NONZERO)
		x &= ~(uint32_t)TRAIT_WAITS_COPY;
	return x;
}

bool is_input_lettered(const struct lettered *l)
{
	return bits_of(input_rows, l) & TRAIT_INPUT;
}

bool is_input_name(const char *name)
{
	struct lettered l = lettered_of(name);
	return is_input_lettered(&l);
}

bool is_graph_launch(const char *name)
{
	return strstr(name, graph_launch);
}
