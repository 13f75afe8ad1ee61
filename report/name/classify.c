/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/classify.h"

#include "report/trace/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[] = {CLASS_LIST(KIND_NAME)};

const char *event_class_name(enum event_class c)
{
	return class_names[c];
}

/* A name belongs to the first rule whose parts it all has: `first` (any case), then, anywhere,
 * `also` if given. The pattern "|x" wants the name's last word to be x, "|*" wants several such
 * words there, joined: "gelu_tanh*mul". */
struct rule {
	const char *first, *also;
	enum event_class class;
};

static const struct rule kernel_rules[] = {
	/* the host device: "<implementation> <operation>" */
	{"|matmul", NULL, CLASS_GEMM},
	{"|matmul+bias", NULL, CLASS_GEMM},
	{"|matmul+sum", NULL, CLASS_GEMM},
	{"|matmul+add", NULL, CLASS_GEMM},
	{"|add", NULL, CLASS_ADD},
	{"|mul", NULL, CLASS_MUL},
	{"|gelu_tanh", NULL, CLASS_GELU},
	{"|square", NULL, CLASS_ELEMENTWISE},
	{"|*", NULL, CLASS_FUSED},
	/* the cuda device: tracebook_<operation>_<type>, tracebook_fused_<operations>_<elements> */
	{"tracebook_add_", NULL, CLASS_ADD},
	{"tracebook_mul_", NULL, CLASS_MUL},
	{"tracebook_fused_", NULL, CLASS_FUSED},
	/* by what stands in the way of the wider patterns below */
	{"splitKreduce", NULL, CLASS_SPLITK},
	{"nccl", NULL, CLASS_COMMUNICATION},
	{"rccl", NULL, CLASS_COMMUNICATION},
	{"all_reduce", NULL, CLASS_COMMUNICATION},
	{"allreduce", NULL, CLASS_COMMUNICATION},
	{"all_gather", NULL, CLASS_COMMUNICATION},
	{"reduce_scatter", NULL, CLASS_COMMUNICATION},
	{"cross_device_reduce", NULL, CLASS_COMMUNICATION},
	{"flashinfer", "norm", CLASS_NORM},
	{"matmul_ogs", NULL, CLASS_GEMM}, /* of experts, with "swiglu" too */
	{"bmm_", "_m128x", CLASS_GEMM}, /* TensorRT-LLM's, the same */
	{"flash", NULL, CLASS_ATTENTION},
	{"fmha", NULL, CLASS_ATTENTION},
	{"attention", NULL, CLASS_ATTENTION},
	{"attn", NULL, CLASS_ATTENTION},
	{"layer_norm", NULL, CLASS_NORM},
	{"layernorm", NULL, CLASS_NORM},
	{"rms_norm", NULL, CLASS_NORM},
	{"rmsnorm", NULL, CLASS_NORM},
	{"batch_norm", NULL, CLASS_NORM},
	{"batchnorm", NULL, CLASS_NORM},
	{"group_norm", NULL, CLASS_NORM},
	{"groupnorm", NULL, CLASS_NORM},
	{"cudnn::bn_", NULL, CLASS_NORM},
	/* PyTorch's element-wise kernels, told by their functor */
	{"elementwise_kernel", "FillFunctor", CLASS_FILL},
	{"elementwise_kernel", "direct_copy_kernel", CLASS_COPY},
	{"elementwise_kernel", "copy_device_to_device", CLASS_COPY},
	{"elementwise_kernel", "_copy_kernel_cuda", CLASS_COPY},
	{"elementwise_kernel", "GeluCUDAKernelImpl", CLASS_GELU},
	{"elementwise_kernel", "CUDAFunctor_add", CLASS_ADD},
	{"elementwise_kernel", "CUDAFunctorOnSelf_add", CLASS_ADD},
	{"elementwise_kernel", "CUDAFunctorOnOther_add", CLASS_ADD},
	{"elementwise_kernel", "AddFunctor", CLASS_ADD},
	{"elementwise_kernel", "MulFunctor", CLASS_MUL},
	{"elementwise_kernel", "MulScalarFunctor", CLASS_MUL},
	{"elementwise_kernel", NULL, CLASS_ELEMENTWISE},
	{"multi_tensor_apply_kernel", NULL, CLASS_ELEMENTWISE},
	{"CatArrayBatchedCopy", NULL, CLASS_COPY},
	/* torch.compile and hand-written Triton */
	{"triton_poi", NULL, CLASS_FUSED},
	{"triton_for", NULL, CLASS_FUSED},
	{"triton_red", NULL, CLASS_REDUCTION},
	{"triton_per", NULL, CLASS_REDUCTION},
	{"triton_tem", "mm", CLASS_GEMM},
	{"triton_mm", NULL, CLASS_GEMM},
	{"geglu", NULL, CLASS_FUSED},
	{"swiglu", NULL, CLASS_FUSED},
	{"gelu", "mul", CLASS_FUSED},
	{"silu", "mul", CLASS_FUSED},
	/* products; convolutions often carry "gemm" in their names */
	{"convolve", NULL, CLASS_CONVOLUTION},
	{"convolution", NULL, CLASS_CONVOLUTION},
	{"implicit_gemm", NULL, CLASS_CONVOLUTION},
	{"_fprop_", NULL, CLASS_CONVOLUTION},
	{"wgrad", NULL, CLASS_CONVOLUTION},
	{"dgrad", NULL, CLASS_CONVOLUTION},
	{"winograd", NULL, CLASS_CONVOLUTION},
	{"scudnn", NULL, CLASS_CONVOLUTION},
	{"conv2d", NULL, CLASS_CONVOLUTION},
	{"nvjet", NULL, CLASS_GEMM},
	{"gemm", NULL, CLASS_GEMM},
	{"gemv", NULL, CLASS_GEMM},
	{"cutlass", "tensorop", CLASS_GEMM},
	{"cutlass", "wmma", CLASS_GEMM},
	{"Cijk_", NULL, CLASS_GEMM},
	{"dot_kernel", NULL, CLASS_GEMM},
	{"matmul", NULL, CLASS_GEMM},
	/* the rest */
	{"reduce", NULL, CLASS_REDUCTION},
	{"softmax", NULL, CLASS_REDUCTION},
	{"gelu", NULL, CLASS_GELU},
	{"elementwise", NULL, CLASS_ELEMENTWISE},
	{"square", NULL, CLASS_ELEMENTWISE},
	{"compute_dot_do_o", NULL, CLASS_ATTENTION}, /* cuDNN's flash attention, backward */
	{"convert_dq", NULL, CLASS_ATTENTION},
	{"norm", NULL, CLASS_NORM},
	{"Moments", NULL, CLASS_NORM},
	{"GammaBeta", NULL, CLASS_NORM},
	{"pool", NULL, CLASS_REDUCTION},
	{"nchwToNhwc", NULL, CLASS_COPY},
	{"nhwcToNchw", NULL, CLASS_COPY},
	{"transpose", NULL, CLASS_COPY},
	{"permute", NULL, CLASS_COPY},
	{"gather", NULL, CLASS_COPY},
	{"scatter", NULL, CLASS_COPY},
	{"index", NULL, CLASS_COPY},
	{"embedding", NULL, CLASS_COPY},
	{"copy", NULL, CLASS_COPY},
	{"cast", NULL, CLASS_COPY},
	{"convertTensor", NULL, CLASS_COPY},
	{"SubTensorOp", NULL, CLASS_COPY},
	{"kvcache", NULL, CLASS_COPY},
	{"upsample", NULL, CLASS_COPY},
	{"im2col", NULL, CLASS_COPY},
	{"col2im", NULL, CLASS_COPY},
	{"roll_cuda", NULL, CLASS_COPY},
	{"quant", NULL, CLASS_FUSED},
	{"rotary", NULL, CLASS_FUSED},
	{"rope", NULL, CLASS_FUSED},
	{"dropout", NULL, CLASS_FUSED},
	{"finalizeKernel", NULL, CLASS_FUSED}, /* sums up a token's experts */
	{"act_and_mul", NULL, CLASS_FUSED},
	{"triton__", NULL, CLASS_FUSED}, /* torch.compile's, before it named them */
	{"scalePackedTensor", NULL, CLASS_ELEMENTWISE},
	{"transform_bias", NULL, CLASS_ELEMENTWISE},
	{"", NULL, CLASS_KERNEL},
};

