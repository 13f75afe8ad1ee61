/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/figure/timeline.h"
#include "report/judge/judge.h"
#include "report/name/shorten.h"
#include "report/tables/tables.h"

#include <math.h>
#include <string.h>

const char *literal(struct document *d, const char *text)
{
	return said(d, "literal", "text", text, NULL);
}

const char *event_name(struct document *d, const char *name)
{
	return literal(d, tidy_name(d->arena, name));
}

const char *case_link(const struct document *d, const struct report_case *c)
{
	return said(d, "summary.case.link", "title", c->title, "place", c->place, NULL);
}

const char *regime_word(const struct document *d, const struct report_case *c)
{
	return said_by(d, "regime.%s", regime_name(c->analysis->regime.regime));
}

const char *kernels_and_copies(struct arena *a, const struct case_numbers *n)
{
	return n->copies > 0 ? arena_printf(a, "%g + %g", n->kernels, n->copies)
			     : arena_printf(a, "%g", n->kernels);
}

static const double MEAN_MISLEADS = 0.25; /* of the median */

bool mean_misleads(const struct stats *s)
{
	return s->median > 0 && fabs(s->mean / s->median - 1) > MEAN_MISLEADS;
}

static struct cell mean_cell(struct document *d, const struct stats *s)
{
	const char *mean = format_time(d->arena, s->mean);
	if (!mean_misleads(s))
		return (struct cell){.text = mean};
	return (struct cell){
		.bold = true, .text = said(d, "case.kernel.misleads", "mean", mean, NULL)};
}

void put_spread(struct rows *t, const struct stats *s)
{
	struct arena *a = t->d->arena;
	bool many = s->n >= PERCENTILES_FROM;
	const char *low = format_time(a, many ? s->p5 : (double)s->min);
	const char *high = format_time(a, many ? s->p95 : (double)s->max);
	put(t, s->n > 1 ? arena_printf(a, "%s – %s", low, high) : "–");
}

/* "12×16×2, 128": two rows of one name differ in it. */
static const char *launch_size(struct arena *a, const struct activity *act)
{
	if (act->grid[0] <= 0 || act->block[0] <= 0)
		return "–";
	return arena_printf(a, "%s, %s", format_triple(a, act->grid), format_triple(a, act->block));
}

static bool any_size(const struct activity *act, int n)
{
	for (int i = 0; i < n; i++)
		if (act[i].grid[0] > 0 && act[i].block[0] > 0)
			return true;
	return false;
}

enum { LAUNCH_SIZE = 1u << 1 }; /* the column that is left out where no row has one */

static const struct table_form kernels_form = {
	.column = {{"case.kernel", COLUMN_CODE, 1, 2}, {"case.kernel.size", COLUMN_NUMBER},
		{"case.kernel.calls", COLUMN_NUMBER}, {"case.kernel.median", COLUMN_NUMBER},
		{"case.kernel.mean", COLUMN_NUMBER}, {"case.kernel.spread", COLUMN_NUMBER},
		{"case.kernel.queue", COLUMN_NUMBER}, {"case.kernel.share", COLUMN_BAR}}};

/* "3 sizes" where launches of one name differ, else as above. */
static const char *sizes_of(
	struct document *d, const struct analysis *an, const struct activity *act)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < an->n_activities; i++)
		n += an->activities[i].name == act->name;
	return n > 1 ? said(d, "case.kernel.sizes", "n", format_count(d->arena, n), NULL)
		     : launch_size(d->arena, act);
}

/* With the operator that launches it where rows are told by the name alone: kernels of many
 * operators begin alike. */
static const char *kernel_name_of(
	struct document *d, const struct report_case *c, const struct activity *act)
{
	const char *name = trace_name(&c->trace, act->name);
	uint32_t op = d->brief ? activity_operator(&c->trace, act) : NO_ROW;
	return op == NO_ROW
		? event_name(d, name)
		: arena_printf(d->arena, "%s · %s", event_name(d, trace_row_name(&c->trace, op)),
			  literal(d, shorten_name(d->arena, name)));
}

