/* SPDX-License-Identifier: Apache-2.0 */
/* How the clock of the device went with what its kernels took, where the trace has readings. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/rules/facts.h"

#include <math.h>
#include <stdlib.h>

struct reading {
	int64_t at_ns;
	double mhz;
};

static struct reading *readings_of(const struct facts *x, size_t *n)
{
	const struct trace *t = x->t;
	name_id series = t->n_counters ? names_find(&t->names, "SM clock (MHz)") : 0;
	struct reading *r = arena_array(x->scratch, t->n_counters, sizeof *r);
	*n = 0;
	for (size_t i = 0; series && i < t->n && *n < t->n_counters; i++)
		if (t->kind[i] == EVENT_COUNTER && t->name[i] == series && t->side[i] != NO_ROW)
			r[(*n)++] = (struct reading){t->start_ns[i], t->counters[t->side[i]].value};
	return r;
}

/* The last reading before a moment, or the first behind it. */
static double clock_at(const struct reading *r, size_t n, int64_t at_ns)
{
	size_t low = first_where(i, 0, n, r[i].at_ns > at_ns);
	return r[low ? low - 1 : 0].mhz;
}

/* How many are smaller, and half of those that are as large: a rank, ties in the middle. */
static double rank_of(const double *v, size_t n, double one)
{
	double smaller = 0, equal = 0;
	for (size_t i = 0; i < n; i++) {
		smaller += v[i] < one;
		equal += !(v[i] < one) && !(v[i] > one);
	}
	return smaller + equal / 2;
}

/* Spearman's: Pearson's of the ranks; false when one of them does not vary. */
static bool rank_correlation(const double *a, const double *b, size_t n, double *rho)
{
	double middle = (double)n / 2, ab = 0, aa = 0, bb = 0;
	for (size_t i = 0; i < n; i++) {
		double x = rank_of(a, n, a[i]) - middle, y = rank_of(b, n, b[i]) - middle;
		ab += x * y;
		aa += x * x;
		bb += y * y;
	}
	*rho = aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
	return aa > 0 && bb > 0;
}

bool clock_of_runs(const struct facts *x, const uint32_t *row, size_t n, struct clock_of_runs *c)
{
	enum { MOST = 1000 }; /* ranks are counted, in n squared */
	size_t readings;
	const struct reading *r = readings_of(x, &readings);
	n = min_size(n, MOST);
	if (!readings || !n)
		return false;
	double *ns = arena_array(x->scratch, n, sizeof *ns);
	double *mhz = arena_array(x->scratch, n, sizeof *mhz);
	for (size_t i = 0; i < n; i++) {
		ns[i] = (double)x->t->dur_ns[row[i]];
		mhz[i] = clock_at(r, readings, x->t->start_ns[row[i]]);
		c->low_mhz = !i || mhz[i] < c->low_mhz ? mhz[i] : c->low_mhz;
		c->high_mhz = !i || mhz[i] > c->high_mhz ? mhz[i] : c->high_mhz;
	}
	return rank_correlation(ns, mhz, n, &c->rank);
}
