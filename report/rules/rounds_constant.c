/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/rounds_constant.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <string.h>

enum { OPERANDS = 3 };

static bool attends(const struct facts *s, uint32_t row)
{
	return strstr(row_name(s, row), "attention") != NULL;
}

/* The most elements that an operator may give: of a product and of a lookup what they give, of
 * attention as many as its queries; of all others no more than they take. -1: nobody knows. */
static int64_t may_give(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	struct product p;
	int64_t most = 0;
	if (!x || strncmp(row_name(s, row), "aten::", 6) != 0 || is_named(s, row, "aten::repeat") ||
		is_named(s, row, "aten::index_select"))
		return -1;
	if (multiplies(s, row))
		return product_of(s->a, row, &p) ? p.batch * p.m * p.n : -1;
	if (is_named(s, row, "aten::embedding"))
		return x->in[0].rank == 2 ? elements_of(x, 1) * x->in[0].dim[1] : -1;
	for (int i = 0; i < x->n && i < OPERANDS && !(i && attends(s, row)); i++)
		most = max64(most, x->in[i].tensors ? x->in[i].list_elements : elements_of(x, i));
	return most;
}

/* Of all operators of a round; -1: of one nobody knows. */
static int64_t most_given(const struct facts *s, const struct repeat *r)
{
	int64_t most = 0;
	for (size_t k = 0; k < r->period && most >= 0; k++) {
		int64_t given = may_give(s, repeat_row(r, 1, k));
		most = given < 0 ? -1
				 : max64(most, multiplies(s, repeat_row(r, 1, k)) ? most : given);
	}
	return most;
}

static bool is_given(const struct facts *s, const struct repeat *r, int64_t size)
{
	for (size_t k = 0; k < r->period; k++)
		if (multiplies(s, repeat_row(r, 1, k)) && may_give(s, repeat_row(r, 1, k)) == size)
			return true;
	return false;
}

static bool is_of_slices(const struct facts *s, const struct repeat *r, int64_t size)
{
	uint32_t view[REPEAT_VIEWS];
	for (int i = views_that_go_on(s, r, view); i-- > 0;)
		if (elements_shown(s, view[i]) == size)
			return true;
	return false;
}

/* A layer on a tensor that is larger than all that the rounds make, but for products, and as large
 * as none of those: it was there before. */
static bool is_constant(const struct facts *s, const struct repeat *r, size_t k, int64_t most)
{
	uint32_t row = repeat_row(r, 1, k);
	int64_t size = elements_at(s, row, 0);
	return is_named(s, row, "aten::linear") && size > most && !is_given(s, r, size) &&
		elements_at(s, repeat_row(r, 2, k), 0) == size && !is_of_slices(s, r, size);
}

static bool tell_of(const struct facts *s, struct finding *f, const struct repeat *r)
{
	int64_t most = most_given(s, r), ns = 0;
	size_t n = 0;
	for (size_t k = 0; k < r->period && most >= 0; k++) {
		if (!is_constant(s, r, k, most))
			continue;
		for (size_t i = 1; i < r->rounds; i++) {
			plan_goes(f->plan, s->t, repeat_row(r, i, k));
			ns += s->t->dur_ns[repeat_row(r, i, k)];
			n++;
		}
		prove(f, repeat_row(r, 1, k));
	}
	if (!n)
		return false;
	f->variant = "words";
	tell_name(f, "name", s->t, f->evidence[0]);
	TELL(f, {"n", (double)n}, {"time", 0}, {"share", share_of_window(s, ns)},
		{"host", (double)ns}, {"launches", 0}, {"times", (double)r->rounds});
	return true;
}

bool tell_constant_rounds(const struct facts *s, struct finding *f)
{
	if (s->backward || !s->shapes || s->track == NO_ROW || s->graph_launches ||
		!names_find(&s->t->names, "aten::embedding"))
		return false;
	const struct repeats *all = repeats_of(s);
	for (size_t i = 0; i < all->n && all->run[i].of == &all->thread[0]; i++)
		if (repeat_feeds_itself(s, &all->run[i]) && tell_of(s, f, &all->run[i]))
			return true;
	return false;
}
