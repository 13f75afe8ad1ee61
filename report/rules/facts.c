/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/facts.h"
#include "base/binary_search.h"
#include "base/min_max.h"

#include <stdlib.h>
#include <string.h>

/* ---- the device's events ---- */

static void count_in_products(struct facts *x, uint32_t row, uint32_t product)
{
	uint8_t class = class_of(x, row), kind = x->t->kind[row];
	for (uint32_t p = product; p < x->n_products; p = x->products[p].outer) {
		x->products[p].gemms += is_gemm(class);
		x->products[p].copies |= kind == EVENT_MEMCPY;
		x->products[p].others |=
			kind == EVENT_KERNEL && !is_gemm(class) && class != CLASS_SPLITK;
	}
}

size_t device_index(const struct facts *x, uint32_t row, size_t from)
{
	size_t step = 1;
	while (from + step < x->a->n_device && device_row(x, from + step) <= row) {
		from += step;
		step *= 2;
	}
	size_t end = min_size(from + step, x->a->n_device);
	return first_where(i, from, end, device_row(x, i) >= row);
}

size_t call_index(const struct facts *x, uint32_t row)
{
	return first_where(i, 0, x->calls.n, x->calls.row[i] >= row);
}

uint32_t product_around(const struct facts *x, uint32_t row)
{
	const struct trace *t = x->t;
	while (row != NO_ROW && (t->kind[row] != EVENT_OP || !is_product_role(role_of(x, row))))
		row = event_on_host(t->kind[row]) ? t->parent[row] : NO_ROW;
	uint32_t at = first_where(i, 0, x->n_products, x->products[i].row >= row);
	return row == NO_ROW ? NO_ROW : at;
}

/* An event may name a row as its launch that is no call. */
static void look_at_launch(struct facts *x, size_t i, size_t *call)
{
	uint32_t launch = x->launch[i], row = device_row(x, i);
	x->call[i] = x->product[i] = NO_ROW;
	if (launch == NO_ROW)
		return;
	x->n_links++;
	*call = first_near(k, 0, x->calls.n, *call, x->calls.row[k] >= launch);
	if (*call == x->calls.n || x->calls.row[*call] != launch) {
		x->product[i] = product_around(x, launch);
		count_in_products(x, row, x->product[i]);
		return;
	}
	x->call[i] = (uint32_t)*call;
	x->product[i] = x->call_product[*call];
	count_in_products(x, row, x->product[i]);
	if (x->work[*call] == NO_ROW)
		x->work[*call] = row;
	if (x->caused[*call] < UINT16_MAX)
		x->caused[*call]++;
}

/* Communication has no waves: it waits for others, and its grid is small on purpose. */
struct footprint footprint_of(const struct facts *x, size_t i)
{
	uint32_t row = device_row(x, i);
	const struct kernel *k = kernel_of(x->t, row);
	struct footprint p = {0};
	if (k)
		p = x->footprint[k - x->t->kernels];
	if (class_of(x, row) == CLASS_COMMUNICATION)
		p.waves = (float)(p.blocks_per_sm = 0);
	return p;
}

static uint32_t fitted(const struct facts *x, uint32_t row)
{
	const struct kernel *k = kernel_of(x->t, row);
	uint32_t at = k ? (uint32_t)(k - x->t->kernels) : NO_ROW;
	bool fits = k && x->footprint[at].waves > 0 && class_of(x, row) != CLASS_COMMUNICATION;
	return fits ? at : NO_ROW;
}

static void look_at_device(struct facts *x)
{
	const struct analysis *a = x->a;
	const struct trace *t = x->t;
	uint32_t *last = arena_array(x->scratch, t->n_tracks, sizeof *last);
	memset(last, 0xff, t->n_tracks * sizeof *last);
	memset(x->work, 0xff, x->calls.n * sizeof *x->work);
	size_t call = 0;
	for (uint32_t i = 0; i < a->n_device; i++) {
		uint32_t row = device_row(x, i), *before = &last[t->track[row]];
		x->fitted[i] = fitted(x, row);
		x->next[i] = NO_ROW;
		x->previous[i] = *before;
		if (*before != NO_ROW)
			x->next[*before] = i;
		*before = i;
		look_at_launch(x, i, &call);
		if (x->w && !x->cpu)
			see_event(x, i);
		if (t->kind[row] == EVENT_MEMCPY)
			x->copies.row[x->copies.n++] = i;
		if (class_multiplies(class_of(x, row)))
			list_row(&x->gemms, i);
	}
}

