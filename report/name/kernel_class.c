/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memrchr */
#include "report/name/kernel_class.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- a name and its parts ---- */

static const char unnamed[] = "(anonymous namespace)";

static bool begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* Where words stand that are not what the kernels in there do. */
static const char *without_known_spaces(const char *own)
{
	static const char *const known[] = {
		"(anonymous namespace)::", "at::", "native::", "cuda::", "at_cuda_detail::",
		"cub::", "fbgemm_gpu::", "fbgemm::", "flashinfer::", "vllm::", "sgl_kernel::",
		"tensorrt_llm::", "kernels::", "torchvision::", "cudnn::", "ops::", "torch::"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (begins(own, known[i])) {
			own += strlen(known[i]);
			i = SIZE_MAX; /* from the first again */
		}
	return own;
}

static struct name_part part_between(const char *from, const char *to)
{
	return (struct name_part){from, (size_t)(to - from)};
}

/* _ZN2ck16tensor_operation4gemmI...: up to where something else than a name with its length stands.
 */
static struct kernel_words words_of_mangled(const char *name)
{
	const char *c = name + 2 + (name[2] == 'N'), *end = name + strlen(name), *own = c;
	while (isdigit((unsigned char)*c)) {
		char *behind;
		unsigned long n = strtoul(c, &behind, 10);
		own = behind;
		c = n > (size_t)(end - behind) ? end : behind + n;
	}
	return (struct kernel_words){
		part_between(own, c), part_between(name, c), part_between(c, end)};
}

/* What of a name is open while its characters are walked over. */
struct open_brackets {
	size_t angle, round;
};

static void bracket(struct open_brackets *o, char c)
{
	if (c == '(')
		o->round++;
	else if (c == ')' && o->round)
		o->round--;
	else if (!o->round && c == '<')
		o->angle++;
	else if (!o->round && c == '>' && o->angle)
		o->angle--;
}

static bool is_function(const char *name)
{
	return begins(name, "void ") || strpbrk(name, "<(");
}

struct kernel_words kernel_words_of(const char *name)
{
	struct open_brackets open = {0};
	const char *whole = name, *own = name, *c = name, *arguments = NULL, *own_end = NULL;
	bool function = is_function(name);
	if (begins(name, "_Z"))
		return words_of_mangled(name);
	for (; *c; bracket(&open, *c++)) {
		if (open.angle || open.round)
			continue;
		if (begins(c, unnamed)) {
			c += strlen(unnamed) - 1;
		} else if (*c == '(') {
			break;
		} else if (*c == '<') {
			arguments = arguments ? arguments : c;
			own_end = own_end ? own_end : c;
		} else if (begins(c, "::")) {
			own = c + 2;
			own_end = NULL;
		} else if (function && *c == ' ' && c[1] != '[') { /* its type is over */
			whole = own = c + 1;
			arguments = own_end = NULL;
		}
	}
	arguments = arguments ? arguments : c;
	whole = without_known_spaces(whole);
	return (struct kernel_words){part_between(own, own_end ? own_end : c),
		part_between(whole, arguments), part_between(arguments, c)};
}

/* ---- rules ---- */

/* A name belongs to the first rule whose words it has, in any case: `own` and `also` in its own
 * name (in the whole one where no rule fits that), `argument` in its templates' arguments, as far
 * as they are given. "^x": it begins with x.
 * "|x": its last word is x, "|*": several such words, joined: "gelu_tanh*mul". */
struct kernel_rule {
	const char *own, *also, *argument;
	enum event_class class;
};

static const struct kernel_rule rules[] = {
	/* the host device: "<implementation> <operation>" */
	{"|matmul", NULL, NULL, CLASS_GEMM},
	{"|matmul+bias", NULL, NULL, CLASS_GEMM},
	{"|matmul+sum", NULL, NULL, CLASS_GEMM},
	{"|matmul+add", NULL, NULL, CLASS_GEMM},
	{"|add", NULL, NULL, CLASS_ADD},
	{"|mul", NULL, NULL, CLASS_MUL},
	{"|gelu_tanh", NULL, NULL, CLASS_GELU},
	{"|square", NULL, NULL, CLASS_ELEMENTWISE},
	{"|*", NULL, NULL, CLASS_FUSED},
	/* the cuda device: tracebook_<operation>_<type>, tracebook_fused_<operations>_<elements> */
	{"^tracebook_add_", NULL, NULL, CLASS_ADD},
	{"^tracebook_mul_", NULL, NULL, CLASS_MUL},
	{"^tracebook_mask", NULL, NULL, CLASS_ELEMENTWISE},
	{"^tracebook_fused_", NULL, NULL, CLASS_FUSED},
	/* torch.compile: named by what kind they are, then by all that was fused */
	{"^triton_poi", NULL, NULL, CLASS_FUSED},
	{"^triton_for", NULL, NULL, CLASS_FUSED},
	{"^triton__", NULL, NULL, CLASS_FUSED}, /* before it named them */
	{"^triton_red", NULL, NULL, CLASS_REDUCTION},
	{"^triton_per", NULL, NULL, CLASS_REDUCTION},
	{"^triton_tem", "attention", NULL, CLASS_ATTENTION},
	{"^triton_tem", "conv", NULL, CLASS_CONVOLUTION},
	{"^triton_tem", "mm", NULL, CLASS_GEMM},
	{"^triton_mm", NULL, NULL, CLASS_GEMM},
	/* other devices, and what waits for them */
	{"nccl", NULL, NULL, CLASS_COMMUNICATION},
	{"rccl", NULL, NULL, CLASS_COMMUNICATION},
	{"^mscclKernel", NULL, NULL, CLASS_COMMUNICATION}, /* in RCCL */
	{"nvshmem", NULL, NULL, CLASS_COMMUNICATION},
	{"deep_ep::", NULL, NULL, CLASS_COMMUNICATION},
	{"all_reduce", NULL, NULL, CLASS_COMMUNICATION},
	{"allreduce", NULL, NULL, CLASS_COMMUNICATION},
	{"all_gather", NULL, NULL, CLASS_COMMUNICATION},
	{"allgather", NULL, NULL, CLASS_COMMUNICATION},
	{"reduce_scatter", NULL, NULL, CLASS_COMMUNICATION},
	{"reducescatter", NULL, NULL, CLASS_COMMUNICATION},
	{"all_to_all", NULL, NULL, CLASS_COMMUNICATION},
	{"alltoall", NULL, NULL, CLASS_COMMUNICATION},
	{"cross_device", NULL, NULL, CLASS_COMMUNICATION},
	{"multimem", NULL, NULL, CLASS_COMMUNICATION},
	{"sendrecv", NULL, NULL, CLASS_COMMUNICATION},
	{"barrier", NULL, NULL, CLASS_COMMUNICATION},
	{"wait_signal", NULL, NULL, CLASS_COMMUNICATION},
	/* lists of numbers are put in order for whatever comes behind */
	{"topk", "softmax", NULL, CLASS_REDUCTION},
	{"topk", NULL, NULL, CLASS_KERNEL},
	{"tensorTrans", NULL, NULL, CLASS_COPY}, /* of layouts, cuDNN's; "sort" stands in it */
	{"sort", NULL, NULL, CLASS_KERNEL},
	{"scan", NULL, NULL, CLASS_KERNEL},
	{"cumsum", NULL, NULL, CLASS_KERNEL},
	{"memset", NULL, NULL, CLASS_FILL},
	{"routing", NULL, NULL, CLASS_KERNEL},
	/* what its place in attention, or the like, would hide */
	{"splitKreduce", NULL, NULL, CLASS_SPLITK},
	{"reduce_1Block", NULL, NULL, CLASS_SPLITK}, /* the second half of cuBLAS's dot product */
	{"reshape_and_cache", NULL, NULL, CLASS_COPY},
	{"kv_cache", NULL, NULL, CLASS_COPY},
	{"kvcache", "attn", NULL, CLASS_ATTENTION},
	{"kvcache", "attention", NULL, CLASS_ATTENTION},
	{"kvcache", "Batch", NULL, CLASS_ATTENTION}, /* FlashInfer's BatchDecodeWith... */
	{"kvcache", NULL, NULL, CLASS_COPY},
	{"rotary", NULL, NULL, CLASS_FUSED},
	{"rope", "norm", NULL, CLASS_NORM},
	{"rope", NULL, NULL, CLASS_FUSED},
	{"finalize", NULL, NULL, CLASS_FUSED}, /* sums up a token's experts */
	{"kv_indices", NULL, NULL, CLASS_COPY},
	{"repack", NULL, NULL, CLASS_COPY},
	{"rmsnorm", NULL, NULL, CLASS_NORM},
	/* attention */
	{"^_fwd_kernel", NULL, NULL, CLASS_ATTENTION}, /* of Triton's example, and who took it */
	{"^_fwd_grouped_kernel", NULL, NULL, CLASS_ATTENTION},
	{"^bwd_kernel_", NULL, NULL, CLASS_ATTENTION}, /* PyTorch's for AMD, backward */
	{"^bwd_preprocess", NULL, NULL, CLASS_ATTENTION},
	{"reduce_segments", NULL, NULL, CLASS_ATTENTION}, /* vLLM's, of parts of a row */
	{"^sage_fwd", NULL, NULL, CLASS_ATTENTION},
	{"flashinfer", "norm", NULL, CLASS_NORM}, /* name spaces, in the words of CuTe's compiler */
	{"flashinfer", "gemm", NULL, CLASS_GEMM},
	{"flashinfer", "quantize", NULL, CLASS_FUSED},
	{"flash", NULL, NULL, CLASS_ATTENTION},
	{"mha", NULL, NULL, CLASS_ATTENTION},
	{"_gqa_", NULL, NULL, CLASS_ATTENTION},
	{"attend", NULL, NULL, CLASS_ATTENTION},
	{"MergeState", NULL, NULL, CLASS_ATTENTION}, /* FlashInfer's, of parts of a row */
	{"attention", NULL, NULL, CLASS_ATTENTION},
	{"attn", NULL, NULL, CLASS_ATTENTION},
	{"sdpa", NULL, NULL, CLASS_ATTENTION},
	{"BatchPrefill", NULL, NULL, CLASS_ATTENTION},
	{"BatchDecode", NULL, NULL, CLASS_ATTENTION},
	{"^mla_", NULL, NULL, CLASS_ATTENTION},
	{"compute_dot_do_o", NULL, NULL, CLASS_ATTENTION}, /* cuDNN's, backward */
	{"convert_dq", NULL, NULL, CLASS_ATTENTION},
	{"^cutlass::device_kernel", NULL, "flash", CLASS_ATTENTION},
	{"^cutlass::device_kernel", NULL, "fmha", CLASS_ATTENTION},
	{"kentry", NULL, "fmha", CLASS_ATTENTION}, /* AMD's ck_tile */
	/* embeddings; PyTorch's own gradient is in several kernels */
	{"embedding", NULL, NULL, CLASS_EMBEDDING},
	{"_embs_", NULL, NULL, CLASS_EMBEDDING},
	{"bounds_check_indices", NULL, NULL, CLASS_EMBEDDING},
	{"linearize_index", NULL, NULL, CLASS_EMBEDDING},
	{"compute_grad_weight", NULL, NULL, CLASS_EMBEDDING},
	{"sum_and_scatter", NULL, NULL, CLASS_EMBEDDING},
	{"partial_segment", NULL, NULL, CLASS_EMBEDDING},
	{"partials_per_segment", NULL, NULL, CLASS_EMBEDDING},
	/* norms */
	{"normal", NULL, NULL, CLASS_ELEMENTWISE}, /* random numbers */
	{"norm", NULL, NULL, CLASS_NORM},
	{"^bn_", NULL, NULL, CLASS_NORM},
	{"Moments", NULL, NULL, CLASS_NORM},
	{"GammaBeta", NULL, NULL, CLASS_NORM},
	{"cuComputeGradInput", NULL, NULL, CLASS_NORM},
	{"FusedParams", NULL, NULL, CLASS_NORM}, /* PyTorch's, of groups */
	{"ComputeInternalGradients", NULL, NULL, CLASS_NORM},
	/* PyTorch's element-wise kernels, told by their functor */
	{"index_elementwise_kernel", NULL, NULL, CLASS_COPY},
	{"gather_elementwise_kernel", NULL, NULL, CLASS_COPY},
	{"elementwise_kernel", NULL, "FillFunctor", CLASS_FILL},
	{"elementwise_kernel", NULL, "direct_copy_kernel", CLASS_COPY},
	{"elementwise_kernel", NULL, "copy_device_to_device", CLASS_COPY},
	{"elementwise_kernel", NULL, "_copy_kernel_cuda", CLASS_COPY},
	{"elementwise_kernel", NULL, "batch_norm", CLASS_NORM},
	{"elementwise_kernel", NULL, "GroupNorm", CLASS_NORM},
	{"elementwise_kernel", NULL, "GeluCUDAKernelImpl", CLASS_GELU},
	{"elementwise_kernel", NULL, "CUDAFunctor_add", CLASS_ADD},
	{"elementwise_kernel", NULL, "CUDAFunctorOnSelf_add", CLASS_ADD},
	{"elementwise_kernel", NULL, "CUDAFunctorOnOther_add", CLASS_ADD},
	{"elementwise_kernel", NULL, "AddFunctor", CLASS_ADD},
	{"elementwise_kernel", NULL, "MulFunctor", CLASS_MUL},
	{"elementwise_kernel", NULL, "MulScalarFunctor", CLASS_MUL},
	{"elementwise_kernel", NULL, NULL, CLASS_ELEMENTWISE},
	{"multi_tensor_apply_kernel", NULL, "NormFunctor", CLASS_REDUCTION},
	{"multi_tensor_apply_kernel", NULL, NULL, CLASS_ELEMENTWISE},
	{"CatArrayBatchedCopy", NULL, NULL, CLASS_COPY},
	/* what is gated is two operations at least */
	{"matmul", NULL, NULL, CLASS_GEMM}, /* with what is fused to it, and "mul" stands in it */
	{"^bmm_", NULL, NULL, CLASS_GEMM}, /* TensorRT-LLM's, the same */
	{"geglu", NULL, NULL, CLASS_FUSED},
	{"swiglu", NULL, NULL, CLASS_FUSED},
	{"gelu", "mul", NULL, CLASS_FUSED},
	{"silu", "mul", NULL, CLASS_FUSED},
	{"act_and_mul", NULL, NULL, CLASS_FUSED},
	/* products; convolutions often carry "gemm" in their names */
	{"convert", NULL, NULL, CLASS_COPY},
	{"conv", NULL, NULL, CLASS_CONVOLUTION},
	{"implicit_gemm", NULL, NULL, CLASS_CONVOLUTION},
	{"bwd_weight", NULL, NULL, CLASS_CONVOLUTION}, /* AMD's composable kernels */
	{"bwd_data", NULL, NULL, CLASS_CONVOLUTION},
	{"fprop", NULL, NULL, CLASS_CONVOLUTION},
	{"wgrad", NULL, NULL, CLASS_CONVOLUTION},
	{"dgrad", NULL, NULL, CLASS_CONVOLUTION},
	{"winograd", NULL, NULL, CLASS_CONVOLUTION},
	{"scudnn", NULL, NULL, CLASS_CONVOLUTION},
	{"^igemm_", NULL, NULL, CLASS_CONVOLUTION}, /* MIOpen's */
	{"^fft2d_", NULL, NULL, CLASS_CONVOLUTION}, /* cuDNN's, by Fourier transforms */
	{"pointwise_mult_and_sum", NULL, NULL, CLASS_CONVOLUTION}, /* between them */
	{"OffsetsKernel", NULL, NULL, CLASS_CONVOLUTION}, /* cuDNN's, where its inputs lie */
	{"kern_precompute_indices", NULL, NULL, CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "reduction", CLASS_CONVOLUTION}, /* of cuDNN's split sums */
	{"cutlass", "Kernel", "conv", CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "fprop", CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "wgrad", CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "dgrad", CLASS_CONVOLUTION},
	{"cutlass", "Kernel", "gemm", CLASS_GEMM},
	{"kentry", NULL, "sort", CLASS_KERNEL},
	{"kentry", NULL, "norm", CLASS_NORM},
	{"kentry", NULL, "conv", CLASS_CONVOLUTION},
	{"kentry", NULL, "gemm", CLASS_GEMM},
	{"^cutlass", "tensorop", NULL, CLASS_GEMM},
	{"^cutlass", "wmma", NULL, CLASS_GEMM},
	{"nvjet", NULL, NULL, CLASS_GEMM},
	{"gemm", NULL, NULL, CLASS_GEMM},
	{"gemv", NULL, NULL, CLASS_GEMM},
	{"^Cijk_", NULL, NULL, CLASS_GEMM},
	{"^dot_kernel", NULL, NULL, CLASS_GEMM},
	{"kittens", NULL, "matmul",
		CLASS_GEMM}, /* ThunderKittens' kernels are all called "kernel" */
	{"mul_mat", NULL, NULL, CLASS_GEMM},
	{"cublas", NULL, NULL, CLASS_GEMM}, /* what is left of it */
	{"^epilogue::", NULL, NULL, CLASS_GEMM},
	{"fused_moe", NULL, NULL, CLASS_GEMM},
	{"moe_stage", NULL, NULL, CLASS_GEMM},
	{"wvSplitK", NULL, NULL, CLASS_GEMM}, /* vLLM's, of few rows */
	{"marlin", NULL, NULL, CLASS_GEMM},
	/* sums */
	{"updateGradInput", NULL, NULL, CLASS_ELEMENTWISE}, /* of a loss */
	{"loss_backward", NULL, NULL, CLASS_ELEMENTWISE},
	{"loss", NULL, NULL, CLASS_REDUCTION},
	{"criterion", NULL, NULL, CLASS_REDUCTION},
	{"cross_entropy", NULL, NULL, CLASS_REDUCTION},
	{"softmax", NULL, NULL, CLASS_REDUCTION},
	{"reduce", NULL, NULL, CLASS_REDUCTION},
	{"reduction", NULL, NULL, CLASS_REDUCTION},
	{"argmax", NULL, NULL, CLASS_REDUCTION},
	{"_sum", NULL, NULL, CLASS_REDUCTION},
	{"pool", NULL, NULL, CLASS_REDUCTION},
	/* what moves elements */
	{"SwapDimension", NULL, NULL, CLASS_COPY}, /* TensorFlow's layouts */
	{"ShuffleInTensor", NULL, NULL, CLASS_COPY},
	{"ToNhwc", NULL, NULL, CLASS_COPY},
	{"ToNchw", NULL, NULL, CLASS_COPY},
	{"ToFolded", NULL, NULL, CLASS_COPY},
	{"padding", NULL, NULL, CLASS_COPY},
	{"transpose", NULL, NULL, CLASS_COPY},
	{"permute", NULL, NULL, CLASS_COPY},
	{"bucketize", NULL, NULL, CLASS_COPY},
	{"quant", NULL, NULL, CLASS_FUSED},
	{"qparam", NULL, NULL, CLASS_FUSED},
	{"gather", NULL, NULL, CLASS_COPY},
	{"scatter", NULL, NULL, CLASS_COPY},
	{"index", NULL, NULL, CLASS_COPY},
	{"copy", NULL, NULL, CLASS_COPY},
	{"cast", NULL, NULL, CLASS_COPY},
	{"_to_float", NULL, NULL, CLASS_COPY},
	{"SubTensorOp", NULL, NULL, CLASS_COPY},
	{"upsample", NULL, NULL, CLASS_COPY},
	{"im", "2col", NULL, CLASS_COPY}, /* im2col, im2d2col, im3d2col, and back */
	{"col2im", NULL, NULL, CLASS_COPY},
	{"to_dense", NULL, NULL, CLASS_COPY},
	{"_pad_", NULL, NULL, CLASS_COPY}, /* replication, reflection */
	{"roll_cuda", NULL, NULL, CLASS_COPY},
	{"fill", NULL, NULL, CLASS_FILL},
	{"pack", NULL, NULL, CLASS_COPY},
	/* the rest of what works on each element alone */
	{"gelu", NULL, NULL, CLASS_GELU},
	{"dropout", NULL, NULL, CLASS_FUSED},
	{"elementwise", NULL, NULL, CLASS_ELEMENTWISE},
	{"pointwise", NULL, NULL, CLASS_ELEMENTWISE},
	{"^transform_kernel", NULL, NULL, CLASS_ELEMENTWISE}, /* rocPRIM's and CUB's */
	{"square", NULL, NULL, CLASS_ELEMENTWISE},
	{"^scal_kernel", NULL, NULL, CLASS_ELEMENTWISE},
	{"scalePackedTensor", NULL, NULL, CLASS_ELEMENTWISE},
	{"transform_bias", NULL, NULL, CLASS_ELEMENTWISE},
	{"tril", NULL, NULL, CLASS_ELEMENTWISE},
	{"triu", NULL, NULL, CLASS_ELEMENTWISE},
	{"relu", NULL, NULL, CLASS_ELEMENTWISE},
	{"clamp", NULL, NULL, CLASS_ELEMENTWISE},
	{"activation", NULL, NULL, CLASS_ELEMENTWISE},
	{"EigenMetaKernel", NULL, "Reduc", CLASS_REDUCTION},
	{"EigenMetaKernel", NULL, NULL, CLASS_ELEMENTWISE},
	{"^Apply", NULL, NULL, CLASS_ELEMENTWISE}, /* TensorFlow's optimizers */
	{"bias", NULL, NULL, CLASS_ELEMENTWISE},
	{"", NULL, NULL, CLASS_KERNEL},
};

/* Operators, of whose kernels no name tells anything: cuDNN convolves by Fourier transforms, too.
 */
static const struct kernel_rule operator_rules[] = {
	{"embedding", NULL, NULL, CLASS_EMBEDDING},
	{"attention", NULL, NULL, CLASS_ATTENTION},
	{"convolution", NULL, NULL, CLASS_CONVOLUTION},
	{"norm", NULL, NULL, CLASS_NORM},
	{"softmax", NULL, NULL, CLASS_REDUCTION},
	{"pool", NULL, NULL, CLASS_REDUCTION},
	{"addmm", NULL, NULL, CLASS_GEMM},
	{"::mm", NULL, NULL, CLASS_GEMM},
	{"bmm", NULL, NULL, CLASS_GEMM},
	{"::linear", NULL, NULL, CLASS_GEMM},
	{"::matmul", NULL, NULL, CLASS_GEMM},
	{"", NULL, NULL, CLASS_KERNEL},
};

/* ---- a name against a rule ---- */

static bool last_word_is(const char *text, size_t n, const char *word)
{
	size_t length = strlen(word);
	const char *last = text + n - length;
	return n >= length && !memcmp(last, word, length) && (n == length || last[-1] == ' ');
}

/* Is the whole word one that some rule "|x" wants? */
static bool is_ruled_word(const char *word, size_t n)
{
	for (const struct kernel_rule *r = rules; r->own[0] == '|'; r++)
		if (strlen(r->own) == n + 1 && !strncmp(r->own + 1, word, n))
			return true;
	return false;
}

static bool last_word_is_chain(const char *text, size_t n)
{
	const char *blank = memrchr(text, ' ', n), *word = blank ? blank + 1 : text;
	const char *end = text + n;
	if (!memchr(word, '*', (size_t)(end - word)))
		return false;
	for (;; word++) {
		const char *star = memchr(word, '*', (size_t)(end - word));
		const char *behind = star ? star : end;
		if (!is_ruled_word(word, (size_t)(behind - word)))
			return false;
		word = behind;
		if (word == end)
			return true;
	}
}

static bool begins_with(const struct lettered *l, const char *word)
{
	return l->length >= strlen(word) && begins(l->name, word);
}

static bool own_fits(const char *pattern, const struct lettered *own)
{
	if (!strcmp(pattern, "|*"))
		return last_word_is_chain(own->name, own->length);
	if (pattern[0] == '|')
		return last_word_is(own->name, own->length, pattern + 1);
	if (pattern[0] == '^')
		return begins_with(own, pattern + 1);
	return !pattern[0] || lettered_has(own, pattern);
}

static bool fits(
	const struct kernel_rule *r, const struct lettered *own, const struct lettered *arguments)
{
	return own_fits(r->own, own) && (!r->also || lettered_has(own, r->also)) &&
		(!r->argument || lettered_has(arguments, r->argument));
}

/* The last rule of a table fits every name. */
static const struct kernel_rule *first_of(
	const struct kernel_rule *r, const struct lettered *own, const struct lettered *arguments)
{
	while (!fits(r, own, arguments))
		r++;
	return r;
}

enum event_class class_of_kernel(const char *name)
{
	struct kernel_words w = kernel_words_of(name);
	struct lettered arguments = lettered_of_part(w.arguments.text, w.arguments.length);
	struct lettered own = lettered_of_part(w.own.text, w.own.length);
	struct lettered whole = lettered_of_part(w.whole.text, w.whole.length);
	const struct kernel_rule *r = first_of(rules, &own, &arguments);
	return r->own[0] ? r->class : first_of(rules, &whole, &arguments)->class;
}

enum event_class classify_by_operator(const char *name)
{
	struct lettered own = lettered_of(name);
	return first_of(operator_rules, &own, &own)->class;
}
