/* SPDX-License-Identifier: Apache-2.0 */
#include "report/advise/partition_parts.h"

#include <stdlib.h>

/* What the gaps are judged by. */
struct judging {
	const struct analysis *a;
	const struct ledger *l;
	struct host_layers *host;
	bool known; /* launches are in the file */
	int64_t linked_ns; /* when the first device event with a launch begins */
	struct layer out;
};

static void take_idle(void *to, const struct stretch *s)
{
	struct judging *j = to;
	struct stretch *last = j->out.n ? &j->out.stretch[j->out.n - 1] : NULL;
	if (last && last->end_ns == s->start_ns && last->part == s->part && last->row == s->row)
		last->end_ns = s->end_ns;
	else
		layer_cover(&j->out, *s);
}

static int64_t first_linked_ns(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_device; i++)
		if (a->trace->launch[a->device_rows[i]] != NO_ROW)
			return a->trace->start_ns[a->device_rows[i]];
	return INT64_MAX;
}

/* The gap of the ledger that ends with the same event, by its row. With one device both lists are
 * the same. */
static uint32_t *gaps_by_event(const struct analysis *a, const struct ledger *l)
{
	uint32_t *gap = xcalloc(a->trace->n, sizeof *gap);
	for (uint32_t i = 0; i < l->n_gaps; i++)
		if (l->gaps[i].after != NO_ROW)
			gap[l->gaps[i].after] = i;
	return gap;
}

static enum spent of_first(const struct judging *j, const struct idle_gap *g)
{
	if (g->launch == NO_ROW || ledger_was_held(j->a->trace, g))
		return SPENT_BEFORE;
	return SPENT_LAUNCHING;
}

/* The part of a gap as a whole, by the ledger's cause. */
static enum spent of_gap(const struct judging *j, const struct gap *gap, const struct idle_gap *g)
{
	if (gap->after == NO_ROW)
		return SPENT_AFTER;
	if (!j->known)
		return SPENT_UNKNOWN;
	if (gap->before == NO_ROW)
		return of_first(j, g);
	switch ((enum idle_cause)g->cause) {
	case IDLE_PROFILER:
		return SPENT_PROFILER;
	case IDLE_SYNC:
		return SPENT_SYNC;
	case IDLE_HELD:
		return g->hold == HOLD_UNSEEN ? SPENT_UNKNOWN : SPENT_LAUNCHING;
	case IDLE_UNKNOWN:
		return gap->start_ns < j->linked_ns ? SPENT_BEFORE : SPENT_UNKNOWN;
	case IDLE_BEFORE: /* of one device, while another had worked */
		return of_first(j, g) == SPENT_BEFORE ? SPENT_UNKNOWN : SPENT_LAUNCHING;
	default:
		return SPENT_LAUNCHING;
	}
}

/* What the thread did until its launch was made; what it does afterwards delays nothing. */
static void ask_thread(struct judging *j, struct stretch gap, uint32_t launch)
{
	const struct trace *t = j->a->trace;
	struct layer *thread = j->host->layer + (size_t)t->track[launch] * HOST_LAYERS;
	struct stretch asked = gap, rest = gap;
	size_t from = j->out.n;
	int64_t made = row_end(t, launch);
	made = made < gap.end_ns ? made : gap.end_ns;
	asked.end_ns = rest.start_ns = made > gap.start_ns ? made : gap.start_ns;
	layers_fill(thread, HOST_LAYERS, asked, take_idle, j);
	take_idle(j, &rest);
	for (size_t i = from; i < j->out.n; i++)
		j->out.stretch[i].gap = gap.gap;
}

static void judge_gap(struct judging *j, const struct gap *gap, uint32_t index)
{
	const struct idle_gap *g = &j->l->gaps[index];
	enum spent part = of_gap(j, gap, g);
	struct stretch s = {.start_ns = gap->start_ns,
		.end_ns = gap->start_ns + gap->dur_ns,
		.row = part == SPENT_PROFILER || part == SPENT_SYNC ? g->evidence : NO_ROW,
		.gap = index,
		.part = (uint8_t)part,
		.handover = part == SPENT_LAUNCHING && g->cause == IDLE_HELD};
	bool ask = (part == SPENT_LAUNCHING || part == SPENT_SYNC) && !s.handover;
	if (!ask) {
		take_idle(j, &s);
		return;
	}
	ask_thread(j, s, g->launch);
}

struct layer idle_of(const struct partition *p, const struct analysis *a, const struct ledger *l,
	struct host_layers *h)
{
	struct judging j = {.a = a,
		.l = l,
		.host = h,
		.known = p->lack == LACK_NOTHING,
		.linked_ns = first_linked_ns(a)};
	uint32_t *by_event = l->n_devices > 1 ? gaps_by_event(a, l) : NULL;
	for (size_t i = 0; i < a->n_gaps; i++) {
		const struct gap *gap = &a->gaps[i];
		uint32_t index = (uint32_t)i;
		if (by_event)
			index = gap->after == NO_ROW ? (uint32_t)(l->n_gaps - 1)
						     : by_event[gap->after];
		judge_gap(&j, gap, index);
	}
	free(by_event);
	return j.out;
}
