/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/compare.h"

#include "base/min_max.h"
#include "base/stats.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/windows_to_show.h"
#include "report/replay/replay.h"
#include "report/rules/advice.h"
#include "report/run/manifest.h"

#include <stdlib.h>
#include <string.h>

/* ---- which belong together ---- */

struct group {
	const char *key;
	const struct report_case **c; /* (n) */
	int n;
	bool paired;
};

struct groups {
	struct group *group; /* (n) by first appearance */
	int n;
};

static const char *key_of(const struct report_case *c)
{
	return c->work ? c->id : c->title;
}

static bool same_shape(const struct report_case *a, const struct report_case *b)
{
	static const struct work_sizes none;
	return same_sizes(a->work ? &a->work->shape : &none, b->work ? &b->work->shape : &none);
}

static int count_cases(const struct input *in)
{
	int n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		n += 1 + c->n_repeats;
	return n;
}

static struct groups groups_of(struct arena *a, const struct input *in)
{
	int most = count_cases(in);
	struct groups g = {.group = arena_array(a, (size_t)most + 1, sizeof *g.group)};
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		int k = 0;
		if (!c->readable || c->trace.ends_early)
			continue;
		while (k < g.n &&
			(strcmp(g.group[k].key, key_of(c)) != 0 || !same_shape(g.group[k].c[0], c)))
			k++;
		struct group *its = &g.group[k];
		if (k == g.n) {
			g.n++;
			its->key = key_of(c);
			its->c = arena_array(a, (size_t)most, sizeof *its->c);
		}
		its->c[its->n++] = c;
		for (int i = 0; i < c->n_repeats; i++)
			its->c[its->n++] = &c->repeat[i];
	}
	return g;
}

static struct group *partner_of(const struct groups *in, const struct group *g)
{
	for (int i = 0; i < in->n; i++)
		if (!in->group[i].paired && !strcmp(in->group[i].key, g->key) &&
			same_shape(in->group[i].c[0], g->c[0]))
			return &in->group[i];
	return NULL;
}

/* ---- samples ---- */

static const struct report_case *main_of(const struct pair_side *s)
{
	return s->recording[s->main];
}

enum measure { MEASURE_STEP, MEASURE_UNRECORDED, MEASURE_CPU, MEASURE_DEVICE };

static bool is_matrix_case(const struct report_case *c)
{
	return c->work && c->work->workload[0];
}

/* The same, of a recording without steps that breakdown.h finds. */
static size_t measure_whole(const struct report_case *c, enum measure what, int64_t *v)
{
	const struct window *w = &c->analysis->window;
	if (what == MEASURE_STEP && w->end_ns > w->start_ns)
		v[0] = w->end_ns - w->start_ns;
	else if (what == MEASURE_DEVICE && w->busy_ns > 0)
		v[0] = w->busy_ns;
	else
		return 0;
	return 1;
}

static size_t measure_ranges(const struct report_case *c, enum measure what, int64_t *v)
{
	const struct analysis *a = c->analysis;
	uint32_t first = steps_steady_from(a->n_steps);
	if (what == MEASURE_UNRECORDED)
		return 0;
	for (uint32_t i = first; i < a->n_steps; i++)
		v[i - first] = what == MEASURE_DEVICE ? a->steps[i].busy_ns : a->steps[i].dur_ns;
	return a->n_steps - first;
}

static size_t measure_steps(const struct report_case *c, enum measure what, int64_t *v)
{
	const struct breakdown *p = c->breakdown;
	uint32_t first = steps_steady_from(p->n_steps), n = p->n_steps - first;
	if (what == MEASURE_UNRECORDED) {
		int64_t *all = xcalloc((size_t)p->n_steps + 1, sizeof *all);
		bool told = !is_matrix_case(c) &&
			replay_unrecorded_steps(c->analysis, p, c->advice->recording_ns, all);
		if (told)
			memcpy(v, all + first, n * sizeof *v);
		free(all);
		return told ? n : 0;
	}
	for (uint32_t i = 0; i < n; i++)
		v[i] = split_length(&p->steps[first + i].split);
	return n;
}

