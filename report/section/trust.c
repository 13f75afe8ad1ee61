/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/analyse/idle_causes.h"
#include "report/section/fact_tables.h"

#include <math.h>
#include <string.h>

static const double BUSY_APART = 0.05;

/* ---- busy ---- */

static double busy_share(const struct busy *b)
{
	return b->window_ns > 0 ? (double)b->busy_ns / (double)b->window_ns : -1;
}

static const char *swatch_of_rule(const char *rule)
{
	(void)rule;
	return "gemm";
}

static const struct fact_form busy_form = {.table = "busy",
	.column = {{"rule", "busy.rule", FACT_WORD, 1, "busy.rule."}, {"busy_ns", "busy.busy"},
		{"window_ns", "busy.window"}, {"share", "busy.share", FACT_BAR}},
	.swatch = swatch_of_rule};

void add_busy_table(struct document *d, const struct report_case *c)
{
	if (c->trace.ends_early)
		return;
	const struct busy *busy = c->analysis->busy;
	double least = 2, most = -1;
	for (int i = 0; i < BUSY_RULES; i++) {
		double share = busy_share(&busy[i]);
		least = share >= 0 ? fmin(share, least) : least;
		most = fmax(share, most);
	}
	if (most - least <= BUSY_APART)
		return;
	document_heading(d, 3, NULL, said(d, "busy.title", NULL));
	document_say(d, BLOCK_TEXT, "busy.about", NULL)->level = 1;
	add_facts(d, c, &busy_form);
}

/* ---- idle ---- */

static const struct table_form causes_form = {
	.column = {{"idle.cause"}, {"idle.means", .weight = 1}, {"idle.gaps", COLUMN_NUMBER},
		{"idle.total", COLUMN_NUMBER}, {"idle.longest", COLUMN_NUMBER},
		{"idle.share", COLUMN_BAR}}};

static void put_sum(struct rows *t, const struct idle_sum *s)
{
	put_count(t, (int64_t)s->n);
	put_time(t, (double)s->ns);
	put_time(t, (double)s->longest_ns);
	put_bar(t, s->share, "sync");
}

/* The cause "held back" by what held. */
static void put_holds(struct rows *t, const struct idle_causes *l)
{
	for (int h = HOLD_NOT + 1; h < IDLE_HOLDS; h++) {
		if (!l->held[h].n)
			continue;
		put(t, "");
		put(t, said_by(t->d, "idle.held.%s", idle_hold_name((enum idle_hold)h)))->faint =
			true;
		put_sum(t, &l->held[h]);
	}
}

void add_causes(struct document *d, const struct idle_causes *l)
{
	struct rows t = rows_begin(d, &causes_form, 0);
	for (int i = 0; i < IDLE_CAUSES; i++) {
		const char *name = idle_cause_name((enum idle_cause)i);
		if (l->sum[i].n) {
			put(&t, said_by(d, "idle.%s", name))->bold = true;
			put(&t, said_by(d, "idle.%s.means", name));
			put_sum(&t, &l->sum[i]);
		}
		if (i == IDLE_HELD)
			put_holds(&t, l);
	}
}

/* "host late", or "held back: by a copy". */
static const char *cause_of(struct document *d, const struct idle_gap *g)
{
	const char *cause = said_by(d, "idle.%s", idle_cause_name((enum idle_cause)g->cause));
	if (g->hold == HOLD_NOT)
		return cause;
	return said(d, "idle.held.how", "cause", cause, "by",
		said_by(d, "idle.held.%s", idle_hold_name((enum idle_hold)g->hold)), NULL);
}

static const char *name_at(struct document *d, const struct trace *t, uint32_t row)
{
	return row == NO_ROW ? "–" : event_name(d, trace_row_name(t, row));
}

static const struct table_form longest_form = {
	.column = {{"idle.at", COLUMN_NUMBER}, {"idle.length", COLUMN_NUMBER}, {"idle.cause"},
		{"idle.waited", COLUMN_CODE, 1, 1}, {"idle.next", COLUMN_CODE, 1, 1}}};

