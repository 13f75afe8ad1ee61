/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a trace as the profiler table takes them. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/operator_cost.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- who nests where ---- */

bool is_plain_span(const struct trace *t, size_t row)
{
	const struct track *of = &t->tracks[t->track[row]];
	return (t->kind[row] == EVENT_OTHER || t->kind[row] == EVENT_PYTHON) && !of->async &&
		!of->device;
}

static uint8_t side_of(const struct analysis *a, size_t row, const uint8_t *hidden)
{
	const struct trace *t = a->trace;
	uint8_t kind = t->kind[row];
	if (hidden[t->name[row]])
		return PROFILER_NEITHER;
	switch ((enum event_kind)kind) {
	case EVENT_OP:
	case EVENT_ANNOTATION:
		return (uint8_t)((a->class[row] == CLASS_SETUP ? PROFILER_CALL : PROFILER_CPU) |
			(kind == EVENT_ANNOTATION ? PROFILER_RANGE : 0));
	case EVENT_RUNTIME:
	case EVENT_DRIVER:
	case EVENT_OVERHEAD:
		return PROFILER_CALL;
	case EVENT_KERNEL:
	case EVENT_MEMCPY:
	case EVENT_MEMSET:
		return PROFILER_DEVICE;
	case EVENT_GPU_ANNOTATION:
		return PROFILER_DEVICE_ANNOTATION;
	default:
		return PROFILER_NEITHER;
	}
}

/* The two threads whose spans reach furthest so far. Ends only grow, so two are enough to know
 * whether one thread alone reaches a time. */
struct reach {
	uint32_t track[2];
	int64_t end_ns[2];
};

static void reach_add(struct reach *r, uint32_t track, int64_t end_ns)
{
	int i = r->track[0] == track ? 0 : r->track[1] == track ? 1 : end_ns > r->end_ns[1] ? 1 : 2;
	if (i == 2 || (r->track[i] == track && end_ns <= r->end_ns[i]))
		return;
	r->track[i] = track;
	r->end_ns[i] = end_ns;
	if (i == 1 && end_ns > r->end_ns[0])
		*r = (struct reach){{track, r->track[0]}, {end_ns, r->end_ns[0]}};
}

/* What a row of the host adds to the threads' reach; `first`: the thread that begins the file. */
static void reach_row(
	struct reach *r, const struct trace *t, uint32_t row, uint32_t *first, int64_t *first_end)
{
	uint8_t kind = t->kind[row];
	if (kind != EVENT_OP && kind != EVENT_ANNOTATION && !event_is_call(kind))
		return;
	int64_t end = row_end(t, row);
	reach_add(r, t->track[row], end);
	*first = *first == NO_ROW ? t->track[row] : *first;
	if (t->track[row] == *first)
		*first_end = max64(end, *first_end);
}

struct profiler_lane *moved_overheads(const struct trace *t, size_t *n)
{
	struct profiler_lane *moved = NULL;
	struct reach r = {{NO_ROW, NO_ROW}, {INT64_MIN, INT64_MIN}};
	uint32_t first = NO_ROW, seen = 0;
	int64_t first_end = INT64_MIN;
	size_t room = 0;
	*n = 0;
	for (size_t i = trace_next_of(t, EVENT_OVERHEAD, 0); i < t->n;
		i = trace_next_of(t, EVENT_OVERHEAD, i + 1)) {
		for (; seen < i; seen++)
			reach_row(&r, t, seen, &first, &first_end);
		int64_t end = row_end(t, (uint32_t)i);
		if (r.end_ns[0] < end || (first_end < end && r.end_ns[1] >= end))
			continue;
		if (*n == room) {
			room = room ? 2 * room : 64;
			moved = xrealloc(moved, room, sizeof *moved);
		}
		moved[(*n)++] =
			(struct profiler_lane){(uint32_t)i, first_end >= end ? first : r.track[0]};
	}
	return moved;
}

/* Does device work of the row's stream begin 1 ns after it? */
static bool begins_early(const struct trace *t, uint32_t row)
{
	int64_t start = t->start_ns[row] + 1;
	for (uint32_t i = row + 1; i < t->n && t->start_ns[i] <= start; i++)
		if (t->start_ns[i] == start && t->track[i] == t->track[row] &&
			event_on_device(t->kind[i]))
			return true;
	return false;
}

/* A range's shadow goes from its first to its last piece of work. Kineto writes it 1 ns longer at
 * either end, so that viewers draw it around them (output_json.cpp, handleActivity); told by most
 * of the file's shadows. Stamps of whole microseconds do not tell. */
static int64_t shadow_excess_ns(const struct trace *t)
{
	size_t early = 0, n = 0;
	if (t->resolution_ns != 1)
		return 0;
	for (size_t i = trace_next_of(t, EVENT_GPU_ANNOTATION, 0); i < t->n;
		i = trace_next_of(t, EVENT_GPU_ANNOTATION, i + 1))
		if (t->dur_ns[i] >= 2) {
			n++;
			early += begins_early(t, (uint32_t)i);
		}
	return 2 * early > n ? 2 : 0;
}

