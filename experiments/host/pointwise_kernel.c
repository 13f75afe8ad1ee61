/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/pointwise_kernel.h"
#include "experiments/request_checks.h"

#include <string.h>

enum { PIECE = 1024 };

/* e^x for |x| <= 87: 2^n e^r with x = n ln2 + r, ln2 in two parts so that r is exact (the method
 * of every libm; coefficients are 1/k!). */
INLINE float exp_approx(float x)
{
	const float rounder = 12582912.0f; /* 1.5 * 2^23: adding it leaves the nearest integer in
					      the low bits */
	float shifted = x * 1.44269504f + rounder;
	float n = shifted - rounder;
	float r = x - n * 0.693359375f + n * 2.12194440e-4f;
	float p = 1.0f / 720;
	p = p * r + 1.0f / 120;
	p = p * r + 1.0f / 24;
	p = p * r + 1.0f / 6;
	p = p * r + 0.5f;
	p = p * r + 1.0f;
	p = p * r + 1.0f;
	return p * bits_float((float_bits(shifted) << 23) + 0x3f800000u);
}

/* In two passes: in one, gcc would follow the limits' branches through the division and lose the
 * vector code. A NaN passes both limits. */
INLINE void gelu_tanh(float *x, float *minus_2u, int n)
{
#pragma omp simd
	for (int i = 0; i < n; i++) {
		float u = x[i] * (-1.59576912f - 0.0713548162f * x[i] * x[i]);
		u = u > 87.0f ? 87.0f : u;
		minus_2u[i] = u < -87.0f ? -87.0f : u;
	}
#pragma omp simd
	for (int i = 0; i < n; i++)
		x[i] = x[i] / (1.0f + exp_approx(minus_2u[i]));
}

INLINE void load(float *to, const void *from, int64_t first, int n, bool bf16)
{
	if (bf16) {
		const uint16_t *h = (const uint16_t *)from + first;
#pragma omp simd
		for (int i = 0; i < n; i++)
			to[i] = from_bf16(h[i]);
	} else {
		memcpy(to, (const float *)from + first, (size_t)n * sizeof *to);
	}
}

INLINE void store(void *to, const float *from, int64_t first, int n, bool bf16)
{
	if (bf16) {
		uint16_t *h = (uint16_t *)to + first;
#pragma omp simd
		for (int i = 0; i < n; i++)
			h[i] = to_bf16(from[i]);
	} else {
		memcpy((float *)to + first, from, (size_t)n * sizeof *from);
	}
}

/* y is the second operand, or room to work in. */
INLINE void apply(float *x, float *y, int n, int64_t step)
{
	switch ((enum pointwise)step) {
	case POINTWISE_ADD:
#pragma omp simd
		for (int i = 0; i < n; i++)
			x[i] += y[i];
		break;
	case POINTWISE_MUL:
#pragma omp simd
		for (int i = 0; i < n; i++)
			x[i] *= y[i];
		break;
	case POINTWISE_GELU_TANH:
		gelu_tanh(x, y, n);
		break;
	case POINTWISE_SQUARE:
#pragma omp simd
		for (int i = 0; i < n; i++)
			x[i] *= x[i];
		break;
	}
}

INLINE void round_bf16(float *x, int n)
{
#pragma omp simd
	for (int i = 0; i < n; i++)
		x[i] = from_bf16(to_bf16(x[i]));
}

FOR_EACH_CPU
static void run_part(const struct chain *c, int64_t begin, int64_t end, void *out, void *const in[])
{
	_Alignas(64) float x[PIECE], y[PIECE] = {0};
	bool bf16 = c->dtype == DTYPE_BF16;
	for (int64_t first = begin; first < end; first += PIECE) {
		int n = end - first < PIECE ? (int)(end - first) : PIECE;
		int input = 0;
		load(x, in[input++], first, n, bf16);
		for (int64_t s = 0; s < c->n_steps; s++) {
			bool binary = pointwise_takes_two((enum pointwise)c->step[s]);
			if (binary)
				load(y, in[input++], first, n, bf16);
			apply(x, y, n, c->step[s]);
			if (bf16 && s + 1 < c->n_steps)
				round_bf16(x, n);
		}
		store(out, x, first, n, bf16);
	}
}

/* Parts begin on multiples of PIECE, so that no two threads write one cache line. */
void generic_run(const struct chain *c, int64_t n, void *out, void *const in[], int threads)
{
	if (threads == 1) {
		run_part(c, 0, n, out, in);
		return;
	}
	int64_t pieces = (n + PIECE - 1) / PIECE;
#pragma omp parallel for num_threads(threads) schedule(static)
	for (int t = 0; t < threads; t++) {
		int64_t begin = pieces * t / threads * PIECE;
		int64_t end = pieces * (t + 1) / threads * PIECE;
		run_part(c, begin, end < n ? end : n, out, in);
	}
}
