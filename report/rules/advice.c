/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/advice.h"

#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/breakdown_parts.h"
#include "report/replay/changes.h"
#include "report/rules/action_window.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the critical path ---- */

/* A launch takes that long when the device's queue is full. */
enum { FULL_QUEUE_NS = 100000 };

/* Of a call that is no wait of idle_causes.h. */
static bool waits_for_device(const struct facts *s, uint32_t row)
{
	if (s->a->class[row] == CLASS_LAUNCH)
		return s->t->dur_ns[row] > FULL_QUEUE_NS;
	return host_traits(s->a, row) & TRAIT_FREES;
}

static bool takes_part(const struct facts *s, uint32_t step, uint32_t row)
{
	const struct trace *t = s->t;
	return t->track[row] == s->track || (step != NO_ROW && t->track[row] == t->track[step]);
}

/* Waits for the device in calls of the threads that launch or have the step. */
static int64_t host_waits_ns(const struct facts *s, uint32_t step, struct time_span at)
{
	const struct trace *t = s->t;
	const struct analysis *a = s->a;
	int64_t waits = 0, done = at.start_ns;
	size_t first = trace_reaching(t, 0, at.start_ns), next = 0;
	size_t behind = trace_first_from(t, at.end_ns);
	for (size_t i = first_where(k, 0, a->n_calls, a->calls[k] >= first);
		i < a->n_calls && a->calls[i] < behind; i++) {
		uint32_t row = a->calls[i];
		while (next < s->l->n_waits && s->l->waits[next] < row)
			next++;
		bool wait = next < s->l->n_waits && s->l->waits[next] == row;
		if (!takes_part(s, step, row) || (!wait && !waits_for_device(s, row)) ||
			row_end(t, row) <= done)
			continue;
		int64_t end = row_end(t, row) < at.end_ns ? row_end(t, row) : at.end_ns;
		int64_t begin = max64(t->start_ns[row], done);
		waits += end > begin ? end - begin : 0;
		done = max64(end, done);
	}
	return waits;
}

/* The last end of what the thread that launches does in the window, from the last row back. */
static int64_t host_ends_ns(const struct facts *s)
{
	const struct trace *t = s->t;
	int64_t last = s->w->start_ns;
	for (size_t i = s->to; i-- > 0;) {
		if (t->reach_ns && t->reach_ns[i / REACH_ROWS] <= last)
			i -= i % REACH_ROWS; /* no row of these ends behind it */
		else if (event_on_host(t->kind[i]) && t->track[i] == s->track &&
			row_end(t, (uint32_t)i) > last)
			last = row_end(t, (uint32_t)i);
	}
	return min64(last, s->w->end_ns);
}

/* The time that the host takes, without waits for the device: of the step's range, or of the window
 * up to the last row of the thread that launches. */
static int64_t host_takes_ns(const struct facts *s, uint32_t step)
{
	struct time_span at = {s->w->start_ns, s->w->end_ns};
	if (step != NO_ROW)
		at = (struct time_span){s->t->start_ns[step], row_end(s->t, step)};
	int64_t end = step == NO_ROW ? host_ends_ns(s) : at.end_ns;
	return end - at.start_ns - host_waits_ns(s, step, at);
}

/* The window less the recorder's share of the time in which the host kept the device waiting. */
static double unrecorded_ns(const struct facts *s)
{
	static const enum time_part kept_waiting[] = {
		TIME_LAUNCHING, TIME_INPUT, TIME_STALL, TIME_PROFILER, TIME_AFTER};
	double late = -(double)s->w->launch_gap_ns;
	for (size_t i = 0; i < sizeof kept_waiting / sizeof *kept_waiting; i++)
		late += (double)s->w->ns[kept_waiting[i]];
	return (double)advised_ns(s) - (1 - s->host) * late;
}

/* A step cannot be shorter than its host takes: what faster kernels save at most, both without the
 * recorder. Not bounded where the file does not show when the host has its step. */
static double left_by_host_ns(const struct facts *s)
{
	const struct breakdown *p = s->p;
	uint32_t step = p->median == NO_ROW ? NO_ROW : p->steps[p->median].row;
	bool ranges = p->steps_by == STEPS_BY_PROFILER || p->steps_by == STEPS_BY_RANGE;
	if (s->track == NO_ROW || p->lack != LACK_NOTHING || (step != NO_ROW && !ranges))
		return (double)INFINITY;
	double window = unrecorded_ns(s), host = host_ns(s, (double)host_takes_ns(s, step));
	return window > host ? window - host : 0;
}

/* ---- prices ---- */

const struct replay *replay_here(const struct facts *s)
{
	struct near *n = s->near;
	if (!n->replayed) {
		n->replayed = true;
		n->replay = replay_of(s->scratch, s->a, s->p, s->recording_ns);
		n->replay = n->replay && replay_can_price(n->replay) ? n->replay : NULL;
	}
	return n->replay;
}

double kernels_save_ns(const struct facts *s, double ns)
{
	const struct replay *r = replay_here(s);
	if (!r || s->computing_ns <= 0)
		return fmin(ns, left_by_host_ns(s));
	struct replay_plan plan = replay_plan(s->scratch, r);
	double factor = fmax(0, 1 - ns / (double)s->computing_ns);
	for (uint32_t i = 0; i < s->a->n_device; i++)
		if (time_part_is_computing((enum time_part)s->p->part[i]))
			plan_event(&plan, i, factor);
	return (double)plan_gain(&plan);
}

