/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/replay.h"

#include "base/min_max.h"
#include "report/analyse/profiler_cost.h"
#include "report/replay/graph.h"

#include <math.h>
#include <stdlib.h>

static const struct replay_change none;

/* ---- running ---- */

struct running {
	const struct replay *r;
	const struct replay_change *change;
	bool plain;
	bool recurs; /* it is a step that is run ROUNDS times */
	int round;
	int64_t host_ns; /* when the host begins the round */
	int64_t *begin_ns, *end_ns; /* (n_points) */
	int64_t *done_ns; /* (n_events) when it ends */
	int64_t *
		free_ns; /* (n_events) when its stream is free; done_ns where nothing runs beside */
	int64_t beside_ns; /* when what runs beside has ended */
	int64_t *launched_ns; /* (n_points + 1) when what the points before each launched has
				 ended; NULL: it is not asked for more than two of them */
	size_t *near; /* where it was looked last in what is spared, and in what is stepping */
};

static int64_t later(int64_t left, int64_t right)
{
	return max64(left, right);
}

/* What is left of the host's time between two recorded moments. */
static int64_t host_time(
	const struct running *x, int64_t from_ns, int64_t to_ns, uint32_t operators)
{
	int64_t whole = to_ns - from_ns, left = whole;
	if (whole <= 0)
		return whole;
	if (x->change->spared)
		left -= spans_covered_near(x->change->spared, from_ns, to_ns, x->near);
	if (x->change->unrecorded)
		left = max64(
			0, left - spans_covered_near(&x->r->stepping, from_ns, to_ns, &x->near[1]));
	if (!x->change->unrecorded || !operators)
		return left;
	double cost = (double)operators * (double)x->r->operator_ns * (double)left / (double)whole;
	return left - (int64_t)(cost < (double)left ? cost : (double)left);
}

static int64_t begin_of(const struct running *x, const struct point *p)
{
	const struct replay *r = x->r;
	int64_t base = 0, from = 0;
	if (p->before != NOTHING)
		from = row_end(r->a->trace, r->point[p->before].row);
	if (x->recurs && (p->before == NOTHING || p->before < r->first)) {
		uint32_t seen = p->seen > r->from.at.seen ? p->seen - r->from.at.seen : 0;
		return x->host_ns + host_time(x, r->host_from_ns, from + p->gap_ns, seen);
	}
	if (p->before != NOTHING)
		base = x->end_ns[p->before];
	return base + host_time(x, from, from + p->gap_ns, p->operators);
}

/* When an event has ended, or left its stream: one from before the step is as recorded in the first
 * round, and in the next the last on its stream of the round before. */
static int64_t ended(const struct running *x, const int64_t *ns, uint32_t event)
{
	const struct replay *r = x->r;
	uint32_t row = r->a->device_rows[event];
	if (!x->recurs || r->event[event].in_step)
		return ns[event];
	if (!x->round)
		return row_end(r->a->trace, row);
	uint32_t last = r->last_on[r->a->trace->track[row]];
	return last == NOTHING ? INT64_MIN / 2 : ns[last];
}

/* What recording a call costs: a share of a usual one at most, what is long is long for another
 * reason. */
static int64_t recording_ns(const struct replay *r, uint32_t call, int64_t own_ns)
{
	uint8_t class = r->a->class[call];
	double usual = 2 * r->a->call_median_ns, own = (double)own_ns;
	if (class != CLASS_LAUNCH && class != CLASS_COPY_CALL)
		return 0;
	return (int64_t)(PROFILER_COST_OF_LAUNCH * fmin(own, usual));
}

static void run_begin(struct running *x, uint32_t index)
{
	const struct point *p = &x->r->point[index];
	const struct trace *t = x->r->a->trace;
	int64_t own = p->own_ns, start = t->start_ns[p->row];
	if (x->change->spared)
		own -= spans_covered_near(x->change->spared, start, start + own, x->near);
	if (x->change->unrecorded && p->awaits == NOTHING)
		own -= recording_ns(x->r, p->row, own);
	x->begin_ns[index] = begin_of(x, p);
	x->end_ns[index] = x->begin_ns[index] + own;
}

