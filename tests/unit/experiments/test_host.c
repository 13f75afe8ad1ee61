/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host device against plain double-precision references: every form of product, chain and copy.
 */
#include "experiments/request_checks.h"
#include "tests/unit/host_device.h"
#include "tests/unit/rows_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Products. ------------------------------------------------------------------------------------ */

struct form {
	const char *name;
	int64_t batch, m, n, k;
	bool a_transposed, b_transposed, shared_b; /* shared_b: one b for the whole batch */
	int64_t padding, offset; /* elements after each row, and before the first, of all */
	enum { NOTHING, BIAS, MATRIX } addend;
	bool accumulate;
};

static const struct form forms[] = {
	{"64", 1, 64, 64, 64, .addend = NOTHING},
	{"one element", 1, 1, 1, 1, .addend = NOTHING},
	{"one row", 1, 1, 37, 19, .addend = NOTHING},
	{"one column", 1, 37, 1, 19, .addend = NOTHING},
	{"inner size 1", 1, 9, 11, 1, .addend = NOTHING},
	{"odd sizes", 1, 33, 47, 61, .addend = NOTHING},
	{"tall", 1, 257, 3, 5, .addend = NOTHING},
	{"wide", 1, 3, 259, 5, .addend = NOTHING},
	{"a transposed", 1, 33, 47, 61, .a_transposed = true},
	{"b transposed", 1, 33, 47, 61, .b_transposed = true},
	{"both transposed", 1, 33, 47, 61, .a_transposed = true, .b_transposed = true},
	{"padded rows", 1, 17, 30, 23, .padding = 5},
	{"at an offset", 1, 17, 30, 23, .offset = 13},
	{"padded, transposed, at an offset", 1, 17, 30, 23, .b_transposed = true, .padding = 3,
		.offset = 7},
	{"bias", 1, 33, 47, 61, .addend = BIAS},
	{"linear: b transposed, bias", 1, 128, 64, 32, .b_transposed = true, .addend = BIAS},
	{"bias on one row", 1, 1, 47, 61, .addend = BIAS},
	{"bias on one column", 1, 47, 1, 61, .addend = BIAS},
	{"addend", 1, 33, 47, 61, .addend = MATRIX},
	{"addend, one row", 1, 1, 47, 61, .addend = MATRIX},
	{"addend, padded", 1, 9, 12, 20, .padding = 4, .addend = MATRIX},
	{"accumulate", 1, 33, 47, 61, .accumulate = true},
	{"accumulate, bias", 1, 33, 47, 61, .addend = BIAS, .accumulate = true},
	{"accumulate, addend", 1, 33, 47, 61, .addend = MATRIX, .accumulate = true},
	{"batch", 8, 64, 64, 64, .addend = NOTHING},
	{"batch, odd sizes", 3, 17, 21, 9, .addend = NOTHING},
	{"batch, a transposed", 3, 17, 21, 9, .a_transposed = true},
	{"batch, b transposed", 3, 17, 21, 9, .b_transposed = true},
	{"batch, one b", 3, 17, 21, 9, .shared_b = true},
	{"batch, bias", 3, 17, 21, 9, .addend = BIAS},
	{"batch, addend", 3, 17, 21, 9, .addend = MATRIX},
	{"batch, accumulate", 3, 17, 21, 9, .accumulate = true},
	{"two threads", 1, 301, 303, 401, .addend = NOTHING},
	{"two threads, addend", 1, 301, 303, 401, .addend = MATRIX},
};

/* A matrix of random values in the dtype, and the same values in double. */
struct operand {
	struct device_matrix view;
	double *value;
	int64_t n;
};

static struct operand operand_new(struct host *h, enum dtype dtype, const struct form *f,
	int64_t rows, int64_t cols, int64_t batch, bool transposed)
{
	int64_t inner = (transposed ? rows : cols) + f->padding;
	int64_t outer = transposed ? cols : rows;
	struct operand o = {.n = f->offset + inner * outer * batch};
	o.view = (struct device_matrix){.offset = f->offset,
		.rows = rows,
		.cols = cols,
		.row_stride = transposed ? 1 : inner,
		.col_stride = transposed ? inner : 1,
		.batch_stride = batch > 1 ? inner * outer : 0};
	o.value = host_random(h, o.n, dtype);
	o.view.memory = host_put(h, o.value, o.n, dtype);
	return o;
}

static void operand_free(struct host *h, struct operand *o)
{
	h->ops->free(h->device, o->view.memory);
	free(o->value);
}

static double at(const struct operand *o, int64_t b, int64_t i, int64_t j)
{
	const struct device_matrix *v = &o->view;
	return o->value[v->offset + b * v->batch_stride + i * v->row_stride + j * v->col_stride];
}

