/* SPDX-License-Identifier: Apache-2.0 */
/* What is computed and not used: rows of a product of which few are picked behind it, and what is
 * multiplied by the zeros of a one-hot matrix. */
#include "report/rules/repeats.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/launches.h"
#include "report/rules/pattern.h"

#include <math.h>
#include <string.h>

enum { LEAST_CLASSES = 4, BEHIND = 6, FAR = 256 };

/* A share of what is used that is worth a word. */
static const double HALF = 0.5;

/* ---- rows that nobody picks ---- */

static bool is_whole(const struct facts *s, uint32_t row, int k, int64_t whole, int64_t columns)
{
	const struct inputs *x = inputs_of(s->a, row);
	return x && k < x->n && x->in[k].rank > 1 && elements_of(x, k) == whole &&
		x->in[k].dim[x->in[k].rank - 1] == columns;
}

/* Of the diagonal of a matrix all else is for nothing. */
static bool is_diagonal(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	return x && x->in[0].rank >= 2 &&
		(is_named(s, row, "aten::diagonal") || is_named(s, row, "aten::trace") ||
			is_named(s, row, "aten::diag"));
}

/* Of rows that are picked by their numbers as many as one of the next operators takes. */
static int64_t elements_indexed(const struct facts *s, uint32_t row, const struct inputs *whole)
{
	enum { NEAR = 4 };
	int64_t columns = whole->in[0].rank > 1 ? whole->in[0].dim[whole->in[0].rank - 1] : 0;
	for (int i = 0; i < NEAR && (row = next_operator(s, row)) != NO_ROW; i++) {
		const struct inputs *x = inputs_of(s->a, row);
		if (x && x->in[0].rank > 1 && x->in[0].dim[x->in[0].rank - 1] == columns)
			return elements_of(x, 0);
	}
	return 0;
}

/* Elements of the rows that an operator picks; 0: it is none that picks rows. */
static int64_t elements_picked(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	bool by_index = is_named(s, row, "aten::index_select");
	int64_t d = 0;
	if (x && is_diagonal(s, row))
		return elements_of(x, 0) /
			max64(x->in[0].dim[x->in[0].rank - 2], x->in[0].dim[x->in[0].rank - 1]);
	if (x && is_named(s, row, "aten::index"))
		return elements_indexed(s, row, x);
	if (!x || concrete_numbers(s->t, row, 1, &d, 1) != 1)
		return 0;
	d += d < 0 ? x->in[0].rank : 0;
	if (d < 0 || d >= x->in[0].rank - 1 || x->in[0].dim[d] <= 0)
		return 0;
	if (by_index)
		return elements_of(x, 0) / x->in[0].dim[d] * elements_of(x, 2);
	return is_view_of_part(s, row) ? elements_shown(s, row) : 0;
}

/* Does another operator than the one that picks use the whole, up to the next product like it? */
static bool is_used_whole(const struct facts *s, uint32_t picks, int64_t whole, int64_t columns)
{
	uint32_t row = next_operator(s, picks);
	for (int i = 0; i < FAR && row != NO_ROW && row < s->work_to;
		i++, row = next_operator(s, row)) {
		struct product p;
		for (int k = 0; k < 3; k++)
			if (is_whole(s, row, k, whole, columns))
				return true;
		if (multiplies(s, row) && product_of(s->a, row, &p) &&
			p.batch * p.m * p.n == whole && p.n == columns)
			return false;
	}
	return false;
}

/* Cast, or scaled by a number, or shown in another shape: what is picked then could be picked
 * before. */
static bool only_changes_numbers(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	if (role_of(s, row) == ROLE_VIEW && !is_view_of_part(s, row) && !is_diagonal(s, row))
		return true;
	return is_named(s, row, "aten::to") || is_named(s, row, "aten::_to_copy") ||
		((is_named(s, row, "aten::div") || is_named(s, row, "aten::mul")) && x &&
			x->n >= 2 && elements_of(x, 1) <= 1);
}

/* The share of a product's rows that is picked behind it; 1: all are used, or nobody knows. */
static double share_picked(const struct facts *s, uint32_t row, const struct product *p)
{
	int64_t whole = p->batch * p->m * p->n;
	uint32_t at = next_operator(s, row);
	for (int i = 0; i < 4 && at != NO_ROW && is_whole(s, at, 0, whole, p->n); i++) {
		if (only_changes_numbers(s, at)) {
			at = next_operator(s, at);
			continue;
		}
		int64_t picked = elements_picked(s, at);
		if (picked <= 0)
			return 1;
		if (picked < whole)
			return is_used_whole(s, at, whole, p->n) ? 1
								 : (double)picked / (double)whole;
		at = next_operator(s, at);
	}
	return 1;
}

