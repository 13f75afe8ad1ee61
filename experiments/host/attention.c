/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/attention.h"
#include "base/min_max.h"

#include "experiments/host/row_kernels.h"
#include "experiments/request_checks.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Scores that a worker has at once: half a megabyte in bf16. */
enum { TILE_SCORES = 1 << 18, TILE_ROWS_MOST = 128, TILE_ROWS_LEAST = 16 };

enum part { PART_SCORES, PART_SOFTMAX, PART_SUMS, PARTS };
enum { WHOLE, REST, SIZES }; /* a tile of all rows, and the last of a matrix */

struct worker {
	struct plan *plan[SIZES][PARTS]; /* no REST when every tile is whole */
	struct device_memory *scores;
	dnnl_stream_t stream;
};

struct attention {
	struct whole_rows of;
	int64_t tile; /* rows */
	int n_workers;
	struct worker worker[]; /* (n_workers) */
};

int whole_rows_of(struct whole_rows *w, const struct device_rows *r, struct err *err)
{
	*w = (struct whole_rows){
		r->what, r->dtype, r->batch, r->rows, r->cols, r->causal, {.bits = 0}};
	w->factor.number = r->factor == 0 ? 1 : r->factor;
	if (asked_rows(r, memory_bytes, err))
		return -1;
	/* a softmax's rows are all alike, whichever matrix they are of */
	if (r->what == ROWS_SOFTMAX) {
		w->rows *= w->batch;
		w->batch = 1;
	}
	return 0;
}

/* ---- softmax ---- */

static int make_softmax(struct plan *plan, struct plans *plans, struct err *err)
{
	const struct whole_rows *w = &plan->key.of.rows;
	double bytes =
		2 * (double)w->rows * (double)w->cols * (double)dtype_bytes((enum dtype)w->dtype);
	dnnl_memory_desc_t desc;
	memset(&desc, 0, sizeof desc);
	plan->threads = threads_for_bytes(bytes, plans->max_threads);
	dnnl_status_t status = onednn_describe(&desc, 2, (dnnl_dims_t){w->rows, w->cols},
		onednn_dtype(w->dtype), (dnnl_dims_t){w->cols, 1});
	int result = status ? onednn_fail(err, status, "describing rows") : 0;
	struct onednn_operation op = {.kind = ONEDNN_SOFTMAX, .a = &desc, .d = &desc};
	if (!result)
		result = plan_add_argument(plan, plans->engine, DNNL_ARG_DST, &desc, NULL, err);
	if (!result)
		result = plan_add_argument(plan, plans->engine, DNNL_ARG_SRC, &desc, NULL, err);
	if (!result)
		result = plan_make_primitive(plan, plans, &op, NULL, "softmax", err);
	onednn_release(&desc);
	return result;
}

/* ---- attention ---- */

static struct product product_of_tile(const struct whole_rows *w, enum part part, int64_t rows)
{
	struct product p = {.dtype = w->dtype, .batch = 1, .m = rows};
	struct layout matrix = {w->cols, 1, 0}, turned = {1, w->cols, 0}, tile = {w->rows, 1, 0};
	p.n = part == PART_SCORES ? w->rows : w->cols;
	p.k = part == PART_SCORES ? w->cols : w->rows;
	p.a = part == PART_SCORES ? matrix : tile;
	p.b = part == PART_SCORES ? turned : matrix;
	p.d = part == PART_SCORES ? tile : matrix;
	return p;
}

static struct plan *new_part(const struct whole_rows *w, enum part part, int64_t rows,
	struct plans *plans, struct err *err)
{
	struct plan *plan = xcalloc(1, sizeof *plan);
	int result;
	if (part == PART_SOFTMAX) {
		plan->key.kind = PLAN_ROWS;
		plan->key.of.rows = (struct whole_rows){.what = ROWS_SOFTMAX,
			.dtype = w->dtype,
			.batch = 1,
			.rows = rows,
			.cols = w->rows};
		result = make_softmax(plan, plans, err);
	} else {
		plan->key.kind = PLAN_PRODUCT;
		plan->key.of.product = product_of_tile(w, part, rows);
		result = plan_make_product(plan, plans, err);
	}
	if (!result)
		return plan;
	plan_release(plan);
	return NULL;
}

static int worker_init(
	struct worker *worker, const struct attention *a, struct plans *plans, struct err *err)
{
	const struct whole_rows *w = &a->of;
	int64_t rows[SIZES] = {w->rows < a->tile ? 0 : a->tile, w->rows % a->tile};
	for (int size = 0; size < SIZES; size++)
		for (int part = 0; part < PARTS && rows[size]; part++) {
			worker->plan[size][part] =
				new_part(w, (enum part)part, rows[size], plans, err);
			if (!worker->plan[size][part])
				return -1;
		}
	size_t bytes = (size_t)(a->tile * w->rows) * dtype_bytes((enum dtype)w->dtype);
	worker->scores = memory_new(bytes, plans->recorder, err);
	if (!worker->scores)
		return err_note(err, "the scores of a tile");
	dnnl_status_t status =
		dnnl_stream_create(&worker->stream, plans->engine, dnnl_stream_default_flags);
	return status ? onednn_fail(err, status, "making a stream") : 0;
}

