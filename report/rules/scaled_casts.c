/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind a cast for its sake. */
#include "report/rules/pattern.h"

/* The outermost operator that casts around what an event's launch is of. */
static uint32_t cast_around(const struct facts *s, const struct seen_event *e)
{
	uint32_t cast = NO_ROW;
	for (uint32_t up = e->op; up != NO_ROW && s->t->kind[up] == EVENT_OP; up = s->t->parent[up])
		if (host_traits(s->a, up) & TRAIT_CASTS || is_named(s, up, "aten::to"))
			cast = up;
	return cast;
}

void plan_scaling(const struct facts *s, struct replay_plan *plan, const struct seen_event *e)
{
	enum { MOST = 2 };
	static const char *const names[] = {"aten::mul", "aten::sub", "aten::div", "aten::add"};
	uint32_t op = cast_around(s, e);
	const struct inputs *cast = op == NO_ROW ? NULL : inputs_of(s->a, op);
	if (!cast || cast->in[0].bytes != 1)
		return;
	for (int i = 0; i < MOST && (op = next_operator(s, op)) != NO_ROW; i++) {
		const struct inputs *x = inputs_of(s->a, op);
		bool scales = false;
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			scales |= is_named(s, op, names[k]);
		if (!scales || !x || x->n < 2 || elements_of(x, 0) != elements_of(cast, 0) ||
			elements_of(x, 1) >= elements_of(x, 0))
			return;
		plan_goes(plan, s->t, op);
	}
}