/* All products of so many operations take that share, those of the backward pass, too. */
static void plan_share(
	const struct facts *s, struct finding *f, double flop, double share, struct weighed *k)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		struct product q;
		const struct product *m = product_near_event(s, e, &q);
		if (!m || m->flop != flop)
			continue;
		count(k, e);
		plan_takes(f->plan, e->row, share);
	}
}

/* What else is as large as a product of which a share is picked becomes that share, in the backward
 * pass, too; what picks does so in front of the product, from its operand. */
static void plan_as_large(
	const struct facts *s, struct finding *f, const struct product *p, double share)
{
	int64_t whole = p->batch * p->m * p->n;
	double narrow = fmin(1, (double)p->k / (double)p->n);
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		bool moves = e->part == TIME_POINTWISE || e->part == TIME_REDUCTION ||
			e->part == TIME_EMBEDDING;
		if (e->op == NO_ROW || !moves || s->t->kind[e->row] != EVENT_KERNEL)
			continue;
		bool picks = is_named(s, e->op, "aten::index_select") ||
			is_named(s, e->op, "aten::index_add_");
		for (int k = 0; k < 3; k++)
			if (is_whole(s, e->op, k, whole, p->n)) {
				plan_takes(f->plan, e->row, picks ? narrow : share);
				break;
			}
	}
}

static bool picks_rows(const struct facts *s, struct finding *f, struct weighed *k, double *share)
{
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		struct product p;
		uint32_t up = s->t->parent[i];
		if (s->t->kind[i] != EVENT_OP || !multiplies(s, i) ||
			(up != NO_ROW && s->t->kind[up] == EVENT_OP) || !product_of(s->a, i, &p))
			continue;
		*share = share_picked(s, i, &p);
		if (*share > HALF)
			continue;
		f->variant = is_diagonal(s, next_operator(s, i)) ? "diagonal" : "";
		tell_name(f, "name", s->t, i);
		prove(f, i);
		plan_share(s, f, p.flop, *share, k);
		plan_as_large(s, f, &p, *share);
		return k->n > 0;
	}
	return false;
}

/* ---- a one-hot matrix that is multiplied ---- */

/* All that stands from the one-hot matrix to the product that it is multiplied in goes: a lookup.
 */
static void plan_lookup(
	const struct facts *s, struct finding *f, uint32_t one_hot, uint32_t product)
{
	for (uint32_t row = one_hot; row != NO_ROW && row <= product; row = next_operator(s, row))
		plan_goes(f->plan, s->t, row);
	prove(f, product);
}

/* The operator behind a one-hot matrix that multiplies it, NO_ROW: none near. */
static uint32_t multiplies_by(const struct facts *s, uint32_t one_hot, int64_t whole)
{
	uint32_t row = next_operator(s, one_hot);
	for (int i = 0; i < BEHIND && row != NO_ROW; i++, row = next_operator(s, row)) {
		const struct inputs *x = inputs_of(s->a, row);
		bool product = multiplies(s, row), mul = is_named(s, row, "aten::mul");
		if (x && x->n >= 2 && (product || mul) &&
			(elements_of(x, 0) == whole || elements_of(x, 1) == whole))
			return row;
	}
	return NO_ROW;
}

/* Is what a one-hot matrix is multiplied with larger, and summed up at once? */
static bool selects_one(const struct facts *s, uint32_t mul)
{
	const struct inputs *x = inputs_of(s->a, mul);
	return is_named(s, next_operator(s, mul), "aten::sum") &&
		elements_of(x, 0) != elements_of(x, 1);
}

/* How many products of the window have as many operations as one. */
static int64_t products_like(const struct facts *s, double flop)
{
	int64_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct product p;
		n += product_near_event(s, &s->event[i], &p) && p.flop == flop;
	}
	return n;
}

/* Elements that an operator which is no product works on: of its first operand, or of its list. */
static int64_t elements_moved(const struct facts *s, const struct seen_event *e)
{
	bool moves = e->part == TIME_POINTWISE || e->part == TIME_REDUCTION;
	const struct inputs *x = e->op == NO_ROW || !moves ? NULL : inputs_of(s->a, e->op);
	return !x ? 0 : x->in[0].tensors ? x->in[0].list_elements : elements_of(x, 0);
}

/* What moves so many elements takes that share, where it does that for each class or for all. */
static void plan_moving(
	const struct facts *s, struct finding *f, int64_t elements, int64_t classes, bool each)
{
	int64_t n = 0;
	for (size_t i = 0; each && elements > 0 && i < s->n; i++)
		n += elements_moved(s, &s->event[i]) == elements;
	for (size_t i = 0; elements > 0 && n % classes == 0 && i < s->n; i++)
		if (elements_moved(s, &s->event[i]) == elements)
			plan_takes(f->plan, s->event[i].row, 1 / (double)classes);
}

