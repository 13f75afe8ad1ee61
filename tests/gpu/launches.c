/* SPDX-License-Identifier: Apache-2.0 */
/* launches: what a launch costs the CPU, as a table with tabs. First what the device's own calls
 * cost, recorded and not, then the same calls made bare, which is the least that any program pays
 * on this machine: through the runtime, through the driver, and a product's kernel launched without
 * its library. */
#include "base/stats.h"
#include "experiments/cuda/cuda_fail.h"
#include "tests/gpu/gpu.h"

#include <cuda.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 64, BURST = 200, BURSTS = 40 };

struct launch_work {
	struct gpu_pointwise pointwise;
	struct device_gemm gemm;
	struct device_graph *graph;
};

static void run_gemm(struct gpu *g, void *context, int round)
{
	struct launch_work *w = context;
	(void)round;
	gpu_ok(g, g->call->gemm(g->device, &w->gemm, &g->err));
}

static void run_small(struct gpu *g, void *context, int round)
{
	struct launch_work *w = context;
	gpu_run_pointwise(g, &w->pointwise, round);
}

static void run_both(struct gpu *g, void *context, int round)
{
	run_gemm(g, context, round);
	run_small(g, context, round);
}

static void run_graph(struct gpu *g, void *context, int round)
{
	struct launch_work *w = context;
	(void)round;
	gpu_ok(g, g->call->graph_launch(g->device, w->graph, &g->err));
}

/* ---- the bare calls ---- */

/* The driver's functions, by the runtime's own look-up. */
struct bare {
	struct launch_work *work;
	__typeof__(cuLaunchKernelEx) *launch;
	__typeof__(cuGraphKernelNodeGetParams_v2) *node_params;
	__typeof__(cuGraphKernelNodeGetAttribute) *node_attribute;
	struct gemm_plan *plan;
	struct gemm_operands operands;
	cudaFunction_t add;
	struct kernel_args args;
	struct work add_work;
	cudaGraph_t graph; /* owns the parameters of the product's kernel */
	CUDA_KERNEL_NODE_PARAMS product;
	CUlaunchAttribute attribute[2];
	unsigned n_attributes;
};

static void find(struct gpu *g, const char *name, void *function, size_t bytes)
{
	void *found = NULL;
	enum cudaDriverEntryPointQueryResult what;
	gpu_ok(g,
		cuda_ok(cudaGetDriverEntryPointByVersion(
				name, &found, CUDART_VERSION, cudaEnableDefault, &what),
			name, &g->err));
	memcpy(function, &found, bytes);
}

/* What cuBLASLt launches, as a stream in capture sees it. */
static void catch_product(struct gpu *g, struct bare *b)
{
	cudaStream_t stream = g->device->stream;
	cudaGraphNode_t node[4];
	size_t n = 4;
	gpu_ok(g,
		cuda_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "capturing",
			&g->err));
	gpu_ok(g, gemms_run(&g->device->gemms, b->plan, &b->operands, &g->err));
	gpu_ok(g, cuda_ok(cudaStreamEndCapture(stream, &b->graph), "capturing", &g->err));
	gpu_ok(g, cuda_ok(cudaGraphGetNodes(b->graph, node, &n), "a graph's nodes", &g->err));
	if (n != 1) {
		fprintf(stderr, "the product is %zu pieces of work\n", n);
		memset(&b->product, 0, sizeof b->product);
		return;
	}
	if (b->node_params((CUgraphNode)node[0], &b->product))
		memset(&b->product, 0, sizeof b->product);
	static const CUlaunchAttributeID wanted[] = {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
		CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE};
	for (size_t i = 0; i < 2; i++) {
		CUlaunchAttribute *a = &b->attribute[b->n_attributes];
		a->id = wanted[i];
		if (!b->node_attribute((CUgraphNode)node[0], wanted[i], &a->value))
			b->n_attributes++;
	}
}

