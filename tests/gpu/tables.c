/* SPDX-License-Identifier: Apache-2.0 */
/* tables NAME...: what is measured by hand on a GPU, as tables with tabs.
 *
 *   bandwidth  the device's own copy, and the kernels of the experiments, as GB/s
 *   recipes    threads, vectors a thread and cache hints for kernels bound by memory
 *   sweep      the first lecture: squares of 4096 rows by width, with a 20-80 % band
 *   copies     between the machine and the GPU, from pageable and from pinned memory
 *   source     the source made for the fused kernel, and its PTX (not a table)
 *
 * Kernel times are CUPTI's. Buffers rotate, so that no input is found in the level-2 cache. */
#include "experiments/cuda/cuda_fail.h"
#include "experiments/cuda/kernel_modules.h"
#include "tests/gpu/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 5, ROUNDS = 60 };

static void row(const char *what, const struct gpu_times *t, double bytes)
{
	double p20 = gpu_quantile(t, 0.2), p50 = gpu_quantile(t, 0.5), p80 = gpu_quantile(t, 0.8);
	printf("%s\t%.3f\t%.3f\t%.3f\t%.1f\t%s\n", what, p20, p50, p80, bytes / p50 * 1e-3,
		t->name);
	fflush(stdout);
}

static void run_copy(struct gpu *g, void *context, int round)
{
	struct gpu_pointwise *w = context;
	size_t bytes = (size_t)w->p.n * dtype_bytes(w->p.dtype);
	int r = round % GPU_ROTATE;
	gpu_ok(g, g->call->copy(g->device, w->out[r], w->in[r][0], bytes, &g->err));
}

static double bytes_of(const struct device_pointwise *p)
{
	return (double)(p->n_inputs + 1) * (double)p->n * (double)dtype_bytes(p->dtype);
}

/* ---- bandwidth ---- */

/* Where an array lies decides 4 % of the time to read it: every kernel is timed with arrays in
 * several places, behind more and more memory that nobody uses, and the table has all rounds of all
 * places together. torch_side.py does the same. */
static void time_in_places(struct gpu *g, const char *what, const struct device_pointwise *p,
	void (*run)(struct gpu *, void *, int))
{
	static const size_t apart = (size_t)8 << 30;
	struct gpu_times all = {.n = 0}, t;
	for (size_t place = 0; place < GPU_PLACES; place++) {
		struct gpu_pointwise w = {.p = *p};
		struct device_memory *unused =
			g->call->alloc(g->device, 1 + place * apart, &g->err);
		gpu_ok(g, unused ? 0 : -1);
		gpu_pointwise_open(g, &w);
		gpu_time(g, &(struct gpu_work){run, &w}, WARM, ROUNDS, &t);
		gpu_times_add(&all, &t);
		gpu_pointwise_close(g, &w);
		g->call->free(g->device, unused);
	}
	row(what, &all, bytes_of(p));
}

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
	printf("what\tp20_us\tp50_us\tp80_us\tGB_per_s\tkernel\n");
	for (size_t i = 0; i < sizeof kernels_of_interest / sizeof *kernels_of_interest; i++)
		time_in_places(g, kernels_of_interest[i].what, &kernels_of_interest[i].p,
			gpu_run_pointwise);
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
		char what[64];
		snprintf(what, sizeof what, "copy %" PRId64 " bytes", copies[i] * 2);
		time_in_places(g, what,
			&(struct device_pointwise){
				.dtype = DTYPE_BF16, .n = copies[i], .n_inputs = 1},
			run_copy);
	}
}

/* ---- recipes ---- */

struct recipe_work {
	struct gpu_pointwise pointwise;
	struct fusion fusion;
	CUmodule module;
	CUfunction function;
};

static void run_recipe(struct gpu *g, void *context, int round)
{
	struct recipe_work *w = context;
	int r = round % GPU_ROTATE;
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

static const char usual_load[] = "ld.global.cs.v4.u32";
static const char usual_store[] = "st.global.cs.v4.u32";

static const struct access accesses[] = {
	{"usual", usual_load, usual_store},
	{"plain", "ld.global.v4.u32", "st.global.v4.u32"},
	{"only loads streaming", usual_load, "st.global.v4.u32"},
	{"only stores streaming", "ld.global.v4.u32", usual_store},
	{"not in the first level", "ld.global.L1::no_allocate.v4.u32", "st.global.v4.u32"},
	{"read-only", "ld.global.nc.v4.u32", "st.global.v4.u32"},
	{"read-only, stores streaming", "ld.global.nc.v4.u32", usual_store},
	{"second level only", "ld.global.cg.v4.u32", "st.global.cg.v4.u32"},
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
	const char *note;
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
	snprintf(what, sizeof what, "%s: %d threads, %d vectors, %s%s", work_name, r->threads,
		r->vectors, r->access->name, r->note ? r->note : "");
	row(what, &t, bytes_of(&w->pointwise.p));
	driver->cuModuleUnload(w->module);
	free(code.bytes);
}

/* The same with arrays that do not start at the same multiple of their size. */
static void time_spaced(struct gpu *g, const char *name, const struct device_pointwise *p)
{
	static const int64_t mebibytes[] = {2, 6, 14};
	for (size_t i = 0; i < sizeof mebibytes / sizeof *mebibytes; i++) {
		char note[64];
		struct recipe_work w = {
			.pointwise = {.p = *p,
				.more = (mebibytes[i] << 20) / (int64_t)dtype_bytes(p->dtype)}};
		snprintf(note, sizeof note, ", %d MiB apart", (int)mebibytes[i]);
		gpu_pointwise_open(g, &w.pointwise);
		time_recipe(g, &w, name, &(struct recipe){128, 1, accesses, note});
		gpu_pointwise_close(g, &w.pointwise);
	}
}

static void time_recipes(struct gpu *g, const char *name, const struct device_pointwise *p)
{
	static const int threads[] = {64, 128, 192, 256, 512, 1024}, vectors[] = {1, 2, 4};
	struct recipe_work w = {.pointwise = {.p = *p}};
	gpu_pointwise_open(g, &w.pointwise);
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
		for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
			time_recipe(g, &w, name,
				&(struct recipe){threads[i], vectors[k], accesses, NULL});
	for (size_t i = 1; i < sizeof accesses / sizeof *accesses; i++)
		time_recipe(g, &w, name, &(struct recipe){128, 1, &accesses[i], NULL});
	gpu_pointwise_close(g, &w.pointwise);
	time_spaced(g, name, p);
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
		struct gpu_pointwise w = {.p = {.dtype = DTYPE_F32,
						  .n = (int64_t)ROWS * STEP * i,
						  .row = (int64_t)STEP * i,
						  .n_steps = 1,
						  .step = {POINTWISE_SQUARE},
						  .n_inputs = 1}};
		gpu_pointwise_open(g, &w);
		for (size_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
			const struct gpu_work work = {gpu_run_pointwise, &w};
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
		gpu_pointwise_close(g, &w);
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

/* ---- source ---- */

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
		{"sweep", table_sweep}, {"copies", table_copies}, {"source", print_source}};
	struct gpu g;
	gpu_open(&g);
	for (int a = 1; a < argc; a++)
		for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
			if (!strcmp(argv[a], tables[i].name))
				tables[i].print(&g);
	gpu_close(&g);
	return 0;
}