struct attention *attention_new(struct plan *plan, struct plans *plans, struct err *err)
{
	const struct whole_rows *w = &plan->key.of.rows;
	struct plans alone = *plans; /* a worker's primitives are its own thread's */
	alone.max_threads = 1;
	struct attention *a = xcalloc(1, sizeof *a + (size_t)plan->threads * sizeof a->worker[0]);
	int64_t tile = TILE_SCORES / w->rows;
	a->of = *w;
	a->tile = clip64(tile, TILE_ROWS_LEAST, TILE_ROWS_MOST);
	a->n_workers = plan->threads;
	for (int i = 0; i < a->n_workers; i++)
		if (worker_init(&a->worker[i], a, &alone, err)) {
			attention_free(a);
			return NULL;
		}
	return a;
}

void attention_free(struct attention *a)
{
	for (int i = 0; a && i < a->n_workers; i++) {
		struct worker *worker = &a->worker[i];
		for (int part = 0; part < SIZES * PARTS; part++)
			if (worker->plan[part / PARTS][part % PARTS])
				plan_release(worker->plan[part / PARTS][part % PARTS]);
		if (worker->stream)
			dnnl_stream_destroy(worker->stream);
		memory_free(worker->scores);
	}
	free(a);
}

/* The operands in the order of plan_make_product() and make_softmax(). */
static dnnl_status_t run_part(struct worker *worker, struct plan *plan, void *const pointer[])
{
	dnnl_status_t status = plan_bind(plan, pointer);
	if (!status)
		status = dnnl_primitive_execute(
			plan->primitive, worker->stream, plan->n_arguments, plan->argument);
	return status ? status : dnnl_stream_wait(worker->stream);
}

/* The factor, and the mask of rows that begin at `first`. */
static void prepare_scores(const struct whole_rows *w, void *scores, int64_t first, int64_t rows)
{
	struct row_kernel k = {.dtype = (enum dtype)w->dtype,
		.rows = rows,
		.cols = w->rows,
		.first = first,
		.height = w->rows,
		.factor = w->factor.number};
	if (k.factor != 1)
		row_kernel_scale(&k, scores, scores, 1);
	if (w->causal)
		row_kernel_mask(&k, scores, 1);
}

static dnnl_status_t run_tile(const struct attention *a, struct worker *worker, int64_t tile,
	unsigned char *out, unsigned char *const in[])
{
	const struct whole_rows *w = &a->of;
	int64_t tiles = (w->rows + a->tile - 1) / a->tile;
	int64_t first = tile % tiles * a->tile, matrix = tile / tiles * w->rows;
	size_t row = (size_t)w->cols * dtype_bytes((enum dtype)w->dtype);
	size_t from = (size_t)matrix * row, at = (size_t)(matrix + first) * row;
	struct plan *const *plan = worker->plan[first + a->tile > w->rows ? REST : WHOLE];
	void *scores = worker->scores->base;
	dnnl_status_t status = run_part(
		worker, plan[PART_SCORES], (void *const[]){in[0] + at, in[1] + from, scores});
	prepare_scores(w, scores, first, plan[PART_SOFTMAX]->key.of.rows.rows);
	if (!status)
		status = run_part(worker, plan[PART_SOFTMAX], (void *const[]){scores, scores});
	if (!status)
		status = run_part(
			worker, plan[PART_SUMS], (void *const[]){scores, in[2] + from, out + at});
	return status;
}

dnnl_status_t attention_run(struct attention *a, void *out, void *const in[])
{
	int64_t tiles = (a->of.rows + a->tile - 1) / a->tile * a->of.batch;
	unsigned char *const from[] = {in[0], in[1], in[2]};
	int failed = dnnl_success;
#pragma omp parallel for num_threads(a->n_workers) schedule(static) reduction(max : failed)
	for (int64_t tile = 0; tile < tiles; tile++) {
		int status = run_tile(a, &a->worker[omp_get_thread_num()], tile, out, from);
		failed = status > failed ? status : failed;
	}
	return (dnnl_status_t)failed;
}

int plan_make_rows(struct plan *plan, struct plans *plans, struct err *err)
{
	const struct whole_rows *w = &plan->key.of.rows;
	if (w->what == ROWS_SOFTMAX)
		return make_softmax(plan, plans, err);
	if (w->what != ROWS_ATTENTION) {
		plan->name = w->what == ROWS_SCALE ? "tracebook_mul_scalar" : "tracebook_mask";
		return 0;
	}
	double rows = (double)w->rows;
	plan->threads = threads_for_flop(
		4 * (double)w->batch * rows * rows * (double)w->cols, plans->max_threads);
	plan->name = "tracebook_attention";
	plan->attention = attention_new(plan, plans, err);
	return plan->attention ? 0 : -1;
}
