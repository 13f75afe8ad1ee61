/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/repeats.h"

#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/launches.h"
#include "report/rules/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it is about ---- */

/* Operators that no other is around, of the rows that repeats are looked for in. */
struct outermost {
	const uint32_t *row; /* (n) */
	size_t n;
	uint32_t to;
	struct row_list own;
};

static struct outermost outermost_of(const struct facts *s)
{
	const struct trace *t = s->t;
	struct outermost all = {s->outer.row, s->outer.n, s->to, {0}};
	if (s->work_from == s->from && s->work_to == s->to)
		return all;
	for (uint32_t i = s->work_from; i < s->work_to; i++)
		if (t->kind[i] == EVENT_OP &&
			(t->parent[i] == NO_ROW || t->kind[t->parent[i]] != EVENT_OP))
			list_row(&all.own, i);
	return (struct outermost){all.own.row, all.own.n, s->work_to, all.own};
}

/* ---- operators of a thread ---- */

/* From the last to the first, so that the next launch is known at each. */
static void list_units(const struct facts *s, const struct outermost *outer, struct unit_list *list)
{
	const struct trace *t = s->t;
	const struct analysis *a = s->a;
	struct unit *u = xalloc((outer->n + 1) * sizeof *u), *first = u + outer->n;
	int64_t launch_ns = INT64_MAX;
	size_t call = first_where(i, 0, a->n_calls, a->calls[i] >= outer->to);
	for (size_t k = outer->n; k-- > 0;) {
		uint32_t i = outer->row[k];
		for (; call && a->calls[call - 1] > i; call--)
			if (a->class[a->calls[call - 1]] == CLASS_LAUNCH &&
				t->track[a->calls[call - 1]] == list->track)
				launch_ns = t->start_ns[a->calls[call - 1]];
		if (t->track[i] == list->track && launch_ns < row_end(t, i))
			*--first = (struct unit){i, t->name[i]};
	}
	list->n = (size_t)(u + outer->n - first);
	memmove(u, first, list->n * sizeof *u);
	list->unit = u;
}

/* The thread with most outermost operators beside that which launches most; NO_ROW. */
static uint32_t other_thread(const struct facts *s, const struct outermost *outer)
{
	uint32_t *n = xcalloc(s->t->n_tracks, sizeof *n), most = NO_ROW;
	for (size_t k = 0; k < outer->n; k++) {
		uint32_t track = s->t->track[outer->row[k]];
		n[track]++;
		if (track != s->track && (most == NO_ROW || n[track] > n[most]))
			most = track;
	}
	free(n);
	return most;
}

/* ---- what repeats ---- */

struct search {
	const struct unit_list *of;
	uint32_t *next; /* the next operator of the same name */
	uint32_t *alike; /* the next of the same name and shapes; NO_ROW: shapes are not recorded */
	size_t differs[REPEAT_PERIOD + 1]; /* by period: where names differ, as far as was seen */
	size_t known[REPEAT_PERIOD + 1]; /* up to there this period is told, or a part of it is */
};

static uint32_t *next_of_same_name(const struct facts *s, const struct unit_list *of)
{
	uint32_t *next = xalloc((of->n + 1) * sizeof *next);
	uint32_t *last = xalloc(s->t->names.n * sizeof *last);
	memset(last, 0xff, s->t->names.n * sizeof *last);
	for (size_t i = of->n; i-- > 0;) {
		next[i] = last[of->unit[i].name];
		last[of->unit[i].name] = (uint32_t)i;
	}
	free(last);
	return next;
}

static uint64_t shapes_of(const struct facts *s, const struct unit *u)
{
	uint32_t side = s->t->side[u->row];
	name_id dims = side == NO_ROW ? 0 : s->t->inputs[side].dims;
	return dims ? (uint64_t)u->name << 32 | dims : 0;
}

/* By a table of the last of each, with room for twice as many as there are. */
static uint32_t *next_alike(const struct facts *s, const struct unit_list *of)
{
	const uint64_t spread = 0x9e3779b97f4a7c15; /* 2^64 over the golden ratio */
	unsigned bits = 4;
	while (((size_t)1 << bits) < 2 * of->n)
		bits++;
	size_t room = (size_t)1 << bits;
	uint64_t *key = xcalloc(room, sizeof *key);
	uint32_t *last = xalloc(room * sizeof *last);
	uint32_t *next = xalloc((of->n + 1) * sizeof *next);
	for (size_t i = of->n; i-- > 0;) {
		uint64_t shapes = shapes_of(s, &of->unit[i]);
		size_t at = (size_t)(shapes * spread >> (64 - bits));
		while (key[at] && key[at] != shapes)
			at = (at + 1) & (room - 1);
		next[i] = shapes && key[at] ? last[at] : NO_ROW;
		key[at] = shapes;
		last[at] = (uint32_t)i;
	}
	free(key);
	free(last);
	return next;
}

/* The first operator from `from` on that is another than the one a period later. */
static size_t period_ends(struct search *x, size_t period, size_t from)
{
	const struct unit *u = x->of->unit;
	size_t i = x->differs[period];
	if (i > from)
		return i;
	for (i = from; i + period < x->of->n && u[i].name == u[i + period].name;)
		i++;
	return x->differs[period] = i;
}

static void add_repeat(struct repeats *all, struct repeat one)
{
	if (all->n == all->room) {
		all->room = all->room ? 2 * all->room : 32;
		all->run = xrealloc(all->run, all->room, sizeof *all->run);
	}
	all->run[all->n++] = one;
}

