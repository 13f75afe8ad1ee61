/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime library: memory is the heap's, a stream does its work when it is asked. */
#define _GNU_SOURCE
#include "tests/data/cuda/fake.h"

#include "experiments/cuda/kernels.h"

#include <cuda_runtime_api.h>
#include <cupti_runtime_cbid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool fake_is(const char *how)
{
	const char *set = getenv("FAKE_CUDA");
	return set && !strcmp(set, how);
}

int64_t fake_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- calls and work ---- */

static uint32_t last_correlation;

struct fake_call fake_call_begin(bool runtime, uint32_t number)
{
	return (struct fake_call){runtime, number, ++last_correlation, fake_now_ns()};
}

void fake_call_end(const struct fake_call *call, uint32_t result)
{
	fake_record_call(call, fake_now_ns(), result);
}

struct CUgraph_st {
	struct fake_work *work; /* (n) */
	size_t n;
};

static struct CUgraph_st *capturing;
static uint32_t graphs;

static void do_work(const struct fake_work *w, uint32_t correlation, uint32_t graph, uint64_t node)
{
	struct fake_work copy = *w;
	int64_t start_ns = fake_now_ns();
	if (!fake_is("idle"))
		copy.run(copy.context);
	if (w->kind == FAKE_KERNEL)
		fake_count_kernel();
	fake_record_work(w, correlation, start_ns, fake_now_ns(), graph, node);
}

void fake_work_put(const struct fake_work *w, const struct fake_call *call)
{
	if (!capturing) {
		do_work(w, call->correlation, 0, 0);
		return;
	}
	capturing->work = realloc(capturing->work, (capturing->n + 1) * sizeof *w);
	capturing->work[capturing->n++] = *w;
}

struct index {
	unsigned x, y, z;
};
extern __thread struct index blockIdx, threadIdx, gridDim, blockDim;

static void become(unsigned t)
{
	threadIdx = (struct index){
		t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
}

void fake_for_each_thread(const unsigned grid[3], const unsigned block[3], bool together,
	fake_kernel *kernel, void *context)
{
	unsigned threads = block[0] * block[1] * block[2];
	gridDim = (struct index){grid[0], grid[1], grid[2]};
	blockDim = (struct index){block[0], block[1], block[2]};
	for (unsigned b = 0; b < grid[0] * grid[1] * grid[2]; b++) {
		blockIdx =
			(struct index){b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]};
		if (together)
			fake_block(threads, kernel, context, become);
		for (unsigned t = 0; t < threads && !together; t++) {
			become(t);
			kernel(context);
		}
	}
}

/* ---- the device ---- */

cudaError_t cudaSetDevice(int device)
{
	fake_inject();
	(void)device;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = 13000;
	return cudaSuccess;
}

/* An H200's numbers under a name that nobody can take for one. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	(void)device;
	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "fake GPU (tests)");
	p->totalGlobalMem = 150754820096;
	p->major = 9;
	p->multiProcessorCount = 132;
	p->warpSize = 32;
	p->maxThreadsPerBlock = 1024;
	p->maxThreadsPerMultiProcessor = 2048;
	p->regsPerBlock = 65536;
	p->regsPerMultiprocessor = 65536;
	p->sharedMemPerBlock = 49152;
	p->sharedMemPerBlockOptin = 232448;
	p->sharedMemPerMultiprocessor = 233472;
	p->l2CacheSize = 62914560;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int room, int device)
{
	(void)device;
	snprintf(bus, (size_t)room, "0000:FA:4E.0");
	return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
	return error == cudaErrorMemoryAllocation ? "out of memory" : "a fake failure";
}

const char *cudaGetErrorName(cudaError_t error)
{
	return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorFake";
}

cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}

/* ---- memory ---- */

static long alive;

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
	struct fake_call call = fake_call_begin(true, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020);
	*pointer = NULL;
	/* the libraries' workspace is no tensor */
	bool refused = fake_is("nomemory") && bytes > 1 << 20 && bytes != 32 << 20;
	if (!refused)
		*pointer = aligned_alloc(256, (bytes + 255) / 256 * 256);
	alive += *pointer != NULL;
	/* a kernel that forgets an element shows */
	if (*pointer)
		memset(*pointer, 0xff, bytes);
	cudaError_t result = *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
	fake_call_end(&call, result);
	return result;
}

cudaError_t cudaFree(void *pointer)
{
	struct fake_call call = fake_call_begin(true, CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020);
	alive -= pointer != NULL;
	free(pointer);
	fake_call_end(&call, 0);
	return cudaSuccess;
}

/* For tests: allocations that were not freed. */
long fake_alive(void);
long fake_alive(void)
{
	return alive;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
	*free_bytes = 1 << 20;
	*all_bytes = 150754820096;
	return cudaSuccess;
}

struct copy {
	void *to;
	const void *from;
	size_t bytes;
};

static void do_copy(void *context)
{
	struct copy *c = context;
	memcpy(c->to, c->from, c->bytes);
}