/* Of as many products alike as there are classes each is used for those of its own. */
static void plan_of_classes(
	const struct facts *s, struct finding *f, int64_t classes, struct weighed *k)
{
	enum { KINDS = 8 };
	double seen[KINDS];
	int64_t given[KINDS];
	int n = 0;
	for (size_t i = 0; i < s->n && n < KINDS; i++) {
		struct product p;
		int of = 0, like = 0;
		if (!product_near_event(s, &s->event[i], &p))
			continue;
		while (of < n && seen[of] != p.flop)
			of++;
		if (of < n)
			continue;
		given[n] = p.batch * p.m * p.n;
		while (like < n && given[like] != given[n])
			like++;
		seen[n++] = p.flop;
		if (products_like(s, p.flop) % classes != 0)
			continue;
		plan_share(s, f, p.flop, 1 / (double)classes, k);
		if (like == n - 1)
			plan_moving(s, f, given[like], classes, true);
	}
}

static void count_between(const struct facts *s, uint32_t from, uint32_t to, struct weighed *k)
{
	for (size_t i = 0; i < s->n; i++) {
		uint32_t call = s->event[i].call;
		if (call != NO_ROW && s->t->start_ns[call] >= s->t->start_ns[from] &&
			s->t->start_ns[call] < row_end(s->t, to))
			count(k, &s->event[i]);
	}
}

static bool is_one_hot(
	const struct facts *s, struct finding *f, uint32_t row, struct weighed *k, double *share)
{
	const struct inputs *x = inputs_of(s->a, row);
	int64_t classes = 0;
	if (!x || concrete_numbers(s->t, row, 1, &classes, 1) != 1 || classes < LEAST_CLASSES)
		return false;
	uint32_t by = multiplies_by(s, row, elements_of(x, 0) * classes);
	if (by == NO_ROW || (!multiplies(s, by) && !selects_one(s, by)))
		return false;
	bool table = multiplies(s, by);
	f->variant = table ? "table" : "classes";
	*share = 1 / (double)classes;
	tell_name(f, "name", s->t, by);
	if (table) {
		plan_lookup(s, f, row, by);
		count_between(s, row, by, k);
	} else {
		prove(f, by);
		plan_of_classes(s, f, classes, k);
		plan_moving(s, f, elements_of(inputs_of(s->a, by), 0), classes, false);
	}
	return k->n > 0;
}

/* A matrix with numbers on its diagonal alone, and a product with it: a factor for each row. */
static bool is_scaling(
	const struct facts *s, struct finding *f, uint32_t row, struct weighed *k, double *share)
{
	const struct inputs *x = inputs_of(s->a, row);
	bool diag = is_named(s, row, "aten::diag") && x && x->in[0].rank == 1;
	if (!x || x->in[0].rank < 1 || (!diag && !is_named(s, row, "aten::diag_embed")))
		return false;
	int64_t n = x->in[0].dim[x->in[0].rank - 1];
	uint32_t by = multiplies_by(s, row, elements_of(x, 0) * n);
	if (by == NO_ROW || !multiplies(s, by))
		return false;
	f->variant = "scaled";
	*share = 1 / (double)max64(n, 1);
	tell_name(f, "name", s->t, by);
	plan_lookup(s, f, row, by);
	count_between(s, row, by, k);
	return true;
}

static bool multiplies_diagonal(
	const struct facts *s, struct finding *f, struct weighed *k, double *share)
{
	bool some = false;
	if (!names_find(&s->t->names, "aten::diag") &&
		!names_find(&s->t->names, "aten::diag_embed"))
		return false;
	for (uint32_t i = s->work_from; i < s->work_to; i++)
		some |= s->t->kind[i] == EVENT_OP && is_scaling(s, f, i, k, share);
	return some && k->n > 0;
}

static bool multiplies_one_hot(
	const struct facts *s, struct finding *f, struct weighed *k, double *share)
{
	if (!names_find(&s->t->names, "aten::one_hot"))
		return false;
	for (uint32_t i = s->work_from; i < s->work_to; i++)
		if (is_named(s, i, "aten::one_hot") && is_one_hot(s, f, i, k, share))
			return true;
	return false;
}

static enum finding_state unused(const struct facts *s, struct finding *f)
{
	struct weighed k = {0};
	double share = 1;
	if (!s->shapes ||
		(!multiplies_one_hot(s, f, &k, &share) && !multiplies_diagonal(s, f, &k, &share) &&
			!picks_rows(s, f, &k, &share)))
		return FINDING_NOT_FIRED;
	TELL(f, {"n", (double)k.n}, {"time", (double)k.ns}, {"share", share_of_window(s, k.ns)},
		{"of", round(1 / share)});
	return FINDING_FIRED;
}

static const struct rule rows[] = {
	{.id = "unused",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.threshold = {LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE},
			{"of", UNIT_COUNT}, {"name", UNIT_TEXT}},
		.covers = {"fusion", "rewrites", "fp8", "half", "one-hot", "products"},
		.one = unused},
};

const struct rule_list pattern_unused_rows = RULE_LIST(rows);
