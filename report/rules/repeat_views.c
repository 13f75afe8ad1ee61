/* SPDX-License-Identifier: Apache-2.0 */
/* Views of parts of tensors that go on from round to round. */
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

bool is_view_of_part(const struct facts *s, uint32_t row)
{
	return is_named(s, row, "aten::select") || is_named(s, row, "aten::slice") ||
		is_named(s, row, "aten::narrow");
}

/* The views at the level of the operators, up to the last operator of a round; not of the first. */
static int views_of_round(
	const struct facts *s, const struct repeat *r, size_t round, uint32_t *view)
{
	const struct trace *t = s->t;
	int n = 0;
	uint32_t to = repeat_row(r, round, r->period - 1);
	for (uint32_t i = repeat_row(r, round - 1, r->period - 1) + 1; i < to && n < REPEAT_VIEWS;
		i++) {
		uint32_t up = t->parent[i];
		if (t->track[i] == r->of->track && t->kind[i] == EVENT_OP &&
			(up == NO_ROW || t->kind[up] != EVENT_OP) && is_view_of_part(s, i) &&
			!repeat_only_writes(s, r, round, i))
			view[n++] = i;
	}
	return n;
}

bool view_begins_at(const struct facts *s, uint32_t view, int64_t *at)
{
	return concrete_numbers(s->t, view, 2, at, 1) == 1;
}

static bool goes_on(const struct facts *s, uint32_t one, uint32_t two, uint32_t three)
{
	const struct inputs *x = inputs_of(s->a, one), *y = inputs_of(s->a, two);
	int64_t at[3];
	return x && y && elements_of(x, 0) == elements_of(y, 0) && view_begins_at(s, one, &at[0]) &&
		view_begins_at(s, two, &at[1]) && view_begins_at(s, three, &at[2]) &&
		at[1] != at[0] && at[2] - at[1] == at[1] - at[0];
}

/* Of what takes a tensor apart: how many parts it gives, and of how many elements; 0: it does not.
 */
static int64_t parts_given(const struct facts *s, uint32_t row, int64_t *elements)
{
	const struct inputs *x = inputs_of(s->a, row);
	bool unbind = is_named(s, row, "aten::unbind"), split = is_named(s, row, "aten::split"),
	     chunk = is_named(s, row, "aten::chunk") || is_named(s, row, "aten::tensor_split");
	int64_t d = 0, n = 0;
	if (!(unbind || split || chunk) || !x || x->in[0].rank <= 0)
		return 0;
	if (!unbind && concrete_numbers(s->t, row, 1, &n, 1) != 1)
		return 0;
	concrete_numbers(s->t, row, unbind ? 1 : 2, &d, 1);
	d += d < 0 ? x->in[0].rank : 0;
	int64_t size = d >= 0 && d < x->in[0].rank ? x->in[0].dim[d] : 0;
	int64_t parts = unbind ? size : chunk ? n : n > 0 ? (size + n - 1) / n : 0;
	*elements = parts > 0 ? elements_of(x, 0) / parts : 0;
	return parts;
}

int64_t elements_shown(const struct facts *s, uint32_t view)
{
	const struct inputs *x = inputs_of(s->a, view);
	int64_t part = 0;
	if (parts_given(s, view, &part))
		return part;
	int64_t d = 0, from = 0, to = 0;
	if (!x || x->in[0].rank <= 0 || concrete_numbers(s->t, view, 1, &d, 1) != 1)
		return 0;
	d += d < 0 ? x->in[0].rank : 0;
	if (d < 0 || d >= x->in[0].rank || x->in[0].dim[d] <= 0)
		return 0;
	int64_t one = elements_of(x, 0) / x->in[0].dim[d];
	if (is_named(s, view, "aten::select"))
		return one;
	if (!view_begins_at(s, view, &from) || concrete_numbers(s->t, view, 3, &to, 1) != 1)
		return 0;
	if (is_named(s, view, "aten::narrow"))
		return one * to;
	to = min64(to, x->in[0].dim[d]);
	return to > from ? one * (to - from) : 0;
}

/* What took tensors apart in front of all rounds, into as many parts: each round has one of them.
 */
static int parts_in_front(const struct facts *s, const struct repeat *r, uint32_t *view, int n)
{
	enum { FAR = 512 };
	const struct trace *t = s->t;
	uint32_t first = repeat_row(r, 0, 0);
	for (uint32_t i = first, k = 0; i-- > 0 && k < FAR && n < REPEAT_VIEWS; k++) {
		int64_t elements = 0, parts = 0;
		if (t->track[i] == r->of->track && t->kind[i] == EVENT_OP &&
			(t->parent[i] == NO_ROW || t->kind[t->parent[i]] != EVENT_OP))
			parts = parts_given(s, i, &elements);
		if (parts >= REPEAT_ROUNDS && parts <= (int64_t)r->rounds + 1 &&
			parts + 1 >= (int64_t)r->rounds)
			view[n++] = i;
	}
	return n;
}

int views_that_go_on(const struct facts *s, const struct repeat *r, uint32_t *view)
{
	enum { FEW = 3 };
	uint32_t other[2][REPEAT_VIEWS];
	int n = views_of_round(s, r, 1, view), k = 0;
	if (views_of_round(s, r, 2, other[0]) != n || views_of_round(s, r, 3, other[1]) != n)
		n = 0;
	for (int i = 0; i < n; i++)
		if (goes_on(s, view[i], other[0][i], other[1][i]) &&
			elements_shown(s, view[i]) >= FEW)
			view[k++] = view[i];
	return parts_in_front(s, r, view, k);
}

/* Behind the last round, what joins as many tensors as there are rounds, or does not say how many;
 * NO_ROW. */
static uint32_t joined_behind(const struct facts *s, const struct repeat *r)
{
	enum { BEHIND = 3 };
	size_t end = r->first + r->rounds * r->period;
	for (size_t i = end; i < r->of->n && i < end + BEHIND; i++) {
		uint32_t row = r->of->unit[i].row;
		const struct inputs *x = inputs_of(s->a, row);
		if (!is_named(s, row, "aten::cat") && !is_named(s, row, "aten::stack"))
			continue;
		size_t tensors = x ? (size_t)x->in[0].tensors : 0;
		return !tensors || (tensors <= r->rounds && tensors + 1 >= r->rounds) ? row
										      : NO_ROW;
	}
	return NO_ROW;
}

void plan_around_rounds(const struct facts *s, struct replay_plan *plan, const struct repeat *r)
{
	uint32_t view[REPEAT_VIEWS], joined = joined_behind(s, r);
	for (int i = parts_in_front(s, r, view, 0); i-- > 0;)
		plan_goes(plan, s->t, view[i]);
	if (joined != NO_ROW)
		plan_goes(plan, s->t, joined);
}
