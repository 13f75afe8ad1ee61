#define _GNU_SOURCE
/* The cuda device on a GPU that is none (tests/data/cuda/README): what it computes, launches and
 * records. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "experiments/check.h"
#include "experiments/cuda/kernels.h"
#include "experiments/device.h"
#include "experiments/values.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <math.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct device_ops tracebook_device;
long fake_alive(void);

static const struct device_ops *const call = &tracebook_device;

struct rig {
	struct device *device;
	struct recorder recorder;
	struct err err;
	long alive; /* allocations before it was opened */
};

static void use_the_fake(void)
{
	static const char *const variables[] = {"TRACEBOOK_CUDA_DRIVER", "TRACEBOOK_CUPTI",
		"TRACEBOOK_CUBLASLT", "TRACEBOOK_NVRTC", "TRACEBOOK_NVML"};
	Dl_info fake;
	assert_true(dladdr((const void *)(uintptr_t)cudaMalloc, &fake) != 0);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		setenv(variables[i], fake.dli_fname, 1);
	setenv("TRACEBOOK_CACHE", "", 1);
}

static void rig_open(struct rig *r, const char *how)
{
	memset(r, 0, sizeof *r);
	use_the_fake();
	r->alive = fake_alive();
	setenv("FAKE_CUDA", how, 1);
	recorder_init(&r->recorder, 10000);
	r->recorder.on = true;
	r->device = call->open(&r->recorder, &r->err);
}

static void rig_close(struct rig *r)
{
	setenv("FAKE_CUDA", "", 1);
	if (r->device)
		call->close(r->device);
	recorder_release(&r->recorder);
	assert_int_equal(fake_alive(), r->alive);
}

static void ok(struct rig *r, int status)
{
	if (status)
		fail_msg("%s", r->err.text);
}

static void says(const struct rig *r, const char *text)
{
	if (!strstr(r->err.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, r->err.text);
}

/* ---- arrays ---- */

struct array {
	struct device_memory *memory;
	double *value; /* (n) as the device has them */
	size_t n;
	enum dtype dtype;
};

static struct array array_new(struct rig *r, size_t n, enum dtype dtype, uint64_t seed)
{
	struct array a = {NULL, calloc(n, sizeof(double)), n, dtype};
	void *raw = malloc(n * dtype_bytes(dtype));
	values_fill(raw, dtype, n, 2, seed);
	values_read(a.value, raw, dtype, n);
	a.memory = call->alloc(r->device, n * dtype_bytes(dtype), &r->err);
	ok(r, a.memory ? 0 : -1);
	ok(r, call->upload(r->device, a.memory, raw, n * dtype_bytes(dtype), &r->err));
	free(raw);
	return a;
}

static void array_free(struct rig *r, struct array *a)
{
	call->free(r->device, a->memory);
	free(a->value);
}

static double *array_got(struct rig *r, const struct array *a)
{
	void *raw = malloc(a->n * dtype_bytes(a->dtype));
	double *value = calloc(a->n, sizeof *value);
	ok(r, call->download(r->device, a->memory, raw, a->n * dtype_bytes(a->dtype), &r->err));
	values_read(value, raw, a->dtype, a->n);
	free(raw);
	return value;
}

static double limit(enum dtype dtype)
{
	return dtype == DTYPE_BF16 ? 6e-3 : 3e-6;
}

/* Every element, relative to what it should be. */
static void near(const double *got, const double *want, size_t n, double most)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabs(got[i] - want[i]) <= most * (fabs(want[i]) + 0.05)))
			fail_msg("element %zu of %zu is %g, not %g", i, n, got[i], want[i]);
}

/* ---- pointwise ---- */