static void put_kernel(
	struct rows *t, const struct report_case *c, const struct activity *act, double most)
{
	struct arena *a = t->d->arena;
	const char *swatch = bar_name(bar_of(act->class));
	struct stats delay = launch_delays_of(&c->trace, act->row, act->calls);
	put(t, kernel_name_of(t->d, c, act))->swatch = swatch;
	put(t, t->d->brief ? sizes_of(t->d, c->analysis, act) : launch_size(a, act));
	put_count(t, (int64_t)act->calls);
	put_time(t, act->dur.median);
	put_cell(t, mean_cell(t->d, &act->dur));
	put_spread(t, &act->dur);
	put(t, delay.n ? format_time(a, delay.median) : "–");
	put_bar(t, act->share, swatch)->share = most > 0 ? act->share / most : 0;
}

void add_kernel_rows(struct document *d, const struct report_case *c, int most)
{
	const struct analysis *an = c->analysis;
	struct arena *a = d->arena;
	if (!an->n_activities) {
		if (c->work) /* of others the table of their health says it */
			document_say(d, BLOCK_TEXT, "case.kernels.none", NULL);
		return;
	}
	uint32_t all = an->n_activities;
	const struct activity *act = d->brief ? activities_by_name(a, an, &all) : an->activities;
	int n = all < (uint32_t)most ? (int)all : most;
	bool size = any_size(an->activities, (int)an->n_activities), misleads = false;
	const char *key = d->brief ? "case.kernels.named"
		: size		   ? "case.kernels"
				   : "case.kernels.no_size";
	document_say(d, BLOCK_CAPTION, key, "which",
		said(d, n < (int)all ? "case.kernels.largest" : "case.kernels.every", "shown",
			format_count(a, n), "n", format_count(a, (int64_t)all), NULL),
		NULL)
		->level = 1;
	struct rows t = rows_begin(d, &kernels_form, size ? 0 : LAUNCH_SIZE);
	for (int i = 0; i < n; i++) {
		put_kernel(&t, c, &act[i], act[0].share);
		misleads = misleads || mean_misleads(&act[i].dur);
	}
	if (misleads)
		document_say(d, BLOCK_CAPTION, "case.kernels.misleads", NULL);
}

/* Between the first two pieces of a step's device work: the median and the longest. */
static const char *gap_line(struct document *d, const struct analysis *an)
{
	double median = median_gap_ns(an);
	struct arena *a = d->arena;
	uint32_t most = steady_from(an);
	if (isnan(median) || median < 0) /* side by side, on two streams */
		return "";
	for (uint32_t i = 0; i < an->n_steps; i++) {
		double ns = step_gap_ns(an, &an->steps[i]), now = step_gap_ns(an, &an->steps[most]);
		if (ns > now || isnan(now))
			most = i;
	}
	return said(d, an->n_steps > 1 ? "case.line.gap" : "case.line.gap.one", "median",
		format_time(a, median), "longest",
		format_time(a, step_gap_ns(an, &an->steps[most])), "step",
		format_count(a, an->steps[most].number), NULL);
}

static const char *wait_line(struct document *d, const struct analysis *an)
{
	struct last_wait wait = last_wait_of(an);
	struct arena *a = d->arena;
	if (wait.row == NO_ROW || !an->n_device)
		return "";
	return said(d, wait.busy_share > 0 ? "case.line.wait" : "case.line.wait.idle", "call",
		trace_name(an->trace, an->trace->name[wait.row]), "time",
		format_time(a, (double)an->trace->dur_ns[wait.row]), "busy",
		format_share(a, wait.busy_share), NULL);
}

/* One call launches all kernels of a graph: it says nothing about one of them. */
static bool by_graph(const struct analysis *a, const struct activity *act)
{
	uint32_t call = a->trace->launch[act->row[0]];
	return call != NO_ROW && host_traits(a, call) & TRAIT_GRAPH;
}

/* The call that launches the first product of the table. */
static const char *call_line(struct document *d, const struct analysis *an)
{
	struct arena *a = d->arena;
	for (uint32_t i = 0; i < an->n_activities; i++) {
		const struct activity *act = &an->activities[i];
		struct stats call = {0};
		if (act->class == CLASS_GEMM && !by_graph(an, act))
			call = launch_calls_of(an->trace, act->row, act->calls);
		if (call.n)
			return said(d, "case.line.call", "kernel",
				brief_name(a, trace_name(an->trace, act->name)), "time",
				format_time(a, call.median), NULL);
	}
	return "";
}

