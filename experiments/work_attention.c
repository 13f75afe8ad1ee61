/* SPDX-License-Identifier: Apache-2.0 */
/* softmax(q k') v for a batch of heads. The scale 1/sqrt(dim) is in q already, whose values are
 * that small: it costs no kernel of its own. */
#include "experiments/family.h"
#include "experiments/reference_results.h"

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

static void reference(const struct case_spec *s, const double *const in[], double *out)
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

const struct family family_attention = {
	.annotation = "attention",
	.modes = 1u << MODE_EAGER | 1u << MODE_FUSED,
	.field = {"batch", "seq", "dim"},
	.function =
		{
			.n_inputs = 3,
			.input = {{"q", {"batch", "seq", "dim"}}, {"k", {"batch", "seq", "dim"}},
				{"v", {"batch", "seq", "dim"}}},
			.call = naive,
		},
	.fused = fused,
	.fan_in = {"dim", NULL, NULL},
	.flop = flop,
	.elements = elements,
	.kernels = kernels,
	.reference = reference,
};
