/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_results.h - the workloads' arithmetic once more, plainly, in double precision.
 *
 * Slow and obviously right: what a device computes is compared with these before it is timed.
 * Inputs are the values as the device got them (already rounded to the dtype); nothing is rounded
 * in between. All arrays are dense and row-major.
 */
#ifndef EXPERIMENTS_REFERENCE_RESULTS_H
#define EXPERIMENTS_REFERENCE_RESULTS_H

#include <stddef.h>

struct check_product {
	long batch, m, n, k;
	const double *a; /* (batch, m, k) */
	const double *b; /* (batch, k, n) */
	const double *b_transposed; /* instead of b: (n, k), one for the whole batch */
};

/* d (batch, m, n) */
void check_product(double *d, const struct check_product *p);

/* d[i] += row[i % n_row] */
void check_add(double *d, size_t n, const double *row, size_t n_row);

/* d[i] = x[i] x[i] */
void check_square(double *d, const double *x, size_t n);

/* d[i] = gelu(gate[i]) up[i], gelu(a) = 0.5 a (1 + tanh(sqrt(2/pi) (a + 0.044715 a^3))) */
void check_geglu(double *d, const double *gate, const double *up, size_t n);

/* What lies behind the place of each row of matrices (rows, n_row) becomes minus infinity. */
void check_mask(double *x, size_t n, size_t rows, size_t n_row);

/* Each row of x (n, n_row) becomes e^(x - its greatest), divided by the row's sum. */
void check_softmax(double *x, size_t n, size_t n_row);

/* The norm of the difference over the norm of `want`; infinite when a value is not finite or when
 * `want` is zero and `got` is not. */
double check_error(const double *got, const double *want, size_t n);

#endif
