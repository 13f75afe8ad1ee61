/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/run_graph.h"

#include "base/min_max.h"
#include "report/analyse/profiler_cost.h"

#include <stdlib.h>
#include <string.h>

static const struct replay_change none, unrecorded = {.unrecorded = true};

/* What of a change is about events, so that the graph does not tell alone when they begin. */
struct touching {
	bool all;
	uint8_t hangs; /* on these */
	const float *factor;
	const int64_t *late_ns;
};

struct running {
	const struct replay *r;
	const struct replay_change *change;
	bool plain;
	bool recorded; /* the host does what it did */
	bool recurs; /* it is a step that is run ROUNDS times */
	int round;
	int64_t host_ns; /* when the host begins the round */
	/* (n_points), and (n_events): when it ends, and when its stream is free, which is the same
	   where nothing runs beside. At -1, which is NOTHING, stands what holds nothing back. */
	int64_t *begin_ns, *end_ns, *done_ns, *free_ns;
	struct touching by;
	const int64_t *late_ns; /* (n_events) NULL where somebody records */
	uint32_t begun, next; /* the next point, and event, to be run */
	int64_t beside_ns; /* when what runs beside has ended */
	int64_t *launched_ns; /* (n_points + 1) when what the points before each launched has
				 ended; NULL: it is not asked for more than two of them */
	size_t near[2]; /* where it was looked last in what is spared, and in what is stepping */
	struct reach clear; /* around the last point that was not spared: nothing is in there */
};

/* ---- the host ---- */

/* Times that the host takes as long as by estimate, in front of a point and in it. */
static struct calm pace_of(const struct replay *r, const struct point *p)
{
	struct calm c = r->calm && p->row != NO_ROW ? r->calm[p - r->point] : (struct calm){1, 1};
	return (struct calm){r->slower * c.gap, r->slower * c.own};
}

/* What is left of the host's time between two recorded moments, up to a point. */
static int64_t host_time(struct running *x, int64_t from_ns, int64_t to_ns, uint32_t operators,
	const struct point *p)
{
	int64_t whole = to_ns - from_ns, left = whole;
	if (whole <= 0)
		return whole;
	if (x->change->spared)
		left -= spans_covered_near(x->change->spared, from_ns, to_ns, &x->near[0]);
	if (!left || !x->change->unrecorded)
		return left;
	if (x->r->stepping.n)
		left = max64(
			0, left - spans_covered_near(&x->r->stepping, from_ns, to_ns, &x->near[1]));
	double cost = (double)operators * (double)x->r->operator_ns + (double)p->calls_ns;
	cost *= (double)left / (double)whole;
	double most = PROFILER_COST_OF_GAP * (double)left;
	cost = cost < most ? cost : most;
	return (int64_t)(pace_of(x->r, p).gap * (double)(left - (int64_t)cost));
}

/* What recording a call costs: a share of a usual one at most, what is long is long for another
 * reason. */
static int64_t recording_ns(const struct replay *r, const struct point *p, int64_t own_ns)
{
	uint8_t class = r->a->class[p->row];
	double usual = 2 * r->a->call_median_ns, own = (double)own_ns;
	if (class != CLASS_LAUNCH && class != CLASS_COPY_CALL)
		return 0;
	return (int64_t)(PROFILER_COST_OF_LAUNCH * (own < usual ? own : usual));
}

/* How long a call is when nobody records; the end of one that waits is the device's. */
static int64_t unrecorded_ns(const struct replay *r, const struct point *p, int64_t own_ns)
{
	if (p->awaits != NOTHING)
		return own_ns;
	return (int64_t)(pace_of(r, p).own * (double)(own_ns - recording_ns(r, p, own_ns)));
}

/* When what a point follows has ended, as recorded; the window's origin. */
static int64_t follows_ns(const struct replay *r, const struct point *p)
{
	return p->before == NOTHING ? 0 : row_end(r->a->trace, r->point[p->before].row);
}

/* Those of a run: two of each point and event, and what stands in front of each array. */
static size_t room_for_times(const struct replay *r)
{
	return 2 * ((size_t)r->n_points + r->n_events + 2);
}

