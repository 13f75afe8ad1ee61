/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_device.h - a device that computes at once, in plain loops, and writes down every call.
 *
 * `log` holds one line a call ("gemm 3x4x5", "copy 24", ...). `alive` counts memories and graphs
 * that were not freed. `fail_alloc_after` makes allocations fail; `wrong` makes every product
 * ignore what was there before, and softmax do nothing, so that a test can see that a check sees
 * it.
 */
#ifndef TESTS_FAKE_DEVICE_H
#define TESTS_FAKE_DEVICE_H

#include "experiments/device.h"
#include "experiments/request_checks.h"
#include "experiments/tensor_values.h"
#include "tests/unit/rows_reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device_memory {
	size_t bytes;
	unsigned char byte[];
};

enum fake_call { FAKE_GEMM, FAKE_POINTWISE, FAKE_ROWS, FAKE_COPY };

struct fake_work {
	enum fake_call call;
	struct device_gemm gemm;
	struct device_matrix addend;
	struct device_pointwise pointwise;
	struct device_rows rows;
	struct device_memory *to;
	const struct device_memory *from;
	size_t bytes;
};

struct device_graph {
	size_t n;
	struct fake_work work[64];
};

struct device {
	struct recorder *recorder;
	char log[16384];
	uint64_t correlation;
	int alive, allocations, fail_alloc_after; /* 0: never */
	bool wrong;
	struct device_graph *capture;
};

