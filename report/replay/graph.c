/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/graph.h"

#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/replay/graph_edges.h"

#include <stdlib.h>
#include <string.h>

/* ---- points ---- */

/* A call that frees memory waits for the device, too. */
static bool may_wait(const struct analysis *a, uint32_t row)
{
	return idle_causes_is_wait(a, row) || host_traits(a, row) & TRAIT_FREES;
}

bool graph_is_point(const struct analysis *a, uint32_t call)
{
	return a->class[call] == CLASS_LAUNCH || a->class[call] == CLASS_COPY_CALL ||
		a->class[call] == CLASS_SYNC || a->trace->launch[call] != NO_ROW ||
		host_traits(a, call) & TRAIT_FREES;
}

bool graph_host_of_step(
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

/* What begins later has no part in the window: no event up to its end was launched by then, and
 * the host has ended it. INT64_MAX: all of the file has. */
static int64_t last_that_matters(const struct building *b, const struct breakdown *p)
{
	const struct analysis *a = b->r->a;
	struct time_span host;
	if (p->median == NO_ROW)
		return INT64_MAX;
	int64_t until = breakdown_window(p)->end_ns;
	if (graph_host_of_step(p, b->t, p->median, &host))
		until = max64(until, host.end_ns);
	int64_t last = until;
	for (size_t i = 0; i < a->n_device && edges_start(b, (uint32_t)i) <= until; i++)
		if (a->device_calls[i] != NO_ROW)
			last = max64(last, b->t->start_ns[a->device_calls[i]]);
	return last;
}

static void gather_points(struct building *b, struct arena *arena, int64_t until_ns)
{
	struct replay *r = b->r;
	size_t room = 0;
	while (room < r->a->n_calls && b->t->start_ns[r->a->calls[room]] <= until_ns)
		room++;
	r->point = arena_unset(arena, room, sizeof *r->point);
	for (size_t i = 0; i < r->a->n_calls; i++) {
		uint32_t row = r->a->calls[i];
		if (!graph_is_point(r->a, row))
			continue;
		r->n_calls++;
		b->launches[b->t->track[row]] = 1;
		if (i < room)
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
	b->point_of = arena_unset(b->scratch, r->a->n_device, sizeof *b->point_of);
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
}

static void see_end(struct building *b, uint32_t index, uint32_t points, uint32_t events)
{
	struct point *p = &b->r->point[index];
	bool full = p->awaits != NOTHING, wait = may_wait(b->r->a, p->row);
	int64_t own_ns = p->own_ns;
	if (!full && !wait)
		return;
	p->awaits = NOTHING;
	p->own_ns = b->t->dur_ns[p->row];
	edges_await(b, index);
	if (full && p->awaits != NOTHING)
		p->own_ns = own_ns;
	if (p->awaits != NOTHING) {
		turn(b->r, points, TURN_BEGIN);
		turn(b->r, events, TURN_EVENTS);
		turn(b->r, index, TURN_END);
	}
	if (b->last_wait == NOTHING || edges_end_of_point(b, b->last_wait) <= row_end(b->t, p->row))
		b->last_wait = index;
}

ORDER(by_end, struct end_of, UP(at_ns) ?: UP(point));

/* Of the calls that may wait. */
static struct end_of *ends_of(const struct building *b, size_t *n)
{
	const struct replay *r = b->r;
	struct end_of *e = xalloc((r->n_points + 1) * sizeof *e);
	bool in_order = true; /* those of one thread mostly are */
	*n = 0;
	for (uint32_t i = 0; i < r->n_points; i++) {
		uint32_t row = r->point[i].row;
		if (b->t->dur_ns[row] <= IDLE_SLOW_NS && !may_wait(r->a, row))
			continue;
		e[*n] = (struct end_of){row_end(b->t, row), i};
		in_order = in_order && (!*n || by_end(&e[*n - 1], &e[*n]) < 0);
		++*n;
	}
	if (!in_order)
		qsort(e, *n, sizeof *e, by_end);
	return e;
}

uint32_t graph_points_before(const struct replay *r, int64_t time_ns)
{
	const int64_t *start_ns = r->a->trace->start_ns;
	return first_where(i, 0, r->n_points, start_ns[r->point[i].row] >= time_ns);
}

/* (n_points + 1) When what the points before each launched has ended. */
static int64_t *ends_of_launched(const struct building *b)
{
	const struct replay *r = b->r;
	int64_t *end_ns = arena_unset(b->scratch, (size_t)r->n_points + 1, sizeof *end_ns);
	end_ns[0] = INT64_MIN;
	for (uint32_t i = 0; i < r->n_points; i++)
		end_ns[i + 1] = INT64_MIN;
	for (uint32_t i = 0; i < r->a->n_device; i++)
		if (b->point_of[i] != NOTHING)
			end_ns[b->point_of[i] + 1] =
				max64(end_ns[b->point_of[i] + 1], edges_end(b, i));
	for (uint32_t i = 0; i < r->n_points; i++)
		end_ns[i + 1] = max64(end_ns[i + 1], end_ns[i]);
	return end_ns;
}

/* Where a moment is to be set. */
struct anchor {
	int64_t at_ns;
	struct moment *moment;
	bool place; /* told by when the host is there and what it launched has ended */
};

/* Is a place of the host's, and the end of what it launched before it, this moment? */
static bool is_place(const struct building *b, int64_t host_ns, int64_t moment_ns)
{
	int64_t ended = b->launched_end_ns[graph_points_before(b->r, host_ns)];
	return max64(host_ns, ended) == moment_ns;
}

/* Where a window begins and ends on the host: of a step, or of the whole (NO_ROW). False where
 * these are no such places: their difference would be none. */
static bool host_places(const struct building *b, const struct breakdown *p, uint32_t step,
	const struct time_parts *w, struct time_span *host)
{
	const struct replay *r = b->r;
	*host = (struct time_span){w->start_ns, w->end_ns};
	if (step == NO_ROW && r->n_points) {
		int64_t last = b->t->start_ns[r->point[r->n_points - 1].row];
		host->end_ns = min64(last + 1, w->end_ns); /* the last call is made */
	} else if (step != NO_ROW && !graph_host_of_step(p, b->t, step, host)) {
		return false;
	}
	return is_place(b, host->start_ns, w->start_ns) && is_place(b, host->end_ns, w->end_ns);
}

/* The first event that ends then; NOTHING. */
static uint32_t event_ending_at(const struct building *b, int64_t time_ns)
{
	uint32_t i = 0, n = (uint32_t)b->r->a->n_device;
	if (b->by_end) {
		i = first_where(k, 0, n, edges_end(b, b->by_end[k]) >= time_ns);
		return i < n && edges_end(b, b->by_end[i]) == time_ns ? b->by_end[i] : NOTHING;
	}
	while (i < n && edges_end(b, i) != time_ns)
		i++;
	return i < n ? i : NOTHING;
}

static void set_anchor(struct building *b, const struct anchor *at)
{
	const struct analysis *a = b->r->a;
	struct moment *x = at->moment;
	uint32_t track = a->main_track == NO_ROW ? 0 : a->main_track;
	size_t row = trace_first_from(b->t, at->at_ns);
	*x = (struct moment){.event = NOTHING, .inside = NOTHING};
	if (at->place)
		x->launched = graph_points_before(b->r, at->at_ns);
	else
		x->event = event_ending_at(b, at->at_ns);
	if (x->event != NOTHING)
		return;
	x->at = (struct point){.row = NO_ROW, .awaits = NOTHING};
	edges_follow(b, &x->at, track, at->at_ns, (uint32_t)row);
	if (x->at.before != NOTHING && edges_end_of_point(b, x->at.before) > at->at_ns) {
		x->inside = x->at.before;
		x->since_ns = at->at_ns - b->t->start_ns[b->r->point[x->inside].row];
	}
}

/* What comes next of three lists in the order of time, and when: INT64_MAX behind the last. */
struct walk {
	uint32_t event, point;
	size_t end;
	int64_t event_ns, point_ns, end_ns;
	const struct end_of *ends;
	size_t n_ends;
};

static inline void next_event(const struct building *b, struct walk *w)
{
	w->event_ns = w->event < b->r->a->n_device ? edges_start(b, w->event) : INT64_MAX;
}

static inline void next_point(const struct building *b, struct walk *w)
{
	const struct replay *r = b->r;
	w->point_ns = w->point < r->n_points ? b->t->start_ns[r->point[w->point].row] : INT64_MAX;
}

static inline void next_end(struct walk *w)
{
	w->end_ns = w->end < w->n_ends ? w->ends[w->end].at_ns : INT64_MAX;
}

static inline void step(struct building *b, struct walk *w)
{
	if (w->event_ns <= w->end_ns && w->event_ns <= w->point_ns && w->event_ns < INT64_MAX) {
		uint32_t point = b->point_of[w->event];
		while (point != NOTHING && w->point <= point)
			see_begin(b, w->point++);
		edges_of_event(b, w->event++);
		next_event(b, w);
	} else if (w->end_ns <= w->point_ns && w->end < w->n_ends &&
		w->ends[w->end].point < w->point) {
		see_end(b, w->ends[w->end++].point, w->point, w->event);
		next_end(w);
		return;
	} else {
		see_begin(b, w->point++);
	}
	next_point(b, w);
}

/* Up to a time, and until all anchors (n, by time) are set. */
static void walk(struct building *b, const struct anchor *anchor, size_t n, int64_t until_ns)
{
	struct walk w = {0};
	struct end_of *ends = ends_of(b, &w.n_ends);
	size_t set = 0;
	w.ends = ends;
	next_event(b, &w);
	next_point(b, &w);
	next_end(&w);
	for (;;) {
		int64_t next = min64(w.event_ns, min64(w.end_ns, w.point_ns));
		if (next > until_ns && set >= n)
			break;
		if (set < n && next > anchor[set].at_ns)
			set_anchor(b, &anchor[set++]);
		else
			step(b, &w);
	}
	b->r->n_events = w.event;
	turn(b->r, w.point, TURN_BEGIN);
	turn(b->r, w.event, TURN_EVENTS);
	free(ends);
}

static void walk_window(struct building *b, const struct breakdown *p)
{
	struct replay *r = b->r;
	const struct time_parts *w = breakdown_window(p);
	struct time_span at;
	bool both = host_places(b, p, p->median, w, &at);
	if (!both)
		at = (struct time_span){w->start_ns, w->end_ns};
	const struct anchor anchor[] = {{at.start_ns, &r->from, both}, {at.end_ns, &r->to, both}};
	walk(b, anchor, 2, w->end_ns);
}

ORDER(by_time, struct anchor, UP(at_ns) ?: UP(moment));

static int by_end_of_event(const void *left, const void *right, const void *context)
{
	const struct building *b = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	int64_t l_ns = edges_end(b, l), r_ns = edges_end(b, r);
	return l_ns != r_ns ? (l_ns > r_ns) - (l_ns < r_ns) : (l > r) - (l < r);
}

static void sort_ends(struct building *b)
{
	size_t n = b->r->a->n_device;
	uint32_t *by_end = arena_array(b->scratch, n, sizeof *by_end);
	for (uint32_t i = 0; i < n; i++)
		by_end[i] = i;
	sort_with(by_end, n, sizeof *by_end, by_end_of_event, b);
	b->by_end = by_end;
}

static void walk_steps(struct building *b, const struct breakdown *p, struct time_moments *of)
{
	struct anchor *anchor = arena_array(b->scratch, 2 * (size_t)p->n_steps, sizeof *anchor);
	size_t n = 0;
	int64_t until_ns = INT64_MIN;
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct time_parts *w = &p->steps[i].split;
		struct time_span at;
		bool both = host_places(b, p, i, w, &at);
		if (!both)
			at = (struct time_span){w->start_ns, w->end_ns};
		anchor[n++] = (struct anchor){at.start_ns, &of[i].from, both};
		anchor[n++] = (struct anchor){at.end_ns, &of[i].to, both};
		until_ns = max64(until_ns, w->end_ns);
	}
	qsort(anchor, n, sizeof *anchor, by_time);
	sort_ends(b);
	walk(b, anchor, n, until_ns);
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

/* Events that hold each other stand in the order of their turns. */
static bool is_from_outside(const struct replay *r, const struct event *e)
{
	return e->ahead == NOTHING || !r->event[e->ahead].in_step ||
		(e->held_by != NOTHING && !r->event[e->held_by].in_step);
}

/* The events of the step up to one, from where it was come to. */
static void gather_events(struct building *b, uint32_t from, uint32_t behind)
{
	struct replay *r = b->r;
	for (uint32_t i = from; i < behind; i++) {
		struct event *e = &r->event[i];
		e->in_step = r->a->device_calls[i] == NO_ROW
			? e->ahead != NOTHING && r->event[e->ahead].in_step
			: e->point >= r->first && e->point < r->behind;
		if (!e->in_step)
			continue;
		e->hangs |= is_from_outside(r, e) ? HANGS_OUTSIDE : 0;
		r->last_on[b->t->track[r->a->device_rows[i]]] = i;
		r->step_event[r->n_step_events++] = i;
	}
}

/* What the host does and launches from one end of a step to the other. */
static void gather_step(struct building *b, struct arena *arena, const struct breakdown *p)
{
	struct replay *r = b->r;
	struct time_span host;
	uint32_t event = 0;
	if (p->median == NO_ROW || !host_places(b, p, p->median, breakdown_window(p), &host))
		return;
	r->host_from_ns = host.start_ns;
	r->first = graph_points_before(r, host.start_ns);
	r->behind = graph_points_before(r, host.end_ns);
	r->step = arena_unset(arena, r->n_order, sizeof *r->step);
	r->step_event = arena_unset(arena, r->n_events, sizeof *r->step_event);
	r->last_on = arena_unset(arena, b->t->n_tracks, sizeof *r->last_on);
	memset(r->last_on, 0xff, b->t->n_tracks * sizeof *r->last_on);
	for (size_t i = 0; i < r->n_order; i++) {
		uint32_t index = r->order[i] >> 2;
		switch ((enum turn)(r->order[i] & 3)) {
		case TURN_BEGIN:
			index = max32(r->first, min32(index, r->behind));
			r->step[r->n_step++] = index * 4 + TURN_BEGIN;
			break;
		case TURN_END:
			if (index >= r->first && index < r->behind)
				r->step[r->n_step++] = r->order[i];
			break;
		case TURN_EVENTS:
			gather_events(b, event, index);
			event = index;
			r->step[r->n_step++] = r->n_step_events * 4 + TURN_EVENTS;
		}
	}
}

/* A stream's events end in their order where each begins no earlier than the one ahead ended. */
static void find_last(struct building *b, struct arena *arena, struct moment *at)
{
	const struct replay *r = b->r;
	uint8_t *passed = arena_array(b->scratch, b->t->n_tracks, 1);
	int room = 0, n = 0;
	for (uint32_t i = at->launched ? r->n_events : 0; i-- > 0;) {
		const struct event *e = &r->event[i];
		uint8_t *own = &passed[b->t->track[r->a->device_rows[i]]];
		bool launched = e->point < at->launched && r->a->device_calls[i] != NO_ROW;
		if (launched && !*own) {
			at->last = arena_room(arena, at->last, n, &room, sizeof *at->last);
			at->last[n++] = i;
		}
		*own = (*own || launched) && e->behind_ns >= 0;
	}
	at->n_last = (uint32_t)n;
}

void graph_build(struct replay *r, struct arena *arena, const struct breakdown *p,
	struct time_moments *steps)
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
	b.launches = arena_array(&scratch, t->n_tracks, 1);
	gather_points(&b, arena, steps ? INT64_MAX : last_that_matters(&b, p));
	find_points(&b);
	graph_find_medians(r);
	r->event = arena_unset(arena, r->a->n_device, sizeof *r->event);
	r->order = arena_unset(arena, 3 * (size_t)r->n_points + 2, sizeof *r->order);
	b.launched_end_ns = ends_of_launched(&b);
	if (steps) {
		walk_steps(&b, p, steps);
	} else {
		walk_window(&b, p);
		find_last(&b, arena, &r->from);
		find_last(&b, arena, &r->to);
		gather_step(&b, arena, p);
		graph_find_calm(r, arena, p);
	}
	gather_stepping(r, arena, p);
	r->purposes = &p->purposes;
	graph_find_tail(r);
	arena_release(&scratch);
}