static void run_end(struct running *x, uint32_t index)
{
	const struct point *p = &x->r->point[index];
	if (x->change->passes && x->change->passes[p->row])
		return;
	int64_t tail = x->plain && !graph_copies(x->r, p) ? x->r->tail_ns : p->tail_ns;
	x->end_ns[index] = later(x->end_ns[index], ended(x, x->done_ns, p->awaits) + tail);
}

static int64_t length_of(const struct running *x, uint32_t index)
{
	int64_t ns = x->r->a->trace->dur_ns[x->r->a->device_rows[index]];
	return x->change->factor ? (int64_t)((double)ns * (double)x->change->factor[index]) : ns;
}

/* The time of the edge that the event began upon: as recorded, or the median. */
static int64_t edge(const struct running *x, const struct event *e, enum bound bound, int64_t ns,
	int64_t median)
{
	if (!x->plain || e->bound != bound || (bound == BOUND_LAUNCH && e->in_call))
		return ns;
	return median;
}

/* What the host is spared of a long call, in or behind which the event began. */
static int64_t spared_in_call(const struct running *x, const struct event *e)
{
	if (!e->in_call || !x->change->spared)
		return 0;
	int64_t called = x->r->a->trace->start_ns[x->r->point[e->point].row];
	return spans_covered_near(x->change->spared, called, called + e->launch_ns, x->near);
}

/* The first event of its stream in the file waits for the last of the round before. */
static int64_t end_of_last_round(const struct running *x, uint32_t index)
{
	const struct replay *r = x->r;
	uint32_t last = r->last_on[r->a->trace->track[r->a->device_rows[index]]];
	return last == NOTHING ? INT64_MIN / 2 : x->free_ns[last] + r->behind_ns;
}

static void run_event(struct running *x, uint32_t index)
{
	const struct replay *r = x->r;
	const struct event *e = &r->event[index];
	int64_t ahead = e->ahead == NOTHING ? INT64_MIN : ended(x, x->free_ns, e->ahead);
	if (x->change->factor && x->change->factor[index] <= 0 && e->ahead != NOTHING) {
		x->done_ns[index] = x->free_ns[index] = ahead;
		return;
	}
	int64_t start = e->point == NOTHING ? e->launch_ns
					    : x->begin_ns[e->point] +
			edge(x, e, BOUND_LAUNCH, e->launch_ns, r->launch_ns) - spared_in_call(x, e);
	if (e->ahead != NOTHING)
		start = later(start,
			ahead +
				edge(x, e, BOUND_STREAM, e->behind_ns,
					e->inside ? r->inside_ns : r->behind_ns));
	else if (x->recurs && x->round)
		start = later(start, end_of_last_round(x, index));
	if (e->held_by != NOTHING && !(x->change->beside && x->change->beside[e->held_by]))
		start = later(start,
			ended(x, x->done_ns, e->held_by) +
				edge(x, e, BOUND_OTHER, e->held_ns, r->behind_ns));
	x->done_ns[index] = x->free_ns[index] = start + length_of(x, index);
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
	start = later(start, x->beside_ns == INT64_MIN ? x->free_ns[index] : x->beside_ns);
	x->beside_ns = x->done_ns[index] = start + length_of(x, index);
}

static int64_t host_moment(const struct running *x, const struct moment *at)
{
	const struct replay *r = x->r;
	if (at->inside == NOTHING)
		return begin_of(x, &at->at);
	if (x->recurs && at->inside >= r->behind) /* it begins the next step */
		return begin_of(x, &r->point[at->inside]) + at->since_ns;
	return x->begin_ns[at->inside] + at->since_ns;
}

/* When what the points before one launched has ended. */
static int64_t end_of_launched(const struct running *x, uint32_t point)
{
	const struct replay *r = x->r;
	int64_t ns = INT64_MIN;
	if (x->launched_ns)
		return x->launched_ns[point];
	for (uint32_t i = 0; i < r->n_events; i++)
		if (r->event[i].point < point && r->a->device_calls[i] != NO_ROW)
			ns = later(ns, x->done_ns[i]);
	return ns;
}

static int64_t moment(const struct running *x, const struct moment *at)
{
	if (at->event != NOTHING)
		return x->done_ns[at->event];
	int64_t ns = host_moment(x, at);
	return at->launched ? later(ns, end_of_launched(x, at->launched)) : ns;
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
			*ns = later(*ns, x->done_ns[i]);
		}
	for (uint32_t i = 0; i < r->n_points; i++)
		x->launched_ns[i + 1] = later(x->launched_ns[i + 1], x->launched_ns[i]);
}

