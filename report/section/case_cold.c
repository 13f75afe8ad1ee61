/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/analyse/case_numbers.h"
#include "report/name/shorten.h"
#include "report/page/table_builder.h"
#include "report/run/manifest.h"

#include <string.h>

enum { NAMES = 3 };

/* True where the recorded steps are not the process's first: it was warmed up, or its schedule let
 * steps pass. */
static bool ran_before(const struct report_case *c)
{
	const struct case_work *w = told_work(c);
	return w->warm || w->schedule.wait > 0 || w->schedule.warmup > 0;
}

const struct cold_start *cold_of(struct arena *a, const struct report_case *c)
{
	if (!case_fired(c, "WIDE-FIRST-STEP"))
		return NULL;
	struct cold_start *cold = arena_alloc(a, sizeof *cold);
	*cold = cold_split(a, c->analysis, 0, numbers_of(c->analysis).typical);
	cold->ran_before = ran_before(c);
	return cold;
}

/* "`a` 20 µs (3×), `b` 1 µs, and 2 more": the spans of a cause, the longest first. */
static const char *spans_of(struct document *d, const struct report_case *c,
	const struct cold_start *cold, enum cold_cause cause)
{
	struct arena *a = d->arena;
	const char *list = "";
	int n = 0;
	for (uint32_t i = 0; i < cold->n_sums; i++) {
		const struct cold_sum *s = &cold->sum[i];
		if (s->cause != cause || cause == COLD_UNEXPLAINED || n++ >= NAMES)
			continue;
		const char *one = said(d, s->spans > 1 ? "cold.span.many" : "cold.span", "name",
			tidy_name(a, trace_name(&c->trace, s->name)), "time",
			format_time(a, (double)s->ns), "n", format_count(a, s->spans), NULL);
		list = listed(a, list, ", ", one);
	}
	if (n <= NAMES)
		return list;
	return arena_printf(a, "%s, %s", list,
		said(d, "cold.span.more", "n", format_count(a, n - NAMES), NULL));
}

static const struct table_form form = {.size = 8,
	.column = {{"cold.column.cause"}, {"cold.column.spans", .weight = 1},
		{"cold.column.time", COLUMN_NUMBER}, {"cold.column.share", COLUMN_BAR},
		{"cold.column.usual", COLUMN_NUMBER}}};

static void put_row(struct rows *t, const struct report_case *c, const struct cold_start *cold,
	const struct cold_part *p)
{
	struct arena *a = t->d->arena;
	double share = (double)p->ns / (double)(cold->to_ns - cold->from_ns);
	enum bar bar = cold_cause_bar(p->cause);
	const char *swatch = bar == BARS ? NULL : bar_name(bar);
	put_said(t, arena_printf(a, "cold.%s", cold_cause_name(p->cause)))->swatch = swatch;
	put(t, spans_of(t->d, c, cold, p->cause));
	put_time(t, (double)p->ns);
	put_bar(t, share, swatch);
	put(t, p->usual_ns ? format_time(a, (double)p->usual_ns) : "–");
}

void add_cold_table(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	const struct cold_start *cold = cold_of(a, c);
	if (!cold)
		return;
	const char *whole = format_time(a, (double)(cold->to_ns - cold->from_ns));
	const char *usual = format_time(a, (double)cold->usual_ns);
	const char *median = format_time(a, numbers_of(c->analysis).cpu_ns);
	bool between = c->analysis->n_steps == 3 && strcmp(usual, median) != 0;
	document_say(d, BLOCK_TEXT, cold->ran_before ? "cold.about.warm" : "cold.about", "total",
		whole, "usual", usual, "median", median, "two", between ? "1" : "0", NULL)
		->level = 1;
	struct rows t = rows_begin(d, &form, 0);
	for (int i = 0; i < cold->n; i++)
		put_row(&t, c, cold, &cold->part[i]);
	int64_t rest = cold->usual_ns;
	for (int i = 0; i < cold->n; i++)
		rest -= cold->part[i].usual_ns;
	if (rest > 0) { /* in causes that the first step has no time of */
		put_said(&t, "cold.later");
		put(&t, "");
		put(&t, "–");
		put_bar(&t, 0, NULL);
		put_time(&t, (double)rest);
	}
	put_said(&t, "cold.sum")->bold = true;
	put(&t, "");
	put(&t, whole)->bold = true;
	put(&t, "");
	put(&t, usual);
}
