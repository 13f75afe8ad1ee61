/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "base/stats.h"
#include "report/replay/graph.h"

#include <stdlib.h>

/* Steps that are looked at for the same calls, on each side of the window; of those that have them
 * so many count. */
enum { STEPS_NEAR = 8, LIKE_MOST = 4, LIKE_LEAST = 2 };

/* An interruption takes more than that of what most steps take there. */
#define INTERRUPTED_TIMES 2

/* The calls of another step, where they are those of the window, one by one. */
static bool is_like(const struct replay *r, const struct time_span *host, uint32_t *row)
{
	const struct analysis *a = r->a;
	const struct trace *t = a->trace;
	uint32_t n = r->behind - r->first, k = 0;
	for (size_t i = first_where(c, 0, a->n_calls, t->start_ns[a->calls[c]] >= host->start_ns);
		i < a->n_calls && t->start_ns[a->calls[i]] < host->end_ns; i++) {
		uint32_t call = a->calls[i];
		if (!graph_is_point(a, call))
			continue;
		uint32_t own = k < n ? r->point[r->first + k].row : NO_ROW;
		if (own == NO_ROW || t->name[call] != t->name[own] ||
			t->track[call] != t->track[own])
			return false;
		row[k++] = call;
	}
	return k == n;
}

/* How many of the steps around the window are like it, at most LIKE_MOST, and their calls. */
static int gather_like(const struct replay *r, const struct breakdown *p, uint32_t *const row[])
{
	int n = 0;
	for (uint32_t i = 2; i < 2 * STEPS_NEAR + 2 && n < LIKE_MOST; i++) {
		uint32_t step = i % 2 ? p->median + i / 2 : p->median - i / 2;
		struct time_span host;
		n += step < p->n_steps && graph_host_of_step(p, r->a->trace, step, &host) &&
			is_like(r, &host, row[n]);
	}
	return n;
}

/* The window and the steps like it: their calls, and how long they were interrupted in all. */
struct alike {
	const struct replay *r;
	uint32_t *row[LIKE_MOST];
	int n; /* steps beside the window */
	int64_t excess_ns[1 + LIKE_MOST];
	double share; /* of the window's, what the others do not have */
};

/* (1 + n) Times of one thing, the window's first: how long it usually takes, and what of each is an
 * interruption. */
static int64_t usual_of(struct alike *x, const int64_t *ns)
{
	int64_t sorted[1 + LIKE_MOST];
	for (int k = 0; k <= x->n; k++)
		sorted[k] = ns[k];
	int64_t usual = stats_nth(sorted, (size_t)x->n + 1, (size_t)x->n / 2);
	for (int k = 0; usual >= 0 && k <= x->n; k++)
		x->excess_ns[k] += ns[k] > INTERRUPTED_TIMES * usual ? ns[k] - usual : 0;
	return usual;
}

static double calm_share(const struct alike *x, int64_t own, int64_t usual)
{
	bool interrupted = usual >= 0 && own > INTERRUPTED_TIMES * usual;
	return interrupted ? 1 - x->share * (1 - (double)usual / (double)own) : 1;
}

static struct calm calm_of(struct alike *x, uint32_t index)
{
	const struct replay *r = x->r;
	const struct trace *t = r->a->trace;
	const struct point *p = &r->point[index];
	struct calm c = {1, 1};
	uint32_t at = index - r->first;
	int64_t ns[1 + LIKE_MOST] = {t->dur_ns[p->row]}, start = t->start_ns[p->row];
	for (int k = 0; k < x->n; k++)
		ns[k + 1] = t->dur_ns[x->row[k][at]];
	if (p->awaits == NOTHING)
		c.own = calm_share(x, ns[0], usual_of(x, ns));
	if (p->before == NOTHING || p->before < r->first ||
		spans_covered(r->silent, start - p->gap_ns, start) > 0)
		return c;
	ns[0] = p->gap_ns;
	for (int k = 0; k < x->n; k++)
		ns[k + 1] =
			t->start_ns[x->row[k][at]] - row_end(t, x->row[k][p->before - r->first]);
	c.gap = calm_share(x, ns[0], usual_of(x, ns));
	return c;
}

/* A host is interrupted a little in each step, here or there: what is more than that goes. */
static void find_share(struct alike *x)
{
	for (uint32_t i = x->r->first; i < x->r->behind; i++)
		calm_of(x, i);
	int64_t own = x->excess_ns[0];
	int64_t usual = stats_nth(x->excess_ns + 1, (size_t)x->n, (size_t)(x->n - 1) / 2);
	x->share = own > usual ? (double)(own - usual) / (double)own : 0;
}

void graph_find_calm(struct replay *r, struct arena *arena, const struct breakdown *p)
{
	uint32_t n = r->behind - r->first;
	if (!r->n_step || !n)
		return;
	struct alike x = {.r = r};
	uint32_t *rows = xalloc((size_t)LIKE_MOST * n * sizeof *rows);
	for (size_t i = 0; i < LIKE_MOST; i++)
		x.row[i] = rows + i * n;
	x.n = gather_like(r, p, x.row);
	if (x.n >= LIKE_LEAST)
		find_share(&x);
	if (x.share > 0) {
		r->calm = arena_unset(arena, r->n_points, sizeof *r->calm);
		for (uint32_t i = 0; i < r->n_points; i++)
			r->calm[i] = i >= r->first && i < r->behind ? calm_of(&x, i)
								    : (struct calm){1, 1};
	}
	free(rows);
}
