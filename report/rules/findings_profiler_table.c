/* SPDX-License-Identifier: Apache-2.0 */
/* T1 to T5: what the profiler table says. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/health.h"
#include "report/analyse/profiler_table_check.h"
#include "report/rules/advice.h"
#include "report/rules/facts.h"

#include <stdlib.h>
#include <string.h>

/* ---- T1, T2: who waits for whom ---- */

static bool tell_regime(const struct facts *x, struct finding *f)
{
	const struct regime_judgement *r = &x->a->regime;
	if (!r->self_cpu_ns || !r->self_device_ns) {
		f->reason = r->self_device_ns ? REASON_NO_HOST : REASON_NO_DEVICE;
		return false;
	}
	TELL(f, {"later", r->later}, {"r", r->ratio}, {"u", r->busy_share},
		{"self_cpu", (double)r->self_cpu_ns}, {"self_device", (double)r->self_device_ns},
		{"wait", (double)r->wait_ns}, {"overhead", (double)r->overhead_ns},
		{"handed", (double)r->handed_ns}, {"loading", (double)r->loading_ns},
		{"dispatch", (double)r->dispatch_ns}, {"computing", r->compute_share});
	return true;
}

static enum finding_reason way_of(struct regime_test test)
{
	return test.plain == test.robust ? REASON_NONE : test.plain ? REASON_PLAIN : REASON_ROBUST;
}

static enum finding_state overhead_bound(const struct facts *x, struct finding *f)
{
	const struct regime_judgement *r = &x->a->regime;
	const struct overhead_limits limits = {limit(f, "ratio"), limit(f, "busy")};
	if (!tell_regime(x, f))
		return FINDING_NOT_APPLICABLE;
	struct regime_test test = regime_overhead(r, &limits);
	f->reason = way_of(test);
	f->advice = x->h->graphs.n ? REASON_GRAPHS : REASON_NONE;
	int64_t idle_ns = x->a->window.idle_ns;
	gives_back(f, (double)min64(r->dispatch_ns, idle_ns));
	show_as(f, x->dispatch);
	return fired_if(test.plain || test.robust);
}

static enum finding_state compute_bound(const struct facts *x, struct finding *f)
{
	const struct compute_limits limits = {limit(f, "busy"), limit(f, "waits"),
		limit(f, "ratio"), limit(f, "least"), limit(f, "busy_plain")};
	if (!tell_regime(x, f))
		return FINDING_NOT_APPLICABLE;
	struct regime_test test = regime_compute(&x->a->regime, &limits);
	f->reason = way_of(test);
	for (size_t i = 0; i < x->waits.n; i++) {
		uint32_t row = x->calls.row[x->waits.row[i]];
		show(f, row, x->t->dur_ns[row]);
	}
	return fired_if(test.plain || test.robust);
}

/* ---- T3: the hotspot ---- */

static void show_activities_named(const struct facts *x, struct finding *f, const char *name)
{
	const struct analysis *a = x->a;
	for (uint32_t i = 0; i < a->n_activities; i++) {
		const struct activity *act = &a->activities[i];
		if (strcmp(names_text(&x->t->names, act->name), name) != 0)
			continue;
		for (size_t k = 0; k < act->calls; k++)
			show(f, act->row[k], x->t->dur_ns[act->row[k]]);
	}
}

/* The length of a union of rows, which come by start. */
struct covering {
	int64_t sum_ns, done_ns;
};

static void cover(struct covering *u, const struct trace *t, uint32_t row)
{
	int64_t start = t->start_ns[row], end = row_end(t, row);
	start = max64(start, u->done_ns);
	if (end <= start)
		return;
	u->sum_ns += end - start;
	u->done_ns = end;
}

/* While rows of that name ran and nothing else did: only this can be won by faster ones. */
static int64_t exposed_ns(const struct facts *x, const char *name)
{
	struct covering all = {0, INT64_MIN}, others = {0, INT64_MIN};
	name_id id = names_find(&x->t->names, name);
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		cover(&all, x->t, row);
		if (x->t->name[row] != id)
			cover(&others, x->t, row);
	}
	return all.sum_ns - others.sum_ns;
}

