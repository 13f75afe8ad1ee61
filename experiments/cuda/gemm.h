/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm.h - matrix products through cuBLASLt: a kernel chosen once per shape, then only launched.
 *
 * The library, its handle and the workspace are made at the first product, each as a SPAN_SETUP in
 * the caller's recorder, and so is every choice of a kernel. Where cuBLASLt has no kernel for a
 * shape (odd strides), a plain kernel of our own does the work.
 */
#ifndef EXPERIMENTS_CUDA_GEMM_H
#define EXPERIMENTS_CUDA_GEMM_H

#include "experiments/cuda/cublaslt_product.h"
#include "experiments/cuda/kernels.h"

#include <cuda_runtime_api.h>

/* What PyTorch gives cuBLAS on Hopper (aten/src/ATen/cuda/CublasHandlePool.cpp). */
enum { GEMM_WORKSPACE_BYTES = 32 << 20 };

enum { GEMM_SLOTS = 64, GEMM_CANDIDATES = 16 };

/* Where the operands lie; `c` is the addend or d, `bias` NULL unless PRODUCT_BIAS. */
struct gemm_operands {
	const void *first, *second, *c, *bias;
	void *d;
};

struct gemm_plan {
	struct product product;
	bool tuned;
	bool own; /* cuBLASLt has no kernel for it */
	struct product_form form;
	cublasLtMatmulAlgo_t algo;
	size_t workspace_bytes;
	const void *bias; /* that the form has now */
	struct gemm_plan *next;
};

struct gemms {
	struct blaslt blas;
	cublasLtHandle_t handle; /* NULL until the first product */
	void *workspace;
	cudaStream_t stream;
	struct recorder *recorder; /* lent; of SPAN_SETUP spans */
	struct arena *arena; /* lent */
	struct gemm_plan *slot[GEMM_SLOTS];
};

/* A candidate of cuBLASLt, for tables: time 0 when it was not measured. */
struct gemm_candidate {
	cublasLtMatmulAlgo_t algo;
	size_t workspace_bytes;
	float waves; /* as cuBLASLt estimates */
	double time_us; /* median */
};

/* The plan for a product, made if need be. `tune`: of cuBLASLt's candidates the one that runs
 * fastest here on the operands' values, instead of the one it names first; d is not written. */
struct gemm_plan *gemms_take(struct gemms *g, const struct product *p,
	const struct gemm_operands *o, bool tune, struct err *err);

/* Queues it. */
int gemms_run(
	struct gemms *g, struct gemm_plan *plan, const struct gemm_operands *o, struct err *err);

/* All candidates with their times; *n at most GEMM_CANDIDATES. */
int gemms_candidates(struct gemms *g, const struct gemm_plan *plan, const struct gemm_operands *o,
	struct gemm_candidate *candidate, int *n, struct err *err);

/* Frees the plans and the handle; the stream must be idle. */
void gemms_release(struct gemms *g);

/* Address of an operand's first element. */
void *gemm_address(const struct device_matrix *m, enum dtype dtype);

#endif