static double gelu(double x)
{
	return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

static double apply(enum pointwise step, double x, double y)
{
	switch (step) {
	case POINTWISE_ADD:
		return x + y;
	case POINTWISE_MUL:
		return x * y;
	case POINTWISE_GELU_TANH:
		return gelu(x);
	case POINTWISE_SQUARE:
		return x * x;
	}
	return NAN;
}

static bool binary(enum pointwise step)
{
	return step == POINTWISE_ADD || step == POINTWISE_MUL;
}

static void check_pointwise(struct rig *r, struct device_pointwise p)
{
	struct array in[4], out = array_new(r, (size_t)p.n, p.dtype, 99);
	double *want = calloc((size_t)p.n, sizeof *want);
	for (int i = 0; i < p.n_inputs; i++) {
		in[i] = array_new(r, (size_t)p.n, p.dtype, (uint64_t)i + 1);
		p.in[i] = in[i].memory;
	}
	p.out = out.memory;
	for (size_t i = 0; i < (size_t)p.n; i++) {
		int next = 1;
		want[i] = in[0].value[i];
		for (int s = 0; s < p.n_steps; s++)
			want[i] = apply(
				p.step[s], want[i], binary(p.step[s]) ? in[next++].value[i] : 0);
	}
	ok(r, call->pointwise(r->device, &p, &r->err));
	ok(r, call->synchronise(r->device, &r->err));
	double *got = array_got(r, &out);
	near(got, want, (size_t)p.n, limit(p.dtype) * p.n_steps);
	free(got);
	free(want);
	for (int i = 0; i < p.n_inputs; i++)
		array_free(r, &in[i]);
	array_free(r, &out);
}

static void test_single_steps(void **state)
{
	(void)state;
	static const int64_t sizes[] = {1, 7, 8, 9, 4095, 4096, 4097, 8200, 10007};
	struct rig r;
	rig_open(&r, "");
	ok(&r, r.device ? 0 : -1);
	for (int step = 0; step < 4; step++)
		for (int dtype = 0; dtype < DTYPES; dtype++)
			for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
				check_pointwise(&r,
					(struct device_pointwise){.dtype = (enum dtype)dtype,
						.n = sizes[i],
						.n_steps = 1,
						.step = {(enum pointwise)step},
						.n_inputs = 1 + binary((enum pointwise)step)});
	rig_close(&r);
}

static void test_fused_chains(void **state)
{
	(void)state;
	static const struct device_pointwise chains[] = {
		{.dtype = DTYPE_BF16,
			.n = 8192,
			.n_steps = 2,
			.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
			.n_inputs = 2},
		{.dtype = DTYPE_F32,
			.n = 5003,
			.n_steps = 4,
			.step = {POINTWISE_ADD, POINTWISE_SQUARE, POINTWISE_MUL, POINTWISE_ADD},
			.n_inputs = 4},
		{.dtype = DTYPE_BF16,
			.n = 3,
			.n_steps = 2,
			.step = {POINTWISE_SQUARE, POINTWISE_GELU_TANH},
			.n_inputs = 1},
	};
	struct rig r;
	rig_open(&r, "");
	for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
		check_pointwise(&r, chains[i]);
	rig_close(&r);
}

/* Hand-written kernels: Liger's counterpart in its vector and its scalar form, and every square of
 * the first lecture. */
static void test_hand_written(void **state)
{
	(void)state;
	static const char *const squares[] = {
		"square_naive", "square_powf", "square_tile", "square_row", "square_row_loop"};
	static const int64_t widths[] = {1, 31, 781, 1024, 1600};
	struct rig r;
	rig_open(&r, "");
	for (int dtype = 0; dtype < DTYPES; dtype++)
		for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
			check_pointwise(&r,
				(struct device_pointwise){.dtype = (enum dtype)dtype,
					.n = widths[i] * 5,
					.row = widths[i],
					.n_steps = 2,
					.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
					.n_inputs = 2,
					.generic = true,
					.name = "tracebook_geglu_tanh_generic"});
	for (size_t s = 0; s < sizeof squares / sizeof *squares; s++)
		for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
			check_pointwise(&r,
				(struct device_pointwise){.dtype = DTYPE_F32,
					.n = widths[i] * 7,
					.row = widths[i],
					.n_steps = 1,
					.step = {POINTWISE_SQUARE},
					.n_inputs = 1,
					.generic = true,
					.name = squares[s]});
	rig_close(&r);
}

static void test_in_place(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	struct array x = array_new(&r, 5000, DTYPE_F32, 1), one = array_new(&r, 5000, DTYPE_F32, 2);
	struct device_pointwise p = {.dtype = DTYPE_F32,
		.n = 5000,
		.n_steps = 1,
		.step = {POINTWISE_ADD},
		.n_inputs = 2,
		.in = {x.memory, one.memory},
		.out = x.memory};
	ok(&r, call->pointwise(r.device, &p, &r.err));
	double *got = array_got(&r, &x);
	for (size_t i = 0; i < x.n; i++)
		x.value[i] += one.value[i];
	near(got, x.value, x.n, limit(DTYPE_F32));
	free(got);
	array_free(&r, &x);
	array_free(&r, &one);
	rig_close(&r);
}

static void test_wrong_pointwise(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	struct array x = array_new(&r, 16, DTYPE_F32, 1);
	struct device_pointwise good = {.dtype = DTYPE_F32,
		.n = 16,
		.n_steps = 1,
		.step = {POINTWISE_SQUARE},
		.n_inputs = 1,
		.in = {x.memory},
		.out = x.memory};
	struct device_pointwise p = good;
	p.n = 17;
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "too few for 17 elements");
	r.err = (struct err){0};
	p = good;
	p.n_inputs = 2;
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "the steps take 1 inputs, not 2");
	r.err = (struct err){0};
	p = good;
	p.generic = true;
	p.name = "square_round";
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "no hand-written fp32 kernel square_round");
	r.err = (struct err){0};
	p = good;
	p.n_steps = 5;
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "wants 1 to 4 steps");
	array_free(&r, &x);
	rig_close(&r);
}

