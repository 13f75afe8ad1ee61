/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/usual_cost.h"

#include "base/min_max.h"
#include "base/stats.h"

#include <string.h>

int64_t own_ns(const struct trace *t, uint32_t row)
{
	int64_t own = t->dur_ns[row], end = row_end(t, row);
	for (size_t i = (size_t)row + 1; i < t->n && t->start_ns[i] < end; i++)
		if (t->parent[i] == row)
			own -= t->dur_ns[i];
	return max64(own, 0);
}

static name_id shapes_of(const struct trace *t, uint32_t row)
{
	return t->kind[row] == EVENT_OP && t->side[row] != NO_ROW ? t->inputs[t->side[row]].dims
								  : 0;
}

/* The median of some other calls of the name; -1: there are too few. */
static int64_t of_kind(const struct trace *t, uint32_t row, bool same_shapes)
{
	int64_t own[USUAL_SAMPLE];
	name_id name = t->name[row], shapes = shapes_of(t, row);
	size_t n = 0;
	for (uint32_t i = 0; i < t->n && n < USUAL_SAMPLE; i++)
		if (t->name[i] == name && i != row && event_on_host(t->kind[i]) &&
			(!same_shapes || shapes_of(t, i) == shapes))
			own[n++] = own_ns(t, i);
	return n < USUAL_CALLS ? -1 : stats_nth(own, n, n / 2);
}

/* By the table; 0: no kind of it. */
static int64_t of_table(const struct analysis *a, uint32_t row)
{
	const struct trace *t = a->trace;
	const char *name = names_text(&t->names, t->name[row]);
	bool launch = a->class[row] == CLASS_LAUNCH && !(host_traits(a, row) & TRAIT_GRAPH);
	if (t->kind[row] != EVENT_OP)
		return launch ? USUAL_LAUNCH_NS : 0;
	return a->role[t->name[row]] == ROLE_VIEW   ? USUAL_VIEW_NS
		: !strncmp(name, "aten::empty", 11) ? USUAL_ALLOCATION_NS
						    : USUAL_OPERATOR_NS;
}

int64_t usual_own_ns(const struct analysis *a, uint32_t row)
{
	int64_t ns = shapes_of(a->trace, row) ? of_kind(a->trace, row, true) : -1;
	if (ns < 0)
		ns = of_kind(a->trace, row, false);
	return ns < 0 ? of_table(a, row) : ns;
}
