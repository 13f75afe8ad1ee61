/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_work.h - what is put into the stream: one entry is one launch.
 *
 * The cuda device checks a descriptor, finds or makes what it needs (a plan, a kernel, a module)
 * and has an entry, which it runs at once or, while a graph is captured, keeps. A kept list becomes
 * a CUDA graph when it is first launched: then its entries are run once more into a capturing
 * stream, so that nothing is compiled or allocated while CUDA captures.
 */
#ifndef EXPERIMENTS_CUDA_STREAM_WORK_H
#define EXPERIMENTS_CUDA_STREAM_WORK_H

#include "experiments/cuda/driver.h"
#include "experiments/cuda/gemm.h"
#include "experiments/cuda/launch_grid.h"

enum work_kind {
	WORK_GEMM,
	WORK_KERNEL, /* of kernels.h, through the runtime */
	WORK_MODULE, /* compiled while the program runs, through the driver */
	WORK_COPY
};

struct work {
	enum work_kind kind;
	struct gemm_plan *plan; /* GEMM */
	struct gemm_operands operands; /* GEMM */
	const struct kernel *kernel; /* KERNEL */
	struct kernel_args args; /* KERNEL */
	CUfunction function; /* MODULE */
	void *pointer[1 + KERNEL_INPUTS]; /* MODULE: out, in...; COPY: to, from */
	struct launch launch; /* KERNEL, MODULE */
	size_t bytes; /* COPY */
};

struct worker {
	struct gemms *gemms;
	const struct driver *driver;
	cudaStream_t stream;
};

/* Queues it. */
int work_run(const struct worker *worker, const struct work *w, struct err *err);

/* "cudaLaunchKernel": the call that does it, for a trace without CUPTI. */
const char *work_call(const struct work *w);

#endif