/* What one recording says of it: (n) malloc. */
static int64_t *measured(const struct report_case *c, enum measure what, size_t *n)
{
	const struct breakdown *p = c->breakdown;
	size_t most = max_size(p->n_steps, c->analysis->n_steps);
	int64_t *v = xcalloc(most + 1, sizeof *v);
	bool ranges = c->analysis->n_steps && (what == MEASURE_CPU || what == MEASURE_DEVICE);
	if (ranges)
		*n = measure_ranges(c, what, v);
	else if (what == MEASURE_CPU)
		*n = 0;
	else if (p->n_steps && what != MEASURE_DEVICE)
		*n = measure_steps(c, what, v);
	else
		*n = measure_whole(c, what, v);
	return v;
}

/* Of all recordings: (n) malloc. In turn each has its place, 0 without a time. */
static int64_t *samples_of(const struct pair_side *s, enum measure what, bool in_turn, size_t *n)
{
	if (s->n == 1 && !in_turn)
		return measured(s->recording[0], what, n);
	int64_t *medians = xcalloc((size_t)s->n + 1, sizeof *medians);
	*n = 0;
	for (int i = 0; i < s->n; i++) {
		size_t steps;
		int64_t *v = measured(s->recording[i], what, &steps);
		if (steps || in_turn)
			medians[(*n)++] = steps ? v[median_place(v, steps)] : 0;
		free(v);
	}
	return medians;
}

/* ---- one pair ---- */

struct judging {
	struct arena *a;
	const double *levels; /* of ratio_of */
	double least; /* what counts as a change */
	bool in_turn; /* recording i of both sides was measured in round i */
};

bool pair_is_single(const struct pair *p)
{
	return p->before.n == 1 && p->after.n == 1;
}

bool pair_single_tells(const struct pair *p)
{
	return !is_matrix_case(p->before.recording[0]) && !is_matrix_case(p->after.recording[0]);
}

static struct ratio compare_measure(
	const struct judging *j, const struct pair *p, enum measure what)
{
	static const double none[1] = {0};
	size_t n, m;
	int64_t *b = samples_of(&p->before, what, j->in_turn, &n);
	int64_t *a = samples_of(&p->after, what, j->in_turn, &m);
	bool single = p->before.n == 1 || p->after.n == 1;
	const double *levels = single && !pair_single_tells(p) ? none : j->levels;
	struct ratio r =
		j->in_turn ? ratio_in_turn(b, a, n, levels) : ratio_of_steps(b, n, a, m, levels);
	r.change = ratio_change(&r, j->least);
	free(b);
	free(a);
	return r;
}

static bool same_names(const struct trace *a, const struct trace *b)
{
	if (a->names.n != b->names.n)
		return false;
	for (name_id i = 1; i < a->names.n; i++)
		if (strcmp(names_text(&a->names, i), names_text(&b->names, i)) != 0)
			return false;
	return true;
}

/* Columns of the same rows, and the same names. */
static bool same_trace(const struct trace *a, const struct trace *b)
{
	size_t n = a->n;
	return n == b->n && a->origin_ns == b->origin_ns &&
		!memcmp(a->start_ns, b->start_ns, n * sizeof *a->start_ns) &&
		!memcmp(a->dur_ns, b->dur_ns, n * sizeof *a->dur_ns) &&
		!memcmp(a->name, b->name, n * sizeof *a->name) &&
		!memcmp(a->track, b->track, n * sizeof *a->track) &&
		!memcmp(a->kind, b->kind, n * sizeof *a->kind) &&
		!memcmp(a->launch, b->launch, n * sizeof *a->launch) && same_names(a, b);
}

static bool is_identical(const struct pair *p)
{
	for (int i = 0; i < p->before.n && p->before.n == p->after.n; i++)
		if (!same_trace(&p->before.recording[i]->trace, &p->after.recording[i]->trace))
			return false;
	return p->before.n == p->after.n;
}

/* The recording and its step whose time is `ns`. */
static void find_median(struct pair_side *s, int64_t ns, enum measure what)
{
	s->step = NO_ROW;
	for (int i = 0; i < s->n; i++) {
		size_t n;
		int64_t *v = measured(s->recording[i], what, &n);
		for (size_t k = 0; k < n; k++) {
			if (v[k] != ns)
				continue;
			const struct breakdown *p = s->recording[i]->breakdown;
			s->main = i;
			s->step = p->n_steps && p->lack != LACK_DEVICE
				? (uint32_t)k + steps_steady_from(p->n_steps)
				: NO_ROW;
			free(v);
			return;
		}
		free(v);
	}
}

