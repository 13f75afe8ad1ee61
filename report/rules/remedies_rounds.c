/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for a host that does the same again and again: one call for many. */
#include "base/binary_search.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/launches.h"
#include "report/rules/action_window.h"

#include <stdlib.h>
#include <string.h>

/* ---- one call for many ---- */

/* An operator that no other operator is around and that launches something, by what it is. */
struct unit {
	uint32_t row;
	name_id name;
};

/* MOST_BEHIND: operators that gather the results. */
enum { MOST_PERIOD = 64, LEAST_ROUNDS = 8, MOST_BEHIND = 2 };

static name_id dims_of(const struct trace *t, uint32_t op)
{
	return t->side[op] == NO_ROW ? 0 : t->inputs[t->side[op]].dims;
}

static bool same_unit(const struct facts *s, const struct unit *a, const struct unit *b)
{
	return a->name == b->name && dims_of(s->t, a->row) == dims_of(s->t, b->row);
}

static bool is_product(const struct facts *s, const struct unit *u)
{
	return s->a->host_traits[u->name] & TRAIT_PRODUCT;
}

/* Of one thread, in the window: malloc. From the last to the first, so that the next launch is
 * known at each. */
static size_t units_of(const struct facts *s, uint32_t track, struct unit **units)
{
	const struct trace *t = s->t;
	const struct analysis *a = s->a;
	struct unit *u = xalloc((s->outer.n + 1) * sizeof *u), *first = u + s->outer.n;
	int64_t launch_ns = INT64_MAX;
	size_t call = first_where(i, 0, a->n_calls, a->calls[i] >= s->to);
	for (size_t k = s->outer.n; k-- > 0;) {
		uint32_t i = s->outer.row[k];
		for (; call && a->calls[call - 1] > i; call--)
			if (a->class[a->calls[call - 1]] == CLASS_LAUNCH &&
				t->track[a->calls[call - 1]] == track)
				launch_ns = t->start_ns[a->calls[call - 1]];
		if (t->track[i] == track && launch_ns < row_end(t, i))
			*--first = (struct unit){i, t->name[i]};
	}
	size_t n = (size_t)(u + s->outer.n - first);
	memmove(u, first, n * sizeof *u);
	*units = u;
	return n;
}

/* Of the thread that launches most: two remedies ask. */
static struct units *launching_units(const struct facts *s)
{
	if (!s->units->unit)
		s->units->n = units_of(s, s->track, &s->units->unit);
	return s->units;
}

/* The shortest period in which all of them recur from the first on, but for a few behind that
 * gather the results; 0 when there is none. A network has a head that does not recur, so its layers
 * are no rounds. */
static size_t period_of(const struct facts *s, const struct unit *u, size_t n)
{
	for (size_t p = 1; p <= MOST_PERIOD && p * LEAST_ROUNDS <= n; p++) {
		size_t i = 0, behind = 0;
		while (i + p < n && same_unit(s, &u[i], &u[i + p]))
			i++;
		for (size_t k = i + p; k < n && behind <= MOST_BEHIND; k++)
			behind += is_product(s, &u[k]) ? MOST_BEHIND + 1 : 1;
		if (behind <= MOST_BEHIND && (i + p) / p >= LEAST_ROUNDS)
			return p;
	}
	return 0;
}

/* Is what `row` selects of a tensor, one of at least LEAST_ROUNDS, as large as this input? */
static bool selects(const struct facts *s, uint32_t row, int64_t elements)
{
	const struct inputs *x = inputs_of(s->a, row);
	if (s->t->track[row] != s->track || strcmp(row_name(s, row), "aten::select") || !x)
		return false;
	for (int d = 0; d < x->in[0].rank; d++)
		if (x->in[0].dim[d] >= LEAST_ROUNDS &&
			elements_of(x, 0) == elements * x->in[0].dim[d])
			return true;
	return false;
}

/* Are both operands of an operator what the program selected of larger tensors just before? */
static bool is_of_slices(const struct facts *s, uint32_t from, uint32_t op)
{
	const struct inputs *x = inputs_of(s->a, op);
	int found = 0;
	bool first = false, second = false;
	if (!x || x->n < 2)
		return false;
	for (uint32_t i = from; i < op; i++) {
		if (s->t->parent[i] != s->t->parent[op])
			continue;
		bool one = selects(s, i, elements_of(x, 0));
		bool other = selects(s, i, elements_of(x, 1));
		first |= one;
		second |= other;
		found += one || other;
	}
	return found >= 2 && first && second;
}

/* The rounds of a loop over a tensor that the program took apart: as many, or a part of each; 0:
 * none. */
static size_t rounds_of_unbind(const struct facts *s, const struct unit *u, size_t n)
{
	const struct inputs *one = inputs_of(s->a, u[0].row);
	for (uint32_t i = s->from; one && i < u[0].row; i++) {
		if (s->t->track[i] != s->track || strcmp(row_name(s, i), "aten::unbind") != 0)
			continue;
		const struct inputs *whole = inputs_of(s->a, i);
		int64_t parts = whole && whole->in[0].rank > 0 ? whole->in[0].dim[0] : 0;
		if (parts >= LEAST_ROUNDS && n % (size_t)parts <= MOST_BEHIND &&
			n >= (size_t)parts && elements_of(whole, 0) == parts * elements_of(one, 0))
			return (size_t)parts;
	}
	return 0;
}