void run_graph_pace(struct replay *r, struct arena *arena)
{
	struct running x = {.r = r, .change = &unrecorded};
	if (!r->times) {
		r->times = arena_own(arena, xcalloc(room_for_times(r), sizeof *r->times));
		r->ran_all = arena_alloc(arena, sizeof *r->ran_all);
		r->pace = arena_unset(arena, r->n_points, sizeof *r->pace);
		r->reach = arena_unset(arena, r->n_points, sizeof *r->reach);
	}
	for (uint32_t i = 0; i < r->n_points; i++) {
		const struct point *p = &r->point[i];
		int64_t start = r->a->trace->start_ns[p->row], from = follows_ns(r, p);
		r->reach[i] = (struct reach){min64(from, start), start + p->own_ns};
		r->pace[i] = (struct pace){.before = p->before,
			.awaits = p->awaits,
			.gap_ns = host_time(&x, from, from + p->gap_ns, p->operators, p),
			.own_ns = unrecorded_ns(r, p, p->own_ns),
			.tail_ns = p->tail_ns};
	}
	graph_find_late(r, arena);
}

/* Is a point that follows this one the first on its way through a round? */
static inline bool begins_round(const struct running *x, uint32_t before)
{
	return x->recurs && (before == NOTHING || before < x->r->first);
}

static int64_t begin_of(struct running *x, const struct point *p)
{
	const struct replay *r = x->r;
	int64_t from = follows_ns(r, p);
	if (begins_round(x, p->before)) {
		uint32_t seen = p->seen > r->from.at.seen ? p->seen - r->from.at.seen : 0;
		return x->host_ns + host_time(x, r->host_from_ns, from + p->gap_ns, seen, p);
	}
	return (p->before == NOTHING ? 0 : x->end_ns[p->before]) +
		host_time(x, from, from + p->gap_ns, p->operators, p);
}

/* Is a change about the host's time in or in front of a point? Most are between the same two as the
 * point before. */
static inline bool is_spared(struct running *x, const struct reach *p)
{
	const struct spans *s = x->change->spared;
	if (p->from_ns >= x->clear.from_ns && p->until_ns <= x->clear.until_ns)
		return false;
	size_t i = spans_behind_near(s, p->from_ns, &x->near[0]);
	if (i < s->n && s->at[i].start_ns < p->until_ns)
		return true;
	x->clear = (struct reach){
		i ? s->at[i - 1].end_ns : INT64_MIN, i < s->n ? s->at[i].start_ns : INT64_MAX};
	return false;
}

static void run_touched(struct running *x, uint32_t index)
{
	const struct point *p = &x->r->point[index];
	int64_t own = p->own_ns, start = x->r->a->trace->start_ns[p->row];
	if (x->change->spared)
		own -= spans_covered_near(x->change->spared, start, start + own, &x->near[0]);
	if (x->change->unrecorded)
		own = unrecorded_ns(x->r, p, own);
	if (x->change->added_ns)
		own += (int64_t)(x->r->slower * (double)x->change->added_ns[index]);
	x->begin_ns[index] = begin_of(x, p);
	x->end_ns[index] = x->begin_ns[index] + own;
}

/* As it was recorded, where nothing is changed. */
static inline void run_recorded(struct running *x, uint32_t index)
{
	const struct point *p = &x->r->point[index];
	x->begin_ns[index] = x->end_ns[(int32_t)p->before] + p->gap_ns;
	x->end_ns[index] = x->begin_ns[index] + p->own_ns;
}

/* The next points begin, one behind the other. */
static void run_begins(struct running *x, uint32_t behind)
{
	const struct pace *pace = x->r->pace;
	const struct reach *reach = x->r->reach;
	int64_t *begin_ns = x->begin_ns, *end_ns = x->end_ns;
	uint32_t next = x->begun;
	x->begun = max32(next, behind);
	for (; next < behind; next++) {
		const struct pace *p = &pace[next];
		bool first = begins_round(x, p->before);
		if (x->recorded && !first) {
			run_recorded(x, next);
		} else if (first || !x->change->unrecorded || is_spared(x, &reach[next])) {
			run_touched(x, next);
		} else {
			int64_t begin = end_ns[(int32_t)p->before] + p->gap_ns;
			begin_ns[next] = begin;
			end_ns[next] = begin + p->own_ns;
		}
	}
}

