/* SPDX-License-Identifier: Apache-2.0 */
/* Of the action batch: all that the launching thread does is rounds that do not need each other. */
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/launches.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

/* MOST_BEHIND: operators that gather the results. */
enum { MOST_PERIOD = 64, LEAST_ROUNDS = 8, MOST_BEHIND = 2 };

static name_id dims_of(const struct trace *t, uint32_t op)
{
	return t->side[op] == NO_ROW ? 0 : t->inputs[t->side[op]].dims;
}

static bool has_same_shapes(const struct facts *s, const struct repeat *r)
{
	const struct unit *u = r->of->unit + r->first;
	for (size_t i = 0; i + r->period < r->rounds * r->period; i++)
		if (dims_of(s->t, u[i].row) != dims_of(s->t, u[i + r->period].row))
			return false;
	return true;
}

/* Operators behind all rounds that gather the results; none of them multiplies. */
static bool only_gathers_behind(const struct facts *s, const struct repeat *r)
{
	size_t k = r->first + r->rounds * r->period, n = r->of->n;
	if (n > k + MOST_BEHIND)
		return false;
	for (; k < n; k++)
		if (multiplies(s, r->of->unit[k].row))
			return false;
	return true;
}

/* A repeat, or several rounds of its names as one, so that shapes recur, too; false: none. */
static bool as_rounds_of_shapes(const struct facts *s, const struct repeat *of, struct repeat *r)
{
	size_t units = of->rounds * of->period;
	for (size_t p = of->period; p <= MOST_PERIOD && p * LEAST_ROUNDS <= units;
		p += of->period) {
		*r = (struct repeat){of->of, of->first, p, units / p};
		if (has_same_shapes(s, r))
			return only_gathers_behind(s, r);
	}
	return false;
}

/* A repeat that was found a part of a round late, as its first operators also recur within the
 * round, from the thread's first operator on; false: what is in front of it is something else. */
static bool from_the_first(const struct repeat *r, struct repeat *whole)
{
	const struct unit *u = r->of->unit;
	size_t units = r->first + r->rounds * r->period;
	for (size_t i = 0; i < r->first && r->first < r->period; i++)
		if (u[i].name != u[i + r->period].name)
			return false;
	while (units < r->of->n && u[units].name == u[units - r->period].name)
		units++;
	*whole = (struct repeat){r->of, 0, r->period, units / r->period};
	return r->first < r->period;
}

/* All that the launching thread does is these rounds, but for a few operators behind them; false:
 * there are none. A network has a head that does not recur, so its layers are no rounds. */
static bool rounds_of_all(const struct facts *s, struct repeat *r)
{
	const struct repeats *all = repeats_of(s);
	struct repeat whole;
	for (size_t i = 0; i < all->n && all->run[i].of == &all->thread[0]; i++)
		if (from_the_first(&all->run[i], &whole) && as_rounds_of_shapes(s, &whole, r))
			return true;
	return false;
}

/* Is what `row` selects of a tensor, one of at least LEAST_ROUNDS, as large as this input? */
static bool selects(const struct facts *s, uint32_t row, int64_t elements)
{
	const struct inputs *x = inputs_of(s->a, row);
	if (s->t->track[row] != s->track || !is_named(s, row, "aten::select") || !x)
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
static size_t rounds_of_unbind(const struct facts *s, const struct repeat *r)
{
	uint32_t first = repeat_row(r, 0, 0);
	const struct inputs *one = inputs_of(s->a, first);
	for (uint32_t i = s->work_from; one && i < first; i++) {
		if (s->t->track[i] != s->track || !is_named(s, i, "aten::unbind"))
			continue;
		const struct inputs *whole = inputs_of(s->a, i);
		int64_t parts = whole && whole->in[0].rank > 0 ? whole->in[0].dim[0] : 0;
		if (parts >= LEAST_ROUNDS && r->of->n % (size_t)parts <= MOST_BEHIND &&
			r->of->n >= (size_t)parts &&
			elements_of(whole, 0) == parts * elements_of(one, 0))
			return (size_t)parts;
	}
	return 0;
}

/* Do the rounds stand for themselves, rather than for layers of which one feeds the next? Nothing
 * stands between the last product of one and the first of the next, or their shapes do not fit, or
 * each takes its own slices of the same tensors. */
static bool rounds_are_separate(const struct facts *s, const struct repeat *r)
{
	uint32_t begin = repeat_row(r, 0, 0), end = repeat_row(r, 0, r->period - 1);
	if (is_of_slices(s, end, repeat_row(r, 1, 0)))
		return true;
	bool produces = multiplies(s, end);
	if (produces && multiplies(s, begin) && r->period > 1)
		return true;
	if (repeat_hands_on(s, r))
		return false;
	if (produces && multiplies(s, begin))
		return true;
	const struct inputs *first = inputs_of(s->a, begin), *last = inputs_of(s->a, end);
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

/* All rounds in the time of one, the host for certain. The device, where it waits for the host, at
 * best; else as far as it has room for them. As many bytes are copied as before. */
static void plan_one_round(const struct facts *s, struct finding *f, const struct repeat *r)
{
	struct time_span rest = repeat_rest(s, r);
	int64_t from = s->t->start_ns[repeat_row(r, 1, 0)];
	const double few = 0.1; /* of the time, copies that do not matter */
	bool copies = (double)s->w->ns[TIME_COPIES] >= few * (double)advised_ns(s);
	if (!copies && 2 * repeat_late_ns(s) >= repeat_gives_ns(s, INT64_MAX)) {
		plan_gone(f->plan, r->of->track, from, rest.end_ns);
		return;
	}
	plan_spare(f->plan, from, rest.end_ns);
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		int64_t at = e->call == NO_ROW ? -1 : s->t->start_ns[e->call];
		if (at >= from && at < rest.end_ns && s->t->kind[e->row] == EVENT_KERNEL)
			plan_takes(f->plan, e->row, device_fills(s, e->row));
	}
}

static bool tell_rounds(const struct facts *s, struct finding *f, const struct repeat *r)
{
	double rows = (double)rows_of(s, repeat_row(r, 0, 0));
	for (size_t i = 0; i < r->rounds; i++)
		prove(f, repeat_row(r, i, 0));
	f->variant = rows > 0 ? "" : "no-shapes";
	tell_name(f, "name", s->t, repeat_row(r, 0, 0));
	TELL(f, {"rounds", (double)r->rounds}, {"operators", (double)r->period}, {"rows", rows},
		{"all_rows", rows * (double)r->rounds}, {"late", (double)repeat_late_ns(s)},
		{"launches", (double)s->launches});
	plan_one_round(s, f, r);
	return true;
}

bool batch_of_rounds(const struct facts *s, struct finding *f)
{
	struct repeat r;
	if (!rounds_of_all(s, &r) || repeat_trains(s, &r))
		return false;
	size_t parts = rounds_of_unbind(s, &r);
	if (parts)
		return tell_rounds(s, f, &(struct repeat){r.of, 0, r.of->n / parts, parts});
	return rounds_are_separate(s, &r) && tell_rounds(s, f, &r);
}