static void run_all(struct running *x, const uint32_t *order, size_t n)
{
	const uint8_t *beside = x->change->beside;
	for (size_t i = 0; i < n; i++) {
		uint32_t index = order[i] >> 2;
		switch ((enum turn)(order[i] & 3)) {
		case TURN_EVENT:
			if (beside && beside[index])
				run_beside(x, index);
			else
				run_event(x, index);
			break;
		case TURN_END:
			run_end(x, index);
			break;
		case TURN_BEGIN:
			run_begin(x, index);
		}
	}
}

/* The step, one behind the other; the first begins as it was recorded to. */
static int64_t run_rounds(struct running *x)
{
	enum { ROUNDS = 3 };
	const struct replay *r = x->r;
	int64_t was = 0, ns = 0;
	x->recurs = true;
	x->host_ns = r->host_from_ns;
	for (x->round = 0; x->round < ROUNDS; x->round++) {
		run_all(x, r->step, r->n_step);
		was = ns;
		ns = x->host_ns = host_moment(x, &r->to);
		for (size_t i = 0; i < r->n_step; i++) {
			uint32_t index = r->step[i] >> 2;
			if ((r->step[i] & 3) == TURN_EVENT && r->a->device_calls[index] != NO_ROW)
				ns = later(ns, x->done_ns[index]);
		}
	}
	return ns - was;
}

static struct running begin(
	const struct replay *r, const struct replay_change *change, size_t near[2])
{
	struct running x = {.r = r, .change = change ? change : &none, .near = near};
	x.begin_ns = xcalloc(r->n_points, sizeof *x.begin_ns);
	x.end_ns = xcalloc(r->n_points, sizeof *x.end_ns);
	x.done_ns = x.free_ns = xcalloc(r->n_events, sizeof *x.done_ns);
	x.beside_ns = INT64_MIN;
	if (x.change->beside)
		x.free_ns = xcalloc(r->n_events, sizeof *x.free_ns);
	return x;
}

static void end(struct running *x)
{
	free(x->begin_ns);
	free(x->end_ns);
	if (x->free_ns != x->done_ns)
		free(x->free_ns);
	free(x->done_ns);
	free(x->launched_ns);
}

static int64_t run(
	const struct replay *r, const struct replay_change *change, bool plain, bool recurs)
{
	size_t near[2] = {0};
	struct running x = begin(r, change, near);
	int64_t ns;
	x.plain = plain;
	if (recurs) {
		ns = run_rounds(&x);
	} else {
		run_all(&x, r->order, r->n_order);
		ns = moment(&x, &r->to) - moment(&x, &r->from);
	}
	end(&x);
	return max64(ns, 0);
}

/* ---- questions ---- */

static const struct replay_change unrecorded = {.unrecorded = true};

static bool is_off(const struct replay *r, int64_t ns)
{
	double off = (double)(ns - r->recorded_ns);
	return r->recorded_ns <= 0 || (off < 0 ? -off : off) > REPLAY_OFF * (double)r->recorded_ns;
}

/* A step that is another when it recurs stands for itself. */
static void find_steady(struct replay *r)
{
	if (r->n_step)
		r->steady_ns = run(r, NULL, false, true);
	if (r->n_step && is_off(r, r->steady_ns))
		r->n_step = 0;
}

static int64_t changed_ns(const struct replay *r, const struct replay_change *change)
{
	return run(r, change, false, r->n_step > 0);
}

static bool can_run(const struct analysis *a, const struct breakdown *p)
{
	return p->lack == LACK_NOTHING && a->n_device < UINT32_MAX / 4 &&
		a->n_calls < UINT32_MAX / 4;
}

struct replay *replay_of(struct arena *arena, const struct analysis *a, const struct breakdown *p,
	int64_t operator_ns)
{
	if (!can_run(a, p))
		return NULL;
	struct replay *r = arena_alloc(arena, sizeof *r);
	const struct time_parts *window = breakdown_window(p);
	r->a = a;
	r->operator_ns = operator_ns;
	r->silent = &p->blame.silent;
	r->recorded_ns = window->end_ns - window->start_ns;
	graph_build(r, arena, p, NULL);
	r->plain_ns = run(r, NULL, true, false);
	find_steady(r);
	r->unrecorded_ns = changed_ns(r, &unrecorded);
	if (r->unrecorded_ns > r->recorded_ns)
		r->unrecorded_ns = r->recorded_ns;
	return r;
}