/* ---- the device ---- */

/* When an event has ended, or left its stream: one from before the step has when the host begins
 * the first round, and in the next the last on its stream of the round before has. How far ahead
 * the host was when it was recorded is nothing that a changed step has: it would be used up in
 * time. */
static int64_t ended(const struct running *x, const int64_t *ns, uint32_t event)
{
	const struct replay *r = x->r;
	if (!x->recurs || r->event[event].in_step)
		return ns[event];
	uint32_t row = r->a->device_rows[event];
	if (!x->round)
		return min64(row_end(r->a->trace, row), r->host_from_ns);
	uint32_t last = r->last_on[r->a->trace->track[row]];
	return last == NOTHING ? INT64_MIN / 2 : ns[last];
}

static void run_end(struct running *x, uint32_t index)
{
	const struct pace *p = &x->r->pace[index];
	const struct point *whole = &x->r->point[index];
	if (x->change->passes && x->change->passes[whole->row])
		return;
	int64_t tail = x->plain && !graph_copies(x->r, whole) ? x->r->tail_ns : p->tail_ns;
	x->end_ns[index] = max64(x->end_ns[index], ended(x, x->done_ns, p->awaits) + tail);
}

static int64_t length_of(const struct running *x, uint32_t index)
{
	int64_t ns = x->r->event[index].dur_ns - (x->late_ns ? x->late_ns[index] : 0);
	return x->change->factor ? (int64_t)((double)ns * (double)x->change->factor[index]) : ns;
}

/* The time of the edge that the event began upon: as recorded, or the median. */
static int64_t edge(const struct running *x, const struct event *e, enum bound bound, int64_t ns,
	int64_t median)
{
	if (!x->plain || e->bound != bound || (bound == BOUND_LAUNCH && e->hangs & HANGS_IN_CALL))
		return ns;
	return median;
}

/* What the host is spared of a long call, in or behind which the event began. */
static int64_t spared_in_call(struct running *x, const struct event *e)
{
	if (!(e->hangs & HANGS_IN_CALL) || !x->change->spared)
		return 0;
	int64_t called = x->r->a->trace->start_ns[x->r->point[e->point].row];
	return spans_covered_near(x->change->spared, called, called + e->launch_ns, &x->near[0]);
}

/* The first event of its stream in the file waits for the last of the round before. */
static int64_t end_of_last_round(const struct running *x, uint32_t index)
{
	const struct replay *r = x->r;
	uint32_t last = r->last_on[r->a->trace->track[r->a->device_rows[index]]];
	return last == NOTHING ? INT64_MIN / 2 : x->free_ns[last] + r->behind_ns;
}

static int64_t start_of_touched(struct running *x, uint32_t index, int64_t ahead)
{
	const struct replay *r = x->r;
	const struct event *e = &r->event[index];
	int64_t start = x->begin_ns[(int32_t)e->point] +
		edge(x, e, BOUND_LAUNCH, e->launch_ns, r->launch_ns) - spared_in_call(x, e);
	if (e->ahead != NOTHING)
		start = max64(start,
			ahead +
				edge(x, e, BOUND_STREAM, e->behind_ns,
					e->inside ? r->inside_ns : r->behind_ns));
	else if (x->recurs && x->round)
		start = max64(start, end_of_last_round(x, index));
	if (e->held_by != NOTHING && !(x->change->beside && x->change->beside[e->held_by]))
		start = max64(start,
			ended(x, x->done_ns, e->held_by) +
				edge(x, e, BOUND_OTHER, e->held_ns, r->behind_ns));
	return start;
}

static void run_touched_event(struct running *x, uint32_t index)
{
	const struct event *e = &x->r->event[index];
	int64_t ahead = e->ahead == NOTHING ? INT64_MIN : ended(x, x->free_ns, e->ahead);
	int64_t done = ahead;
	if (e->ahead == NOTHING || !x->change->factor || x->change->factor[index] > 0)
		done = start_of_touched(x, index, ahead) + length_of(x, index);
	x->done_ns[index] = x->free_ns[index] = done;
}

/* As soon as it is launched, and what else runs beside has ended; the first has no lead over its
 * own stream. */
