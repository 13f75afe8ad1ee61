/* SPDX-License-Identifier: Apache-2.0 */
/* Of the action channels-last: where nothing converts images, what their order costs behind them.
 */
#include "report/rules/action_window.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/operator_cost.h"

#include <string.h>

#define LAYER_NORM "aten::native_layer_norm"

/* The norm over the last dimension that copies its input first since that lies otherwise, as an
 * image with its channels first that was turned to rows; backward it does so, too. NO_ROW: it is
 * none. */
static uint32_t norm_that_copies(const struct facts *s, const struct seen_event *e)
{
	enum { DEEP = 4 };
	int64_t stride[MOST_DIMS];
	uint32_t up = e->op;
	if (e->part != TIME_POINTWISE || !(s->a->host_traits[e->op_name] & TRAIT_COPIES))
		return NO_ROW;
	for (int i = 0; i < DEEP && up != NO_ROW; i++, up = s->t->parent[up]) {
		int n = first_strides(s->t, up, stride, MOST_DIMS);
		if (!strcmp(row_name(s, up), LAYER_NORM "_backward"))
			return up;
		if (!strcmp(row_name(s, up), LAYER_NORM) && n >= 2)
			return stride[n - 1] != 1 ? up : NO_ROW;
	}
	return NO_ROW;
}

bool is_copied_by_norm(const struct facts *s, const struct seen_event *e)
{
	return norm_that_copies(s, e) != NO_ROW;
}

/* What adds to it goes by its strides, too, and takes longer than its bytes. */
static void plan_strided_sum(
	const struct facts *s, struct replay_plan *plan, const struct seen_event *e)
{
	int64_t stride[MOST_DIMS], in, out;
	int n = e->part == TIME_POINTWISE && !strcmp(op_name(s, e), "aten::add")
		? first_strides(s->t, e->op, stride, MOST_DIMS)
		: 0;
	if (n > 2 && stride[n - 1] != 1 && s->chip && pointwise_bytes(s->a, e->op, &in, &out))
		plan_takes(plan, e->row,
			(double)(in + out) / (MEMORY_REACHED * s->chip->memory) * 1e9 /
				(double)max64(1, e->exposed_ns));
}

/* What goes with one of them: its copy, or that its sum takes longer. The norm, or NO_ROW. */
static uint32_t plan_strided(
	const struct facts *s, struct replay_plan *plan, const struct seen_event *e)
{
	uint32_t norm = norm_that_copies(s, e);
	if (norm == NO_ROW)
		plan_strided_sum(s, plan, e);
	else
		plan_goes(plan, s->t, e->row);
	return norm;
}

void plan_strided_norms(const struct facts *s, struct replay_plan *plan)
{
	for (size_t i = 0; s->convolutions.n && i < s->n; i++)
		plan_strided(s, plan, &s->event[i]);
}

enum finding_state strided_norms(const struct facts *s, struct finding *f)
{
	struct weighed k = {0};
	size_t forward = 0;
	forget_finding(f);
	for (size_t i = 0; s->convolutions.n && i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		uint32_t norm = plan_strided(s, f->plan, e);
		if (norm == NO_ROW)
			continue;
		forward += !strcmp(row_name(s, norm), LAYER_NORM);
		count(&k, e);
		prove(f, e->row);
	}
	if (!forward || !is_about(s, f, k.ns))
		return FINDING_NOT_FIRED;
	f->variant = "strides";
	TELL(f, {"n", (double)k.n}, {"time", (double)k.ns},
		{"share", (double)k.ns / (double)s->computing_ns});
	return FINDING_FIRED;
}
