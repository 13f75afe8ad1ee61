/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_spans - what measuring costs, as lines `name value unit` on stdout.
 *
 * One recorded span; a launch and the way from launch to start, with the queue's thread awake and
 * asleep; and gemm + add in bf16 (fp32 where the CPU has no bf16) through the device with recording
 * on and off, and the same oneDNN calls in a plain loop without device, queue or clock. The three
 * take turns, so that whatever else the machine does falls on all; times are medians, ratios are
 * speeds: 1 is no loss. The ratio of the fastest rounds comes with that of the medians: others who
 * want the machine too can only add time.
 *
 * Usage: bench_spans tracebook-host.so [rounds [size]...]   (5 rounds; 2048 and 4096)
 */
#define _GNU_SOURCE
#include "experiments/device.h"
#include "experiments/host/memory.h"
#include "experiments/host/onednn.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rig {
	const struct device_ops *ops;
	struct device *device;
	struct recorder recorder;
	struct err err;
	enum dtype dtype;
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *value, int n)
{
	qsort(value, (size_t)n, sizeof *value, by_size);
	return value[n / 2];
}

static void print(const char *name, double value, const char *unit)
{
	printf("%s %.3f %s\n", name, value, unit);
	fflush(stdout);
}

/* Ends the program with the device's message: this is a bench, nothing is left to save. */
static void must(const struct rig *rig, int status)
{
	if (!status)
		return;
	fprintf(stderr, "bench_spans: %s\n", rig->err.text);
	exit(1);
}

static void synchronise(struct rig *rig)
{
	must(rig, rig->ops->synchronise(rig->device, &rig->err));
}

static struct device_memory *memory(struct rig *rig, int64_t n)
{
	size_t bytes = (size_t)n * dtype_bytes(rig->dtype);
	struct device_memory *m = rig->ops->alloc(rig->device, bytes, &rig->err);
	must(rig, !m);
	/* small numbers that are no powers of two, and the same every time */
	for (int64_t i = 0; i < n; i++) {
		float f = (float)(i * 7919 % 1009) / 1009 - 0.5f;
		uint32_t bits;
		memcpy(&bits, &f, sizeof bits);
		if (rig->dtype == DTYPE_BF16)
			((uint16_t *)(void *)m->base)[i] = (uint16_t)(bits >> 16);
		else
			((float *)(void *)m->base)[i] = f;
	}
	return m;
}

static void forget_spans(struct rig *rig)
{
	size_t n, dropped;
	synchronise(rig);
	rig->ops->drain(rig->device, &n, &dropped);
	rig->recorder.n = rig->recorder.dropped = 0;
}

/* Recording. ----------------------------------------------------------------------------------- */

/* What a span cannot do without, twice. */
static void bench_clock(void)
{
	enum { BATCHES = 301, BATCH = 1000 };
	double ns[BATCHES];
	for (int b = 0; b < BATCHES; b++) {
		int64_t start_ns = clock_ns(), last_ns = start_ns;
		for (int i = 1; i < BATCH; i++)
			last_ns = clock_ns();
		ns[b] = (double)(last_ns - start_ns) / (BATCH - 1);
	}
	print("clock_read", median(ns, BATCHES), "ns");
}

static void bench_span(struct rig *rig)
{
	enum { BATCHES = 301, BATCH = 1000 };
	double ns[BATCHES];
	for (int b = 0; b < BATCHES; b++) {
		rig->recorder.n = 0;
		int64_t start_ns = clock_ns();
		for (int i = 0; i < BATCH; i++)
			span_end(span_begin(&rig->recorder, SPAN_OP, "span"));
		ns[b] = (double)(clock_ns() - start_ns) / BATCH;
	}
	rig->recorder.n = 0;
	print("span_recorded", median(ns, BATCHES), "ns");
}

/* Launching. ----------------------------------------------------------------------------------- */

static void add_launch(struct rig *rig, struct device_memory *x, int64_t n)
{
	struct device_pointwise p = {.dtype = rig->dtype,
		.n = n,
		.n_steps = 1,
		.n_inputs = 2,
		.step = {POINTWISE_ADD},
		.in = {x, x},
		.out = x};
	must(rig, rig->ops->pointwise(rig->device, &p, &rig->err));
}