static void run_beside(struct running *x, uint32_t index)
{
	const struct event *e = &x->r->event[index];
	int64_t start = e->launch_ns;
	if (e->point != NOTHING)
		start = x->begin_ns[e->point] + min64(e->launch_ns, x->r->launch_ns);
	x->free_ns[index] = e->ahead == NOTHING ? INT64_MIN / 2 : ended(x, x->free_ns, e->ahead);
	start = max64(start, x->beside_ns == INT64_MIN ? x->free_ns[index] : x->beside_ns);
	x->beside_ns = x->done_ns[index] = start + length_of(x, index);
}

/* ---- moments ---- */

static int64_t host_moment(struct running *x, const struct moment *at)
{
	const struct replay *r = x->r;
	if (at->inside == NOTHING)
		return begin_of(x, &at->at);
	if (x->recurs && at->inside >= r->behind) /* it begins the next step */
		return begin_of(x, &r->point[at->inside]) + at->since_ns;
	return x->begin_ns[at->inside] + at->since_ns;
}

/* When what the points before a moment launched has ended. */
static int64_t end_of_launched(const struct running *x, const struct moment *at)
{
	const struct replay *r = x->r;
	int64_t ns = INT64_MIN;
	if (x->launched_ns)
		return x->launched_ns[at->launched];
	for (uint32_t i = 0; !x->change->beside && i < at->n_last; i++)
		ns = max64(ns, x->done_ns[at->last[i]]);
	for (uint32_t i = 0; x->change->beside && i < r->n_events; i++)
		if (r->event[i].point < at->launched && r->a->device_calls[i] != NO_ROW)
			ns = max64(ns, x->done_ns[i]);
	return ns;
}

static int64_t moment(struct running *x, const struct moment *at)
{
	if (at->event != NOTHING)
		return x->done_ns[at->event];
	int64_t ns = host_moment(x, at);
	return at->launched ? max64(ns, end_of_launched(x, at)) : ns;
}

/* Fills in launched_ns, for many moments. */
static void find_ends_of_launched(struct running *x)
{
	const struct replay *r = x->r;
	x->launched_ns = xcalloc((size_t)r->n_points + 1, sizeof *x->launched_ns);
	for (uint32_t i = 0; i <= r->n_points; i++)
		x->launched_ns[i] = INT64_MIN;
	for (uint32_t i = 0; i < r->n_events; i++)
		if (r->event[i].point != NOTHING && r->a->device_calls[i] != NO_ROW) {
			int64_t *ns = &x->launched_ns[r->event[i].point + 1];
			*ns = max64(*ns, x->done_ns[i]);
		}
	for (uint32_t i = 0; i < r->n_points; i++)
		x->launched_ns[i + 1] = max64(x->launched_ns[i + 1], x->launched_ns[i]);
}

/* ---- all of it ---- */

static void run_changed(struct running *x, uint32_t index)
{
	if (x->change->beside && x->change->beside[index])
		run_beside(x, index);
	else
		run_touched_event(x, index);
}

/* The next events; `which`: of a list, NULL: of all. */
static void run_events(struct running *x, const uint32_t *which, uint32_t behind)
{
	const struct event *event = x->r->event;
	const float *factor = x->by.factor;
	const int64_t *late_ns = x->by.late_ns, *begin_ns = x->begin_ns;
	int64_t *done_ns = x->done_ns, *free_ns = x->free_ns;
	bool all = x->by.all;
	uint8_t hangs = x->by.hangs;
	for (uint32_t next = x->next; next < behind; next++) {
		uint32_t index = which ? which[next] : next;
		const struct event *e = &event[index];
		if (all || e->hangs & hangs || (factor && factor[index] != 1) ||
			(late_ns && late_ns[index])) {
			run_changed(x, index);
			continue;
		}
		int64_t launched = begin_ns[(int32_t)e->point] + e->launch_ns;
		int64_t ahead = free_ns[(int32_t)e->ahead] + e->behind_ns;
		int64_t held = done_ns[(int32_t)e->held_by] + e->held_ns;
		int64_t done = max64(max64(launched, ahead), held) + e->dur_ns;
		done_ns[index] = free_ns[index] = done;
	}
	x->next = max32(x->next, behind);
}

