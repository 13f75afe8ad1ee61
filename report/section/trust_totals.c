/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/analyse/profiler_table_check.h"
#include "report/section/fact_tables.h"

/* ---- sums against unions against windows ---- */

static const struct fact_form lines_form = {.table = "totals",
	.column = {{"line", "totals.time", FACT_WORD, 1, "totals.line."}, {"time_ns", "totals.ns"},
		{"line", "totals.of", FACT_WORD, 1, "totals.line.", ".of"},
		{"of_ns", "totals.of_ns"}, {"share", "totals.share"}}};

static void add_lines(struct document *d, const struct report_case *c)
{
	bool any = false;
	for (int i = 0; i < DEVICE_LINES; i++)
		any = any || c->totals->line[i].of_ns;
	if (!any)
		return;
	document_say(d, BLOCK_CAPTION, "totals.lines", NULL)->level = 2;
	add_facts(d, c, &lines_form);
}

/* ---- what is in them twice, or not at all ---- */

static void add_flag(struct document *d, const struct report_case *c, const struct reconcile *r,
	const char *key, int64_t ns)
{
	struct arena *a = d->arena;
	const struct analysis *an = c->analysis;
	int64_t total = r->cpu_footer_ns;
	struct block *b = document_say(d, BLOCK_POINT, key, "time", format_time(a, (double)ns),
		"threads", format_count(a, r->n_threads), "rows",
		format_count(a, (int64_t)r->negative_rows), "unlinked",
		format_time(a, (double)r->unlinked_ns), "share",
		format_share(a, total ? (double)ns / (double)total : 0), "window",
		format_time(a, (double)(an->window.end_ns - an->window.start_ns)), NULL);
	b->note = "–";
	b->verdict = OPEN;
	b->small = true;
}

static void add_flags(struct document *d, const struct report_case *c, const struct reconcile *r)
{
	const struct analysis *an = c->analysis;
	const struct {
		enum reconcile_flag flag;
		const char *key;
		int64_t ns;
	} flags[] = {
		{RECONCILE_OVERLAP, "totals.overlap",
			an->device_ns - an->busy[BUSY_DEVICE].busy_ns},
		{RECONCILE_UNOWNED, r->unlinked_ns ? "totals.unlinked" : "totals.unowned",
			r->unowned_ns + r->unlinked_ns},
		{RECONCILE_ANNOTATIONS, "totals.annotations", r->annotations_ns},
		{RECONCILE_THREADS, "totals.threads", r->cpu_footer_ns},
		{RECONCILE_WAITS, "totals.waits", an->regime.waited_ns},
		{RECONCILE_CROSSING, "totals.crossing", r->crossing_ns},
		{RECONCILE_NEGATIVE, "totals.negative", 0},
	};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (r->flags & flags[i].flag)
			add_flag(d, c, r, flags[i].key, flags[i].ns);
}

void add_totals_table(struct document *d, const struct report_case *c)
{
	if (!c->analysis->profiler_table.n)
		return;
	const struct reconcile *r = c->totals;
	add_lines(d, c);
	add_flags(d, c, r);
}

void add_totals_line(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	const struct device_share *sum = &c->totals->line[LINE_DEVICE_SUM],
				  *all = &c->totals->line[LINE_WINDOW_DEVICE];
	if (!c->analysis->profiler_table.n || !sum->ns)
		return;
	document_say(d, BLOCK_CAPTION, "totals.brief", "sum", format_time(a, (double)sum->ns),
		"union", format_time(a, (double)sum->of_ns), "inside",
		format_time(a, (double)all->ns), "window", format_time(a, (double)all->of_ns),
		"share", format_share(a, all->share), NULL);
}
