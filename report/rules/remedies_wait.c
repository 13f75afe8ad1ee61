/* SPDX-License-Identifier: Apache-2.0 */
/* The remedy for a host that waits for the device. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/profiler_cost.h"
#include "report/analyse/usual_cost.h"
#include "report/rules/action_window.h"
#include "report/rules/repeats.h"

#include <math.h>
#include <string.h>

/* The part of what an operator launches, computing with products before all else; TIME_PARTS when
 * it launches nothing. */
static enum time_part part_of_op(const struct facts *s, uint32_t op)
{
	const struct trace *t = s->t;
	enum time_part part = TIME_PARTS;
	int64_t end = row_end(t, op);
	for (uint32_t i = op + 1; i < t->n && t->start_ns[i] < end; i++) {
		if (!is_outer_call(t, i) || t->track[i] != t->track[op] || t->launch[i] == NO_ROW)
			continue;
		enum time_part one = time_part_of(s->a, t->launch[i]);
		if (t->kind[t->launch[i]] == EVENT_MEMSET)
			continue;
		part = one < part ? one : part;
	}
	return part;
}

/* The outermost operator that is there for this wait, the call itself when there is none. */
static uint32_t waiting_row(const struct facts *s, uint32_t call)
{
	const struct trace *t = s->t;
	uint32_t row = analysis_op_of(t, call);
	if (row == NO_ROW || t->kind[row] != EVENT_OP)
		return call;
	for (uint32_t up = t->parent[row];
		up != NO_ROW && t->kind[up] == EVENT_OP && t->dur_ns[up] <= 2 * t->dur_ns[row];
		up = t->parent[up])
		row = up;
	return row;
}

static uint32_t sibling_before(const struct facts *s, uint32_t row)
{
	enum { FAR = 200 };
	const struct trace *t = s->t;
	for (uint32_t i = row, k = 0; i-- > s->from && k < FAR; k++)
		if (t->track[i] == t->track[row] && t->parent[i] == t->parent[row] &&
			event_on_host(t->kind[i]))
			return t->kind[i] == EVENT_OP ? i : NO_ROW;
	return NO_ROW;
}

static bool is_one_of(const struct facts *s, uint32_t op, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(row_name(s, op), *names))
			return true;
	return false;
}

/* What a program makes only to look at it. */
static bool is_check(const struct facts *s, uint32_t op)
{
	static const char *const names[] = {"aten::all", "aten::any", "aten::_is_all_true",
		"aten::_is_any_true", "aten::equal", "aten::norm", "aten::linalg_vector_norm",
		"aten::count_nonzero", NULL};
	return is_one_of(s, op, names);
}

static bool compares(const struct facts *s, uint32_t op)
{
	static const char *const names[] = {"aten::ge", "aten::gt", "aten::le", "aten::lt",
		"aten::eq", "aten::ne", "aten::isnan", "aten::isinf", "aten::isfinite", NULL};
	return is_one_of(s, op, names);
}

/* A place is read to take what is there. */
static bool finds_place(const struct facts *s, uint32_t op)
{
	static const char *const names[] = {
		"aten::argmax", "aten::argmin", "aten::multinomial", NULL};
	return is_one_of(s, op, names);
}

/* aten::add_, aten::__ior__: others may read what it has written. */
static bool is_in_place(const struct facts *s, uint32_t op)
{
	const char *name = row_name(s, op);
	size_t n = strlen(name);
	return !strncmp(name, "aten::__i", 9) ||
		(n > 2 && name[n - 1] == '_' && name[n - 2] != '_');
}

/* Who has ended, with whom had before: the next round goes on with that. Of two comparisons right
 * in front of it nothing goes on. */
static bool adds_flags(const struct facts *s, uint32_t op)
{
	enum { NEAR = 4 };
	static const char *const names[] = {"aten::__or__", "aten::bitwise_or", "aten::logical_or",
		"aten::__and__", "aten::bitwise_and", "aten::logical_and", NULL};
	if (!is_one_of(s, op, names))
		return false;
	int compared = 0;
	for (int i = 0; i < NEAR && (op = sibling_before(s, op)) != NO_ROW; i++)
		compared += compares(s, op);
	return compared < 2;
}

