/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a ratio of two cases is. */
#include "report/judge/parts.h"

#include "base/ratio.h"

#include <math.h>
#include <stdlib.h>

/* Steady steps of all recordings of a case: what each took, and the median of each recording. */
struct samples {
	int64_t *ns; /* (n) owned */
	size_t n;
	double *median; /* (n_medians) owned, in microseconds */
	int n_medians;
};

static void add_recording(struct samples *s, const struct view *v, step_quantity *quantity)
{
	size_t least = s->n;
	s->ns = xrealloc(s->ns, s->n + v->n + 1, sizeof *s->ns);
	for (uint32_t i = v->steady; i < v->n; i++) {
		int64_t ns = llround(quantity(v, &v->step[i]) * 1000);
		if (ns > 0)
			s->ns[s->n++] = ns;
	}
	if (s->n > least)
		s->median[s->n_medians++] = median_steady(v, quantity);
}

static struct samples samples_of(struct judging *c, const struct judged *of,
	const struct view *first, step_quantity *quantity)
{
	struct samples s = {.median = xcalloc((size_t)of->n_repeats + 1, sizeof *s.median)};
	add_recording(&s, first, quantity);
	for (int i = 0; i < of->n_repeats; i++) {
		const struct judged again = {.analysis = of->repeat[i], .whole = of->whole};
		struct view v = view_of(c->arena, &again);
		add_recording(&s, &v, quantity);
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

struct certainty certainty_of(
	struct judging *c, const struct judged_views *v, step_quantity *quantity, double ratio)
{
	struct samples mine = samples_of(c, v->mine, &c->view, quantity);
	struct samples others = samples_of(c, v->others, v->other, quantity);
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
	for (int i = 0; i < mine.n_medians; i++)
		for (int j = 0; j < others.n_medians; j++)
			if (others.median[j] > 0)
				widen(&x, mine.median[i] / others.median[j]);
	release(&mine);
	release(&others);
	return x;
}
