/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/traits.h"

#include "report/name/classify.h"
#include "report/name/kernel_name.h"

#include <string.h>

/* One of the words in the case in which it stands here. */
static bool has_one(const struct lettered *l, const char *const *word)
{
	for (; *word; word++)
		if (lettered_may_have(l, *word) && strstr(l->name, *word))
			return true;
	return false;
}

#define HAS(l, ...) has_one(l, (const char *const[]){__VA_ARGS__, NULL})

/* 16 bytes are what a thread reads at once. */
static bool is_misaligned(const struct lettered *l)
{
	struct kernel_name k;
	if (!HAS(l, "align1", "align2") || !kernel_name_decode(&k, l->name))
		return false;
	const char *alignment = kernel_name_part(&k, PART_ALIGNMENT);
	const char *instruction = kernel_name_part(&k, PART_INSTRUCTION);
	bool plain = strstr(l->name, "simt") || (instruction && !strcmp(instruction, "ffma"));
	return alignment && !plain && (!strcmp(alignment, "1") || !strcmp(alignment, "2"));
}

static bool is_channels_first(const struct lettered *l)
{
	return HAS(l, "1C11", "kernel_NCHW") ||
		(HAS(l, "at::native::batch_norm_") && !HAS(l, "channels_last"));
}

static bool is_plain(const struct lettered *l)
{
	return HAS(l, "sgemm", "simt", "scudnn", "ffma", "engine<float", "fft", "complex<float2") &&
		!HAS(l, "tf32", "tensorop", "s1688", "s16816", "xmma_gemm_f16", "h884", "s884",
			"bf16");
}

static uint32_t kernel_traits(const struct lettered *l)
{
	uint32_t x = 0;
	x |= is_misaligned(l) ? TRAIT_MISALIGNED : 0;
	x |= HAS(l, "nchwToNhwc", "nhwcToNchw", "batched_transpose", "NCHWToNHWC", "NHWCToNCHW")
		? TRAIT_TURNS
		: 0;
	x |= is_channels_first(l) ? TRAIT_CHANNELS_FIRST : 0;
	x |= lettered_has(l, "softmax") ? TRAIT_SOFTMAX : 0;
	x |= is_plain(l) ? TRAIT_PLAIN : 0;
	x |= HAS(l, "fft", "complex<float2") ? TRAIT_FOURIER : 0;
	x |= HAS(l, "f64f64", "d884", "dgemm", "<double") ? TRAIT_FP64 : 0;
	x |= HAS(l, "tf32") ? TRAIT_TF32 : 0;
	x |= HAS(l, "_f32", "<float") ? TRAIT_ATTENDS_FP32 : 0;
	x |= HAS(l, "<float") && !HAS(l, "multi_tensor", "Half", "BFloat16") ? TRAIT_MOVES_FP32 : 0;
	/* What is compiled already, by hand or one for many tensors stays what it is. */
	x |= HAS(l, "elementwise_kernel", "reduce_kernel", "CatArray") ? TRAIT_FUSIBLE : 0;
	return x;
}

static uint32_t copy_traits(const struct lettered *l)
{
	uint32_t x = 0;
	x |= HAS(l, "Pageable") ? TRAIT_PAGEABLE : 0;
	x |= HAS(l, "HtoD", "HostToDevice") ? TRAIT_TO_DEVICE : 0;
	x |= HAS(l, "DtoH", "DeviceToHost") ? TRAIT_TO_HOST : 0;
	return x;
}

static uint32_t operator_traits(const struct lettered *l)
{
	uint32_t x = 0;
	x |= HAS(l, "bmm") ? TRAIT_BATCHED : 0;
	x |= HAS(l, "linear", "matmul", "mm", "conv") ? TRAIT_PRODUCT : 0;
	x |= HAS(l, "convolution") ? TRAIT_CONVOLUTION : 0;
	x |= HAS(l, "copy_") ? TRAIT_COPIES : 0;
	x |= HAS(l, "aten::_to_copy") ? TRAIT_CASTS : 0;
	x |= HAS(l, "aten::contiguous", "aten::clone") ? TRAIT_REORDERS : 0;
	x |= HAS(l, "aten::matmul") ? TRAIT_MATMUL : 0;
	x |= HAS(l, "aten::nonzero") ? TRAIT_NONZERO : 0;
	x |= !strncmp(l->name, "Optimizer.step", 14) ? TRAIT_OPTIMIZER : 0;
	return x;
}

static bool is_allocating(const char *name)
{
	static const char *const calls[] = {"cudaFree", "hipFree", "cuMemFree_v2", "cudaMalloc",
		"hipMalloc", "cuMemAlloc_v2", "cudaHostAlloc", "hipHostMalloc"};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strcmp(name, calls[i]))
			return true;
	return false;
}

static uint32_t call_traits(const struct lettered *l)
{
	uint32_t x = 0;
	x |= HAS(l, "GraphLaunch") ? TRAIT_GRAPH : 0;
	x |= HAS(l, "StreamBeginCapture") ? TRAIT_CAPTURE : 0;
	x |= is_allocating(l->name) ? TRAIT_ALLOCATES : 0;
	return x;
}

/* The first kind of wait that fits a name. */
static uint32_t wait_traits(const struct lettered *l)
{
	return HAS(l, "item", "_local_scalar_dense", "is_nonzero") ? TRAIT_WAITS_ITEM
		: HAS(l, "nonzero", "masked_select", "unique")	   ? TRAIT_WAITS_NONZERO
		: HAS(l, "copy", "aten::to", "Memcpy")		   ? TRAIT_WAITS_COPY
								   : 0;
}

uint32_t traits_on_device(const char *name)
{
	struct lettered l = lettered_of(name);
	return TRAITS_ON_DEVICE | kernel_traits(&l) | copy_traits(&l);
}

uint32_t traits_on_host(const char *name)
{
	struct lettered l = lettered_of(name);
	return TRAITS_ON_HOST | operator_traits(&l) | call_traits(&l) | wait_traits(&l);
}
