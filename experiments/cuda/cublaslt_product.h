/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cublaslt_product.h - a matrix product as cuBLASLt wants it.
 *
 * cuBLASLt thinks in columns, tensors lie in rows. A row-major matrix is its own transpose in
 * columns, so d = a b is asked for as d' = b' a': the first operand is b, the second a. An operand
 * that lies in rows needs no transposition then ("n"), one that lies in columns does ("t"); hence a
 * plain product shows as nn, and a Linear, whose weight is seen through a transposition, as tn.
 * A bias row of d runs down the rows of d', where cuBLASLt's epilogue adds it.
 */
#ifndef EXPERIMENTS_CUDA_CUBLASLT_PRODUCT_H
#define EXPERIMENTS_CUDA_CUBLASLT_PRODUCT_H

#include "experiments/cuda/blaslt.h"
#include "experiments/device.h"

struct device_memory {
	void *pointer; /* on the device */
	size_t bytes;
};

/* One operand in memory, in columns. */
struct product_layout {
	int64_t rows, cols; /* as stored */
	int64_t ld; /* elements from column to column */
	int64_t batch_stride; /* 0: the same for the whole batch */
	int32_t transposed; /* it takes part transposed; not for d */
	uint32_t alignment; /* bytes that divide its address, at most 256 */
};

enum product_epilogue {
	PRODUCT_PLAIN,
	PRODUCT_BIAS, /* a row for every row of d */
	PRODUCT_ADDEND /* a matrix, read from where it lies: C is not D */
};

/* Everything that a plan depends on; compared as bytes, so clear it before filling. */
struct product {
	enum dtype dtype;
	enum product_epilogue epilogue;
	int64_t batch, m, n, k; /* of d' = b' a': m columns of d, n rows of d */
	struct product_layout first, second, d, addend; /* addend: of PRODUCT_ADDEND */
	uint32_t bias_alignment; /* of PRODUCT_BIAS */
	int32_t accumulate; /* d += */
};

/* Checks a descriptor and turns it round. Fails on shapes that do not fit, on memory that is too
 * small and on strides that cuBLASLt cannot take. */
int product_of(struct product *p, const struct device_gemm *g, struct err *err);

/* "tn": opA and opB, as kernel names end. */
const char *product_letters(const struct product *p);

/* What cuBLASLt is given; all made by product_describe(), also without a GPU. */
struct product_form {
	cublasLtMatmulDesc_t operation;
	cublasLtMatrixLayout_t first, second, c, d; /* c: addend, or d once more */
	cublasLtMatmulPreference_t preference;
};

/* `bias` is the address of the bias row: the choice of a kernel depends on its alignment. */
int product_describe(const struct blaslt *b, const struct product *p, const void *bias,
	size_t workspace_bytes, struct product_form *form, struct err *err);
void product_form_release(const struct blaslt *b, struct product_form *form);

#endif