/* One behind the other, as they follow each other in the file; never longer than recorded. */
static void run_steps(const struct replay *r, const struct breakdown *p,
	const struct time_moments *of, int64_t *ns)
{
	size_t near[2] = {0};
	struct running x = begin(r, &unrecorded, near);
	run_all(&x, r->order, r->n_order);
	find_ends_of_launched(&x);
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct time_parts *s = &p->steps[i].split;
		int64_t length = moment(&x, &of[i].to) - moment(&x, &of[i].from);
		ns[i] = length > 0 ? min64(length, s->end_ns - s->start_ns)
				   : s->end_ns - s->start_ns;
	}
	end(&x);
}

bool replay_unrecorded_steps(
	const struct analysis *a, const struct breakdown *p, int64_t operator_ns, int64_t *ns)
{
	if (!can_run(a, p) || !p->n_steps ||
		(p->steps_by != STEPS_BY_PROFILER && p->steps_by != STEPS_BY_RANGE) ||
		trace_next_of(a->trace, EVENT_OP, 0) == a->trace->n)
		return false;
	struct arena arena = {0};
	struct replay r = {.a = a, .operator_ns = operator_ns, .silent = &p->blame.silent};
	struct time_moments *of = arena_array(&arena, p->n_steps, sizeof *of);
	graph_build(&r, &arena, p, of);
	run_steps(&r, p, of, ns);
	arena_release(&arena);
	return true;
}

int64_t replay_recorded_ns(const struct replay *r)
{
	return r->recorded_ns;
}

int64_t replay_plain_ns(const struct replay *r)
{
	return r->plain_ns;
}

/* Takes a time off parts, from each by its share. What is left of the time. */
static int64_t take_off(struct time_parts *s, int64_t ns, const enum time_part *part, size_t n)
{
	int64_t all = 0, left = ns;
	for (size_t i = 0; i < n; i++)
		all += s->ns[part[i]];
	double share = all > 0 ? (double)min64(ns, all) / (double)all : 0;
	for (size_t i = 0; i < n; i++) {
		int64_t one = min64(left, (int64_t)(share * (double)s->ns[part[i]] + 0.5));
		one = min64(one, s->ns[part[i]]);
		s->ns[part[i]] -= one;
		left -= one;
	}
	for (size_t i = 0; i < n && all >= ns && left > 0; i++) { /* what rounding left */
		int64_t one = min64(left, s->ns[part[i]]);
		s->ns[part[i]] -= one;
		left -= one;
	}
	return left;
}

struct time_parts replay_parts(const struct replay *r, const struct time_parts *recorded)
{
	static const enum time_part host[] = {TIME_LAUNCHING, TIME_INPUT, TIME_STALL, TIME_AFTER,
		TIME_PROFILER},
				    waits[] = {TIME_SYNC, TIME_BEFORE, TIME_UNKNOWN};
	struct time_parts s = *recorded;
	int64_t off = r->recorded_ns - r->unrecorded_ns;
	off = take_off(&s, off, host, sizeof host / sizeof *host);
	off = take_off(&s, off, waits, sizeof waits / sizeof *waits);
	for (int i = 0; i < TIME_PARTS && off > 0; i++) { /* work that lies beside other now */
		int64_t one = min64(off, s.ns[i]);
		s.ns[i] -= one;
		off -= one;
	}
	s.launch_gap_ns = min64(s.launch_gap_ns, s.ns[TIME_LAUNCHING]);
	s.end_ns = s.start_ns + r->unrecorded_ns;
	return s;
}

int64_t replay_unrecorded_ns(const struct replay *r)
{
	return r->unrecorded_ns;
}

bool replay_can_price(const struct replay *r)
{
	return !is_off(r, r->plain_ns);
}

int64_t replay_ns(const struct replay *r, const struct replay_change *change)
{
	return run(r, change, false, false);
}

int64_t replay_gain(const struct replay *r, const struct replay_change *change)
{
	struct replay_change after = *change;
	after.unrecorded = true;
	int64_t gain = r->unrecorded_ns - changed_ns(r, &after);
	return max64(gain, 0);
}
