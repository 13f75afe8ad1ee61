/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_reference.h - what the cuda device's results are held against, on a GPU (tests/gpu/check.c)
 * and on one that is none (tests/unit): element-wise steps in double, and matrices over an array.
 */
#ifndef TESTS_UNIT_CUDA_REFERENCE_H
#define TESTS_UNIT_CUDA_REFERENCE_H

#include "base/err.h"
#include "experiments/device.h"

#include <math.h>

static inline double reference_gelu(double x)
{
	return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

/* One step on x, with y where it takes two. */
static inline double reference_step(enum pointwise step, double x, double y)
{
	switch (step) {
	case POINTWISE_ADD:
		return x + y;
	case POINTWISE_MUL:
		return x * y;
	case POINTWISE_GELU_TANH:
		return reference_gelu(x);
	case POINTWISE_SQUARE:
		return x * x;
	}
	return NAN;
}

/* A product of the checks. */
struct shape {
	int64_t batch, m, n, k;
	bool a_turned, b_turned, accumulate, tune;
	int addend; /* 0 none, 1 a row, 2 a matrix */
	enum dtype dtype;
};

/* Matrices one behind the other; turned: columns are contiguous. */
static inline struct device_matrix reference_matrix(
	struct device_memory *memory, int64_t rows, int64_t cols, bool turned)
{
	return (struct device_matrix){.memory = memory,
		.rows = rows,
		.cols = cols,
		.row_stride = turned ? 1 : cols,
		.col_stride = turned ? rows : 1,
		.batch_stride = rows * cols};
}

/* The values of turned matrices, row by row; the caller frees. */
static inline double *reference_turned(
	const double *turned, int64_t batch, int64_t rows, int64_t cols)
{
	double *value = xcalloc((size_t)(batch * rows * cols), sizeof *value);
	for (int64_t b = 0; b < batch; b++)
		for (int64_t i = 0; i < rows; i++)
			for (int64_t j = 0; j < cols; j++)
				value[b * rows * cols + i * cols + j] =
					turned[b * rows * cols + j * rows + i];
	return value;
}

#endif
