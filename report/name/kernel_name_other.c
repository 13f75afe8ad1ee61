/* SPDX-License-Identifier: Apache-2.0 */
/* The names of kernels that are no library's matrix product. */
#include "report/name/kernel_name_rules.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void decode_splitk(struct kernel_name *k, const char *at)
{
	(void)at;
	kernel_name_text(k, PART_OPERATION, "sum of a split product");
}

/* ---- cuBLAS for thin shapes ---- */

void decode_vector(struct kernel_name *k, const char *at)
{
	static const struct {
		const char *start, *operation, *layout;
	} rules[] = {
		{"gemvNSP_kernel", "gemv", NULL},
		{"gemv2T_kernel", "gemv", "t"},
		{"gemv2N_kernel", "gemv", "n"},
		{"gemvx::kernel", "gemv", NULL},
		{"gemmSN_NN", "gemm", "nn"},
		{"gemmSN_TN", "gemm", "tn"},
		{"gemmSN_", "gemm", NULL},
		{"gemmk1_kernel", "gemm", NULL},
		{"dot_kernel", "dot", NULL},
		{"reduce_1Block_kernel", "sum of a dot", NULL},
	};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (strncmp(at, rules[i].start, strlen(rules[i].start)))
			continue;
		kernel_name_text(k, PART_OPERATION, rules[i].operation);
		if (rules[i].layout)
			kernel_name_text(k, PART_LAYOUT, rules[i].layout);
		return;
	}
}

/* ---- torch.compile ---- */

/* triton_<kind>_fused_<operations>_<number>; templates are named after what they multiply. */
void decode_triton(struct kernel_name *k, const char *at)
{
	static const struct {
		const char *word, *operation;
	} kinds[] = {{"poi", "pointwise"}, {"red", "reduction"}, {"per", "persistent reduction"},
		{"for", "foreach"}, {"tem", "template"}, {"mm", "gemm"}, {"bmm", "gemm"}};
	at += strlen("triton_");
	struct word kind = word_next(&at);
	bool known = false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !known; i++) {
		known = word_is(kind, kinds[i].word);
		if (known)
			kernel_name_text(k, PART_OPERATION, kinds[i].operation);
	}
	if (!known)
		kernel_name_add(k, PART_UNKNOWN, kind.text, kind.n);
	static const char fused[] = "fused_";
	if (strncmp(at, fused, strlen(fused)) == 0)
		at += strlen(fused);
	size_t n = strlen(at), digits = 0;
	while (digits < n && isdigit((unsigned char)at[n - digits - 1]))
		digits++;
	const char *number = at + n - digits;
	if (!digits || (number > at && number[-1] != '_')) {
		kernel_name_text(k, PART_OPERATION, at);
		return;
	}
	if (number - at > 1)
		kernel_name_add(k, PART_OPERATION, at, (size_t)(number - at) - 1);
	kernel_name_text(k, PART_NUMBER, number);
}

/* ---- PyTorch ---- */

/* The first functor of the list that stands in the name says what the kernel does. */
static const char *aten_operation(const char *at)
{
	static const struct {
		const char *functor, *operation;
	} rules[] = {
		{"CUDAFunctor_add", "add"},
		{"CUDAFunctorOnSelf_add", "add"},
		{"CUDAFunctorOnOther_add", "add"},
		{"AddFunctor", "add"},
		{"MulFunctor", "mul"},
		{"MulScalarFunctor", "mul"},
		{"DivFunctor", "div"},
		{"GeluCUDAKernelImpl", "gelu"},
		{"silu_kernel", "silu"},
		{"sigmoid_kernel", "sigmoid"},
		{"tanh_kernel", "tanh"},
		{"exp_kernel", "exp"},
		{"pow_tensor_scalar_kernel_impl", "pow"},
		{"pow_scalar_tensor_impl", "pow"},
		{"FillFunctor", "fill"},
		{"direct_copy_kernel", "copy"},
		{"copy_kernel", "copy"},
		{"CompareEqFunctor", "compare"},
		{"CompareFunctor", "compare"},
		{"neg_kernel", "neg"},
		{"sqrt_kernel", "sqrt"},
		{"rsqrt_kernel", "rsqrt"},
		{"clamp", "clamp"},
		{"where_kernel", "where"},
		{"masked_fill_kernel", "masked fill"},
		{"MeanOps", "mean"},
		{"MaxOps", "max"},
		{"MinOps", "min"},
		{"sum_functor", "sum"},
		{"softmax", "softmax"},
		{"layer_norm", "layer norm"},
		{"reduce_kernel", "reduction"},
		{"distribution_", "random numbers"},
		{"index_elementwise_kernel", "index"},
		{"indexSelect", "index select"},
		{"CatArrayBatchedCopy", "concatenate"},
	};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (strstr(at, rules[i].functor))
			return rules[i].operation;
	return NULL;
}