/* ---- products ---- */

struct shape {
	int64_t batch, m, n, k;
	bool a_turned, b_turned, accumulate, tune;
	int addend; /* 0 none, 1 a row, 2 a matrix */
	enum dtype dtype;
};

static struct device_matrix matrix(struct array *a, int64_t rows, int64_t cols, bool turned)
{
	return (struct device_matrix){.memory = a->memory,
		.rows = rows,
		.cols = cols,
		.row_stride = turned ? 1 : cols,
		.col_stride = turned ? rows : 1,
		.batch_stride = rows * cols};
}

static double *turned_back(const struct array *a, int64_t batch, int64_t rows, int64_t cols)
{
	double *value = calloc(a->n, sizeof *value);
	for (int64_t b = 0; b < batch; b++)
		for (int64_t i = 0; i < rows; i++)
			for (int64_t j = 0; j < cols; j++)
				value[b * rows * cols + i * cols + j] =
					a->value[b * rows * cols + j * rows + i];
	return value;
}

static void check_gemm(struct rig *r, const struct shape *s)
{
	size_t n_d = (size_t)(s->batch * s->m * s->n);
	struct array a = array_new(r, (size_t)(s->batch * s->m * s->k), s->dtype, 1);
	struct array b = array_new(r, (size_t)(s->batch * s->k * s->n), s->dtype, 2);
	struct array c = array_new(r, s->addend == 1 ? (size_t)s->n : n_d, s->dtype, 3);
	struct array d = array_new(r, n_d, s->dtype, 4);
	struct device_matrix addend = matrix(&c, s->addend == 1 ? 1 : s->m, s->n, false);
	if (s->addend == 1)
		addend.batch_stride = 0;
	struct device_gemm g = {.dtype = s->dtype,
		.batch = s->batch,
		.a = matrix(&a, s->m, s->k, s->a_turned),
		.b = matrix(&b, s->k, s->n, s->b_turned),
		.d = matrix(&d, s->m, s->n, false),
		.addend = s->addend ? &addend : NULL,
		.accumulate = s->accumulate,
		.tune = s->tune};
	ok(r, call->gemm(r->device, &g, &r->err));
	ok(r, call->synchronise(r->device, &r->err));
	double *got = array_got(r, &d), *want = calloc(n_d, sizeof *want);
	double *left = s->a_turned ? turned_back(&a, s->batch, s->m, s->k) : NULL;
	double *right = s->b_turned ? turned_back(&b, s->batch, s->k, s->n) : NULL;
	check_product(want,
		&(struct check_product){.batch = s->batch,
			.m = s->m,
			.n = s->n,
			.k = s->k,
			.a = left ? left : a.value,
			.b = right ? right : b.value});
	if (s->addend)
		check_add(want, n_d, c.value, c.n);
	if (s->accumulate)
		check_add(want, n_d, d.value, n_d);
	assert_true(check_error(got, want, n_d) < limit(s->dtype));
	free(got);
	free(want);
	free(left);
	free(right);
	array_free(r, &a);
	array_free(r, &b);
	array_free(r, &c);
	array_free(r, &d);
}

static void check_gemms(struct rig *r)
{
	for (int bits = 0; bits < 96; bits++) {
		struct shape s = {.batch = bits & 16 ? 3 : 1,
			.m = 17,
			.n = 9,
			.k = 12,
			.a_turned = bits & 1,
			.b_turned = bits & 2,
			.accumulate = bits & 4,
			.dtype = bits & 8 ? DTYPE_BF16 : DTYPE_F32,
			.addend = bits / 32};
		if (s.accumulate && s.addend == 2)
			continue; /* two sums at once, refused */
		check_gemm(r, &s);
	}
}

