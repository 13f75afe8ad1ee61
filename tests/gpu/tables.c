/* tables NAME...: what is measured by hand on a GPU, as tables with tabs.
 *
 *   bandwidth  the device's own copy, and the kernels of the experiments, as GB/s
 *   recipes    threads, vectors a thread and cache hints for kernels bound by memory
 *   sweep      the first lecture: squares of 4096 rows by width, with a 20-80 % band
 *   copies     between the machine and the GPU, from pageable and from pinned memory
 *   launches   what a launch costs the CPU, recorded and not
 *   gemms      every kernel that cuBLASLt offers for the products of the experiments
 *   source     the source made for the fused kernel, and its PTX (not a table)
 *
 * Kernel times are CUPTI's. Buffers rotate, so that no input is found in the level-2 cache. */
#include "experiments/cuda/cuda_fail.h"
#include "experiments/cuda/modules.h"
#include "tests/gpu/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROTATE = 4, WARM = 5, ROUNDS = 60, PRODUCT_WARM = 20, PRODUCT_ROUNDS = 300 };

static void row(const char *what, const struct gpu_times *t, double bytes)
{
	double p20 = gpu_quantile(t, 0.2), p50 = gpu_quantile(t, 0.5), p80 = gpu_quantile(t, 0.8);
	printf("%s\t%.3f\t%.3f\t%.3f\t%.1f\t%s\n", what, p20, p50, p80, bytes / p50 * 1e-3,
		t->name);
	fflush(stdout);
}

/* ---- pointwise work on rotating buffers ---- */

struct pointwise_work {
	struct device_pointwise p;
	struct device_memory *in[ROTATE][4], *out[ROTATE];
};

static void pointwise_open(struct gpu *g, struct pointwise_work *w)
{
	for (int r = 0; r < ROTATE; r++) {
		for (int i = 0; i < w->p.n_inputs; i++)
			w->in[r][i] = gpu_random(g, w->p.n, w->p.dtype, (uint64_t)(r * 4 + i));
		w->out[r] = gpu_random(g, w->p.n, w->p.dtype, 99);
	}
}

static void pointwise_close(struct gpu *g, struct pointwise_work *w)
{
	for (int r = 0; r < ROTATE; r++) {
		for (int i = 0; i < w->p.n_inputs; i++)
			g->call->free(g->device, w->in[r][i]);
		g->call->free(g->device, w->out[r]);
	}
}

static void run_pointwise(struct gpu *g, void *context, int round)
{
	struct pointwise_work *w = context;
	struct device_pointwise p = w->p;
	int r = round % ROTATE;
	for (int i = 0; i < p.n_inputs; i++)
		p.in[i] = w->in[r][i];
	p.out = w->out[r];
	gpu_ok(g, g->call->pointwise(g->device, &p, &g->err));
}

static void run_copy(struct gpu *g, void *context, int round)
{
	struct pointwise_work *w = context;
	size_t bytes = (size_t)w->p.n * dtype_bytes(w->p.dtype);
	int r = round % ROTATE;
	gpu_ok(g, g->call->copy(g->device, w->out[r], w->in[r][0], bytes, &g->err));
}

static double bytes_of(const struct device_pointwise *p)
{
	return (double)(p->n_inputs + 1) * (double)p->n * (double)dtype_bytes(p->dtype);
}

/* ---- bandwidth ---- */