/* Some numbers are quoted by the answers and stand in no table: they get lines of their own. */
static void add_lines(struct document *d, const struct analysis *an)
{
	const char *text = arena_printf(
		d->arena, "%s%s%s", gap_line(d, an), call_line(d, an), wait_line(d, an));
	if (text[0])
		document_add(d, BLOCK_CAPTION, text);
}

void add_kernel_table(struct document *d, const struct report_case *c)
{
	add_kernel_rows(d, c, KERNEL_ROWS);
	add_lines(d, c->analysis);
}

static const char *share_of(struct arena *a, int64_t part, int64_t whole)
{
	return format_share(a, whole ? (double)part / (double)whole : (double)NAN);
}

/* The columns of the device are left out where nothing ran on it; averages make room for memory and
 * FLOPs. */
enum {
	CPU_AVERAGE = 1u << 5,
	DEVICE_COLUMNS = 0xfu << 6,
	DEVICE_AVERAGE = 1u << 9,
	DEVICE_MEMORY = 1u << 11,
	HOST_MEMORY = 1u << 12,
	ARITHMETIC = 1u << 13
};

static const struct table_form profiler_form = {
	.column = {{"case.table.name", COLUMN_CODE, 1, 1},
		{"case.table.self_cpu_pct", COLUMN_NUMBER}, {"case.table.self_cpu", COLUMN_NUMBER},
		{"case.table.cpu_pct", COLUMN_NUMBER}, {"case.table.cpu", COLUMN_NUMBER},
		{"case.table.cpu_avg", COLUMN_NUMBER}, {"case.table.self_device", COLUMN_NUMBER},
		{"case.table.self_device_pct", COLUMN_NUMBER}, {"case.table.device", COLUMN_NUMBER},
		{"case.table.device_avg", COLUMN_NUMBER}, {"case.table.calls", COLUMN_NUMBER},
		{"case.table.device_memory", COLUMN_NUMBER},
		{"case.table.host_memory", COLUMN_NUMBER}, {"case.table.flop", COLUMN_NUMBER}}};

static bool has_memory(const struct profiler_table *all, int memory)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->row[i].self_bytes[memory])
			return true;
	return false;
}

static bool has_flop(const struct profiler_table *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->row[i].flop > 0)
			return true;
	return false;
}

/* Of the memories that of the device, where both changed. */
static unsigned profiler_columns_without(const struct profiler_table *all)
{
	bool device = has_memory(all, PROFILER_DEVICE_BYTES);
	bool host = !device && has_memory(all, PROFILER_HOST_BYTES), flop = has_flop(all);
	unsigned without = (device ? 0u : DEVICE_MEMORY) | (host ? 0u : HOST_MEMORY) |
		(flop ? 0u : ARITHMETIC);
	if (!all->self_device_ns)
		return without | DEVICE_COLUMNS;
	return without | (device || host || flop ? DEVICE_AVERAGE : 0u) |
		((device || host) && flop ? CPU_AVERAGE : 0u);
}

static const char *memory_text(struct arena *a, const struct profiler_row *v, int memory)
{
	int64_t bytes = v->self_bytes[memory];
	return bytes ? format_si(a, (double)bytes, "B") : "–";
}

/* Self time and total, each with its share, and the average; "–" where there are none. */
static void put_profiler_row(struct rows *t, const struct profiler_table *all,
	const struct profiler_row *v, const char *name)
{
	struct arena *a = t->d->arena;
	bool cpu = v->side == PROFILER_CPU, device = v->device_ns != 0;
	/* A range around work that is counted in rows of its own: no share of the whole. */
	bool shadow = !cpu && v->annotation;
	double calls = v->calls ? (double)v->calls : 1;
	put(t, literal(t->d, name));
	put(t, cpu ? share_of(a, v->self_cpu_ns, all->self_cpu_ns) : "–");
	put(t, cpu ? format_time(a, (double)v->self_cpu_ns) : "–");
	put(t, cpu ? share_of(a, v->cpu_ns, all->self_cpu_ns) : "–");
	put(t, cpu ? format_time(a, (double)v->cpu_ns) : "–");
	put(t, cpu ? format_time(a, (double)v->cpu_ns / calls) : "–");
	put(t, device ? format_time(a, (double)v->self_device_ns) : "–");
	put(t, device && !shadow ? share_of(a, v->self_device_ns, all->self_device_ns) : "–");
	put(t, device ? format_time(a, (double)v->device_ns) : "–");
	put(t, device ? format_time(a, (double)v->device_ns / calls) : "–");
	put_count(t, (int64_t)v->calls);
	put(t, memory_text(a, v, PROFILER_DEVICE_BYTES));
	put(t, memory_text(a, v, PROFILER_HOST_BYTES));
	put(t, v->flop > 0 ? format_si(a, v->flop, "FLOP") : "–");
}