/* A number that is read may have been reduced for it: the check in front of it, and the point-wise
 * operators in front of that, are part of what reading costs. A sum or a mean may be a result that
 * is there in any case, but where such an operator makes what it is of; and what is compared, but
 * where an operator does that by itself. */
static uint32_t begin_of_wait(const struct facts *s, uint32_t row)
{
	enum { MOST = 6 };
	uint32_t first = row, at = row, up = s->t->parent[row];
	bool reduced = false, compared = false;
	if (s->t->kind[row] != EVENT_OP || !(host_traits(s->a, row) & TRAIT_WAITS_ITEM))
		return row;
	bool inside = up != NO_ROW && s->t->kind[up] == EVENT_OP;
	for (int i = 0; i < MOST && (at = sibling_before(s, at)) != NO_ROW; i++) {
		enum time_part part = part_of_op(s, at);
		if (part == TIME_PARTS)
			continue;
		bool compares_it = inside && !reduced && compares(s, at);
		bool made = reduced && part == TIME_POINTWISE && !is_in_place(s, at);
		if (finds_place(s, at) || adds_flags(s, at) ||
			(!made && !compares_it && (reduced || part != TIME_REDUCTION)))
			break;
		if (made || compares_it || compared || is_check(s, at))
			first = at;
		compared |= compares_it;
		reduced |= !compares_it;
	}
	return first;
}

/* When the device has work again: mostly a little behind *near, where it had the last time. */
static int64_t next_work_ns(const struct facts *s, int64_t time_ns, size_t *near)
{
	enum { LITTLE = 16 };
	const struct analysis *a = s->a;
	size_t low = 0, high = a->n_device;
	if (*near < a->n_device && s->t->start_ns[a->device_rows[*near]] < time_ns)
		low = *near + 1;
	for (size_t end = low + LITTLE; low && low < high && low < end; low++)
		if (s->t->start_ns[a->device_rows[low]] >= time_ns) {
			high = low;
			break;
		}
	low = first_where(i, low, high, s->t->start_ns[a->device_rows[i]] >= time_ns);
	*near = low ? low - 1 : 0;
	int64_t at = low < a->n_device ? s->t->start_ns[a->device_rows[low]] : time_ns;
	return min64(at, s->w->end_ns);
}

/* A wait for data that go to the device is the copy's matter. */
static bool waits_for_upload(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	int64_t end = row_end(t, row);
	for (uint32_t i = row; i < t->n && t->start_ns[i] <= end; i++) {
		uint32_t copy = event_is_call(t->kind[i]) && t->track[i] == t->track[row]
			? t->launch[i]
			: NO_ROW;
		if (copy != NO_ROW && t->kind[copy] == EVENT_MEMCPY &&
			device_traits(s->a, copy) & TRAIT_TO_DEVICE)
			return true;
	}
	return false;
}

enum wait_kind { WAIT_BARE, WAIT_ITEM, WAIT_NONZERO, WAIT_COPY, WAIT_LIBRARY, WAIT_KINDS };
static const char *const kind_names[WAIT_KINDS] = {"", "item", "nonzero", "copy", "library"};

static enum wait_kind kind_of_wait(const struct facts *s, uint32_t row)
{
	uint32_t traits = host_traits(s->a, row);
	return traits & TRAIT_WAITS_ITEM       ? WAIT_ITEM
		: traits & TRAIT_WAITS_NONZERO ? WAIT_NONZERO
		: traits & TRAIT_WAITS_COPY    ? WAIT_COPY
					       : WAIT_BARE;
}

/* The operator of a library that waits, whatever it is that it wants to know; NO_ROW. */
static uint32_t library_around(const struct facts *s, uint32_t wait)
{
	static const char *const names[] = {"torchvision::", "torchaudio::", "fbgemm::", NULL};
	for (uint32_t up = s->t->parent[wait]; up != NO_ROW; up = s->t->parent[up])
		for (const char *const *of = names; *of && s->t->kind[up] == EVENT_OP; of++)
			if (!strncmp(row_name(s, up), *of, strlen(*of)))
				return up;
	return NO_ROW;
}

