/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that were left on: certain, and one word to change. */
#include "report/analyse/usual_cost.h"
#include "report/replay/changes.h"
#include "report/rules/pattern.h"

#include <math.h>
#include <string.h>

/* ---- launches that wait ---- */

/* A call that ends behind its kernel, and lasts as long, has waited for it. */
static bool is_blocking(const struct facts *s, uint32_t kernel, uint32_t call)
{
	const struct trace *t = s->t;
	return t->start_ns[kernel] >= t->start_ns[call] && row_end(t, call) >= row_end(t, kernel) &&
		t->dur_ns[call] >= t->dur_ns[kernel];
}

/* Short kernels may end within their launch anyhow. */
static bool is_long_enough(const struct facts *s, const struct seen_event *e)
{
	enum { LONG_NS = 8000 };
	return e->call != NO_ROW && s->t->kind[e->row] == EVENT_KERNEL &&
		s->t->dur_ns[e->row] >= LONG_NS;
}

static enum finding_state launch_blocking(const struct facts *s, struct finding *f)
{
	double judged = 0, blocking = 0, time = 0;
	f->variant = "";
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (e->call == NO_ROW || s->t->kind[e->row] != EVENT_KERNEL)
			continue;
		bool blocks = is_blocking(s, e->row, e->call);
		time += blocks ? fmax(0, (double)(s->t->dur_ns[e->call] - USUAL_LAUNCH_NS)) : 0;
		judged += is_long_enough(s, e);
		blocking += blocks && is_long_enough(s, e);
		if (!blocks)
			continue;
		prove(f, e->call);
		f->variant = strncmp(row_name(s, e->call), "hip", 3) ? "" : "hip";
	}
	TELL(f, {"n", judged}, {"time", time}, {"share", share_of_window(s, (int64_t)time)});
	return fired_if(judged >= limit(f, "kernels") && blocking >= limit(f, "blocking") * judged);
}

/* No replay: it takes what a launch lasts for the recorder's in part, and these last because they
 * wait. The step cannot be shorter than what its device does. */
static struct gain launch_blocking_saves(const struct facts *s, const struct finding *f)
{
	double busy = (double)(advised_ns(s) - time_parts_idle_ns(s->w));
	return (struct gain){.ns = fmin(finding_number(f, "time"), (double)advised_ns(s) - busy)};
}

/* ---- training mode ---- */

#define NORM "aten::batch_norm"

/* Dropout, or a norm that takes the statistics of this batch. */
static bool is_only_for_training(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	return !is_named(s, row, NORM) || launched_for_ns(s, row, WHY_BATCH_STATISTICS) > 0;
}

/* A norm reads twice and writes once; with statistics that are there it reads once. */
static double only_for_training_goes(const struct facts *s, const struct match *m)
{
	return is_named(s, m->row, NORM) ? 1.0 / 3 : 1;
}

static bool is_no_training(const struct facts *s)
{
	return !s->backward && !s->optimizers.n;
}

static bool works(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	f->variant = sum->n && is_named(s, sum->longest, NORM) ? "norms" : "";
	return sum->events > 0;
}

/* ---- deterministic algorithms ---- */

/* Nothing else fills what was only asked for. What is added in the order of a sort: below. */
static double deterministic_goes(const struct facts *s, const struct match *m)
{
	return is_named(s, m->row, "aten::fill_") ? 1 : 0;
}

/* What the longest kernel of an operator that adds by sorting takes of its time where it adds at
 * once; without the chip's rate: of a step of 295 us on an H200, 192 us of it such an operator, 52
 * went. */
static double adding_takes(const struct facts *s, uint32_t put, int64_t longest_ns, int64_t all_ns)
{
	const struct inputs *x = inputs_of(s->a, put);
	double elements = x ? (double)elements_of(x, 2) : 0;
	double ns = s->chip && elements > 0 ? elements * BYTES_OF_ADDING / s->chip->memory * 1e9
					    : 0.75 * (double)all_ns;
	return fmin(ns, (double)all_ns) / (double)longest_ns;
}

/* All kernels of an operator but the longest go, and the host launches no more than that. */
static void plan_adding(const struct facts *s, struct replay_plan *plan, uint32_t put)
{
	const struct trace *t = s->t;
	uint32_t op = t->parent[put], longest = NO_ROW;
	int64_t all_ns = 0;
	for (uint32_t i = op; i < t->n && t->start_ns[i] < row_end(t, op); i++) {
		uint32_t kernel = t->track[i] == t->track[op] && event_is_call(t->kind[i])
			? t->launch[i]
			: NO_ROW;
		if (kernel == NO_ROW)
			continue;
		all_ns += t->dur_ns[kernel];
		if (longest != NO_ROW && t->dur_ns[kernel] <= t->dur_ns[longest]) {
			plan_takes(plan, kernel, 0);
			continue;
		}
		if (longest != NO_ROW)
			plan_takes(plan, longest, 0);
		longest = kernel;
	}
	if (longest == NO_ROW || t->dur_ns[longest] <= 0)
		return;
	plan_takes(plan, longest, adding_takes(s, put, t->dur_ns[longest], all_ns));
	plan_spare(plan, t->start_ns[op] + USUAL_OPERATOR_NS + USUAL_LAUNCH_NS, row_end(t, op));
}

