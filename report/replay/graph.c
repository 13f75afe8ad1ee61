/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/graph.h"

#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/replay/graph_edges.h"

#include <stdlib.h>
#include <string.h>

/* ---- points ---- */

static bool is_point(const struct analysis *a, uint32_t call)
{
	return a->class[call] == CLASS_LAUNCH || a->class[call] == CLASS_COPY_CALL ||
		a->class[call] == CLASS_SYNC || a->trace->launch[call] != NO_ROW;
}

static void gather_points(struct building *b, struct arena *arena)
{
	struct replay *r = b->r;
	r->point = arena_array(arena, r->a->n_calls, sizeof *r->point);
	for (size_t i = 0; i < r->a->n_calls; i++) {
		uint32_t row = r->a->calls[i];
		if (!is_point(r->a, row))
			continue;
		r->point[r->n_points++] = (struct point){.row = row,
			.before = NOTHING,
			.awaits = NOTHING,
			.first = NOTHING,
			.own_ns = b->t->dur_ns[row]};
	}
}

/* Launches mostly follow each other as their events do. */
static void find_points(struct building *b)
{
	const struct replay *r = b->r;
	uint32_t near = 0;
	b->point_of = arena_array(b->scratch, r->a->n_device, sizeof *b->point_of);
	for (size_t i = 0; i < r->a->n_device; i++) {
		uint32_t call = r->a->device_calls[i];
		b->point_of[i] = NOTHING;
		if (call == NO_ROW)
			continue;
		near = first_near(k, 0, r->n_points, near, r->point[k].row >= call);
		if (near < r->n_points && r->point[near].row == call)
			b->point_of[i] = near;
	}
}

/* ---- the walk ---- */

struct end_of {
	int64_t at_ns;
	uint32_t point;
};

static void turn(struct replay *r, uint32_t index, enum turn what)
{
	r->order[r->n_order++] = index * 4 + what;
}

static void see_begin(struct building *b, uint32_t index)
{
	struct point *p = &b->r->point[index];
	uint32_t track = b->t->track[p->row];
	edges_follow(b, p, track, b->t->start_ns[p->row], p->row);
	if (edges_queue_is_full(b, p->row)) {
		p->awaits = index; /* of which event is known at its end */
		p->own_ns = min64(p->own_ns, (int64_t)b->r->a->call_median_ns);
	}
	b->launched += b->t->launch[p->row] != NO_ROW;
	b->last_point[track] = index;
	b->last = index;
	turn(b->r, index, TURN_BEGIN);
}

static void see_end(struct building *b, uint32_t index)
{
	struct point *p = &b->r->point[index];
	bool full = p->awaits != NOTHING, wait = idle_causes_is_wait(b->r->a, p->row);
	int64_t own_ns = p->own_ns;
	if (!full && !wait)
		return;
	p->awaits = NOTHING;
	p->own_ns = b->t->dur_ns[p->row];
	edges_await(b, index);
	if (full && p->awaits != NOTHING)
		p->own_ns = own_ns;
	if (p->awaits != NOTHING)
		turn(b->r, index, TURN_END);
	if (b->last_wait == NOTHING || edges_end_of_point(b, b->last_wait) <= row_end(b->t, p->row))
		b->last_wait = index;
}

ORDER(by_end, struct end_of, UP(at_ns) ?: UP(point));

/* Of the calls that may wait. */
static struct end_of *ends_of(const struct building *b, size_t *n)
{
	const struct replay *r = b->r;
	struct end_of *e = xcalloc(r->n_points, sizeof *e);
	*n = 0;
	for (uint32_t i = 0; i < r->n_points; i++) {
		uint32_t row = r->point[i].row;
		if (b->t->dur_ns[row] > IDLE_SLOW_NS || idle_causes_is_wait(r->a, row))
			e[(*n)++] = (struct end_of){row_end(b->t, row), i};
	}
	qsort(e, *n, sizeof *e, by_end);
	return e;
}

/* Where the host begins and ends a step, and the next: as breakdown.h tells them. */
static bool host_ends_of_step(
	const struct breakdown *p, const struct trace *t, uint32_t step, struct time_span *host)
{
	const struct breakdown_step *s = &p->steps[step];
	bool last = step + 1 == p->n_steps, by_end = p->steps_by == STEPS_BY_OPTIMIZER;
	if ((last && p->steps_by == STEPS_BY_LAUNCHES) || (by_end && !step))
		return false;
	host->start_ns = by_end ? row_end(t, s[-1].row) : t->start_ns[s->row];
	host->end_ns = by_end || last ? row_end(t, s->row) : t->start_ns[s[1].row];
	return true;
}

