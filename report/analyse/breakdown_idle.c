/* SPDX-License-Identifier: Apache-2.0 */
#include "base/min_max.h"
#include "report/analyse/breakdown_parts.h"

#include <stdlib.h>

/* What the gaps are judged by. */
struct judging {
	const struct analysis *a;
	struct host_layers *host;
	bool known; /* launches are in the file */
	int64_t linked_ns; /* when the first device event with a launch begins */
	struct layer out;
};

static void take_idle(void *to, const struct stretch *s, struct time_span at)
{
	struct judging *j = to;
	struct stretch *last = j->out.n ? &j->out.stretch[j->out.n - 1] : NULL;
	if (at.end_ns <= at.start_ns)
		return;
	if (last && last->end_ns == at.start_ns && last->part == s->part &&
		(last->row == s->row || s->part == TIME_LAUNCHING)) {
		last->end_ns = at.end_ns;
		return;
	}
	layer_add(&j->out,
		(struct stretch){at.start_ns, at.end_ns, s->row, s->part, s->launch_gap, false});
}

static int64_t first_linked_ns(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_device; i++)
		if (a->trace->launch[a->device_rows[i]] != NO_ROW)
			return a->trace->start_ns[a->device_rows[i]];
	return INT64_MAX;
}

static enum time_part of_first(const struct judging *j, const struct idle_gap *g)
{
	if (g->launch == NO_ROW || idle_causes_was_held(j->a->trace, g))
		return TIME_BEFORE;
	return TIME_LAUNCHING;
}

/* The part of a gap as a whole, by its cause in idle_causes.h. */
static enum time_part of_gap(const struct judging *j, const struct idle_gap *g)
{
	if (g->after == NO_ROW)
		return TIME_AFTER;
	if (!j->known)
		return TIME_UNKNOWN;
	if (g->before == NO_ROW)
		return of_first(j, g);
	switch ((enum idle_cause)g->cause) {
	case IDLE_PROFILER:
		return TIME_PROFILER;
	case IDLE_SYNC:
		return TIME_SYNC;
	case IDLE_HELD:
		return g->hold == HOLD_UNSEEN ? TIME_UNKNOWN : TIME_LAUNCHING;
	case IDLE_UNKNOWN:
		return g->start_ns < j->linked_ns ? TIME_BEFORE : TIME_UNKNOWN;
	default:
		return TIME_LAUNCHING;
	}
}

/* What the thread did until its launch was made; what it does afterwards delays nothing. */
static void ask_thread(
	struct judging *j, const struct stretch *rest, struct time_span gap, uint32_t launch)
{
	const struct trace *t = j->a->trace;
	struct layer *thread = j->host->layer + (size_t)t->track[launch] * HOST_LAYERS;
	int64_t made = row_end(t, launch);
	made = max64(made, gap.start_ns);
	made = min64(made, gap.end_ns);
	layers_fill(
		thread, HOST_LAYERS, (struct time_span){gap.start_ns, made}, rest, take_idle, j);
	take_idle(j, rest, (struct time_span){made, gap.end_ns});
}

static void judge_gap(struct judging *j, const struct idle_gap *g)
{
	struct time_span at = {g->start_ns, g->start_ns + g->dur_ns};
	enum time_part part = of_gap(j, g);
	struct stretch rest = {.row = NO_ROW, .part = (uint8_t)part};
	if (part == TIME_PROFILER || part == TIME_SYNC)
		rest.row = g->evidence;
	if (part == TIME_LAUNCHING)
		rest.row = g->launch;
	rest.launch_gap = part == TIME_LAUNCHING && g->cause == IDLE_HELD;
	if ((part == TIME_LAUNCHING || part == TIME_SYNC) && !rest.launch_gap)
		ask_thread(j, &rest, at, g->launch);
	else
		take_idle(j, &rest, at);
}

struct layer idle_of(const struct breakdown *p, const struct analysis *a,
	const struct idle_causes *l, struct host_layers *h)
{
	struct judging j = {.a = a,
		.host = h,
		.known = p->lack == LACK_NOTHING,
		.linked_ns = first_linked_ns(a)};
	layer_reserve(&j.out, 2 * l->n_gaps + 1);
	for (size_t i = 0; i < l->n_gaps; i++) {
		struct idle_gap g = idle_gap_at(l, i);
		judge_gap(&j, &g);
	}
	return j.out;
}
