/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointwise_kernel.h - the hand-written pointwise kernel, for any number of elements.
 *
 * Nothing in it is made for a shape. It works through the elements in pieces that stay in the
 * first-level cache: load, turn to f32, apply each step, round to the dtype after each step (as
 * separate kernels would), store. gcc makes it three times, for AVX-512 (x86-64-v4), for AVX2
 * with FMA (x86-64-v3) and for plain x86-64, and the loader takes the best that the CPU can do.
 *
 * GELU_TANH is 0.5 x (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3), computed as
 * x / (1 + exp(-2u)), which is the same and loses no digits for negative x. exp is 2^n times a
 * polynomial of degree 6 on [-ln2/2, ln2/2]; the result's relative error is below 2e-6 for
 * x >= -4 and its absolute error below 1e-6 everywhere (tests/unit/experiments/test_host.c).
 */
#ifndef EXPERIMENTS_HOST_POINTWISE_KERNEL_H
#define EXPERIMENTS_HOST_POINTWISE_KERNEL_H

#include "experiments/host/primitive_plans.h"

#include <string.h>

/* out and in[] as the chain says, n elements each, split over `threads` OpenMP threads. */
void generic_run(const struct chain *c, int64_t n, void *out, void *const in[], int threads);

/* What hand-written kernels share. --------------------------------------------------------------
 */

/* Each clone is whole: what is inlined into it is compiled for its instruction set. The levels are
 * chosen by what the CPU can do; "arch=haswell" and its like would ask for that very CPU. */
#if defined __x86_64__
#define FOR_EACH_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_CPU
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE float bits_float(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

INLINE uint32_t float_bits(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

/* To the nearest, ties to even; a NaN stays one. */
INLINE uint16_t to_bf16(float f)
{
	uint32_t bits = float_bits(f);
	uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1u);
	return (uint16_t)((f != f ? bits | 0x400000u : rounded) >> 16);
}

INLINE float from_bf16(uint16_t h)
{
	return bits_float((uint32_t)h << 16);
}

#endif
