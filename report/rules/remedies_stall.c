/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for a host that stands still: first calls, trials, the allocator. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/number_format.h"
#include "base/sort.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/idle_causes.h"
#include "report/rules/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
		by[k].longest_ns = max64(ns, by[k].longest_ns);
		by[k].shortest_ns = min64(ns, by[k].shortest_ns);
		worst = by[k].idle_ns > by[worst].idle_ns ? k : worst;
	}
	return n ? by[worst] : none;
}

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
	qsort(ns, n, sizeof *ns, by_int64);
	int64_t median = n ? ns[(n - 1) / 2] : 0;
	free(ns);
	return median;
}

/* Is it the first launch of its kernel? The only one is. */
static bool loads_code(const struct trace *t, uint32_t row)
{
	uint32_t kernel = t->launch[row];
	if (kernel == NO_ROW || t->kind[kernel] != EVENT_KERNEL)
		return false;
	for (uint32_t i = 0; i < kernel; i++)
		if (t->name[i] == t->name[kernel] && t->kind[i] == EVENT_KERNEL)
			return false;
	return true;
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

/* What the window has of the stalls of a name; each could take the median of its kind. */
static int64_t stalled_here(
	const struct facts *s, struct finding *f, name_id name, int64_t median_ns)
{
	const struct stretch *one;
	int64_t ns = 0;
	for (size_t i = 0; (one = next_idle(s, TIME_STALL, &i));)
		if (one->row != NO_ROW && s->t->name[one->row] == name) {
			ns += clip_to_window(s, one->start_ns, one->end_ns);
			plan_spare(f->plan, s->t->start_ns[one->row] + median_ns,
				row_end(s->t, one->row));
		}
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
		{"here", (double)stalled_here(s, f, w.name, (int64_t)median)});
	return FINDING_FIRED;
}

/* ---- trials ---- */

/* Of the waits from `next` on those of an operator's thread until it ends. */
static int64_t waits_inside(const struct facts *s, uint32_t op, size_t next)
{
	const struct trace *t = s->t;
	const struct idle_causes *l = s->l;
	int64_t n = 0;
	for (; next < l->n_waits && t->start_ns[l->waits[next]] < row_end(t, op); next++)
		n += t->track[l->waits[next]] == t->track[op];
	return n;
}

/* One trial instead of all: a share of each kernel, and no wait. */
static void plan_one_trial(
	const struct facts *s, struct finding *f, uint32_t op, int64_t trials, size_t wait)
{
	const struct trace *t = s->t;
	int64_t end = row_end(t, op), spared = t->dur_ns[op] - t->dur_ns[op] / trials;
	plan_spare(f->plan, t->start_ns[op], t->start_ns[op] + spared);
	for (uint32_t i = op + 1; i < t->n && t->start_ns[i] < end; i++)
		if (t->track[i] == t->track[op] && is_outer_call(t, i) && t->launch[i] != NO_ROW)
			plan_takes(f->plan, t->launch[i], 1 / (double)trials);
	for (; wait < s->l->n_waits && t->start_ns[s->l->waits[wait]] < end; wait++)
		if (t->track[s->l->waits[wait]] == t->track[op])
			plan_wait(f->plan, s->l->waits[wait]);
}

/* A fill that is larger than any cache: a trial begins with one, so that it finds nothing there. */
static bool clears_cache(const struct facts *s, const struct seen_event *e)
{
	const double larger = 1e8; /* bytes; Triton fills 256 MiB */
	const struct inputs *x = e->op == NO_ROW ? NULL : inputs_of(s->a, e->op);
	bool fills = !strcmp(op_name(s, e), "aten::fill_") || !strcmp(op_name(s, e), "aten::zero_");
	return fills && x && (double)elements_of(x, 0) * x->in[0].bytes >= larger;
}

/* Kernels of the program's own, each behind such a fill, again and again: triton.autotune tries its
 * configurations so. */
