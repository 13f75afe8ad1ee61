/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/trust.h"

#include "base/format.h"
#include "report/analyse/ledger.h"
#include "report/section/case_tables.h"

#include <string.h>

static const double BUSY_APART = 0.05;

/* ---- busy ---- */

static double busy_share(const struct busy *b)
{
	return b->window_ns > 0 ? (double)b->busy_ns / (double)b->window_ns : -1;
}

void add_busy_table(struct document *d, const struct report_case *c)
{
	const struct busy *busy = c->analysis->busy;
	double least = 2, most = -1;
	int n = 0;
	for (int i = 0; i < BUSY_RULES; i++) {
		double share = busy_share(&busy[i]);
		n += share >= 0;
		least = share >= 0 && share < least ? share : least;
		most = share > most ? share : most;
	}
	if (!n || most - least <= BUSY_APART)
		return;
	struct arena *a = d->arena;
	static const char *const keys[] = {"busy.rule", "busy.busy", "busy.window", "busy.share"};
	struct column *col = arena_array(a, 4, sizeof *col);
	for (int i = 0; i < 4; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = i == 3 ? COLUMN_BAR
				: i    ? COLUMN_NUMBER
				       : COLUMN_TEXT};
	col[0].weight = 1;
	document_heading(d, 3, NULL, say(d->texts, a, "busy.title", NULL));
	document_add(d, BLOCK_TEXT, say(d->texts, a, "busy.about", NULL))->level = 1;
	struct table *t = document_table(d, col, 4, n);
	int row = 0;
	for (int i = 0; i < BUSY_RULES; i++) {
		double share = busy_share(&busy[i]);
		if (share < 0)
			continue;
		char key[32];
		snprintf(key, sizeof key, "busy.rule.%d", i);
		table_cell(t, row, 0)->text = say(d->texts, a, key, NULL);
		table_cell(t, row, 1)->text = format_time(a, (double)busy[i].busy_ns);
		table_cell(t, row, 2)->text = format_time(a, (double)busy[i].window_ns);
		*table_cell(t, row++, 3) = (struct cell){
			.text = format_share(a, share), .share = share, .swatch = "gemm"};
	}
}

/* ---- idle ---- */

static void put_sum(struct document *d, struct table *t, int row, const struct idle_sum *s)
{
	struct arena *a = d->arena;
	table_cell(t, row, 2)->text = format_count(a, (int64_t)s->n);
	table_cell(t, row, 3)->text = format_time(a, (double)s->ns);
	table_cell(t, row, 4)->text = format_time(a, (double)s->longest_ns);
	*table_cell(t, row, 5) = (struct cell){
		.text = format_share(a, s->share), .share = s->share, .swatch = "sync"};
}

/* The cause "held back" by what held; returns the next row. */
static int put_holds(struct document *d, struct table *t, int row, const struct ledger *l)
{
	struct arena *a = d->arena;
	for (int h = HOLD_NOT + 1; h < IDLE_HOLDS; h++) {
		char key[64];
		if (!l->held[h].n)
			continue;
		snprintf(key, sizeof key, "idle.held.%s", idle_hold_name((enum idle_hold)h));
		*table_cell(t, row, 1) =
			(struct cell){.text = say(d->texts, a, key, NULL), .faint = true};
		put_sum(d, t, row++, &l->held[h]);
	}
	return row;
}

