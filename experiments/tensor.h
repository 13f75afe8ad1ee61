/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor.h - a view of device memory with a shape.
 *
 * A tensor is a small value, copied freely. Strides and offset count elements. A tensor that came
 * from an operator owns its storage and is given back with ops_free(); views only look at it.
 * While a graph is being recorded there is no memory, and `value` says which of the graph's values
 * is looked at.
 */
#ifndef EXPERIMENTS_TENSOR_H
#define EXPERIMENTS_TENSOR_H

#include "experiments/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TENSOR_RANK = SPAN_MAX_DIMS, TENSOR_TEXT = 96 };

struct storage;

struct tensor {
	struct device_memory *memory; /* lent; NULL while a graph is recorded */
	struct storage *storage; /* owned; NULL for views and for memory of somebody else */
	int value; /* number in the graph, while one is recorded */
	enum dtype dtype;
	int rank;
	int64_t offset; /* elements */
	int64_t dim[TENSOR_RANK], stride[TENSOR_RANK]; /* (rank) elements */
};

/* A dense row-major tensor without memory. */
struct tensor tensor_dense(enum dtype dtype, int rank, const int64_t *dim);

int64_t tensor_elements(const struct tensor *t);
size_t tensor_bytes(const struct tensor *t); /* of its elements, stored densely */

/* Row-major without holes, from the start of its memory: what pointwise kernels and copies take. */
bool tensor_is_dense(const struct tensor *t);
bool tensor_same_shape(const struct tensor *a, const struct tensor *b);
/* The same dtype, shape, strides and offset: one compiled program fits both. */
bool tensor_same_layout(const struct tensor *a, const struct tensor *b);

/* A view of the same elements with the last two dimensions swapped; rank must be at least 2. */
struct tensor tensor_transposed(const struct tensor *t);
/* A view of a dense tensor's elements in another shape; false if it is not dense or the number of
 * elements differs. */
bool tensor_viewed(const struct tensor *t, int rank, const int64_t *dim, struct tensor *view);

/* What device calls take: a row (rank 1), a matrix (2) or a batch of matrices (3). */
struct device_matrix tensor_matrix(const struct tensor *t);
int64_t tensor_batch(const struct tensor *t); /* matrices in it: 1 unless rank is 3 */

/* "64x128x768"; returns `text`. */
const char *tensor_text(const struct tensor *t, char text[TENSOR_TEXT]);

#endif
