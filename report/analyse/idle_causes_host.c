/* SPDX-License-Identifier: Apache-2.0 */
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/idle_causes_parts.h"
#include "report/trace/enclosing_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- waits ---- */

/* A copy keeps its thread waiting when it is not asynchronous, or one side of it is memory that the
 * driver must stage first. */
static bool is_blocking_copy(const struct analysis *a, uint32_t call)
{
	const struct trace *t = a->trace;
	uint32_t copy = t->launch[call];
	if (copy == NO_ROW || t->kind[copy] != EVENT_MEMCPY || row_end(t, copy) > row_end(t, call))
		return false;
	return !(host_traits(a, call) & TRAIT_ASYNC) || device_traits(a, copy) & TRAIT_PAGEABLE;
}

static bool call_waits(const struct analysis *a, uint32_t call)
{
	return a->class[call] == CLASS_SYNC ||
		(a->class[call] == CLASS_COPY_CALL && is_blocking_copy(a, call));
}

bool idle_causes_is_wait(const struct analysis *a, uint32_t row)
{
	return is_outer_call(a->trace, row) && call_waits(a, row);
}

void idle_causes_gather_waits(struct idle_causes *l, const struct analysis *a, struct arena *arena)
{
	l->waits = arena_array(arena, a->n_syncs + a->n_copy_calls, sizeof *l->waits);
	for (size_t i = 0; i < a->n_calls; i++)
		if (call_waits(a, a->calls[i]))
			l->waits[l->n_waits++] = a->calls[i];
}

/* The gaps are in the order of their starts, so one walk along the waits serves them all. Of a
 * thread's waits only the last that began before the gap can have ended in it. */
void idle_causes_waits(const struct idle_causes *l, const struct analysis *a, uint32_t *wait)
{
	const struct trace *t = a->trace;
	uint32_t *last = xcalloc(t->n_tracks, sizeof *last);
	for (uint32_t i = 0; i < t->n_tracks; i++)
		last[i] = NO_ROW;
	size_t next = 0;
	for (size_t i = 0; i < l->n_gaps; i++) {
		int64_t start = a->idle.at[i].start_ns;
		uint32_t launch = l->why[i].launch;
		for (; next < l->n_waits && t->start_ns[l->waits[next]] < start; next++)
			last[t->track[l->waits[next]]] = l->waits[next];
		wait[i] = NO_ROW;
		if (launch == NO_ROW)
			continue;
		uint32_t w = last[t->track[launch]];
		if (w != NO_ROW && row_end(t, w) >= start && row_end(t, w) <= t->start_ns[launch])
			wait[i] = w;
	}
	free(last);
}

/* ---- spans ---- */

/* What fills half of a gap stands over its middle. */
struct question {
	int64_t middle_ns;
	uint32_t gap;
};

ORDER(by_middle, struct question, UP(middle_ns) ?: UP(gap));

static bool is_sorted(const struct question *q, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (q[i].middle_ns < q[i - 1].middle_ns)
			return false;
	return true;
}

static struct question *questions_of(const struct idle_causes *l, size_t *n)
{
	struct question *q = xcalloc(l->n_gaps, sizeof *q);
	*n = 0;
	for (uint32_t i = 0; i < l->n_gaps; i++) {
		struct idle_gap g = idle_gap_at(l, i);
		if (g.launch != NO_ROW)
			q[(*n)++] = (struct question){g.start_ns + g.dur_ns / 2, i};
	}
	if (!is_sorted(q, *n))
		qsort(q, *n, sizeof *q, by_middle);
	return q;
}

static bool fills_half(const struct trace *t, uint32_t row, const void *gap)
{
	const struct time_span *g = gap;
	int64_t start = t->start_ns[row], end = row_end(t, row);
	start = max64(start, g->start_ns);
	end = min64(end, g->end_ns);
	return 2 * (end - start) >= g->end_ns - g->start_ns;
}

void idle_causes_spans(struct idle_causes *l, const struct analysis *a)
{
	const struct trace *t = a->trace;
	size_t n, row = 0;
	struct question *q = questions_of(l, &n);
	struct enclosing out = {.trace = t};
	uint32_t *last = xcalloc(t->n_tracks, sizeof *last);
	for (uint32_t i = 0; i < t->n_tracks; i++)
		last[i] = NO_ROW;
	for (size_t i = 0; i < n; i++) {
		for (; row < t->n && t->start_ns[row] <= q[i].middle_ns; row++)
			if (event_on_host(t->kind[row]))
				last[t->track[row]] = (uint32_t)row;
		struct idle_why *why = &l->why[q[i].gap];
		why->waited = enclosing_find(
			&out, last[t->track[why->launch]], fills_half, &a->idle.at[q[i].gap]);
	}
	enclosing_release(&out);
	free(last);
	free(q);
}
