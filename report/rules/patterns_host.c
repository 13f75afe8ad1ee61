/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of the host: numbers that an operator asks the device for, calls that are made too
 * often, time that is another's. */
#include "report/rules/pattern.h"

#include "report/replay/changes.h"

#include <string.h>

/* ---- rows one by one ---- */

static bool writes_a_row(const struct facts *s, uint32_t row)
{
	return is_on(s, row, NAMES_WRITES);
}

/* What writes where one or two views from here on lead to; NO_ROW. */
static uint32_t write_behind(const struct facts *s, uint32_t row)
{
	for (int i = 0; i < 2 && is_on(s, row, NAMES_VIEWS); i++)
		row = next_operator(s, row);
	return row != NO_ROW && writes_a_row(s, row) ? row : NO_ROW;
}

static uint32_t before_its_views(const struct facts *s, uint32_t row)
{
	for (int i = 0; i < 3 && row != NO_ROW && (!i || is_on(s, row, NAMES_VIEWS)); i++)
		row = operator_before(s, row);
	return row;
}

/* y[i] = x[j]: two views, and a copy of what they show; and the same again right before or behind.
 */
static bool is_row_by_row(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	uint32_t write = is_on(s, row, NAMES_VIEWS) ? write_behind(s, row) : row;
	if (write == NO_ROW || !is_on(s, operator_before(s, write), NAMES_VIEWS))
		return false;
	uint32_t next = next_operator(s, write), before = before_its_views(s, write);
	return (is_on(s, next, NAMES_VIEWS) && write_behind(s, next) != NO_ROW) ||
		(before != NO_ROW && writes_a_row(s, before) &&
			is_on(s, operator_before(s, before), NAMES_VIEWS));
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

/* Computing of at least this is worth asking where it is done. */
enum { COMPUTES_NS = 100000, COMPUTES_ROWS = 4096 };

static bool is_upload(const struct facts *s, uint32_t row)
{
	return is_on(s, row, NAMES_UPLOADS) && launches_inside(s, row, TRAIT_TO_DEVICE, false);
}

/* What only goes on with a tensor, on the host: it puts nothing of another into it. */
static bool goes_on_with(const struct facts *s, uint32_t row)
{
	const char *name = row_name(s, row);
	return !is_on(s, row, NAMES_JOINS) &&
		(is_on(s, row, NAMES_MAKERS) || name[strlen(name) - 1] != '_') &&
		!launches_inside(s, row, 0, true);
}

/* A tensor that the host makes of nothing and uploads next; what stands between makes something of
 * it. */
static bool is_made_on_host(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { BETWEEN = 6 };
	uint32_t at = row;
	(void)m;
	if (is_on(s, row, NAMES_MAKERS)) {
		if (launches_inside(s, row, 0, true))
			return false;
		for (int i = 0; i < BETWEEN && (at = next_operator(s, at)) != NO_ROW; i++)
			if (is_upload(s, at) || !goes_on_with(s, at))
				return is_upload(s, at);
		return false;
	}
	if (!is_upload(s, row))
		return false;
	for (int i = 0; i < BETWEEN && (at = operator_before(s, at)) != NO_ROW; i++)
		if (is_on(s, at, NAMES_MAKERS) || !goes_on_with(s, at))
			return is_on(s, at, NAMES_MAKERS) && !launches_inside(s, at, 0, true);
	return false;
}

/* Several, or one that takes long to make. */
static bool is_worth_making(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	enum { SEVERAL = 4 };
	(void)f;
	if (sum->n >= SEVERAL)
		return true;
	for (uint32_t i = s->work_from; i < s->work_to; i++)
		if (s->t->kind[i] == EVENT_OP && s->t->dur_ns[i] >= COMPUTES_NS &&
			is_on(s, i, NAMES_MAKERS) && is_made_on_host(s, NULL, i))
			return true;
	return false;
}

/* ---- there and back ---- */

enum { LEAST_BYTES = 4096, OPEN_COPIES = 64 };

static uint32_t outermost_operator(const struct facts *s, uint32_t row)
{
	uint32_t found = row;
	for (; row != NO_ROW; row = s->t->parent[row])
		if (s->t->kind[row] == EVENT_OP)
			found = row;
	return found;
}

static bool launches_between(const struct facts *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from + 1; i < to; i++)
		if (event_is_call(s->t->kind[i]) && s->t->launch[i] != NO_ROW &&
			s->t->track[i] == s->t->track[from] &&
			s->t->start_ns[i] >= row_end(s->t, from))
			return true;
	return false;
}

