/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "base/err.h"
#include "base/min_max.h"
#include "report/analyse/operator_cost.h"
#include "report/tables/parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- memory ---- */

/* Changes in the order of time, and the sums of all before each. */
struct changes {
	size_t n;
	int64_t *at_ns; /* (n) */
	int64_t *sum[PROFILER_MEMORIES]; /* (n + 1) */
};

static bool is_change(const struct trace *t, size_t i)
{
	return t->kind[i] == EVENT_INSTANT && t->side[i] != NO_ROW;
}

static int memory_of(const struct memory_change *m)
{
	return m->device < 0 ? PROFILER_HOST_BYTES : PROFILER_DEVICE_BYTES;
}

static struct changes changes_of(const struct trace *t)
{
	struct changes c = {.at_ns = xcalloc(t->n_changes, sizeof *c.at_ns)};
	for (int m = 0; m < PROFILER_MEMORIES; m++)
		c.sum[m] = xcalloc(t->n_changes + 1, sizeof *c.sum[m]);
	for (size_t i = 0; i < t->n; i++) {
		if (!is_change(t, i))
			continue;
		const struct memory_change *change = &t->changes[t->side[i]];
		c.at_ns[c.n++] = t->start_ns[i];
		for (int m = 0; m < PROFILER_MEMORIES; m++)
			c.sum[m][c.n] =
				c.sum[m][c.n - 1] + (m == memory_of(change) ? change->bytes : 0);
	}
	return c;
}

static void changes_release(struct changes *c)
{
	free(c->at_ns);
	for (int m = 0; m < PROFILER_MEMORIES; m++)
		free(c->sum[m]);
}

/* The first change at a time or later. */
static size_t first_change(const struct changes *c, int64_t at_ns)
{
	return first_where(i, 0, c->n, c->at_ns[i] >= at_ns);
}

static bool holds_memory(uint8_t kind)
{
	return kind == EVENT_OP || kind == EVENT_ANNOTATION || kind == EVENT_OVERHEAD ||
		event_is_call(kind);
}

static void sum_changes(const struct trace *t, const struct changes *c, int64_t *bytes[])
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (!holds_memory(t->kind[i]))
			continue;
		size_t from = first_change(c, t->start_ns[i]),
		       to = first_change(c, row_end(t, i) + 1);
		for (int m = 0; m < PROFILER_MEMORIES; m++)
			bytes[m][i] = c->sum[m][to] - c->sum[m][from];
	}
}

/* ---- the table ---- */

/* Columns over the rows; NULL where the trace holds nothing of their kind. */
struct extra {
	double *flop;
	uint32_t *group;
	int64_t *bytes[PROFILER_MEMORIES];
};

static struct extra extra_of(const struct analysis *a, bool by_shape)
{
	const struct trace *t = a->trace;
	struct extra e = {0};
	bool shapes = false;
	for (size_t i = 0; i < t->n_inputs && !shapes; i++)
		shapes = t->inputs[i].dims != 0;
	if (shapes) {
		e.flop = xcalloc(t->n, sizeof *e.flop);
		for (uint32_t i = 0; i < t->n; i++)
			e.flop[i] = pytorch_flop(a, i);
	}
	if (by_shape) {
		e.group = xcalloc(t->n, sizeof *e.group);
		for (size_t i = 0; i < t->n; i++)
			if (t->kind[i] == EVENT_OP && t->side[i] != NO_ROW)
				e.group[i] = t->inputs[t->side[i]].dims;
	}
	if (t->n_changes) {
		struct changes c = changes_of(t);
		for (int m = 0; m < PROFILER_MEMORIES; m++)
			e.bytes[m] = xcalloc(t->n, sizeof *e.bytes[m]);
		sum_changes(t, &c, e.bytes);
		changes_release(&c);
	}
	return e;
}

/* What no span held, as PyTorch lists it: a row of that name without time, the last. */
static void add_unheld(struct profiler_table *table, struct arena *arena, const struct trace *t)
{
	int64_t reached = INT64_MIN;
	struct profiler_row unheld = {.name = "[memory]", .side = PROFILER_CPU};
	for (uint32_t i = 0; i < t->n; i++) {
		if (holds_memory(t->kind[i]))
			reached = max64(row_end(t, i), reached);
		if (!is_change(t, i) || reached >= t->start_ns[i])
			continue;
		const struct memory_change *m = &t->changes[t->side[i]];
		unheld.bytes[memory_of(m)] += m->bytes;
		unheld.self_bytes[memory_of(m)] += m->bytes;
		unheld.calls++;
	}
	if (!unheld.calls)
		return;
	struct profiler_row *row = arena_array(arena, table->n + 1, sizeof *row);
	for (size_t i = 0; i < table->n; i++)
		row[i] = table->row[i];
	row[table->n++] = unheld;
	table->row = row;
}

struct profiler_table tables_profiler_table(
	struct arena *arena, const struct analysis *a, bool by_shape)
{
	const struct trace *t = a->trace;
	struct extra e = extra_of(a, by_shape);
	struct profiler_table table = analysis_profiler_table(arena, a,
		&(struct profiler_extra){.group = e.group,
			.n_groups = (uint32_t)t->names.n,
			.flop = e.flop,
			.bytes = {e.bytes[0], e.bytes[1]}});
	free(e.flop);
	free(e.group);
	for (int m = 0; m < PROFILER_MEMORIES; m++)
		free(e.bytes[m]);
	if (!by_shape)
		add_unheld(&table, arena, t);
	return table;
}

static void put_profiler(
	struct result_table *t, const struct profiler_table *all, const struct profiler_row *r)
{
	bool cpu = r->side == PROFILER_CPU;
	put_number(t, (double)r->calls);
	put_number(t, cpu ? (double)r->self_cpu_ns : (double)NAN);
	put_number(t, cpu ? (double)r->cpu_ns : (double)NAN);
	put_number(t, (double)r->self_device_ns);
	put_number(t, (double)r->device_ns);
	put_number(t, cpu && r->flop > 0 ? r->flop : (double)NAN);
	for (int m = 0; m < PROFILER_MEMORIES; m++) {
		bool told = cpu && all->has_memory;
		put_number(t, told ? (double)r->self_bytes[m] : (double)NAN);
		put_number(t, told ? (double)r->bytes[m] : (double)NAN);
	}
}

void tables_operators(struct result_table *t, const struct tables_source *s)
{
	struct profiler_table all = tables_profiler_table(s->arena, s->a, false);
	for (size_t i = 0; i < all.n; i++) {
		const struct profiler_row *r = &all.row[i];
		put_text(t, r->name);
		put_text(t,
			r->side == PROFILER_CPU ? r->annotation ? "range" : "cpu"
				: r->annotation ? "range on device"
						: "device");
		put_profiler(t, &all, r);
	}
}

void tables_shapes(struct result_table *t, const struct tables_source *s)
{
	struct profiler_table all = tables_profiler_table(s->arena, s->a, true);
	const struct names *names = &s->a->trace->names;
	for (size_t i = 0; i < all.n; i++) {
		const struct profiler_row *r = &all.row[i];
		if (r->side != PROFILER_CPU || !r->group)
			continue;
		put_text(t, r->name);
		put_text(t, names_text(names, r->group));
		put_profiler(t, &all, r);
	}
}