static void table_bandwidth(struct gpu *g)
{
	static const struct {
		const char *what;
		struct device_pointwise p;
	} kernels_of_interest[] = {
		{"add 4096x4096 bf16",
			{.dtype = DTYPE_BF16,
				.n = 4096 * 4096,
				.n_steps = 1,
				.step = {POINTWISE_ADD},
				.n_inputs = 2}},
		{"gelu 8192x3072 bf16",
			{.dtype = DTYPE_BF16,
				.n = 8192 * 3072,
				.n_steps = 1,
				.step = {POINTWISE_GELU_TANH},
				.n_inputs = 1}},
		{"mul 8192x3072 bf16",
			{.dtype = DTYPE_BF16,
				.n = 8192 * 3072,
				.n_steps = 1,
				.step = {POINTWISE_MUL},
				.n_inputs = 2}},
		{"fused gelu*mul 8192x3072 bf16",
			{.dtype = DTYPE_BF16,
				.n = 8192 * 3072,
				.n_steps = 2,
				.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
				.n_inputs = 2}},
		{"generic geglu 8192x3072 bf16",
			{.dtype = DTYPE_BF16,
				.n = 8192 * 3072,
				.row = 3072,
				.n_steps = 2,
				.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
				.n_inputs = 2,
				.generic = true,
				.name = "tracebook_geglu_tanh_generic"}},
		{"square 10000x10000 fp32",
			{.dtype = DTYPE_F32,
				.n = 100000000,
				.n_steps = 1,
				.step = {POINTWISE_SQUARE},
				.n_inputs = 1}},
	};
	static const int64_t copies[] = {4096 * 4096, 8192 * 3072, 1 << 28};
	struct gpu_times t;
	printf("what\tp20_us\tp50_us\tp80_us\tGB_per_s\tkernel\n");
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
		struct pointwise_work w = {
			.p = {.dtype = DTYPE_BF16, .n = copies[i], .n_inputs = 1}};
		char what[64];
		pointwise_open(g, &w);
		gpu_time(g, &(struct gpu_work){run_copy, &w}, WARM, ROUNDS, &t);
		snprintf(what, sizeof what, "copy %" PRId64 " bytes", w.p.n * 2);
		row(what, &t, bytes_of(&w.p));
		pointwise_close(g, &w);
	}
	for (size_t i = 0; i < sizeof kernels_of_interest / sizeof *kernels_of_interest; i++) {
		struct pointwise_work w = {.p = kernels_of_interest[i].p};
		pointwise_open(g, &w);
		gpu_time(g, &(struct gpu_work){run_pointwise, &w}, WARM, ROUNDS, &t);
		row(kernels_of_interest[i].what, &t, bytes_of(&w.p));
		pointwise_close(g, &w);
	}
}

/* ---- recipes ---- */

struct recipe_work {
	struct pointwise_work pointwise;
	struct fusion fusion;
	CUmodule module;
	CUfunction function;
};

static void run_recipe(struct gpu *g, void *context, int round)
{
	struct recipe_work *w = context;
	int r = round % ROTATE;
	struct work work = {
		.kind = WORK_MODULE, .function = w->function, .launch = w->fusion.launch};
	work.pointer[0] = w->pointwise.out[r]->pointer;
	for (int i = 0; i < w->pointwise.p.n_inputs; i++)
		work.pointer[1 + i] = w->pointwise.in[r][i]->pointer;
	gpu_ok(g, work_run(&g->device->worker, &work, &g->err));
}

/* One way to load and store a vector, put in place of the usual ones. */
struct access {
	const char *name, *load, *store;
};

static const char usual_load[] = "ld.global.L1::no_allocate.v4.u32";
static const char usual_store[] = "st.global.v4.u32";

static const struct access accesses[] = {
	{"usual", usual_load, usual_store},
	{"plain", "ld.global.v4.u32", usual_store},
	{"read-only", "ld.global.nc.L1::no_allocate.v4.u32", usual_store},
	{"streaming", "ld.global.cs.v4.u32", "st.global.cs.v4.u32"},
	{"store streaming", usual_load, "st.global.cs.v4.u32"},
	{"prefetch 128", "ld.global.L1::no_allocate.L2::128B.v4.u32", usual_store},
	{"prefetch 256", "ld.global.L1::no_allocate.L2::256B.v4.u32", usual_store},
	{"read-only, 256, streaming", "ld.global.nc.L1::no_allocate.L2::256B.v4.u32",
		"st.global.cs.v4.u32"},
};

