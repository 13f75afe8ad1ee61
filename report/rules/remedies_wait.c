/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for a host that stands still: waits, stalls, the allocator. */
#include "base/format.h"
#include "base/search.h"
#include "base/sort.h"
#include "report/analyse/analysis.h"
#include "report/analyse/ledger.h"
#include "report/analyse/partition.h"
#include "report/rules/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- waits ---- */

/* The part of what an operator launches, computing with products before all else; SPENT_PARTS when
 * it launches nothing. */
static enum spent part_of_op(const struct facts *s, uint32_t op)
{
	const struct trace *t = s->t;
	enum spent part = SPENT_PARTS;
	int64_t end = row_end(t, op);
	for (uint32_t i = op + 1; i < t->n && t->start_ns[i] < end; i++) {
		if (!is_outer_call(t, i) || t->track[i] != t->track[op] || t->launch[i] == NO_ROW)
			continue;
		enum spent one = spent_of(s->a, t->launch[i]);
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

/* A number that is read has been reduced for it: the reduction in front of it, and the point-wise
 * operators in front of that, are part of what reading costs. */
static int64_t begin_of_wait(const struct facts *s, uint32_t row)
{
	enum { MOST = 6 };
	uint32_t first = row, at = row;
	bool reduced = false;
	if (s->t->kind[row] != EVENT_OP || !(host_traits(s->a, row) & TRAIT_WAITS_ITEM))
		return s->t->start_ns[row];
	for (int i = 0; i < MOST && (at = sibling_before(s, at)) != NO_ROW; i++) {
		enum spent part = part_of_op(s, at);
		if (part == SPENT_PARTS)
			continue;
		if (part != SPENT_REDUCTION && (!reduced || part != SPENT_POINTWISE))
			break;
		reduced = true;
		first = at;
	}
	return s->t->start_ns[first];
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
	return at < s->w->end_ns ? at : s->w->end_ns;
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

static const char *kind_of_wait(const struct facts *s, uint32_t row)
{
	uint32_t traits = host_traits(s->a, row);
	return traits & TRAIT_WAITS_ITEM       ? "item"
		: traits & TRAIT_WAITS_NONZERO ? "nonzero"
		: traits & TRAIT_WAITS_COPY    ? "copy"
					       : "";
}

/* A library that tries out its algorithms waits for each of them. */
static bool tries_algorithms(const struct facts *s, uint32_t wait)
{
	uint32_t op = analysis_op_of(s->t, wait);
	return op != NO_ROW && host_traits(s->a, op) & TRAIT_CONVOLUTION;
}

/* The kernels that work out a size, which is read then. */
static int64_t kernels_of_sizes(const struct facts *s)
{
	int64_t sum = 0;
	for (size_t i = 0; i < s->n; i++)
		if (is_under(s, &s->event[i], TRAIT_NONZERO))
			sum += s->event[i].exposed_ns;
	return sum;
}

/* From the end of a wait to a kernel on the idle device: an operator of the profiled program and
 * the way of its launch. */
enum { RESTART_NS = 20000 };

/* What a wait is for: its outer operator tells, or the one that made the call. */
static const char *variant_of(const struct facts *s, uint32_t row, uint32_t wait)
{
	const char *kind = kind_of_wait(s, row);
	uint32_t op = analysis_op_of(s->t, wait);
	return *kind || op == NO_ROW ? kind : kind_of_wait(s, op);
}

/* One wait, and what it keeps from working. */
struct kept {
	uint32_t row; /* who waits */
	int64_t idle_ns; /* of the device, from the beginning of the wait, or of what leads to it,
			    until there is work again */
	int64_t spared_ns; /* of it no more than the host is kept and needs to launch again */
	int64_t until_ns;
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
	int64_t from = begin_of_wait(s, k->row);
	int64_t stands = row_end(s->t, k->row) - from + RESTART_NS;
	k->idle_ns = late_in_window(s, from > done_ns ? from : done_ns, k->until_ns);
	k->spared_ns = k->idle_ns < stands ? k->idle_ns : stands;
	return k->idle_ns > 0;
}

/* What is said of all waits. */
struct waits {
	double n, early; /* early: of the step before, felt in this one */
	double idle, spared, in_waits;
	double sizing; /* the own time of operators that ask for a size */
	struct kept longest;
};

static void add_wait(const struct facts *s, struct finding *f, struct waits *all,
	const struct kept *k, uint32_t i)
{
	const char *kind = variant_of(s, k->row, i);
	all->n++;
	all->early += s->t->start_ns[i] < s->w->start_ns;
	all->idle += (double)k->idle_ns;
	all->spared += (double)k->spared_ns;
	all->in_waits += (double)s->t->dur_ns[i];
	if (!strcmp(kind, "nonzero"))
		all->sizing += (double)(s->t->dur_ns[k->row] - s->t->dur_ns[i]);
	prove(f, k->row);
	if (k->idle_ns <= all->longest.idle_ns)
		return;
	all->longest = *k;
	f->variant = kind;
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
		add_wait(s, f, &all, &k, s->l->waits[i]);
		done = k.until_ns;
	}
	if (all.n < 1)
		return FINDING_NOT_FIRED;
	TELL(f, {"n", all.n > all.early ? all.n - all.early : all.n}, {"idle", all.idle},
		{"share", all.idle / (double)advised_ns(s)}, {"waits", all.in_waits},
		{"spared", all.spared}, {"sizing", all.sizing});
	tell_name(f, "name", s->t, all.longest.row);
	return FINDING_FIRED;
}

/* An operator that asks for a size is not there at all without it, with its kernels: where the host
 * is what limits, its own time counts. */
static struct gain waits_save(const struct facts *s, const struct finding *f)
{
	double spared = floor(host_ns(s, told_value(f, "spared")));
	if (strcmp(f->variant, "nonzero") != 0)
		return (struct gain){.ns = spared};
	double late = (double)(s->w->ns[SPENT_LAUNCHING] + s->w->ns[SPENT_SYNC]);
	double own = host_ns(s, fmin(told_value(f, "sizing"), late));
	return (struct gain){.ns = fmax(own, spared + (double)kernels_of_sizes(s))};
}

/* ---- stalls ---- */

static name_id dims_of(const struct trace *t, uint32_t row)
{
	return t->kind[row] == EVENT_OP && t->side[row] != NO_ROW ? t->inputs[t->side[row]].dims
								  : 0;
}

/* Is it the first call of its name with these shapes, in a file that has another with others? */
static bool is_first_with_shapes(const struct trace *t, uint32_t row)
{
	name_id dims = dims_of(t, row);
	bool others = false;
	for (uint32_t i = 0; dims && i < row; i++) {
		if (t->name[i] != t->name[row])
			continue;
		if (dims_of(t, i) == dims)
			return false;
		others |= dims_of(t, i) != 0;
	}
	return dims && others;
}

/* Is what the device idles in it mostly the allocator's? */
static bool is_allocating(const struct facts *s, const struct stall *stall)
{
	const struct trace *t = s->t;
	uint32_t row = stall->row;
	int64_t sum = 0, end = row_end(t, row);
	for (uint32_t i = row; i < t->n && t->start_ns[i] < end; i++)
		if (t->track[i] == t->track[row] && is_outer_call(t, i) &&
			host_traits(s->a, i) & TRAIT_ALLOCATES)
			sum += t->dur_ns[i];
	return 2 * sum >= stall->idle_ns;
}

static bool is_first_of_name(const struct trace *t, uint32_t row)
{
	for (uint32_t i = 0; i < row; i++)
		if (t->name[i] == t->name[row])
			return false;
	return true;
}

struct stalled {
	name_id name;
	size_t n, first, first_of_all;
	int64_t idle_ns, longest_ns, shortest_ns;
};

/* The name whose stalls cost most. */
static struct stalled worst_stalls(const struct facts *s)
{
	enum { MOST_NAMES = 16 };
	struct stalled by[MOST_NAMES] = {0}, none = {0};
	int n = 0, worst = 0;
	for (size_t i = 0; i < s->p->n_stalls; i++) {
		const struct stall *one = &s->p->stalls[i];
		bool first = is_first_of_name(s->t, one->row);
		int k = 0;
		if (!first && is_allocating(s, one))
			continue;
		while (k < n && by[k].name != s->t->name[one->row])
			k++;
		if (k == MOST_NAMES)
			continue;
		if (k == n)
			by[n++] = (struct stalled){s->t->name[one->row], 0, 0, 0, 0, 0, INT64_MAX};
		int64_t ns = s->t->dur_ns[one->row];
		by[k].n++;
		by[k].first_of_all += first;
		by[k].idle_ns += one->idle_ns;
		by[k].first += is_first_with_shapes(s->t, one->row);
		by[k].longest_ns = ns > by[k].longest_ns ? ns : by[k].longest_ns;
		by[k].shortest_ns = ns < by[k].shortest_ns ? ns : by[k].shortest_ns;
		worst = by[k].idle_ns > by[worst].idle_ns ? k : worst;
	}
	return n ? by[worst] : none;
}

ORDER(by_ns, int64_t, (*a > *b) - (*a < *b));

static int64_t median_of_name(const struct facts *s, name_id name, size_t *calls)
{
	size_t n = 0;
	for (size_t i = 0; i < s->t->n; i++)
		n += s->t->name[i] == name && event_on_host(s->t->kind[i]);
	int64_t *ns = xcalloc(n + 1, sizeof *ns);
	*calls = n;
	n = 0;
	for (size_t i = 0; i < s->t->n; i++)
		if (s->t->name[i] == name && event_on_host(s->t->kind[i]))
			ns[n++] = s->t->dur_ns[i];
	qsort(ns, n, sizeof *ns, by_ns);
	int64_t median = n ? ns[(n - 1) / 2] : 0;
	free(ns);
	return median;
}

/* Is it the first launch of its kernel, in a file that has another? */
static bool loads_code(const struct trace *t, uint32_t row)
{
	uint32_t kernel = t->launch[row];
	if (kernel == NO_ROW || t->kind[kernel] != EVENT_KERNEL)
		return false;
	for (uint32_t i = 0; i < kernel; i++)
		if (t->name[i] == t->name[kernel] && t->kind[i] == EVENT_KERNEL)
			return false;
	for (size_t i = (size_t)kernel + 1; i < t->n; i++)
		if (t->name[i] == t->name[kernel] && t->kind[i] == EVENT_KERNEL)
			return true;
	return false;
}

/* What most of the stalls of a name have in common. */
static const char *cause_of(const struct facts *s, const struct stalled *w, const char *name)
{
	size_t loading = 0, python = 0;
	for (size_t i = 0; i < s->p->n_stalls; i++) {
		uint32_t row = s->p->stalls[i].row;
		if (s->t->name[row] != w->name)
			continue;
		loading += event_is_call(s->t->kind[row]) && loads_code(s->t, row);
		python += s->t->kind[row] == EVENT_PYTHON;
	}
	if (2 * w->first >= w->n)
		return strstr(name, "attention") ? "attention" : "shapes";
	return 2 * loading >= w->n	      ? strncmp(name, "hip", 3) ? "loading" : "loading.hip"
		: 2 * w->first_of_all >= w->n ? "first"
		: 2 * python >= w->n	      ? "python"
					      : "";
}

/* "310 us", or "8.6 ms to 497 ms". */
static const char *range_of(struct arena *a, const struct stalled *w)
{
	const char *least = format_time(a, (double)w->shortest_ns);
	const char *most = format_time(a, (double)w->longest_ns);
	return w->n == 1 ? most : arena_printf(a, "%s – %s", least, most);
}

/* What the window has of the stalls of a name. */
static int64_t stalled_here(const struct facts *s, name_id name)
{
	const struct stretch *one;
	int64_t ns = 0;
	for (size_t i = 0; (one = next_idle(s, SPENT_STALL, &i));)
		if (one->row != NO_ROW && s->t->name[one->row] == name)
			ns += clip_to_window(s, one->start_ns, one->end_ns);
	return ns;
}

static enum finding_state first_calls(const struct facts *s, struct finding *f)
{
	struct stalled w = worst_stalls(s);
	size_t calls;
	if (!w.n)
		return FINDING_NOT_FIRED;
	const char *name = names_text(&s->t->names, w.name);
	for (size_t i = 0; i < s->p->n_stalls; i++)
		if (s->t->name[s->p->stalls[i].row] == w.name)
			prove(f, s->p->stalls[i].row);
	f->variant = cause_of(s, &w, name);
	tell_text(f, "name", name);
	tell_text(f, "took", range_of(f->arena, &w));
	double median = (double)median_of_name(s, w.name, &calls);
	TELL(f, {"n", (double)w.n}, {"median", median}, {"calls", (double)calls},
		{"first", (double)w.first}, {"idle", (double)w.idle_ns},
		{"here", (double)stalled_here(s, w.name)});
	return FINDING_FIRED;
}

/* ---- trials ---- */

/* Of the waits from `next` on those of an operator's thread until it ends. */
static int64_t waits_inside(const struct facts *s, uint32_t op, size_t next)
{
	const struct trace *t = s->t;
	const struct ledger *l = s->l;
	int64_t n = 0;
	for (; next < l->n_waits && t->start_ns[l->waits[next]] < row_end(t, op); next++)
		n += t->track[l->waits[next]] == t->track[op];
	return n;
}

/* Convolutions of new shapes, for which the library runs all of its algorithms and waits for each:
 * of all their time only the chosen one's must stay. */
static enum finding_state tuning(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	double time = 0, n = 0, trials = 0, least = fmax(limit(f, "trials"), 1);
	int64_t done = s->w->start_ns;
	size_t next = 0;
	for (size_t k = 0; (double)s->l->n_waits >= least && k < s->convolutions.n; k++) {
		uint32_t i = s->convolutions.row[k];
		if (t->start_ns[i] < done)
			continue;
		next = first_where(w, next, s->l->n_waits, s->l->waits[w] >= i);
		int64_t waits = waits_inside(s, i, next);
		if ((double)waits < least)
			continue;
		n++;
		trials += (double)waits;
		done = row_end(t, i);
		int64_t ns = clip_to_window(s, t->start_ns[i], done);
		time += (double)(ns - ns / waits);
		prove(f, i);
	}
	TELL(f, {"n", n}, {"trials", trials}, {"time", time});
	return fired_if(n > 0);
}

/* ---- the allocator ---- */

/* A stall that is the first call of its name is a start: its memory is not the allocator's fault.
 */
static bool is_in_start(const struct facts *s, uint32_t row)
{
	for (size_t i = 0; i < s->p->n_stalls; i++) {
		uint32_t stall = s->p->stalls[i].row;
		if (s->t->track[stall] == s->t->track[row] &&
			s->t->start_ns[stall] <= s->t->start_ns[row] &&
			row_end(s->t, row) <= row_end(s->t, stall))
			return is_first_of_name(s->t, stall);
	}
	return false;
}

/* On all threads: whoever allocates holds the allocator's lock, and freeing waits for the device.
 */
static enum finding_state allocator(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	int64_t idle = 0, here = 0, time = 0, done = s->p->whole.start_ns;
	size_t mallocs = 0, free_calls = 0;
	for (size_t k = 0; k < s->a->n_calls; k++) {
		uint32_t i = s->a->calls[k];
		if (!(host_traits(s->a, i) & TRAIT_ALLOCATES) ||
			t->start_ns[i] < s->p->whole.start_ns || is_in_start(s, i))
			continue;
		bool freeing = host_traits(s->a, i) & TRAIT_FREES;
		int64_t from = t->start_ns[i] > done ? t->start_ns[i] : done, to = row_end(t, i);
		free_calls += freeing;
		mallocs += !freeing;
		time += t->dur_ns[i];
		prove(f, i);
		if (to <= from)
			continue;
		idle += analysis_idle(s->a, from, to);
		here += idle_in_window(s, from, to);
		done = to;
	}
	f->variant = !s->p->n_steps ? "start" : free_calls > mallocs / 4 ? "full" : "";
	TELL(f, {"mallocs", (double)mallocs}, {"frees", (double)free_calls}, {"time", (double)time},
		{"idle", (double)idle}, {"here", (double)here});
	return fired_if(idle > 0);
}

static const struct rule rows[] = {
	{.id = "sync",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"name", UNIT_TEXT}, {"idle", UNIT_NS},
			{"share", UNIT_SHARE}, {"waits", UNIT_NS}, {"spared", UNIT_NS},
			{"sizing", UNIT_NS}},
		.one = waits,
		.saves = waits_save},
	{.id = "first-calls",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"name", UNIT_TEXT}, {"took", UNIT_TEXT},
			{"median", UNIT_NS}, {"calls", UNIT_COUNT}, {"first", UNIT_COUNT},
			{"idle", UNIT_NS}, {"here", UNIT_NS}},
		.one = first_calls,
		.saves = saves_here_or_once},
	{.id = "tuning",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02), {"trials", 4, UNIT_COUNT}},
		.value = {{"n", UNIT_COUNT}, {"trials", UNIT_COUNT}, {"time", UNIT_NS}},
		.one = tuning,
		.saves = saves_time},
	{.id = "allocator",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02)},
		.value = {{"mallocs", UNIT_COUNT}, {"frees", UNIT_COUNT}, {"time", UNIT_NS},
			{"idle", UNIT_NS}, {"here", UNIT_NS}},
		.one = allocator,
		.saves = saves_here_or_once},
};

const struct rule_list remedy_wait_rows = RULE_LIST(rows);
