/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/advice.h"

#include "base/min_max.h"
#include "report/replay/changes.h"
#include "report/rules/action_window.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- prices ---- */

/* What a plan saves of the window. */
static double plan_saves_ns(
	const struct facts *s, const struct replay *r, const struct replay_plan *plan)
{
	if (r && replay_can_price(r))
		return (double)plan_gain(plan, r);
	double bound = plan_bound_ns(plan, s->a, s->p);
	return r ? fmin(bound, (double)plan_gain(plan, r)) : bound;
}

/* ---- ranking ---- */

/* By which it is told: what the step that is shown saves, or each on average. */
static int64_t worth_ns(const struct finding *f)
{
	return max64(f->give_back_ns, f->each_ns);
}

static bool is_before(const struct finding *a, const struct finding *b)
{
	bool setting = a->rule->setting || a->certain;
	if (setting != (b->rule->setting || b->certain))
		return setting;
	if (a->behind != b->behind)
		return b->behind;
	return a->place_ns > b->place_ns;
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
	struct arena *plans;
};

/* What an action gives back: no more than there is, 0 where that is too little. */
static double at_most(const struct facts *s, const struct replay *r, const struct finding *f,
	const struct gain *g)
{
	double all = (double)advised_ns(s), least = ADVICE_LEAST;
	double ns = f->plan->n ? plan_saves_ns(s, r, f->plan) : g->ns;
	if (f->rule->kind == RULE_ACTION && rule_threshold(f->rule, "least", 5) >= 0)
		least = fmax(least, limit(f, "least"));
	if (f->rule->kind == RULE_ACTION && g->once_ns <= 0 && ns < least * all)
		return 0;
	return fmin(ns, all);
}

/* Is it to be told? */
static bool judge(const struct facts *s, const struct replay *replay, struct finding *one)
{
	const struct rule *d = one->rule;
	one->state = d->one(s, one);
	if (one->state != FINDING_FIRED)
		return false;
	struct gain g = d->saves ? d->saves(s, one) : (struct gain){0};
	one->give_back_ns = (int64_t)at_most(s, replay, one, &g);
	one->place_ns = worth_ns(one);
	one->once_ns = (int64_t)g.once_ns;
	one->ceiling_ns = advised_ns(s);
	return one->give_back_ns + one->once_ns > 0;
}

static struct ranked judge_all(const struct facts *s, const struct replay *replay,
	struct arena *arena, struct arena *plans, const struct rule_settings *settings,
	enum rule_kind kind, bool no_kernels)
{
	struct ranked r = {.plans = plans};
	int room = 0;
	for (int i = rule_findings(), all = rule_count(); i < all; i++) {
		const struct rule *d = rule_at(i);
		struct finding one = {.arena = arena};
		if (d->kind != kind || (no_kernels && d->of_kernels) || (s->cpu && !d->on_cpu))
			continue;
		struct arena_mark kept = arena_mark(plans);
		begin_finding(&one, d, settings);
		one.plan = arena_alloc(plans, sizeof *one.plan);
		one.plan->arena = plans;
		if (!judge(s, replay, &one)) {
			arena_reset(plans, kept);
			continue;
		}
		r.of_kernels |= d->of_kernels;
		r.f = arena_room(arena, r.f, r.n, &room, sizeof *r.f);
		rank(r.f, r.n++, &one);
	}
	return r;
}

static bool is_named_in(const char *const *ids, const struct rule *rule)
{
	for (; *ids; ids++)
		if (!strcmp(*ids, rule->id))
			return true;
	return false;
}

static bool is_covered(const struct finding *one, const struct ranked *all)
{
	for (int i = 0; i < all->n; i++) {
		const struct finding *by = &all->f[i];
		if (is_named_in(by->rule->covers, one->rule) &&
			(by->rule->setting || 2 * worth_ns(by) >= worth_ns(one)))
			return true;
	}
	return false;
}

