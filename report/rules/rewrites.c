/* SPDX-License-Identifier: Apache-2.0 */
/* The same again in another order, or in another type. */
#include "report/analyse/forward.h"
#include "report/rules/action_window.h"

#include <stdlib.h>
#include <string.h>

static bool only_copies(const struct facts *s, const struct seen_event *e)
{
	return e->part == TIME_POINTWISE && s->t->kind[e->row] == EVENT_KERNEL &&
		s->a->host_traits[e->op_name] & TRAIT_COPIES;
}

/* An operator converts what it is given, and then calls itself: that is autocast. `row` is in the
 * conversion. */
static bool is_by_autocast(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	uint32_t up = row;
	while (up != NO_ROW &&
		(t->kind[up] != EVENT_OP || !strcmp(row_name(s, up), "aten::to") ||
			host_traits(s->a, up) & (TRAIT_CASTS | TRAIT_COPIES)))
		up = t->parent[up];
	for (uint32_t i = row + 1; up != NO_ROW && i < t->n && t->start_ns[i] < row_end(t, up); i++)
		if (t->parent[i] == up && t->name[i] == t->name[up])
			return true;
	return false;
}

/* forward_of(), a number for each row of the file: asked for when the first row needs it. */
struct forward {
	uint32_t *row; /* NULL: no row has one */
	bool asked;
};

static bool is_in_node(const struct facts *s, uint32_t row)
{
	while (row != NO_ROW && !strstr(row_name(s, row), "Backward"))
		row = s->t->parent[row];
	return row != NO_ROW;
}

/* The forward operator of one that autograd calls, else the row itself. */
static uint32_t forward_row(const struct facts *s, struct forward *f, uint32_t row)
{
	if (!is_in_node(s, row))
		return row;
	if (!f->asked)
		*f = (struct forward){.row = forward_of(s->t), .asked = true};
	return f->row && f->row[row] != NO_ROW ? f->row[row] : row;
}

/* What trains under autocast converts its weights in each step, for they have changed, and what its
 * operators hand over; and so does the way back. */
static bool casts(const struct facts *s, const struct seen_event *e, struct forward *forward)
{
	return is_under(s, e, TRAIT_CASTS) &&
		!(s->backward && is_by_autocast(s, forward_row(s, forward, e->op)));
}

/* What norms of images copy is the matter of channels-last. */
static bool reorders(const struct facts *s, const struct seen_event *e)
{
	return !is_under(s, e, TRAIT_CASTS) && is_under(s, e, TRAIT_REORDERS) &&
		!(s->convolutions.n && is_copied_by_norm(s, e));
}

/* A softmax adds up in fp32, whatever it is given: what was widened for it, or its gradient was,
 * moves half the bytes. */
static void plan_narrow(const struct facts *s, struct finding *f, size_t i)
{
	uint32_t track = s->t->track[s->event[i].row];
	for (size_t k = i ? i - 1 : 0; k <= i + 1 && k < s->n; k++)
		if (s->event[k].traits & TRAIT_SOFTMAX && s->t->track[s->event[k].row] == track)
			plan_takes(f->plan, s->event[k].row, 0.5);
}

static void plan_without(
	const struct facts *s, struct finding *f, bool types, struct forward *forward)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (!only_copies(s, e) || !(types ? casts(s, e, forward) : reorders(s, e)))
			continue;
		plan_goes(f->plan, s->t, e->row);
		if (types) {
			plan_narrow(s, f, i);
			plan_scaling(s, f->plan, e);
		}
	}
}

enum finding_state rewrites(const struct facts *s, struct finding *f)
{
	struct weighed order = {0}, type = {0};
	if (!is_about(s, f, s->w->ns[TIME_POINTWISE]))
		return FINDING_NOT_FIRED;
	struct forward forward = {0};
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (!only_copies(s, e))
			continue;
		if (casts(s, e, &forward))
			count(&type, e);
		else if (reorders(s, e))
			count(&order, e);
	}
	bool types = type.ns > order.ns;
	const struct weighed *k = types ? &type : &order;
	bool fires = k->n && is_about(s, f, k->ns);
	if (fires) {
		f->variant = types ? "type" : "";
		prove(f, k->longest->row);
		plan_without(s, f, types, &forward);
		TELL(f, {"n", (double)k->n}, {"time", (double)k->ns},
			{"share", share_of_window(s, k->ns)});
	}
	free(forward.row);
	return fired_if(fires);
}
