/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/span_rows.h"

#include "base/profiler_table.h"

#include <stdlib.h>
#include <string.h>

bool span_on_device(const struct span *s)
{
	return s->kind == SPAN_KERNEL || s->kind == SPAN_COPY || s->kind == SPAN_FILL;
}

/* A row of a CPU thread, which nests. */
static bool span_on_thread(const struct span *s)
{
	return !span_on_device(s) && s->kind != SPAN_WAIT && s->kind != SPAN_SAMPLE;
}

static bool span_is_range(const struct span *s)
{
	return s->kind == SPAN_STEP || s->kind == SPAN_ANNOTATION;
}

static bool is_call(const struct span *s)
{
	return s->kind == SPAN_LAUNCH || s->kind == SPAN_DRIVER;
}

/* ---- launches by correlation ---- */

struct launches {
	const struct span **span; /* (n) sorted by correlation; LAUNCH before DRIVER, so that work
				     queued through both belongs to the outer call */
	size_t n;
};

static int by_correlation(const void *va, const void *vb)
{
	const struct span *a = *(const struct span *const *)va;
	const struct span *b = *(const struct span *const *)vb;
	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static struct launches launches_of(struct arena *a, const struct recording *r)
{
	struct launches l = {arena_array(a, r->n_cpu, sizeof *l.span), 0};
	for (size_t i = 0; i < r->n_cpu; i++)
		if (is_call(&r->cpu[i]) && r->cpu[i].correlation)
			l.span[l.n++] = &r->cpu[i];
	qsort(l.span, l.n, sizeof *l.span, by_correlation);
	return l;
}

static const struct span *launch_of(const struct launches *l, const struct span *device)
{
	size_t low = 0, high = l->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (l->span[middle]->correlation < device->correlation)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < l->n && l->span[low]->correlation == device->correlation;
	return found ? l->span[low] : NULL;
}

/* ---- shadows ---- */

struct gathered {
	const struct span *span;
	const struct span *range; /* of a shadow, else NULL */
	size_t order;
};

struct gathering {
	struct gathered *row; /* (n) */
	size_t n;
	int room;
};

static void gather(
	struct arena *a, struct gathering *g, const struct span *span, const struct span *range)
{
	g->row = arena_room(a, g->row, (int)g->n, &g->room, sizeof *g->row);
	g->row[g->n] = (struct gathered){span, range, g->n};
	g->n++;
}

/* A range, or a call that has device work, in the order in which a thread met them. */
struct met {
	const struct span *span;
	uint32_t index; /* of the span in recording.cpu */
	bool range;
};

static int by_thread(const void *va, const void *vb)
{
	const struct met *a = va, *b = vb;
	if (a->span->thread != b->span->thread)
		return a->span->thread < b->span->thread ? -1 : 1;
	if (a->span->start_ns != b->span->start_ns)
		return a->span->start_ns < b->span->start_ns ? -1 : 1;
	if (a->span->end_ns != b->span->end_ns)
		return a->span->end_ns > b->span->end_ns ? -1 : 1;
	if (a->range != b->range)
		return a->range ? -1 : 1; /* one encloses the other, however short both are */
	return (a->index > b->index) - (a->index < b->index);
}

struct shadow {
	struct span span;
	uint32_t device;
	struct shadow *next; /* of the same range, by device and stream */
};

struct shadows {
	struct arena *arena;
	struct met *met; /* (n) */
	size_t n;
	struct shadow **of_range; /* (n_cpu) */
	uint32_t *first_work; /* (n_cpu) the device span of a call, or NO_ROW */
	uint32_t *next_work; /* (n_device) the next of the same call, or NO_ROW */
};

static uint32_t device_of(const struct span *s)
{
	return s->facts ? s->facts->device : 0;
}

static void cast(
	struct shadows *s, uint32_t range, const char *name, uint8_t kind, const struct span *work)
{
	struct shadow **at = &s->of_range[range];
	uint32_t device = device_of(work);
	while (*at &&
		((*at)->device < device ||
			((*at)->device == device && (*at)->span.thread < work->thread)))
		at = &(*at)->next;
	if (!*at || (*at)->device != device || (*at)->span.thread != work->thread) {
		struct shadow *fresh = arena_alloc(s->arena, sizeof *fresh);
		*fresh = (struct shadow){.span = *work, .device = device, .next = *at};
		fresh->span.name = name;
		fresh->span.kind = kind;
		fresh->span.start_ns -= SHADOW_MARGIN_NS;
		fresh->span.end_ns += SHADOW_MARGIN_NS;
		*at = fresh;
	}
	struct span *shadow = &(*at)->span;
	if (work->start_ns - SHADOW_MARGIN_NS < shadow->start_ns)
		shadow->start_ns = work->start_ns - SHADOW_MARGIN_NS;
	if (work->end_ns + SHADOW_MARGIN_NS > shadow->end_ns)
		shadow->end_ns = work->end_ns + SHADOW_MARGIN_NS;
}

static void find_work(struct shadows *s, const struct recording *r, const struct launches *l)
{
	for (size_t i = 0; i < r->n_cpu; i++)
		s->first_work[i] = NO_ROW;
	for (uint32_t i = (uint32_t)r->n_device; i-- > 0;) {
		const struct span *call =
			span_on_device(&r->device[i]) ? launch_of(l, &r->device[i]) : NULL;
		if (!call)
			continue;
		s->next_work[i] = s->first_work[call - r->cpu];
		s->first_work[call - r->cpu] = i;
	}
	for (uint32_t i = 0; i < r->n_cpu; i++)
		if (span_is_range(&r->cpu[i]) || s->first_work[i] != NO_ROW)
			s->met[s->n++] = (struct met){&r->cpu[i], i, span_is_range(&r->cpu[i])};
	if (s->n)
		qsort(s->met, s->n, sizeof *s->met, by_thread);
}

/* Every range that is open around a call gets a shadow of the call's work. */
static void cast_all(struct shadows *s, const struct recording *r)
{
	const struct met **open = arena_array(s->arena, s->n, sizeof(const struct met *));
	size_t depth = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct met *m = &s->met[i];
		while (depth &&
			(open[depth - 1]->span->thread != m->span->thread ||
				open[depth - 1]->span->end_ns < m->span->start_ns))
			depth--;
		if (m->range) {
			open[depth++] = m;
			continue;
		}
		for (size_t k = 0; k < depth; k++) {
			const struct span *range = open[k]->span;
			if (range->end_ns < m->span->end_ns)
				continue;
			for (uint32_t w = s->first_work[m->index]; w != NO_ROW; w = s->next_work[w])
				cast(s, open[k]->index, range->name, range->kind, &r->device[w]);
		}
	}
}

