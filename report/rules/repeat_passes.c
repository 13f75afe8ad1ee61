/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds that are whole passes of a network, and products that could be one: what one call for many
 * would spare, told by what no layer has. */
#include "report/analyse/analysis.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <string.h>

/* ---- what a round holds ---- */

static bool has_row_between(const struct facts *s, uint32_t from, uint32_t to, const char *begin)
{
	size_t n = strlen(begin);
	for (uint32_t i = from; i < to; i++)
		if (s->t->kind[i] == EVENT_OP && !strncmp(row_name(s, i), begin, n))
			return true;
	return false;
}

bool repeat_trains(const struct facts *s, const struct repeat *r)
{
	int64_t from = s->t->start_ns[repeat_row(r, 0, 0)],
		to = s->t->start_ns[repeat_row(r, 1, 0)];
	for (size_t i = 0; i < s->optimizers.n; i++) {
		int64_t at = s->t->start_ns[s->optimizers.row[i]];
		if (at >= from && at < to)
			return true;
	}
	return false;
}

/* A layer has no backward pass of its own: rounds that have are passes of the whole network. */
static bool is_of_passes(const struct facts *s, const struct repeat *r)
{
	enum { LEAST_PASSES = 4 };
	if (r->rounds < LEAST_PASSES || is_node_of_autograd(s, repeat_row(r, 0, 0)) ||
		repeat_trains(s, r) || 10 * r->rounds * r->period < 8 * r->of->n)
		return false;
	return has_row_between(
		s, repeat_row(r, 1, 0), repeat_row(r, 2, 0), "autograd::engine::evaluate_function");
}

/* ---- passes, each with its backward ---- */

bool batch_of_passes(const struct facts *s, struct finding *f)
{
	const struct repeats *all = repeats_of(s);
	for (size_t i = 0; i < all->n; i++) {
		const struct repeat *r = &all->run[i];
		if (!is_of_passes(s, r))
			continue;
		for (size_t k = 0; k < r->rounds; k++)
			prove(f, repeat_row(r, k, 0));
		f->variant = "passes";
		tell_name(f, "name", s->t, repeat_row(r, 0, 0));
		TELL(f, {"rounds", (double)r->rounds}, {"operators", (double)r->period},
			{"launches", (double)s->launches});
		int64_t from = s->t->start_ns[repeat_row(r, 1, 0)], to = s->w->end_ns;
		for (int k = 0; k < REPEAT_THREADS; k++)
			if (all->thread[k].n)
				plan_gone(f->plan, all->thread[k].track, from, to);
		return true;
	}
	return false;
}

/* ---- the same layers twice ---- */

void plan_beside_first(
	const struct facts *s, struct finding *f, uint32_t track, struct time_span at)
{
	plan_one_launch_of(f->plan, s->p, at.start_ns, at.end_ns);
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		int64_t start = e->call == NO_ROW ? -1 : s->t->start_ns[e->call];
		if (start >= at.start_ns && start < at.end_ns && s->t->track[e->call] == track &&
			s->t->kind[e->row] == EVENT_KERNEL)
			plan_takes(f->plan, e->row, device_fills(s, e->row));
	}
}

static name_id dims_at(const struct facts *s, const struct unit *u)
{
	uint32_t side = s->t->side[u->row];
	return side == NO_ROW ? 0 : s->t->inputs[side].dims;
}

static bool is_stack(const struct facts *s, const struct repeat *r)
{
	enum { LEAST_LAYERS = 4, LEAST_OPERATORS = 3 };
	if (r->rounds < LEAST_LAYERS || r->period < LEAST_OPERATORS)
		return false;
	for (size_t k = 0; k < r->period; k++)
		if (multiplies(s, repeat_row(r, 0, k)))
			return true;
	return false;
}

static bool is_same_stack(const struct facts *s, const struct repeat *a, const struct repeat *b)
{
	const struct unit *u = a->of->unit;
	if (a->of != b->of || a->period != b->period || a->rounds != b->rounds)
		return false;
	for (size_t i = 0; i < a->period * a->rounds; i++)
		if (u[a->first + i].name != u[b->first + i].name || !dims_at(s, &u[a->first + i]) ||
			dims_at(s, &u[a->first + i]) != dims_at(s, &u[b->first + i]))
			return false;
	return true;
}

/* Operators between the end of one and the begin of the next. */
static size_t between(const struct repeat *a, const struct repeat *b)
{
	return b->first - (a->first + a->period * a->rounds);
}

static const struct repeat *next_stack(
	const struct facts *s, const struct repeats *all, const struct repeat *of)
{
	const struct repeat *end = &all->run[all->n];
	for (const struct repeat *r = of + 1; r < end && r->of == of->of; r++)
		if (r->first >= of->first + of->period * of->rounds && is_stack(s, r))
			return is_same_stack(s, of, r) ? r : NULL;
	return NULL;
}

/* Between two passes lies what is behind the last product of the first, which is its result, and
 * then all that is in front of the very first, on the same shapes: nothing takes that result. */
