/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/replay.h"

#include "base/min_max.h"
#include "base/stats.h"
#include "report/analyse/profiler_cost.h"
#include "report/replay/graph.h"
#include "report/replay/run_graph.h"

#include <math.h>
#include <stdlib.h>

/* A host is no slower or faster beside the recording than in it by more than this. */
#define SLOWER_MOST 4.0

/* A device that alone makes so much of a measured step limits it. */
#define DEVICE_LIMITS 0.9

/* Of the step: so much of what the device is spared is worth a second run. */
#define HIDDEN_LEAST 0.01

/* Where less of a gain is left with the faster host, that counts. */
#define LEFT_LEAST (1.0 / 3)

/* A step that takes more of what it was recorded with tells how fast the host is. */
#define PACE_SEEN 0.6

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
		r->steady_ns = run_graph(r, NULL, RUN_STEP);
	if (r->n_step && is_off(r, r->steady_ns))
		r->n_step = 0;
}

static int64_t changed_ns(const struct replay *r, const struct replay_change *change)
{
	return run_graph(r, change, r->n_step ? RUN_STEP : RUN_WINDOW);
}

static bool can_run(const struct analysis *a, const struct breakdown *p)
{
	return p->lack == LACK_NOTHING && a->n_device < UINT32_MAX / 4 &&
		a->n_calls < UINT32_MAX / 4;
}

/* What a step took outside the recording, where who recorded says so; 0: nobody does. */
static int64_t measured_ns(const struct analysis *a, const struct breakdown *p)
{
	const char *text = trace_meta(a->trace, REPLAY_MEASURED);
	bool by_steps = p->steps_by == STEPS_BY_PROFILER && p->median != NO_ROW;
	double ns = text && by_steps ? strtod(text, NULL) : 0;
	return ns > 0 && ns < 1e18 ? (int64_t)ns : 0;
}

static void run_slower(struct replay *r, struct arena *arena, double times)
{
	r->slower = times;
	run_graph_pace(r, arena);
	r->unrecorded_ns = changed_ns(r, &unrecorded);
}

static bool is_as_measured(const struct replay *r, int64_t measured)
{
	return fabs((double)(r->unrecorded_ns - measured)) <= REPLAY_OFF * (double)measured;
}

/* The slowest host, between two paces, with which the step is no longer than that. */
static void find_slowest(struct replay *r, struct arena *arena, double most, int64_t ns)
{
	enum { HALVINGS = 12 };
	double least = 1 / SLOWER_MOST;
	run_slower(r, arena, most);
	if (r->unrecorded_ns <= ns)
		return;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = sqrt(least * most);
		run_slower(r, arena, middle);
		*(r->unrecorded_ns <= ns ? &least : &most) = middle;
	}
	run_slower(r, arena, least);
}

/* The step is as long as it was measured: see REPLAY_MEASURED. */
static void be_as_measured(struct replay *r, struct arena *arena, int64_t measured)
{
	run_slower(r, arena, 1 / SLOWER_MOST);
	int64_t device = r->unrecorded_ns;
	r->device_limits = (double)device >= DEVICE_LIMITS * (double)measured;
	find_slowest(r, arena, r->device_limits ? 1 : SLOWER_MOST, max64(measured, device));
	r->measured = (double)device <= SLOWER_MOST * (double)measured &&
		(r->device_limits || is_as_measured(r, measured));
	if (!r->measured) {
		r->device_limits = false;
		run_slower(r, arena, 1);
		return;
	}
	r->scale = (double)measured / (double)r->unrecorded_ns;
	r->unrecorded_ns = measured;
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
	r->slower = r->scale = 1;
	r->room = arena_alloc(arena, sizeof *r->room);
	r->room->arena = arena;
	graph_build(r, arena, p, NULL);
	run_graph_pace(r, arena);
	r->plain_ns = run_graph(r, NULL, RUN_PLAIN);
	find_steady(r);
	r->unrecorded_ns = changed_ns(r, &unrecorded);
	if (measured_ns(a, p))
		be_as_measured(r, arena, min64(measured_ns(a, p), r->recorded_ns));
	if (r->unrecorded_ns > r->recorded_ns)
		r->unrecorded_ns = r->recorded_ns;
	return r;
}

