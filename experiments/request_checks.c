/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/request_checks.h"

#include <inttypes.h>

enum { STEPS_MAX = 4, INPUTS_MAX = 4 };

int asked_matrix(const struct device_matrix *m, size_t has_bytes, int64_t rows, int64_t cols,
	const struct device_gemm *g, const char *what, struct err *err)
{
	if (m->rows != rows || m->cols != cols)
		return fail(err,
			"gemm: %s is %" PRId64 "x%" PRId64 " where %" PRId64 "x%" PRId64
			" is wanted",
			what, m->rows, m->cols, rows, cols);
	if (m->offset < 0 || m->batch_stride < 0 || m->row_stride < (rows > 1) ||
		m->col_stride < (cols > 1))
		return fail(err, "gemm: %s has a stride or an offset that is too small", what);
	__int128 last = (__int128)m->offset + (__int128)(rows - 1) * m->row_stride +
		(__int128)(cols - 1) * m->col_stride + (__int128)(g->batch - 1) * m->batch_stride;
	if ((last + 1) * (__int128)dtype_bytes(g->dtype) > (__int128)has_bytes)
		return fail(err, "gemm: %s ends outside its memory of %zu bytes", what, has_bytes);
	return 0;
}

int asked_addend(const struct device_gemm *g, size_t has_bytes, int64_t rows, int64_t cols,
	bool *one_row, struct err *err)
{
	const struct device_matrix *c = g->addend;
	if (c->memory == g->d.memory && c->offset == g->d.offset)
		return fail(err, "gemm: the addend may not be the result; use accumulate");
	int64_t own = c->rows == 1 ? 1 : rows;
	if (asked_matrix(c, has_bytes, own, cols, g, "the addend", err))
		return -1;
	*one_row = own == 1 && (cols == 1 || c->col_stride == 1) &&
		(g->batch == 1 || !c->batch_stride);
	if (own == 1 && rows > 1 && !*one_row)
		return fail(err, "gemm: a bias row must be contiguous and the same for the batch");
	return 0;
}

bool pointwise_takes_two(enum pointwise step)
{
	return step == POINTWISE_ADD || step == POINTWISE_MUL;
}

int asked_pointwise(const struct device_pointwise *p, struct err *err)
{
	if (p->n < 1 || p->n_steps < 1 || p->n_steps > STEPS_MAX)
		return fail(err,
			"pointwise: wants 1 to %d steps and at least one element, not %d and "
			"%" PRId64,
			STEPS_MAX, p->n_steps, p->n);
	int inputs = 1;
	for (int i = 0; i < p->n_steps; i++)
		inputs += pointwise_takes_two(p->step[i]);
	if (inputs != p->n_inputs || inputs > INPUTS_MAX)
		return fail(
			err, "pointwise: the steps take %d inputs, not %d", inputs, p->n_inputs);
	return 0;
}

int asked_elements(
	const struct device_pointwise *p, size_t has_bytes, const char *what, struct err *err)
{
	__int128 bytes = (__int128)p->n * (__int128)dtype_bytes(p->dtype);
	if (bytes > (__int128)has_bytes)
		return fail(err, "pointwise: %s has %zu bytes, too few for %" PRId64 " elements",
			what, has_bytes, p->n);
	return 0;
}

int rows_inputs(enum rows_kind what)
{
	static const int n[ROWS_KINDS] = {
		[ROWS_SOFTMAX] = 1, [ROWS_SCALE] = 1, [ROWS_MASK] = 0, [ROWS_ATTENTION] = 3};
	return n[what];
}

const char *rows_name(enum rows_kind what)
{
	static const char *const names[ROWS_KINDS] = {[ROWS_SOFTMAX] = "softmax",
		[ROWS_SCALE] = "scale",
		[ROWS_MASK] = "mask",
		[ROWS_ATTENTION] = "attention"};
	return names[what];
}

int asked_rows(const struct device_rows *r, size_t (*has_bytes)(const struct device_memory *m),
	struct err *err)
{
	const char *name = rows_name(r->what);
	if (r->batch < 1 || r->rows < 1 || r->cols < 1)
		return fail(err, "%s: sizes must be positive, not %" PRId64 "x%" PRId64 "x%" PRId64,
			name, r->batch, r->rows, r->cols);
	__int128 bytes = (__int128)r->batch * r->rows * r->cols * (int64_t)dtype_bytes(r->dtype);
	bool fits = bytes <= (__int128)has_bytes(r->out);
	for (int i = 0; i < rows_inputs(r->what); i++)
		fits = fits && bytes <= (__int128)has_bytes(r->in[i]);
	return fits ? 0
		    : fail(err, "%s: %" PRId64 "x%" PRId64 "x%" PRId64 " ends outside its memory",
			      name, r->batch, r->rows, r->cols);
}

int asked_transfer(size_t has_bytes, size_t bytes, const char *what, struct err *err)
{
	return bytes <= has_bytes
		? 0
		: fail(err, "%s of %zu bytes: the memory has %zu", what, bytes, has_bytes);
}

int asked_while_running(const struct device_graph *capture, const char *what, struct err *err)
{
	return capture ? fail(err, "%s: a graph is being captured; end the capture first", what)
		       : 0;
}

int capture_begin(struct device_graph **capture, size_t size, struct err *err)
{
	if (*capture)
		return fail(err, "capture: one is already going on; end it first");
	*capture = xcalloc(1, size);
	return 0;
}

struct device_graph *capture_end(struct device_graph **capture, struct err *err)
{
	struct device_graph *g = *capture;
	if (!g)
		fail(err, "capture: none was begun");
	*capture = NULL;
	return g;
}

void *capture_more(void *list, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return list;
	*room = *room ? *room * 2 : 16;
	return xrealloc(list, *room, size);
}
