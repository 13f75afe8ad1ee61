/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a ratio of two cases is. */
#include "report/judge/parts.h"

#include "base/faster_slower_same.h"
#include "base/min_max.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

/* The steady steps of all recordings of a case, as ratios and spreads ask for them. */
struct samples {
	struct ratio_side side;
	int64_t least_ns, most_ns;
	double spread; /* the middle half of them, as a share of their median */
	double *median; /* (n_medians) of each recording, in microseconds */
	int n_medians;
};

/* What each step took, and the samples that come of it. */
struct gathering {
	struct samples *s;
	int64_t *ns; /* (n) owned */
	size_t n;
};

/* Of more cases with the same work so many, evenly spread, stand for all. */
enum { MOST_SAME = 100 };

static void add_recording(struct arena *arena, struct gathering *g, const struct judged *of,
	const struct analysis *a, enum quantity quantity)
{
	const struct view v = times_of(arena, a, of->whole);
	size_t least = g->n;
	g->ns = xrealloc(g->ns, g->n + v.n + 1, sizeof *g->ns);
	for (uint32_t i = v.steady; i < v.n; i++) {
		int64_t ns = llround(quantity_of(quantity, &v, &v.step[i]) * 1000);
		if (ns > 0)
			g->ns[g->n++] = ns;
	}
	if (g->n > least)
		g->s->median[g->s->n_medians++] = median_steady(&v, quantity);
}

static bool is_own(const struct judged *of, const struct analysis *a)
{
	bool own = a == of->analysis;
	for (int i = 0; i < of->n_repeats && !own; i++)
		own = a == of->repeat[i];
	return own;
}

static void gather(struct arena *arena, struct gathering *g, const struct judged *of, bool same,
	enum quantity quantity)
{
	int n = !same ? 0 : of->n_same < MOST_SAME ? of->n_same : MOST_SAME;
	size_t room = (size_t)(of->n_repeats + n) + 1;
	g->s->median = arena_array(arena, room, sizeof *g->s->median);
	add_recording(arena, g, of, of->analysis, quantity);
	for (int i = 0; i < of->n_repeats; i++)
		add_recording(arena, g, of, of->repeat[i], quantity);
	for (int i = 0; i < n; i++) {
		int64_t at = (2 * (int64_t)i + 1) * of->n_same / (2 * (int64_t)n);
		if (!is_own(of, of->same[at]))
			add_recording(arena, g, of, of->same[at], quantity);
	}
}

static struct samples *new_samples(
	struct arena *arena, const struct judged *of, bool same, enum quantity quantity)
{
	struct samples *s = arena_alloc(arena, sizeof *s);
	struct gathering g = {.s = s};
	gather(arena, &g, of, same, quantity);
	s->side = ratio_side_of(g.ns, g.n);
	struct stats all = stats_of(g.ns, g.n);
	s->least_ns = all.min;
	s->most_ns = all.max;
	s->spread = all.median > 0 ? (all.p75 - all.p25) / all.median : 0;
	free(g.ns);
	return s;
}

static const struct samples *samples_of(
	struct arena *arena, const struct judged *of, bool same, enum quantity quantity)
{
	struct known_times *known = of->known;
	if (!known)
		return new_samples(arena, of, same, quantity);
	const struct samples **s = &known->samples[quantity][same];
	if (!*s)
		*s = new_samples(known->arena, of, same, quantity);
	return *s;
}

double case_median(struct arena *arena, const struct judged *of, enum quantity quantity)
{
	struct known_times *known = of->known;
	if (known && known->has_median[quantity])
		return known->median[quantity];
	const struct view v = times_of(arena, of->analysis, of->whole);
	double median = v.n ? median_steady(&v, quantity) : 0;
	if (known) {
		known->has_median[quantity] = true;
		known->median[quantity] = median;
	}
	return median;
}

static void widen(struct certainty *x, double ratio)
{
	x->low = fmin(x->low, ratio);
	x->high = fmax(x->high, ratio);
}

/* Every step of one with every step of the other. */
static void widen_by_steps(
	struct certainty *x, const struct samples *mine, const struct samples *others)
{
	if (!mine->side.n || !others->side.n)
		return;
	widen(x, (double)mine->least_ns / (double)others->most_ns);
	widen(x, (double)mine->most_ns / (double)others->least_ns);
}

