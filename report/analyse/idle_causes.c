/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/idle_causes.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/idle_causes_parts.h"

#include <stdlib.h>
#include <string.h>

NAMES(idle_cause_name, enum idle_cause, IDLE_CAUSE_LIST(KIND_NAME));

NAMES(idle_hold_name, enum idle_hold, IDLE_HOLD_LIST(KIND_NAME));

/* ---- causes ---- */

/* Once the call had ended the event took longer to begin than launching needs, and that was most of
 * the gap. */
bool idle_causes_was_held(const struct trace *t, const struct idle_gap *g)
{
	int64_t end = g->start_ns + g->dur_ns, called = row_end(t, g->launch);
	int64_t since = max64(called, g->start_ns);
	return end - called > IDLE_LATENCY_NS && 2 * (end - since) >= g->dur_ns;
}

/* The call itself was slow, and most of the gap. */
static bool was_slow(const struct trace *t, const struct idle_gap *g)
{
	int64_t end = g->start_ns + g->dur_ns, called = row_end(t, g->launch);
	int64_t inside = min64(called, end) - t->start_ns[g->launch];
	return inside > IDLE_SLOW_NS && 2 * inside >= g->dur_ns;
}

static enum idle_cause cause_of(
	const struct trace *t, const struct idle_gap *g, uint32_t profiler, uint32_t wait)
{
	if (g->before == NO_ROW)
		return IDLE_BEFORE;
	if (g->after == NO_ROW)
		return IDLE_AFTER;
	if (g->launch != NO_ROW && idle_causes_was_held(t, g))
		return IDLE_HELD;
	if (profiler != NO_ROW)
		return IDLE_PROFILER;
	if (g->launch == NO_ROW)
		return IDLE_UNKNOWN;
	if (t->start_ns[g->launch] <= g->start_ns || was_slow(t, g))
		return IDLE_LATENCY;
	if (wait != NO_ROW && t->start_ns[g->launch] - row_end(t, wait) <= IDLE_REFILL_NS)
		return IDLE_SYNC;
	return IDLE_HOST;
}

static enum idle_hold hold_of(const struct analysis *a, const struct idle_gap *g)
{
	const struct trace *t = a->trace;
	if (g->dur_ns > IDLE_LAUNCH_GAP_NS)
		return HOLD_UNSEEN;
	if (analysis_launch_of(t, g->before) == g->launch)
		return HOLD_GRAPH;
	if (a->class[g->before] == CLASS_COMMUNICATION)
		return HOLD_COMMUNICATION;
	if (t->kind[g->before] != EVENT_KERNEL)
		return HOLD_COPY;
	return t->track[g->before] != t->track[g->after] ? HOLD_STREAM : HOLD_ORDER;
}

/* `wait` (n_gaps): the wait of the launching thread that was open when the gap began, or NO_ROW. */
static void find_causes(struct idle_causes *l, const struct analysis *a, const uint32_t *wait)
{
	struct overheads profilers = overheads_of(a, true), programs = overheads_of(a, false);
	for (size_t i = 0; i < l->n_gaps; i++) {
		struct idle_gap g = idle_gap_at(l, i);
		struct idle_why *why = &l->why[i];
		int64_t end = g.start_ns + g.dur_ns;
		uint32_t profiler = overheads_half(&profilers, g.start_ns, end);
		why->cause = (uint8_t)cause_of(a->trace, &g, profiler, wait[i]);
		if (why->cause == IDLE_PROFILER)
			why->evidence = profiler;
		else if (why->cause == IDLE_SYNC)
			why->evidence = wait[i];
		else if (why->cause == IDLE_HOST || why->cause == IDLE_LATENCY)
			why->evidence = overheads_half(&programs, g.start_ns, end);
		if (why->cause == IDLE_HELD)
			why->hold = (uint8_t)hold_of(a, &g);
	}
	overheads_release(&profilers);
	overheads_release(&programs);
}

/* ---- sums ---- */

static void add(struct idle_sum *s, const struct idle_gap *g)
{
	s->n++;
	s->ns += g->dur_ns;
	s->host_ns += g->host_ns;
	s->longest_ns = max64(g->dur_ns, s->longest_ns);
}

static void set_shares(struct idle_sum *sum, int n, int64_t idle_ns)
{
	for (int i = 0; i < n; i++)
		sum[i].share = idle_ns ? (double)sum[i].ns / (double)idle_ns : 0;
}

static void sum_gaps(struct idle_causes *l, const struct analysis *a)
{
	for (size_t i = 0; i < l->n_gaps; i++) {
		struct idle_gap g = idle_gap_at(l, i);
		add(&l->sum[g.cause], &g);
		if (g.cause == IDLE_HELD)
			add(&l->held[g.hold], &g);
	}
	l->window_ns = a->window.end_ns - a->window.start_ns;
	l->busy_ns = a->window.busy_ns;
	l->idle_ns = a->window.idle_ns;
	set_shares(l->sum, IDLE_CAUSES, l->idle_ns);
	set_shares(l->held, IDLE_HOLDS, l->idle_ns);
}

/* ---- what the threads were doing ---- */

ORDER(by_time, struct idle_waited, DOWN(ns) ?: UP(name));

static void sum_waited(struct idle_causes *l, const struct trace *t)
{
	struct idle_waited *by_name = xcalloc(t->names.n, sizeof *by_name);
	int64_t *longest = xcalloc(t->names.n, sizeof *longest);
	for (size_t i = 0; i < l->n_gaps; i++) {
		struct idle_gap g = idle_gap_at(l, i);
		if (g.cause != IDLE_HOST && g.cause != IDLE_SYNC)
			continue;
		name_id name = g.waited == NO_ROW ? 0 : t->name[g.waited];
		struct idle_waited *w = &by_name[name];
		w->name = name;
		w->row = g.dur_ns > longest[name] ? g.waited : w->row;
		longest[name] = max64(g.dur_ns, longest[name]);
		w->n++;
		w->ns += g.dur_ns;
	}
	qsort(by_name, t->names.n, sizeof *by_name, by_time);
	for (uint32_t i = 0; i < IDLE_WAITED_NAMES && i < t->names.n && by_name[i].n; i++)
		l->waited[l->n_waited++] = by_name[i];
	free(longest);
	free(by_name);
}

struct idle_causes idle_causes_of(struct arena *arena, const struct analysis *a)
{
	struct idle_causes l = {.of = a};
	idle_causes_gather_waits(&l, a, arena);
	if (!a->n_device)
		return l;
	idle_causes_gaps(&l, a, arena);
	uint32_t *wait = xcalloc(l.n_gaps, sizeof *wait);
	idle_causes_waits(&l, a, wait);
	find_causes(&l, a, wait);
	free(wait);
	idle_causes_spans(&l, a);
	sum_gaps(&l, a);
	l.n_longest = a->n_longest;
	memcpy(l.longest, a->longest, sizeof l.longest);
	sum_waited(&l, a->trace);
	return l;
}