static void test_products(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	check_gemms(&r);
	rig_close(&r);
}

/* Where cuBLASLt has no kernel, ours. */
static void test_products_without_cublas(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "noheuristic");
	check_gemms(&r);
	rig_close(&r);
}

static void test_tuned_products(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	/* d must be what it was before the trials */
	check_gemm(&r,
		&(struct shape){.batch = 1,
			.m = 5,
			.n = 6,
			.k = 7,
			.accumulate = true,
			.tune = true,
			.dtype = DTYPE_F32});
	check_gemm(
		&r, &(struct shape){.batch = 2, .m = 5, .n = 6, .k = 7, .addend = 1, .tune = true});
	rig_close(&r);
}

/* ---- records ---- */

static const struct span *find(
	const struct span *span, size_t n, enum span_kind kind, const char *name, size_t nth)
{
	for (size_t i = 0; i < n; i++)
		if (span[i].kind == kind && strstr(span[i].name, name) && !nth--)
			return &span[i];
	return NULL;
}

static struct device_pointwise squares(struct array *x)
{
	return (struct device_pointwise){.dtype = x->dtype,
		.n = (int64_t)x->n,
		.n_steps = 1,
		.step = {POINTWISE_SQUARE},
		.n_inputs = 1,
		.in = {x->memory},
		.out = x->memory};
}

