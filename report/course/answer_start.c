/* SPDX-License-Identifier: Apache-2.0 */
/* The table, the timeline, the regime and the cold start. */
#include "report/course/answers.h"

#include "base/number_format.h"
#include "report/run/manifest.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HALF = 0.5; /* of the device time: one row owns it (T3) */
static const double WIDER = 1.5; /* as the case's own page */
static const double SEEN_IDLE = 0.1; /* of a delay: a picture shows that the device was free */
static const double MOST_LEFT = 0.1; /* of the cold start's first-call work: it is gone */

static const struct profiler_row *largest_self(const struct profiler_table *all)
{
	const struct profiler_row *best = NULL;
	for (size_t i = 0; i < all->n; i++) {
		const struct profiler_row *r = &all->row[i];
		bool on_cpu = r->side == PROFILER_CPU || r->side == PROFILER_CALL;
		if (on_cpu && (!best || r->self_cpu_ns > best->self_cpu_ns))
			best = r;
	}
	return best;
}

const char *answer_hotspot(struct answer *a)
{
	const struct analysis *an = a->c[0]->analysis;
	const struct profiler_row *cpu = largest_self(&an->profiler_table);
	if (!an->n_activities || !cpu)
		return NULL;
	const struct activity *top = &an->activities[0];
	fill_in_row(a, "kernel", an->trace, top->row[0]);
	fill_in_share(a, "share", top->share);
	fill_in_count(a, "calls", (double)top->calls);
	fill_in(a, "row", cpu->name);
	fill_in_time(a, "self", (double)cpu->self_cpu_ns);
	return top->share >= HALF ? "one" : "spread";
}

/* When the last of what was launched earlier ended. */
static int64_t earlier_end(const struct analysis *an, uint32_t row)
{
	const struct trace *t = an->trace;
	int64_t end = INT64_MIN;
	for (size_t i = 0; i < an->n_device; i++) {
		uint32_t r = an->device_rows[i];
		if (t->start_ns[r] >= t->start_ns[row])
			break;
		if (t->start_ns[r] + t->dur_ns[r] > end)
			end = t->start_ns[r] + t->dur_ns[r];
	}
	return end;
}

const char *answer_when(struct answer *a)
{
	const struct analysis *an = a->c[0]->analysis;
	const struct trace *t = an->trace;
	const struct step *s = usual_step(a, 0);
	if (!s->n_device)
		return NULL;
	uint32_t row = s->device[0], launch = analysis_launch_of(t, row);
	uint32_t op = launch == NO_ROW ? NO_ROW : analysis_op_of(t, launch);
	const struct activity *act = activity_of_row(an, row);
	struct stats delay = {0};
	if (op != NO_ROW && act)
		delay = steady_delays_of(an, act);
	if (!delay.n)
		return NULL;
	double delay_ns = delay.median;
	fill_in_row(a, "step", t, s->row);
	fill_in_row(a, "op", t, op);
	fill_in_row(a, "launch", t, launch);
	fill_in_row(a, "kernel", t, row);
	fill_in_time(a, "delay", delay_ns < 0 ? -delay_ns : delay_ns);
	if (delay_ns < 0)
		return "early";
	int64_t called = t->start_ns[launch] + t->dur_ns[launch], free = earlier_end(an, row);
	double waited = (double)(t->start_ns[row] - called),
	       idle = (double)(t->start_ns[row] - free);
	/* Of the step that is drawn beside it. */
	fill_in_time(a, "waited", waited);
	if (free <= called)
		return "late";
	if (idle < SEEN_IDLE * waited)
		return "queued";
	fill_in_time(a, "behind", waited - idle);
	fill_in_time(a, "idle", idle);
	return "both";
}

/* The operator that spent most time in what it called. */
static const struct profiler_row *deepest_row(const struct profiler_table *all)
{
	const struct profiler_row *best = NULL;
	int64_t most_ns = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct profiler_row *r = &all->row[i];
		int64_t inside_ns = r->cpu_ns - r->self_cpu_ns;
		if (r->side == PROFILER_CPU && !r->annotation && r->calls && inside_ns > most_ns) {
			most_ns = inside_ns;
			best = r;
		}
	}
	return best;
}

static uint32_t longest_child(const struct trace *t, const char *name)
{
	uint32_t best = NO_ROW;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t parent = event_on_host(t->kind[i]) ? t->parent[i] : NO_ROW;
		if (parent != NO_ROW && !strcmp(names_text(&t->names, t->name[parent]), name) &&
			(best == NO_ROW || t->dur_ns[i] > t->dur_ns[best]))
			best = i;
	}
	return best;
}