static void run_turns(struct running *x, const uint32_t *order, size_t n, const uint32_t *which)
{
	x->begun = x->recurs ? x->r->first : 0;
	x->next = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t index = order[i] >> 2;
		switch ((enum turn)(order[i] & 3)) {
		case TURN_BEGIN:
			run_begins(x, index);
			break;
		case TURN_END:
			run_end(x, index);
			break;
		case TURN_EVENTS:
			run_events(x, which, index);
		}
	}
}

/* The step, one behind the other; the first begins as it was recorded to. */
static int64_t run_rounds(struct running *x)
{
	enum { ROUNDS = 3 };
	const struct replay *r = x->r;
	int64_t was = 0, ns = 0;
	x->host_ns = r->host_from_ns;
	for (x->round = 0; x->round < ROUNDS; x->round++) {
		run_turns(x, r->step, r->n_step, r->step_event);
		was = ns;
		ns = x->host_ns = host_moment(x, &r->to);
		for (uint32_t i = 0; i < r->n_step_events; i++)
			if (r->a->device_calls[r->step_event[i]] != NO_ROW)
				ns = max64(ns, x->done_ns[r->step_event[i]]);
	}
	return ns - was;
}

/* What a step that recurs has not run is 0, and it runs nothing that is not in it. */
static void forget_times(const struct running *x)
{
	const struct replay *r = x->r;
	uint32_t n = r->n_step_events, first = n ? r->step_event[0] : 0;
	size_t points = (r->behind - r->first) * sizeof *r->times;
	size_t events = n ? (r->step_event[n - 1] + 1 - first) * sizeof *r->times : 0;
	if (*r->ran_all) {
		memset(r->times, 0, room_for_times(r) * sizeof *r->times);
		*r->ran_all = false;
		return;
	}
	memset(x->begin_ns + r->first, 0, points);
	memset(x->end_ns + r->first, 0, points);
	memset(x->done_ns + first, 0, events);
	memset(x->done_ns + r->n_events + 1 + first, 0, events);
}

static struct running begin(
	const struct replay *r, const struct replay_change *change, enum run_kind kind)
{
	struct running x = {.r = r,
		.change = change ? change : &none,
		.plain = kind == RUN_PLAIN,
		.recurs = kind == RUN_STEP,
		.late_ns = change && change->unrecorded ? r->late_ns : NULL,
		.beside_ns = INT64_MIN};
	x.recorded = !x.change->unrecorded && !x.change->spared && !x.change->added_ns;
	x.clear = x.change->spared ? (struct reach){0, 0} : (struct reach){INT64_MIN, INT64_MAX};
	uint8_t hangs = (x.change->spared ? HANGS_IN_CALL : 0) | (x.recurs ? HANGS_OUTSIDE : 0);
	x.by = (struct touching){x.plain || x.change->beside, hangs, x.change->factor, x.late_ns};
	size_t points = (size_t)r->n_points + 1, events = (size_t)r->n_events + 1;
	x.begin_ns = r->times + 1;
	x.end_ns = x.begin_ns + points;
	x.done_ns = x.end_ns + points;
	x.free_ns = x.change->beside ? x.done_ns + events : x.done_ns;
	if (x.recurs)
		forget_times(&x);
	else
		*r->ran_all = true;
	x.begin_ns[-1] = x.end_ns[-1] = 0;
	x.done_ns[-1] = x.free_ns[-1] = INT64_MIN / 2;
	return x;
}

int64_t run_graph(const struct replay *r, const struct replay_change *change, enum run_kind kind)
{
	struct running x = begin(r, change, kind);
	int64_t ns;
	if (kind == RUN_STEP) {
		ns = run_rounds(&x);
	} else {
		run_turns(&x, r->order, r->n_order, NULL);
		ns = moment(&x, &r->to) - moment(&x, &r->from);
	}
	return max64(ns, 0);
}

void run_graph_moments(
	const struct replay *r, const struct time_moments *of, uint32_t n, int64_t *length_ns)
{
	struct running x = begin(r, &unrecorded, RUN_WINDOW);
	run_turns(&x, r->order, r->n_order, NULL);
	find_ends_of_launched(&x);
	for (uint32_t i = 0; i < n; i++)
		length_ns[i] = moment(&x, &of[i].to) - moment(&x, &of[i].from);
	free(x.launched_ns);
}