/* A library that tries out its algorithms waits for each of them. */
static bool tries_algorithms(const struct facts *s, uint32_t wait)
{
	uint32_t op = analysis_op_of(s->t, wait);
	return op != NO_ROW && host_traits(s->a, op) & TRAIT_CONVOLUTION;
}

/* What a wait is for: its outer operator tells, or the one that made the call. */
static enum wait_kind variant_of(const struct facts *s, uint32_t row, uint32_t wait)
{
	enum wait_kind kind = kind_of_wait(s, row);
	uint32_t op = analysis_op_of(s->t, wait);
	return kind || op == NO_ROW ? kind : kind_of_wait(s, op);
}

/* A bare call is reached by Python code that is there for it. */
static int64_t begin_of_bare_call(const struct facts *s, uint32_t call)
{
	enum { FAR = 64 };
	const struct trace *t = s->t;
	int64_t start = t->start_ns[call], from = start - PLAN_WAY_NS;
	for (uint32_t i = call, k = 0; i-- > s->from && k < FAR; k++) {
		bool ended = t->track[i] == t->track[call] && row_end(t, i) <= start &&
			(t->kind[i] == EVENT_OP || event_is_call(t->kind[i]));
		from = ended && row_end(t, i) > from ? row_end(t, i) : from;
	}
	return from;
}

/* One wait, and what it keeps from working. */
struct kept {
	uint32_t row; /* who waits */
	int64_t from_ns; /* when it begins, or what leads to it */
	uint32_t first; /* who leads to it */
	int64_t idle_ns; /* of the device, from the beginning of the wait, or of what leads to it,
			    until there is work again */
	int64_t until_ns;
	bool of_clock; /* it begins or ends what is timed */
};

/* False where the device idles for no wait of its own: it idled for an earlier one until
 * `done_ns`. */
static bool is_kept(
	const struct facts *s, uint32_t wait, int64_t done_ns, size_t *near, struct kept *k)
{
	k->until_ns = next_work_ns(s, row_end(s->t, wait), near);
	if (k->until_ns <= done_ns || tries_algorithms(s, wait))
		return false;
	k->row = waiting_row(s, wait);
	if (waits_for_upload(s, k->row))
		return false;
	k->first = begin_of_wait(s, k->row);
	int64_t from = s->t->start_ns[k->first];
	k->from_ns = k->row == wait ? begin_of_bare_call(s, wait) : from;
	k->idle_ns = late_in_window(s, max64(from, done_ns), k->until_ns);
	return k->idle_ns > 0;
}

static bool launches_between(const struct facts *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (event_is_call(s->t->kind[i]) && s->a->class[i] == CLASS_LAUNCH)
			return true;
	return false;
}

/* Who times a stage waits at its end, and again in front of the next. What takes the place of a
 * clock, as events on the device, costs the host as much as its calls. */
static bool is_of_clock(const struct facts *s, size_t wait)
{
	const uint32_t *row = s->l->waits;
	return (wait && !launches_between(s, row[wait - 1], row[wait])) ||
		(wait + 1 < s->l->n_waits && !launches_between(s, row[wait], row[wait + 1]));
}

/* What is said of all waits. */
struct waits {
	double n, early; /* early: of the step before, felt in this one */
	double of_kind[WAIT_KINDS];
	double idle, in_waits;
	struct kept longest;
	enum wait_kind kind; /* its */
	uint32_t library; /* the operator of one around the longest, NO_ROW */
};

/* What finds out how many there are: the rest of an operator that takes what a mask has takes by
 * the mask instead, and doubles do no harm. */
static uint32_t counter_around(const struct facts *s, uint32_t wait)
{
	static const char *const names[] = {"aten::nonzero", "aten::_unique2", "aten::_unique",
		"aten::unique_consecutive", "aten::unique_dim", NULL};
	for (uint32_t up = s->t->parent[wait]; up != NO_ROW; up = s->t->parent[up])
		if (is_one_of(s, up, names))
			return up;
	return NO_ROW;
}

/* What an operator with one launch takes when nobody records: profiler_cost.h. */
static const int64_t adding_ns =
	(int64_t)((USUAL_OPERATOR_NS + USUAL_LAUNCH_NS) * (1 - PROFILER_COST_OF_LAUNCH));