void add_profiler_table(struct document *d, const struct report_case *c)
{
	enum { DEVICE_LETTERS = 28, HOST_LETTERS = 80 }; /* of a name are seen beside them */
	struct arena *a = d->arena;
	const struct profiler_table table = tables_profiler_table(a, c->analysis, false),
				    *all = &table;
	bool host_only = !all->self_device_ns;
	if (!all->n)
		return;
	int n = all->n < PROFILER_ROWS ? (int)all->n : PROFILER_ROWS;
	document_say(d, BLOCK_CAPTION,
		all->spans	    ? "case.table.spans"
			: host_only ? "case.table.host"
				    : "case.table",
		"shown", format_count(a, n), "n", format_count(a, (int64_t)all->n), "cpu",
		format_time(a, (double)all->self_cpu_ns), "device",
		format_time(a, (double)all->self_device_ns), NULL)
		->level = 1;
	struct rows t = rows_begin(d, &profiler_form, profiler_columns_without(all));
	const char **name = arena_array(a, (size_t)n + 1, sizeof *name);
	for (int i = 0; i < n; i++)
		name[i] = tidy_name(a, trace_readable(&c->trace, all->row[i].name));
	for (int i = 0; i < n; i++)
		put_profiler_row(&t, all, &all->row[i],
			tell_apart(a, name, (size_t)n, (size_t)i,
				host_only ? HOST_LETTERS : DEVICE_LETTERS));
}

const char *verdict_text(struct document *d, const struct input *in, const struct report_case *c,
	const struct verdict *v)
{
	char key[96];
	snprintf(key, sizeof key, "expect.%s", v->key);
	const struct report_case *other = v->other ? input_find(in, c->run, v->other) : NULL;
	const char *title = other ? other->title : v->other ? v->other : "";
	if (!texts_find(d->texts, key)[0])
		return said(d, "expect.other", "key", v->key, NULL);
	return said(d, key, "case", title, "times", arena_printf(d->arena, "%d×", FIRST_STEP_TIMES),
		"least", arena_printf(d->arena, "%d µs", FIRST_STEP_LEAST_US), NULL);
}

static bool about_regime(const struct verdict *v)
{
	return !strcmp(v->key, "regime") && v->reason != OPEN_MALFORMED;
}

/* By its word; one that somebody made up as it is written. */
static const char *regime_said(struct document *d, const char *name)
{
	const char *word = texts_find(d->texts, arena_printf(d->arena, "regime.%s", name));
	return *word ? word : literal(d, name);
}

/* Those that were asked for and are in a state; FINDING_STATES: all. */
static const char *asked_named(
	struct document *d, const struct verdict *v, enum finding_state state)
{
	const char *all = "";
	for (uint32_t i = 0; i < v->n_asked; i++)
		if (state == FINDING_STATES || v->asked[i].state == state)
			all = listed(d->arena, all, ", ", finding_named(d, v->asked[i].id));
	return all;
}

/* The same for what was expected and what was seen of findings, by their names: of the second those
 * that answered otherwise. */
const char *verdict_expected(struct document *d, const struct verdict *v)
{
	if (about_regime(v))
		return regime_said(d, v->expected);
	if (verdict_of_findings(v) && v->reason != OPEN_MALFORMED)
		return asked_named(d, v, FINDING_STATES);
	return literal(d, verdict_brief(d->arena, v->expected));
}

