/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds in which the host waits for the device: what they ask it for. */
#include "base/binary_search.h"
#include "report/analyse/analysis.h"
#include "report/analyse/idle_causes.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <string.h>

enum { LEAST_READ = 8 };

static bool counts_inside(const struct facts *s, uint32_t row)
{
	for (uint32_t i = row; i < s->t->n && s->t->start_ns[i] < row_end(s->t, row); i++)
		if (s->t->track[i] == s->t->track[row] && is_named(s, i, "aten::nonzero"))
			return true;
	return false;
}

/* What is picked by a mask becomes less, from most rounds to the next. */
static bool goes_on_with_rest(const struct facts *s, const struct repeat *r)
{
	for (size_t k = 0; k < r->period; k++) {
		size_t less = 0;
		if (!counts_inside(s, repeat_row(r, 0, k)))
			continue;
		for (size_t i = 1; i < r->rounds; i++) {
			const struct inputs *was = inputs_of(s->a, repeat_row(r, i - 1, k)),
					    *x = inputs_of(s->a, repeat_row(r, i, k));
			less += was && x && elements_of(x, 0) < elements_of(was, 0);
		}
		if (4 * less >= 3 * (r->rounds - 1))
			return true;
	}
	return false;
}

/* Of the waits in the second round: is each for how many a mask leaves? */
static bool waits_for_masks(const struct facts *s, const struct repeat *r)
{
	const struct idle_causes *l = s->l;
	uint32_t from = repeat_row(r, 1, 0), to = repeat_row(r, 2, 0);
	size_t i = first_where(k, 0, l->n_waits, l->waits[k] > from);
	for (; i < l->n_waits && l->waits[i] < to; i++) {
		uint32_t up = s->t->parent[l->waits[i]];
		while (up != NO_ROW && !is_named(s, up, "aten::nonzero"))
			up = s->t->parent[up];
		if (s->t->track[l->waits[i]] == r->of->track && up == NO_ROW)
			return false;
	}
	return true;
}

/* ---- experts ---- */

static bool puts_back(const struct facts *s, uint32_t row)
{
	return is_named(s, row, "aten::index_add_") || is_named(s, row, "aten::index_put_") ||
		is_named(s, row, "aten::scatter_add_") || is_named(s, row, "aten::index_copy_") ||
		is_named(s, row, "aten::index_add");
}

static int64_t weights_of(const struct facts *s, const struct repeat *r, size_t round, size_t k)
{
	const struct inputs *x = inputs_of(s->a, repeat_row(r, round, k));
	return x ? elements_of(x, 1) : 0;
}

bool repeat_is_routed(const struct facts *s, const struct repeat *r)
{
	bool back = false;
	if (!repeat_waits(s, r) || !waits_for_masks(s, r))
		return false;
	for (size_t k = 0; k < r->period; k++) {
		back |= puts_back(s, repeat_row(r, 1, k));
		for (size_t i = 1; i < r->rounds && multiplies(s, repeat_row(r, 0, k)); i++)
			if (weights_of(s, r, i, k) != weights_of(s, r, 0, k))
				return false;
	}
	return back;
}

/* ---- for the host alone ---- */

/* Does the program copy more than a number to the host in a round? */
static bool downloads(const struct facts *s, const struct repeat *r)
{
	const struct trace *t = s->t;
	for (uint32_t i = repeat_row(r, 1, 0); i < repeat_row(r, 2, 0); i++) {
		uint32_t up = t->parent[i];
		const struct inputs *x = is_on(s, i, NAMES_UPLOADS) ? inputs_of(s->a, i) : NULL;
		if (x && t->track[i] == r->of->track && elements_of(x, 0) > 1 &&
			(up == NO_ROW || t->kind[up] != EVENT_OP) &&
			launches_inside(s, i, TRAIT_TO_HOST, false))
			return true;
	}
	return false;
}

static bool changes_sizes(const struct facts *s, const struct repeat *r, size_t k)
{
	size_t changes = 0;
	for (size_t i = 1; i < r->rounds; i++) {
		const struct inputs *x = inputs_of(s->a, repeat_row(r, i, k)),
				    *y = inputs_of(s->a, repeat_row(r, i - 1, k));
		changes += x && y && elements_of(x, 0) != elements_of(y, 0);
	}
	return 4 * changes >= r->rounds;
}

/* Each round is about another tensor, writes into none, picks nothing by a mask, and what it works
 * out goes to the host. */
static bool is_read(const struct facts *s, const struct repeat *r)
{
	bool others = false;
	uint32_t view[REPEAT_VIEWS];
	if (r->rounds < LEAST_READ || !downloads(s, r))
		return false;
	for (size_t k = 0; k < r->period; k++) {
		uint32_t row = repeat_row(r, 1, k);
		const char *name = row_name(s, row);
		if (strncmp(name, "aten::", 6) != 0 || name[strlen(name) - 1] == '_' ||
			counts_inside(s, row))
			return false;
		others |= changes_sizes(s, r, k);
	}
	return others || views_that_go_on(s, r, view);
}

enum repeat_kind repeat_asks(const struct facts *s, const struct repeat *r, int64_t given)
{
	uint32_t view[REPEAT_VIEWS];
	if (goes_on_with_rest(s, r))
		return REPEAT_LEFT;
	if (given <= 1 && waits_for_masks(s, r) && views_that_go_on(s, r, view))
		return REPEAT_MASKED;
	return is_read(s, r) ? REPEAT_READ : REPEAT_OTHER;
}
