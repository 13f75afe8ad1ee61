/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/trust.h"

#include "base/format.h"
#include "report/analyse/reconcile.h"
#include "report/section/case_tables.h"

#include <inttypes.h>
#include <string.h>

/* ---- the totals, each reached by three ways ---- */

static void put_total(struct document *d, struct table *t, int row, const char *key,
	const int64_t ns[3], bool exact)
{
	struct arena *a = d->arena;
	table_cell(t, row, 0)->text = say(d->texts, a, key, NULL);
	for (int i = 0; i < 3; i++)
		table_cell(t, row, i + 1)->text = format_time(a, (double)ns[i]);
	int64_t low = ns[0], high = ns[0];
	for (int i = 1; i < 3; i++) {
		low = ns[i] < low ? ns[i] : low;
		high = ns[i] > high ? ns[i] : high;
	}
	*table_cell(t, row, 4) = (struct cell){.verdict = exact ? KEPT : BROKEN,
		.text = exact ? say(d->texts, a, "totals.equal", NULL)
			      : say(d->texts, a, "totals.differ", "time",
					format_time(a, (double)(high - low)), NULL)};
}

static void add_ways(struct document *d, const struct reconcile *r)
{
	static const char *const keys[] = {
		"totals.total", "totals.rows", "totals.footer", "totals.other", "totals.verdict"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	struct arena *a = d->arena;
	struct column *col = arena_array(a, COLUMNS, sizeof *col);
	for (int i = 0; i < COLUMNS; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = !i		   ? COLUMN_TEXT
				: i == COLUMNS - 1 ? COLUMN_VERDICT
						   : COLUMN_NUMBER};
	col[0].weight = 1;
	bool device = r->device_events_ns || r->device_footer_ns;
	struct table *t = document_table(d, col, COLUMNS, 1 + device);
	t->size = 7.2;
	const int64_t cpu[] = {r->cpu_rows_ns, r->cpu_footer_ns, r->cpu_roots_ns};
	const int64_t device_ns[] = {r->device_rows_ns, r->device_footer_ns, r->device_events_ns};
	put_total(d, t, 0, "totals.cpu", cpu, r->cpu_exact);
	if (device)
		put_total(d, t, 1, "totals.device", device_ns, r->device_exact);
}

/* ---- sums against unions against windows ---- */

static void add_lines(struct document *d, const struct reconcile *r)
{
	static const char *const keys[] = {
		"totals.time", "totals.ns", "totals.of", "totals.of_ns", "totals.share"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	struct arena *a = d->arena;
	int n = 0;
	for (int i = 0; i < DEVICE_LINES; i++)
		n += r->line[i].of_ns != 0;
	if (!n)
		return;
	struct column *col = arena_array(a, COLUMNS, sizeof *col);
	for (int i = 0; i < COLUMNS; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = i == 0 || i == 2 ? COLUMN_TEXT : COLUMN_NUMBER};
	col[0].weight = col[2].weight = 1;
	document_add(d, BLOCK_CAPTION, say(d->texts, a, "totals.lines", NULL))->level = 2;
	struct table *t = document_table(d, col, COLUMNS, n);
	t->size = 7.2;
	for (int i = 0, row = 0; i < DEVICE_LINES; i++) {
		const struct device_share *s = &r->line[i];
		char key[32];
		if (!s->of_ns)
			continue;
		snprintf(key, sizeof key, "totals.line.%d", i);
		table_cell(t, row, 0)->text = say(d->texts, a, key, NULL);
		table_cell(t, row, 1)->text = format_time(a, (double)s->ns);
		snprintf(key, sizeof key, "totals.line.%d.of", i);
		table_cell(t, row, 2)->text = say(d->texts, a, key, NULL);
		table_cell(t, row, 3)->text = format_time(a, (double)s->of_ns);
		table_cell(t, row++, 4)->text = format_share(a, s->share);
	}
}

/* ---- what is in them twice, or not at all ---- */

static void add_flag(struct document *d, const struct report_case *c, const struct reconcile *r,
	const char *key, int64_t ns)
{
	struct arena *a = d->arena;
	const struct analysis *an = c->analysis;
	int64_t total = r->cpu_footer_ns;
	struct block *b = document_add(d, BLOCK_POINT,
		say(d->texts, a, key, "time", format_time(a, (double)ns), "threads",
			format_count(a, r->n_threads), "rows",
			format_count(a, (int64_t)r->negative_rows), "unlinked",
			format_time(a, (double)r->unlinked_ns), "share",
			format_share(a, total ? (double)ns / (double)total : 0), "window",
			format_time(a, (double)(an->window.end_ns - an->window.start_ns)), NULL));
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
		{RECONCILE_WAITS, "totals.waits", an->regime.wait_ns},
		{RECONCILE_CROSSING, "totals.crossing", r->crossing_ns},
		{RECONCILE_NEGATIVE, "totals.negative", 0},
	};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (r->flags & flags[i].flag)
			add_flag(d, c, r, flags[i].key, flags[i].ns);
}

void add_totals_table(struct document *d, const struct report_case *c)
{
	if (!c->analysis->averages.n)
		return;
	const struct reconcile *r = c->totals;
	document_add(d, BLOCK_CAPTION, say(d->texts, d->arena, "totals.about", NULL))->level = 1;
	add_ways(d, r);
	add_lines(d, r);
	add_flags(d, c, r);
}

void add_totals_line(struct document *d, const struct report_case *c)
{
	if (!c->analysis->averages.n)
		return;
	struct arena *a = d->arena;
	const struct reconcile *r = c->totals;
	const struct device_share *sum = &r->line[LINE_DEVICE_SUM],
				  *all = &r->line[LINE_WINDOW_DEVICE];
	bool exact = r->cpu_exact && r->device_exact;
	const char *key = !exact ? "totals.brief.differ"
		: sum->ns	 ? "totals.brief"
				 : "totals.brief.host";
	document_add(d, BLOCK_CAPTION,
		say(d->texts, a, key, "sum", format_time(a, (double)sum->ns), "union",
			format_time(a, (double)sum->of_ns), "inside",
			format_time(a, (double)all->ns), "window",
			format_time(a, (double)all->of_ns), "share", format_share(a, all->share),
			NULL));
}