static double expected(
	const struct form *f, const struct operand *o, int64_t b, int64_t i, int64_t j)
{
	double sum = 0;
	for (int64_t k = 0; k < f->k; k++)
		sum += at(&o[0], b, i, k) * at(&o[1], b, k, j);
	if (f->accumulate)
		sum += at(&o[2], b, i, j);
	if (f->addend)
		sum += at(&o[3], b, f->addend == BIAS ? 0 : i, j);
	return sum;
}

/* The norm of the difference over the norm of the reference. */
static double product_error(
	struct host *h, enum dtype dtype, const struct form *f, const struct operand *o)
{
	double *got = host_take(h, o[2].view.memory, o[2].n, dtype);
	double difference = 0, reference = 0;
	for (int64_t b = 0; b < f->batch; b++) {
		for (int64_t i = 0; i < f->m; i++) {
			for (int64_t j = 0; j < f->n; j++) {
				struct operand d = o[2];
				d.value = got;
				double e = expected(f, o, b, i, j), g = at(&d, b, i, j);
				difference += (g - e) * (g - e);
				reference += e * e;
			}
		}
	}
	free(got);
	return sqrt(difference / reference);
}

static double run_form(struct host *h, enum dtype dtype, const struct form *f)
{
	bool bias = f->addend == BIAS;
	struct operand o[4] = {
		operand_new(h, dtype, f, f->m, f->k, f->batch, f->a_transposed),
		operand_new(h, dtype, f, f->k, f->n, f->shared_b ? 1 : f->batch, f->b_transposed),
		operand_new(h, dtype, f, f->m, f->n, f->batch, false),
		operand_new(h, dtype, f, bias ? 1 : f->m, f->n, bias ? 1 : f->batch, false),
	};
	struct device_gemm g = {.dtype = dtype,
		.batch = f->batch,
		.a = o[0].view,
		.b = o[1].view,
		.d = o[2].view,
		.addend = f->addend ? &o[3].view : NULL,
		.accumulate = f->accumulate};
	host_ok(h, h->ops->gemm(h->device, &g, &h->err));
	double error = product_error(h, dtype, f, o);
	for (int i = 0; i < 4; i++)
		operand_free(h, &o[i]);
	return error;
}

static void products_agree(void **state)
{
	struct host *h = *state;
	for (int dtype = 0; dtype < DTYPES; dtype++) {
		if (!host_can(h, (enum dtype)dtype))
			continue;
		for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
			double error = run_form(h, (enum dtype)dtype, &forms[i]);
			if (!(error < (dtype == DTYPE_BF16 ? 1e-2 : 1e-5)))
				fail_msg("%s %s: error %g", dtype_name((enum dtype)dtype),
					forms[i].name, error);
		}
	}
}

/* What lies between the rows of a padded result is not the product's to write. */
static void padding_is_left_alone(void **state)
{
	struct host *h = *state;
	const struct form f = {"padded", 2, 5, 6, 7, .padding = 3, .offset = 4};
	struct operand a = operand_new(h, DTYPE_F32, &f, f.m, f.k, f.batch, false);
	struct operand b = operand_new(h, DTYPE_F32, &f, f.k, f.n, f.batch, false);
	struct operand d = operand_new(h, DTYPE_F32, &f, f.m, f.n, f.batch, false);
	struct device_gemm g = {
		.dtype = DTYPE_F32, .batch = f.batch, .a = a.view, .b = b.view, .d = d.view};
	host_ok(h, h->ops->gemm(h->device, &g, &h->err));
	double *got = host_take(h, d.view.memory, d.n, DTYPE_F32);
	for (int64_t i = 0; i < d.n; i++) {
		bool outside = i < f.offset || (i - f.offset) % (f.n + f.padding) >= f.n;
		if (outside)
			assert_true(got[i] == d.value[i]);
	}
	free(got);
	operand_free(h, &a);
	operand_free(h, &b);
	operand_free(h, &d);
}

/* Chains. -------------------------------------------------------------------------------------- */

static const struct chain_form {
	int n_steps, n_inputs;
	enum pointwise step[4];
} chains[] = {
	{1, 2, {POINTWISE_ADD}},
	{1, 2, {POINTWISE_MUL}},
	{1, 1, {POINTWISE_GELU_TANH}},
	{1, 1, {POINTWISE_SQUARE}},
	{2, 2, {POINTWISE_GELU_TANH, POINTWISE_MUL}},
	{2, 2, {POINTWISE_SQUARE, POINTWISE_ADD}},
	{2, 2, {POINTWISE_MUL, POINTWISE_SQUARE}},
	{3, 3, {POINTWISE_ADD, POINTWISE_GELU_TANH, POINTWISE_MUL}},
	{4, 3, {POINTWISE_GELU_TANH, POINTWISE_MUL, POINTWISE_SQUARE, POINTWISE_ADD}},
	{3, 4, {POINTWISE_ADD, POINTWISE_MUL, POINTWISE_ADD}},
};