uint32_t graph_points_before(const struct replay *r, int64_t time_ns)
{
	const int64_t *start_ns = r->a->trace->start_ns;
	return first_where(i, 0, r->n_points, start_ns[r->point[i].row] >= time_ns);
}

/* A place of the host's, by which a moment is told when it is there and its work has ended. */
static int64_t host_place(const struct building *b, int64_t host_ns, int64_t moment_ns)
{
	const struct analysis *a = b->r->a;
	uint32_t launched = graph_points_before(b->r, host_ns);
	int64_t ns = host_ns;
	for (uint32_t i = 0; i < a->n_device; i++) {
		if (b->point_of[i] < launched)
			ns = max64(ns, edges_end(b, i));
	}
	return ns == moment_ns ? host_ns : -1;
}

/* Each of the two as a place of the host's, -1 where it is none. */
static struct time_span host_places(const struct building *b, const struct breakdown *p)
{
	const struct time_parts *w = breakdown_window(p);
	const struct replay *r = b->r;
	struct time_span host = {w->start_ns, w->end_ns};
	if (p->median == NO_ROW && r->n_points) {
		int64_t last = b->t->start_ns[r->point[r->n_points - 1].row];
		host.end_ns = min64(last + 1, w->end_ns); /* the last call is made */
	} else if (p->median != NO_ROW && !host_ends_of_step(p, b->t, p->median, &host)) {
		return (struct time_span){-1, -1};
	}
	return (struct time_span){
		host_place(b, host.start_ns, w->start_ns), host_place(b, host.end_ns, w->end_ns)};
}

static void set_anchor(struct building *b, struct moment *x, int64_t time_ns, bool places)
{
	const struct analysis *a = b->r->a;
	uint32_t track = a->main_track == NO_ROW ? 0 : a->main_track;
	size_t row = trace_first_from(b->t, time_ns);
	*x = (struct moment){.event = NOTHING, .inside = NOTHING};
	for (uint32_t i = 0; !places && i < a->n_device; i++)
		if (edges_end(b, i) == time_ns) {
			x->event = i;
			return;
		}
	if (places)
		x->launched = graph_points_before(b->r, time_ns);
	x->at = (struct point){.row = NO_ROW, .awaits = NOTHING};
	edges_follow(b, &x->at, track, time_ns, (uint32_t)row);
	if (x->at.before != NOTHING && edges_end_of_point(b, x->at.before) > time_ns) {
		x->inside = x->at.before;
		x->since_ns = time_ns - b->t->start_ns[b->r->point[x->inside].row];
	}
}

/* What comes next of three lists in the order of time. */
struct walk {
	uint32_t event, point;
	size_t end;
	const struct end_of *ends;
	size_t n_ends;
};

static void step(struct building *b, struct walk *w)
{
	const struct replay *r = b->r;
	int64_t event = w->event < r->a->n_device ? edges_start(b, w->event) : INT64_MAX;
	int64_t end = w->end < w->n_ends ? w->ends[w->end].at_ns : INT64_MAX;
	int64_t begin = w->point < r->n_points ? b->t->start_ns[r->point[w->point].row] : INT64_MAX;
	if (event <= end && event <= begin && event < INT64_MAX) {
		uint32_t point = b->point_of[w->event];
		while (point != NOTHING && w->point <= point)
			see_begin(b, w->point++);
		edges_of_event(b, w->event);
		turn(b->r, w->event++, TURN_EVENT);
	} else if (end <= begin && w->end < w->n_ends && w->ends[w->end].point < w->point) {
		see_end(b, w->ends[w->end++].point);
	} else {
		see_begin(b, w->point++);
	}
}

static int64_t next_ns(const struct building *b, const struct walk *w)
{
	const struct replay *r = b->r;
	int64_t next = INT64_MAX;
	if (w->event < r->a->n_device)
		next = edges_start(b, w->event);
	if (w->end < w->n_ends)
		next = min64(next, w->ends[w->end].at_ns);
	if (w->point < r->n_points)
		next = min64(next, b->t->start_ns[r->point[w->point].row]);
	return next;
}

