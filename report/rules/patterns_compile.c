/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of compiled programs: compiled again and again, or no more, in pieces, or too small. */
#include "base/min_max.h"
#include "report/rules/pattern.h"

#include "report/replay/changes.h"

#include <stdlib.h>
#include <string.h>

/* ---- compiled regions ---- */

static bool is_tiny(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	enum { FEW = 2 };
	(void)s;
	(void)f;
	return sum->events <= FEW * sum->n;
}

/* ---- compiling ---- */

static bool is_region(const struct facts *s, uint32_t row)
{
	return !strncmp(row_name(s, row), "Torch-Compiled Region", 21);
}

/* Of a compiled region, does it make a graph anew? What else is named here compiles. */
static bool compiles_or_records(const struct facts *s, const struct matches *m, uint32_t row)
{
	static const char makes[] = "cudagraphify";
	const struct trace *t = s->t;
	(void)m;
	if (!is_region(s, row))
		return true;
	for (uint32_t i = row + 1; i < t->n && t->start_ns[i] < row_end(t, row); i++)
		if (event_on_host(t->kind[i]) && t->track[i] == t->track[row] &&
			!strncmp(row_name(s, i), makes, sizeof makes - 1))
			return true;
	return false;
}

static bool in_every_step(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	f->variant = is_region(s, sum->longest) ? "graphs" : "";
	return s->p->n_steps > 1;
}

/* Regions of different names: with a wait between at least half of them, or one inside another. */
struct regions {
	size_t n; /* of different names */
	size_t rows, waits, inside; /* inside: right where another has left its compiled code */
	int64_t start_ns, end_ns; /* of all */
};

/* A function that was left in the middle goes on in code of its own, called from it. */
static bool is_inside_region(const struct facts *s, uint32_t row)
{
	enum { DEEP = 16 };
	uint32_t up = s->t->parent[row];
	for (int i = 0; i < DEEP && up != NO_ROW; i++, up = s->t->parent[up])
		if (is_region(s, up))
			return true;
	return false;
}

static struct regions regions_of(const struct facts *s, struct finding *f)
{
	enum { MOST = 64 };
	const struct trace *t = s->t;
	name_id seen[MOST];
	struct regions all = {.start_ns = INT64_MAX};
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		size_t k = 0;
		if (!event_on_host(t->kind[i]) || !is_region(s, i))
			continue;
		all.rows++;
		all.inside += is_inside_region(s, i);
		all.start_ns = min64(t->start_ns[i], all.start_ns);
		all.end_ns = max64(row_end(t, i), all.end_ns);
		prove(f, i);
		while (k < all.n && seen[k] != t->name[i])
			k++;
		if (k == all.n && all.n < MOST)
			seen[all.n++] = t->name[i];
	}
	for (size_t i = 0; i < s->l->n_waits; i++)
		all.waits += t->start_ns[s->l->waits[i]] > all.start_ns &&
			t->start_ns[s->l->waits[i]] < all.end_ns;
	return all;
}

static enum finding_state graph_breaks(const struct facts *s, struct finding *f)
{
	if (!s->n_compiled && !names_find(&s->t->names, "TorchDynamo Cache Lookup"))
		return FINDING_NOT_FIRED;
	struct regions all = regions_of(s, f);
	double time = all.n ? (double)clip_to_window(s, all.start_ns, all.end_ns) : 0;
	bool waits = (double)all.n >= limit(f, "regions") && 2 * all.waits >= all.n;
	f->variant = waits ? "" : "inside";
	TELL(f, {"n", (double)all.n}, {"waits", (double)all.waits}, {"time", time},
		{"share", share_of_window(s, (int64_t)time)}, {"inside", (double)all.inside});
	return fired_if(waits || all.inside > 0);
}

/* When compiled code comes to its first operator or call: what it looks at before, its inputs and
 * the device, one code for all looks at once. */
static int64_t begins_work_ns(const struct facts *s, uint32_t call)
{
	const struct trace *t = s->t;
	for (uint32_t i = call + 1; i < t->n && t->start_ns[i] < row_end(t, call); i++)
		if (t->track[i] == t->track[call] &&
			(t->kind[i] == EVENT_OP || event_is_call(t->kind[i])))
			return t->start_ns[i];
	return t->start_ns[call];
}

/* In one region the host only calls the compiled code: of its time there what lies between the work
 * of two of these calls is spared, as far as that is no longer than a step. */
