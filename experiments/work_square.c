/* SPDX-License-Identifier: Apache-2.0 */
/* The square of a matrix in many ways: what a first lecture on profiling compares. */
#include "experiments/family.h"
#include "experiments/reference_results.h"

#include <stddef.h>

static int square(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_square(o, &in[0], out, err);
}

static int square_mul(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_mul(o, &in[0], &in[0], out, err);
}

static int square_naive(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_square_by(o, "tb::square_naive", "square_naive", &in[0], out, err);
}

static int square_powf(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_square_by(o, "tb::square_powf", "square_powf", &in[0], out, err);
}

static int square_tile(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_square_by(o, "tb::square_tile", "square_tile", &in[0], out, err);
}

static int square_row(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_square_by(o, "tb::square_row", "square_row", &in[0], out, err);
}

static int square_row_loop(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_square_by(o, "tb::square_row_loop", "square_row_loop", &in[0], out, err);
}

static double flop(const struct case_spec *s)
{
	return (double)s->batch * (double)s->dim;
}

static double elements(const struct case_spec *s)
{
	return 2 * (double)s->batch * (double)s->dim;
}

static int kernels(const struct case_spec *s, struct kernel_work *row)
{
	double n = (double)s->batch * (double)s->dim;
	row[0] = (struct kernel_work){.class = "any", .flop = n, .read = n, .write = n};
	return 1;
}

static void reference(const struct case_spec *s, const double *const in[], double *out)
{
	check_square(out, in[0], (size_t)(s->batch * s->dim));
}

/* "batch" rows of "dim" columns. */
#define WHAT_ALL_SHARE \
	.annotation = "square", .field = {"batch", "dim"}, .flop = flop, .elements = elements, \
	.kernels = kernels, .reference = reference

const struct family family_square = {
	.modes = 1u << MODE_EAGER | 1u << MODE_COMPILE,
	.function = {.n_inputs = 1, .input = {{"x", {"batch", "dim"}}}, .call = square},
	WHAT_ALL_SHARE,
};

const struct family family_square_mul = {
	.modes = 1u << MODE_EAGER,
	.function = {.n_inputs = 1, .input = {{"x", {"batch", "dim"}}}, .call = square_mul},
	WHAT_ALL_SHARE,
};

#define BY_HAND(what) \
	const struct family family_##what = { \
		.modes = 1u << MODE_HANDWRITTEN, \
		.device = "cuda", \
		.function = {.n_inputs = 1, .input = {{"x", {"batch", "dim"}}}}, \
		.handwritten = what, \
		WHAT_ALL_SHARE, \
	}

BY_HAND(square_naive);
BY_HAND(square_powf);
BY_HAND(square_tile);
BY_HAND(square_row);
BY_HAND(square_row_loop);
