/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/family.h"
#include "experiments/reference_results.h"

#include <stddef.h>

static int linear(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_linear(o, &in[0], &in[1], &in[2], out, err);
}

static double flop(const struct case_spec *s)
{
	return (double)s->batch * (double)s->out_dim * (2 * (double)s->in_dim + 1);
}

static double elements(const struct case_spec *s)
{
	double batch = (double)s->batch, in = (double)s->in_dim, out = (double)s->out_dim;
	return batch * in + out * in + out + batch * out;
}

static int kernels(const struct case_spec *s, struct kernel_work *row)
{
	double batch = (double)s->batch, in = (double)s->in_dim, out = (double)s->out_dim;
	row[0] = (struct kernel_work){.class = "gemm",
		.epilogue = "bias",
		.flop = 2 * batch * out * in,
		.read = batch * in + in * out + out,
		.write = batch * out};
	return 1;
}

static void reference(const struct case_spec *s, const double *const in[], double *out)
{
	check_product(out,
		&(struct check_product){.batch = 1,
			.m = s->batch,
			.n = s->out_dim,
			.k = s->in_dim,
			.a = in[0],
			.b_transposed = in[1]});
	check_add(out, (size_t)(s->batch * s->out_dim), in[2], (size_t)s->out_dim);
}

const struct family family_linear = {
	.annotation = "linear_fwd",
	.modes = 1u << MODE_EAGER | 1u << MODE_COMPILE | 1u << MODE_AUTOTUNE,
	.field = {"batch", "out_dim", "in_dim"},
	.function =
		{
			.n_inputs = 3,
			.input = {{"x", {"batch", "in_dim"}}, {"weight", {"out_dim", "in_dim"}},
				{"bias", {"out_dim"}}},
			.call = linear,
		},
	.fan_in = {NULL, "in_dim", "in_dim"},
	.flop = flop,
	.elements = elements,
	.kernels = kernels,
	.reference = reference,
};