bool replay_unrecorded_steps(
	const struct analysis *a, const struct breakdown *p, int64_t operator_ns, int64_t *ns)
{
	if (!can_run(a, p) || !p->n_steps ||
		(p->steps_by != STEPS_BY_PROFILER && p->steps_by != STEPS_BY_RANGE) ||
		trace_next_of(a->trace, EVENT_OP, 0) == a->trace->n)
		return false;
	struct arena arena = {0};
	struct replay r = {.a = a,
		.operator_ns = operator_ns,
		.slower = 1,
		.scale = 1,
		.silent = &p->blame.silent};
	struct time_moments *of = arena_array(&arena, p->n_steps, sizeof *of);
	graph_build(&r, &arena, p, of);
	run_graph_pace(&r, &arena);
	run_graph_moments(&r, of, p->n_steps, ns);
	int64_t measured = measured_ns(a, p), *sorted = arena_array(&arena, p->n_steps, sizeof *ns);
	for (uint32_t i = 0; i < p->n_steps; i++)
		sorted[i] = ns[i];
	int64_t median = stats_nth(sorted, p->n_steps, p->n_steps / 2);
	double times = measured && median > 0 ? (double)measured / (double)median : 1;
	for (uint32_t i = 0; i < p->n_steps; i++) {
		int64_t recorded = p->steps[i].split.end_ns - p->steps[i].split.start_ns;
		ns[i] = ns[i] > 0 ? min64((int64_t)(times * (double)ns[i]), recorded) : recorded;
	}
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

bool replay_is_measured(const struct replay *r)
{
	return r->measured;
}

bool replay_can_price(const struct replay *r)
{
	return !is_off(r, r->plain_ns);
}

int64_t replay_ns(const struct replay *r, const struct replay_change *change)
{
	return run_graph(r, change, RUN_WINDOW);
}

static int64_t faster_ns(int64_t ns)
{
	return ns > 0 ? (int64_t)(REPLAY_FASTER * (double)ns) : ns;
}

/* The same trace with a host that is as much faster as REPLAY_FASTER says. */
static const struct replay *faster(const struct replay *r)
{
	if (r->room->faster)
		return r->room->faster;
	struct arena *arena = r->room->arena;
	struct replay *x = r->room->faster = arena_alloc(arena, sizeof *x);
	*x = *r;
	x->slower = REPLAY_FASTER * r->slower;
	x->pace = arena_unset(arena, r->n_points, sizeof *x->pace);
	for (uint32_t i = 0; i < r->n_points; i++) {
		struct pace one = r->pace[i];
		one.gap_ns = faster_ns(one.gap_ns);
		one.own_ns = one.awaits == NOTHING ? faster_ns(one.own_ns) : one.own_ns;
		x->pace[i] = one;
	}
	double ns = r->scale * (double)changed_ns(x, &unrecorded);
	x->unrecorded_ns = min64((int64_t)ns, r->recorded_ns);
	return x;
}

static int64_t gain_of(const struct replay *r, const struct replay_change *change)
{
	double after = r->scale * (double)changed_ns(r, change);
	return max64(0, r->unrecorded_ns - (int64_t)after);
}

/* What the device is spared of its work in the window, be it in anybody's way or not. */
static int64_t spared_device_ns(const struct replay *r, const float *factor)
{
	double ns = 0;
	size_t n = !factor ? 0 : r->n_step ? r->n_step_events : r->n_events;
	for (size_t i = 0; i < n; i++) {
		uint32_t event = r->n_step ? r->step_event[i] : (uint32_t)i;
		if (factor[event] != 1)
			ns += (1 - (double)factor[event]) * (double)r->event[event].dur_ns;
	}
	return (int64_t)ns;
}

/* May less than LEFT_LEAST be left of a gain with the faster host? A changed step is no longer with
 * it, so that the gain shrinks by what the step does, at most. */
static bool hangs_on_pace(const struct replay *r, int64_t gain)
{
	if (gain <= 0 || (double)r->unrecorded_ns > PACE_SEEN * (double)r->recorded_ns)
		return false;
	return (double)(r->unrecorded_ns - faster(r)->unrecorded_ns) >
		(1 - LEFT_LEAST) * (double)gain;
}

int64_t replay_gain(const struct replay *r, const struct replay_change *change)
{
	struct replay_change after = *change;
	after.unrecorded = true;
	int64_t gain = gain_of(r, &after);
	bool told = r->measured && !r->device_limits;
	double spared = told ? 0 : r->scale * (double)spared_device_ns(r, change->factor);
	int64_t most = (int64_t)spared;
	if ((double)(most - gain) > HIDDEN_LEAST * (double)r->unrecorded_ns)
		return max64(gain, min64(most, gain_of(faster(r), &after)));
	if (told || !hangs_on_pace(r, gain))
		return gain;
	int64_t fast = gain_of(faster(r), &after);
	return (double)fast < LEFT_LEAST * (double)gain ? fast : gain;
}
