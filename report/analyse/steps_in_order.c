/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/steps_in_order.h"

#include "base/err.h"
#include "report/analyse/case_numbers.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_TRIED = 64 }; /* steady steps of a case; of more, others are hardly nearer */
static const double AS_NEAR = 1e-9; /* the shorter of two that are as near to their median */

struct choice {
	double ns, off; /* a step's time; how far all up to it are from their medians */
	uint32_t step;
	int before; /* the choice of the case before it, -1: none stands in order */
};

struct ordered {
	const struct analysis *a;
	double median, cpu_median;
	int place; /* among the cases as they were given */
	int n;
	struct choice choice[MOST_TRIED];
};

static double time_of(const struct analysis *a, uint32_t step, bool device)
{
	return (double)(device ? a->steps[step].busy_ns : a->steps[step].dur_ns);
}

static int by_median(const void *one, const void *other)
{
	const struct ordered *x = one, *y = other;
	return x->median != y->median ? (x->median > y->median ? 1 : -1) : x->place - y->place;
}

/* Where launching is the limit, the device's time tells no step from another, and its lane is as
 * long as the step takes the CPU: both are to be near their medians. */
static double off_of(const struct ordered *o, const struct step *s, double ns, bool device)
{
	double off = o->median > 0 ? fabs(ns - o->median) / o->median : 0;
	if (device && o->cpu_median > 0 && o->a->regime.regime == REGIME_OVERHEAD_BOUND)
		off += fabs((double)s->dur_ns - o->cpu_median) / o->cpu_median;
	return off;
}

static void try_steps(struct ordered *o, bool device)
{
	for (uint32_t i = steady_from(o->a); i < o->a->n_steps && o->n < MOST_TRIED; i++) {
		double ns = time_of(o->a, i, device);
		double off = off_of(o, &o->a->steps[i], ns, device);
		off += ns > o->median ? AS_NEAR : 0;
		o->choice[o->n++] = (struct choice){ns, off, i, -1};
	}
}

/* Each step of a case behind the best of those of the case before that stand in order with it. */
static void put_behind(struct ordered *o, const struct ordered *before)
{
	bool equal = o->median <= before->median;
	for (int i = 0; i < o->n; i++) {
		struct choice *c = &o->choice[i];
		double least = (double)INFINITY;
		for (int k = 0; k < before->n; k++) {
			const struct choice *b = &before->choice[k];
			bool ordered = equal || b->ns < c->ns;
			if (!ordered || b->off >= least)
				continue;
			least = b->off;
			c->before = k;
		}
		c->off += least;
	}
}

static bool choose(struct ordered *o, int n, uint32_t *step)
{
	int best = -1;
	double least = (double)INFINITY;
	for (int i = 0; i < o[n - 1].n; i++)
		if (o[n - 1].choice[i].off < least) {
			least = o[n - 1].choice[i].off;
			best = i;
		}
	if (best < 0)
		return false;
	for (int i = n - 1; i >= 0; i--) {
		step[o[i].place] = o[i].choice[best].step;
		best = o[i].choice[best].before;
	}
	return true;
}

bool steps_in_order(const struct analysis *const *a, int n, bool device, uint32_t *step)
{
	struct ordered *o = xcalloc((size_t)n + 1, sizeof *o);
	for (int i = 0; i < n; i++) {
		struct case_numbers numbers = numbers_of(a[i]);
		o[i] = (struct ordered){.a = a[i],
			.median = device ? numbers.device_ns : numbers.cpu_ns,
			.cpu_median = numbers.cpu_ns,
			.place = i};
		step[i] = median_step(a[i], device);
	}
	qsort(o, (size_t)n, sizeof *o, by_median);
	for (int i = 0; i < n; i++) {
		try_steps(&o[i], device);
		if (i)
			put_behind(&o[i], &o[i - 1]);
	}
	bool found = n && choose(o, n, step);
	free(o);
	return found;
}
