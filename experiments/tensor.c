/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/tensor.h"

#include <inttypes.h>
#include <stdio.h>

struct tensor tensor_dense(enum dtype dtype, int rank, const int64_t *dim)
{
	struct tensor t = {.dtype = dtype, .rank = rank};
	int64_t stride = 1;
	for (int i = rank - 1; i >= 0; i--) {
		t.dim[i] = dim[i];
		t.stride[i] = stride;
		stride *= dim[i];
	}
	return t;
}

int64_t tensor_elements(const struct tensor *t)
{
	int64_t n = 1;
	for (int i = 0; i < t->rank; i++)
		n *= t->dim[i];
	return n;
}

size_t tensor_bytes(const struct tensor *t)
{
	return (size_t)tensor_elements(t) * dtype_bytes(t->dtype);
}

bool tensor_is_dense(const struct tensor *t)
{
	int64_t stride = 1;
	for (int i = t->rank - 1; i >= 0; i--) {
		if (t->dim[i] != 1 && t->stride[i] != stride)
			return false;
		stride *= t->dim[i];
	}
	return t->offset == 0;
}

bool tensor_same_shape(const struct tensor *a, const struct tensor *b)
{
	if (a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dim[i] != b->dim[i])
			return false;
	return true;
}

bool tensor_same_layout(const struct tensor *a, const struct tensor *b)
{
	if (a->dtype != b->dtype || a->offset != b->offset || !tensor_same_shape(a, b))
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->stride[i] != b->stride[i])
			return false;
	return true;
}

struct tensor tensor_transposed(const struct tensor *t)
{
	if (t->rank < 2)
		bug("a tensor of rank %d has no transpose", t->rank);
	int row = t->rank - 2, col = t->rank - 1;
	struct tensor view = *t;
	view.storage = NULL;
	view.dim[row] = t->dim[col];
	view.dim[col] = t->dim[row];
	view.stride[row] = t->stride[col];
	view.stride[col] = t->stride[row];
	return view;
}

bool tensor_viewed(const struct tensor *t, int rank, const int64_t *dim, struct tensor *view)
{
	struct tensor shape = tensor_dense(t->dtype, rank, dim);
	if (!tensor_is_dense(t) || tensor_elements(&shape) != tensor_elements(t))
		return false;
	shape.memory = t->memory;
	shape.value = t->value;
	*view = shape;
	return true;
}

struct device_matrix tensor_matrix(const struct tensor *t)
{
	if (t->rank < 1 || t->rank > 3)
		bug("a tensor of rank %d is no matrix", t->rank);
	int row = t->rank - 2, col = t->rank - 1;
	return (struct device_matrix){
		.memory = t->memory,
		.offset = t->offset,
		.rows = t->rank > 1 ? t->dim[row] : 1,
		.cols = t->dim[col],
		.row_stride = t->rank > 1 ? t->stride[row] : t->dim[col],
		.col_stride = t->stride[col],
		.batch_stride = tensor_batch(t) > 1 ? t->stride[0] : 0,
	};
}

int64_t tensor_batch(const struct tensor *t)
{
	return t->rank == 3 ? t->dim[0] : 1;
}

const char *tensor_text(const struct tensor *t, char text[TENSOR_TEXT])
{
	int used = 0;
	text[0] = '\0';
	for (int i = 0; i < t->rank; i++)
		used += snprintf(text + used, (size_t)(TENSOR_TEXT - used), "%s%" PRId64,
			i ? "x" : "", t->dim[i]);
	return text;
}