/* What the recorder took is its own part first, then launching, waiting, and whatever else is
 * idle. */
static void take_off(struct time_parts *s, int64_t ns)
{
	static const enum time_part order[] = {TIME_PROFILER, TIME_LAUNCHING, TIME_SYNC, TIME_INPUT,
		TIME_STALL, TIME_UNKNOWN, TIME_BEFORE, TIME_AFTER};
	for (size_t i = 0; i < sizeof order / sizeof *order && ns > 0; i++) {
		int64_t *part = &s->ns[order[i]], taken = min64(ns, *part);
		*part -= taken;
		s->end_ns -= taken;
		ns -= taken;
	}
}

static void set_side(struct pair_side *s, int64_t ns, bool estimated)
{
	find_median(s, ns, estimated ? MEASURE_UNRECORDED : MEASURE_STEP);
	const struct report_case *c = main_of(s);
	const struct breakdown *p = c->breakdown;
	s->whole = !p->n_steps;
	if (p->lack == LACK_DEVICE) {
		s->recorded_ns = ns;
		return;
	}
	s->split = s->step == NO_ROW ? p->whole : p->steps[s->step].split;
	s->has_split = true;
	s->recorded_ns = s->split.end_ns - s->split.start_ns;
	int64_t *free_ns = xcalloc((size_t)p->n_steps + 1, sizeof *free_ns);
	if (s->step != NO_ROW && !is_matrix_case(c) &&
		replay_unrecorded_steps(c->analysis, p, c->advice->recording_ns, free_ns))
		s->recorder_ns = s->recorded_ns - free_ns[s->step];
	free(free_ns);
	if (estimated)
		take_off(&s->split, s->recorder_ns);
}

/* The estimate without the recorder lies on the other side of 1 or, of single recordings, says that
 * nothing changed. */
static bool contradicts(const struct pair *p)
{
	double unrecorded = p->unrecorded.ratio;
	bool same = unrecorded < 1 + p->least && unrecorded > 1 - p->least;
	return unrecorded > 0 &&
		((p->recorded.ratio < 1) != (unrecorded < 1) || (same && pair_is_single(p)));
}

static void judge_step(const struct judging *j, struct pair *p)
{
	p->recorded = compare_measure(j, p, MEASURE_STEP);
	p->unrecorded = compare_measure(j, p, MEASURE_UNRECORDED);
	p->estimated = !ratio_tells(&p->recorded) && ratio_tells(&p->unrecorded);
	p->step = p->estimated ? p->unrecorded : p->recorded;
	p->contradicted = ratio_tells(&p->recorded) && contradicts(p);
	if (p->contradicted)
		p->step.change = CHANGE_INCONCLUSIVE;
	if (p->step.change == CHANGE_INCONCLUSIVE && p->step.ratio > 0)
		p->needs = ratio_needs(&p->step, j->levels[0], j->least);
	set_side(&p->before, p->step.before_ns, p->estimated);
	set_side(&p->after, p->step.after_ns, p->estimated);
	p->saved_ns = pair_side_length(&p->before) - pair_side_length(&p->after);
}

/* Between single recordings a host that is slower in all it does is as likely the machine's. */
static void judge_pace(struct pair *p)
{
	p->step_pace = 1;
	if (!pair_is_single(p) || p->identical)
		return;
	p->pace = pace_of(main_of(&p->before)->analysis, main_of(&p->after)->analysis);
	p->step_pace = pace_of_step(&p->pace, &p->recorded, &p->device);
	p->paced = pace_explains(&p->pace, p->step_pace, &p->step, p->least);
	struct ratio *each[] = {&p->step, &p->recorded, &p->unrecorded};
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (pace_explains(&p->pace, p->step_pace, each[i], p->least))
			each[i]->change = CHANGE_INCONCLUSIVE;
	if (pace_explains(&p->pace, p->pace.middle, &p->cpu, p->least))
		p->cpu.change = CHANGE_INCONCLUSIVE;
}