static void test_records(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	rig_open(&r, "");
	struct array x = array_new(&r, 64, DTYPE_F32, 1), y = array_new(&r, 64, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	r.recorder.n = 0;
	call->record(r.device, true);
	call->enter(r.device, SCOPE_RANGE, 7);
	call->enter(r.device, SCOPE_OPERATOR, 41);
	ok(&r, call->pointwise(r.device, &p, &r.err));
	call->enter(r.device, SCOPE_OPERATOR, 42);
	ok(&r, call->copy(r.device, y.memory, x.memory, 256, &r.err));
	call->leave(r.device, SCOPE_OPERATOR);
	call->leave(r.device, SCOPE_OPERATOR);
	call->leave(r.device, SCOPE_RANGE);
	ok(&r, call->synchronise(r.device, &r.err));
	call->record(r.device, false);
	ok(&r, call->pointwise(r.device, &p, &r.err)); /* unseen */
	const struct span *span = call->drain(r.device, &n, &dropped);
	const struct span *kernel = find(span, n, SPAN_KERNEL, "tracebook_square_fp32", 0);
	const struct span *launch = find(span, n, SPAN_LAUNCH, "cudaLaunchKernel", 0);
	const struct span *copy = find(span, n, SPAN_COPY, "Memcpy DtoD (Device -> Device)", 0);
	assert_non_null(kernel);
	assert_non_null(launch);
	assert_non_null(copy);
	assert_null(find(span, n, SPAN_KERNEL, "", 1));
	assert_int_equal(kernel->correlation, launch->correlation);
	assert_int_equal(kernel->external, 41);
	assert_int_equal(launch->external, 41);
	assert_int_equal(copy->external, 42);
	assert_int_equal(copy->facts->range, 7);
	assert_int_equal(copy->bytes, 256);
	assert_int_equal(launch->thread, gettid());
	assert_int_equal(kernel->facts->kernel->block[0], 128);
	assert_non_null(find(span, n, SPAN_SYNC, "cudaDeviceSynchronize", 0));
	assert_non_null(find(span, n, SPAN_WAIT, "Context Sync", 0));
	/* one reading when it starts, one when it stops; the power is not told */
	assert_int_equal(find(span, n, SPAN_SAMPLE, "SM clock (MHz)", 1)->bytes, 1980);
	assert_null(find(span, n, SPAN_SAMPLE, "power", 0));
	/* calls are CUPTI's to tell */
	assert_null(find(r.recorder.span, r.recorder.n, SPAN_LAUNCH, "", 0));
	call->drain(r.device, &n, &dropped);
	assert_int_equal(n, 0);
	array_free(&r, &x);
	array_free(&r, &y);
	rig_close(&r);
}

/* Ids that were open when recording stopped are gone, and their end does no harm. */
static void test_ids_across_recordings(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	rig_open(&r, "");
	struct array x = array_new(&r, 64, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	call->enter(r.device, SCOPE_OPERATOR, 1);
	call->record(r.device, true);
	call->enter(r.device, SCOPE_OPERATOR, 2);
	call->record(r.device, false);
	call->drain(r.device, &n, &dropped);
	call->record(r.device, true);
	ok(&r, call->pointwise(r.device, &p, &r.err));
	call->leave(r.device, SCOPE_OPERATOR);
	call->leave(r.device, SCOPE_OPERATOR);
	call->record(r.device, false);
	const struct span *span = call->drain(r.device, &n, &dropped);
	assert_int_equal(find(span, n, SPAN_KERNEL, "square", 0)->external, 0);
	array_free(&r, &x);
	rig_close(&r);
}

static void test_without_cupti(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	struct device_info info;
	rig_open(&r, "cupti");
	ok(&r, r.device ? 0 : -1);
	struct array x = array_new(&r, 64, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	r.recorder.n = 0;
	call->record(r.device, true);
	ok(&r, call->pointwise(r.device, &p, &r.err));
	ok(&r, call->synchronise(r.device, &r.err));
	call->record(r.device, false);
	const struct span *span = call->drain(r.device, &n, &dropped);
	assert_null(find(span, n, SPAN_KERNEL, "", 0));
	assert_non_null(find(r.recorder.span, r.recorder.n, SPAN_LAUNCH, "cudaLaunchKernel", 0));
	assert_non_null(find(r.recorder.span, r.recorder.n, SPAN_SYNC, "cudaDeviceSynchronize", 0));
	call->info(r.device, &info);
	for (int i = 0; i < info.n_facts; i++)
		if (!strcmp(info.fact[i].name, "Recorder")) {
			assert_non_null(strstr(info.fact[i].value, "CUPTI for somebody"));
			array_free(&r, &x);
			rig_close(&r);
			return;
		}
	fail_msg("nothing says why there is no GPU work");
}

static void test_dropped_records(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	rig_open(&r, "dropped");
	call->record(r.device, true);
	call->record(r.device, false);
	call->drain(r.device, &n, &dropped);
	assert_int_equal(dropped, 7);
	rig_close(&r);
}

/* More records than a buffer holds, in their order. */
static void test_many_records(void **state)
{
	(void)state;
	enum { LAUNCHES = 40000 };
	struct rig r;
	size_t n, dropped, kernels_seen = 0;
	uint64_t last = 0;
	rig_open(&r, "");
	struct array x = array_new(&r, 1, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	call->record(r.device, true);
	for (int i = 0; i < LAUNCHES; i++)
		ok(&r, call->pointwise(r.device, &p, &r.err));
	call->record(r.device, false);
	const struct span *span = call->drain(r.device, &n, &dropped);
	for (size_t i = 0; i < n; i++)
		if (span[i].kind == SPAN_KERNEL) {
			kernels_seen++;
			assert_true(span[i].correlation > last);
			last = span[i].correlation;
		}
	assert_int_equal(kernels_seen, LAUNCHES);
	array_free(&r, &x);
	rig_close(&r);
}

/* ---- graphs ---- */

static void test_graphs(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	rig_open(&r, "");
	struct array x = array_new(&r, 100, DTYPE_F32, 1), y = array_new(&r, 100, DTYPE_F32, 2);
	struct device_pointwise p = squares(&x);
	ok(&r, call->capture_begin(r.device, &r.err));
	ok(&r, call->copy(r.device, x.memory, y.memory, 400, &r.err));
	ok(&r, call->pointwise(r.device, &p, &r.err));
	struct device_graph *g = call->capture_end(r.device, &r.err);
	assert_non_null(g);
	double *got = array_got(&r, &x);
	near(got, x.value, 100, 0); /* nothing ran yet */
	free(got);
	r.recorder.n = 0;
	call->record(r.device, true);
	ok(&r, call->graph_launch(r.device, g, &r.err));
	assert_non_null(find(r.recorder.span, r.recorder.n, SPAN_SETUP, "instantiate", 0));
	r.recorder.n = 0;
	ok(&r, call->graph_launch(r.device, g, &r.err));
	assert_int_equal(r.recorder.n, 0);
	ok(&r, call->synchronise(r.device, &r.err));
	call->record(r.device, false);
	const struct span *span = call->drain(r.device, &n, &dropped);
	const struct span *launch = find(span, n, SPAN_LAUNCH, "cudaGraphLaunch", 1);
	const struct span *kernel = find(span, n, SPAN_KERNEL, "square", 1);
	assert_int_equal(launch->correlation, kernel->correlation);
	assert_int_equal(kernel->facts->graph, find(span, n, SPAN_COPY, "", 1)->facts->graph);
	assert_true(kernel->facts->graph != 0 && kernel->facts->graph_node != 0);
	got = array_got(&r, &x);
	for (size_t i = 0; i < 100; i++)
		y.value[i] *= y.value[i];
	near(got, y.value, 100, limit(DTYPE_F32));
	free(got);
	call->graph_free(r.device, g);
	array_free(&r, &x);
	array_free(&r, &y);
	rig_close(&r);
}

static void test_graph_mistakes(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	assert_null(call->capture_end(r.device, &r.err));
	says(&r, "none was begun");
	r.err = (struct err){0};
	ok(&r, call->capture_begin(r.device, &r.err));
	assert_int_equal(call->capture_begin(r.device, &r.err), -1);
	says(&r, "already going on");
	r.err = (struct err){0};
	assert_int_equal(call->synchronise(r.device, &r.err), -1);
	says(&r, "end the capture first");
	/* closing with an open capture frees it */
	rig_close(&r);
}

/* ---- failures ---- */

static void test_no_gpu(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "nodevice");
	assert_null(r.device);
	says(&r, "there is no GPU");
	rig_close(&r);
}

static void test_no_memory(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "nomemory");
	assert_null(call->alloc(r.device, 2 << 20, &r.err));
	says(&r, "no memory for 2097152 bytes on the GPU: 1048576 of 150754820096 are free");
	rig_close(&r);
}

static void test_failing_calls(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	struct array x = array_new(&r, 4, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	setenv("FAKE_CUDA", "launch", 1);
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "tracebook_square_fp32: CUDA says");
	r.err = (struct err){0};
	setenv("FAKE_CUDA", "fault", 1);
	assert_int_equal(call->synchronise(r.device, &r.err), -1);
	says(&r, "waiting for the GPU");
	r.err = (struct err){0};
	setenv("FAKE_CUDA", "", 1);
	assert_int_equal(call->copy(r.device, x.memory, x.memory, 4, &r.err), -1);
	says(&r, "the same memory");
	r.err = (struct err){0};
	assert_int_equal(call->upload(r.device, x.memory, &x, 17, &r.err), -1);
	says(&r, "upload of 17 bytes: the memory has 16");
	array_free(&r, &x);
	rig_close(&r);
}

static void test_facts(void **state)
{
	(void)state;
	struct rig r;
	struct device_info info;
	char all[8192] = "";
	rig_open(&r, "");
	call->info(r.device, &info);
	call->info(r.device, &info); /* again: the same */
	assert_string_equal(info.name, "fake GPU (tests)");
	assert_string_equal(info.runtime, "CUDA 13.0");
	assert_string_equal(info.isa, "sm_90");
	assert_true(info.bf16_native);
	assert_int_equal(info.properties->multiprocessors, 132);
	for (int i = 0; i < info.n_facts; i++) {
		strncat(all, info.fact[i].name, sizeof all - strlen(all) - 1);
		strncat(all, "=", sizeof all - strlen(all) - 1);
		strncat(all, info.fact[i].value, sizeof all - strlen(all) - 1);
		strncat(all, "\n", sizeof all - strlen(all) - 1);
	}
	static const char *const wanted[] = {"Multiprocessors=132\n", "GPU memory=140.4 GiB\n",
		"CUDA of the driver=13.0 (", "Recorder=CUPTI 130001 (", "cuBLASLt=130100 (",
		"NVRTC=13.0 (", "NVIDIA driver=999.99 (fake)\n",
		"Highest clocks=SM 1980 MHz, memory 3201 MHz\n"};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (!strstr(all, wanted[i]))
			fail_msg("\"%s\" is not in\n%s", wanted[i], all);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_steps),
		cmocka_unit_test(test_fused_chains),
		cmocka_unit_test(test_hand_written),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_wrong_pointwise),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_products_without_cublas),
		cmocka_unit_test(test_tuned_products),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_ids_across_recordings),
		cmocka_unit_test(test_without_cupti),
		cmocka_unit_test(test_dropped_records),
		cmocka_unit_test(test_many_records),
		cmocka_unit_test(test_graphs),
		cmocka_unit_test(test_graph_mistakes),
		cmocka_unit_test(test_no_gpu),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_failing_calls),
		cmocka_unit_test(test_facts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
