/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_kernels.h - what attention written out does to its scores beside multiplying: the factor, and
 * the causal mask, which is told by where a row stands and is no tensor.
 */
#ifndef EXPERIMENTS_HOST_ROW_KERNELS_H
#define EXPERIMENTS_HOST_ROW_KERNELS_H

#include "experiments/host/primitive_plans.h"

/* Rows of dense matrices, `height` rows each; the first one is row `first` of its matrix. */
struct row_kernel {
	enum dtype dtype;
	int64_t rows, cols, first, height;
	float factor;
};

/* out = factor in; they may be the same. */
void row_kernel_scale(const struct row_kernel *k, void *out, const void *in, int threads);

/* What lies behind a row's own place becomes minus infinity. */
void row_kernel_mask(const struct row_kernel *k, void *out, int threads);

/* The work of a plan without a primitive: pointer 0 is its result. */
void row_kernel_run(const struct whole_rows *w, void *const pointer[], int threads);

/* Bytes that it moves. */
double row_kernel_bytes(const struct whole_rows *w);

#endif