static struct gain graph_breaks_save(const struct facts *s, const struct finding *f)
{
	const struct trace *t = s->t;
	int64_t done = 0;
	for (uint32_t i = 0; i < s->work_to; i++) {
		if (event_on_host(t->kind[i]) && s->a->class[i] == CLASS_STEP)
			done = 0; /* what lies between steps is not the regions' */
		if (!event_on_host(t->kind[i]) || !is_region(s, i))
			continue;
		uint32_t call = i;
		while (call + 1 < t->n && t->start_ns[call] < row_end(t, i) &&
			strncmp(row_name(s, call), "## Call CompiledFxGraph", 23) != 0)
			call++;
		call = t->start_ns[call] < row_end(t, i) ? call : i;
		if (done)
			plan_spare(f->plan, done, begins_work_ns(s, call));
		done = row_end(t, call);
	}
	for (size_t i = 0; i < s->l->n_waits; i++)
		if (t->start_ns[s->l->waits[i]] < done)
			plan_wait(f->plan, s->l->waits[i]);
	return (struct gain){0};
}

/* ---- compiled no more ---- */

enum { MOST_FALLBACKS = 64, MOST_VERSIONS = 8 };

/* A call that finds no version of its code and may not make another: it runs operator by operator,
 * up to the next call of compiled code. */
struct fallbacks {
	struct time_span at[MOST_FALLBACKS];
	size_t n, versions; /* versions: of the code that has most of them, in the file */
	int64_t host_ns, region_ns; /* of all; of a compiled call, on average */
	uint32_t row; /* the first lookup */
};

/* "Torch-Compiled Region: 0/7" is the eighth version of code 0. */
static size_t versions_in_file(const struct facts *s)
{
	const struct names *names = &s->t->names;
	size_t most = 0;
	for (name_id i = 1; i < names->n; i++) {
		const char *name = names_text(names, i), *number = strchr(name, '/');
		if (!strncmp(name, "Torch-Compiled Region", 21) && number)
			most = max_size(most, strtoul(number + 1, NULL, 10) + 1);
	}
	return most;
}

static uint32_t next_behind(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	for (uint32_t i = row + 1; i < s->work_to; i++)
		if (t->track[i] == t->track[row] && event_on_host(t->kind[i]) &&
			t->start_ns[i] >= row_end(t, row))
			return i;
	return NO_ROW;
}

static void add_fallback(struct fallbacks *all, int64_t from, int64_t to)
{
	all->at[all->n++] = (struct time_span){from, to};
	all->host_ns += to - from;
}

/* Where the last of a step ends nothing tells: like the shortest of the others. */
static void end_last(const struct facts *s, struct fallbacks *all, int64_t from)
{
	int64_t shortest = INT64_MAX;
	for (size_t i = 0; i < all->n; i++)
		shortest = min64(shortest, all->at[i].end_ns - all->at[i].start_ns);
	if (from && all->n && all->n < MOST_FALLBACKS)
		add_fallback(all, from, min64(from + shortest, s->w->end_ns));
}

static struct fallbacks fallbacks_of(const struct facts *s)
{
	const struct trace *t = s->t;
	struct fallbacks all = {.versions = versions_in_file(s), .row = NO_ROW};
	name_id lookup = names_find(&t->names, "TorchDynamo Cache Lookup");
	int64_t from = 0, compiled = 0;
	size_t regions = 0;
	for (uint32_t i = s->work_from; lookup && all.versions >= MOST_VERSIONS && i < s->work_to;
		i++) {
		if (event_on_host(t->kind[i]) && is_region(s, i)) {
			regions++;
			compiled += t->dur_ns[i];
		}
		if (t->name[i] != lookup)
			continue;
		if (from && all.n < MOST_FALLBACKS)
			add_fallback(&all, from, t->start_ns[i]);
		uint32_t next = next_behind(s, i);
		from = next == NO_ROW || is_region(s, next) ? 0 : t->start_ns[next];
		all.row = from && all.row == NO_ROW ? i : all.row;
	}
	end_last(s, &all, from);
	all.region_ns = regions ? compiled / (int64_t)regions : 0;
	return all;
}

static bool is_in_fallback(const struct facts *s, const struct fallbacks *all, uint32_t call)
{
	int64_t at = call == NO_ROW ? -1 : s->t->start_ns[call];
	for (size_t i = 0; i < all->n; i++)
		if (at >= all->at[i].start_ns && at < all->at[i].end_ns)
			return true;
	return false;
}

static bool is_in_region(const struct facts *s, uint32_t call)
{
	return call != NO_ROW && is_inside_region(s, call);
}

