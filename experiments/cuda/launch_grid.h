/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_grid.h - how many blocks of how many threads a kernel of kernels.h is launched with.
 */
#ifndef EXPERIMENTS_CUDA_LAUNCH_GRID_H
#define EXPERIMENTS_CUDA_LAUNCH_GRID_H

#include "base/err.h"
#include "experiments/cuda/kernels.h"
#include "experiments/device.h"

struct launch {
	unsigned grid[3], block[3];
};

/* The kernel for these steps: by its wish (generic) or by the steps alone. NULL when there is
 * none. */
const struct kernel *launch_kernel(const struct device_pointwise *p);

/* Fails when the kernel goes by rows and `row` is not told or does not divide n, and when the grid
 * would be larger than CUDA's. */
int launch_shape(struct launch *l, const struct kernel *k, int64_t n, int64_t row, struct err *err);

/* The kernel for work on whole rows and its launch, on a GPU of this capability (90: 9.0); fails
 * when there is none for these sizes. */
const struct kernel *launch_rows(
	struct launch *l, const struct device_rows *r, int capability, struct err *err);

/* Threads of a block that works on one row: Liger's calculate_settings() for gated products,
 * the rule of GPU MODE's Lecture 1 for the square. */
int launch_row_threads(enum kernel_shape shape, int64_t row);

#endif