cudaError_t cudaMemcpyAsync(
	void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct fake_call call =
		fake_call_begin(true, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020);
	struct fake_work w = {.kind = FAKE_COPY, .run = do_copy, .bytes = bytes};
	struct copy c = {to, from, bytes};
	(void)stream;
	memcpy(w.context, &c, sizeof c);
	w.from = kind == cudaMemcpyHostToDevice ? 1 : 3;
	w.to = kind == cudaMemcpyDeviceToHost ? 1 : 3;
	w.direction = kind == cudaMemcpyHostToDevice ? 1 : kind == cudaMemcpyDeviceToHost ? 2 : 8;
	w.stream = 13;
	fake_work_put(&w, &call);
	fake_call_end(&call, 0);
	return cudaSuccess;
}

/* ---- kernels ---- */

struct kernel_call {
	const void *function;
	union {
		struct kernel_args pointwise;
		struct product_args product;
	} args;
	unsigned grid[3], block[3];
	bool product;
};

static void one_thread(void *context)
{
	struct kernel_call *k = context;
	if (k->product)
		((void (*)(struct product_args))(uintptr_t)k->function)(k->args.product);
	else
		((void (*)(struct kernel_args))(uintptr_t)k->function)(k->args.pointwise);
}

static const struct kernel *built(const void *function)
{
	for (const struct kernel *k = kernels; k->name; k++)
		if (k->function == function)
			return k;
	return NULL;
}

static void all_threads(void *context)
{
	struct kernel_call *k = context;
	const struct kernel *kernel = built(k->function);
	bool together = kernel &&
		(kernel->shape == KERNEL_BY_WARP || kernel->shape == KERNEL_BY_QUERIES ||
			kernel->shape == KERNEL_BY_GROUPS);
	fake_for_each_thread(k->grid, k->block, together, one_thread, k);
}

static const char *name_of(const void *function, bool *product)
{
	const struct kernel *kernel = built(function);
	*product = !kernel;
	if (kernel)
		return kernel->name;
	return function == kernel_product[0] ? "tracebook_gemm_plain_bf16"
					     : "tracebook_gemm_plain_fp32";
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
	size_t shared, cudaStream_t stream)
{
	struct fake_call call =
		fake_call_begin(true, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
	struct kernel_call k = {.function = function,
		.grid = {grid.x, grid.y, grid.z},
		.block = {block.x, block.y, block.z}};
	struct fake_work w = {.kind = FAKE_KERNEL, .run = all_threads, .registers = 32};
	(void)stream;
	w.name = name_of(function, &k.product);
	memcpy(&k.args, args[0], k.product ? sizeof k.args.product : sizeof k.args.pointwise);
	memcpy(w.context, &k, sizeof k);
	memcpy(w.grid, k.grid, sizeof k.grid);
	memcpy(w.block, k.block, sizeof k.block);
	w.dynamic_shared_bytes = (int)shared;
	w.stream = 13;
	cudaError_t result = fake_is("launch") ? cudaErrorLaunchFailure : cudaSuccess;
	if (!result)
		fake_work_put(&w, &call);
	fake_call_end(&call, result);
	return result;
}

/* ---- streams, events, graphs ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
	(void)flags;
	*stream = malloc(1);
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	free(stream);
	return cudaSuccess;
}

static cudaError_t wait_for(uint32_t number)
{
	struct fake_call call = fake_call_begin(true, number);
	cudaError_t result = fake_is("fault") ? cudaErrorIllegalAddress : cudaSuccess;
	fake_record_wait(call.correlation, call.start_ns, fake_now_ns());
	fake_call_end(&call, result);
	return result;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	(void)stream;
	return wait_for(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020);
}

cudaError_t cudaDeviceSynchronize(void)
{
	return wait_for(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	*event = malloc(sizeof(int64_t));
	return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	free(event);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	(void)stream;
	int64_t now_ns = fake_now_ns();
	memcpy(event, &now_ns, sizeof now_ns);
	return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	(void)event;
	return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	int64_t start_ns, end_ns;
	memcpy(&start_ns, start, sizeof start_ns);
	memcpy(&end_ns, end, sizeof end_ns);
	*ms = (float)(end_ns - start_ns) * 1e-6f;
	return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	(void)stream, (void)mode;
	capturing = calloc(1, sizeof *capturing);
	return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	(void)stream;
	*graph = capturing;
	capturing = NULL;
	return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	free(graph->work);
	free(graph);
	return cudaSuccess;
}

struct CUgraphExec_st {
	struct CUgraph_st graph;
	uint32_t id;
};

cudaError_t cudaGraphInstantiate(
	cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
	(void)flags;
	struct CUgraphExec_st *e = calloc(1, sizeof *e);
	e->graph.n = graph->n;
	e->graph.work = malloc(graph->n * sizeof *graph->work);
	memcpy(e->graph.work, graph->work, graph->n * sizeof *graph->work);
	e->id = ++graphs;
	*executable = e;
	return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
	(void)executable, (void)stream;
	return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
	struct fake_call call =
		fake_call_begin(true, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000);
	(void)stream;
	for (size_t i = 0; i < executable->graph.n; i++)
		do_work(&executable->graph.work[i], call.correlation, executable->id, i + 1);
	fake_call_end(&call, 0);
	return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
	free(executable->graph.work);
	free(executable);
	return cudaSuccess;
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
	*pointer = malloc(bytes);
	return cudaSuccess;
}

cudaError_t cudaFreeHost(void *pointer)
{
	free(pointer);
	return cudaSuccess;
}
