/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of the host: numbers that an operator asks the device for, calls that are made too
 * often, time that is another's. */
#include "report/rules/pattern.h"
#include "report/rules/trips.h"

#include "report/replay/changes.h"

#include <string.h>

/* ---- rows one by one ---- */

static bool writes_a_row(const struct facts *s, uint32_t row)
{
	return is_on(s, row, NAMES_WRITES);
}

/* Of an element of two matrices: y[i, j] = x[k, l]. */
enum { MOST_VIEWS = 4 };

/* What writes where some views from here on lead to; NO_ROW. */
static uint32_t write_behind(const struct facts *s, uint32_t row)
{
	for (int i = 0; i < MOST_VIEWS && is_on(s, row, NAMES_VIEWS); i++)
		row = next_operator(s, row);
	return row != NO_ROW && writes_a_row(s, row) ? row : NO_ROW;
}

static uint32_t before_its_views(const struct facts *s, uint32_t row)
{
	for (int i = 0; i <= MOST_VIEWS && row != NO_ROW && (!i || is_on(s, row, NAMES_VIEWS)); i++)
		row = operator_before(s, row);
	return row;
}

static bool has_same_dims(const struct facts *s, uint32_t row, uint32_t other)
{
	const struct trace *t = s->t;
	return t->side[row] != NO_ROW && t->side[other] != NO_ROW &&
		t->inputs[t->side[row]].dims == t->inputs[t->side[other]].dims;
}

/* Is the same tensor taken a row of again, before or behind, with nothing in between but rows of
 * COLUMNS tensors at most? */
static bool is_picked_again(const struct facts *s, uint32_t row,
	uint32_t (*beside)(const struct facts *s, uint32_t row))
{
	enum { COLUMNS = 4 };
	uint32_t at = row;
	for (int i = 0; i < COLUMNS; i++) {
		at = beside(s, at);
		if (at == NO_ROW || !is_on(s, at, NAMES_VIEWS))
			return false;
		if (has_same_dims(s, row, at))
			return true;
	}
	return false;
}

/* One of many rows of a table that are picked one by one, to be stacked. */
static bool picks_a_row(const struct facts *s, uint32_t row)
{
	enum { MANY = 16 };
	const struct inputs *x = is_on(s, row, NAMES_VIEWS) ? inputs_of(s->a, row) : NULL;
	return x && x->in[0].rank > 0 && x->in[0].dim[0] >= MANY &&
		!launches_inside(s, row, 0, true) &&
		(is_picked_again(s, row, next_operator) ||
			is_picked_again(s, row, operator_before));
}

/* The stack of such rows, maybe behind those of other columns. */
static bool stacks_picked_rows(const struct facts *s, uint32_t row)
{
	enum { COLUMNS = 4 };
	for (int i = 0; i < COLUMNS && is_named(s, row, "aten::stack"); i++) {
		row = operator_before(s, row);
		if (row == NO_ROW)
			return false;
		if (picks_a_row(s, row))
			return true;
	}
	return false;
}

/* y[i] = x[j]: two views, and a copy of what they show; and the same again right before or behind.
 */
static bool is_row_by_row(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	if (picks_a_row(s, row) || stacks_picked_rows(s, row))
		return true;
	uint32_t write = is_on(s, row, NAMES_VIEWS) ? write_behind(s, row) : row;
	if (write == NO_ROW || !is_on(s, operator_before(s, write), NAMES_VIEWS))
		return false;
	uint32_t next = next_operator(s, write), before = before_its_views(s, write);
	return (is_on(s, next, NAMES_VIEWS) && write_behind(s, next) != NO_ROW) ||
		(before != NO_ROW && writes_a_row(s, before) &&
			is_on(s, operator_before(s, before), NAMES_VIEWS));
}

/* Rows that are only picked are no loop unless they are stacked. What graphs read, or have made, is
 * copied for each of them. */
