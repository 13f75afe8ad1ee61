/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h - the few functions of the CUDA driver that the runtime library does not offer: loading
 * and launching kernels that were compiled while the program runs.
 */
#ifndef EXPERIMENTS_CUDA_DRIVER_H
#define EXPERIMENTS_CUDA_DRIVER_H

#include "base/arena.h"
#include "base/err.h"

#include <cuda.h>

#define DRIVER_FUNCTIONS(X) \
	X(cuInit) \
	X(cuDriverGetVersion) \
	X(cuGetErrorString) \
	X(cuModuleLoadData) \
	X(cuModuleUnload) \
	X(cuModuleGetFunction) \
	X(cuLaunchKernel)

struct driver {
#define X(name) __typeof__(name) *name;
	DRIVER_FUNCTIONS(X)
#undef X
	const char *path; /* of libcuda, in the arena */
	int version; /* 13000: the newest CUDA it can run */
};

/* Opens the library. CUPTI wants to be asked between this and the next. */
int driver_open(struct driver *d, struct arena *a, struct err *err);

/* Starts the driver; makes no context. Fails when there is no GPU. */
int driver_start(struct driver *d, struct err *err);

/* "what: what the driver says"; returns -1. */
int driver_fail(const struct driver *d, CUresult result, const char *what, struct err *err);

#endif