const char *answer_self(struct answer *a)
{
	const struct analysis *an = a->c[0]->analysis;
	const struct profiler_row *row = deepest_row(&an->profiler_table);
	uint32_t child = row ? longest_child(an->trace, row->name) : NO_ROW;
	if (child == NO_ROW)
		return NULL;
	double calls = (double)row->calls, total = (double)row->cpu_ns / calls,
	       self = (double)row->self_cpu_ns / calls;
	fill_in(a, "row", row->name);
	fill_in_count(a, "calls", calls);
	fill_in_time(a, "total", total);
	fill_in_time(a, "self", self);
	fill_in_time(a, "inside", total - self);
	fill_in_row(a, "child", an->trace, child);
	return "nested";
}

const char *answer_regime(struct answer *a)
{
	const struct regime_judgement *r = &a->c[0]->analysis->regime;
	fill_in_time(a, "dispatch", (double)r->dispatch_ns);
	fill_in_time(a, "self_device", (double)r->self_device_ns);
	fill_in_share(a, "busy", r->busy_share);
	fill_in_regime(a, "regime", a->c[0]);
	const struct sure_ratio longer = device_to_cpu(a->arena, a->c[0]);
	fill_in_sure(a, "device_to_cpu", longer);
	return r->regime == REGIME_OVERHEAD_BOUND    ? "overhead"
		: sure_is_noise(&longer)	     ? "even"
		: a->n[0].cpu_ns < a->n[0].device_ns ? "cheap"
						     : "mixed";
}

const char *answer_way_out(struct answer *a)
{
	double small = told_work(a->c[0])->flop;
	double large = told_work(a->c[1])->flop;
	if (!(small > 0) || !(large > 0) || !(a->n[0].cpu_ns > 0) || !(a->n[0].device_ns > 0))
		return NULL;
	fill_in_ratio(a, "work", large / small);
	fill_in_regime(a, "small", a->c[0]);
	fill_in_regime(a, "large", a->c[1]);
	if (a->c[1]->analysis->regime.regime == REGIME_OVERHEAD_BOUND)
		return "stayed";
	return a->c[0]->analysis->regime.regime == REGIME_OVERHEAD_BOUND ? "left" : "already";
}

const char *answer_schedule(struct answer *a)
{
	const struct work_schedule *s = &told_work(a->c[0])->schedule;
	if (!isfinite(s->wait + s->warmup + s->active))
		return NULL;
	fill_in_count(a, "wait", s->wait);
	fill_in_count(a, "warmup", s->warmup);
	fill_in_count(a, "active", s->active);
	const struct analysis *an = a->c[0]->analysis;
	fill_in_row(a, "first", an->trace, an->steps[0].row);
	fill_in_count(a, "n", an->n_steps);
	return an->steps[0].number > 0 ? "later" : "at_once";
}

const char *answer_first_step(struct answer *a)
{
	const struct analysis *an = a->c[0]->analysis;
	const struct step *s = &an->steps[0];
	if (!(a->n[0].first_ratio > 0))
		return NULL;
	fill_in_ratio(a, "ratio", a->n[0].first_ratio);
	fill_in_time(a, "total", (double)s->dur_ns);
	if (a->n[0].first_ratio < WIDER)
		return "even";
	if (!s->n_setup_sums)
		return "bare";
	fill_in_time(a, "setup", (double)s->setup_ns);
	fill_in(a, "name", names_text(&an->trace->names, s->setup_sum[0].name));
	fill_in_time(a, "time", (double)s->setup_sum[0].ns);
	return "explained";
}

/* a->c: the cold case, one that was called before, and one whose schedule let steps go by. */
const char *answer_warm_up(struct answer *a)
{
	double setup_ns[QUESTION_CASES];
	static const char *const places[QUESTION_CASES] = {"cold", "warm", "schedule"};
	for (int i = 0; i < QUESTION_CASES; i++) {
		setup_ns[i] = (double)a->c[i]->analysis->steps[0].setup_ns;
		fill_in_time(a, places[i], setup_ns[i]);
	}
	if (!(setup_ns[0] > 0))
		return "none";
	bool gone =
		setup_ns[1] <= MOST_LEFT * setup_ns[0] && setup_ns[2] <= MOST_LEFT * setup_ns[0];
	return gone ? "moved" : "still";
}