static bool is_worth_indexing(
	const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	enum { EACH_GRAPH = 8 }; /* a view and a copy for two of its inputs and two results */
	bool stacked = false, written = false;
	if (s->graph_launches && sum->n <= EACH_GRAPH * s->graph_launches)
		return false;
	for (uint32_t i = s->work_from; i < s->work_to && !written; i++) {
		stacked |= stacks_picked_rows(s, i);
		written = writes_a_row(s, i) && is_row_by_row(s, NULL, i);
	}
	f->variant = stacked && !written ? "stacked" : "";
	return stacked || written;
}

/* ---- hooks ---- */

/* What the node itself does with a gradient: it is no hook's, unless a hook's operator is beside
 * it. */
static bool may_be_the_node(const struct facts *s, uint32_t row)
{
	return is_named(s, row, "aten::add_") || is_named(s, row, "aten::add") ||
		is_named(s, row, "aten::copy_") || is_named(s, row, "aten::clone");
}

static bool is_of_hook(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	if (!is_named(s, s->t->parent[row], "torch::autograd::AccumulateGrad") ||
		!may_be_the_node(s, row))
		return true;
	uint32_t before = operator_before(s, row);
	return before != NO_ROW && !may_be_the_node(s, before) &&
		!is_named(s, before, "aten::detach") &&
		!is_named(s, before, "aten::new_empty_strided");
}

/* ---- made on the host ---- */

static bool is_upload(const struct facts *s, uint32_t row)
{
	return is_on(s, row, NAMES_UPLOADS) && launches_inside(s, row, TRAIT_TO_DEVICE, false);
}

/* An operator of PyTorch's that only goes on with a tensor, on the host: it puts nothing of another
 * into it, or is the upload of one that was made before. */
static bool goes_on_with(const struct facts *s, uint32_t row)
{
	const struct inputs *x = is_on(s, row, NAMES_JOINS) ? inputs_of(s->a, row) : NULL;
	bool number = x && x->in[0].rank == 0 && is_named(s, row, "aten::lift_fresh");
	return !strncmp(row_name(s, row), "aten::", 6) && (number || !is_on(s, row, NAMES_JOINS)) &&
		!is_on(s, row, NAMES_PUTS) &&
		(!launches_inside(s, row, 0, true) || is_upload(s, row));
}

/* torch.tensor() of a list on the device: an empty tensor of the host, which the interpreter fills
 * number by number, is uploaded, and then lifted. A list that takes long. */
static bool is_of_list(const struct facts *s, uint32_t row)
{
	if (!is_named(s, next_operator(s, row), "aten::lift_fresh") || !is_upload(s, row))
		return false;
	uint32_t empty = operator_before(s, row);
	return is_named(s, empty, "aten::empty") &&
		s->t->start_ns[row] - row_end(s->t, empty) >= COMPUTES_NS;
}

enum { BETWEEN = 32 };

/* The first maker of what is uploaded: what stands between makes something of that, and of nothing
 * else. Of several that are made first and uploaded then, or joined, there are as many makers.
 * NO_ROW: it is of something else. */
static uint32_t first_maker(const struct facts *s, uint32_t upload)
{
	uint32_t at = upload, first = NO_ROW;
	int makers = 0, needed = 1;
	for (int i = 0; i < BETWEEN && (at = operator_before(s, at)) != NO_ROW; i++) {
		const struct inputs *x = inputs_of(s->a, at);
		bool joins = (is_named(s, at, "aten::stack") || is_named(s, at, "aten::cat")) &&
			x && x->in[0].tensors > 0;
		if (!goes_on_with(s, at) && (!joins || launches_inside(s, at, 0, true)))
			break;
		needed += joins ? x->in[0].tensors - 1 : is_upload(s, at);
		makers += is_on(s, at, NAMES_MAKERS);
		if (is_on(s, at, NAMES_MAKERS) && makers >= needed)
			first = at;
	}
	return first;
}

