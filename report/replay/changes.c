/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/changes.h"

#include "base/sort.h"
#include "report/replay/graph.h"

#include <stdlib.h>

struct replay_plan replay_plan(struct arena *arena, const struct replay *r)
{
	return (struct replay_plan){.r = r, .arena = arena};
}

void plan_spare(struct replay_plan *p, int64_t from_ns, int64_t to_ns)
{
	if (to_ns <= from_ns)
		return;
	if (p->n_spans == p->room) {
		struct time_span *old = p->span;
		p->room = p->room ? 2 * p->room : 64;
		p->span = arena_array(p->arena, p->room, sizeof *p->span);
		for (size_t i = 0; i < p->n_spans; i++)
			p->span[i] = old[i];
	}
	p->span[p->n_spans++] = (struct time_span){from_ns, to_ns};
}

void plan_spare_row(struct replay_plan *p, uint32_t row)
{
	const struct trace *t = p->r->a->trace;
	plan_spare(p, t->start_ns[row], row_end(t, row));
}

void plan_event(struct replay_plan *p, uint32_t event, double factor)
{
	size_t n = p->r->a->n_device;
	if (!p->factor) {
		p->factor = arena_array(p->arena, n, sizeof *p->factor);
		for (size_t i = 0; i < n; i++)
			p->factor[i] = 1;
	}
	p->factor[event] = (float)factor;
}

void plan_wait(struct replay_plan *p, uint32_t call)
{
	if (!p->passes)
		p->passes = arena_array(p->arena, p->r->a->trace->n, 1);
	p->passes[call] = 1;
}

static bool is_for_launching(const struct breakdown *p, const struct stretch *s)
{
	return s->part == TIME_LAUNCHING && !s->launch_gap &&
		!spans_covered(&p->blame.silent, s->start_ns, s->end_ns);
}

/* The window less the idle stretches that are not about launching. */
void plan_one_launch(struct replay_plan *p, const struct breakdown *breakdown)
{
	const struct time_parts *w = breakdown_window(breakdown);
	int64_t from = w->start_ns;
	for (size_t i = 0; i < breakdown->n_idle; i++) {
		const struct stretch *s = &breakdown->idle[i];
		if (s->end_ns <= from || is_for_launching(breakdown, s))
			continue;
		if (s->start_ns >= w->end_ns)
			break;
		plan_spare(p, from, s->start_ns);
		from = s->end_ns;
	}
	plan_spare(p, from, w->end_ns);
}

void plan_input(struct replay_plan *p, const struct breakdown *breakdown)
{
	const struct trace *t = p->r->a->trace;
	const struct time_parts *w = breakdown_window(breakdown);
	for (size_t i = 0; i < breakdown->n_idle; i++) {
		const struct stretch *s = &breakdown->idle[i];
		if (s->part == TIME_INPUT && s->end_ns > w->start_ns && s->start_ns < w->end_ns &&
			s->row != NO_ROW && !is_call(t, s->row))
			plan_spare_row(p, s->row);
	}
}

ORDER(by_start, struct time_span, UP(start_ns) ?: UP(end_ns));

int64_t plan_gain(struct replay_plan *p)
{
	if (p->n_spans)
		qsort(p->span, p->n_spans, sizeof *p->span, by_start);
	p->spared = spans_with_room(p->arena, p->n_spans);
	for (size_t i = 0; i < p->n_spans; i++)
		spans_add(&p->spared, p->span[i].start_ns, p->span[i].end_ns);
	const struct replay_change c = {
		.spared = p->n_spans ? &p->spared : NULL, .factor = p->factor, .passes = p->passes};
	return replay_gain(p->r, &c);
}