static void try_period(struct repeats *all, struct search *x, size_t first, size_t period)
{
	size_t end = period_ends(x, period, first), rounds = (end - first) / period + 1;
	if (rounds < REPEAT_ROUNDS || (first < x->known[period] && end <= x->known[period]))
		return;
	add_repeat(all, (struct repeat){x->of, first, period, rounds});
	for (size_t p = period; p <= REPEAT_PERIOD; p += period)
		x->known[p] = end;
}

static void find_repeats(const struct facts *s, struct repeats *all, const struct unit_list *of)
{
	struct search *x = xcalloc(1, sizeof *x);
	x->of = of;
	x->next = next_of_same_name(s, of);
	x->alike = next_alike(s, of);
	for (size_t i = 0; i < of->n; i++) {
		uint32_t at = x->alike[i];
		if (at != NO_ROW && at - i > REPEAT_SHORT && at - i <= REPEAT_PERIOD)
			try_period(all, x, i, at - i);
		at = x->next[i];
		for (int k = 0; k < REPEAT_TRIES && at != NO_ROW && at - i <= REPEAT_SHORT; k++) {
			try_period(all, x, i, at - i);
			at = x->next[at];
		}
	}
	free(x->next);
	free(x->alike);
	free(x);
}

const struct repeats *repeats_of(const struct facts *s)
{
	struct repeats *all = s->repeats;
	if (all->known || s->track == NO_ROW)
		return all;
	all->known = true;
	struct outermost outer = outermost_of(s);
	for (int i = 0; i < REPEAT_THREADS; i++) {
		struct unit_list *of = &all->thread[i];
		of->track = i ? other_thread(s, &outer) : s->track;
		if (of->track == NO_ROW)
			break;
		list_units(s, &outer, of);
		find_repeats(s, all, of);
	}
	all->kind = xcalloc(all->n + 1, 1);
	free(outer.own.row);
	return all;
}

void repeats_free(struct repeats *all)
{
	for (int i = 0; i < REPEAT_THREADS; i++)
		free(all->thread[i].unit);
	free(all->run);
	free(all->kind);
}

enum repeat_kind repeat_kind_at(const struct facts *s, const struct repeats *all, size_t i)
{
	if (!all->kind[i])
		all->kind[i] = (uint8_t)(1 + repeat_kind(s, &all->run[i]));
	return (enum repeat_kind)(all->kind[i] - 1);
}

struct time_span repeat_rest(const struct facts *s, const struct repeat *r)
{
	return (struct time_span){row_end(s->t, repeat_row(r, 0, r->period - 1)),
		row_end(s->t, repeat_row(r, r->rounds - 1, r->period - 1))};
}

bool repeat_waits(const struct facts *s, const struct repeat *r)
{
	const struct idle_causes *l = s->l;
	uint32_t from = repeat_row(r, 0, 0), to = repeat_row(r, 1, 0);
	size_t i = first_where(k, 0, l->n_waits, l->waits[k] > from);
	for (; i < l->n_waits && l->waits[i] < to; i++)
		if (s->t->track[l->waits[i]] == r->of->track)
			return true;
	return false;
}

bool repeat_only_writes(const struct facts *s, const struct repeat *r, size_t round, uint32_t view)
{
	uint32_t next = next_operator(s, view);
	for (size_t k = 0; k < r->period; k++)
		if (repeat_row(r, round, k) == next)
			return false;
	return is_named(s, next, "aten::copy_");
}

/* ---- backward ---- */

/* Rounds of autograd's nodes of which each stands for so many of another's, about as many in all.
 */
static bool is_backward_of(
	const struct facts *s, const struct repeat *one, const struct repeat *r, size_t of)
{
	enum { OFF = 3 };
	return is_node_of_autograd(s, repeat_row(one, 0, 0)) && one->period >= of &&
		of * one->rounds + OFF >= r->rounds && of * one->rounds <= r->rounds + OFF;
}

static bool overlaps(const struct repeat *a, const struct repeat *b)
{
	return a->of == b->of && a->first < b->first + b->rounds * b->period &&
		b->first < a->first + a->rounds * a->period;
}

static bool is_free(const struct repeat *r, const struct repeat *const *taken, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (overlaps(r, taken[i]))
			return false;
	return true;
}

/* Of several cells for each part of a sequence one round is all of these. */
const struct repeat *repeat_backward(
	const struct facts *s, const struct repeat *r, const struct repeat *const *taken, size_t n)
{
	enum { CELLS = 4 };
	const struct repeats *all = repeats_of(s);
	const struct repeat *most = NULL;
	for (size_t of = 1; s->backward && !most && of <= CELLS; of++) {
		if (of == 2 && repeat_kind(s, r) != REPEAT_CELLS)
			break;
		for (size_t i = 0; i < all->n; i++)
			if (is_backward_of(s, &all->run[i], r, of) &&
				(!most || all->run[i].period > most->period) &&
				is_free(&all->run[i], taken, n))
				most = &all->run[i];
	}
	return most;
}

/* ---- what one call for many gives back ---- */

int64_t repeat_late_ns(const struct facts *s)
{
	return late_launches_ns(s) + s->w->ns[TIME_SYNC];
}

double device_fills(const struct facts *s, uint32_t row)
{
	const struct kernel *k = kernel_of(s->t, row);
	const struct footprint *p = k ? &s->footprint[k - s->t->kernels] : NULL;
	return p && p->waves > 0 ? fmin(1, p->waves) : 1;
}

int64_t repeat_gives_ns(const struct facts *s, int64_t enough_ns)
{
	double room = 0;
	int64_t late = repeat_late_ns(s);
	for (size_t i = 0; i < s->n && late < enough_ns; i++)
		if (s->t->kind[s->event[i].row] == EVENT_KERNEL)
			room += (1 - device_fills(s, s->event[i].row)) *
				(double)s->event[i].exposed_ns;
	return late + (int64_t)room;
}