/* "vectorized_elementwise_kernel<8, ...": elements an access. */
static void aten_vector(struct kernel_name *k, const char *at)
{
	static const char start[] = "vectorized_elementwise_kernel<";
	const char *found = strstr(at, start);
	if (!found)
		return;
	found += strlen(start);
	while (*found && !isdigit((unsigned char)*found) && *found != ',')
		found++;
	kernel_name_add(k, PART_VECTOR, found, strspn(found, "0123456789"));
}

/* A type that a template starts with: "CUDAFunctor_add<c10::BFloat16>". */
static void aten_type(struct kernel_name *k, const char *at)
{
	static const struct {
		const char *text, *type;
	} types[] = {{"<c10::BFloat16", "bf16"}, {"<c10::Half", "f16"}, {"<double", "f64"},
		{"<float", "f32"}, {"<long", "int64"}, {"<int", "int32"}};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		const char *found = strstr(at, types[i].text);
		if (found && strchr(",> ", found[strlen(types[i].text)])) {
			kernel_name_text(k, PART_INPUT, types[i].type);
			return;
		}
	}
}

void decode_aten(struct kernel_name *k, const char *at)
{
	const char *operation = aten_operation(at);
	at += strlen("at::native::");
	if (operation)
		kernel_name_text(k, PART_OPERATION, operation);
	else
		kernel_name_add(k, PART_UNKNOWN, at, strcspn(at, "<("));
	aten_vector(k, at);
	aten_type(k, at);
}

/* ---- ours ---- */

static void tracebook_type(struct kernel_name *k, const char *at, size_t *n)
{
	static const char *const types[][2] = {{"_bf16", "bf16"}, {"_fp32", "f32"}};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t length = strlen(types[i][0]);
		if (*n > length && !strncmp(at + *n - length, types[i][0], length)) {
			kernel_name_text(k, PART_INPUT, types[i][1]);
			*n -= length;
			return;
		}
	}
}

/* tracebook_<operation>_<type>, tracebook_fused_<operations>_<elements>, tracebook_gemm_plain_...
 */
void decode_tracebook(struct kernel_name *k, const char *at)
{
	static const char fused[] = "fused_";
	at += strlen("tracebook_");
	size_t n = strcspn(at, "(<");
	if (!strncmp(at, "gemm", 4)) {
		tracebook_type(k, at, &n);
		kernel_name_text(k, PART_OPERATION, "gemm");
		return;
	}
	if (strncmp(at, fused, strlen(fused))) {
		tracebook_type(k, at, &n);
		kernel_name_add(k, PART_OPERATION, at, n);
		return;
	}
	at += strlen(fused);
	n -= strlen(fused);
	size_t digits = 0;
	while (digits < n && isdigit((unsigned char)at[n - digits - 1]))
		digits++;
	kernel_name_add(k, PART_OPERATION, at, n - digits - (digits && n > digits));
	kernel_name_add(k, PART_NUMBER, at + n - digits, digits);
}
