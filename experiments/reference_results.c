/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/reference_results.h"

#include <math.h>

static double dot(const double *a, long a_step, const double *b, long b_step, long n)
{
	double sum = 0;
	for (long i = 0; i < n; i++)
		sum += a[i * a_step] * b[i * b_step];
	return sum;
}

static void one_product(double *d, const struct check_product *p, long batch)
{
	const double *a = p->a + batch * p->m * p->k;
	for (long row = 0; row < p->m; row++)
		for (long col = 0; col < p->n; col++) {
			const double *left = a + row * p->k;
			d[row * p->n + col] = p->b_transposed
				? dot(left, 1, p->b_transposed + col * p->k, 1, p->k)
				: dot(left, 1, p->b + batch * p->k * p->n + col, p->n, p->k);
		}
}

void check_product(double *d, const struct check_product *p)
{
	for (long batch = 0; batch < p->batch; batch++)
		one_product(d + batch * p->m * p->n, p, batch);
}

void check_add(double *d, size_t n, const double *row, size_t n_row)
{
	for (size_t i = 0; i < n; i++)
		d[i] += row[i % n_row];
}

void check_square(double *d, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d[i] = x[i] * x[i];
}

void check_geglu(double *d, const double *gate, const double *up, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double a = gate[i];
		double inner = sqrt(2 / M_PI) * (a + 0.044715 * a * a * a);
		d[i] = 0.5 * a * (1 + tanh(inner)) * up[i];
	}
}

void check_mask(double *x, size_t n, size_t rows, size_t n_row)
{
	for (size_t i = 0; i < n; i++)
		for (size_t c = i % rows + 1; c < n_row; c++)
			x[i * n_row + c] = -HUGE_VAL;
}

void check_softmax(double *x, size_t n, size_t n_row)
{
	for (double *row = x; row < x + n * n_row; row += n_row) {
		double top = row[0], sum = 0;
		for (size_t i = 0; i < n_row; i++)
			top = fmax(top, row[i]);
		for (size_t i = 0; i < n_row; i++)
			sum += row[i] = exp(row[i] - top);
		for (size_t i = 0; i < n_row; i++)
			row[i] /= sum;
	}
}

double check_error(const double *got, const double *want, size_t n)
{
	double difference = 0, norm = 0;
	for (size_t i = 0; i < n; i++) {
		difference += (got[i] - want[i]) * (got[i] - want[i]);
		norm += want[i] * want[i];
	}
	if (!isfinite(difference) || !isfinite(norm))
		return HUGE_VAL;
	if (difference == 0)
		return 0;
	return norm > 0 ? sqrt(difference / norm) : HUGE_VAL;
}
