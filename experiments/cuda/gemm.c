/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/gemm.h"

#include "experiments/cuda/cuda_fail.h"

#include <stdlib.h>
#include <string.h>

static const float one = 1, zero = 0;

void *gemm_address(const struct device_matrix *m, enum dtype dtype)
{
	return (char *)m->memory->pointer + m->offset * (int64_t)dtype_bytes(dtype);
}

/* ---- once ---- */

static int open_library(struct gemms *g, struct err *err)
{
	struct span *span = span_begin(g->recorder, SPAN_SETUP, "open cuBLASLt");
	int result = blaslt_open(&g->blas, g->arena, err);
	span_end(span);
	return result;
}

static int make_handle(struct gemms *g, struct err *err)
{
	struct span *span = span_begin(g->recorder, SPAN_SETUP, "cuBLASLt handle");
	cublasStatus_t status = g->blas.cublasLtCreate(&g->handle);
	span_end(span);
	if (!status)
		return 0;
	g->handle = NULL;
	return blaslt_fail(&g->blas, status, "starting cuBLASLt", err);
}

static int make_workspace(struct gemms *g, struct err *err)
{
	struct span *span = span_begin(g->recorder, SPAN_SETUP, "cuBLASLt workspace");
	cudaError_t status = cudaMalloc(&g->workspace, GEMM_WORKSPACE_BYTES);
	span_end(span);
	return cuda_ok(status, "32 MiB of workspace for cuBLASLt", err);
}

static int start(struct gemms *g, struct err *err)
{
	if (!g->blas.cublasLtCreate && open_library(g, err))
		return -1;
	if (!g->handle && make_handle(g, err))
		return -1;
	return g->workspace ? 0 : make_workspace(g, err);
}

/* ---- running ---- */

static cublasStatus_t matmul(struct gemms *g, const struct gemm_plan *plan,
	const struct gemm_operands *o, const cublasLtMatmulAlgo_t *algo, size_t workspace_bytes,
	void *d)
{
	const struct product *p = &plan->product;
	const float *beta = p->accumulate || p->epilogue == PRODUCT_ADDEND ? &one : &zero;
	return g->blas.cublasLtMatmul(g->handle, plan->form.operation, &one, o->first,
		plan->form.first, o->second, plan->form.second, beta, o->c, plan->form.c, d,
		plan->form.d, algo, g->workspace, workspace_bytes, g->stream);
}