static enum finding_state hotspot(const struct facts *x, struct finding *f)
{
	const struct profiler_table *table = &x->a->profiler_table;
	const struct profiler_row *first = NULL, *second = NULL;
	for (size_t i = 0; i < table->n; i++) {
		const struct profiler_row *row = &table->row[i];
		if (row->side != PROFILER_DEVICE)
			continue;
		if (!first || row->self_device_ns > first->self_device_ns) {
			second = first;
			first = row;
		} else if (!second || row->self_device_ns > second->self_device_ns) {
			second = row;
		}
	}
	if (!first || !table->self_device_ns)
		return not_applicable(f, REASON_NO_DEVICE);
	if (!second)
		return not_applicable(f, REASON_ONE_ROW);
	double total = (double)table->self_device_ns;
	double p1 = (double)first->self_device_ns / total;
	double p2 = (double)second->self_device_ns / total;
	tell_text(f, "name", trace_readable(x->t, first->name));
	tell_text(f, "second", trace_readable(x->t, second->name));
	TELL(f, {"p1", p1}, {"p2", p2}, {"time", (double)first->self_device_ns});
	double exposed = (double)exposed_ns(x, first->name), u = x->a->regime.busy_share;
	TELL(f, {"calls", (double)first->calls}, {"exposed", exposed});
	if (x->a->regime.self_cpu_ns)
		tell(f, "u", u);
	gives_back(f, exposed);
	show_activities_named(x, f, first->name);
	return fired_if(p1 >= limit(f, "share") && p1 >= limit(f, "lead") * p2 &&
		(!x->a->regime.self_cpu_ns || u >= limit(f, "busy")));
}

/* ---- T4: many cheap calls ---- */

static int64_t own_ns(const struct profiler_row *row)
{
	return row->side == PROFILER_DEVICE ? row->self_device_ns : row->self_cpu_ns;
}

static double own_share(const struct profiler_table *table, const struct profiler_row *row)
{
	bool device = row->side == PROFILER_DEVICE;
	return share_of(
		(double)own_ns(row), (double)(device ? table->self_device_ns : table->self_cpu_ns));
}

/* From so many calls a step on that take so long each at most, and so much in sum. */
struct cheap_limits {
	double calls, each, share;
};

static bool is_many_cheap(
	const struct facts *x, const struct cheap_limits *l, const struct profiler_row *row)
{
	if (row->annotation || row->side == PROFILER_DEVICE_ANNOTATION || !row->calls)
		return false;
	double calls = (double)row->calls, steps = x->a->n_steps;
	return calls / (steps > 0 ? steps : 1) >= l->calls &&
		(double)own_ns(row) / calls <= l->each &&
		own_share(&x->a->profiler_table, row) >= l->share;
}

static void show_rows_named(const struct facts *x, struct finding *f, const char *name, bool device)
{
	const struct trace *t = x->t;
	name_id id = names_find(&t->names, name);
	for (uint32_t i = 0; id && i < t->n; i++)
		if (t->name[i] == id && event_on_device(t->kind[i]) == device &&
			t->kind[i] < EVENT_SPAN && t->kind[i] != EVENT_GPU_ANNOTATION)
			show(f, i, t->dur_ns[i]);
}

static enum finding_state many_calls(const struct facts *x, struct finding *f)
{
	const struct profiler_table *table = &x->a->profiler_table;
	const struct profiler_row *most = NULL;
	const struct cheap_limits limits = {limit(f, x->a->n_steps ? "calls" : "calls_unstepped"),
		limit(f, "each"), limit(f, "share")};
	if (!table->self_cpu_ns && !table->self_device_ns)
		return not_applicable(f, REASON_NO_HOST);
	for (size_t i = 0; i < table->n; i++) {
		const struct profiler_row *row = &table->row[i];
		if (is_many_cheap(x, &limits, row) &&
			(!most || own_share(table, row) > own_share(table, most)))
			most = row;
	}
	if (!most)
		return FINDING_NOT_FIRED;
	tell_text(f, "name", trace_readable(x->t, most->name));
	tell(f, "calls", (double)most->calls);
	if (x->a->n_steps)
		tell(f, "per_step", (double)most->calls / x->a->n_steps);
	TELL(f, {"each", (double)own_ns(most) / (double)most->calls},
		{"time", (double)own_ns(most)}, {"share", own_share(table, most)});
	gives_back(f, (double)own_ns(most));
	bool device = most->side == PROFILER_DEVICE;
	f->gain = device ? GAIN_BUSY : GAIN_CPU;
	show_rows_named(x, f, most->name, device);
	return fired_as(f, device ? REASON_DEVICE_ROW : REASON_NONE);
}

