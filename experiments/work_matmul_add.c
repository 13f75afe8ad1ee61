/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/family.h"
#include "experiments/reference_results.h"

#include <stddef.h>

static int matmul_then_add(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor product = {0};
	if (ops_matmul(o, &in[0], &in[1], &product, err))
		return -1;
	int rc = ops_add(o, &product, &in[2], out, err);
	ops_free(&product);
	return rc;
}

static int direct_addmm(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_addmm(o, &in[2], &in[0], &in[1], out, err);
}

static int epilogue(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_addmm_epilogue(o, &in[2], &in[0], &in[1], out, err);
}

static double batches(const struct case_spec *s)
{
	return s->batch ? (double)s->batch : 1;
}

static double flop(const struct case_spec *s)
{
	double size = (double)s->size;
	return batches(s) * (2 * size * size * size + size * size);
}

/* x, w, b, the result, and eagerly the product before the add. */
static double elements(const struct case_spec *s)
{
	double size = (double)s->size;
	return batches(s) * size * size * (s->mode == MODE_EAGER ? 5 : 4);
}

static double elements_addmm(const struct case_spec *s)
{
	return 4 * (double)s->size * (double)s->size;
}

/* Without a kernel that adds, the product reads the addend too. */
static int kernels(const struct case_spec *s, struct kernel_work *row)
{
	double size = (double)s->size, matrix = batches(s) * size * size;
	double products = 2 * matrix * size;
	row[0] = (struct kernel_work){.class = "gemm",
		.with = "add",
		.flop = products,
		.read = 2 * matrix,
		.write = matrix};
	row[1] = (struct kernel_work){.class = "gemm",
		.without = "add",
		.epilogue = "addend",
		.flop = products,
		.read = 3 * matrix,
		.write = matrix};
	row[2] = (struct kernel_work){
		.class = "add", .flop = matrix, .read = 2 * matrix, .write = matrix};
	return 3;
}

static void reference(const struct case_spec *s, const double *const in[], double *out)
{
	long size = s->size, batch = s->batch ? s->batch : 1;
	check_product(out,
		&(struct check_product){
			.batch = batch, .m = size, .n = size, .k = size, .a = in[0], .b = in[1]});
	size_t n = (size_t)(batch * size * size);
	check_add(out, n, in[2], n);
}

const struct family family_matmul_add = {
	.annotation = "matmul_add",
	.modes = 1u << MODE_EAGER | 1u << MODE_COMPILE | 1u << MODE_AUTOTUNE | 1u << MODE_FUSED |
		1u << MODE_GRAPH,
	.field = {"size"},
	.function =
		{
			.n_inputs = 3,
			.input = {{"x", {"size", "size"}}, {"w", {"size", "size"}},
				{"b", {"size", "size"}}},
			.call = matmul_then_add,
		},
	.fused = epilogue,
	.flop = flop,
	.elements = elements,
	.kernels = kernels,
	.reference = reference,
};

const struct family family_addmm = {
	.annotation = "matmul_add",
	.modes = 1u << MODE_EAGER,
	.field = {"size"},
	.function =
		{
			.n_inputs = 3,
			.input = {{"x", {"size", "size"}}, {"w", {"size", "size"}},
				{"b", {"size", "size"}}},
			.call = direct_addmm,
		},
	.flop = flop,
	.elements = elements_addmm,
	.kernels = kernels,
	.reference = reference,
};

const struct family family_bmm_add = {
	.annotation = "matmul_add",
	.modes = 1u << MODE_EAGER,
	.field = {"batch", "size"},
	.function =
		{
			.n_inputs = 3,
			.input = {{"x", {"batch", "size", "size"}},
				{"w", {"batch", "size", "size"}}, {"b", {"batch", "size", "size"}}},
			.call = matmul_then_add,
		},
	.flop = flop,
	.elements = elements,
	.kernels = kernels,
	.reference = reference,
};