static enum finding_state trials_of_kernels(const struct facts *s, struct finding *f)
{
	enum { MANY = 20 };
	const struct trace *t = s->t;
	size_t n = 0;
	uint32_t first = NO_ROW, last = NO_ROW;
	for (size_t i = 1; i < s->n; i++) {
		const struct seen_event *e = &s->event[i], *before = &s->event[i - 1];
		if (e->op != NO_ROW || e->call == NO_ROW || before->call == NO_ROW ||
			t->kind[e->row] != EVENT_KERNEL || !clears_cache(s, before))
			continue;
		first = n++ ? first : before->call;
		last = e->call;
		prove(f, e->row);
	}
	if (n < MANY || t->track[first] != t->track[last])
		return FINDING_NOT_FIRED;
	int64_t from = t->start_ns[first], to = row_end(t, last);
	f->variant = "kernels";
	plan_gone(f->plan, t->track[first], from, to);
	tell_name(f, "name", t, t->launch[last]);
	TELL(f, {"n", 1}, {"trials", (double)n}, {"time", (double)clip_to_window(s, from, to)});
	return FINDING_FIRED;
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
		if (waits < 1 || (double)waits < least)
			continue;
		n++;
		trials += (double)waits;
		done = row_end(t, i);
		int64_t ns = clip_to_window(s, t->start_ns[i], done);
		time += (double)(ns - ns / waits);
		plan_one_trial(s, f, i, waits, next);
		prove(f, i);
	}
	if (n <= 0)
		return trials_of_kernels(s, f);
	TELL(f, {"n", n}, {"trials", trials}, {"time", time});
	tell_name(f, "name", t, s->convolutions.row[0]);
	return FINDING_FIRED;
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

/* Did an operator ask for memory, or how much there is, and then launch nothing any more? */
static bool fails_to_allocate(const struct facts *s, uint32_t op)
{
	const struct trace *t = s->t;
	bool failed = false;
	for (uint32_t i = op + 1; i < t->n && t->start_ns[i] < row_end(t, op); i++) {
		if (t->track[i] != t->track[op] || !event_is_call(t->kind[i]))
			continue;
		uint32_t traits = host_traits(s->a, i);
		bool asks = (traits & TRAIT_ALLOCATES && !(traits & TRAIT_FREES)) ||
			is_named(s, i, "cudaMemGetInfo") || is_named(s, i, "hipMemGetInfo");
		failed = asks || (failed && t->launch[i] == NO_ROW);
	}
	return failed;
}

/* Calls that free from this one on, by no operator and with none between; the last of them. */
static uint32_t end_of_emptying(const struct facts *s, uint32_t row)
{
	enum { MANY = 8 };
	const struct trace *t = s->t;
	uint32_t last = NO_ROW;
	size_t n = 0;
	for (uint32_t i = row; i < t->n && i < s->to; i++) {
		if (t->track[i] != t->track[row] || !event_on_host(t->kind[i]))
			continue;
		bool frees = event_is_call(t->kind[i]) && host_traits(s->a, i) & TRAIT_FREES;
		if (t->kind[i] == EVENT_OP || (event_is_call(t->kind[i]) && t->launch[i] != NO_ROW))
			break;
		last = frees ? i : last;
		n += frees;
	}
	return n >= MANY && analysis_op_of(t, row) == NO_ROW ? last : NO_ROW;
}

/* The first operator on its thread in the window that is alike: of the same name, with as large
 * weights. */
static uint32_t first_alike(const struct facts *s, uint32_t op)
{
	const struct inputs *x = inputs_of(s->a, op);
	for (size_t i = 0; i < s->outer.n && s->outer.row[i] < op; i++) {
		uint32_t row = s->outer.row[i];
		const struct inputs *y = inputs_of(s->a, row);
		if (s->t->name[row] == s->t->name[op] && s->t->track[row] == s->t->track[op] && x &&
			y && elements_of(x, 1) == elements_of(y, 1))
			return row;
	}
	return NO_ROW;
}

/* Memory runs out, the program gives up what it has launched, empties the cache and begins again
 * with less: all since it began the first time is for nothing. How long that is. */
static int64_t plan_try(const struct facts *s, struct finding *f, size_t outer)
{
	const struct trace *t = s->t;
	uint32_t failed = s->outer.row[outer], first = NO_ROW, last = NO_ROW, i = failed;
	if (!fails_to_allocate(s, failed))
		return 0;
	for (; i < s->to && last == NO_ROW; i++) {
		if (t->track[i] != t->track[failed] || t->start_ns[i] < row_end(t, failed))
			continue;
		if (t->kind[i] == EVENT_OP)
			return 0;
		if (event_is_call(t->kind[i]) && host_traits(s->a, i) & TRAIT_FREES)
			last = end_of_emptying(s, i);
	}
	for (size_t k = outer + 1; k < s->outer.n && last != NO_ROW && first == NO_ROW; k++)
		if (s->outer.row[k] > last && launches_inside(s, s->outer.row[k], 0, true)) {
			first = first_alike(s, s->outer.row[k]);
			break;
		}
	if (first == NO_ROW || first >= failed)
		return 0;
	plan_gone(f->plan, t->track[failed], t->start_ns[first], row_end(t, last));
	return row_end(t, last) - t->start_ns[first];
}