static void add_longest(
	struct document *d, const struct report_case *c, const struct idle_causes *l)
{
	document_say(d, BLOCK_CAPTION, "idle.longest.about", NULL)->level = 1;
	struct rows t = rows_begin(d, &longest_form, 0);
	for (uint32_t i = 0; i < l->n_longest; i++) {
		struct idle_gap g = idle_gap_at(l, l->longest[i]);
		uint32_t span = g.waited != NO_ROW ? g.waited : g.evidence;
		put_time(&t, (double)(g.start_ns - c->analysis->window.start_ns));
		put_time(&t, (double)g.dur_ns);
		put(&t, cause_of(d, &g));
		put(&t,
			span != NO_ROW ? name_at(d, &c->trace, span)
				       : said(d, "idle.waited.none", NULL));
		put(&t, name_at(d, &c->trace, g.after));
	}
}

/* What was waited for under further names, as one row, so that the table sums to its two causes. */
static struct idle_waited other_waited(const struct idle_causes *l)
{
	const struct idle_sum *host = &l->sum[IDLE_HOST], *sync = &l->sum[IDLE_SYNC];
	struct idle_waited others = {.n = host->n + sync->n, .ns = host->ns + sync->ns};
	for (uint32_t i = 0; i < l->n_waited; i++) {
		others.n -= l->waited[i].n;
		others.ns -= l->waited[i].ns;
	}
	return others;
}

static const struct table_form waited_form = {
	.column = {{"idle.waited.name", COLUMN_CODE, 1, 1}, {"idle.gaps", COLUMN_NUMBER},
		{"idle.total", COLUMN_NUMBER}}};

static void put_waited(struct rows *t, const char *name, const struct idle_waited *w, bool faint)
{
	put(t, name)->faint = faint;
	put_count(t, (int64_t)w->n);
	put_time(t, (double)w->ns);
}

/* Steps and objects of Python are one each, whatever number or address their names end in. */
static const char *waited_name(
	struct document *d, const struct report_case *c, const struct idle_waited *w)
{
	static const char step[] = "ProfilerStep#";
	if (!w->name)
		return said(d, "idle.waited.none", NULL);
	const char *name = trace_name(&c->trace, w->name);
	return event_name(d, strncmp(name, step, sizeof step - 1) ? name : "ProfilerStep*");
}

struct named_wait {
	const char *name;
	struct idle_waited sum;
};

/* Largest first, as they were. */
static int waits_by_name(struct document *d, const struct report_case *c,
	const struct idle_causes *l, struct named_wait *w)
{
	int n = 0;
	for (uint32_t i = 0; i < l->n_waited; i++) {
		int at = 0;
		struct named_wait one = {waited_name(d, c, &l->waited[i]), l->waited[i]};
		while (at < n && strcmp(w[at].name, one.name) != 0)
			at++;
		if (at < n) {
			one.sum.n += w[at].sum.n;
			one.sum.ns += w[at].sum.ns;
		} else {
			n++;
		}
		for (; at && w[at - 1].sum.ns < one.sum.ns; at--)
			w[at] = w[at - 1];
		w[at] = one;
	}
	return n;
}

static void add_waited(struct document *d, const struct report_case *c, const struct idle_causes *l)
{
	if (!l->n_waited)
		return;
	document_say(d, BLOCK_CAPTION, "idle.waited.title", NULL)->level = 1;
	struct rows t = rows_begin(d, &waited_form, 0);
	struct named_wait *w = arena_array(d->arena, l->n_waited, sizeof *w);
	int n = waits_by_name(d, c, l, w);
	for (int i = 0; i < n; i++)
		put_waited(&t, w[i].name, &w[i].sum, false);
	struct idle_waited others = other_waited(l);
	if (others.n)
		put_waited(&t, said(d, "idle.waited.others", NULL), &others, true);
}

void add_idle_cause_tables(struct document *d, const struct report_case *c)
{
	if (!c->analysis->n_device || c->trace.ends_early)
		return;
	struct arena *a = d->arena;
	const struct idle_causes *l = c->idle_causes;
	if (!l->idle_ns)
		return;
	document_heading(d, 3, NULL, said(d, "idle.title", NULL));
	document_say(d, BLOCK_TEXT, "idle.about", "idle", format_time(a, (double)l->idle_ns),
		"window", format_time(a, (double)l->window_ns), "share",
		format_share(a, (double)l->idle_ns / (double)l->window_ns), NULL)
		->level = 1;
	add_causes(d, l);
	add_waited(d, c, l);
	add_longest(d, c, l);
}
