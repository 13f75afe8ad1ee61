/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/case_tables.h"

#include "base/format.h"
#include "report/analyse/case_numbers.h"
#include "report/figure/timeline.h"
#include "report/name/shorten.h"
#include "report/section/marks.h"
#include "report/section/thresholds.h"
#include "report/section/verdict_words.h"

#include <math.h>
#include <string.h>

const char *literal(struct document *d, const char *text)
{
	return say(d->texts, d->arena, "literal", "text", text, NULL);
}

const char *event_name(struct document *d, const char *name)
{
	return literal(d, tidy_name(d->arena, name));
}

static const char *heading(struct document *d, const char *key, const char *word)
{
	return say(d->texts, d->arena, key, "word", word, NULL);
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
	return (struct cell){.bold = true,
		.text = say(d->texts, d->arena, "case.kernel.misleads", "mean", mean, NULL)};
}

/* "12×16×2, 128": two rows of one name differ in it. */
static const char *launch_size(struct arena *a, const struct activity *act)
{
	if (act->grid[0] <= 0 || act->block[0] <= 0)
		return "–";
	return arena_printf(a, "%s, %s", format_triple(a, act->grid), format_triple(a, act->block));
}

static bool any_size(const struct analysis *an, int n)
{
	for (int i = 0; i < n; i++)
		if (an->activities[i].grid[0] > 0 && an->activities[i].block[0] > 0)
			return true;
	return false;
}

/* `size`: the table has the column of launch sizes. */
static void kernel_row(
	struct document *d, const struct report_case *c, struct table *t, int row, bool size)
{
	const struct activity *act = &c->analysis->activities[row];
	struct arena *a = d->arena;
	const char *swatch = bar_name(bar_of(act->class));
	double most = c->analysis->activities[0].share;
	int at = 0;
	*table_cell(t, row, at++) = (struct cell){
		.swatch = swatch, .text = event_name(d, trace_name(&c->trace, act->name))};
	if (size)
		table_cell(t, row, at++)->text = launch_size(a, act);
	table_cell(t, row, at++)->text = format_count(a, (int64_t)act->calls);
	table_cell(t, row, at++)->text = format_time(a, act->dur.median);
	*table_cell(t, row, at++) = mean_cell(d, &act->dur);
	table_cell(t, row, at++)->text = arena_printf(
		a, "%s – %s", format_time(a, act->dur.p5), format_time(a, act->dur.p95));
	table_cell(t, row, at++)->text = act->delay.n ? format_time(a, act->delay.median) : "–";
	*table_cell(t, row, at) = (struct cell){.text = format_share(a, act->share),
		.swatch = swatch,
		.share = most > 0 ? act->share / most : 0};
}

