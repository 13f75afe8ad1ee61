/* SPDX-License-Identifier: Apache-2.0 */
/* C3, C3', C4: planned and plain launches. */
#include "report/rules/facts.h"

#include <stdlib.h>
#include <string.h>

/* Which launches had a query right before them: on one thread, inside the same operator, no launch
 * in between. */
struct planning {
	uint8_t *queried; /* (calls.n) by index into facts.calls */
	uint32_t *query; /* (calls.n) the query's row, where there is one */
	size_t launches, n_queried, queries;
};

void look_at_planning(struct facts *x)
{
	const struct trace *t = x->t;
	struct planning *p = x->planning = arena_alloc(x->scratch, sizeof *p);
	p->queried = arena_array(x->scratch, x->calls.n, 1);
	p->query = arena_array(x->scratch, x->a->n_queries ? x->calls.n : 0, sizeof(uint32_t));
	uint32_t *last = xcalloc(t->n_tracks, sizeof *last); /* row + 1 of the pending query */
	for (size_t i = 0; i < x->calls.n; i++) {
		uint32_t row = x->calls.row[i], *pending = &last[t->track[row]];
		uint8_t class = class_of(x, row);
		if (class == CLASS_QUERY) {
			p->queries++;
			*pending = row + 1;
		}
		if (class != CLASS_LAUNCH)
			continue;
		p->launches++;
		if (*pending && analysis_op_of(t, *pending - 1) == analysis_op_of(t, row)) {
			p->query[i] = *pending - 1;
			p->queried[i] = 1;
			p->n_queried++;
		}
		*pending = 0;
	}
	free(last);
}

static bool is_planned_work(const struct facts *x, size_t call)
{
	uint32_t work = x->work[call];
	return work != NO_ROW && class_multiplies(class_of(x, work));
}

static enum finding_state planned_launches(const struct facts *x, struct finding *f)
{
	struct planning p = *x->planning;
	if (!p.launches)
		return not_applicable(f, REASON_NO_CALLS);
	if (!p.queries)
		return not_applicable(f, REASON_NO_QUERIES);
	double heavy = 0;
	for (size_t i = 0; i < x->calls.n; i++) {
		if (!p.queried[i])
			continue;
		heavy += is_planned_work(x, i);
		show(f, p.query[i], -2 * (int64_t)i);
		show(f, x->calls.row[i], -2 * (int64_t)i - 1);
	}
	TELL(f, {"launches", (double)p.launches}, {"queries", (double)p.queries},
		{"queried", (double)p.n_queried});
	if (p.n_queried)
		tell(f, "products", heavy / (double)p.n_queried);
	return fired_if(p.n_queried > 0);
}

/* ---- the footprint ---- */

static enum finding_state heavy_footprint(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	double registers = limit(f, "registers"), shared = limit(f, "shared");
	double known = 0, heavy = 0, gemms = 0, heavy_gemms = 0, pointwise = 0, heavy_pointwise = 0;
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		const struct kernel *k = kernel_of(t, row);
		const struct footprint *p = k ? &x->footprint[k - t->kernels] : NULL;
		if (!p || !p->registers)
			continue;
		bool is = p->registers >= registers || p->shared_bytes >= shared;
		known++;
		heavy += is;
		gemms += is_gemm(class_of(x, row));
		heavy_gemms += is && is_gemm(class_of(x, row));
		pointwise += is_pointwise(class_of(x, row));
		heavy_pointwise += is && is_pointwise(class_of(x, row));
		if (is)
			show(f, row, t->dur_ns[row]);
	}
	if (!known)
		return not_applicable(f, x->a->n_kernels ? REASON_NO_FOOTPRINT : REASON_NO_DEVICE);
	TELL(f, {"kernels", known}, {"heavy", heavy});
	if (gemms)
		tell(f, "of_products", heavy_gemms / gemms);
	if (pointwise)
		tell(f, "of_pointwise", heavy_pointwise / pointwise);
	return fired_if(heavy > 0);
}

/* ---- C4 ---- */

/* No query, and a light kernel as far as its footprint is known: newer libraries plan their heavy
 * kernels without asking. */
static bool is_light(
	const struct facts *x, double registers, const struct planning *p, size_t i, bool *known)
{
	uint32_t work = x->work[i];
	const struct kernel *k = work == NO_ROW ? NULL : kernel_of(x->t, work);
	bool told = k && k->registers > 0 && k->shared_bytes >= 0;
	*known = told || p->queries > 0;
	if (p->queried[i] || !*known)
		return false;
	return !told || (k->registers <= registers && k->shared_bytes == 0);
}

static enum finding_state plain_launches(const struct facts *x, struct finding *f)
{
	struct planning p = *x->planning;
	double known = 0, light = 0, pointwise = 0, registers = limit(f, "registers");
	for (size_t i = 0; i < x->calls.n; i++) {
		uint32_t row = x->calls.row[i];
		bool is_known;
		if (class_of(x, row) != CLASS_LAUNCH)
			continue;
		bool is = is_light(x, registers, &p, i, &is_known);
		known += is_known;
		light += is;
		if (!is)
			continue;
		uint32_t work = x->work[i];
		pointwise += work != NO_ROW && is_pointwise(class_of(x, work));
		show(f, row, x->t->dur_ns[row]);
	}
	if (!p.launches)
		return not_applicable(f, REASON_NO_CALLS);
	if (!known)
		return not_applicable(f, REASON_NO_FOOTPRINT);
	TELL(f, {"launches", known}, {"light", light});
	if (light)
		tell(f, "of_pointwise", pointwise / light);
	if (x->a->n_steps)
		tell(f, "per_step", light / x->a->n_steps);
	return fired_if(light > 0);
}

static const struct rule rows[] = {
	{.id = "OCCUPANCY-QUERY",
		.label = "C3",
		.page = PAGE_ATLAS,
		.value = {{"launches", UNIT_COUNT}, {"queries", UNIT_COUNT},
			{"queried", UNIT_COUNT}, {"products", UNIT_SHARE}},
		.one = planned_launches},
	{.id = "HEAVY-FOOTPRINT",
		.label = "C3'",
		.page = PAGE_ATLAS,
		.threshold = {{"registers", 96, UNIT_COUNT}, {"shared", 16384, UNIT_BYTES}},
		.value = {{"kernels", UNIT_COUNT}, {"heavy", UNIT_COUNT},
			{"of_products", UNIT_SHARE}, {"of_pointwise", UNIT_SHARE}},
		.one = heavy_footprint},
	{.id = "NO-OCCUPANCY-QUERY",
		.label = "C4",
		.page = PAGE_ATLAS,
		.threshold = {{"registers", 64, UNIT_COUNT}},
		.value = {{"launches", UNIT_COUNT}, {"light", UNIT_COUNT}, {"per_step", UNIT_COUNT},
			{"of_pointwise", UNIT_SHARE}},
		.one = plain_launches},
};

const struct rule_list findings_planning_rows = RULE_LIST(rows);