static void bare_open(struct gpu *g, struct bare *b, struct launch_work *w)
{
	struct product p;
	b->work = w;
	find(g, "cuLaunchKernelEx", &b->launch, sizeof b->launch);
	find(g, "cuGraphKernelNodeGetParams", &b->node_params, sizeof b->node_params);
	find(g, "cuGraphKernelNodeGetAttribute", &b->node_attribute, sizeof b->node_attribute);
	gpu_ok(g, product_of(&p, &w->gemm, &g->err));
	b->operands = (struct gemm_operands){.first = gemm_address(&w->gemm.b, DTYPE_BF16),
		.second = gemm_address(&w->gemm.a, DTYPE_BF16),
		.d = gemm_address(&w->gemm.d, DTYPE_BF16)};
	b->operands.c = b->operands.d;
	b->plan = gemms_take(&g->device->gemms, &p, &b->operands, false, &g->err);
	gpu_ok(g, b->plan ? 0 : -1);
	const struct kernel *add = launch_kernel(&w->pointwise.p);
	b->add_work = (struct work){.kind = WORK_KERNEL, .kernel = add};
	gpu_ok(g, launch_shape(&b->add_work.launch, add, SIZE * SIZE, 0, &g->err));
	b->args = (struct kernel_args){.out = w->pointwise.out[0]->pointer, .n = SIZE * SIZE};
	for (int i = 0; i < 2; i++)
		b->args.in[i] = w->pointwise.in[0][i]->pointer;
	b->add_work.args = b->args;
	gpu_ok(g, cuda_ok(cudaGetFuncBySymbol(&b->add, add->function), "a kernel", &g->err));
	catch_product(g, b);
}

static void bare_runtime_add(struct gpu *g, void *context, int round)
{
	struct bare *b = context;
	void *parameter[] = {&b->args};
	const struct launch *l = &b->add_work.launch;
	(void)round;
	cudaLaunchKernel(b->add_work.kernel->function, (dim3){l->grid[0], 1, 1},
		(dim3){l->block[0], 1, 1}, parameter, 0, g->device->stream);
}

static void bare_driver_add(struct gpu *g, void *context, int round)
{
	struct bare *b = context;
	void *parameter[] = {&b->args};
	const struct launch *l = &b->add_work.launch;
	CUlaunchConfig config = {.gridDimX = l->grid[0],
		.gridDimY = 1,
		.gridDimZ = 1,
		.blockDimX = l->block[0],
		.blockDimY = 1,
		.blockDimZ = 1,
		.hStream = g->device->stream};
	(void)round;
	b->launch(&config, (CUfunction)b->add, parameter, NULL);
}

static void bare_library_product(struct gpu *g, void *context, int round)
{
	struct bare *b = context;
	(void)round;
	gpu_ok(g, gemms_run(&g->device->gemms, b->plan, &b->operands, &g->err));
}

static void bare_driver_product(struct gpu *g, void *context, int round)
{
	struct bare *b = context;
	const CUDA_KERNEL_NODE_PARAMS *p = &b->product;
	CUlaunchConfig config = {.gridDimX = p->gridDimX,
		.gridDimY = p->gridDimY,
		.gridDimZ = p->gridDimZ,
		.blockDimX = p->blockDimX,
		.blockDimY = p->blockDimY,
		.blockDimZ = p->blockDimZ,
		.sharedMemBytes = p->sharedMemBytes,
		.hStream = g->device->stream,
		.attrs = b->attribute,
		.numAttrs = b->n_attributes};
	(void)round;
	CUfunction f = p->func ? p->func : (CUfunction)p->kern;
	if (f && b->launch(&config, f, p->kernelParams, p->extra))
		gpu_ok(g, fail(&g->err, "the product's kernel does not launch by itself"));
}

static void bare_both(struct gpu *g, void *context, int round)
{
	bare_library_product(g, context, round);
	bare_runtime_add(g, context, round);
}