/* (n) enum profiler_side; the caller frees. *spans: is there nothing but plain spans? */
static uint8_t *sides_of(const struct analysis *a, bool *spans)
{
	const struct trace *t = a->trace;
	uint8_t *hidden = xcalloc(t->names.n, 1), *side = xalloc(t->n);
	for (name_id i = 0; i < t->names.n; i++)
		hidden[i] = profiler_table_hides(names_text(&t->names, i));
	*spans = true;
	for (size_t i = 0; i < t->n; i++) {
		side[i] = side_of(a, i, hidden);
		*spans &= side[i] == PROFILER_NEITHER;
	}
	for (size_t i = 0; *spans && i < t->n; i++)
		side[i] = is_plain_span(t, i) ? PROFILER_CPU : side[i];
	free(hidden);
	return side;
}

/* ---- what is told beside the times ---- */

/* Changes of memory in the order of time, and the sums of all before each. */
struct telling {
	const struct analysis *a;
	uint8_t *formula; /* (names) as pytorch_flop() knows them */
	size_t n, next; /* next: the first change that is not before the row asked for last */
	int64_t *at_ns; /* (n) */
	int64_t (*sum)[PROFILER_MEMORIES]; /* (n + 1) */
};

static void gather_changes(struct telling *x)
{
	const struct trace *t = x->a->trace;
	x->at_ns = xcalloc(t->n_changes, sizeof *x->at_ns);
	x->sum = xcalloc(t->n_changes + 1, sizeof *x->sum);
	for (size_t i = trace_next_of(t, EVENT_INSTANT, 0); t->n_changes && i < t->n;
		i = trace_next_of(t, EVENT_INSTANT, i + 1)) {
		if (!is_memory_change(t, i))
			continue;
		const struct memory_change *change = &t->changes[t->side[i]];
		x->at_ns[x->n++] = t->start_ns[i];
		memcpy(x->sum[x->n], x->sum[x->n - 1], sizeof *x->sum);
		x->sum[x->n][profiler_memory_of(change)] += change->bytes;
	}
}

/* Rows have to come in their order in the trace. */
static void bytes_of(void *telling, uint32_t row, int64_t bytes[PROFILER_MEMORIES])
{
	struct telling *x = telling;
	const struct trace *t = x->a->trace;
	int64_t start = t->start_ns[row], end = row_end(t, row);
	while (x->next < x->n && x->at_ns[x->next] < start)
		x->next++;
	size_t near = x->next, step = 1;
	for (; near + step < x->n && x->at_ns[near + step] <= end; step *= 2)
		near += step;
	size_t most = min_size(near + step, x->n);
	size_t to = first_where(i, near, most, x->at_ns[i] > end);
	for (int m = 0; m < PROFILER_MEMORIES; m++)
		bytes[m] = x->sum[to][m] - x->sum[x->next][m];
}

static double flop_of(void *telling, uint32_t row)
{
	const struct telling *x = telling;
	return pytorch_flop(x->a, x->formula, row);
}

static bool has_shapes(const struct trace *t)
{
	for (size_t i = 0; i < t->n_inputs; i++)
		if (t->inputs[i].dims)
			return true;
	return false;
}

/* ---- all of it ---- */

/* (n) what stands apart: the shapes of an operator's inputs; the caller frees. */
static uint32_t *groups_of(const struct trace *t)
{
	uint32_t *group = xcalloc(t->n, sizeof *group);
	for (size_t i = 0; i < t->n; i++)
		if (t->kind[i] == EVENT_OP && t->side[i] != NO_ROW)
			group[i] = t->inputs[t->side[i]].dims;
	return group;
}

struct profiler_table analysis_profiler_table(
	struct arena *arena, const struct analysis *a, bool by_shape)
{
	const struct trace *t = a->trace;
	bool spans;
	size_t n_moved;
	uint8_t *side = sides_of(a, &spans);
	struct profiler_lane *moved = moved_overheads(t, &n_moved);
	uint32_t *group = by_shape ? groups_of(t) : NULL;
	struct telling telling = {.a = a, .formula = xcalloc(t->names.n, 1)};
	gather_changes(&telling);
	const struct profiler_table_in in = {.n = t->n,
		.start_ns = t->start_ns,
		.dur_ns = t->dur_ns,
		.name = t->name,
		.side = side,
		.lane = t->track,
		.n_lanes = t->n_tracks,
		.moved = moved,
		.n_moved = n_moved,
		.launch = t->launch,
		.names = &t->names,
		.group = group,
		.n_groups = group ? (uint32_t)t->names.n : 0,
		.flop_of = has_shapes(t) ? flop_of : NULL,
		.bytes_of = t->n_changes ? bytes_of : NULL,
		.on = &telling,
		.shadow_ns = shadow_excess_ns(t)};
	struct profiler_table table = profiler_table_of(arena, &in);
	table.spans = spans;
	free(telling.formula);
	free(telling.at_ns);
	free(telling.sum);
	free(group);
	free(moved);
	free(side);
	return table;
}

/* PyTorch says CUDA for every GPU; our own device says what its lane is called. */
static const char *device_word(const struct trace *t, struct arena *arena)
{
	const char *label = "";
	for (uint32_t i = 0; i < t->n_tracks && !*label; i++)
		if (t->tracks[i].device)
			label = names_text(&t->names, t->tracks[i].label);
	if (!*label || !strncmp(label, "GPU", 3))
		return "CUDA";
	char *word = arena_strdup(arena, label);
	for (char *p = word; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return word;
}

void analyse_table(struct analysis *a, struct arena *arena)
{
	a->profiler_table = analysis_profiler_table(arena, a, false);
	a->device = device_word(a->trace, arena);
}
