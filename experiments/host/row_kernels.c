/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/row_kernels.h"

#include "experiments/host/pointwise_kernel.h"

#include <math.h>

static const uint16_t BF16_BELOW_ALL = 0xff80;

FOR_EACH_CPU
static void scale_bf16(uint16_t *out, const uint16_t *in, int64_t n, float factor)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		out[i] = to_bf16(from_bf16(in[i]) * factor);
}

FOR_EACH_CPU
static void scale_f32(float *out, const float *in, int64_t n, float factor)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		out[i] = in[i] * factor;
}

void row_kernel_scale(const struct row_kernel *k, void *out, const void *in, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
	for (int64_t r = 0; r < k->rows; r++) {
		int64_t at = r * k->cols;
		if (k->dtype == DTYPE_BF16)
			scale_bf16((uint16_t *)out + at, (const uint16_t *)in + at, k->cols,
				k->factor);
		else
			scale_f32((float *)out + at, (const float *)in + at, k->cols, k->factor);
	}
}

void row_kernel_mask(const struct row_kernel *k, void *out, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
	for (int64_t r = 0; r < k->rows; r++) {
		int64_t at = r * k->cols;
		for (int64_t c = (k->first + r) % k->height + 1; c < k->cols; c++)
			if (k->dtype == DTYPE_BF16)
				((uint16_t *)out)[at + c] = BF16_BELOW_ALL;
			else
				((float *)out)[at + c] = -HUGE_VALF;
	}
}

void row_kernel_run(const struct whole_rows *w, void *const pointer[], int threads)
{
	struct row_kernel k = {.dtype = (enum dtype)w->dtype,
		.rows = w->batch * w->rows,
		.cols = w->cols,
		.height = w->rows,
		.factor = w->factor.number};
	if (w->what == ROWS_SCALE)
		row_kernel_scale(&k, pointer[0], pointer[1], threads);
	else
		row_kernel_mask(&k, pointer[0], threads);
}

double row_kernel_bytes(const struct whole_rows *w)
{
	double bytes = (double)w->batch * (double)w->rows * (double)w->cols *
		(double)dtype_bytes((enum dtype)w->dtype);
	return w->what == ROWS_SCALE ? 2 * bytes : bytes / 2;
}
