/* SPDX-License-Identifier: Apache-2.0 */
/* What torch.compile did, by its own log beside the trace: each compilation with its reason and
 * what it cost here, and where a graph broke. */
#include "report/section/compiler_account.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "base/sort.h"
#include "report/analyse/compile_cost.h"
#include "report/page/table_builder.h"
#include "report/section/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 12, MOST_BREAK_ROWS = 8 };

static const struct table_form compilations_form = {.size = 8,
	.column = {{"compiler.id"}, {"compiler.function", COLUMN_CODE, 2, 2},
		{"compiler.why", .weight = 3}, {"compiler.log", COLUMN_NUMBER},
		{"compiler.trace", COLUMN_NUMBER}}};
static const struct table_form breaks_form = {.size = 8,
	.column = {{"compiler.where", COLUMN_CODE, 1, 2}, {"compiler.broke", .weight = 2},
		{"compiler.hint", .weight = 3}, {"compiler.times", COLUMN_NUMBER}}};

ORDER(by_id, struct compiled, strcmp(a->of->id, b->of->id) ?: UP(of->backward) ?: UP(nth));
ORDER(by_nth, struct compiled, UP(nth));
ORDER(by_span, struct compile_cost, strcmp(a->id, b->id) ?: UP(row));

/* How many of the first n have the id of the first; backward ones have no span of their own. */
static uint32_t same_compiled(const struct compiled *of, uint32_t n)
{
	uint32_t i = 0;
	while (i < n && !of[i].of->backward && !strcmp(of[i].of->id, of->of->id))
		i++;
	return i;
}

static uint32_t same_spans(const struct compile_cost *of, uint32_t n, const char *id)
{
	uint32_t i = 0;
	while (i < n && !strcmp(of[i].id, id))
		i++;
	return i;
}

/* Both sorted by id. Numbers begin again with torch._dynamo.reset(): an id that either has more
 * often than the other tells nothing. */
static void join(struct compiled *all, uint32_t n_all, const struct compile_cost *cost, uint32_t n,
	const struct trace *t)
{
	uint32_t k = 0, times;
	for (uint32_t i = 0; i < n_all; i += times ? times : 1) {
		times = same_compiled(&all[i], n_all - i);
		while (k < n && strcmp(cost[k].id, all[i].of->id) < 0)
			k++;
		bool both = times && same_spans(&cost[k], n - k, all[i].of->id) == times;
		for (uint32_t same = 0; both && same < times; same++)
			all[i + same].trace_ns = t->dur_ns[cost[k + same].row];
	}
}

struct compiled *compiled_in(const struct compile_log *log, const struct trace *t)
{
	uint32_t n, n_all = (uint32_t)log->n_compilations;
	struct compile_cost *cost = compile_costs_of(t, &n);
	struct compiled *all = xcalloc((size_t)n_all + 1, sizeof *all);
	for (uint32_t i = 0; i < n_all; i++)
		all[i] = (struct compiled){&log->compilation[i], -1, (int)i};
	qsort(all, n_all, sizeof *all, by_id);
	if (n) {
		qsort(cost, n, sizeof *cost, by_span);
		join(all, n_all, cost, n, t);
	}
	qsort(all, n_all, sizeof *all, by_nth);
	free(cost);
	return all;
}

/* By this trace or else by the log. */
static double time_of(const struct compiled *x)
{
	return x->trace_ns >= 0 ? (double)x->trace_ns : isfinite(x->of->ns) ? x->of->ns : 0;
}

/* Those that took longest come first. */
static int by_time(const void *a, const void *b)
{
	const struct compiled *x = a, *y = b;
	double one = time_of(x), other = time_of(y);
	return one < other ? 1 : one > other ? -1 : x->nth - y->nth;
}

static const char *file_line(struct document *d, const char *file, int64_t line)
{
	const char *name = strrchr(file, '/');
	name = name ? name + 1 : file;
	return line ? arena_printf(d->arena, "%s:%lld", name, (long long)line) : name;
}

/* "noisy compiled.py:21": where somebody finds the function. */
static const char *function_of(struct document *d, const struct compilation *x)
{
	return literal(
		d, arena_printf(d->arena, "%s %s", x->function, file_line(d, x->file, x->line)));
}

static bool is_first(const struct compilation *x)
{
	const char *nth = strchr(x->id, '/');
	return !nth || !strcmp(nth, "/0");
}

static const char *reason_of(struct document *d, const struct compilation *x)
{
	if (x->failed[0])
		return said(d, "compiler.failed", "reason", literal(d, x->failed), NULL);
	if (x->because[0])
		return said(d, "compiler.guard", "reason", literal(d, x->because), NULL);
	return said(d,
		x->backward						 ? "compiler.backward"
			: !is_first(x)					 ? "compiler.again"
			: strstr(x->function, "torch_dynamo_resume_in_") ? "compiler.resumed"
									 : "compiler.first",
		NULL);
}