static cublasStatus_t point_at_bias(struct gemms *g, struct gemm_plan *plan, const void *bias)
{
	if (plan->bias == bias)
		return CUBLAS_STATUS_SUCCESS;
	plan->bias = bias;
	return g->blas.cublasLtMatmulDescSetAttribute(
		plan->form.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
}

static struct product_args own_args(const struct product *p, const struct gemm_operands *o)
{
	const struct product_layout *x = &p->first, *y = &p->second;
	struct product_args args = {
		.first = o->first,
		.second = o->second,
		.bias = o->bias,
		.c = p->accumulate || p->epilogue == PRODUCT_ADDEND ? o->c : NULL,
		.d = o->d,
		.m = p->m,
		.n = p->n,
		.k = p->k,
		.first_m = x->transposed ? x->ld : 1,
		.first_k = x->transposed ? 1 : x->ld,
		.second_k = y->transposed ? y->ld : 1,
		.second_n = y->transposed ? 1 : y->ld,
		.c_n = p->epilogue == PRODUCT_ADDEND ? p->addend.ld : p->d.ld,
		.d_n = p->d.ld,
		.first_batch = x->batch_stride,
		.second_batch = y->batch_stride,
		.c_batch =
			p->epilogue == PRODUCT_ADDEND ? p->addend.batch_stride : p->d.batch_stride,
		.d_batch = p->d.batch_stride,
	};
	return args;
}

static int run_own(
	struct gemms *g, const struct product *p, const struct gemm_operands *o, struct err *err)
{
	struct product_args args = own_args(p, o);
	void *parameter[] = {&args};
	dim3 block = {KERNEL_TILE, KERNEL_TILE, 1};
	dim3 grid = {(unsigned)((p->m + KERNEL_TILE - 1) / KERNEL_TILE),
		(unsigned)((p->n + KERNEL_TILE - 1) / KERNEL_TILE), (unsigned)p->batch};
	return cuda_ok(
		cudaLaunchKernel(kernel_product[p->dtype], grid, block, parameter, 0, g->stream),
		"launching a product", err);
}

int gemms_run(
	struct gemms *g, struct gemm_plan *plan, const struct gemm_operands *o, struct err *err)
{
	if (plan->own)
		return run_own(g, &plan->product, o, err);
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	if (plan->product.epilogue == PRODUCT_BIAS)
		status = point_at_bias(g, plan, o->bias);
	if (!status)
		status = matmul(g, plan, o, &plan->algo, plan->workspace_bytes, o->d);
	if (status != CUBLAS_STATUS_NOT_SUPPORTED)
		return status ? blaslt_fail(&g->blas, status, "a product", err) : 0;
	/* it was offered, and is refused all the same */
	plan->own = true;
	return run_own(g, &plan->product, o, err);
}

/* ---- choosing a kernel ---- */

static int ask(struct gemms *g, const struct gemm_plan *plan, int wanted,
	struct gemm_candidate *candidate, int *n, struct err *err)
{
	cublasLtMatmulHeuristicResult_t found[GEMM_CANDIDATES];
	int n_found = 0;
	cublasStatus_t status = g->blas.cublasLtMatmulAlgoGetHeuristic(g->handle,
		plan->form.operation, plan->form.first, plan->form.second, plan->form.c,
		plan->form.d, plan->form.preference, wanted, found, &n_found);
	*n = 0;
	if (status == CUBLAS_STATUS_NOT_SUPPORTED)
		return 0;
	if (status)
		return blaslt_fail(&g->blas, status, "asking for a product's kernel", err);
	for (int i = 0; i < n_found; i++)
		if (!found[i].state)
			candidate[(*n)++] = (struct gemm_candidate){.algo = found[i].algo,
				.workspace_bytes = found[i].workspaceSize,
				.waves = found[i].wavesCount};
	return 0;
}

enum { ROUNDS = 7, WARM_ROUNDS = 2 };

static int by_value(const void *va, const void *vb)
{
	float a = *(const float *)va, b = *(const float *)vb;
	return (a > b) - (a < b);
}

/* The median of a few runs into `d`, by events on the stream. */
static int time_candidate(struct gemms *g, const struct gemm_plan *plan,
	const struct gemm_operands *o, struct gemm_candidate *c, void *d, cudaEvent_t event[2],
	struct err *err)
{
	float ms[ROUNDS];
	for (int i = -WARM_ROUNDS; i < ROUNDS; i++) {
		cudaEventRecord(event[0], g->stream);
		cublasStatus_t status = matmul(g, plan, o, &c->algo, c->workspace_bytes, d);
		if (status)
			return blaslt_fail(&g->blas, status, "trying a product's kernel", err);
		cudaEventRecord(event[1], g->stream);
		float passed = 0;
		cudaError_t done = cudaEventSynchronize(event[1]);
		if (!done)
			done = cudaEventElapsedTime(&passed, event[0], event[1]);
		if (cuda_ok(done, "timing a product's kernel", err))
			return -1;
		if (i >= 0)
			ms[i] = passed;
	}
	qsort(ms, ROUNDS, sizeof *ms, by_value);
	c->time_us = (double)ms[ROUNDS / 2] * 1e3;
	return 0;
}

static size_t result_bytes(const struct product *p)
{
	int64_t elements = (p->batch - 1) * p->d.batch_stride + (p->n - 1) * p->d.ld + p->m;
	return (size_t)elements * dtype_bytes(p->dtype);
}

/* A candidate that does not run is not taken: its time stays 0. */
static int time_candidates(struct gemms *g, const struct gemm_plan *plan,
	const struct gemm_operands *o, struct gemm_candidate *candidate, int n, struct err *err)
{
	cudaEvent_t event[2] = {NULL, NULL};
	void *d = NULL;
	int result = cuda_ok(cudaMalloc(&d, result_bytes(&plan->product)),
		"memory for a result that is thrown away", err);
	for (int i = 0; i < 2 && !result; i++)
		result = cuda_ok(cudaEventCreate(&event[i]), "an event", err);
	for (int i = 0; i < n && !result; i++) {
		struct err refused = {0};
		if (time_candidate(g, plan, o, &candidate[i], d, event, &refused))
			result = cuda_ok(cudaGetLastError(), "trying a product's kernel", err);
	}
	for (int i = 0; i < 2; i++)
		if (event[i])
			cudaEventDestroy(event[i]);
	cudaFree(d);
	return result;
}

int gemms_candidates(struct gemms *g, const struct gemm_plan *plan, const struct gemm_operands *o,
	struct gemm_candidate *candidate, int *n, struct err *err)
{
	if (ask(g, plan, GEMM_CANDIDATES, candidate, n, err))
		return -1;
	return time_candidates(g, plan, o, candidate, *n, err);
}

static int choose(
	struct gemms *g, struct gemm_plan *plan, const struct gemm_operands *o, struct err *err)
{
	struct gemm_candidate candidate[GEMM_CANDIDATES];
	int n, best = 0;
	if (plan->tuned ? gemms_candidates(g, plan, o, candidate, &n, err)
			: ask(g, plan, 1, candidate, &n, err))
		return -1;
	plan->own = !n;
	for (int i = 1; i < n; i++)
		if (candidate[i].time_us > 0 &&
			(!(candidate[best].time_us > 0) ||
				candidate[i].time_us < candidate[best].time_us))
			best = i;
	if (n) {
		plan->algo = candidate[best].algo;
		plan->workspace_bytes = candidate[best].workspace_bytes;
	}
	return 0;
}

/* ---- plans ---- */

static struct gemm_plan **slot_of(struct gemms *g, const struct product *p)
{
	uint64_t hash = (uint64_t)p->m;
	const int64_t number[] = {p->n, p->k, p->batch, p->first.ld, p->second.ld,
		p->first.transposed, p->epilogue, p->dtype, p->accumulate};
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		hash = (hash ^ (uint64_t)number[i]) * 0x9e3779b97f4a7c15u;
	return &g->slot[hash >> 58];
}
_Static_assert(GEMM_SLOTS == 1 << (64 - 58), "the hash's upper bits number the slots");

static void plan_free(struct gemms *g, struct gemm_plan *plan)
{
	product_form_release(&g->blas, &plan->form);
	free(plan);
}

static struct gemm_plan *make_plan(struct gemms *g, const struct product *p,
	const struct gemm_operands *o, bool tune, struct err *err)
{
	struct gemm_plan *plan = xcalloc(1, sizeof *plan);
	memcpy(&plan->product, p, sizeof *p);
	plan->tuned = tune;
	plan->bias = o->bias;
	struct span *span = span_begin(
		g->recorder, SPAN_SETUP, tune ? "try GEMM kernels" : "choose GEMM kernel");
	int result = product_describe(&g->blas, p, o->bias, GEMM_WORKSPACE_BYTES, &plan->form, err);
	if (!result)
		result = choose(g, plan, o, err);
	span_end(span);
	if (!result)
		return plan;
	plan_free(g, plan);
	return NULL;
}

struct gemm_plan *gemms_take(struct gemms *g, const struct product *p,
	const struct gemm_operands *o, bool tune, struct err *err)
{
	struct gemm_plan **slot = slot_of(g, p);
	for (struct gemm_plan *plan = *slot; plan; plan = plan->next)
		if (plan->tuned == tune && !memcmp(&plan->product, p, sizeof *p))
			return plan;
	if (start(g, err))
		return NULL;
	struct gemm_plan *plan = make_plan(g, p, o, tune, err);
	if (plan) {
		plan->next = *slot;
		*slot = plan;
	}
	return plan;
}

void gemms_release(struct gemms *g)
{
	for (size_t i = 0; i < GEMM_SLOTS; i++)
		while (g->slot[i]) {
			struct gemm_plan *plan = g->slot[i];
			g->slot[i] = plan->next;
			plan_free(g, plan);
		}
	if (g->workspace)
		cudaFree(g->workspace);
	if (g->handle)
		g->blas.cublasLtDestroy(g->handle);
	g->handle = NULL;
	g->workspace = NULL;
}