/* ---- T5: the cost is in the children ---- */

/* The nearest enclosing row that the table shows: Python's frames are not in it. */
static uint32_t shown_parent(const struct trace *t, uint32_t row)
{
	uint32_t p = t->parent[row];
	while (p != NO_ROW && t->kind[p] == EVENT_PYTHON)
		p = t->parent[p];
	return p;
}

static bool is_within(const struct trace *t, uint32_t row, uint32_t outer)
{
	return row < t->n && t->start_ns[row] < row_end(t, outer);
}

static bool is_in_the_table(const struct trace *t, uint32_t row)
{
	return event_on_host(t->kind[row]) && t->kind[row] != EVENT_PYTHON;
}

static void add_row(const struct facts *x, struct row_list *l, int *room, uint32_t row)
{
	l->row = arena_room(x->scratch, l->row, (int)l->n, room, sizeof *l->row);
	l->row[l->n++] = row;
}

/* Is a row in none of its own name? Autocast calls an operator by itself. */
static bool is_outermost(const struct trace *t, uint32_t row)
{
	uint32_t p = t->parent[row];
	while (p != NO_ROW && t->name[p] != t->name[row])
		p = t->parent[p];
	return p == NO_ROW;
}

/* Rows of some names that are in none of the same name, and how long those of each name took. What
 * begins behind the last end of its name so far is in none. */
struct outermost {
	bool *wanted; /* (names) */
	bool some; /* is wanted */
	int64_t *total_ns, *reach_ns; /* (names) */
	struct row_list row;
};

static void find_outermost(const struct facts *x, struct outermost *o)
{
	const struct trace *t = x->t;
	int room = 0;
	for (uint32_t i = 0, n = o->some ? (uint32_t)t->n : 0; i < n; i++) {
		name_id name = t->name[i];
		if (!o->wanted[name])
			continue;
		int64_t reach = o->reach_ns[name], end = row_end(t, i);
		o->reach_ns[name] = max64(end, reach);
		if (!is_in_the_table(t, i) || (t->start_ns[i] <= reach && !is_outermost(t, i)))
			continue;
		add_row(x, &o->row, &room, i);
		o->total_ns[name] += t->dur_ns[i];
	}
}

static struct row_list rows_named(const struct facts *x, struct row_list all, name_id name)
{
	struct row_list l = {.row = all.row};
	for (size_t i = 0; i < all.n; i++)
		if (x->t->name[all.row[i]] == name)
			l.row[l.n++] = all.row[i];
	return l;
}

/* One step down a chain: the rows, and what they took. */
struct below {
	struct row_list row;
	name_id name;
	int64_t ns;
};

/* The first row behind one that may begin when it has ended, or in its last nanosecond: those
 * between stand inside it, as long as none crosses the end of a row of its thread. */
static uint32_t behind(const struct facts *x, uint32_t row)
{
	const struct trace *t = x->t;
	size_t at = first_where(i, 0, x->crossing.n, x->crossing.row[i] > row);
	uint32_t crossing = at < x->crossing.n ? x->crossing.row[at] : NO_ROW;
	int64_t end = row_end(t, row) - 1;
	size_t low = row + 1, step = 1;
	while (low + step < t->n && t->start_ns[low + step] < end) {
		low += step;
		step *= 2;
	}
	size_t high = min_size(low + step, t->n);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->start_ns[middle] < end)
			low = middle + 1;
		else
			high = middle;
	}
	return low < crossing ? (uint32_t)low : crossing;
}

/* The rows right below a list that have the name with the most time there; a row inside one of its
 * own name is passed by. */
