/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of the host the window's work comes from. */
#include "report/analyse/analysis.h"
#include "report/analyse/launches.h"
#include "report/rules/action_window.h"

struct launched launched_of(const struct facts *s)
{
	struct launched all = {NO_ROW, NO_ROW, 0};
	size_t votes = 0;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t call = s->event[i].call;
		if (call == NO_ROW)
			continue;
		if (!votes)
			all.track = s->t->track[call];
		votes += s->t->track[call] == all.track ? 1 : (size_t)-1;
		all.from = call < all.from ? call : all.from;
		all.to = call >= all.to ? call + 1 : all.to;
	}
	while (all.from != NO_ROW && s->t->parent[all.from] != NO_ROW &&
		s->t->kind[s->t->parent[all.from]] == EVENT_OP)
		all.from = s->t->parent[all.from];
	return all;
}

/* Some of the window's work was launched before it, and no mere rest of the last. */
static bool host_is_ahead(const struct facts *s)
{
	size_t before = 0;
	for (size_t i = 0; i < s->n; i++)
		before += s->event[i].call != NO_ROW && s->event[i].call < s->from;
	return 8 * before > s->n;
}

static void see_work_row(struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	see_kind_of_work(s, row);
	if (s->a->class[row] != CLASS_LAUNCH || !event_is_call(t->kind[row]) ||
		!is_outer_call(t, row))
		return;
	s->launches++;
	s->graph_launches += (host_traits(s->a, row) & TRAIT_GRAPH) != 0;
}

/* The window may begin with the device's work; what the host did for that since its own step began
 * belongs to it. */
static uint32_t begun_by(const struct facts *s)
{
	enum { FAR = 1024 };
	const struct trace *t = s->t;
	uint32_t first = launched_of(s).from;
	if (first >= s->from)
		return s->from;
	for (uint32_t i = s->from, k = 0; i-- > 0 && k < FAR; k++)
		if (s->a->class[i] == CLASS_STEP && event_on_host(t->kind[i]))
			return first > i && row_end(t, i) > t->start_ns[s->from] ? first : s->from;
	return s->from;
}

void see_work(struct facts *s)
{
	s->work_from = s->from;
	s->work_to = s->to;
	if (!host_is_ahead(s)) {
		s->work_from = begun_by(s);
		return;
	}
	struct launched of = launched_of(s);
	s->work_from = of.from;
	s->work_to = of.to;
	s->track = of.track;
	s->launches = s->graph_launches = s->n_compiled = 0;
	s->optimizers.n = s->convolutions.n = 0;
	for (uint32_t i = of.from; i < of.to; i++)
		see_work_row(s, i);
}