static void adds_at_once(const struct facts *s, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		uint32_t up = t->parent[i];
		if (up == NO_ROW || t->kind[i] != EVENT_OP || !is_named(s, i, "aten::index_put_"))
			continue;
		if (!strncmp(row_name(s, up), "aten::index_add", 15) ||
			!strncmp(row_name(s, up), "aten::scatter", 13))
			plan_adding(s, plan, i);
	}
}

/* ---- anomaly detection ---- */

/* In the forward pass each operator that makes a node notes where in the program it was called, in
 * its own time: what is above the usual, where that is unusual. */
static void notes_its_place(const struct facts *s, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		if (t->kind[i] != EVENT_OP || t->track[i] != s->a->main_track)
			continue;
		bool view = s->a->role[t->name[i]] == ROLE_VIEW;
		int64_t usual = view ? USUAL_VIEW_NS : USUAL_OPERATOR_NS;
		int64_t over = own_ns(t, i) - usual;
		if (over > (UNUSUAL_TIMES - 1) * usual)
			plan_spare(plan, t->start_ns[i], t->start_ns[i] + over);
	}
}

/* ---- the allocator ---- */

/* A cache that is full frees in order to allocate, and one that is emptied frees all at once.
 * Without one each tensor that goes is freed, most of these calls have no allocation behind them,
 * and what is launched mostly writes into memory that was asked for. */
static bool has_no_cache(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	enum { SOON_NS = 200000 };
	const struct trace *t = s->t;
	size_t mallocs = 0, frees = 0, followed = 0, empties = 0;
	name_id empty = names_find(&t->names, "aten::empty");
	uint32_t last = NO_ROW;
	(void)sum;
	(void)f;
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		empties += empty && t->name[i] == empty;
		uint32_t traits = event_is_call(t->kind[i]) ? host_traits(s->a, i) : 0;
		if (!(traits & TRAIT_ALLOCATES))
			continue;
		if (traits & TRAIT_FREES) {
			frees++;
			last = i;
			continue;
		}
		mallocs++;
		followed += last != NO_ROW && t->start_ns[i] - row_end(t, last) <= SOON_NS &&
			t->parent[i] == t->parent[last];
		last = NO_ROW;
	}
	return 2 * mallocs >= empties && 4 * mallocs >= s->launches &&
		(double)frees >= limit(f, "calls") / 2 && 2 * followed < frees;
}

static const struct rule rows[] = {
	{.id = "launch-blocking",
		.kind = RULE_ACTION,
		.setting = true,
		.threshold = {{"kernels", 10, UNIT_COUNT}, {"blocking", 0.95, UNIT_SHARE},
			LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE}},
		.covers = {"graphs", "sync", "elsewhere", "first-calls", "loops", "batch"},
		.one = launch_blocking,
		.saves = launch_blocking_saves},
	{PATTERN("anomaly-mode", 8,
		 {.op = {"aten::isnan", "aten::any", "aten::_is_any_true", "aten::is_nonzero",
			  "aten::item", "aten::ne"},
			 .parent = {"autograd::engine::evaluate_function*"},
			 .more = notes_its_place}),
		.setting = true, .covers = {"sync", "graphs", "loops"}},
	{PATTERN("allocator-off", 60,
		 {.op = {"cudaMalloc", "cudaFree", "hipMalloc", "hipFree"}, .holds = has_no_cache}),
		.setting = true, .covers = {"allocator", "sync", "first-calls"}},
	{PATTERN("deterministic", 1,
		 {.op = {"aten::fill_", "aten::index_put_", "aten::_index_put_impl_"},
			 .parent = {"aten::empty*", "aten::resize_", "aten::index_add*",
				 "aten::scatter*"},
			 .goes = deterministic_goes,
			 .more = adds_at_once}),
		.setting = true},
	{PATTERN("train-mode", 1,
		 {.op = {DROPOUT_OPERATORS, NORM},
			 .not_under = {"aten::instance_norm"},
			 .may = is_no_training,
			 .is = is_only_for_training,
			 .goes = only_for_training_goes,
			 .holds = works}),
		.setting = true, .of_kernels = true},
};

const struct rule_list pattern_setting_rows = RULE_LIST(rows);