static void fake_log(struct device *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void fake_log(struct device *d, const char *fmt, ...)
{
	size_t used = strlen(d->log);
	va_list args;
	va_start(args, fmt);
	vsnprintf(d->log + used, sizeof d->log - used, fmt, args);
	va_end(args);
}

static struct device *fake_open(struct recorder *recorder, struct err *err)
{
	(void)err;
	struct device *d = xcalloc(1, sizeof *d);
	d->recorder = recorder;
	return d;
}

static void fake_close(struct device *d)
{
	free(d);
}

static void fake_info(const struct device *d, struct device_info *info)
{
	(void)d;
	*info = (struct device_info){.name = "fake"};
}

static struct device_memory *fake_alloc(struct device *d, size_t bytes, struct err *err)
{
	if (d->fail_alloc_after && d->allocations >= d->fail_alloc_after) {
		fail(err, "the fake device has no room for %zu bytes", bytes);
		return NULL;
	}
	struct device_memory *m = xalloc(sizeof *m + bytes);
	m->bytes = bytes;
	memset(m->byte, 0xff, bytes); /* NaN in both dtypes: what is not written shows */
	d->alive++;
	d->allocations++;
	fake_log(d, "alloc %zu\n", bytes);
	return m;
}

static void fake_free(struct device *d, struct device_memory *m)
{
	d->alive--;
	free(m);
}

static int fake_upload(
	struct device *d, struct device_memory *m, const void *from, size_t bytes, struct err *err)
{
	(void)d;
	if (bytes > m->bytes)
		return fail(err, "upload past the end");
	memcpy(m->byte, from, bytes);
	return 0;
}

static int fake_download(
	struct device *d, const struct device_memory *m, void *to, size_t bytes, struct err *err)
{
	(void)d;
	if (bytes > m->bytes)
		return fail(err, "download past the end");
	memcpy(to, m->byte, bytes);
	return 0;
}

static double fake_load(const struct device_memory *m, enum dtype dtype, int64_t i)
{
	double value;
	if (i < 0 || ((size_t)i + 1) * dtype_bytes(dtype) > m->bytes)
		bug("the fake device reads element %" PRId64 " of %zu bytes", i, m->bytes);
	values_read(&value, m->byte + (size_t)i * dtype_bytes(dtype), dtype, 1);
	return value;
}

static void fake_store(struct device_memory *m, enum dtype dtype, int64_t i, double value)
{
	float f = (float)value;
	uint16_t bits = bf16_of(f);
	if (i < 0 || ((size_t)i + 1) * dtype_bytes(dtype) > m->bytes)
		bug("the fake device writes element %" PRId64 " of %zu bytes", i, m->bytes);
	unsigned char *to = m->byte + (size_t)i * dtype_bytes(dtype);
	if (dtype == DTYPE_BF16)
		memcpy(to, &bits, sizeof bits);
	else
		memcpy(to, &f, sizeof f);
}

static int64_t fake_at(const struct device_matrix *m, int64_t batch, int64_t row, int64_t col)
{
	return m->offset + batch * m->batch_stride + row * m->row_stride + col * m->col_stride;
}

static void fake_element(
	struct device *d, const struct device_gemm *g, int64_t batch, int64_t row, int64_t col)
{
	double sum = 0;
	for (int64_t k = 0; k < g->a.cols; k++)
		sum += fake_load(g->a.memory, g->dtype, fake_at(&g->a, batch, row, k)) *
			fake_load(g->b.memory, g->dtype, fake_at(&g->b, batch, k, col));
	int64_t at = fake_at(&g->d, batch, row, col);
	if (g->accumulate && !d->wrong)
		sum += fake_load(g->d.memory, g->dtype, at);
	if (g->addend && !d->wrong)
		sum += fake_load(g->addend->memory, g->dtype,
			fake_at(g->addend, batch, g->addend->rows == 1 ? 0 : row, col));
	fake_store(g->d.memory, g->dtype, at, sum);
}

static void fake_run_gemm(struct device *d, const struct device_gemm *g)
{
	for (int64_t batch = 0; batch < g->batch; batch++)
		for (int64_t row = 0; row < g->d.rows; row++)
			for (int64_t col = 0; col < g->d.cols; col++)
				fake_element(d, g, batch, row, col);
}

static double fake_chain(const struct device_pointwise *p, int64_t i)
{
	int next = 1;
	double v = fake_load(p->in[0], p->dtype, i);
	for (int s = 0; s < p->n_steps; s++) {
		if (p->step[s] == POINTWISE_ADD)
			v += fake_load(p->in[next++], p->dtype, i);
		else if (p->step[s] == POINTWISE_MUL)
			v *= fake_load(p->in[next++], p->dtype, i);
		else if (p->step[s] == POINTWISE_SQUARE)
			v *= v;
		else
			v = 0.5 * v * (1 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
	}
	if (next != p->n_inputs)
		bug("a chain that takes %d inputs was given %d", next, p->n_inputs);
	return v;
}

static void fake_run_pointwise(const struct device_pointwise *p)
{
	for (int64_t i = 0; i < p->n; i++)
		fake_store(p->out, p->dtype, i, fake_chain(p, i));
}

static void fake_run_rows(const struct device *d, const struct device_rows *r)
{
	size_t n = (size_t)(r->batch * r->rows * r->cols);
	double *in[ROWS_INPUTS] = {0}, *out = xcalloc(n, sizeof *out);
	for (size_t at = 0; r->what == ROWS_MASK && at < n; at++)
		out[at] = fake_load(r->out, r->dtype, (int64_t)at);
	for (int i = 0; i < rows_inputs(r->what); i++) {
		in[i] = xcalloc(n, sizeof *in[i]);
		for (size_t at = 0; at < n; at++)
			in[i][at] = fake_load(r->in[i], r->dtype, (int64_t)at);
	}
	reference_rows(r, (const double *const *)in, out);
	for (size_t at = 0; at < n; at++)
		fake_store(r->out, r->dtype, (int64_t)at, d->wrong && in[0] ? in[0][at] : out[at]);
	for (int i = 0; i < ROWS_INPUTS; i++)
		free(in[i]);
	free(out);
}

static void fake_run(struct device *d, const struct fake_work *w)
{
	struct device_gemm gemm = w->gemm;
	if (gemm.addend)
		gemm.addend = &w->addend;
	if (w->call == FAKE_GEMM)
		fake_run_gemm(d, &gemm);
	else if (w->call == FAKE_POINTWISE)
		fake_run_pointwise(&w->pointwise);
	else if (w->call == FAKE_ROWS)
		fake_run_rows(d, &w->rows);
	else
		memcpy(w->to->byte, w->from->byte, w->bytes);
}

static int fake_enqueue(struct device *d, const struct fake_work *w, const char *name)
{
	if (d->capture) {
		d->capture->work[d->capture->n++] = *w;
		return 0;
	}
	struct span *s = span_begin(d->recorder, SPAN_LAUNCH, name);
	if (s)
		s->correlation = ++d->correlation;
	fake_run(d, w);
	span_end(s);
	return 0;
}

static int fake_gemm(struct device *d, const struct device_gemm *g, struct err *err)
{
	struct fake_work w = {.call = FAKE_GEMM, .gemm = *g};
	if (g->a.rows != g->d.rows || g->b.cols != g->d.cols || g->a.cols != g->b.rows)
		return fail(err, "the fake device was given a product that does not fit");
	if (g->addend)
		w.addend = *g->addend;
	fake_log(d, "gemm %s %" PRId64 "x %" PRId64 "x%" PRId64 "x%" PRId64 "%s%s%s%s\n",
		dtype_name(g->dtype), g->batch, g->d.rows, g->d.cols, g->a.cols,
		g->b.row_stride == 1 && g->b.col_stride != 1 ? " b transposed" : "",
		g->accumulate ? " accumulate" : "", g->addend ? " addend" : "",
		g->addend && g->addend->rows == 1 ? " row" : "");
	return fake_enqueue(d, &w, "gemm");
}

static int fake_pointwise(struct device *d, const struct device_pointwise *p, struct err *err)
{
	(void)err;
	static const char *const words[] = {"add", "mul", "gelu", "square"};
	struct fake_work w = {.call = FAKE_POINTWISE, .pointwise = *p};
	fake_log(d, "pointwise %" PRId64, p->n);
	for (int i = 0; i < p->n_steps; i++)
		fake_log(d, " %s", words[p->step[i]]);
	fake_log(d, "%s %s\n", p->generic ? " generic" : "", p->name ? p->name : "");
	return fake_enqueue(d, &w, "pointwise");
}

static int fake_rows_of(struct device *d, const struct device_rows *r, struct err *err)
{
	(void)err;
	struct fake_work w = {.call = FAKE_ROWS, .rows = *r};
	fake_log(d, "%s %s %" PRId64 "x %" PRId64 "x%" PRId64 "\n", rows_name(r->what),
		dtype_name(r->dtype), r->batch, r->rows, r->cols);
	return fake_enqueue(d, &w, "rows");
}

static int fake_copy(struct device *d, struct device_memory *to, const struct device_memory *from,
	size_t bytes, struct err *err)
{
	struct fake_work w = {.call = FAKE_COPY, .to = to, .from = from, .bytes = bytes};
	if (bytes > to->bytes || bytes > from->bytes)
		return fail(err, "copy past the end");
	fake_log(d, "copy %zu\n", bytes);
	return fake_enqueue(d, &w, "copy");
}

static int fake_synchronise(struct device *d, struct err *err)
{
	(void)err;
	span_end(span_begin(d->recorder, SPAN_SYNC, "synchronise"));
	return 0;
}

static int fake_capture_begin(struct device *d, struct err *err)
{
	(void)err;
	d->capture = xcalloc(1, sizeof *d->capture);
	d->alive++;
	fake_log(d, "capture begin\n");
	return 0;
}

static struct device_graph *fake_capture_end(struct device *d, struct err *err)
{
	(void)err;
	struct device_graph *g = d->capture;
	d->capture = NULL;
	fake_log(d, "capture end\n");
	return g;
}

static int fake_graph_launch(struct device *d, struct device_graph *g, struct err *err)
{
	(void)err;
	struct span *s = span_begin(d->recorder, SPAN_LAUNCH, "graph launch");
	if (s)
		s->correlation = ++d->correlation;
	for (size_t i = 0; i < g->n; i++)
		fake_run(d, &g->work[i]);
	span_end(s);
	fake_log(d, "graph launch of %zu\n", g->n);
	return 0;
}

static void fake_graph_free(struct device *d, struct device_graph *g)
{
	fake_log(d, "graph free\n");
	d->alive--;
	free(g);
}

static void fake_record(struct device *d, bool on)
{
	(void)d;
	(void)on;
}

static const struct span *fake_drain(struct device *d, size_t *n, size_t *dropped)
{
	(void)d;
	*n = *dropped = 0;
	return NULL;
}

static const struct device_ops fake_device = {
	.name = "fake",
	.about = "computes at once",
	.open = fake_open,
	.close = fake_close,
	.info = fake_info,
	.alloc = fake_alloc,
	.free = fake_free,
	.upload = fake_upload,
	.download = fake_download,
	.gemm = fake_gemm,
	.pointwise = fake_pointwise,
	.rows = fake_rows_of,
	.copy = fake_copy,
	.synchronise = fake_synchronise,
	.capture_begin = fake_capture_begin,
	.capture_end = fake_capture_end,
	.graph_launch = fake_graph_launch,
	.graph_free = fake_graph_free,
	.record = fake_record,
	.drain = fake_drain,
};

/* ---- what the tests read ---- */

static const char *fake_kind(const struct span *s)
{
	switch (s->kind) {
	case SPAN_OP:
		return "";
	case SPAN_LAUNCH:
		return "> ";
	case SPAN_SETUP:
		return "~ ";
	default:
		return "? ";
	}
}

/* The recorder's rows from `from` on, one a line, indented by nesting; launches are marked ">",
 * set-up "~". Hashes (16 hex digits at the end) become "#". */
__attribute__((unused)) static char *fake_rows(
	const struct recorder *r, size_t from, char *text, size_t room)
{
	int64_t end[32];
	int depth = 0;
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = from; i < r->n; i++) {
		const struct span *s = &r->span[i];
		while (depth > 0 && end[depth - 1] <= s->start_ns)
			depth--;
		int length = (int)strlen(s->name);
		bool hash = length > 17 && s->name[length - 17] == ' ' &&
			strspn(s->name + length - 16, "0123456789abcdef") == 16;
		used += (size_t)snprintf(text + used, room - used, "%*s%s%.*s%s\n", 2 * depth, "",
			fake_kind(s), hash ? length - 16 : length, s->name, hash ? "#" : "");
		end[depth++] = s->end_ns;
	}
	return text;
}

#endif