/* Operators, of whose kernels no name tells anything: cuDNN convolves by Fourier transforms, too.
 */
static const struct rule operator_rules[] = {
	{"convolution", NULL, CLASS_CONVOLUTION},
	{"", NULL, CLASS_KERNEL},
};

static const struct rule call_rules[] = {
	{"Occupancy", NULL, CLASS_QUERY},
	{"MaxPotentialClusterSize", NULL, CLASS_QUERY},
	{"Memcpy", NULL, CLASS_COPY_CALL},
	{"Memset", NULL, CLASS_COPY_CALL},
	{"Synchron", NULL, CLASS_SYNC},
	{"Launch", NULL, CLASS_LAUNCH},
	{"enqueue", "copy", CLASS_COPY_CALL},
	{"enqueue", "fill", CLASS_COPY_CALL},
	{"enqueue", NULL, CLASS_LAUNCH},
	{"Malloc", NULL, CLASS_SETUP},
	{"HostAlloc", NULL, CLASS_SETUP},
	{"Free", NULL, CLASS_SETUP},
	{"FuncSetAttribute", NULL, CLASS_SETUP},
	{"FuncGetAttributes", NULL, CLASS_SETUP},
	{"ModuleLoad", NULL, CLASS_SETUP},
	{"LibraryLoad", NULL, CLASS_SETUP},
	{"", NULL, CLASS_CALL},
};

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static unsigned five_bits(char c)
{
	return (unsigned char)c % 32;
}