const char *verdict_observed(struct document *d, const struct verdict *v)
{
	bool there = strcmp(v->key, "must_fire") != 0; /* what breaks it */
	if (about_regime(v) && v->state != VERDICT_OPEN)
		return regime_said(d, v->observed);
	if (!verdict_of_findings(v) || v->state == VERDICT_OPEN)
		return literal(d, verdict_brief(d->arena, v->observed));
	if (v->state == VERDICT_KEPT)
		return said(d, there ? "verdict.findings.none" : "verdict.findings.all", NULL);
	return said(d, there ? "verdict.findings.there" : "verdict.findings.missing", "list",
		asked_named(d, v, there ? FINDING_FIRED : FINDING_NOT_FIRED), NULL);
}

static const struct table_form verdicts_form = {.size = 8,
	.column = {{"case.expected.what", .weight = 40}, {"case.expected", .weight = 26},
		{"case.observed", .weight = 26}, {"case.verdict", COLUMN_VERDICT}}};

/* Where an open one was not observed, why. */
static const char *observed_where(
	struct document *d, const struct report_case *c, const struct verdict *v)
{
	const char *where = verdict_of_findings(v) ? "" : verdict_where(d->arena, d->texts, c, v);
	const char *observed = verdict_observed(d, v);
	if (v->state == VERDICT_OPEN)
		return said_by(d, "open.%s", open_reason_name(v->reason));
	return *where ? said(d, "verdict.observed", "observed", observed, "where", where, NULL)
		      : observed;
}

static void put_verdict(struct rows *t, const struct input *in, const struct report_case *c,
	const struct verdict *v)
{
	static const char *const states[] = {
		"verdict.kept", "verdict.broken", "verdict.open", "verdict.noise"};
	static const enum verdict_colour colours[] = {KEPT, BROKEN, OPEN, OPEN};
	put(t, verdict_text(t->d, in, c, v));
	put(t, verdict_expected(t->d, v));
	put(t, observed_where(t->d, c, v));
	put_said(t, states[v->state])->verdict = colours[v->state];
}

/* The finding that a broken verdict misses: what it measured, and when it counts. */
static const char *missed(struct document *d, const struct report_case *c, const struct verdict *v)
{
	const struct finding *f = finding_asked_for(c, v);
	const char *measured = f ? finding_missed(d, f) : "";
	if (!*measured)
		return "";
	return said(d, "verdict.missed", "finding", finding_named(d, f->rule->id), "measured",
		measured, "definition", threshold_definition(d, f), NULL);
}

/* A broken verdict says, under the table, what to look at. */
static void add_broken_point(struct document *d, const struct input *in,
	const struct report_case *c, const struct verdict *v)
{
	struct arena *a = d->arena;
	if (v->state != VERDICT_BROKEN)
		return;
	const char *why = missed(d, c, v);
	const struct sentence *s = tested_sentence(c, v);
	const char *key = !s ? "verdict.broken.point"
		: *why	     ? "verdict.broken.measured"
			     : "verdict.broken.unknown";
	struct block *b = document_say(d, BLOCK_POINT, key, "what", verdict_text(d, in, c, v),
		"event", verdict_event(a, d->texts, c, v), "hint",
		*why ? why : verdict_hint(a, d->texts, v), "says", s ? s->says : "", "expected",
		verdict_expected(d, v), "observed", verdict_observed(d, v), NULL);
	b->note = "✗";
	b->verdict = BROKEN;
}

void add_verdict_table(struct document *d, const struct input *in, const struct report_case *c)
{
	if (!c->verdicts->n)
		return;
	const struct verdicts *all = c->verdicts;
	bool as_expected = c->n_sentences && all->shape && all->shape == all->shape_kept;
	if (as_expected)
		document_say(d, BLOCK_CAPTION, "verdict.shape", "n",
			format_count(d->arena, all->shape), NULL);
	if (as_expected && all->shape == all->n)
		return;
	struct rows t = rows_begin(d, &verdicts_form, 0);
	for (int i = 0; i < all->n; i++)
		if (!as_expected || all->verdict[i].sentence != NO_SENTENCE)
			put_verdict(&t, in, c, &all->verdict[i]);
	for (int i = 0; i < c->verdicts->n; i++)
		add_broken_point(d, in, c, &c->verdicts->verdict[i]);
}