void add_kernel_rows(struct document *d, const struct report_case *c, int most)
{
	static const char *const keys[] = {"case.kernel", "case.kernel.size", "case.kernel.calls",
		"case.kernel.median", "case.kernel.mean", "case.kernel.spread", "case.kernel.queue",
		"case.kernel.share"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	const struct analysis *an = c->analysis;
	struct arena *a = d->arena;
	if (!an->n_activities) {
		if (c->entry) /* of others the table of their health says it */
			document_add(d, BLOCK_TEXT, say(d->texts, a, "case.kernels.none", NULL));
		return;
	}
	int n = an->n_activities < (uint32_t)most ? (int)an->n_activities : most;
	bool size = any_size(an, n), misleads = false;
	struct column *col = arena_array(a, COLUMNS, sizeof *col);
	int columns = 0;
	for (int i = 0; i < COLUMNS; i++)
		if (i != 1 || size)
			col[columns++] = (struct column){.title = heading(d, keys[i], ""),
				.kind = i ? COLUMN_NUMBER : COLUMN_CODE};
	col[0].weight = 1;
	col[0].max_lines = 2;
	col[columns - 1].kind = COLUMN_BAR;
	document_add(d, BLOCK_CAPTION,
		say(d->texts, a, size ? "case.kernels" : "case.kernels.no_size", "which",
			say(d->texts, a,
				n < (int)an->n_activities ? "case.kernels.largest"
							  : "case.kernels.every",
				"shown", format_count(a, n), "n",
				format_count(a, (int64_t)an->n_activities), NULL),
			NULL))
		->level = 1;
	struct table *t = document_table(d, col, columns, n);
	for (int i = 0; i < n; i++) {
		kernel_row(d, c, t, i, size);
		misleads = misleads || mean_misleads(&an->activities[i].dur);
	}
	if (misleads)
		document_add(d, BLOCK_CAPTION, say(d->texts, a, "case.kernels.misleads", NULL));
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
	return say(d->texts, a, an->n_steps > 1 ? "case.line.gap" : "case.line.gap.one", "median",
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
	return say(d->texts, a, "case.line.wait", "call",
		trace_name(an->trace, an->trace->name[wait.row]), "time",
		format_time(a, (double)an->trace->dur_ns[wait.row]), "busy",
		format_share(a, wait.busy_share), NULL);
}

/* One call launches all kernels of a graph: it says nothing about one of them. */
static bool by_graph(const struct trace *t, const struct activity *act)
{
	uint32_t call = t->launch[act->row[0]];
	return call != NO_ROW && strstr(names_text(&t->names, t->name[call]), "Graph");
}

/* The call that launches the first product of the table. */
static const char *call_line(struct document *d, const struct analysis *an)
{
	struct arena *a = d->arena;
	for (uint32_t i = 0; i < an->n_activities; i++) {
		const struct activity *act = &an->activities[i];
		if (act->class == CLASS_GEMM && act->call.n && !by_graph(an->trace, act))
			return say(d->texts, a, "case.line.call", "kernel",
				brief_name(a, trace_name(an->trace, act->name)), "time",
				format_time(a, act->call.median), NULL);
	}
	return "";
}

/* What the answers quote and no table holds. */
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

static void profiler_row(struct document *d, struct table *t, int row, const struct report_case *c,
	const struct average *v, const char *name)
{
	const struct averages *all = &c->analysis->averages;
	struct arena *a = d->arena;
	bool cpu = v->side == AVERAGE_CPU;
	/* A range around work that is counted in rows of its own: no share of the whole. */
	bool shadow = !cpu && v->annotation;
	double calls = v->calls ? (double)v->calls : 1;
	const char *text[] = {literal(d, name), share_of(a, v->self_cpu_ns, all->self_cpu_ns),
		format_time(a, (double)v->self_cpu_ns), share_of(a, v->cpu_ns, all->self_cpu_ns),
		format_time(a, (double)v->cpu_ns), format_time(a, (double)v->cpu_ns / calls),
		format_time(a, (double)v->self_device_ns),
		share_of(a, v->self_device_ns, all->self_device_ns),
		format_time(a, (double)v->device_ns), format_time(a, (double)v->device_ns / calls),
		format_count(a, (int64_t)v->calls)};
	enum { NUMBERS = sizeof text / sizeof *text, DEVICE_FROM = 6, DEVICE_PCT = 7 };
	enum { DEVICE_TO = 10 };
	bool host_only = t->n_columns < NUMBERS;
	for (int i = 0, column = 0; i < NUMBERS; i++) {
		bool device = i >= DEVICE_FROM && i < DEVICE_TO;
		bool empty = (!cpu && i >= 1 && i < DEVICE_FROM) || (device && !v->device_ns) ||
			(shadow && i == DEVICE_PCT);
		if (!device || !host_only)
			table_cell(t, row, column++)->text = empty ? "–" : text[i];
	}
}

void add_profiler_table(struct document *d, const struct report_case *c)
{
	static const char *const keys[] = {"case.table.name", "case.table.self_cpu_pct",
		"case.table.self_cpu", "case.table.cpu_pct", "case.table.cpu", "case.table.cpu_avg",
		"case.table.self_device", "case.table.self_device_pct", "case.table.device",
		"case.table.device_avg", "case.table.calls"};
	static const char *const host_keys[] = {"case.table.name", "case.table.self_cpu_pct",
		"case.table.self_cpu", "case.table.cpu_pct", "case.table.cpu", "case.table.cpu_avg",
		"case.table.calls"};
	enum { COLUMNS = sizeof keys / sizeof *keys, HOST = sizeof host_keys / sizeof *host_keys };
	enum { DEVICE_LETTERS = 28, HOST_LETTERS = 80 }; /* of a name are seen beside them */
	const struct averages *all = &c->analysis->averages;
	bool host_only = !all->self_device_ns;
	int columns = host_only ? HOST : COLUMNS;
	if (!all->n)
		return;
	struct arena *a = d->arena;
	struct column *col = arena_array(a, COLUMNS, sizeof *col);
	const char *word = texts_find(d->texts, "case.table.word");
	for (int i = 0; i < columns; i++)
		col[i] = (struct column){
			.title = heading(d, host_only ? host_keys[i] : keys[i], word),
			.kind = i ? COLUMN_NUMBER : COLUMN_CODE};
	col[0].weight = 1;
	col[0].max_lines = 1;
	int n = all->n < PROFILER_ROWS ? (int)all->n : PROFILER_ROWS;
	document_add(d, BLOCK_CAPTION,
		say(d->texts, a, host_only ? "case.table.host" : "case.table", "shown",
			format_count(a, n), "n", format_count(a, (int64_t)all->n), "cpu",
			format_time(a, (double)all->self_cpu_ns), "device",
			format_time(a, (double)all->self_device_ns), "word", word, NULL))
		->level = 1;
	struct table *t = document_table(d, col, columns, n);
	t->size = 6.6;
	const char **name = arena_array(a, (size_t)n + 1, sizeof *name);
	for (int i = 0; i < n; i++)
		name[i] = tidy_name(a, trace_readable(&c->trace, all->row[i].name));
	for (int i = 0; i < n; i++)
		profiler_row(d, t, i, c, &all->row[i],
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
		return say(d->texts, d->arena, "expect.other", "key", v->key, NULL);
	return say(d->texts, d->arena, key, "case", title, "times",
		arena_printf(d->arena, "%d×", FIRST_STEP_TIMES), "least",
		arena_printf(d->arena, "%d µs", FIRST_STEP_LEAST_US), NULL);
}

static bool about_findings(const struct verdict *v)
{
	return !strncmp(v->key, "must_", strlen("must_"));
}

/* The same for what was expected and what was seen of findings, by their names: of the second those
 * that answered otherwise. */
const char *verdict_expected(struct document *d, const struct verdict *v)
{
	if (about_findings(v) && v->reason != OPEN_MALFORMED)
		return findings_named(d, v->expected, "");
	return literal(d, verdict_brief(d->arena, v->expected));
}

const char *verdict_observed(struct document *d, const struct verdict *v)
{
	bool there = strcmp(v->key, "must_fire") != 0; /* what breaks it */
	if (!about_findings(v) || v->state == VERDICT_OPEN)
		return literal(d, verdict_brief(d->arena, v->observed));
	if (v->state == VERDICT_KEPT)
		return say(d->texts, d->arena,
			there ? "verdict.findings.none" : "verdict.findings.all", NULL);
	return say(d->texts, d->arena,
		there ? "verdict.findings.there" : "verdict.findings.missing", "list",
		findings_named(d, v->observed,
			finding_state_name(there ? FINDING_FIRED : FINDING_NOT_FIRED)),
		NULL);
}

static void verdict_row(struct document *d, const struct input *in, const struct report_case *c,
	struct table *t, int row)
{
	static const char *const states[] = {"verdict.kept", "verdict.broken", "verdict.open"};
	static const enum verdict_colour colours[] = {KEPT, BROKEN, OPEN};
	const struct verdict *v = &c->verdicts.verdict[row];
	struct arena *a = d->arena;
	const char *where = about_findings(v) ? "" : verdict_where(a, d->texts, c, v);
	table_cell(t, row, 0)->text = verdict_text(d, in, c, v);
	const char *observed = verdict_observed(d, v);
	table_cell(t, row, 1)->text = verdict_expected(d, v);
	table_cell(t, row, 2)->text = observed;
	if (v->state == VERDICT_OPEN) {
		char key[64];
		snprintf(key, sizeof key, "open.%s", open_reason_name(v->reason));
		table_cell(t, row, 2)->text = say(d->texts, a, key, NULL);
	} else if (*where) {
		table_cell(t, row, 2)->text = say(d->texts, a, "verdict.observed", "observed",
			observed, "where", where, NULL);
	}
	*table_cell(t, row, 3) = (struct cell){
		.text = say(d->texts, a, states[v->state], NULL), .verdict = colours[v->state]};
}

static const struct finding *finding_of(const struct findings *all, const char *id)
{
	for (int i = 0; i < all->n; i++)
		if (!strcmp(all->finding[i].detector->id, id))
			return &all->finding[i];
	return NULL;
}

/* The finding that a broken verdict misses: what it measured, and when it counts. */
static const char *missed(struct document *d, const struct report_case *c, const struct verdict *v)
{
	struct arena *a = d->arena;
	if (strcmp(v->key, "must_fire") != 0 || !v->wanted)
		return "";
	const char *id = arena_strndup(a, v->wanted, strcspn(v->wanted, " "));
	const struct findings *all = &c->findings;
	for (const struct compared_case *one = c->compared; v->other && one; one = one->next)
		if (!strcmp(one->id, v->other))
			all = &one->findings;
	const struct finding *f = finding_of(all, id);
	const char *measured = f ? finding_missed(d, f) : "";
	if (!*measured)
		return "";
	return say(d->texts, a, "verdict.missed", "finding", findings_named(d, id, ""), "measured",
		measured, "definition", threshold_definition(d, f), NULL);
}

/* What to look at. */
static void add_broken_point(struct document *d, const struct input *in,
	const struct report_case *c, const struct verdict *v)
{
	struct arena *a = d->arena;
	if (v->state != VERDICT_BROKEN)
		return;
	const char *why = missed(d, c, v);
	struct block *b = document_add(d, BLOCK_POINT,
		say(d->texts, a, "verdict.broken.point", "what", verdict_text(d, in, c, v), "event",
			verdict_event(a, d->texts, c, v), "hint",
			*why ? why : verdict_hint(a, d->texts, v), NULL));
	b->note = "✗";
	b->verdict = BROKEN;
}

void add_verdict_table(struct document *d, const struct input *in, const struct report_case *c)
{
	if (!c->verdicts.n)
		return;
	static const char *const keys[] = {
		"case.expected.what", "case.expected", "case.observed", "case.verdict"};
	struct column *col = arena_array(d->arena, 4, sizeof *col);
	for (int i = 0; i < 4; i++)
		col[i] = (struct column){.title = heading(d, keys[i], "")};
	col[0].weight = 40;
	col[1].weight = col[2].weight = 26;
	col[3].kind = COLUMN_VERDICT;
	struct table *t = document_table(d, col, 4, c->verdicts.n);
	t->size = 7.2;
	for (int i = 0; i < c->verdicts.n; i++)
		verdict_row(d, in, c, t, i);
	for (int i = 0; i < c->verdicts.n; i++)
		add_broken_point(d, in, c, &c->verdicts.verdict[i]);
}