static bool is_begun_anew(const struct facts *s, const struct repeat *first, const struct repeat *a,
	const struct repeat *b)
{
	const struct unit *u = a->of->unit;
	size_t n = first->first, begin = b->first - n;
	if (first->of != a->of || !n || between(a, b) < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (u[i].name != u[begin + i].name ||
			dims_at(s, &u[i]) != dims_at(s, &u[begin + i]))
			return false;
	return multiplies(s, u[begin - 1].row);
}

/* What is between two passes over other inputs is less than between two of which the second waits
 * for what becomes of the first: a sampler's steps are all alike. */
static bool batch_twice(const struct facts *s, struct finding *f)
{
	enum { FEW = 4 };
	const struct repeats *all = repeats_of(s);
	const struct repeat *first = NULL;
	size_t pairs = 0;
	int64_t spared = 0;
	for (size_t i = 0; i < all->n && all->run[i].of == &all->thread[0]; i++) {
		const struct repeat *a = &all->run[i];
		first = !first && is_stack(s, a) ? a : first;
		const struct repeat *b = is_stack(s, a) ? next_stack(s, all, a) : NULL;
		const struct repeat *c = b ? next_stack(s, all, b) : NULL;
		if (!b || waits_between(s, repeat_row(a, 0, 0), repeat_row(b, 0, 0)) ||
			(!is_begun_anew(s, first, a, b) &&
				(between(a, b) > FEW || (!c && !pairs && repeat_feeds(s, a, b)))) ||
			(c && between(b, c) <= between(a, b)))
			continue;
		int64_t from = s->t->start_ns[repeat_row(b, 0, 0)],
			to = row_end(s->t, repeat_row(b, b->rounds - 1, b->period - 1));
		spared += to - from;
		plan_beside_first(s, f, s->track, (struct time_span){from, to});
		prove(f, repeat_row(b, 0, 0));
		if (!pairs++) {
			tell_name(f, "name", s->t, repeat_row(b, 0, 0));
			TELL(f, {"operators", (double)(b->period * b->rounds)});
		}
		i = (size_t)(b - all->run);
	}
	f->variant = "twice";
	TELL(f, {"rounds", (double)pairs}, {"launches", (double)s->launches});
	return pairs && spared > 0;
}

/* ---- products side by side ---- */

/* Operators behind a group of products, up to the next product: of how many values as large as a
 * product's they need that they do not give themselves. */
static int values_needed(const struct facts *s, const struct unit_list *of, size_t at, int64_t size)
{
	enum { MOST = 8 };
	int needed = 0, there = 0;
	for (size_t i = at; i < of->n && i < at + MOST && !multiplies(s, of->unit[i].row); i++) {
		const struct inputs *x = inputs_of(s->a, of->unit[i].row);
		for (int k = 0; x && k < x->n && k < 3; k++)
			if (elements_of(x, k) == size) {
				needed += there <= 0;
				there -= there > 0;
			}
		there++;
	}
	return needed;
}

/* How many products of the same shapes stand side by side from here on; `all`: what is behind them
 * needs each, so that none takes what the one before it gave. */
static size_t side_by_side(const struct facts *s, const struct unit_list *of, size_t at, bool *all)
{
	size_t n = 1;
	name_id dims = dims_at(s, &of->unit[at]);
	struct product p;
	while (at + n < of->n && of->unit[at + n].name == of->unit[at].name && dims &&
		dims_at(s, &of->unit[at + n]) == dims)
		n++;
	*all = n > 1 && product_of(s->a, of->unit[at].row, &p) &&
		(p.n != p.k || values_needed(s, of, at + n, p.batch * p.m * p.n) >= (int)n);
	return n;
}

static bool batch_operands(const struct facts *s, struct finding *f)
{
	enum { LEAST_GROUPS = 4 };
	const struct unit_list *of = &repeats_of(s)->thread[0];
	size_t groups = 0, spared = 0;
	for (size_t i = 0, n; i < of->n; i += n) {
		bool all = false;
		n = multiplies(s, of->unit[i].row) ? side_by_side(s, of, i, &all) : 1;
		if (!all)
			continue;
		groups++;
		spared += n - 1;
		for (size_t k = 1; k < n; k++)
			plan_off_path(f->plan, s->t, of->unit[i + k].row);
		prove(f, of->unit[i].row);
		if (groups == 1)
			tell_name(f, "name", s->t, of->unit[i].row);
	}
	f->variant = "operands";
	TELL(f, {"rounds", (double)groups}, {"operators", (double)(spared + groups)},
		{"launches", (double)s->launches});
	return groups >= LEAST_GROUPS;
}

bool batch_of_equals(const struct facts *s, struct finding *f)
{
	static bool (*const of[])(const struct facts *s, struct finding *f) = {
		batch_twice, batch_of_inputs, batch_operands};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		if (of[i](s, f))
			return true;
		forget_finding(f);
	}
	return false;
}
