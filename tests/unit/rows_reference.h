/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows_reference.h - what softmax and attention should give, in double
 * (experiments/reference_results.h).
 */
#ifndef TESTS_UNIT_ROWS_REFERENCE_H
#define TESTS_UNIT_ROWS_REFERENCE_H

#include "base/err.h"
#include "experiments/device.h"
#include "experiments/reference_results.h"

#include <stdlib.h>
#include <string.h>

/* out (batch, rows, cols) of in[], of the same shape; a mask changes what is in out, and a causal
 * softmax is one of what a mask has been laid on. */
static inline void reference_rows(
	const struct device_rows *r, const double *const in[], double *out)
{
	size_t rows = (size_t)(r->batch * r->rows), cols = (size_t)r->cols, one = (size_t)r->rows;
	double factor = r->factor == 0 ? 1 : (double)r->factor;
	if (r->what == ROWS_SCALE) {
		for (size_t i = 0; i < rows * cols; i++)
			out[i] = factor * in[0][i];
		return;
	}
	if (r->what == ROWS_MASK) {
		check_mask(out, rows, one, cols);
		return;
	}
	if (r->what == ROWS_SOFTMAX) {
		memcpy(out, in[0], rows * cols * sizeof *out);
		if (r->causal)
			check_mask(out, rows, one, cols);
		check_softmax(out, rows, cols);
		return;
	}
	double *scores = xcalloc(rows * one, sizeof *scores);
	for (size_t b = 0; b < (size_t)r->batch; b++)
		check_product(scores + b * one * one,
			&(struct check_product){.batch = 1,
				.m = (long)one,
				.n = (long)one,
				.k = (long)cols,
				.a = in[0] + b * one * cols,
				.b_transposed = in[1] + b * one * cols});
	for (size_t i = 0; i < rows * one; i++)
		scores[i] *= factor;
	if (r->causal)
		check_mask(scores, rows, one, one);
	check_softmax(scores, rows, one);
	check_product(out,
		&(struct check_product){.batch = (long)r->batch,
			.m = (long)one,
			.n = (long)cols,
			.k = (long)one,
			.a = scores,
			.b = in[2]});
	free(scores);
}

#endif