/* A number that the program itself reads is added up on the device instead, by an operator in its
 * place; a check, or what decides a branch, is not made at all. */
static bool is_added_up(const struct facts *s, const struct kept *k)
{
	uint32_t up = s->t->parent[k->row];
	bool number = !strcmp(row_name(s, k->row), "aten::item");
	bool norm = strstr(row_name(s, k->first), "norm");
	return number && (up == NO_ROW || s->t->kind[up] != EVENT_OP) &&
		(k->first == k->row || norm);
}

/* What writes where a mask is set puts the places in order first, if it adds up there, and is one
 * operator by the mask. */
static void plan_counter(const struct facts *s, struct finding *f, uint32_t counter)
{
	uint32_t up = s->t->parent[counter];
	if (up != NO_ROW && !strcmp(row_name(s, up), "aten::_index_put_impl_"))
		plan_replaced(
			f->plan, s->t->track[up], s->t->start_ns[up], row_end(s->t, up), adding_ns);
	else
		plan_goes(f->plan, s->t, counter);
}

static void add_wait(const struct facts *s, struct finding *f, struct waits *all,
	const struct kept *k, uint32_t i)
{
	uint32_t counter = counter_around(s, i);
	enum wait_kind kind = counter == NO_ROW ? variant_of(s, k->row, i) : WAIT_NONZERO;
	all->n++;
	all->of_kind[kind]++;
	all->early += s->t->start_ns[i] < s->w->start_ns;
	all->idle += (double)k->idle_ns;
	all->in_waits += (double)s->t->dur_ns[i];
	if (kind == WAIT_BARE && k->row == i && !k->of_clock)
		plan_replaced(f->plan, s->t->track[i], k->from_ns, row_end(s->t, i), 0);
	else if (kind == WAIT_COPY || kind == WAIT_BARE)
		plan_wait(f->plan, i);
	else if (counter != NO_ROW)
		plan_counter(s, f, counter);
	else
		plan_replaced(f->plan, s->t->track[k->row], k->from_ns, row_end(s->t, k->row),
			is_added_up(s, k) ? adding_ns : 0);
	prove(f, k->row);
	uint32_t library = library_around(s, i);
	all->of_kind[WAIT_LIBRARY] += library != NO_ROW;
	if (k->idle_ns <= all->longest.idle_ns)
		return;
	all->longest = *k;
	if (counter != NO_ROW && k->row > counter)
		all->longest.row = counter;
	all->kind = kind;
	all->library = library;
}

static enum finding_state waits(const struct facts *s, struct finding *f)
{
	struct waits all = {0};
	struct kept k;
	int64_t done = s->w->start_ns;
	size_t near = 0;
	for (size_t i = 0; !s->captures && i < s->l->n_waits && s->l->waits[i] < s->to; i++) {
		if (!is_kept(s, s->l->waits[i], done, &near, &k))
			continue;
		k.of_clock = k.row == s->l->waits[i] && is_of_clock(s, i);
		add_wait(s, f, &all, &k, s->l->waits[i]);
		done = k.until_ns;
	}
	if (all.n < 1)
		return FINDING_NOT_FIRED;
	if (all.of_kind[WAIT_LIBRARY] >= all.n) {
		all.kind = WAIT_LIBRARY;
		all.longest.row = all.library;
	} else if (all.of_kind[WAIT_NONZERO] + all.of_kind[WAIT_COPY] > 0) {
		plan_asking_rounds(s, f);
	}
	double n = all.n > all.early ? all.n - all.early : all.n;
	double like = fmin(all.of_kind[all.kind], n);
	f->variant = kind_names[all.kind];
	TELL(f, {"n", like}, {"others", n - like}, {"idle", all.idle},
		{"share", all.idle / (double)advised_ns(s)}, {"waits", all.in_waits});
	tell_name(f, "name", s->t, all.longest.row);
	return FINDING_FIRED;
}

static const struct rule rows[] = {
	{.id = "sync",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"others", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"idle", UNIT_NS}, {"share", UNIT_SHARE}, {"waits", UNIT_NS}},
		.one = waits},
};

const struct rule_list remedy_wait_rows = RULE_LIST(rows);