static int64_t plan_tries(const struct facts *s, struct finding *f)
{
	int64_t ns = 0;
	for (size_t i = 0; i < s->outer.n; i++)
		ns += plan_try(s, f, i);
	return ns;
}

/* torch.cuda.empty_cache(), which no operator calls: how often in these rows. */
static size_t emptied(const struct facts *s, uint32_t from, uint32_t to)
{
	const struct trace *t = s->t;
	size_t n = 0;
	uint32_t last = NO_ROW; /* the call that freed last */
	for (uint32_t i = from; i < to; i++) {
		if (last != NO_ROW && t->track[i] == t->track[last] && t->kind[i] == EVENT_OP)
			last = NO_ROW;
		if (!event_is_call(t->kind[i]) || !(host_traits(s->a, i) & TRAIT_FREES) ||
			analysis_op_of(t, i) != NO_ROW)
			continue;
		n += last == NO_ROW;
		last = i;
	}
	return n;
}

/* Is it a habit: several times in the step, or once in each? */
static bool is_emptied(const struct facts *s, size_t times)
{
	enum { OFTEN = 2 };
	return s->p->n_steps &&
		(times >= OFTEN ||
			(times && s->a->n_steps >= OFTEN &&
				emptied(s, 0, (uint32_t)s->t->n) >= s->a->n_steps));
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
		int64_t from = max64(t->start_ns[i], done), to = row_end(t, i);
		free_calls += freeing;
		mallocs += !freeing;
		time += t->dur_ns[i];
		prove(f, i);
		if (clip_to_window(s, t->start_ns[i], row_end(t, i)))
			plan_goes(f->plan, t, i);
		if (to <= from)
			continue;
		idle += analysis_idle(s->a, from, to);
		here += idle_in_window(s, from, to);
		done = to;
	}
	int64_t tried = s->p->n_steps && free_calls ? plan_tries(s, f) : 0;
	size_t times = free_calls ? emptied(s, s->work_from, s->work_to) : 0;
	f->certain = !tried && is_emptied(s, times);
	f->variant = !s->p->n_steps	   ? "start"
		: tried			   ? "tried"
		: f->certain		   ? "emptied"
		: free_calls > mallocs / 4 ? "full"
					   : "";
	TELL(f, {"emptied", (double)times}, {"tried", (double)tried}, {"mallocs", (double)mallocs},
		{"frees", (double)free_calls}, {"time", (double)time}, {"idle", (double)idle},
		{"here", (double)here});
	return fired_if(idle > 0);
}

static const struct rule rows[] = {
	{.id = "first-calls",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"name", UNIT_TEXT}, {"took", UNIT_TEXT},
			{"median", UNIT_NS}, {"calls", UNIT_COUNT}, {"first", UNIT_COUNT},
			{"idle", UNIT_NS}, {"here", UNIT_NS}},
		.one = first_calls,
		.saves = saves_once},
	{.id = "tuning",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02), {"trials", 4, UNIT_COUNT}},
		.value = {{"n", UNIT_COUNT}, {"trials", UNIT_COUNT}, {"time", UNIT_NS},
			{"name", UNIT_TEXT}},
		.covers = {"zero-fill", "loops", "batch", "graphs", "blocks"},
		.one = tuning},
	{.id = "allocator",
		.kind = RULE_ACTION,
		.threshold = {LEAST(0.02)},
		.value = {{"mallocs", UNIT_COUNT}, {"frees", UNIT_COUNT}, {"time", UNIT_NS},
			{"idle", UNIT_NS}, {"here", UNIT_NS}, {"tried", UNIT_NS},
			{"emptied", UNIT_COUNT}},
		.one = allocator,
		.saves = saves_once},
};

const struct rule_list remedy_stall_rows = RULE_LIST(rows);
