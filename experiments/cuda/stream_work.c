/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/stream_work.h"

#include "experiments/cuda/cuda_fail.h"

static int run_kernel(const struct worker *worker, const struct work *w, struct err *err)
{
	struct kernel_args args = w->args;
	void *parameter[] = {&args};
	const struct launch *l = &w->launch;
	dim3 grid = {l->grid[0], l->grid[1], l->grid[2]};
	dim3 block = {l->block[0], l->block[1], l->block[2]};
	cudaError_t status =
		cudaLaunchKernel(w->kernel->function, grid, block, parameter, 0, worker->stream);
	return cuda_ok(status, w->kernel->name, err);
}

static int run_module(const struct worker *worker, const struct work *w, struct err *err)
{
	void *pointer[1 + KERNEL_INPUTS], *parameter[1 + KERNEL_INPUTS];
	const struct launch *l = &w->launch;
	for (int i = 0; i < 1 + KERNEL_INPUTS; i++) {
		pointer[i] = w->pointer[i];
		parameter[i] = &pointer[i];
	}
	CUresult result =
		worker->driver->cuLaunchKernel(w->function, l->grid[0], l->grid[1], l->grid[2],
			l->block[0], l->block[1], l->block[2], 0, worker->stream, parameter, NULL);
	return result ? driver_fail(worker->driver, result, "launching a compiled kernel", err) : 0;
}

static int run_copy(const struct worker *worker, const struct work *w, struct err *err)
{
	return cuda_ok(cudaMemcpyAsync(w->pointer[0], w->pointer[1], w->bytes,
			       cudaMemcpyDeviceToDevice, worker->stream),
		"a copy", err);
}

int work_run(const struct worker *worker, const struct work *w, struct err *err)
{
	switch (w->kind) {
	case WORK_GEMM:
		return gemms_run(worker->gemms, w->plan, &w->operands, err);
	case WORK_KERNEL:
		return run_kernel(worker, w, err);
	case WORK_MODULE:
		return run_module(worker, w, err);
	case WORK_COPY:
		return run_copy(worker, w, err);
	}
	bug("unknown kind of work %d", (int)w->kind);
}

const char *work_call(const struct work *w)
{
	switch (w->kind) {
	case WORK_GEMM:
		return "cublasLtMatmul";
	case WORK_KERNEL:
		return "cudaLaunchKernel";
	case WORK_MODULE:
		return "cuLaunchKernel";
	case WORK_COPY:
		return "cudaMemcpyAsync";
	}
	bug("unknown kind of work %d", (int)w->kind);
}