static double gelu(double x)
{
	double u = sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x);
	return 0.5 * x * (1 + tanh(u));
}

static double chain_value(const struct chain_form *c, double *const in[], int64_t i)
{
	double x = in[0][i];
	int input = 1;
	for (int s = 0; s < c->n_steps; s++) {
		switch (c->step[s]) {
		case POINTWISE_ADD:
			x += in[input++][i];
			break;
		case POINTWISE_MUL:
			x *= in[input++][i];
			break;
		case POINTWISE_GELU_TANH:
			x = gelu(x);
			break;
		case POINTWISE_SQUARE:
			x *= x;
			break;
		}
	}
	return x;
}

static double run_chain(
	struct host *h, enum dtype dtype, const struct chain_form *c, int64_t n, bool generic)
{
	struct device_pointwise p = {
		.dtype = dtype, .n = n, .n_steps = c->n_steps, .n_inputs = c->n_inputs};
	double *in[4];
	memcpy(p.step, c->step, sizeof p.step);
	p.generic = generic;
	for (int i = 0; i < c->n_inputs; i++) {
		in[i] = host_random(h, n, dtype);
		p.in[i] = host_put(h, in[i], n, dtype);
	}
	p.out = host_put(h, in[0], n, dtype);
	host_ok(h, h->ops->pointwise(h->device, &p, &h->err));
	double *got = host_take(h, p.out, n, dtype), difference = 0, reference = 0;
	for (int64_t i = 0; i < n; i++) {
		double e = chain_value(c, in, i);
		difference += (got[i] - e) * (got[i] - e);
		reference += e * e;
	}
	free(got);
	h->ops->free(h->device, p.out);
	for (int i = 0; i < c->n_inputs; i++) {
		h->ops->free(h->device, p.in[i]);
		free(in[i]);
	}
	return sqrt(difference / reference);
}

static void chains_agree(void **state)
{
	struct host *h = *state;
	static const int64_t sizes[] = {1, 15, 1024, 1025, 4099, 1200001};
	const char *sweep = getenv("TRACEBOOK_SWEEP"); /* else the last in one way a chain */
	bool all = sweep && !strcmp(sweep, "all");
	for (size_t i = 0; i < sizeof chains / sizeof *chains * 4; i++) {
		enum dtype dtype = i & 1 ? DTYPE_F32 : DTYPE_BF16;
		bool generic = i & 2;
		const struct chain_form *c = &chains[i / 4];
		if (!generic && !host_can(h, dtype))
			continue;
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			if (sizes[s] > 1 << 20 && !all && i / 4 % 4 != i % 4)
				continue;
			double error = run_chain(h, dtype, c, sizes[s], generic);
			if (!(error < (dtype == DTYPE_BF16 ? 1e-2 : 1e-5)))
				fail_msg("%s chain %zu, n %" PRId64 "%s: error %g",
					dtype_name(dtype), i / 4, sizes[s],
					generic ? ", generic" : "", error);
		}
	}
}

/* The bound that pointwise_kernel.h states. */
static void handwritten_gelu_is_accurate(void **state)
{
	struct host *h = *state;
	enum { N = 400001 };
	double *x = calloc(N, sizeof *x);
	for (int i = 0; i < N; i++)
		x[i] = (double)(float)(-20 + 40.0 * i / (N - 1));
	struct device_pointwise p = {.dtype = DTYPE_F32,
		.n = N,
		.n_steps = 1,
		.n_inputs = 1,
		.step = {POINTWISE_GELU_TANH},
		.generic = true};
	p.in[0] = p.out = host_put(h, x, N, DTYPE_F32);
	host_ok(h, h->ops->pointwise(h->device, &p, &h->err));
	double *got = host_take(h, p.out, N, DTYPE_F32), absolute = 0, relative = 0;
	for (int i = 0; i < N; i++) {
		double e = gelu(x[i]), difference = fabs(got[i] - e);
		if (x[i] <= 1)
			absolute = fmax(absolute, difference);
		if (x[i] >= -4 && fabs(x[i]) > 1e-6)
			relative = fmax(relative, difference / fabs(e));
	}
	print_message("gelu: absolute error (x <= 1) %.2e, relative (x >= -4) %.2e\n", absolute,
		relative);
	assert_true(absolute < 1e-6);
	assert_true(relative < 2e-6);
	h->ops->free(h->device, p.out);
	free(got);
	free(x);
}