static void look_at_queueing(struct facts *x)
{
	for (x->after_last = x->calls.n; x->after_last; x->after_last--) {
		uint8_t class = class_of(x, x->calls.row[x->after_last - 1]);
		if (class == CLASS_LAUNCH || class == CLASS_COPY_CALL)
			return;
	}
}

static struct footprint *footprints_of(struct arena *scratch, const struct trace *t)
{
	struct footprint *p = arena_array(scratch, t->n_kernels, sizeof *p);
	for (size_t i = 0; i < t->n_kernels; i++)
		footprint_read(t, &t->kernels[i], &p[i]);
	return p;
}

struct facts facts_of(struct arena *scratch, const struct rules_in *in)
{
	const struct analysis *a = in->analysis;
	size_t n = a->n_device;
	struct facts x = {.t = a->trace,
		.a = a,
		.h = in->health,
		.counted = in->counted,
		.l = in->idle_causes,
		.blame = in->blame,
		.s = in->streams,
		.lists = name_lists_of(scratch, &a->trace->names),
		.scratch = scratch,
		.dispatch = arena_alloc(scratch, sizeof(struct finding)),
		.launch = a->device_calls,
		.op = a->device_ops,
		.call = arena_unset(scratch, n, sizeof(uint32_t)),
		.product = arena_unset(scratch, n, sizeof(uint32_t)),
		.footprint = footprints_of(scratch, a->trace),
		.fitted = arena_unset(scratch, n, sizeof(uint32_t)),
		.previous = arena_unset(scratch, n, sizeof(uint32_t)),
		.next = arena_unset(scratch, n, sizeof(uint32_t)),
		.copies.row = arena_unset(scratch, a->n_copies, sizeof(uint32_t)),
		.calls = {.row = a->calls, .n = a->n_calls},
		.call_product = arena_unset(scratch, a->n_calls, sizeof(uint32_t)),
		.work = arena_unset(scratch, a->n_calls, sizeof(uint32_t)),
		.caused = arena_array(scratch, a->n_calls, sizeof(uint16_t))};
	x.dispatch->arena = scratch;
	struct window_walk *window = begin_window(&x, in->breakdown);
	look_at_rows(&x, window);
	look_at_device(&x);
	look_at_queueing(&x);
	look_at_planning(&x);
	if (window)
		end_window(&x, window);
	x.overhead_spans = union_of(scratch, x.t, x.overhead.row, x.overhead.n);
	return x;
}

struct facts facts_beside(struct arena *scratch, const struct facts *x)
{
	struct facts beside = *x;
	beside.scratch = scratch;
	return beside;
}

void facts_release(struct facts *x)
{
	free_window(x);
	free(x->products);
	free(x->views);
	free(x->gemms.row);
	free(x->crossing.row);
	free(x->waits.row);
	free(x->compiled.row);
	free(x->overhead.row);
	free(x->loaders.row);
}

/* ---- small questions ---- */

bool product_of_event(const struct facts *x, size_t i, struct product *p)
{
	uint32_t at = x->product[i];
	const struct product_op *op = at == NO_ROW ? NULL : &x->products[at];
	return op && op->gemms == 1 && product_of(x->a, op->row, p);
}

int64_t bytes_of(const struct facts *x, uint32_t copy_row)
{
	const struct trace *t = x->t;
	if (t->kind[copy_row] != EVENT_MEMCPY || t->side[copy_row] == NO_ROW)
		return -1;
	return t->copies[t->side[copy_row]].bytes;
}

struct spans union_of(struct arena *scratch, const struct trace *t, const uint32_t *row, size_t n)
{
	struct spans s = spans_with_room(scratch, n);
	for (size_t i = 0; i < n; i++)
		spans_add(&s, t->start_ns[row[i]], row_end(t, row[i]));
	return s;
}

int64_t window_ns(const struct analysis *a)
{
	return a->window.end_ns - a->window.start_ns;
}

double median_of(int64_t *samples, size_t n)
{
	return stats_median(samples, n);
}

double median_step_ns(const struct facts *x, uint32_t first)
{
	const struct analysis *a = x->a;
	uint32_t n = a->n_steps - first;
	int64_t *sample = xcalloc(n, sizeof *sample);
	for (uint32_t i = 0; i < n; i++)
		sample[i] = a->steps[first + i].dur_ns;
	double median = median_of(sample, n);
	free(sample);
	return median;
}
