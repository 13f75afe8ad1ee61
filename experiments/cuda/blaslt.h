/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blaslt.h - the functions of cuBLASLt, found while the program runs.
 */
#ifndef EXPERIMENTS_CUDA_BLASLT_H
#define EXPERIMENTS_CUDA_BLASLT_H

#include "base/arena.h"
#include "base/err.h"

#include <cublasLt.h>

#define BLASLT_FUNCTIONS(X) \
	X(cublasLtGetVersion) \
	X(cublasLtGetStatusString) \
	X(cublasLtCreate) \
	X(cublasLtDestroy) \
	X(cublasLtMatmulDescCreate) \
	X(cublasLtMatmulDescDestroy) \
	X(cublasLtMatmulDescSetAttribute) \
	X(cublasLtMatmulDescGetAttribute) \
	X(cublasLtMatrixLayoutCreate) \
	X(cublasLtMatrixLayoutDestroy) \
	X(cublasLtMatrixLayoutSetAttribute) \
	X(cublasLtMatrixLayoutGetAttribute) \
	X(cublasLtMatmulPreferenceCreate) \
	X(cublasLtMatmulPreferenceDestroy) \
	X(cublasLtMatmulPreferenceSetAttribute) \
	X(cublasLtMatmulAlgoGetHeuristic) \
	X(cublasLtMatmul)

struct blaslt {
#define X(name) __typeof__(name) *name;
	BLASLT_FUNCTIONS(X)
#undef X
	const char *path; /* of libcublasLt, in the arena */
	size_t version; /* 130100 */
};

/* Needs no driver and no GPU; takes tens of milliseconds. */
int blaslt_open(struct blaslt *b, struct arena *a, struct err *err);

/* "what: what cuBLASLt says"; returns -1. */
int blaslt_fail(const struct blaslt *b, cublasStatus_t status, const char *what, struct err *err);

#endif