/* Do the rounds stand for themselves, rather than for layers of which one feeds the next? Nothing
 * stands between the last product of one and the first of the next, or their shapes do not fit, or
 * each takes its own slices of the same tensors. */
static bool rounds_are_separate(const struct facts *s, const struct unit *u, size_t period)
{
	if (is_of_slices(s, u[period - 1].row, u[period].row))
		return true;
	const struct unit *end = &u[period - 1], *begin = &u[0];
	bool produces = is_product(s, end);
	if (produces && is_product(s, begin))
		return true;
	const struct inputs *first = inputs_of(s->a, begin->row), *last = inputs_of(s->a, end->row);
	if (produces || !first || !last)
		return false;
	int64_t one = elements_of(first, 0), other = elements_of(last, 0);
	return one && other && one != other;
}

static int64_t rows_of(const struct facts *s, uint32_t op)
{
	const struct inputs *x = inputs_of(s->a, op);
	return x && x->in[0].rank > 1 ? x->in[0].dim[0] : 0;
}

/* What the device waits for the host in the rounds: for launches, and where a round waits for it.
 */
static int64_t rounds_late_ns(const struct facts *s)
{
	return late_launches_ns(s) + s->w->ns[TIME_SYNC];
}

static void tell_rounds(
	const struct facts *s, struct finding *f, const struct unit *u, size_t n, size_t period)
{
	double rounds = (double)(n / period), rows = (double)rows_of(s, u[0].row);
	for (size_t i = 0; i < n; i += period)
		prove(f, u[i].row);
	f->variant = rows > 0 ? "" : "no-shapes";
	tell_name(f, "name", s->t, u[0].row);
	TELL(f, {"rounds", rounds}, {"operators", (double)period}, {"rows", rows},
		{"all_rows", rows * rounds}, {"late", (double)rounds_late_ns(s)},
		{"launches", (double)s->launches});
}

static enum finding_state batch(const struct facts *s, struct finding *f)
{
	if (s->graph_launches || s->track == NO_ROW || !is_about(s, f, rounds_late_ns(s)))
		return FINDING_NOT_FIRED;
	struct units *all = launching_units(s);
	const struct unit *u = all->unit;
	size_t n = all->n, period = period_of(s, u, n);
	size_t parts = period ? rounds_of_unbind(s, u, n) : 0;
	period = parts ? n / parts : period;
	if (!period || (!parts && !rounds_are_separate(s, u, period)))
		return FINDING_NOT_FIRED;
	tell_rounds(s, f, u, n, period);
	/* All rounds in the time of one: the device at best, the host for certain. */
	plan_gone(f->plan, s->track, s->t->start_ns[u[period].row],
		row_end(s->t, u[n / period * period - 1].row));
	return FINDING_FIRED;
}

/* ---- loops of small operators ---- */

enum { LOOP_PERIOD = 4, LOOP_ROUNDS = 16 };

/* The optimizer's own loops have a switch of their own; what backward repeats is the network's. */
static bool may_be_looped(const struct facts *s, const struct unit *u)
{
	for (uint32_t up = s->t->parent[u->row]; up != NO_ROW; up = s->t->parent[up])
		if (!strncmp(row_name(s, up), "Optimizer.", 10))
			return false;
	return !is_product(s, u) && !strncmp(row_name(s, u->row), "aten::", 6);
}

/* How many rounds of `period` operators of the same names follow each other; 0 when they are too
 * few, or one of the operators may not be looped. */
static size_t rounds_at(const struct facts *s, const struct unit *u, size_t n, size_t period)
{
	size_t i = 0, least = (LOOP_ROUNDS - 1) * period;
	while (i < least && i + period < n && u[i].name == u[i + period].name)
		i++;
	if (i < least)
		return 0;
	for (size_t k = 0; k < period; k++)
		if (!may_be_looped(s, &u[k]))
			return 0;
	while (i + period < n && u[i].name == u[i + period].name)
		i++;
	return i / period + 1;
}

struct loop {
	int64_t start_ns, first_ns, end_ns; /* of its operators; first: the end of the first round
					     */
};

struct loops {
	struct loop *loop; /* (n) of one thread, by time (malloc) */
	size_t n;
	size_t rounds, period; /* of the one that the device waits for longest */
	int64_t longest_ns, late_ns; /* of all */
	uint32_t row;
};

/* A loop that waits for the device is not one call for many tensors: what it does next depends on
 * it. */
static bool waits_between(const struct facts *s, uint32_t from, uint32_t to)
{
	const struct idle_causes *l = s->l;
	size_t i = first_where(k, 0, l->n_waits, l->waits[k] > from);
	for (; i < l->n_waits && l->waits[i] < to; i++)
		if (s->t->track[l->waits[i]] == s->t->track[from])
			return true;
	return false;
}

