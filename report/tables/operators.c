/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "base/err.h"
#include "base/min_max.h"
#include "report/analyse/operator_cost.h"
#include "report/tables/parts.h"

#include <math.h>
#include <stdlib.h>

static bool holds_memory(uint8_t kind)
{
	return kind == EVENT_OP || kind == EVENT_ANNOTATION || kind == EVENT_OVERHEAD ||
		event_is_call(kind);
}

/* What no span held, as PyTorch lists it: a row of that name without time, the last. */
static void add_unheld(struct profiler_table *table, struct arena *arena, const struct trace *t)
{
	int64_t reached = INT64_MIN;
	struct profiler_row unheld = {.name = "[memory]", .side = PROFILER_CPU};
	for (uint32_t i = 0; t->n_changes && i < t->n; i++) {
		if (holds_memory(t->kind[i]))
			reached = max64(row_end(t, i), reached);
		if (!is_memory_change(t, i) || reached >= t->start_ns[i])
			continue;
		const struct memory_change *m = &t->changes[t->side[i]];
		unheld.bytes[profiler_memory_of(m)] += m->bytes;
		unheld.self_bytes[profiler_memory_of(m)] += m->bytes;
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
	struct profiler_table table =
		by_shape ? analysis_profiler_table(arena, a, true) : a->profiler_table;
	if (!by_shape)
		add_unheld(&table, arena, a->trace);
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