static void gather_shadows(
	struct arena *a, struct gathering *g, const struct recording *r, const struct launches *l)
{
	struct shadows s = {.arena = a,
		.met = arena_array(a, r->n_cpu, sizeof *s.met),
		.of_range = arena_array(a, r->n_cpu, sizeof(struct shadow *)),
		.first_work = arena_array(a, r->n_cpu, sizeof *s.first_work),
		.next_work = arena_array(a, r->n_device, sizeof *s.next_work)};
	find_work(&s, r, l);
	cast_all(&s, r);
	for (size_t i = 0; i < r->n_cpu; i++)
		for (const struct shadow *shadow = s.of_range[i]; shadow; shadow = shadow->next)
			gather(a, g, &shadow->span, &r->cpu[i]);
}

/* ---- sorting and nesting ---- */

static int by_start(const void *va, const void *vb)
{
	const struct gathered *a = va, *b = vb;
	if (a->span->start_ns != b->span->start_ns)
		return a->span->start_ns < b->span->start_ns ? -1 : 1;
	if (a->span->end_ns != b->span->end_ns)
		return a->span->end_ns > b->span->end_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static struct rows rows_room(struct arena *a, size_t n)
{
	return (struct rows){
		.n = n,
		.span = arena_array(a, n, sizeof(const struct span *)),
		.start_ns = arena_array(a, n, sizeof(int64_t)),
		.dur_ns = arena_array(a, n, sizeof(int64_t)),
		.shadow = arena_array(a, n, sizeof(bool)),
		.lane = arena_array(a, n, sizeof(uint32_t)),
		.parent = arena_array(a, n, sizeof(uint32_t)),
		.launch = arena_array(a, n, sizeof(uint32_t)),
		.external = arena_array(a, n, sizeof(uint32_t)),
	};
}

/* Threads numbered from 0; `thread` holds those seen so far. */
static uint32_t lane_of(uint32_t *thread, uint32_t *n, uint32_t id)
{
	for (uint32_t i = 0; i < *n; i++)
		if (thread[i] == id)
			return i;
	thread[*n] = id;
	return (*n)++;
}

static void nest_rows(struct arena *a, struct rows *rows)
{
	uint32_t *lane = rows->lane;
	uint32_t *thread = arena_array(a, rows->n, sizeof *thread);
	uint8_t *skip = arena_array(a, rows->n, 1);
	uint16_t *depth = arena_array(a, rows->n, sizeof *depth);
	for (size_t i = 0; i < rows->n; i++) {
		skip[i] = rows->shadow[i] || !span_on_thread(rows->span[i]);
		if (!skip[i])
			lane[i] = lane_of(thread, &rows->n_lanes, rows->span[i]->thread);
	}
	nest(&(struct nest_in){rows->n, rows->start_ns, rows->dur_ns, lane, rows->n_lanes, skip},
		rows->parent, depth);
}

/* ---- numbers that join ---- */

static bool has_number(const struct span *s)
{
	return span_is_range(s) || s->kind == SPAN_OP || s->kind == SPAN_SETUP;
}

static uint32_t operator_around(const struct rows *rows, uint32_t row)
{
	while (row != NO_ROW && rows->span[row]->kind != SPAN_OP)
		row = rows->parent[row];
	return row == NO_ROW ? 0 : rows->external[row];
}

/* Operators by the id that their calls carry, for calls that a vendor's recorder stamped: that join
 * holds whatever the two clocks say. */
struct operators {
	uint32_t *row; /* (n) NO_ROW: none */
	uint32_t n;
};

static struct operators operators_of(struct arena *a, const struct rows *rows)
{
	struct operators o = {0};
	for (size_t i = 0; i < rows->n; i++)
		if (rows->span[i]->kind == SPAN_OP && rows->span[i]->external >= o.n)
			o.n = rows->span[i]->external + 1;
	o.row = arena_array(a, o.n, sizeof *o.row);
	for (uint32_t id = 0; id < o.n; id++)
		o.row[id] = NO_ROW;
	for (uint32_t i = 0; i < rows->n; i++)
		if (rows->span[i]->kind == SPAN_OP && rows->span[i]->external)
			o.row[rows->span[i]->external] = i;
	return o;
}

static uint32_t operator_of_call(const struct rows *rows, const struct operators *o, uint32_t row)
{
	const struct span *s = rows->span[row];
	uint32_t id = s->facts && is_call(s) ? s->external : 0;
	if (id && id < o->n && o->row[id] != NO_ROW)
		return rows->external[o->row[id]];
	return operator_around(rows, rows->parent[row]);
}

/* `row_of` (n_cpu): the row of each CPU span. */
static void link_rows(struct arena *a, struct rows *rows, const struct gathering *g,
	const struct recording *r, const struct launches *l, const uint32_t *row_of)
{
	uint32_t number = 0;
	struct operators operators = operators_of(a, rows);
	for (size_t i = 0; i < rows->n; i++)
		if (!rows->shadow[i] && has_number(rows->span[i]))
			rows->external[i] = ++number;
	for (uint32_t i = 0; i < rows->n; i++) {
		const struct span *s = rows->span[i];
		const struct span *call = span_on_device(s) ? launch_of(l, s) : NULL;
		rows->launch[i] = call ? row_of[call - r->cpu] : NO_ROW;
		if (rows->shadow[i])
			rows->external[i] = rows->external[row_of[g->row[i].range - r->cpu]];
		else if (call)
			rows->external[i] = operator_of_call(rows, &operators, rows->launch[i]);
		else if (!has_number(s))
			rows->external[i] = operator_of_call(rows, &operators, i);
	}
}

struct rows rows_of(struct arena *a, const struct recording *r)
{
	struct launches launches = launches_of(a, r);
	struct gathering g = {0};
	for (size_t i = 0; i < r->n_cpu; i++)
		gather(a, &g, &r->cpu[i], NULL);
	for (size_t i = 0; i < r->n_device; i++)
		gather(a, &g, &r->device[i], NULL);
	gather_shadows(a, &g, r, &launches);
	if (g.n)
		qsort(g.row, g.n, sizeof *g.row, by_start);

	struct rows rows = rows_room(a, g.n);
	uint32_t *row_of = arena_array(a, r->n_cpu, sizeof *row_of);
	for (size_t i = 0; i < g.n; i++) {
		const struct span *s = g.row[i].span;
		rows.span[i] = s;
		rows.start_ns[i] = s->start_ns;
		rows.dur_ns[i] = s->end_ns - s->start_ns;
		rows.shadow[i] = g.row[i].range != NULL;
		if (!rows.shadow[i] && g.row[i].order < r->n_cpu)
			row_of[g.row[i].order] = (uint32_t)i;
	}
	nest_rows(a, &rows);
	link_rows(a, &rows, &g, r, &launches, row_of);
	return rows;
}

/* ---- as PyTorch's table ---- */

/* As torch's table() when it is not told otherwise. */
enum { MOST_ROWS = 100 };

static uint8_t side_of(const struct rows *rows, size_t row)
{
	const struct span *s = rows->span[row];
	if (rows->shadow[row])
		return PROFILER_DEVICE_ANNOTATION;
	if (span_on_device(s))
		return PROFILER_DEVICE;
	if (!span_on_thread(s))
		return PROFILER_NEITHER;
	if (span_is_range(s))
		return PROFILER_CPU | PROFILER_RANGE;
	return s->kind == SPAN_OP || s->kind == SPAN_SETUP ? PROFILER_CPU : PROFILER_CALL;
}

void table_write(FILE *f, const struct rows *rows, struct names *names, const char *heading)
{
	struct arena arena = {0};
	name_id *name = arena_array(&arena, rows->n, sizeof *name);
	uint8_t *side = arena_array(&arena, rows->n, 1);
	for (size_t i = 0; i < rows->n; i++) {
		name[i] = names_add_text(names, rows->span[i]->name);
		side[i] = side_of(rows, i);
	}
	struct profiler_table table = profiler_table_of(&arena,
		&(struct profiler_table_in){
			.n = rows->n,
			.start_ns = rows->start_ns,
			.dur_ns = rows->dur_ns,
			.name = name,
			.side = side,
			.lane = rows->lane,
			.n_lanes = rows->n_lanes,
			.launch = rows->launch,
			.names = names,
			.shadow_ns = (int64_t)2 * SHADOW_MARGIN_NS,
		});
	profiler_table_print(f, &table, MOST_ROWS, heading);
	arena_release(&arena);
}