struct trips {
	size_t n;
	int64_t bytes, ns;
	bool peer; /* the first comes back to another device */
	bool computed; /* of the first another result comes back than what was sent */
};

/* A copy to the host and the next of as many bytes to a device: what is spared of the host is both
 * operators and, where nothing is launched between them, what lies there. */
static void add_trip(const struct facts *s, const struct seen_event *down,
	const struct seen_event *up, struct trips *all, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	uint32_t from = outermost_operator(s, down->call), to = outermost_operator(s, up->call);
	if (!all->n++)
		all->peer =
			t->copies[t->side[down->row]].device != t->copies[t->side[up->row]].device;
	all->bytes += bytes_of(s, down->row);
	bool whole = t->track[from] == t->track[to] && !launches_between(s, from, to);
	all->ns += whole ? row_end(t, to) - t->start_ns[from] : t->dur_ns[from] + t->dur_ns[to];
	plan_goes(plan, t, from);
	plan_goes(plan, t, to);
	if (whole)
		plan_gone(plan, t->track[from], t->start_ns[from], row_end(t, to));
}

/* Does the host compute in between, most of the time in operators that launch nothing? */
static bool computes_between(const struct facts *s, uint32_t from, uint32_t to)
{
	const struct trace *t = s->t;
	int64_t begin = row_end(t, from), done = begin, in_operators = 0;
	if (t->track[from] != t->track[to] || t->start_ns[to] - begin < COMPUTES_NS ||
		to - from > COMPUTES_ROWS || launches_between(s, from, to))
		return false;
	for (uint32_t i = from + 1; i < to; i++) {
		if (t->kind[i] != EVENT_OP || t->track[i] != t->track[from] ||
			t->start_ns[i] < done)
			continue;
		in_operators += t->dur_ns[i];
		done = row_end(t, i);
	}
	return 2 * in_operators >= t->start_ns[to] - begin;
}

/* What comes to the device next is the result of what went to the host last. */
static bool is_result(
	const struct facts *s, const struct seen_event *down, const struct seen_event *up)
{
	return up->traits & TRAIT_TO_DEVICE &&
		computes_between(
			s, outermost_operator(s, down->call), outermost_operator(s, up->call));
}

static struct trips trips_of(const struct facts *s, struct finding *f)
{
	struct trips all = {0};
	const struct seen_event *open[OPEN_COPIES];
	int64_t open_bytes[OPEN_COPIES];
	size_t n = 0;
	for (size_t i = 0; i < s->n_moves; i++) {
		const struct seen_event *e = &s->event[s->move[i]];
		int64_t bytes = s->t->kind[e->row] == EVENT_MEMCPY ? bytes_of(s, e->row) : 0;
		if (!bytes || e->call == NO_ROW)
			continue;
		bool result = n && is_result(s, open[0], e);
		if (bytes < LEAST_BYTES && !result)
			continue;
		if (e->traits & TRAIT_TO_HOST) {
			n += n < OPEN_COPIES;
			memmove(&open[1], &open[0], (n - 1) * sizeof *open);
			memmove(&open_bytes[1], &open_bytes[0], (n - 1) * sizeof *open_bytes);
			open[0] = e;
			open_bytes[0] = bytes;
			continue;
		}
		if (!(e->traits & TRAIT_TO_DEVICE))
			continue;
		size_t k = 0;
		while (!result && k < n && open_bytes[k] != bytes)
			k++;
		if (k == n)
			continue;
		all.computed |= !all.n && result;
		add_trip(s, open[k], e, &all, f->plan);
		prove(f, open[k]->call);
		memmove(&open[k], &open[k + 1], (--n - k) * sizeof *open);
		memmove(&open_bytes[k], &open_bytes[k + 1], (n - k) * sizeof *open_bytes);
	}
	return all;
}

