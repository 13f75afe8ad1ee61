/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.h - the kernels that nvcc builds, as data: what they compute and how they are launched.
 *
 * C and CUDA C++ read this header, so it holds plain types only. Every kernel takes one parameter,
 * a struct kernel_args by value, and works on dense arrays. Names are what a trace shows.
 */
#ifndef EXPERIMENTS_CUDA_KERNELS_H
#define EXPERIMENTS_CUDA_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KERNEL_INPUTS = 4 };

struct kernel_args {
	void *out;
	const void *in[KERNEL_INPUTS];
	int64_t n; /* elements */
	int64_t row; /* elements of a row; n is a multiple of it. Kernels by element: not used */
	int64_t rows; /* of a matrix, for attention: n is a multiple of rows times row */
	float factor; /* of attention's scores, above 0, and of scaling */
	int causal; /* of attention: a query sees no key behind its own place */
};

/* How the elements are spread over threads. */
enum kernel_shape {
	KERNEL_BY_VECTOR, /* KERNEL_VECTORS times 16 bytes of each array a thread */
	KERNEL_BY_ELEMENT, /* one element a thread */
	KERNEL_BY_TILE, /* one element a thread, blocks of 16 x 16 over rows and columns */
	KERNEL_BY_ROW, /* a block a row, as many lanes as the next power of two */
	KERNEL_BY_ROW_LOOP, /* a block a row, 1024 lanes that go on until the row ends */
	KERNEL_BY_ROW_GENERIC, /* a block a row, by Liger's rule, vectors where the row allows */
	KERNEL_BY_WARP, /* a warp a row */
	KERNEL_BY_QUERIES, /* ATTENTION_QUERIES rows of a matrix a block; y is the batch */
	KERNEL_BY_GROUPS /* the same in blocks of HOPPER_THREADS, on GPUs of capability 9.0 alone */
};

/* Kernels by vector and generated ones: blocks of 128 threads with one vector each reach the most
 * of an H200's bandwidth; tests/gpu (tables recipes) measures what others reach. */
enum { KERNEL_BLOCK = 256, KERNEL_TILE = 16 };
enum { KERNEL_VECTOR_BLOCK = 128, KERNEL_VECTORS = 1, KERNEL_VECTOR_BYTES = 16 };

/* Attention: threads of a block, and the sizes that it works on at once. A row is at most
 * ATTENTION_DIM long: what is shorter is filled up with zeros. */
enum { ATTENTION_BLOCK = 128, ATTENTION_QUERIES = 128, ATTENTION_KEYS = 64, ATTENTION_DIM = 64 };
enum { HOPPER_THREADS = 256 }; /* two for each query */

/* Operations of a kernel: enum pointwise of experiments/device.h. */
struct kernel {
	const char *name; /* "tracebook_add_bf16" */
	const void *function; /* for cudaLaunchKernel() */
	int dtype; /* enum dtype */
	int n_steps, step[2]; /* enum pointwise; none: softmax and attention, found by `wish` */
	enum kernel_shape shape;
	const char *wish; /* NULL: what the steps get by themselves; else the name it is asked by
			     (struct device_pointwise: generic and name) */
};

extern const struct kernel kernels[]; /* ends with a NULL name */

/* d' = b' a' (cublaslt_product.h) by one thread an element, for the odd shapes that no library
 * takes. Strides count elements: first_m is from row to row of the first operand, and so on. */
struct product_args {
	const void *first, *second;
	const void *bias, *c; /* NULL: not added */
	void *d;
	int64_t m, n, k;
	int64_t first_m, first_k, second_k, second_n, c_n, d_n;
	int64_t first_batch, second_batch, c_batch, d_batch;
};

extern const void *const kernel_product[]; /* by enum dtype; blocks of 16 x 16, z is the batch */

#ifdef __cplusplus
}
#endif

#endif