static void add_compilations(struct document *d, const struct compiled *all, int n)
{
	struct rows t = rows_begin(d, &compilations_form, 0);
	double rest_ns = 0;
	for (int i = 0; i < n; i++) {
		if (i >= MOST_ROWS) {
			rest_ns += time_of(&all[i]);
			continue;
		}
		put(&t, literal(d, all[i].of->id));
		put(&t, function_of(d, all[i].of));
		put(&t, reason_of(d, all[i].of));
		isfinite(all[i].of->ns) ? put_time(&t, all[i].of->ns) : put(&t, "–");
		all[i].trace_ns >= 0 ? put_time(&t, (double)all[i].trace_ns) : put(&t, "–");
	}
	if (n > MOST_ROWS)
		document_say(d, BLOCK_CAPTION, "compiler.more", "n",
			format_count(d->arena, n - MOST_ROWS), "time",
			format_time(d->arena, rest_ns), NULL);
}

static void add_breaks(struct document *d, const struct compile_log *log)
{
	if (!log->n_breaks)
		return;
	document_say(
		d, BLOCK_TEXT, "compiler.breaks", "n", format_count(d->arena, log->n_breaks), NULL)
		->level = 1;
	struct rows t = rows_begin(d, &breaks_form, 0);
	for (int i = 0; i < log->n_breaks && i < MOST_BREAK_ROWS; i++) {
		const struct graph_break *b = &log->graph_break[i];
		put(&t, literal(d, b->where[0] ? file_line(d, b->where, 0) : "?"));
		put(&t, literal(d, b->why));
		put(&t, b->hint[0] ? literal(d, b->hint) : "–");
		put_count(&t, b->times);
	}
	if (log->n_breaks > MOST_BREAK_ROWS)
		document_say(d, BLOCK_CAPTION, "compiler.breaks.more", "n",
			format_count(d->arena, log->n_breaks - MOST_BREAK_ROWS), NULL);
}

/* From the first begin to the last end. */
static double span_of(const struct trace *t)
{
	int64_t end = 0;
	for (size_t i = 0; i < t->n; i++)
		end = max64(end, t->start_ns[i] + t->dur_ns[i]);
	return t->n ? (double)(end - t->start_ns[0]) : 0;
}

/* What all of it took, and whether the log is this trace's at all. */
static void add_sum(
	struct document *d, const struct report_case *c, const struct compiled *all, int n)
{
	static const double OTHER_RUN = 1.5; /* times: the same run differs by a few percent */
	double log_ns = 0, trace_ns = 0, joined_ns = 0;
	int again = 0, joined = 0;
	for (int i = 0; i < n; i++) {
		double ns = isfinite(all[i].of->ns) ? all[i].of->ns : 0;
		log_ns += ns;
		again += !is_first(all[i].of);
		if (all[i].trace_ns < 0)
			continue;
		joined++;
		joined_ns += ns;
		trace_ns += (double)all[i].trace_ns;
	}
	double span_ns = span_of(&c->trace);
	struct arena *a = d->arena;
	document_say(d, BLOCK_TEXT, joined ? "compiler.sum" : "compiler.sum.log", "n",
		format_count(a, n), "again", format_count(a, again), "log", format_time(a, log_ns),
		"joined", format_count(a, joined), "time", format_time(a, trace_ns), "share",
		format_share(a, span_ns > 0 ? fmin(trace_ns / span_ns, 1) : 0), NULL)
		->level = 1;
	if (joined && !(fmax(joined_ns, trace_ns) <= OTHER_RUN * fmin(joined_ns, trace_ns)))
		document_say(d, BLOCK_TEXT, "compiler.other_run", NULL)->level = 1;
}

void add_compiler_account(
	struct document *d, const struct compile_logs *logs, const struct report_case *c)
{
	const struct compile_log *log = compile_log_of(logs, c->trace.rank);
	if (!log)
		return;
	document_heading(d, 3, NULL, said(d, "compiler.title", NULL));
	if (!log->n_compilations && !log->n_breaks)
		document_say(d, BLOCK_TEXT, "compiler.none", NULL);
	if (log->n_compilations) {
		struct compiled *all = compiled_in(log, &c->trace);
		qsort(all, (size_t)log->n_compilations, sizeof *all, by_time);
		add_sum(d, c, all, log->n_compilations);
		add_compilations(d, all, log->n_compilations);
		free(all);
	}
	add_breaks(d, log);
	if (log->unread)
		document_say(d, BLOCK_CAPTION, "compiler.unread", "n",
			format_count(d->arena, log->unread), NULL);
}