/* The last operator that computes on the host behind a copy to it, before anything is launched but
 * further copies to it; NO_ROW where they take less than COMPUTES_NS together, or than half of
 * the time. */
static uint32_t last_computing(const struct facts *s, uint32_t from)
{
	const struct trace *t = s->t;
	int64_t done = row_end(t, from), ns = 0;
	uint32_t last = NO_ROW;
	for (uint32_t i = from + 1; i < s->to && i - from < COMPUTES_ROWS; i++) {
		if (t->track[i] != t->track[from] || t->start_ns[i] < done)
			continue;
		bool copies = launches_inside(s, i, TRAIT_TO_HOST, false);
		if (!copies && launches_inside(s, i, 0, true))
			break;
		if (t->kind[i] != EVENT_OP && !event_is_call(t->kind[i]))
			continue;
		done = row_end(t, i);
		if (copies || t->kind[i] != EVENT_OP)
			continue;
		ns += t->dur_ns[i];
		last = i;
	}
	return ns >= COMPUTES_NS && 2 * ns >= done - row_end(t, from) ? last : NO_ROW;
}

/* What goes to the host and is computed with there, though nothing of it comes back. */
static struct trips stays_of(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	struct trips all = {0};
	int64_t done = s->w->start_ns;
	for (size_t i = 0; i < s->n_moves; i++) {
		const struct seen_event *e = &s->event[s->move[i]];
		if (t->kind[e->row] != EVENT_MEMCPY || !(e->traits & TRAIT_TO_HOST) ||
			e->call == NO_ROW || bytes_of(s, e->row) < LEAST_BYTES ||
			t->start_ns[e->call] < done)
			continue;
		uint32_t from = outermost_operator(s, e->call), last = last_computing(s, from);
		if (last == NO_ROW)
			continue;
		done = row_end(t, last);
		all.n++;
		all.bytes += bytes_of(s, e->row);
		all.ns += done - t->start_ns[from];
		plan_gone(f->plan, t->track[from], t->start_ns[from], done);
		prove(f, e->call);
	}
	return all;
}

static enum finding_state there_and_back(const struct facts *s, struct finding *f)
{
	struct trips all = s->n_moves ? trips_of(s, f) : (struct trips){0};
	f->variant = all.peer ? "peer" : all.computed ? "computed" : "";
	if (!all.n && (all = stays_of(s, f)).n)
		f->variant = "stays";
	TELL(f, {"n", (double)all.n}, {"bytes", (double)all.bytes}, {"time", (double)all.ns},
		{"share", share_of_window(s, all.ns)});
	return fired_if(all.n && (*f->variant || (double)all.n >= limit(f, "copies")));
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
			 .op = {"aten::copy_", "aten::fill_", "aten::select"},
			 .not_under = {"aten::im2col", "aten::col2im"},
			 .is = is_row_by_row}),
		.covers = {"loops", "batch", "graphs"}},
	{PATTERN("made-on-host", 2,
		 {.op = {NAMES_OF_MAKERS, "aten::to", "aten::copy_"},
			 .is = is_made_on_host,
			 .holds = is_worth_making}),
		.covers = {"loops", "batch", "graphs", "small-copies", "pinned", "same-again",
			"elsewhere", "input"}},
	{.id = "there-and-back",
		.kind = RULE_ACTION,
		.threshold = {{"copies", 2, UNIT_COUNT}, LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"bytes", UNIT_BYTES}, {"time", UNIT_NS},
			{"share", UNIT_SHARE}},
		.covers = {"sync", "pinned", "small-copies", "graphs"},
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
				 "aten::lerp_"},
			 .parent = {"autograd::engine::evaluate_function: "
				    "torch::autograd::AccumulateGrad",
				 "torch::autograd::AccumulateGrad"},
			 .is = is_of_hook}),
		.covers = {"loops", "graphs"}},
};

const struct rule_list pattern_host_rows = RULE_LIST(rows);
