/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a ratio of two cases is. */
#include "report/judge/parts.h"

#include "base/ratio.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

/* Steady steps of all recordings of a case: what each took, and the median of each recording. */
struct samples {
	int64_t *ns; /* (n) owned */
	size_t n;
	double *median; /* (n_medians) owned, in microseconds */
	int n_medians;
};

/* Of more cases with the same work so many, evenly spread, stand for all. */
enum { MOST_SAME = 100 };

static void add_recording(struct arena *arena, struct samples *s, const struct judged *of,
	const struct analysis *a, step_quantity *quantity)
{
	const struct view v = times_of(arena, a, of->whole);
	size_t least = s->n;
	s->ns = xrealloc(s->ns, s->n + v.n + 1, sizeof *s->ns);
	for (uint32_t i = v.steady; i < v.n; i++) {
		int64_t ns = llround(quantity(&v, &v.step[i]) * 1000);
		if (ns > 0)
			s->ns[s->n++] = ns;
	}
	if (s->n > least)
		s->median[s->n_medians++] = median_steady(&v, quantity);
}

static bool is_own(const struct judged *of, const struct analysis *a)
{
	bool own = a == of->analysis;
	for (int i = 0; i < of->n_repeats && !own; i++)
		own = a == of->repeat[i];
	return own;
}

static struct samples samples_of(
	struct arena *arena, const struct judged *of, bool same, step_quantity *quantity)
{
	struct samples s = {0};
	int n = !same ? 0 : of->n_same < MOST_SAME ? of->n_same : MOST_SAME;
	s.median = xcalloc((size_t)(of->n_repeats + n) + 1, sizeof *s.median);
	add_recording(arena, &s, of, of->analysis, quantity);
	for (int i = 0; i < of->n_repeats; i++)
		add_recording(arena, &s, of, of->repeat[i], quantity);
	for (int i = 0; i < n; i++) {
		int64_t at = (2 * (int64_t)i + 1) * of->n_same / (2 * (int64_t)n);
		if (!is_own(of, of->same[at]))
			add_recording(arena, &s, of, of->same[at], quantity);
	}
	return s;
}

static void release(struct samples *s)
{
	free(s->ns);
	free(s->median);
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
	for (size_t i = 0; i < mine->n; i++)
		for (size_t j = 0; j < others->n; j++)
			widen(x, (double)mine->ns[i] / (double)others->ns[j]);
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
	const struct judged *others_of, step_quantity *quantity, double ratio)
{
	bool same = mine_of == others_of || !mine_of->work || mine_of->work != others_of->work;
	struct samples mine = samples_of(arena, mine_of, same, quantity);
	struct samples others = samples_of(arena, others_of, same, quantity);
	struct certainty x = {.low = ratio,
		.high = ratio,
		.n_mine = mine.n,
		.n_others = others.n,
		.processes = mine.n_medians < others.n_medians ? mine.n_medians : others.n_medians};
	struct ratio r = {0};
	if (mine.n && others.n)
		r = ratio_of(others.ns, others.n, mine.ns, mine.n, usual_levels);
	if (r.level > 0) {
		widen(&x, r.low);
		widen(&x, r.high);
	} else {
		widen_by_steps(&x, &mine, &others);
	}
	double apart = quantity == device_us_of ? mine_of->apart_device : mine_of->apart_cpu;
	widen_by_processes(&x, &mine, &others, ratio, apart);
	release(&mine);
	release(&others);
	return x;
}

static double spread_of(struct arena *arena, const struct judged *of, step_quantity *quantity)
{
	struct samples s = samples_of(arena, of, true, quantity);
	struct stats all = stats_of(s.ns, s.n);
	release(&s);
	return all.median > 0 ? (all.p75 - all.p25) / all.median : 0;
}

struct sure_ratio sure_ratio_of(
	struct arena *arena, const struct judged *mine, const struct judged *others, bool device)
{
	step_quantity *quantity = device ? device_us_of : cpu_us_of;
	struct view one = view_of(arena, mine), other = view_of(arena, others);
	double of = one.n && other.n ? median_steady(&other, quantity) : 0;
	if (!(of > 0))
		return (struct sure_ratio){0};
	double ratio = median_steady(&one, quantity) / of;
	return (struct sure_ratio){ratio, certainty_of(arena, mine, others, quantity, ratio),
		spread_of(arena, mine, quantity)};
}
