/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/family.h"
#include "experiments/reference_results.h"

#include <stdlib.h>

enum { X, GATE, UP, DOWN };

static int geglu_eager(struct ops *o, const struct tensor *gate, const struct tensor *up,
	struct tensor *h, struct err *err)
{
	struct tensor activated = {0};
	if (ops_gelu(o, gate, &activated, err))
		return -1;
	int rc = ops_mul(o, &activated, up, h, err);
	ops_free(&activated);
	return rc;
}

static int mlp(struct ops *o, const struct tensor *in, struct tensor *out,
	int (*geglu)(struct ops *, const struct tensor *, const struct tensor *, struct tensor *,
		struct err *),
	struct err *err)
{
	struct tensor gate = {0}, up = {0}, h = {0};
	int rc = -1;
	if (ops_linear(o, &in[X], &in[GATE], NULL, &gate, err) ||
		ops_linear(o, &in[X], &in[UP], NULL, &up, err) || geglu(o, &gate, &up, &h, err))
		goto out;
	rc = ops_linear(o, &h, &in[DOWN], NULL, out, err);
out:
	ops_free(&gate);
	ops_free(&up);
	ops_free(&h);
	return rc;
}

static int plain(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return mlp(o, in, out, geglu_eager, err);
}

static int handwritten(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return mlp(o, in, out, ops_geglu_tanh, err);
}

static double flop(const struct case_spec *s)
{
	double rows = (double)s->batch * (double)s->seq, hidden = (double)s->hidden;
	return 3 * 2 * rows * (double)s->dim * hidden + rows * hidden * (9 + 1);
}

/* x and the result; gate, up and h, and eagerly gelu(gate); three weights. */
static double elements(const struct case_spec *s)
{
	double rows = (double)s->batch * (double)s->seq, dim = (double)s->dim;
	double hidden = (double)s->hidden, wide = s->mode == MODE_EAGER ? 4 : 3;
	return 2 * rows * dim + wide * rows * hidden + 3 * dim * hidden;
}

/* Two products up, the activation, one product down. */
static int kernels(const struct case_spec *s, struct kernel_work *row)
{
	double rows = (double)s->batch * (double)s->seq, dim = (double)s->dim;
	double hidden = (double)s->hidden, wide = rows * hidden;
	struct kernel_work up = {.class = "gemm",
		.flop = 2 * wide * dim,
		.read = rows * dim + dim * hidden,
		.write = wide};
	struct kernel_work down = {.class = "gemm",
		.flop = 2 * wide * dim,
		.read = wide + hidden * dim,
		.write = rows * dim};
	row[0] = row[1] = up;
	row[2] = down;
	row[3] = (struct kernel_work){
		.class = "gelu", .flop = 9 * wide, .read = wide, .write = wide};
	row[4] =
		(struct kernel_work){.class = "mul", .flop = wide, .read = 2 * wide, .write = wide};
	row[5] = (struct kernel_work){
		.class = "fused", .flop = 10 * wide, .read = 2 * wide, .write = wide};
	return 6;
}

static void times_transposed(double *d, const double *a, const double *b, long m, long n, long k)
{
	check_product(d,
		&(struct check_product){
			.batch = 1, .m = m, .n = n, .k = k, .a = a, .b_transposed = b});
}

static void reference(const struct case_spec *s, const double *const in[], double *out)
{
	long rows = s->batch * s->seq;
	size_t n = (size_t)(rows * s->hidden);
	double *gate = xcalloc(n, sizeof *gate), *up = xcalloc(n, sizeof *up);
	times_transposed(gate, in[X], in[GATE], rows, s->hidden, s->dim);
	times_transposed(up, in[X], in[UP], rows, s->hidden, s->dim);
	check_geglu(gate, gate, up, n);
	times_transposed(out, gate, in[DOWN], rows, s->dim, s->hidden);
	free(gate);
	free(up);
}

const struct family family_geglu_mlp = {
	.annotation = "mlp_fwd",
	.modes = 1u << MODE_EAGER | 1u << MODE_COMPILE | 1u << MODE_AUTOTUNE |
		1u << MODE_HANDWRITTEN | 1u << MODE_GRAPH,
	.field = {"batch", "seq", "hidden", "dim"},
	.function =
		{
			.n_inputs = 4,
			.input = {{"x", {"batch", "seq", "dim"}}, {"gate", {"hidden", "dim"}},
				{"up", {"hidden", "dim"}}, {"down", {"dim", "hidden"}}},
			.call = plain,
		},
	.handwritten = handwritten,
	.fan_in = {NULL, "dim", "dim", "hidden"},
	.flop = flop,
	.elements = elements,
	.kernels = kernels,
	.reference = reference,
};