static void walk(struct building *b, const struct breakdown *p)
{
	struct replay *r = b->r;
	const struct time_parts *window = breakdown_window(p);
	struct time_span host = host_places(b, p);
	bool both = host.start_ns >= 0 &&
		host.end_ns >= 0; /* told alike, or their difference is none */
	struct time_span at = {window->start_ns, window->end_ns};
	at = both ? host : at;
	struct walk w = {0};
	bool from = false, to = false;
	struct end_of *ends = ends_of(b, &w.n_ends);
	w.ends = ends;
	for (int64_t next; (next = next_ns(b, &w)) <= window->end_ns || !from || !to;) {
		if (!from && next > at.start_ns) {
			set_anchor(b, &r->from, at.start_ns, both);
			from = true;
		} else if (!to && next > at.end_ns) {
			set_anchor(b, &r->to, at.end_ns, both);
			to = true;
		} else {
			step(b, &w);
		}
	}
	r->n_events = w.event;
	free(ends);
}

static void gather_stepping(struct replay *r, struct arena *arena, const struct breakdown *p)
{
	const struct trace *t = r->a->trace;
	size_t n = p->steps_by == STEPS_BY_PROFILER ? p->n_steps : 0;
	r->stepping = spans_with_room(arena, n);
	for (size_t i = 1; i < n; i++)
		spans_add(&r->stepping, row_end(t, p->steps[i - 1].row),
			t->start_ns[p->steps[i].row]);
}

/* What the host does and launches from one end of a step to the other. */
static void gather_step(struct building *b, struct arena *arena, const struct breakdown *p)
{
	struct replay *r = b->r;
	struct time_span host = host_places(b, p);
	if (p->median == NO_ROW || host.start_ns < 0 || host.end_ns < 0)
		return;
	r->host_from_ns = host.start_ns;
	r->first = graph_points_before(r, host.start_ns);
	r->behind = graph_points_before(r, host.end_ns);
	r->step = arena_array(arena, r->n_order, sizeof *r->step);
	r->last_on = arena_array(arena, b->t->n_tracks, sizeof *r->last_on);
	memset(r->last_on, 0xff, b->t->n_tracks * sizeof *r->last_on);
	for (size_t i = 0; i < r->n_order; i++) {
		uint32_t index = r->order[i] >> 2, point = index;
		if ((r->order[i] & 3) == TURN_EVENT) {
			struct event *e = &r->event[index];
			point = e->point;
			e->in_step = r->a->device_calls[index] == NO_ROW
				? e->ahead != NOTHING && r->event[e->ahead].in_step
				: point >= r->first && point < r->behind;
			if (!e->in_step)
				continue;
			r->last_on[b->t->track[r->a->device_rows[index]]] = index;
		} else if (point < r->first || point >= r->behind) {
			continue;
		}
		r->step[r->n_step++] = r->order[i];
	}
}

void graph_build(struct replay *r, struct arena *arena, const struct breakdown *p)
{
	const struct trace *t = r->a->trace;
	struct arena scratch = {0};
	struct building b = {.r = r,
		.t = t,
		.last = NOTHING,
		.last_wait = NOTHING,
		.scratch = &scratch,
		.working = p->blame.working};
	b.last_point = arena_array(&scratch, t->n_tracks, sizeof *b.last_point);
	b.last_event = arena_array(&scratch, t->n_tracks, sizeof *b.last_event);
	memset(b.last_point, 0xff, t->n_tracks * sizeof *b.last_point);
	memset(b.last_event, 0xff, t->n_tracks * sizeof *b.last_event);
	gather_points(&b, arena);
	find_points(&b);
	b.launches = arena_array(&scratch, t->n_tracks, 1);
	for (uint32_t i = 0; i < r->n_points; i++)
		b.launches[t->track[r->point[i].row]] = 1;
	graph_find_medians(r);
	r->event = arena_array(arena, r->a->n_device, sizeof *r->event);
	r->order = arena_array(arena, 2 * (size_t)r->n_points + r->a->n_device, sizeof *r->order);
	walk(&b, p);
	gather_step(&b, arena, p);
	gather_stepping(r, arena, p);
	graph_find_tail(r);
	arena_release(&scratch);
}