/* What begins at this operator, if it is a loop; returns how many operators are behind it. */
static size_t take_loop(
	const struct facts *s, const struct unit *u, size_t n, struct loops *all, struct finding *f)
{
	size_t period = 1, rounds = 0;
	for (; period <= LOOP_PERIOD; period++)
		if ((rounds = rounds_at(s, u, n, period)) >= LOOP_ROUNDS)
			break;
	if (rounds < LOOP_ROUNDS || waits_between(s, u[0].row, u[period].row))
		return 1;
	struct loop l = {s->t->start_ns[u[0].row], row_end(s->t, u[period - 1].row),
		row_end(s->t, u[rounds * period - 1].row)};
	int64_t late = late_in_window(s, l.start_ns, l.end_ns);
	all->loop[all->n++] = l;
	all->late_ns += late;
	plan_spare(f->plan, l.first_ns, l.end_ns);
	prove(f, u[0].row);
	if (late > all->longest_ns) {
		all->longest_ns = late;
		all->rounds = rounds;
		all->period = period;
		all->row = u[0].row;
	}
	return rounds * period;
}

static const struct loop *loop_of(const struct facts *s, const struct loops *all, uint32_t op)
{
	size_t low = first_where(i, 0, all->n, all->loop[i].end_ns > s->t->start_ns[op]);
	return low < all->n && all->loop[low].start_ns <= s->t->start_ns[op] ? &all->loop[low]
									     : NULL;
}

/* Kernels that are no longer than it takes to begin one: those of a loop are one, too. */
static void plan_small_kernels(
	const struct facts *s, struct finding *f, uint32_t track, const struct loops *all)
{
	enum { SMALL_NS = 5000 };
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if ((e->part != TIME_POINTWISE && e->part != TIME_REDUCTION) ||
			s->t->dur_ns[e->row] > SMALL_NS || e->op == NO_ROW ||
			s->t->track[e->op] != track)
			continue;
		const struct loop *l = loop_of(s, all, e->op);
		if (l && s->t->start_ns[e->op] >= l->first_ns)
			plan_takes(f->plan, e->row, 0);
	}
}

static void loops_on(const struct facts *s, uint32_t track, struct loops *all, struct finding *f)
{
	struct units other = {0}, *units = track == s->track ? launching_units(s) : &other;
	if (track != s->track)
		other.n = units_of(s, track, &other.unit);
	const struct unit *u = units->unit;
	size_t n = units->n;
	all->loop = xalloc((n / LOOP_ROUNDS + 1) * sizeof *all->loop);
	all->n = 0;
	for (size_t i = 0; i < n;)
		i += take_loop(s, &u[i], n - i, all, f);
	if (all->n)
		plan_small_kernels(s, f, track, all);
	free(all->loop);
	free(other.unit);
}

/* On the thread that launches most, which may be backward's, and on that of the step. */
static enum finding_state loops(const struct facts *s, struct finding *f)
{
	const int64_t *ns = s->w->ns;
	/* They give back at most what the host is late by, on each thread, and small kernels. */
	int64_t most = 2 * (ns[TIME_LAUNCHING] - s->w->launch_gap_ns + ns[TIME_SYNC]) +
		ns[TIME_POINTWISE] + ns[TIME_REDUCTION];
	if (s->graph_launches || s->captures || s->track == NO_ROW ||
		(double)most < limit(f, "least") * (double)advised_ns(s))
		return FINDING_NOT_FIRED;
	const struct breakdown *p = s->p;
	uint32_t step = p->median == NO_ROW ? NO_ROW : p->steps[p->median].row;
	struct loops all = {0};
	loops_on(s, s->track, &all, f);
	if (step != NO_ROW && s->t->track[step] != s->track && event_on_host(s->t->kind[step]))
		loops_on(s, s->t->track[step], &all, f);
	if (!all.rounds)
		return FINDING_NOT_FIRED;
	TELL(f, {"rounds", (double)all.rounds}, {"operators", (double)all.period},
		{"late", (double)all.late_ns}, {"share", share_of_window(s, all.late_ns)});
	tell_name(f, "name", s->t, all.row);
	return FINDING_FIRED;
}

static const struct rule rows[] = {
	{.id = "batch",
		.kind = RULE_ACTION,
		.threshold = {ABOUT(0.1), LEAST(0.02)},
		.value = {{"rounds", UNIT_COUNT}, {"operators", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"rows", UNIT_COUNT}, {"all_rows", UNIT_COUNT}, {"late", UNIT_NS},
			{"launches", UNIT_COUNT}},
		.one = batch},
	{.id = "loops",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.05)},
		.value = {{"rounds", UNIT_COUNT}, {"operators", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"late", UNIT_NS}, {"share", UNIT_SHARE}},
		.one = loops},
};

const struct rule_list remedy_round_rows = RULE_LIST(rows);