/* What an action is about is not to be left alone. */
static void keep_uncovered(struct ranked *leave, const struct ranked *to_do)
{
	int kept = 0;
	for (int i = 0; i < leave->n; i++) {
		bool covered = false;
		for (int k = 0; k < to_do->n; k++)
			covered |= is_named_in(to_do->f[k].rule->covers, leave->f[i].rule);
		if (!covered)
			leave->f[kept++] = leave->f[i];
	}
	leave->n = kept;
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

static double cause_share(const struct finding *f)
{
	return f->causes ? 0 : f->rule->cause_share;
}

/* Where an action stands: right behind the causes that save enough beside it, where it names none
 * or changes the results. */
static int64_t place_of(const struct ranked *all, const struct finding *one)
{
	int64_t ns = worth_ns(one);
	double least = fmax(cause_share(one), one->rule->yields) * (double)ns;
	for (int i = 0; least > 0 && i < all->n; i++)
		if (cause_share(&all->f[i]) <= 0 && all->f[i].rule->yields <= 0 &&
			(double)worth_ns(&all->f[i]) >= least)
			ns = min64(ns, worth_ns(&all->f[i]) - 1);
	return ns;
}

/* Of two that name no cause the second makes room for the first that does, where that is worth a
 * word of its own: an order by what is saved would show no cause at all. */
static void make_room(struct finding *f, int n)
{
	const double worth = 0.05; /* of what the first saves */
	if (n < 3 || cause_share(&f[0]) <= 0 || cause_share(&f[1]) <= 0 || f[1].behind)
		return;
	for (int i = 2; i < n && !f[i].behind; i++) {
		struct finding cause = f[i];
		if (cause_share(&cause) > 0 ||
			(double)worth_ns(&cause) < worth * (double)worth_ns(&f[0]))
			continue;
		memmove(&f[2], &f[1], (size_t)(i - 1) * sizeof *f);
		f[1] = cause;
		return;
	}
}

/* Among those that name no cause the order stays that of what they save: one that goes behind a
 * cause takes those with it that save less. */
static void keep_order(struct ranked *all)
{
	for (int i = 0; i < all->n; i++)
		for (int k = 0; k < all->n; k++) {
			const struct finding *more = &all->f[k];
			struct finding *one = &all->f[i];
			if (cause_share(one) > 0 && cause_share(more) > 0 &&
				worth_ns(more) > worth_ns(one))
				one->place_ns = min64(one->place_ns, more->place_ns - 1);
		}
}

/* What names no cause is told behind what does. */
static void put_causes_first(struct arena *arena, struct ranked *all)
{
	struct finding *f = arena_array(arena, (size_t)all->n + 1, sizeof *f);
	for (int i = 0; i < all->n; i++)
		for (int k = 0; k < all->n; k++)
			all->f[i].behind |= is_named_in(all->f[k].rule->before, all->f[i].rule);
	for (int i = 0; i < all->n; i++)
		all->f[i].place_ns = place_of(all, &all->f[i]);
	keep_order(all);
	for (int i = 0; i < all->n; i++)
		rank(f, i, &all->f[i]);
	make_room(f, all->n);
	all->f = f;
}

/* The first of what to do, one after the other: what all of them save so far. */
static void join_gains(const struct facts *s, const struct replay *r, struct ranked *to_do)
{
	struct replay_plan all = {.arena = to_do->plans};
	int64_t sum = 0;
	for (int i = 0; i < to_do->n; i++) {
		struct finding *f = &to_do->f[i];
		if (i < ADVICE_ON_PAGE && !f->once_ns) {
			plan_and(&all, f->plan);
			sum = min64(sum + f->give_back_ns, advised_ns(s));
			f->joined_ns = s->cpu || !i ? sum : (int64_t)plan_saves_ns(s, r, &all);
		}
		f->plan = NULL;
	}
}

/* Less than this of the window decides no headline. */
#define RECORDER_LEAST 0.05

static void estimate(
	struct arena *arena, struct advice *x, const struct facts *s, const struct replay *r)
{
	double share;
	struct time_parts *parts = arena_alloc(arena, sizeof *parts);
	x->estimate = parts;
	*parts = r ? replay_parts(r, s->w) : *s->w;
	enum headline as_recorded = time_parts_headline(s->w, &share);
	enum headline h = time_parts_headline(parts, &x->headline_share);
	double off = (double)(x->window_ns - x->unrecorded_ns);
	if (h != as_recorded && off >= RECORDER_LEAST * (double)x->window_ns)
		x->headline = (uint8_t)h;
}

struct advice advice_of(
	struct arena *arena, const struct facts *s, const struct rule_settings *settings)
{
	if (!s->w)
		return (struct advice){.trace = s->t};
	const struct replay *r = s->replay;
	struct arena plans = {0};
	struct ranked to_do = judge_all(s, r, arena, &plans, settings, RULE_ACTION, false);
	leave_out_covered(&to_do);
	put_causes_first(arena, &to_do);
	struct ranked to_leave =
		judge_all(s, r, arena, &plans, settings, RULE_LEAVE, to_do.of_kernels);
	keep_uncovered(&to_leave, &to_do);
	join_gains(s, r, &to_do);
	for (int i = 0; i < to_leave.n; i++)
		to_leave.f[i].plan = NULL;
	arena_release(&plans);
	struct advice x = {.trace = s->t,
		.window_ns = advised_ns(s),
		.whole_ns = s->cpu ? s->a->window.end_ns - s->a->window.start_ns
				   : s->p->whole.end_ns - s->p->whole.start_ns,
		.steps = s->p->n_steps > 0,
		.cpu = s->cpu,
		.torch = s->torch,
		.recording_ns = s->recording_ns,
		.unrecorded_ns = r ? replay_unrecorded_ns(r) : advised_ns(s),
		.priced = r && replay_can_price(r),
		.measured = r && replay_is_measured(r),
		.action = to_do.f,
		.n = to_do.n,
		.leave = to_leave.f,
		.n_leave = to_leave.n};
	estimate(arena, &x, s, r);
	return x;
}

/* ---- as text ---- */

void advice_dump(const struct advice *x, FILE *f)
{
	fprintf(f, "advice: %d to do, %d to leave alone\n", x->n, x->n_leave);
	if (x->unrecorded_ns < x->window_ns)
		fprintf(f, "  without the recorder %" PRId64 " ns, %" PRId64 " an operator\n",
			x->unrecorded_ns, x->recording_ns);
	for (int i = 0; i < x->n; i++)
		finding_dump(&x->action[i], f);
	for (int i = 0; i < x->n_leave; i++)
		finding_dump(&x->leave[i], f);
}
