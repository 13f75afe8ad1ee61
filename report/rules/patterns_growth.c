/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of what grows by joining: a tensor that is copied for the sake of the little behind
 * it. */
#include "report/rules/pattern.h"

#include <math.h>

static const struct operand *joined(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	return x && x->in[0].tensors > 1 ? &x->in[0] : NULL;
}

/* One tensor is nearly all of the result, so it is copied for the sake of the little behind it. */
enum { JOINED_LARGE = 1 << 18 };

static bool is_list_of_equal(const struct operand *x)
{
	enum { SEVERAL = 4 };
	return x && x->tensors >= SEVERAL && x->list_elements == x->tensors * x->largest;
}

/* A list that had one tensor less the last time that it was joined. */
static bool is_list_that_grew(const struct facts *s, uint32_t row)
{
	enum { FAR = 64 };
	const struct operand *x = joined(s, row);
	uint32_t before = row;
	if (!is_list_of_equal(x) || x->list_elements < JOINED_LARGE || s->backward)
		return false;
	for (int i = 0; i < FAR && (before = operator_before(s, before)) != NO_ROW; i++) {
		const struct operand *y =
			s->t->name[before] == s->t->name[row] ? joined(s, before) : NULL;
		if (y && y->largest == x->largest)
			return y->tensors + 1 == x->tensors &&
				y->list_elements + x->largest == x->list_elements;
	}
	return false;
}

static bool is_copied_to_grow(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	const struct operand *x = joined(s, row);
	if (!x || x->list_elements < JOINED_LARGE)
		return false;
	bool little = is_named(s, row, "aten::cat") && 10 * x->largest >= 9 * x->list_elements;
	return little || is_list_that_grew(s, row);
}

static double growth_goes(const struct facts *s, const struct match *m)
{
	const struct operand *x = joined(s, m->row);
	if (!x)
		return 0;
	double one = (double)x->largest / (double)x->list_elements;
	return fmin(0.999, is_list_of_equal(x) ? 1 - one : one);
}

/* The largest of one is what an earlier one has made. */
static bool grows(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	int64_t made = 0;
	f->variant = is_list_of_equal(joined(s, sum->longest)) ? "list" : "";
	for (uint32_t i = 0; i <= sum->longest && !*f->variant; i++) {
		const struct operand *x = is_named(s, i, "aten::cat") && s->t->kind[i] == EVENT_OP
			? joined(s, i)
			: NULL;
		if (!x)
			continue;
		if (made && x->largest == made)
			return true;
		made = x->list_elements;
	}
	return *f->variant;
}

static const struct rule rows[] = {
	{PATTERN("growing-cache", 4,
		 {.op = {"aten::cat", "aten::stack"},
			 .not_under = {"aten::stack"},
			 .is = is_copied_to_grow,
			 .goes = growth_goes,
			 .holds = grows}),
		.of_kernels = true, .covers = {"fusion", "rewrites"}},
};

const struct rule_list pattern_growth_rows = RULE_LIST(rows);