static struct below one_down(const struct facts *x, const struct row_list *outer, int64_t *sum)
{
	const struct trace *t = x->t;
	struct below b = {0};
	struct row_list all = {0};
	int room = 0;
	for (size_t k = 0; k < outer->n; k++)
		for (uint32_t i = outer->row[k] + 1, next; is_within(t, i, outer->row[k]);
			i = next) {
			next = i + 1;
			if (!is_in_the_table(t, i) || t->track[i] != t->track[outer->row[k]])
				continue;
			uint32_t p = shown_parent(t, i);
			while (p != NO_ROW && p != outer->row[k] &&
				t->name[p] == t->name[outer->row[k]])
				p = shown_parent(t, p);
			if (p != outer->row[k] || t->name[i] == t->name[p])
				continue;
			next = behind(x, i);
			add_row(x, &all, &room, i);
			sum[t->name[i]] += t->dur_ns[i];
			if (!b.name || sum[t->name[i]] > b.ns) {
				b.name = t->name[i];
				b.ns = sum[b.name];
			}
		}
	for (size_t i = 0; i < all.n; i++) {
		sum[t->name[all.row[i]]] = 0;
		if (t->name[all.row[i]] == b.name)
			all.row[b.row.n++] = all.row[i];
	}
	b.row.row = all.row;
	return b;
}

/* Down from the outermost rows as long as one name has at least half of what is left. */
static struct below leaf_of(const struct facts *x, struct row_list outer, int64_t total_ns)
{
	enum { LEVELS = 16 };
	int64_t *sum = xcalloc(x->t->names.n, sizeof *sum);
	struct below leaf = one_down(x, &outer, sum);
	for (int level = 0; level < LEVELS && 2 * leaf.ns >= total_ns; level++) {
		struct below next = one_down(x, &leaf.row, sum);
		if (!next.name || 2 * next.ns < leaf.ns)
			break;
		total_ns = leaf.ns;
		leaf = next;
	}
	free(sum);
	return leaf;
}

/* From `least_ns` and from so many times its own time on. */
struct below_limits {
	double ratio, least_ns;
};

static bool costs_below(struct below_limits l, const struct profiler_row *row, int64_t ns)
{
	return row->side == PROFILER_CPU && !row->annotation && ns > 0 &&
		(double)ns >= l.ratio * (double)row->self_cpu_ns && (double)ns >= l.least_ns;
}

/* The row with the largest total over outermost calls. The table's own totals are PyTorch's, which
 * count a call inside one of the same name twice, so they are never less. */
static const struct profiler_row *costliest(
	const struct facts *x, const struct finding *f, struct row_list *calls, int64_t *total_ns)
{
	const struct profiler_table *table = &x->a->profiler_table;
	const struct names *names = &x->t->names;
	const struct profiler_row *most = NULL;
	const struct below_limits l = {
		limit(f, "ratio"), limit(f, "share") * (double)table->self_cpu_ns};
	struct outermost o = {.wanted = arena_array(x->scratch, names->n, sizeof *o.wanted),
		.total_ns = arena_array(x->scratch, names->n, sizeof *o.total_ns),
		.reach_ns = arena_array(x->scratch, names->n, sizeof *o.reach_ns)};
	for (size_t i = 0; i < table->n; i++)
		if (costs_below(l, &table->row[i], table->row[i].cpu_ns))
			o.wanted[names_find(names, table->row[i].name)] = o.some = true;
	find_outermost(x, &o);
	*total_ns = 0;
	for (size_t i = 0; i < table->n; i++) {
		const struct profiler_row *row = &table->row[i];
		if (!costs_below(l, row, row->cpu_ns) || row->cpu_ns <= *total_ns)
			continue;
		int64_t total = o.total_ns[names_find(names, row->name)];
		if (total <= *total_ns || !costs_below(l, row, total))
			continue;
		most = row;
		*total_ns = total;
	}
	if (most)
		*calls = rows_named(x, o.row, names_find(names, most->name));
	return most;
}