/* Fewer launches than the queue has room for, one after the other as fast as they go. */
static void bench_throughput(struct rig *rig, struct device_memory *x, int64_t n)
{
	enum { BATCHES = 101, BATCH = 500 };
	double ns[BATCHES];
	for (int b = 0; b < BATCHES; b++) {
		forget_spans(rig);
		int64_t start_ns = clock_ns();
		for (int i = 0; i < BATCH; i++)
			add_launch(rig, x, n);
		ns[b] = (double)(clock_ns() - start_ns) / BATCH;
	}
	print("launch_back_to_back", median(ns, BATCHES), "ns");
}

static void busy_ns(int64_t ns)
{
	for (int64_t end_ns = clock_ns() + ns; clock_ns() < end_ns;)
		;
}

/* The queue is idle before each launch: for 20 us, when its thread still looks for work, or for a
 * millisecond, when it sleeps. */
static void bench_one_launch(struct rig *rig, struct device_memory *x, int64_t n, bool asleep)
{
	enum { N = 301 };
	double launch[N], delay[N];
	for (int i = 0; i < N; i++) {
		add_launch(rig, x, n);
		forget_spans(rig);
		if (asleep)
			usleep(1000);
		add_launch(rig, x, n);
		if (!asleep) {
			busy_ns(20000);
			rig->recorder.n = 0;
			add_launch(rig, x, n);
		}
		const struct span *l = &rig->recorder.span[0];
		launch[i] = (double)(l->end_ns - l->start_ns);
		synchronise(rig);
		size_t kernels, dropped;
		const struct span *k = rig->ops->drain(rig->device, &kernels, &dropped);
		delay[i] = (double)(k[kernels - 1].start_ns - l->start_ns) / 1e3;
	}
	const char *const name[2][2] = {{"launch_queue_awake", "launch_to_start_queue_awake"},
		{"launch_queue_asleep", "launch_to_start_queue_asleep"}};
	print(name[asleep][0], median(launch, N), "ns");
	print(name[asleep][1], median(delay, N), "us");
}

/* gemm + add, three ways. ---------------------------------------------------------------------- */

struct work {
	int64_t size;
	struct device_memory *x, *w, *b, *product, *sum;
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_t matmul, add;
	dnnl_exec_arg_t matmul_argument[4], add_argument[3];
	struct device_memory *scratchpad;
};

static void through_device(struct rig *rig, const struct work *w)
{
	int64_t n = w->size;
	struct device_matrix a = {w->x, 0, n, n, n, 1, 0}, b = a, d = a;
	b.memory = w->w;
	d.memory = w->product;
	struct device_gemm g = {.dtype = rig->dtype, .batch = 1, .a = a, .b = b, .d = d};
	struct device_pointwise p = {.dtype = rig->dtype,
		.n = n * n,
		.n_steps = 1,
		.n_inputs = 2,
		.step = {POINTWISE_ADD},
		.in = {w->product, w->b},
		.out = w->sum};
	must(rig, rig->ops->gemm(rig->device, &g, &rig->err));
	must(rig, rig->ops->pointwise(rig->device, &p, &rig->err));
	synchronise(rig);
}

static void plain(const struct work *w)
{
	dnnl_primitive_execute(w->matmul, w->stream, 4, w->matmul_argument);
	dnnl_primitive_execute(w->add, w->stream, 3, w->add_argument);
	dnnl_stream_wait(w->stream);
}

static void dnnl_must(dnnl_status_t status)
{
	if (!status)
		return;
	fprintf(stderr, "bench_spans: oneDNN says %d\n", (int)status);
	exit(1);
}

static dnnl_exec_arg_t argument(
	struct work *w, int number, const dnnl_memory_desc_t *desc, struct device_memory *m)
{
	dnnl_exec_arg_t a = {.arg = number};
	dnnl_must(onednn_memory(&a.memory, desc, w->engine, m->base));
	return a;
}