struct lettered lettered_of(const char *name)
{
	struct lettered l = {.name = name};
	for (; name[0] && name[1]; name++)
		l.follows[five_bits(name[0])] |= 1U << five_bits(name[1]);
	return l;
}

bool lettered_may_have(const struct lettered *l, const char *word)
{
	for (; word[0] && word[1]; word++)
		if (!(l->follows[five_bits(word[0])] >> five_bits(word[1]) & 1))
			return false;
	return true;
}

bool lettered_has(const struct lettered *l, const char *word)
{
	unsigned char first = fold(*word);
	if (!lettered_may_have(l, word))
		return false;
	for (const char *c = l->name; *c; c++) {
		if (fold(*c) != first)
			continue;
		size_t n = 1;
		while (word[n] && fold(c[n]) == fold(word[n]))
			n++;
		if (!word[n])
			return true;
	}
	return false;
}

static bool last_word_is(const char *name, const char *word)
{
	const char *blank = strrchr(name, ' ');
	return !strcmp(blank ? blank + 1 : name, word);
}

/* Is the whole word one that some rule "|x" wants? */
static bool is_ruled_word(const char *word, size_t n)
{
	for (const struct rule *r = kernel_rules; r->first[0] == '|'; r++)
		if (strlen(r->first) == n + 1 && !strncmp(r->first + 1, word, n))
			return true;
	return false;
}

static bool last_word_is_chain(const char *name)
{
	const char *blank = strrchr(name, ' '), *word = blank ? blank + 1 : name;
	if (!strchr(word, '*'))
		return false;
	for (;; word++) {
		size_t n = strcspn(word, "*");
		if (!is_ruled_word(word, n))
			return false;
		word += n;
		if (!*word)
			return true;
	}
}