/* Each would take what a compiled call takes, of the host and of the device. */
static void plan_compiled(const struct facts *s, struct finding *f, const struct fallbacks *all)
{
	double slow = 0, fast = 0;
	size_t regions = 0;
	for (size_t i = 0; i < s->n; i++) {
		double ns = (double)s->t->dur_ns[s->event[i].row];
		slow += is_in_fallback(s, all, s->event[i].call) ? ns : 0;
		fast += is_in_region(s, s->event[i].call) ? ns : 0;
	}
	for (uint32_t i = s->work_from; i < s->work_to; i++)
		regions += event_on_host(s->t->kind[i]) && is_region(s, i);
	double share = slow > 0 && regions ? fast / (double)regions * (double)all->n / slow : 1;
	for (size_t i = 0; i < s->n; i++)
		if (share < 1 && is_in_fallback(s, all, s->event[i].call))
			plan_takes(f->plan, s->event[i].row, share);
	for (size_t i = 0; i < all->n; i++)
		plan_spare(f->plan, all->at[i].start_ns + all->region_ns, all->at[i].end_ns);
}

static enum finding_state compiled_no_more(const struct facts *s, struct finding *f)
{
	struct fallbacks all = fallbacks_of(s);
	if (!all.n || !all.region_ns)
		return FINDING_NOT_FIRED;
	f->variant = "limit";
	prove(f, all.row);
	plan_compiled(s, f, &all);
	tell_name(f, "name", s->t, all.row);
	TELL(f, {"n", (double)all.n}, {"time", 0}, {"share", share_of_window(s, all.host_ns)},
		{"host", (double)all.host_ns}, {"launches", 0}, {"versions", (double)all.versions});
	return FINDING_FIRED;
}

/* The rows that launched the window's work begin with what does; it is looked for in front of it.
 */
static uint32_t looked_from(const struct facts *s, name_id lookup)
{
	enum { NEAR = 16 };
	const struct trace *t = s->t;
	uint32_t i = s->work_from;
	for (int k = 0; k < NEAR && i && s->a->class[i] != CLASS_STEP; k++)
		if (t->name[--i] == lookup)
			return i;
	return s->work_from;
}

/* Older versions do not write where compiled code runs: its kernels tell. */
static bool runs_compiled(const struct facts *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strncmp(row_name(s, s->event[i].row), "triton_", 7))
			return true;
	for (uint32_t i = s->work_from; i < s->work_to; i++)
		if (event_on_host(s->t->kind[i]) && is_region(s, i))
			return true;
	return false;
}

/* Compiled code is looked for, none is found, and none runs in the whole window: what the compiler
 * would make of it nothing shows but that it joins what follows each other. */
static enum finding_state found_none(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	name_id lookup = names_find(&t->names, "TorchDynamo Cache Lookup");
	size_t n = 0, kernels = 0;
	int64_t host = 0;
	if (!lookup || runs_compiled(s))
		return FINDING_NOT_FIRED;
	for (uint32_t i = looked_from(s, lookup); i < s->work_to; i++) {
		uint32_t next = t->name[i] == lookup ? next_behind(s, i) : NO_ROW;
		if (next == NO_ROW || t->kind[next] != EVENT_OP)
			continue;
		uint32_t end = next;
		while (end < s->work_to && t->name[end] != lookup)
			end++;
		struct time_span at = {
			t->start_ns[next], end < s->work_to ? t->start_ns[end] : s->w->end_ns};
		kernels += plan_joined(s, f, &at);
		host += at.end_ns - at.start_ns;
		prove(f, i);
		n++;
	}
	f->variant = "none";
	TELL(f, {"n", (double)n}, {"time", 0}, {"share", share_of_window(s, host)},
		{"host", (double)host}, {"launches", (double)kernels}, {"versions", 0});
	return fired_if(kernels > 0);
}

/* ---- kernels that another compiler makes ---- */

/* Is code loaded in a stretch of time? Lazily, the profiler writes that as overhead. */
static bool loads_in(const struct facts *s, const struct time_span *at)
{
	static const char loading[] = "Lazy Function Loading";
	for (size_t i = 0; i < s->overhead.n; i++) {
		uint32_t row = s->overhead.row[i];
		int64_t start = s->t->start_ns[row];
		if (start >= at->start_ns && start < at->end_ns &&
			!strncmp(row_name(s, row), loading, sizeof loading - 1))
			return true;
	}
	return false;
}

/* Does a kernel of this name run earlier in the file? */
static bool ran_before(const struct facts *s, uint32_t kernel)
{
	for (uint32_t i = 0; i < kernel; i++)
		if (s->t->name[i] == s->t->name[kernel] && s->t->kind[i] == EVENT_KERNEL)
			return true;
	return false;
}

/* By a call, or one inside it; NO_ROW: by none, or that is no call. */
static uint32_t launched_by_call(const struct trace *t, uint32_t row)
{
	if (row == NO_ROW || !event_is_call(t->kind[row]))
		return NO_ROW;
	for (uint32_t i = row; i < t->n && t->start_ns[i] < row_end(t, row); i++)
		if (t->track[i] == t->track[row] && event_is_call(t->kind[i]) &&
			t->launch[i] != NO_ROW)
			return t->launch[i];
	return NO_ROW;
}