static void plain_matmul(struct rig *rig, struct work *w, const dnnl_memory_desc_t *square)
{
	struct onednn_operation op = {.kind = ONEDNN_MATMUL, .a = square, .b = square, .d = square};
	dnnl_primitive_attr_t attributes;
	dnnl_primitive_desc_t chosen;
	dnnl_must(dnnl_primitive_attr_create(&attributes));
	dnnl_must(dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user));
	dnnl_must(onednn_choose(&chosen, w->engine, &op, attributes));
	dnnl_must(dnnl_primitive_create(&w->matmul, chosen));
	w->scratchpad = rig->ops->alloc(rig->device, onednn_scratchpad_bytes(chosen), &rig->err);
	must(rig, !w->scratchpad);
	w->matmul_argument[0] = argument(w, DNNL_ARG_SRC, square, w->x);
	w->matmul_argument[1] = argument(w, DNNL_ARG_WEIGHTS, square, w->w);
	w->matmul_argument[2] = argument(w, DNNL_ARG_DST, square, w->product);
	w->matmul_argument[3].arg = DNNL_ARG_SCRATCHPAD;
	dnnl_must(onednn_scratchpad(
		&w->matmul_argument[3].memory, chosen, w->engine, w->scratchpad->base));
	dnnl_primitive_attr_destroy(attributes);
	dnnl_primitive_desc_destroy(chosen);
}

static void plain_add(struct rig *rig, struct work *w)
{
	static const dnnl_dims_t one = {1};
	dnnl_memory_desc_t whole = {0};
	struct onednn_operation op = {.kind = ONEDNN_BINARY,
		.algorithm = dnnl_binary_add,
		.a = &whole,
		.b = &whole,
		.d = &whole};
	dnnl_primitive_desc_t chosen;
	dnnl_data_type_t dtype = rig->dtype == DTYPE_BF16 ? dnnl_bf16 : dnnl_f32;
	dnnl_must(onednn_describe(&whole, 1, (dnnl_dims_t){w->size * w->size}, dtype, one));
	dnnl_must(onednn_choose(&chosen, w->engine, &op, NULL));
	dnnl_must(dnnl_primitive_create(&w->add, chosen));
	w->add_argument[0] = argument(w, DNNL_ARG_SRC_0, &whole, w->product);
	w->add_argument[1] = argument(w, DNNL_ARG_SRC_1, &whole, w->b);
	w->add_argument[2] = argument(w, DNNL_ARG_DST, &whole, w->sum);
	dnnl_primitive_desc_destroy(chosen);
	onednn_release(&whole);
}

static void plain_make(struct rig *rig, struct work *w)
{
	dnnl_memory_desc_t square = {0};
	dnnl_data_type_t dtype = rig->dtype == DTYPE_BF16 ? dnnl_bf16 : dnnl_f32;
	dnnl_must(dnnl_engine_create(&w->engine, dnnl_cpu, 0));
	dnnl_must(dnnl_stream_create(&w->stream, w->engine, dnnl_stream_default_flags));
	dnnl_must(onednn_describe(
		&square, 2, (dnnl_dims_t){w->size, w->size}, dtype, (dnnl_dims_t){w->size, 1}));
	plain_matmul(rig, w, &square);
	plain_add(rig, w);
	onednn_release(&square);
}

static void work_free(struct rig *rig, struct work *w)
{
	struct device_memory *m[] = {w->x, w->w, w->b, w->product, w->sum, w->scratchpad};
	for (int i = 0; i < 4; i++)
		dnnl_memory_destroy(w->matmul_argument[i].memory);
	for (int i = 0; i < 3; i++)
		dnnl_memory_destroy(w->add_argument[i].memory);
	dnnl_primitive_destroy(w->matmul);
	dnnl_primitive_destroy(w->add);
	dnnl_stream_destroy(w->stream);
	dnnl_engine_destroy(w->engine);
	for (size_t i = 0; i < sizeof m / sizeof *m; i++)
		rig->ops->free(rig->device, m[i]);
}

enum { RECORDED, UNRECORDED, PLAIN, WAYS };

static double once_ms(struct rig *rig, const struct work *w, int way)
{
	rig->recorder.on = way == RECORDED;
	rig->ops->record(rig->device, way == RECORDED);
	int64_t start_ns = clock_ns();
	if (way == PLAIN)
		plain(w);
	else
		through_device(rig, w);
	return (double)(clock_ns() - start_ns) / 1e6;
}