/* A tensor that the host makes of nothing and uploads next. */
static bool is_made_on_host(const struct facts *s, const struct matches *m, uint32_t row)
{
	uint32_t at = row;
	(void)m;
	if (is_of_list(s, row))
		return true;
	if (!is_on(s, row, NAMES_MAKERS))
		return is_upload(s, row) && first_maker(s, row) != NO_ROW;
	if (launches_inside(s, row, 0, true))
		return false;
	for (int i = 0; i < BETWEEN && (at = next_operator(s, at)) != NO_ROW; i++)
		if (is_upload(s, at) || !goes_on_with(s, at))
			return is_upload(s, at);
	return false;
}

/* One of the operators from the first maker on does, but for uploads. */
static bool takes_long_to_make(const struct facts *s, uint32_t upload)
{
	bool made = is_on(s, upload, NAMES_UPLOADS) && is_upload(s, upload);
	uint32_t at = upload, first = made ? first_maker(s, upload) : NO_ROW;
	while (first != NO_ROW && at != first && (at = operator_before(s, at)) != NO_ROW)
		if (s->t->dur_ns[at] >= COMPUTES_NS && !is_upload(s, at))
			return true;
	return false;
}

/* Several, or one that takes long to make. */
static bool is_worth_making(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	enum { SEVERAL = 4 };
	for (uint32_t i = s->work_from; i < s->work_to; i++)
		if (is_of_list(s, i)) {
			f->variant = "lists";
			return true;
		}
	if (sum->n >= SEVERAL)
		return true;
	for (uint32_t i = s->work_from; i < s->work_to; i++)
		if (takes_long_to_make(s, i))
			return true;
	return false;
}

/* Of what is made by several operators those between, too, and how the interpreter fills a list's.
 */
static void plan_making(const struct facts *s, struct replay_plan *plan)
{
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		if (!is_on(s, i, NAMES_UPLOADS) || !is_upload(s, i))
			continue;
		uint32_t first = is_of_list(s, i) ? operator_before(s, i) : first_maker(s, i);
		if (first != NO_ROW)
			plan_spare(plan, comes_to(s, first), s->t->start_ns[i]);
	}
}

/* ---- another Python thread ---- */

/* An interpreter that another thread wants hands its lock over every 5 ms (sys.setswitchinterval):
 * whoever waits for it gets it after that, or a multiple. */
enum { SWITCH_NS = 5000000, SWITCH_LATE_NS = 400000, SWITCHES = 4 };

static bool is_switch(int64_t ns)
{
	int64_t times = ns / SWITCH_NS;
	return times >= 1 && times <= SWITCHES && ns % SWITCH_NS <= times * SWITCH_LATE_NS;
}

struct switches {
	size_t n;
	int64_t ns, other_ns; /* other: pauses as long that are none */
};

/* Pauses of the launching thread between outermost operators: what comes behind each is shown, and
 * each is spared. */
static struct switches switches_of(const struct facts *s, struct finding *f)
{
	struct switches w = {0};
	int64_t done = s->w->start_ns;
	for (size_t i = 0; i < s->outer.n; i++) {
		uint32_t row = s->outer.row[i];
		if (s->t->track[row] != s->track)
			continue;
		int64_t ns = s->t->start_ns[row] - done;
		if (is_switch(ns)) {
			w.n++;
			w.ns += ns;
			prove(f, row);
			plan_spare(f->plan, done, s->t->start_ns[row]);
		} else if (ns >= SWITCH_NS / 2)
			w.other_ns += ns;
		done = row_end(s->t, row) > done ? row_end(s->t, row) : done;
	}
	return w;
}

static enum finding_state python_thread(const struct facts *s, struct finding *f)
{
	if (s->track == NO_ROW)
		return FINDING_NOT_FIRED;
	struct switches w = switches_of(s, f);
	TELL(f, {"n", (double)w.n}, {"time", (double)w.ns}, {"share", share_of_window(s, w.ns)});
	return fired_if((double)w.n >= limit(f, "pauses") && w.ns >= 2 * w.other_ns);
}