static const char *replaced(struct arena *a, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	if (!at)
		bug("no %s in a generated kernel", from);
	return arena_printf(a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

struct recipe {
	int threads, vectors;
	const struct access *access;
};

static void time_recipe(
	struct gpu *g, struct recipe_work *w, const char *work_name, const struct recipe *r)
{
	struct modules *m = &g->device->modules;
	const struct driver *driver = &g->device->driver;
	struct rtc_code code;
	struct gpu_times t;
	char what[128];
	gpu_ok(g, modules_compiler(m, &g->err));
	fusion_make(&w->fusion, m->arena, &w->pointwise.p, r->threads, r->vectors);
	const char *source = replaced(m->arena, w->fusion.source, usual_load, r->access->load);
	source = replaced(m->arena, source, usual_store, r->access->store);
	gpu_ok(g,
		rtc_compile(
			&m->rtc, &code, RTC_CUBIN, w->fusion.name, source, m->capability, &g->err));
	CUresult result = driver->cuModuleLoadData(&w->module, code.bytes);
	if (!result)
		result = driver->cuModuleGetFunction(&w->function, w->module, w->fusion.name);
	gpu_ok(g, result ? driver_fail(driver, result, "a recipe", &g->err) : 0);
	gpu_time(g, &(struct gpu_work){run_recipe, w}, WARM, ROUNDS, &t);
	snprintf(what, sizeof what, "%s: %d threads, %d vectors, %s", work_name, r->threads,
		r->vectors, r->access->name);
	row(what, &t, bytes_of(&w->pointwise.p));
	driver->cuModuleUnload(w->module);
	free(code.bytes);
}

static void time_recipes(struct gpu *g, const char *name, const struct device_pointwise *p)
{
	static const int threads[] = {64, 128, 256, 512, 1024}, vectors[] = {1, 2, 4};
	struct recipe_work w = {.pointwise = {.p = *p}};
	pointwise_open(g, &w.pointwise);
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
		for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
			time_recipe(
				g, &w, name, &(struct recipe){threads[i], vectors[k], accesses});
	for (size_t i = 1; i < sizeof accesses / sizeof *accesses; i++)
		for (int wide = 0; wide < 2; wide++)
			time_recipe(
				g, &w, name, &(struct recipe){128 << wide, 1 + wide, &accesses[i]});
	pointwise_close(g, &w.pointwise);
}

static void table_recipes(struct gpu *g)
{
	printf("recipe\tp20_us\tp50_us\tp80_us\tGB_per_s\tkernel\n");
	time_recipes(g, "gelu*mul 8192x3072 bf16",
		&(struct device_pointwise){.dtype = DTYPE_BF16,
			.n = 8192 * 3072,
			.n_steps = 2,
			.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
			.n_inputs = 2});
	time_recipes(g, "add 4096x4096 bf16",
		&(struct device_pointwise){.dtype = DTYPE_BF16,
			.n = 4096 * 4096,
			.n_steps = 1,
			.step = {POINTWISE_ADD},
			.n_inputs = 2});
	time_recipes(g, "square 10000x10000 fp32",
		&(struct device_pointwise){.dtype = DTYPE_F32,
			.n = 100000000,
			.n_steps = 1,
			.step = {POINTWISE_SQUARE},
			.n_inputs = 1});
}

/* ---- the first lecture's sweep ---- */

static void table_sweep(struct gpu *g)
{
	static const char *const kernel[] = {
		NULL, "square_naive", "square_tile", "square_row", "square_row_loop"};
	enum { ROWS = 4096, STEP = 128, FIRST = 2, LAST = 99, EVERY = 3, SWEEP_ROUNDS = 20 };
	struct gpu_times t;
	printf("width\tkernel\tp20_us\tp50_us\tp80_us\tGB_per_s\tGB_per_s_20\tGB_per_s_80\t"
	       "event_p50_us\n");
	for (int i = FIRST; i <= LAST; i += EVERY) {
		struct pointwise_work w = {.p = {.dtype = DTYPE_F32,
						   .n = (int64_t)ROWS * STEP * i,
						   .row = (int64_t)STEP * i,
						   .n_steps = 1,
						   .step = {POINTWISE_SQUARE},
						   .n_inputs = 1}};
		pointwise_open(g, &w);
		for (size_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
			const struct gpu_work work = {run_pointwise, &w};
			w.p.generic = kernel[k] != NULL;
			w.p.name = kernel[k];
			gpu_time_events(g, &work, WARM, SWEEP_ROUNDS, &t);
			double event_us = gpu_quantile(&t, 0.5), bytes = bytes_of(&w.p) * 1e-3;
			gpu_time(g, &work, WARM, SWEEP_ROUNDS, &t);
			double p20 = gpu_quantile(&t, 0.2), p50 = gpu_quantile(&t, 0.5),
			       p80 = gpu_quantile(&t, 0.8);
			printf("%d\t%s\t%.3f\t%.3f\t%.3f\t%.1f\t%.1f\t%.1f\t%.3f\n", STEP * i,
				kernel[k] ? kernel[k] : "square", p20, p50, p80, bytes / p50,
				bytes / p80, bytes / p20, event_us);
		}
		pointwise_close(g, &w);
	}
}

/* ---- copies between the machine and the GPU ---- */

struct transfer {
	void *machine;
	struct device_memory *memory;
	size_t bytes;
	bool to_gpu;
};

static void run_transfer(struct gpu *g, void *context, int round)
{
	struct transfer *x = context;
	(void)round;
	cudaStream_t stream = g->device->stream;
	cudaError_t status = x->to_gpu ? cudaMemcpyAsync(x->memory->pointer, x->machine, x->bytes,
						 cudaMemcpyHostToDevice, stream)
				       : cudaMemcpyAsync(x->machine, x->memory->pointer, x->bytes,
						 cudaMemcpyDeviceToHost, stream);
	gpu_ok(g, cuda_ok(status, "a transfer", &g->err));
}

static void table_copies(struct gpu *g)
{
	enum { MOST = 256 << 20 };
	struct transfer x = {.memory = g->call->alloc(g->device, MOST, &g->err)};
	void *memory[2] = {NULL, NULL}; /* pageable, pinned */
	struct gpu_times t;
	gpu_ok(g, x.memory ? 0 : -1);
	memory[0] = xalloc(MOST);
	memset(memory[0], 1, MOST);
	gpu_ok(g, cuda_ok(cudaMallocHost(&memory[1], MOST), "pinned memory", &g->err));
	memset(memory[1], 1, MOST);
	printf("bytes\tdirection\tmemory\tp20_us\tp50_us\tp80_us\tGB_per_s\tcpu_us\n");
	for (size_t bytes = 4096; bytes <= MOST; bytes *= 16)
		for (int i = 0; i < 4; i++) {
			const struct gpu_work work = {run_transfer, &x};
			x.bytes = bytes;
			x.to_gpu = i < 2;
			x.machine = memory[i % 2];
			gpu_time(g, &work, 3, 15, &t);
			double cpu_us = gpu_cpu_seconds(g, &work, 3, 15) / 15 * 1e6;
			printf("%zu\t%s\t%s\t%.3f\t%.3f\t%.3f\t%.1f\t%.1f\n", bytes,
				x.to_gpu ? "HtoD" : "DtoH", i % 2 ? "pinned" : "pageable",
				gpu_quantile(&t, 0.2), gpu_quantile(&t, 0.5), gpu_quantile(&t, 0.8),
				(double)bytes / gpu_quantile(&t, 0.5) * 1e-3, cpu_us);
		}
	cudaFreeHost(memory[1]);
	free(memory[0]);
	g->call->free(g->device, x.memory);
}

/* ---- launches ---- */

struct launch_work {
	struct pointwise_work pointwise;
	struct device_matrix a, b, d;
	struct device_graph *graph;
};

static void run_gemm(struct gpu *g, void *context, int round)
{
	struct launch_work *w = context;
	(void)round;
	struct device_gemm gemm = {
		.dtype = DTYPE_BF16, .batch = 1, .a = w->a, .b = w->b, .d = w->d};
	gpu_ok(g, g->call->gemm(g->device, &gemm, &g->err));
}

static void run_small(struct gpu *g, void *context, int round)
{
	struct launch_work *w = context;
	run_pointwise(g, &w->pointwise, round);
}

static void run_graph(struct gpu *g, void *context, int round)
{
	struct launch_work *w = context;
	(void)round;
	gpu_ok(g, g->call->graph_launch(g->device, w->graph, &g->err));
}

/* Launches by the thousand would fill the stream and wait for it; hundreds do not. */
static double launch_us(struct gpu *g, const struct gpu_work *work, bool recorded)
{
	enum { BURST = 400, BURSTS = 25 };
	double seconds = 0;
	size_t n, dropped;
	for (int i = 0; i < BURSTS; i++) {
		g->call->record(g->device, recorded);
		seconds += gpu_cpu_seconds(g, work, 20, BURST);
		g->call->record(g->device, false);
		g->call->drain(g->device, &n, &dropped);
	}
	return seconds / (BURST * BURSTS) * 1e6;
}

static void table_launches(struct gpu *g)
{
	struct launch_work w = {.pointwise = {.p = {.dtype = DTYPE_BF16,
						      .n = 64 * 64,
						      .n_steps = 1,
						      .step = {POINTWISE_ADD},
						      .n_inputs = 2}}};
	struct device_matrix *matrix[] = {&w.a, &w.b, &w.d};
	static const struct {
		const char *what;
		void (*run)(struct gpu *, void *, int);
	} works[] = {{"cudaLaunchKernel (add)", run_small}, {"cublasLtMatmul 64x64x64", run_gemm},
		{"cudaGraphLaunch of both", run_graph}};
	struct gpu_times t;
	pointwise_open(g, &w.pointwise);
	for (int i = 0; i < 3; i++)
		*matrix[i] = (struct device_matrix){
			.memory = gpu_random(g, 64 * 64, DTYPE_BF16, (uint64_t)i),
			.rows = 64,
			.cols = 64,
			.row_stride = 64,
			.col_stride = 1};
	gpu_ok(g, g->call->capture_begin(g->device, &g->err));
	run_gemm(g, &w, 0);
	run_small(g, &w, 0);
	w.graph = g->call->capture_end(g->device, &g->err);
	gpu_ok(g, w.graph ? 0 : -1);
	printf("what\tunrecorded_us\trecorded_us\tgpu_p50_us\n");
	for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
		const struct gpu_work work = {works[i].run, &w};
		double plain = launch_us(g, &work, false), recorded = launch_us(g, &work, true);
		gpu_time(g, &work, WARM, ROUNDS, &t);
		printf("%s\t%.3f\t%.3f\t%.3f\n", works[i].what, plain, recorded,
			gpu_quantile(&t, 0.5));
	}
	g->call->graph_free(g->device, w.graph);
	for (int i = 0; i < 3; i++)
		g->call->free(g->device, matrix[i]->memory);
	pointwise_close(g, &w.pointwise);
}

/* ---- products ---- */

struct product_case {
	const char *what;
	enum dtype dtype;
	int64_t batch, m, n, k;
	bool linear;
	int addend; /* 0 none, 1 a row, 2 a matrix, 3 onto itself */
};

static const struct product_case products[] = {
	{"64", DTYPE_BF16, 1, 64, 64, 64, false, 0},
	{"1024", DTYPE_BF16, 1, 1024, 1024, 1024, false, 0},
	{"1024 fp32", DTYPE_F32, 1, 1024, 1024, 1024, false, 0},
	{"4096", DTYPE_BF16, 1, 4096, 4096, 4096, false, 0},
	{"4096 += ", DTYPE_BF16, 1, 4096, 4096, 4096, false, 3},
	{"4096 + matrix", DTYPE_BF16, 1, 4096, 4096, 4096, false, 2},
	{"8 x 64", DTYPE_BF16, 8, 64, 64, 64, false, 0},
	{"linear 1024x32->64", DTYPE_BF16, 1, 1024, 64, 32, true, 1},
	{"gate, up 8192x768->3072", DTYPE_BF16, 1, 8192, 3072, 768, true, 0},
	{"down 8192x3072->768", DTYPE_BF16, 1, 8192, 768, 3072, true, 0},
};

static struct device_matrix product_matrix(
	struct gpu *g, const struct product_case *c, int64_t rows, int64_t cols, bool turned)
{
	return (struct device_matrix){
		.memory = gpu_random(g, c->batch * rows * cols, c->dtype, (uint64_t)rows),
		.rows = rows,
		.cols = cols,
		.row_stride = turned ? 1 : cols,
		.col_stride = turned ? rows : 1,
		.batch_stride = c->batch > 1 ? rows * cols : 0};
}

static void run_device_gemm(struct gpu *g, void *context, int round)
{
	(void)round;
	gpu_ok(g, g->call->gemm(g->device, context, &g->err));
}

static void list_candidates(
	struct gpu *g, const struct product_case *c, const struct device_gemm *gemm, double flop)
{
	struct gemm_candidate candidate[GEMM_CANDIDATES];
	struct product p;
	int n = 0;
	gpu_ok(g, product_of(&p, gemm, &g->err));
	struct gemm_operands o = {.first = gemm_address(&gemm->b, c->dtype),
		.second = gemm_address(&gemm->a, c->dtype),
		.d = gemm_address(&gemm->d, c->dtype)};
	o.c = p.epilogue == PRODUCT_ADDEND ? gemm_address(gemm->addend, c->dtype) : o.d;
	o.bias = p.epilogue == PRODUCT_BIAS ? gemm_address(gemm->addend, c->dtype) : NULL;
	struct gemm_plan *plan = gemms_take(&g->device->gemms, &p, &o, false, &g->err);
	gpu_ok(g, plan ? 0 : -1);
	gpu_ok(g, gemms_candidates(&g->device->gemms, plan, &o, candidate, &n, &g->err));
	for (int i = 0; i < n; i++)
		printf("%s\tcandidate %d by events\t%.3f\t%.1f\twaves %.2f, workspace %zu\n",
			c->what, i, candidate[i].time_us,
			candidate[i].time_us > 0 ? flop / candidate[i].time_us * 1e-6 : 0,
			(double)candidate[i].waves, candidate[i].workspace_bytes);
}

static void time_product(struct gpu *g, const struct product_case *c)
{
	struct device_matrix addend;
	struct device_gemm gemm = {.dtype = c->dtype, .batch = c->batch};
	struct gpu_times t;
	double flop = 2.0 * (double)c->batch * (double)c->m * (double)c->n * (double)c->k;
	gemm.a = product_matrix(g, c, c->m, c->k, false);
	gemm.b = product_matrix(g, c, c->k, c->n, c->linear);
	gemm.d = product_matrix(g, c, c->m, c->n, false);
	gemm.accumulate = c->addend == 3;
	if (c->addend == 1 || c->addend == 2) {
		addend = product_matrix(g, c, c->addend == 1 ? 1 : c->m, c->n, false);
		gemm.addend = &addend;
	}
	for (int tune = 0; tune < 2; tune++) {
		gemm.tune = tune;
		gpu_time(g, &(struct gpu_work){run_device_gemm, &gemm}, PRODUCT_WARM,
			PRODUCT_ROUNDS, &t);
		printf("%s\t%s\t%.3f\t%.1f\t%s\n", c->what, tune ? "tuned" : "first choice",
			gpu_quantile(&t, 0.5), flop / gpu_quantile(&t, 0.5) * 1e-6, t.name);
	}
	list_candidates(g, c, &gemm, flop);
	g->call->free(g->device, gemm.a.memory);
	g->call->free(g->device, gemm.b.memory);
	g->call->free(g->device, gemm.d.memory);
	if (gemm.addend)
		g->call->free(g->device, addend.memory);
	fflush(stdout);
}

static void table_gemms(struct gpu *g)
{
	printf("product\thow\tp50_us\tTFLOP_per_s\tkernel\n");
	for (size_t i = 0; i < sizeof products / sizeof *products; i++)
		time_product(g, &products[i]);
}

static void print_source(struct gpu *g)
{
	static const struct device_pointwise gelu_mul = {.dtype = DTYPE_BF16,
		.n = 8192 * 3072,
		.n_steps = 2,
		.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
		.n_inputs = 2};
	struct modules *m = &g->device->modules;
	struct fusion f;
	struct rtc_code ptx;
	gpu_ok(g, modules_compiler(m, &g->err));
	fusion_make(&f, m->arena, &gelu_mul, 0, 0);
	gpu_ok(g, rtc_compile(&m->rtc, &ptx, RTC_PTX, f.name, f.source, m->capability, &g->err));
	printf("%s\n%s\n", f.source, ptx.bytes);
	free(ptx.bytes);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(struct gpu *g);
	} tables[] = {{"bandwidth", table_bandwidth}, {"recipes", table_recipes},
		{"sweep", table_sweep}, {"copies", table_copies}, {"launches", table_launches},
		{"gemms", table_gemms}, {"source", print_source}};
	struct gpu g;
	gpu_open(&g);
	for (int a = 1; a < argc; a++)
		for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
			if (!strcmp(argv[a], tables[i].name))
				tables[i].print(&g);
	gpu_close(&g);
	return 0;
}
