/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/cpu_work.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "base/spans.h"
#include "report/name/traits.h"

#include <stdlib.h>
#include <string.h>

int64_t *own_times(const struct trace *t)
{
	int64_t *own = xcalloc((size_t)t->n + 1, sizeof *own);
	for (uint32_t i = 0; i < t->n; i++)
		own[i] += event_on_host(t->kind[i]) ? t->dur_ns[i] : 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (event_on_host(t->kind[i]) && t->parent[i] != NO_ROW)
			own[t->parent[i]] -= t->dur_ns[i];
	for (uint32_t i = 0; i < t->n; i++)
		own[i] = max64(own[i], 0);
	return own;
}

/* Of a name, or of all. */
struct sum {
	name_id name;
	int64_t own_ns;
	uint32_t calls;
};

ORDER(by_own, struct sum, DOWN(own_ns) ?: UP(name));

struct summing {
	const struct trace *t;
	struct cpu_work *w;
	int64_t *own; /* (rows) */
	struct sum *of; /* (names) */
	uint8_t *seen; /* (tracks) */
	struct spans within, talking; /* in an operator, in a collective */
	int64_t longest;
};

/* The part of its own time that lies in the window: all of it but for a row across its ends, whose
 * share is that of its length. */
static int64_t own_within(const struct summing *s, uint32_t row, int64_t from, int64_t to)
{
	int64_t dur = s->t->dur_ns[row];
	if (to - from == dur || !dur)
		return s->own[row];
	return (int64_t)((double)s->own[row] * (double)(to - from) / (double)dur);
}

static void add_operator(struct summing *s, const struct analysis *a, uint32_t row)
{
	int64_t from = max64(s->t->start_ns[row], s->w->start_ns);
	int64_t to = min64(row_end(s->t, row), s->w->end_ns);
	if (to <= from)
		return;
	int64_t own = own_within(s, row, from, to);
	struct sum *of = &s->of[s->t->name[row]];
	of->name = s->t->name[row];
	of->own_ns += own;
	of->calls++;
	s->w->own_ns += own;
	if (host_traits(a, row) & (TRAIT_COPIES | TRAIT_CASTS | TRAIT_REORDERS))
		s->w->moving_ns += own;
	s->w->threads += !s->seen[s->t->track[row]];
	s->seen[s->t->track[row]] = 1;
	spans_add(&s->within, from, to);
}

static void add_collective(struct summing *s, uint32_t row)
{
	int64_t from = max64(s->t->start_ns[row], s->w->start_ns);
	int64_t to = min64(row_end(s->t, row), s->w->end_ns);
	if (to <= from)
		return;
	spans_add(&s->talking, from, to);
	if (to - from > s->longest) {
		s->longest = to - from;
		s->w->collective = s->t->name[row];
	}
}

static void sum_up(struct summing *s, const struct analysis *a)
{
	for (uint32_t i = 0; i < s->t->n; i++) {
		if (a->class[i] == CLASS_OP)
			add_operator(s, a, i);
		if (event_on_host(s->t->kind[i]) && is_cpu_collective(trace_row_name(s->t, i)))
			add_collective(s, i);
	}
	s->w->collective_ns = spans_sum(&s->talking);
	s->w->within_ns = spans_sum(&s->within);
	qsort(s->of, s->t->names.n, sizeof *s->of, by_own);
	for (uint32_t i = 0; i < s->t->names.n && s->w->n < CPU_WORK_NAMES; i++) {
		if (!s->of[i].own_ns)
			break;
		s->w->most[s->w->n].name = s->of[i].name;
		s->w->most[s->w->n].own_ns = s->of[i].own_ns;
		s->w->most[s->w->n++].calls = s->of[i].calls;
	}
}

struct cpu_work cpu_work_of(const struct analysis *a, const struct breakdown *p)
{
	const struct trace *t = a->trace;
	struct cpu_work w = {0};
	struct arena arena = {0};
	/* The work of a device may be in what a cut file lacks. */
	if (p->lack != LACK_DEVICE || a->n_calls || t->ends_early)
		return w;
	w.start_ns = p->median == NO_ROW ? a->window.start_ns : breakdown_window(p)->start_ns;
	w.end_ns = p->median == NO_ROW ? a->window.end_ns : breakdown_window(p)->end_ns;
	struct summing s = {.t = t,
		.w = &w,
		.own = own_times(t),
		.of = xcalloc(t->names.n, sizeof *s.of),
		.seen = xcalloc((size_t)t->n_tracks + 1, 1),
		.within = spans_with_room(&arena, t->n),
		.talking = spans_with_room(&arena, t->n)};
	sum_up(&s, a);
	free(s.own);
	free(s.of);
	free(s.seen);
	arena_release(&arena);
	return w.n ? w : (struct cpu_work){0};
}