static const struct rule rows[] = {
	{.id = "python-thread",
		.kind = RULE_ACTION,
		.threshold = {{"pauses", 8, UNIT_COUNT}, LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE}},
		.covers = {"graphs", "elsewhere", "first-calls", "loops"},
		.one = python_thread},
	{PATTERN("index-loop", 16,
		 {.change = CHANGE_ONE,
			 .op = {"aten::copy_", "aten::fill_", "aten::select", "aten::stack"},
			 .not_under = {"aten::im2col", "aten::col2im"},
			 .is = is_row_by_row,
			 .holds = is_worth_indexing,
			 .backward = true}),
		.covers = {"loops", "batch", "graphs"}},
	{PATTERN("made-on-host", 2,
		 {.op = {NAMES_OF_MAKERS, "aten::to", "aten::copy_"},
			 .is = is_made_on_host,
			 .holds = is_worth_making,
			 .more = plan_making}),
		.covers = {"loops", "batch", "graphs", "small-copies", "pinned", "same-again",
			"elsewhere", "input"}},
	{.id = "there-and-back",
		.kind = RULE_ACTION,
		.threshold = {{"copies", 2, UNIT_COUNT}, LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"bytes", UNIT_BYTES}, {"time", UNIT_NS},
			{"share", UNIT_SHARE}},
		.covers = {"sync", "pinned", "small-copies", "graphs", "input"},
		.one = there_and_back},
	{PATTERN("multinomial", 4,
		 {.op = {"aten::min", "aten::max", "aten::ge", "aten::lt", "aten::le",
			  "aten::bitwise_and", "aten::logical_and", "aten::_assert_async",
			  "aten::sum", "aten::eq", "aten::any", "aten::bitwise_not", "aten::item",
			  "aten::is_nonzero", "aten::logical_not", "aten::isinf", "aten::isnan",
			  "aten::bitwise_or", "aten::logical_or"},
			 .under = {"aten::multinomial"}}),
		.covers = {"loops", "batch", "sync", "graphs"}},
	{PATTERN("repeat-interleave", 2,
		 {.op = {"aten::item", "aten::ge", "aten::all", "aten::is_nonzero"},
			 .under = {"aten::repeat_interleave"}}),
		.covers = {"loops", "batch", "sync", "graphs"}},
	{PATTERN("one-hot", 2,
		 {.op = {"aten::min", "aten::max", "aten::item", "aten::ge", "aten::lt",
			  "aten::all", "aten::any", "aten::is_nonzero"},
			 .under = {"aten::one_hot"}}),
		.covers = {"loops", "batch", "sync", "graphs"}},
	{PATTERN("bincount", 2,
		 {.op = {"aten::min", "aten::max", "aten::to", "aten::item", "aten::is_nonzero"},
			 .under = {"aten::bincount"}}),
		.covers = {"loops", "batch", "sync", "graphs"}},
	{PATTERN("hooks", 16,
		 {.change = CHANGE_LAUNCHES,
			 .op = {"aten::mul_", "aten::add_", "aten::copy_", "aten::div_",
				 "aten::norm", "aten::linalg_vector_norm", "aten::clone",
				 "aten::clamp_", "aten::mul", "aten::add", "aten::sub_",
				 "aten::lerp_", "aten::clamp", "aten::where", "aten::nan_to_num",
				 "aten::sign", "aten::div", "aten::abs", "aten::mean", "aten::sum",
				 "aten::isfinite", "aten::neg", "aten::clamp_min", "aten::pow",
				 "aten::zeros_like", "aten::clamp_max"},
			 .parent = {"autograd::engine::evaluate_function: "
				    "torch::autograd::AccumulateGrad",
				 "torch::autograd::AccumulateGrad"},
			 .is = is_of_hook}),
		.covers = {"loops", "graphs"}},
};

const struct rule_list pattern_host_rows = RULE_LIST(rows);