/* A pause in which code is loaded, and behind it the launch, by no operator, of a kernel that ran
 * before: it was made anew, as Triton does for each value of a constant. */
static enum finding_state made_anew(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	int64_t ns = 0;
	uint32_t longest = NO_ROW;
	size_t n = 0;
	for (size_t i = 0; i < s->elsewhere.n; i++) {
		const struct pause *p = &s->elsewhere.pause[i];
		uint32_t kernel = launched_by_call(t, p->next);
		if (kernel == NO_ROW || p->at.end_ns - p->at.start_ns < SILENCE_NS ||
			!loads_in(s, &p->at) || !ran_before(s, kernel))
			continue;
		n++;
		ns += p->at.end_ns - p->at.start_ns;
		longest = kernel;
		plan_spare(f->plan, p->at.start_ns, p->at.end_ns);
		prove(f, p->next);
	}
	if (!n)
		return FINDING_NOT_FIRED;
	f->variant = "kernel";
	tell_name(f, "name", t, longest);
	TELL(f, {"n", (double)n}, {"time", 0}, {"share", share_of_window(s, ns)},
		{"host", (double)ns}, {"launches", (double)n}, {"versions", 0});
	return FINDING_FIRED;
}

static enum finding_state recompiles(const struct facts *s, struct finding *f)
{
	if (pattern_seen(s, f) == FINDING_FIRED || compiled_no_more(s, f) == FINDING_FIRED ||
		found_none(s, f) == FINDING_FIRED)
		return FINDING_FIRED;
	return made_anew(s, f);
}

static struct gain recompiles_save(const struct facts *s, const struct finding *f)
{
	bool planned = !strcmp(f->variant, "limit") || !strcmp(f->variant, "kernel") ||
		!strcmp(f->variant, "none");
	return planned ? (struct gain){0} : pattern_saves(s, f);
}

/* All that an operator launches is point-wise, if it launches anything: a view does not. */
static bool is_point_wise(const struct facts *s, uint32_t op)
{
	const struct trace *t = s->t;
	for (uint32_t i = op + 1; i < t->n && t->start_ns[i] < row_end(t, op); i++) {
		if (t->track[i] != t->track[op] || t->launch[i] == NO_ROW)
			continue;
		if (t->kind[t->launch[i]] != EVENT_KERNEL ||
			time_part_of(s->a, t->launch[i]) != TIME_POINTWISE)
			return false;
	}
	return true;
}

/* In one region around all what is point-wise between them is part of what it makes, too. */
static void joins_between(const struct facts *s, struct replay_plan *plan)
{
	const uint32_t *outer = s->outer.row;
	uint32_t last = NO_ROW;
	size_t first = s->outer.n;
	for (size_t i = 0; i < s->outer.n; i++) {
		if (!is_region(s, outer[i]))
			continue;
		for (size_t k = first; k < i && k < s->outer.n; k++)
			if (s->t->track[outer[k]] == s->t->track[last] &&
				is_point_wise(s, outer[k])) {
				plan_goes(plan, s->t, outer[k]);
				plan_spare(plan, comes_to(s, outer[k]), s->t->start_ns[outer[k]]);
			}
		first = i + 1;
		last = outer[i];
	}
}

static const struct rule rows[] = {
	{.id = "recompiles",
		.kind = RULE_ACTION,
		.threshold = {{"calls", 1, UNIT_COUNT}, LEAST(0.02)},
		.value = {PATTERN_VALUES, {"versions", UNIT_COUNT}},
		.one = recompiles,
		.saves = recompiles_save,
		.pattern = &(const struct pattern){.op = {"*(dynamo_timed)", "CachingAutotuner*",
							   "compile_inner*", "fx_codegen*",
							   "compile_fx*", "backend_compile*",
							   "Torch-Compiled Region*"},
			.is = compiles_or_records,
			.holds = in_every_step},
		.covers = {"graphs", "sync", "first-calls", "elsewhere", "loops", "batch", "tuning",
			"fusion"}},
	{.id = "graph-breaks",
		.kind = RULE_ACTION,
		.threshold = {{"regions", 3, UNIT_COUNT}, LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"waits", UNIT_COUNT}, {"time", UNIT_NS},
			{"share", UNIT_SHARE}, {"inside", UNIT_COUNT}},
		.covers = {"graphs", "sync", "loops", "tiny-regions"},
		.one = graph_breaks,
		.saves = graph_breaks_save},
	{PATTERN("tiny-regions", 16,
		 {.change = CHANGE_ONE,
			 .op = {"Torch-Compiled Region*"},
			 .not_under = {"Torch-Compiled Region*"},
			 .holds = is_tiny,
			 .more = joins_between}),
		.covers = {"loops", "batch", "graphs"}},
};

const struct rule_list pattern_compile_rows = RULE_LIST(rows);