static void handwritten_kernel_keeps_nan_and_infinity(void **state)
{
	struct host *h = *state;
	for (int dtype = 0; dtype < DTYPES; dtype++) {
		double x[] = {NAN, INFINITY, 0, -0.0, -100, 100}, *got;
		struct device_pointwise p = {.dtype = (enum dtype)dtype,
			.n = 6,
			.n_steps = 1,
			.n_inputs = 1,
			.step = {POINTWISE_GELU_TANH},
			.generic = true};
		p.in[0] = p.out = host_put(h, x, 6, p.dtype);
		host_ok(h, h->ops->pointwise(h->device, &p, &h->err));
		got = host_take(h, p.out, 6, p.dtype);
		assert_true(isnan(got[0]) && isinf(got[1]) && got[1] > 0);
		assert_true(got[2] == 0 && got[3] == 0 && fabs(got[4]) < 1e-30 && got[5] == 100);
		h->ops->free(h->device, p.out);
		free(got);
	}
}

/* Whole rows. ---------------------------------------------------------------------------------- */

static void rows_agree(struct host *h, struct device_rows r)
{
	int64_t n = r.batch * r.rows * r.cols;
	double *in[ROWS_INPUTS], *want = xcalloc((size_t)n, sizeof *want);
	r.out = h->ops->alloc(h->device, (size_t)n * dtype_bytes(r.dtype), &h->err);
	for (int i = 0; i < ROWS_INPUTS; i++) {
		in[i] = host_random(h, n, r.dtype);
		r.in[i] = host_put(h, in[i], n, r.dtype);
	}
	if (r.what == ROWS_SOFTMAX && r.causal) {
		struct device_rows mask = r;
		mask.what = ROWS_MASK;
		mask.out = r.in[0];
		host_ok(h, h->ops->rows(h->device, &mask, &h->err));
	}
	host_ok(h, h->ops->rows(h->device, &r, &h->err));
	double *got = host_take(h, r.out, n, r.dtype);
	reference_rows(&r, (const double *const *)in, want);
	double error = check_error(got, want, (size_t)n);
	if (error > (r.dtype == DTYPE_BF16 ? 1e-2 : 1e-5))
		fail_msg("%s %s %" PRId64 "x%" PRId64 "x%" PRId64 ": error %g", rows_name(r.what),
			dtype_name(r.dtype), r.batch, r.rows, r.cols, error);
	for (int i = 0; i < ROWS_INPUTS; i++) {
		h->ops->free(h->device, r.in[i]);
		free(in[i]);
	}
	h->ops->free(h->device, r.out);
	free(want);
	free(got);
}

/* Less than a tile of attention, tiles and a rest, rows so long that a tile has fewer. */
static void softmax_and_attention_agree(void **state)
{
	struct host *h = *state;
	static const int64_t sizes[][3] = {
		{1, 1, 1}, {5, 7, 19}, {2, 128, 64}, {3, 300, 40}, {2, 1000, 16}, {1, 2500, 2}};
	for (int dtype = 0; dtype < DTYPES; dtype++)
		for (size_t i = 0;
			host_can(h, (enum dtype)dtype) && i < sizeof sizes / sizeof *sizes; i++) {
			struct device_rows r = {.dtype = (enum dtype)dtype,
				.batch = sizes[i][0],
				.rows = sizes[i][1],
				.cols = sizes[i][2]};
			rows_agree(h, r);
			r.what = ROWS_ATTENTION;
			rows_agree(h, r);
			r.causal = true;
			r.factor = 0.25f;
			rows_agree(h, r);
			r.what = ROWS_SCALE;
			rows_agree(h, r);
			r.what = ROWS_SOFTMAX;
			rows_agree(h, r);
		}
}

/* Copies. -------------------------------------------------------------------------------------- */

static void copies_agree(void **state)
{
	struct host *h = *state;
	static const size_t sizes[] = {1, 63, 4096, 1 << 20, (8 << 20) + 13};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		size_t bytes = sizes[s];
		unsigned char *sent = malloc(bytes), *got = calloc(bytes, 1);
		for (size_t i = 0; i < bytes; i++)
			sent[i] = (unsigned char)(i * 131 >> 3);
		struct device_memory *from = h->ops->alloc(h->device, bytes, &h->err);
		struct device_memory *to = h->ops->alloc(h->device, bytes, &h->err);
		host_ok(h, h->ops->upload(h->device, from, sent, bytes, &h->err));
		host_ok(h, h->ops->copy(h->device, to, from, bytes, &h->err));
		host_ok(h, h->ops->download(h->device, to, got, bytes, &h->err));
		assert_memory_equal(sent, got, bytes);
		h->ops->free(h->device, from);
		h->ops->free(h->device, to);
		free(sent);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_agree),
		cmocka_unit_test(padding_is_left_alone),
		cmocka_unit_test(chains_agree),
		cmocka_unit_test(handwritten_gelu_is_accurate),
		cmocka_unit_test(handwritten_kernel_keeps_nan_and_infinity),
		cmocka_unit_test(softmax_and_attention_agree),
		cmocka_unit_test(copies_agree),
	};
	return cmocka_run_group_tests(tests, host_open, host_close);
}