static void bare_both_driver(struct gpu *g, void *context, int round)
{
	bare_driver_product(g, context, round);
	bare_driver_add(g, context, round);
}

/* ---- the table ---- */

/* Launches by the thousand would fill the stream and wait for it; hundreds do not. */
static double launch_us(struct gpu *g, const struct gpu_work *work, bool recorded)
{
	int64_t ns[BURSTS];
	size_t n, dropped;
	for (int i = 0; i < BURSTS; i++) {
		g->call->record(g->device, recorded);
		ns[i] = (int64_t)(gpu_cpu_seconds(g, work, 20, BURST) * 1e9);
		g->call->record(g->device, false);
		g->call->drain(g->device, &n, &dropped);
	}
	return stats_of(ns, BURSTS).median / BURST * 1e-3;
}

static void print_launch(struct gpu *g, const char *what, const struct gpu_work *work)
{
	struct gpu_times t;
	double plain = launch_us(g, work, false), recorded = launch_us(g, work, true);
	gpu_time(g, work, 5, 60, &t);
	printf("%s\t%.3f\t%.3f\t%.3f\n", what, plain, recorded, gpu_quantile(&t, 0.5));
	fflush(stdout);
}

static void work_open(struct gpu *g, struct launch_work *w)
{
	struct device_matrix *matrix[] = {&w->gemm.a, &w->gemm.b, &w->gemm.d};
	*w = (struct launch_work){.pointwise = {.p = {.dtype = DTYPE_BF16,
							.n = SIZE * SIZE,
							.n_steps = 1,
							.step = {POINTWISE_ADD},
							.n_inputs = 2}},
		.gemm = {.dtype = DTYPE_BF16, .batch = 1}};
	gpu_pointwise_open(g, &w->pointwise);
	for (int i = 0; i < 3; i++)
		*matrix[i] = (struct device_matrix){
			.memory = gpu_random(g, SIZE * SIZE, DTYPE_BF16, (uint64_t)i),
			.rows = SIZE,
			.cols = SIZE,
			.row_stride = SIZE,
			.col_stride = 1};
	gpu_ok(g, g->call->capture_begin(g->device, &g->err));
	run_both(g, w, 0);
	w->graph = g->call->capture_end(g->device, &g->err);
	gpu_ok(g, w->graph ? 0 : -1);
}

int main(void)
{
	struct gpu g;
	struct launch_work w;
	struct bare b = {.n_attributes = 0};
	gpu_open(&g);
	work_open(&g, &w);
	bare_open(&g, &b, &w);
	const struct {
		const char *what;
		struct gpu_work work;
	} rows[] = {
		{"cudaLaunchKernel (add)", {run_small, &w}},
		{"cublasLtMatmul 64x64x64", {run_gemm, &w}},
		{"both in turn", {run_both, &w}},
		{"cudaGraphLaunch of both", {run_graph, &w}},
		{"bare cudaLaunchKernel (add)", {bare_runtime_add, &b}},
		{"bare cuLaunchKernelEx (add)", {bare_driver_add, &b}},
		{"bare cublasLtMatmul", {bare_library_product, &b}},
		{"bare cuLaunchKernelEx (the product's kernel)", {bare_driver_product, &b}},
		{"bare both in turn", {bare_both, &b}},
		{"bare both in turn, by cuLaunchKernelEx", {bare_both_driver, &b}},
	};
	printf("what\tunrecorded_us\trecorded_us\tgpu_p50_us\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		print_launch(&g, rows[i].what, &rows[i].work);
	cudaGraphDestroy(b.graph);
	g.call->graph_free(g.device, w.graph);
	g.call->free(g.device, w.gemm.a.memory);
	g.call->free(g.device, w.gemm.b.memory);
	g.call->free(g.device, w.gemm.d.memory);
	gpu_pointwise_close(&g, &w.pointwise);
	gpu_close(&g);
	return 0;
}