static void add_causes(struct document *d, const struct ledger *l)
{
	struct arena *a = d->arena;
	static const char *const keys[] = {"idle.cause", "idle.means", "idle.gaps", "idle.total",
		"idle.longest", "idle.share"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	struct column *col = arena_array(a, COLUMNS, sizeof *col);
	for (int i = 0; i < COLUMNS; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = i < 2		   ? COLUMN_TEXT
				: i == COLUMNS - 1 ? COLUMN_BAR
						   : COLUMN_NUMBER};
	col[1].weight = 1;
	int n = 0;
	for (int i = 0; i < IDLE_CAUSES; i++)
		n += l->sum[i].n > 0;
	for (int h = HOLD_NOT + 1; h < IDLE_HOLDS; h++)
		n += l->held[h].n > 0;
	struct table *t = document_table(d, col, COLUMNS, n);
	int row = 0;
	for (int i = 0; i < IDLE_CAUSES; i++) {
		const struct idle_sum *s = &l->sum[i];
		if (!s->n)
			continue;
		char key[64];
		snprintf(key, sizeof key, "idle.%s", idle_cause_name((enum idle_cause)i));
		*table_cell(t, row, 0) =
			(struct cell){.text = say(d->texts, a, key, NULL), .bold = true};
		snprintf(key, sizeof key, "idle.%s.means", idle_cause_name((enum idle_cause)i));
		table_cell(t, row, 1)->text = say(d->texts, a, key, NULL);
		put_sum(d, t, row++, s);
		if (i == IDLE_HELD)
			row = put_holds(d, t, row, l);
	}
}

/* "host late", or "held back: by a copy". */
static const char *cause_of(struct document *d, const struct idle_gap *g)
{
	char key[64], hold[64];
	struct arena *a = d->arena;
	snprintf(key, sizeof key, "idle.%s", idle_cause_name((enum idle_cause)g->cause));
	const char *cause = say(d->texts, a, key, NULL);
	if (g->hold == HOLD_NOT)
		return cause;
	snprintf(hold, sizeof hold, "idle.held.%s", idle_hold_name((enum idle_hold)g->hold));
	return say(d->texts, a, "idle.held.how", "cause", cause, "by", say(d->texts, a, hold, NULL),
		NULL);
}

static const char *name_at(struct document *d, const struct trace *t, uint32_t row)
{
	return row == NO_ROW ? "–" : event_name(d, trace_row_name(t, row));
}

static void add_longest(struct document *d, const struct report_case *c, const struct ledger *l)
{
	struct arena *a = d->arena;
	static const char *const keys[] = {
		"idle.at", "idle.length", "idle.cause", "idle.waited", "idle.next"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	struct column *col = arena_array(a, COLUMNS, sizeof *col);
	for (int i = 0; i < COLUMNS; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = i < 2	 ? COLUMN_NUMBER
				: i == 2 ? COLUMN_TEXT
					 : COLUMN_CODE,
			.max_lines = i > 2};
	col[3].weight = col[4].weight = 1;
	document_add(d, BLOCK_CAPTION, say(d->texts, a, "idle.longest.about", NULL))->level = 1;
	struct table *t = document_table(d, col, COLUMNS, (int)l->n_longest);
	t->size = 7.2;
	for (uint32_t i = 0; i < l->n_longest; i++) {
		const struct idle_gap *g = &l->gaps[l->longest[i]];
		table_cell(t, (int)i, 0)->text =
			format_time(a, (double)(g->start_ns - c->analysis->window.start_ns));
		table_cell(t, (int)i, 1)->text = format_time(a, (double)g->dur_ns);
		table_cell(t, (int)i, 2)->text = cause_of(d, g);
		uint32_t span = g->waited != NO_ROW ? g->waited : g->evidence;
		table_cell(t, (int)i, 3)->text = span != NO_ROW
			? name_at(d, &c->trace, span)
			: say(d->texts, a, "idle.waited.none", NULL);
		table_cell(t, (int)i, 4)->text = name_at(d, &c->trace, g->after);
	}
}

/* Those of further names, so that the table sums to its two causes. */
static struct idle_waited other_waited(const struct ledger *l)
{
	const struct idle_sum *host = &l->sum[IDLE_HOST], *sync = &l->sum[IDLE_SYNC];
	struct idle_waited others = {.n = host->n + sync->n, .ns = host->ns + sync->ns};
	for (uint32_t i = 0; i < l->n_waited; i++) {
		others.n -= l->waited[i].n;
		others.ns -= l->waited[i].ns;
	}
	return others;
}

static void add_waited(struct document *d, const struct report_case *c, const struct ledger *l)
{
	static const char *const keys[] = {"idle.waited.name", "idle.gaps", "idle.total"};
	struct arena *a = d->arena;
	if (!l->n_waited)
		return;
	struct column *col = arena_array(a, 3, sizeof *col);
	for (int i = 0; i < 3; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = i ? COLUMN_NUMBER : COLUMN_CODE,
			.max_lines = !i};
	col[0].weight = 1;
	document_add(d, BLOCK_CAPTION, say(d->texts, a, "idle.waited.title", NULL))->level = 1;
	struct idle_waited others = other_waited(l);
	struct table *t = document_table(d, col, 3, (int)l->n_waited + (others.n > 0));
	t->size = 7.2;
	for (uint32_t i = 0; i < l->n_waited; i++) {
		const struct idle_waited *w = &l->waited[i];
		table_cell(t, (int)i, 0)->text = w->name
			? event_name(d, trace_name(&c->trace, w->name))
			: say(d->texts, a, "idle.waited.none", NULL);
		table_cell(t, (int)i, 1)->text = format_count(a, (int64_t)w->n);
		table_cell(t, (int)i, 2)->text = format_time(a, (double)w->ns);
	}
	if (!others.n)
		return;
	int last = (int)l->n_waited;
	*table_cell(t, last, 0) =
		(struct cell){.text = say(d->texts, a, "idle.waited.others", NULL), .faint = true};
	table_cell(t, last, 1)->text = format_count(a, (int64_t)others.n);
	table_cell(t, last, 2)->text = format_time(a, (double)others.ns);
}

void add_ledger_tables(struct document *d, const struct report_case *c)
{
	if (!c->analysis->n_device)
		return;
	struct arena *a = d->arena;
	const struct ledger *l = c->ledger;
	if (!l->idle_ns)
		return;
	document_heading(d, 3, NULL, say(d->texts, a, "idle.title", NULL));
	document_add(d, BLOCK_TEXT,
		say(d->texts, a, "idle.about", "idle", format_time(a, (double)l->idle_ns), "window",
			format_time(a, (double)l->window_ns), "share",
			format_share(a, (double)l->idle_ns / (double)l->window_ns), NULL))
		->level = 1;
	add_causes(d, l);
	add_waited(d, c, l);
	add_longest(d, c, l);
}