/* Of one process a side nothing is known but how far others of this run were apart. */
static void widen_by_processes(struct certainty *x, const struct samples *mine,
	const struct samples *others, double ratio, double apart)
{
	for (int i = 0; i < mine->n_medians; i++)
		for (int j = 0; j < others->n_medians; j++)
			if (others->median[j] > 0)
				widen(x, mine->median[i] / others->median[j]);
	if (x->processes < 2 && apart > 1) {
		widen(x, ratio * apart);
		widen(x, ratio / apart);
	}
}

struct certainty certainty_of(struct arena *arena, const struct judged *mine_of,
	const struct judged *others_of, enum quantity quantity, double ratio)
{
	bool same = mine_of == others_of || !mine_of->work || mine_of->work != others_of->work;
	const struct samples *mine = samples_of(arena, mine_of, same, quantity);
	const struct samples *others = samples_of(arena, others_of, same, quantity);
	struct certainty x = {.low = ratio,
		.high = ratio,
		.n_mine = mine->side.n,
		.n_others = others->side.n,
		.processes = min_int(mine->n_medians, others->n_medians)};
	const struct ratio r = ratio_of_sides(&others->side, &mine->side, usual_levels);
	if (r.level > 0) {
		widen(&x, r.low);
		widen(&x, r.high);
	} else {
		widen_by_steps(&x, mine, others);
	}
	double apart = quantity == QUANTITY_DEVICE_US ? mine_of->apart_device : mine_of->apart_cpu;
	widen_by_processes(&x, mine, others, ratio, apart);
	return x;
}

/* A single step of each recording of the case: its first, or the longest over the median. */
static double single_of(
	struct arena *arena, const struct judged *of, const struct analysis *a, bool widest)
{
	const struct view v = times_of(arena, a, of->whole);
	double most = 0, median = v.n ? median_steady(&v, QUANTITY_CPU_US) : 0;
	for (uint32_t i = v.steady; i < v.n; i++)
		most = fmax(most, quantity_of(QUANTITY_CPU_US, &v, &v.step[i]));
	if (widest)
		return median > 0 ? most / median : 0;
	return a->n_steps ? (double)a->steps[0].dur_ns / 1000 : 0;
}

struct certainty certainty_of_single(
	struct arena *arena, const struct judged *of, bool widest, double value)
{
	struct certainty x = {.low = value, .high = value, .n_mine = 1, .processes = 1};
	for (int i = 0; i < of->n_repeats; i++) {
		double again = single_of(arena, of, of->repeat[i], widest);
		if (again <= 0)
			continue;
		widen(&x, again);
		x.processes++;
	}
	if (x.processes < 2 && of->apart_cpu > 1) {
		widen(&x, value * of->apart_cpu);
		widen(&x, value / of->apart_cpu);
	}
	return x;
}

static struct sure_ratio new_ratio(struct arena *arena, const struct judged *mine,
	const struct judged *others, enum quantity quantity)
{
	double one = case_median(arena, mine, quantity),
	       other = case_median(arena, others, quantity);
	bool steps = mine->whole || mine->analysis->n_steps;
	if (!steps || !(other > 0))
		return (struct sure_ratio){0};
	return (struct sure_ratio){one / other,
		certainty_of(arena, mine, others, quantity, one / other),
		samples_of(arena, mine, true, quantity)->spread};
}

/* How far a case varies by itself is asked for beside each of its numbers. */
struct sure_ratio sure_ratio_of(
	struct arena *arena, const struct judged *mine, const struct judged *others, bool device)
{
	enum quantity quantity = device ? QUANTITY_DEVICE_US : QUANTITY_CPU_US;
	struct known_times *known = mine == others ? mine->known : NULL;
	if (!known)
		return new_ratio(arena, mine, others, quantity);
	if (!known->to_itself[quantity]) {
		struct sure_ratio *r = arena_alloc(known->arena, sizeof *r);
		*r = new_ratio(arena, mine, others, quantity);
		known->to_itself[quantity] = r;
	}
	return *known->to_itself[quantity];
}