static void bench_work(struct rig *rig, int64_t size, int rounds)
{
	struct work w = {.size = size};
	struct device_memory **const m[] = {&w.x, &w.w, &w.b, &w.product, &w.sum};
	for (size_t i = 0; i < sizeof m / sizeof *m; i++)
		*m[i] = memory(rig, size * size);
	plain_make(rig, &w);
	double *ms[WAYS], to_plain[2];
	for (int way = 0; way < WAYS; way++) {
		ms[way] = xcalloc((size_t)rounds, sizeof **ms);
		once_ms(rig, &w, way); /* first-call costs */
	}
	for (int r = 0; r < rounds; r++) {
		for (int turn = 0; turn < WAYS; turn++) {
			int way = (r + turn) % WAYS;
			ms[way][r] = once_ms(rig, &w, way);
		}
	}
	static const char *const names[] = {"recorded", "unrecorded", "plain_onednn"};
	double middle[WAYS], fastest[WAYS];
	char name[64];
	for (int way = 0; way < WAYS; way++) {
		middle[way] = median(ms[way], rounds);
		snprintf(name, sizeof name, "gemm_add_%d_%s", (int)size, names[way]);
		print(name, middle[way], "ms");
		fastest[way] = ms[way][0]; /* sorted by median() */
		free(ms[way]);
	}
	for (int way = 0; way < 2; way++) {
		to_plain[way] = middle[PLAIN] / middle[way];
		snprintf(name, sizeof name, "gemm_add_%d_speed_%s_over_plain", (int)size,
			names[way]);
		print(name, to_plain[way], "ratio");
	}
	snprintf(name, sizeof name, "gemm_add_%d_speed_recorded_over_plain_fastest", (int)size);
	print(name, fastest[PLAIN] / fastest[RECORDED], "ratio");
	work_free(rig, &w);
	rig->recorder.on = true;
	rig->ops->record(rig->device, true);
	forget_spans(rig);
}

static void rig_open(struct rig *rig, const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	rig->ops = handle ? dlsym(handle, "tracebook_device") : NULL;
	if (!rig->ops) {
		fprintf(stderr, "bench_spans: %s\n", dlerror());
		exit(1);
	}
	recorder_init(&rig->recorder, 10000);
	rig->recorder.on = true;
	rig->device = rig->ops->open(&rig->recorder, &rig->err);
	must(rig, !rig->device);
	rig->ops->record(rig->device, true);
	struct device_info info;
	rig->ops->info(rig->device, &info);
	rig->dtype = strstr(info.isa, "avx512_core") ? DTYPE_BF16 : DTYPE_F32;
	fprintf(stderr, "%s, %s, %s, %s\n", info.name, info.runtime, info.isa,
		dtype_name(rig->dtype));
}

int main(int argc, char **argv)
{
	struct rig rig = {0};
	if (argc < 2) {
		fputs("usage: bench_spans tracebook-host.so [rounds [size]...]\n", stderr);
		return 2;
	}
	/* libgomp is linked here, so it has read its environment already: start once more */
	if (!getenv("OMP_WAIT_POLICY")) {
		setenv("OMP_WAIT_POLICY", "passive", 1);
		execv("/proc/self/exe", argv);
	}
	rig_open(&rig, argv[1]);
	bench_clock();
	bench_span(&rig);
	enum { SMALL = 256 };
	struct device_memory *x = memory(&rig, SMALL);
	add_launch(&rig, x, SMALL);
	bench_throughput(&rig, x, SMALL);
	bench_one_launch(&rig, x, SMALL, false);
	bench_one_launch(&rig, x, SMALL, true);
	long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 5;
	if (rounds < 1)
		rounds = 1;
	for (int i = 3; i < argc; i++)
		bench_work(&rig, strtol(argv[i], NULL, 10), (int)rounds);
	for (int i = 0; argc < 4 && i < 2; i++)
		bench_work(&rig, i ? 4096 : 2048, (int)rounds);
	rig.ops->free(rig.device, x);
	rig.ops->close(rig.device);
	recorder_release(&rig.recorder);
	return 0;
}
