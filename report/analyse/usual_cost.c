/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/usual_cost.h"

#include "base/min_max.h"
#include "base/stats.h"

#include <string.h>

const struct usual_cost usual_costs[USUAL_KINDS] = {
	[USUAL_VIEW] = {1600, 4000},
	[USUAL_ALLOCATION] = {4300, 10000},
	[USUAL_LAUNCH] = {6600, 12000},
	[USUAL_OPERATOR] = {9400, 18500},
	[USUAL_BETWEEN] = {5900, 16000},
	[USUAL_BEAT] = {33800, 96000},
};

struct usual_calls {
	const struct analysis *a;
	struct arena *arena;
	uint32_t *first; /* (names + 1) where a name's rows begin in `row`; NULL: not asked yet */
	uint32_t *row; /* of the host, by name, then by start */
};

struct usual_calls *usual_calls_of(struct arena *arena, const struct analysis *a)
{
	struct usual_calls *u = arena_alloc(arena, sizeof *u);
	*u = (struct usual_calls){.a = a, .arena = arena};
	return u;
}

static void sort_by_name(struct usual_calls *u)
{
	const struct trace *t = u->a->trace;
	u->first = arena_array(u->arena, (size_t)t->names.n + 1, sizeof *u->first);
	u->row = arena_array(u->arena, t->n, sizeof *u->row);
	for (size_t i = 0; i < t->n; i++)
		if (event_on_host(t->kind[i]))
			u->first[t->name[i] + 1]++;
	for (name_id i = 0; i < t->names.n; i++)
		u->first[i + 1] += u->first[i];
	for (uint32_t i = 0; i < t->n; i++)
		if (event_on_host(t->kind[i]))
			u->row[u->first[t->name[i]]++] = i;
	memmove(u->first + 1, u->first, t->names.n * sizeof *u->first);
	u->first[0] = 0;
}

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

/* The median of some other calls of the name, spread over the file; -1: there are too few. */
static int64_t of_kind(const struct usual_calls *u, uint32_t row, bool same_shapes)
{
	const struct trace *t = u->a->trace;
	const uint32_t *call = u->row + u->first[t->name[row]];
	uint32_t all = u->first[t->name[row] + 1] - u->first[t->name[row]];
	uint32_t every = same_shapes ? 1 : all / USUAL_SAMPLE + 1;
	int64_t own[USUAL_SAMPLE];
	size_t n = 0;
	for (uint32_t i = 0; i < all && n < USUAL_SAMPLE; i += every)
		if (call[i] != row && (!same_shapes || shapes_of(t, call[i]) == shapes_of(t, row)))
			own[n++] = own_ns(t, call[i]);
	return n < USUAL_CALLS ? -1 : stats_nth(own, n, n / 2);
}

/* By the table; 0: no kind of it. */
static int64_t of_table(const struct analysis *a, uint32_t row)
{
	const struct trace *t = a->trace;
	const char *name = names_text(&t->names, t->name[row]);
	bool launch = a->class[row] == CLASS_LAUNCH && !(host_traits(a, row) & TRAIT_GRAPH);
	if (t->kind[row] != EVENT_OP)
		return launch ? usual_costs[USUAL_LAUNCH].median_ns : 0;
	return usual_costs[a->role[t->name[row]] == ROLE_VIEW ? USUAL_VIEW
			: !strncmp(name, "aten::empty", 11)   ? USUAL_ALLOCATION
							      : USUAL_OPERATOR]
		.median_ns;
}

int64_t usual_own_ns(struct usual_calls *u, uint32_t row)
{
	if (!u->first)
		sort_by_name(u);
	int64_t ns = shapes_of(u->a->trace, row) ? of_kind(u, row, true) : -1;
	if (ns < 0)
		ns = of_kind(u, row, false);
	return ns < 0 ? of_table(u->a, row) : ns;
}

int64_t unusual_ns(struct usual_calls *u, uint32_t row)
{
	int64_t usual = usual_own_ns(u, row);
	return usual ? max64(own_ns(u->a->trace, row) - UNUSUAL_TIMES * usual, 0) : 0;
}