static struct kernel_side kernels_of(struct arena *a, const struct pair_side *s)
{
	struct kernel_side k = {.n = s->n, .main = s->main};
	k.recording = arena_array(a, (size_t)s->n, sizeof *k.recording);
	for (int i = 0; i < s->n; i++) {
		const struct report_case *c = s->recording[i];
		uint32_t steps =
			c->analysis->n_steps ? c->analysis->n_steps : c->breakdown->n_steps;
		k.recording[i] = pieces_of(a, c->analysis, steps);
	}
	return k;
}

static void judge_pair(const struct judging *j, struct pair *p)
{
	judge_step(j, p);
	set_differences(j->a, p);
	p->identical = !p->n_differs && is_identical(p);
	p->cpu = compare_measure(j, p, MEASURE_CPU);
	p->device = compare_measure(j, p, MEASURE_DEVICE);
	if (p->identical)
		p->step.change = p->recorded.change = p->cpu.change = p->device.change =
			CHANGE_SAME;
	judge_pace(p);
	struct kernel_side before = kernels_of(j->a, &p->before),
			   after = kernels_of(j->a, &p->after);
	p->unsteady = unsteady_kernel(&before);
	p->unsteady = p->unsteady ? p->unsteady : unsteady_kernel(&after);
	if (!p->identical)
		p->kernel = compare_kernels(j->a, &before, &after,
			&(struct kernel_judging){
				pair_single_tells(p), j->in_turn, j->least, j->levels},
			&p->n_kernels);
	p->before.pieces = &before.recording[p->before.main];
	p->after.pieces = &after.recording[p->after.main];
	set_changes(j->a, p);
}

/* ---- all ---- */

/* Leaves the rounds that both have, in their order. */
static void keep_common_rounds(struct group *before, struct group *after)
{
	int n = 0;
	for (int i = 0; i < after->n; i++)
		for (int k = n; k < before->n; k++)
			if (before->c[k]->round == after->c[i]->round) {
				const struct report_case *its = before->c[k];
				before->c[k] = before->c[n];
				before->c[n] = its;
				after->c[n++] = after->c[i];
				break;
			}
	before->n = after->n = n;
}

static void add_pair(struct comparison *all, struct group *before, struct group *after)
{
	before->paired = after->paired = true;
	all->only_before--;
	all->only_after--;
	all->pair[all->n++] = (struct pair){.id = after->c[0]->id,
		.least = all->least,
		.before = {.recording = before->c, .n = before->n},
		.after = {.recording = after->c, .n = after->n}};
}

static void count(struct comparison *all)
{
	all->identical = all->n > 0 && !all->only_before && !all->only_after;
	for (int i = 0; i < all->n; i++) {
		int *counter[CHANGES] = {
			&all->same, &all->faster, &all->slower, &all->inconclusive};
		++*counter[pair_change(&all->pair[i])];
		all->identical = all->identical && all->pair[i].identical;
	}
}

/* Of many pairs together; and what is judged of each: step, CPU, device, and a kernel or two. */
#define FALSE_ALARMS 0.001
enum { JUDGED = 5 };

struct comparison comparison_of(struct arena *a, const struct input *before,
	const struct input *after, const struct gate *gate)
{
	struct groups b = groups_of(a, before), n = groups_of(a, after);
	struct comparison all = {.only_before = b.n, .only_after = n.n, .least = gate_least(gate)};
	all.pair = arena_array(a, (size_t)n.n + 1, sizeof *all.pair);
	for (int i = 0; i < n.n; i++) {
		struct group *was = partner_of(&b, &n.group[i]);
		if (was && before->in_turn)
			keep_common_rounds(was, &n.group[i]);
		if (was && was->n)
			add_pair(&all, was, &n.group[i]);
	}
	if (!all.n && b.n == 1 && n.n == 1 && !(b.group[0].c[0]->work && n.group[0].c[0]->work))
		add_pair(&all, &b.group[0], &n.group[0]);
	const double one[] = {1 - FALSE_ALARMS / (JUDGED * (all.n ? all.n : 1)), 0};
	const double best[] = {one[0], 0.99, usual_levels[0], 0}; /* that so few samples reach */
	for (int i = 0; i < all.n; i++) {
		struct judging j = {a, all.n > 1 ? one : usual_levels, all.least, before->in_turn};
		if (before->in_turn ? all.n == 1 : all.n > 1 && pair_single_tells(&all.pair[i]))
			j.levels = best;
		judge_pair(&j, &all.pair[i]);
	}
	count(&all);
	return all;
}
