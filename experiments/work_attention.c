/* SPDX-License-Identifier: Apache-2.0 */
/* softmax(q k') v for a batch of heads. The scale 1/sqrt(dim) is in q already, whose values are
 * that small: it costs no kernel of its own. In causal attention it does, and so does the mask. */
#include "experiments/family.h"
#include "experiments/reference_results.h"

#include <math.h>
#include <stdlib.h>

enum { Q, K, V };

/* A product, a softmax, a product: the scores of each query with each key are written twice. */
static int naive(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor keys, scores = {0}, weights = {0};
	int rc = -1;
	if (ops_transpose(o, &in[K], &keys, err) || ops_matmul(o, &in[Q], &keys, &scores, err) ||
		ops_softmax(o, &scores, &weights, err))
		goto out;
	rc = ops_matmul(o, &weights, &in[V], out, err);
out:
	ops_free(&scores);
	ops_free(&weights);
	return rc;
}

static int fused(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_attention(o, &in[Q], &in[K], &in[V], out, err);
}

static double matrix(const struct case_spec *s)
{
	return (double)s->batch * (double)s->seq * (double)s->dim;
}

static double pairs(const struct case_spec *s)
{
	return (double)s->batch * (double)s->seq * (double)s->seq;
}

static float scale(const struct tensor *q)
{
	return 1 / sqrtf((float)q->dim[2]);
}

/* As one writes it down: product, scale, mask, softmax, product. */
static int written(
	struct ops *o, const struct tensor *in, bool in_place, struct tensor *out, struct err *err)
{
	struct tensor keys, scores = {0}, scaled = {0}, masked = {0}, weights = {0};
	int rc = -1;
	if (ops_transpose(o, &in[K], &keys, err) || ops_matmul(o, &in[Q], &keys, &scores, err) ||
		ops_mul_scalar(o, &scores, scale(&in[Q]), &scaled, err))
		goto out;
	if (in_place ? ops_causal_mask_(o, &scaled, err)
		     : ops_causal_mask(o, &scaled, &masked, err))
		goto out;
	if (ops_softmax(o, in_place ? &scaled : &masked, &weights, err))
		goto out;
	rc = ops_matmul(o, &weights, &in[V], out, err);
out:
	ops_free(&scores);
	ops_free(&scaled);
	ops_free(&masked);
	ops_free(&weights);
	return rc;
}

static int masked_copy(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return written(o, in, false, out, err);
}

static int masked_in_place(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return written(o, in, true, out, err);
}

static int causal_fused(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_causal_attention(o, &in[Q], &in[K], &in[V], scale(&in[Q]), out, err);
}

/* Of a softmax: greatest, difference, exponential, sum, quotient. */
static double flop(const struct case_spec *s)
{
	return 2 * 2 * pairs(s) * (double)s->dim + 5 * pairs(s);
}

static double elements(const struct case_spec *s)
{
	return 4 * matrix(s) + (s->mode == MODE_EAGER ? 2 * pairs(s) : 0);
}

static int kernels(const struct case_spec *s, struct kernel_work *row)
{
	double n = matrix(s), scores = pairs(s), product = 2 * scores * (double)s->dim;
	row[0] = (struct kernel_work){
		.class = "gemm", .flop = product, .read = 2 * n, .write = scores};
	row[1] = (struct kernel_work){
		.class = "gemm", .flop = product, .read = scores + n, .write = n};
	row[2] = (struct kernel_work){
		.class = "reduction", .flop = 5 * scores, .read = scores, .write = scores};
	row[3] = (struct kernel_work){
		.class = "attention", .flop = flop(s), .read = 3 * n, .write = n};
	return 4;
}

/* Scale and mask write the scores once more, each; a copy for the mask reads and writes them. */
static double causal_elements(const struct case_spec *s)
{
	return 4 * matrix(s) + (s->mode == MODE_EAGER ? 4 * pairs(s) : 0);
}

/* The same in every way, whoever leaves out what the mask hides. */
static double causal_flop(const struct case_spec *s)
{
	return flop(s) + pairs(s);
}

/* Of the one kernel what is not masked, which is all that a GPU's computes. */
static int causal_kernels(const struct case_spec *s, struct kernel_work *row)
{
	double scores = pairs(s);
	int n = kernels(s, row);
	row[n - 1].flop = flop(s) / 2;
	row[n] = (struct kernel_work){
		.class = "mul", .flop = scores, .read = scores, .write = scores};
	row[n + 1] = (struct kernel_work){.class = "elementwise", .write = scores / 2};
	return n + 2;
}

static void reference_of(const struct case_spec *s, double factor, bool causal,
	const double *const in[], double *out)
{
	size_t rows = (size_t)(s->batch * s->seq), n_row = (size_t)s->seq;
	double *scores = xcalloc(rows * n_row, sizeof *scores);
	for (long b = 0; b < s->batch; b++)
		check_product(scores + (size_t)(b * s->seq) * n_row,
			&(struct check_product){.batch = 1,
				.m = s->seq,
				.n = s->seq,
				.k = s->dim,
				.a = in[Q] + b * s->seq * s->dim,
				.b_transposed = in[K] + b * s->seq * s->dim});
	for (size_t i = 0; i < rows * n_row; i++)
		scores[i] *= factor;
	if (causal)
		check_mask(scores, rows, n_row, n_row);
	check_softmax(scores, rows, n_row);
	check_product(out,
		&(struct check_product){.batch = s->batch,
			.m = s->seq,
			.n = s->dim,
			.k = s->seq,
			.a = scores,
			.b = in[V]});
	free(scores);
}

static void reference(const struct case_spec *s, const double *const in[], double *out)
{
	reference_of(s, 1, false, in, out);
}

static void causal_reference(const struct case_spec *s, const double *const in[], double *out)
{
	reference_of(s, 1 / sqrt((double)s->dim), true, in, out);
}

#define OF_QKV(f) \
	{ \
		.n_inputs = 3, \
		.input = {{"q", {"batch", "seq", "dim"}}, {"k", {"batch", "seq", "dim"}}, \
			{"v", {"batch", "seq", "dim"}}}, \
		.call = (f) \
	}

const struct family family_attention = {
	.annotation = "attention",
	.modes = 1u << MODE_EAGER | 1u << MODE_FUSED,
	.field = {"batch", "seq", "dim"},
	.function = OF_QKV(naive),
	.fused = fused,
	.fan_in = {"dim", NULL, NULL},
	.flop = flop,
	.elements = elements,
	.kernels = kernels,
	.reference = reference,
};

const struct family family_causal_attention = {
	.annotation = "attention",
	.modes = 1u << MODE_EAGER | 1u << MODE_FUSED,
	.field = {"batch", "seq", "dim"},
	.function = OF_QKV(masked_copy),
	.fused = causal_fused,
	.flop = causal_flop,
	.elements = causal_elements,
	.kernels = causal_kernels,
	.reference = causal_reference,
};

const struct family family_causal_attention_in_place = {
	.annotation = "attention",
	.modes = 1u << MODE_EAGER,
	.field = {"batch", "seq", "dim"},
	.function = OF_QKV(masked_in_place),
	.flop = causal_flop,
	.elements = causal_elements,
	.kernels = causal_kernels,
	.reference = causal_reference,
};