double one_launch_saves_ns(const struct facts *s)
{
	const struct replay *r = replay_here(s);
	if (!r)
		return (double)INFINITY;
	struct replay_plan plan = replay_plan(s->scratch, r);
	plan_one_launch(&plan, s->p);
	return (double)plan_gain(&plan);
}

/* ---- ranking ---- */

static bool is_before(const struct finding *a, const struct finding *b)
{
	if (a->rule->setting != b->rule->setting)
		return a->rule->setting;
	if (a->behind != b->behind)
		return b->behind;
	return a->give_back_ns > b->give_back_ns;
}

/* Settings first, what is not in the way of others last; else behind all that give back as much or
 * more, so that of equals the first of the table stays first. */
static void rank(struct finding *f, int n, const struct finding *one)
{
	int at = n;
	for (; at && is_before(one, &f[at - 1]); at--)
		f[at] = f[at - 1];
	f[at] = *one;
}

struct ranked {
	struct finding *f; /* (n) */
	int n;
	bool of_kernels; /* one of them is about the kernels */
};

/* What an action that is there gives back: no more than there is, and of the kernels no more than
 * what the host leaves them; 0 where that is too little. */
static double at_most(const struct facts *s, const struct finding *f, const struct gain *gain)
{
	const struct rule *d = f->rule;
	struct gain g = *gain;
	double all = (double)advised_ns(s), left = (double)INFINITY;
	if (g.once_ns <= 0 && rule_threshold(d, "least", 5) >= 0 &&
		floor(g.ns) < limit(f, "least") * all)
		return 0;
	if (d->kind == RULE_ACTION && d->only_shorter)
		left = kernels_save_ns(s, g.ns);
	else if (d->kind == RULE_ACTION && d->of_kernels)
		left = left_by_host_ns(s) + g.spares_ns;
	if (left < floor(g.ns))
		return left < ADVICE_LEAST * all ? 0 : fmin(left, all);
	return fmin(g.ns, all);
}

static struct ranked judge_all(const struct facts *s, struct arena *arena,
	const struct rule_settings *settings, enum rule_kind kind, bool no_kernels)
{
	struct ranked r = {.f = arena_array(arena, (size_t)rule_count(), sizeof *r.f)};
	for (int i = rule_findings(); i < rule_count(); i++) {
		const struct rule *d = rule_at(i);
		struct finding one = {.arena = arena};
		if (d->kind != kind || (no_kernels && d->of_kernels))
			continue;
		begin_finding(&one, d, settings);
		one.state = d->one(s, &one);
		if (one.state != FINDING_FIRED)
			continue;
		struct gain g = d->saves(s, &one);
		one.give_back_ns = (int64_t)at_most(s, &one, &g);
		one.once_ns = (int64_t)g.once_ns;
		one.ceiling_ns = advised_ns(s);
		if (one.give_back_ns + one.once_ns <= 0)
			continue;
		r.of_kernels |= d->of_kernels;
		rank(r.f, r.n++, &one);
	}
	return r;
}

static bool is_covered(const struct finding *one, const struct ranked *all)
{
	for (int i = 0; i < all->n; i++) {
		const struct finding *by = &all->f[i];
		for (int k = 0; by->rule->covers[k]; k++)
			if (!strcmp(by->rule->covers[k], one->rule->id) &&
				(by->rule->setting || 2 * by->give_back_ns >= one->give_back_ns))
				return true;
	}
	return false;
}

/* What is caused by another is not told twice. */
static void leave_out_covered(struct ranked *all)
{
	int kept = 0;
	bool *covered = xcalloc((size_t)all->n + 1, sizeof *covered);
	for (int i = 0; i < all->n; i++)
		covered[i] = is_covered(&all->f[i], all);
	for (int i = 0; i < all->n; i++)
		if (!covered[i])
			all->f[kept++] = all->f[i];
	all->n = kept;
	free(covered);
}

struct advice advice_of(
	struct arena *arena, const struct facts *s, const struct rule_settings *settings)
{
	if (!s->w)
		return (struct advice){.trace = s->t, .host = 1};
	struct ranked to_do = judge_all(s, arena, settings, RULE_ACTION, false);
	leave_out_covered(&to_do);
	struct ranked to_leave = judge_all(s, arena, settings, RULE_LEAVE, to_do.of_kernels);
	return (struct advice){.trace = s->t,
		.window_ns = advised_ns(s),
		.whole_ns = s->p->whole.end_ns - s->p->whole.start_ns,
		.steps = s->p->n_steps > 0,
		.torch = s->torch,
		.recording_ns = s->recording_ns,
		.unrecorded_ns = (int64_t)unrecorded_ns(s),
		.host = s->host,
		.action = to_do.f,
		.n = to_do.n,
		.leave = to_leave.f,
		.n_leave = to_leave.n};
}

/* ---- as text ---- */

void advice_dump(const struct advice *x, FILE *f)
{
	fprintf(f, "advice: %d to do, %d to leave alone\n", x->n, x->n_leave);
	if (x->host < 1)
		fprintf(f, "  recorder %.6g of the time, %" PRId64 " an operator\n", 1 - x->host,
			x->recording_ns);
	for (int i = 0; i < x->n; i++)
		finding_dump(&x->action[i], f);
	for (int i = 0; i < x->n_leave; i++)
		finding_dump(&x->leave[i], f);
}