static bool rule_fits(const struct rule *r, const struct lettered *l)
{
	if (!strcmp(r->first, "|*"))
		return last_word_is_chain(l->name);
	if (r->first[0] == '|')
		return last_word_is(l->name, r->first + 1);
	return (!r->first[0] || lettered_has(l, r->first)) &&
		(!r->also || lettered_has(l, r->also));
}

/* The last rule of a table fits every name. */
static enum event_class first_fit(const struct rule *rules, const char *name)
{
	struct lettered l = lettered_of(name);
	while (!rule_fits(rules, &l))
		rules++;
	return rules->class;
}

int64_t profiler_step_number(const char *name)
{
	static const char *const prefixes[] = {"ProfilerStep#", "ProfileStep#"};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t n = strlen(prefixes[i]);
		char *end;
		if (strncmp(name, prefixes[i], n) || !isdigit((unsigned char)name[n]))
			continue;
		long long number = strtoll(name + n, &end, 10);
		return *end ? -1 : number;
	}
	return -1;
}

/* `key`: what is named after the prefix, up to the next blank. */
static const struct compile_prefix {
	const char *text;
	enum compile_row row;
} compile_prefixes[] = {
	{"cache lookup", COMPILE_LOOKUP},
	{"TorchDynamo Cache Lookup", COMPILE_LOOKUP},
	{"guard check", COMPILE_GUARD},
	{"compiled region ", COMPILE_REGION},
	{"Torch-Compiled Region: ", COMPILE_REGION},
	{"AOTDispatcher Runtime Wrapper Prologue", COMPILE_PROLOGUE},
	{"prologue", COMPILE_PROLOGUE},
	{"call graph ", COMPILE_GRAPH},
	{"replay graph ", COMPILE_GRAPH},
	{"## Call CompiledFxGraph ", COMPILE_GRAPH},
};

enum compile_row compile_row_of(const char *name, const char **key, int *key_length)
{
	for (size_t i = 0; i < sizeof compile_prefixes / sizeof *compile_prefixes; i++) {
		const struct compile_prefix *p = &compile_prefixes[i];
		size_t n = strlen(p->text);
		if (strncmp(name, p->text, n))
			continue;
		bool keyed = p->row == COMPILE_REGION || p->row == COMPILE_GRAPH;
		*key = name + n;
		*key_length = (int)strcspn(*key, " ");
		if (keyed ? *key_length > 0 : !**key)
			return p->row;
	}
	return COMPILE_NONE;
}

static enum event_class classify_host(const char *name, enum event_class otherwise)
{
	const char *key;
	int n;
	if (profiler_step_number(name) >= 0)
		return CLASS_STEP;
	return compile_row_of(name, &key, &n) == COMPILE_NONE ? otherwise : CLASS_COMPILE;
}

enum event_class classify(uint8_t kind, const char *name)
{
	switch ((enum event_kind)kind) {
	case EVENT_OTHER:
		return CLASS_HOST;
	case EVENT_OP:
		return classify_host(name, CLASS_OP);
	case EVENT_ANNOTATION:
		return classify_host(name, CLASS_ANNOTATION);
	case EVENT_PYTHON:
		return CLASS_PYTHON;
	case EVENT_RUNTIME:
	case EVENT_DRIVER:
		return first_fit(call_rules, name);
	case EVENT_KERNEL:
		return first_fit(kernel_rules, name);
	case EVENT_MEMCPY:
		return CLASS_COPY;
	case EVENT_MEMSET:
		return CLASS_FILL;
	case EVENT_GPU_ANNOTATION:
		return CLASS_DEVICE_RANGE;
	case EVENT_DEVICE_SYNC:
		return CLASS_DEVICE_WAIT;
	case EVENT_OVERHEAD:
		return CLASS_SETUP;
	case EVENT_SPAN:
	case EVENT_INSTANT:
	case EVENT_COUNTER:
	case EVENT_KINDS:
		break;
	}
	return CLASS_NONE;
}

enum event_class classify_by_operator(const char *name)
{
	return first_fit(operator_rules, name);
}