static enum finding_state cost_below(const struct facts *x, struct finding *f)
{
	const struct profiler_table *table = &x->a->profiler_table;
	struct row_list calls = {0};
	int64_t total;
	if (!table->self_cpu_ns)
		return not_applicable(f, REASON_NO_HOST);
	const struct profiler_row *most = costliest(x, f, &calls, &total);
	struct below leaf = most ? leaf_of(x, calls, total) : (struct below){0};
	if (!leaf.name)
		return FINDING_NOT_FIRED;
	tell_text(f, "name", trace_readable(x->t, most->name));
	TELL(f, {"total", (double)total}, {"self", (double)most->self_cpu_ns},
		{"share", (double)total / (double)table->self_cpu_ns}, {"calls", (double)calls.n});
	tell_text(f, "child", trace_name(x->t, leaf.name));
	tell(f, "child_total", (double)leaf.ns);
	for (size_t i = 0; i < calls.n; i++)
		show(f, calls.row[i], x->t->dur_ns[calls.row[i]]);
	return FINDING_FIRED;
}

#define REGIME_VALUES \
	{ \
		{"later", UNIT_COUNT}, {"r", UNIT_RATIO}, {"u", UNIT_SHARE}, \
			{"self_cpu", UNIT_NS}, {"self_device", UNIT_NS}, {"wait", UNIT_NS}, \
			{"overhead", UNIT_NS}, {"handed", UNIT_NS}, {"loading", UNIT_NS}, \
			{"dispatch", UNIT_NS}, {"computing", UNIT_SHARE}, \
	}

static const struct rule rows[] = {
	{.id = "OVERHEAD-BOUND",
		.label = "T1",
		.page = PAGE_ATLAS,
		.gain = GAIN_IDLE,
		.threshold = {{"ratio", OVERHEAD_RATIO, UNIT_RATIO},
			{"busy", OVERHEAD_BUSY, UNIT_SHARE}},
		.value = REGIME_VALUES,
		.one = overhead_bound},
	{.id = "DEVICE-BOUND",
		.label = "T2",
		.page = PAGE_ATLAS,
		.threshold = {{"busy", COMPUTE_BUSY, UNIT_SHARE},
			{"waits", COMPUTE_WAITS, UNIT_SHARE}, {"ratio", COMPUTE_RATIO, UNIT_RATIO},
			{"least", COMPUTE_LEAST_NS, UNIT_NS},
			{"busy_plain", COMPUTE_BUSY_PLAIN, UNIT_SHARE}},
		.value = REGIME_VALUES,
		.one = compute_bound},
	{.id = "HOTSPOT",
		.label = "T3",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_BUSY,
		.threshold = {{"share", 0.5, UNIT_SHARE}, {"lead", 2, UNIT_RATIO},
			{"busy", OVERHEAD_BUSY, UNIT_SHARE}},
		.value = {{"name", UNIT_TEXT}, {"p1", UNIT_SHARE}, {"time", UNIT_NS},
			{"calls", UNIT_COUNT}, {"second", UNIT_TEXT}, {"p2", UNIT_SHARE},
			{"exposed", UNIT_NS}, {"u", UNIT_SHARE}},
		.one = hotspot},
	{.id = "CHEAP-CALLS",
		.label = "T4",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_CPU,
		.threshold = {{"calls", 10, UNIT_COUNT}, {"calls_unstepped", 100, UNIT_COUNT},
			{"each", 10000, UNIT_NS}, {"share", 0.05, UNIT_SHARE}},
		.value = {{"name", UNIT_TEXT}, {"calls", UNIT_COUNT}, {"per_step", UNIT_COUNT},
			{"each", UNIT_NS}, {"time", UNIT_NS}, {"share", UNIT_SHARE}},
		.one = many_calls},
	{.id = "CHILDREN-COST",
		.label = "T5",
		.page = PAGE_DESCRIBES,
		.threshold = {{"ratio", 5, UNIT_RATIO}, {"share", 0.05, UNIT_SHARE}},
		.value = {{"name", UNIT_TEXT}, {"total", UNIT_NS}, {"self", UNIT_NS},
			{"share", UNIT_SHARE}, {"calls", UNIT_COUNT}, {"child", UNIT_TEXT},
			{"child_total", UNIT_NS}},
		.one = cost_below},
};

const struct rule_list findings_table_rows = RULE_LIST(rows);
