/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/profiler_cost.h"

#include "base/err.h"
#include "base/min_max.h"

#include <stdlib.h>
#include <string.h>

/* Lengths by steps of PROFILER_COST_STEP_NS; the last slot has all that are longer. */
enum { SLOTS = 2048 };

struct lengths {
	uint32_t slot[SLOTS];
	size_t n;
};

static void add(struct lengths *x, int64_t ns)
{
	int64_t slot = ns > 0 ? ns / PROFILER_COST_STEP_NS : 0;
	x->slot[min64(slot, SLOTS - 1)]++;
	x->n++;
}

/* A quarter of them is no longer: what is, holds work of the operator's own. */
static int64_t quartile(const struct lengths *x)
{
	size_t seen = 0;
	for (int i = 0; i < SLOTS; i++) {
		seen += x->slot[i];
		if (4 * seen > x->n)
			return (int64_t)i * PROFILER_COST_STEP_NS;
	}
	return 0;
}

/* Of what ends in front of a row of the same thread, from the innermost out: the last row inside
 * each operator. `inside`: what the row itself stands in. */
static inline void close_rows(
	struct lengths *ends, const struct trace *t, uint32_t row, uint32_t inside)
{
	for (uint32_t up; row != NO_ROW && (up = t->parent[row]) != inside; row = up)
		if (t->kind[row] == EVENT_OP && t->kind[up] == EVENT_OP)
			add(ends, row_end(t, up) - row_end(t, row));
}

/* Rows of a thread come as they nest: the one behind an operator is the first inside it, or there
 * is none. */
int64_t profiler_cost_operator_ns(const struct trace *t)
{
	struct lengths begins = {0}, ends = {0};
	uint32_t *last = xalloc((t->n_tracks + 1) * sizeof *last);
	memset(last, 0xff, (t->n_tracks + 1) * sizeof *last);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t up = t->parent[i], before = last[t->track[i]];
		if (t->kind[i] == EVENT_INSTANT || t->kind[i] == EVENT_COUNTER)
			continue;
		last[t->track[i]] = i;
		if (up == NO_ROW || up != before)
			close_rows(&ends, t, before, up);
		else if (t->kind[i] == EVENT_OP && t->kind[up] == EVENT_OP)
			add(&begins, t->start_ns[i] - t->start_ns[up]);
	}
	for (uint32_t i = 0; i < t->n_tracks; i++)
		close_rows(&ends, t, last[i], NO_ROW);
	free(last);
	if (begins.n < PROFILER_COST_PAIRS || ends.n < PROFILER_COST_PAIRS)
		return PROFILER_COST_OPERATOR_NS;
	int64_t ns = quartile(&begins) + quartile(&ends);
	return min64(ns, PROFILER_COST_MOST_NS);
}
