/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/memory.h"
#include "base/min_max.h"
#include "base/number_format.h"
#include "report/analyse/health.h"
#include "report/page/table_builder.h"
#include "report/trace/repair.h"

#include <string.h>

/* Rows that say how the file is, not how often something happens in it. */
static bool is_state(const char *key)
{
	static const char *const states[] = {"cut", "external", "no_device", "no_kernels", "no_ops",
		"no_steps", "no_steps_host", "empty"};
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (!strcmp(states[i], key))
			return true;
	return false;
}

static const char *place_text(struct document *d, const struct repair_place *p)
{
	const char *key = p->offset == PLACE_IN_TABLE ? "health.place.table"
		: p->offset < 0			      ? "health.place.unknown"
		: !*p->context			      ? "health.place.bare"
						      : "health.place";
	return said(
		d, key, "offset", format_count(d->arena, p->offset), "context", p->context, NULL);
}

const char *repair_text(struct document *d, const struct repair *r)
{
	struct arena *a = d->arena;
	const char *what = said(d, arena_printf(a, "repair.%s", repair_key(r->kind)), NULL);
	const char *text = said(d, "health.repair", "what", what, "count",
		format_count(a, r->count), "place", place_text(d, &r->place[0]), NULL);
	for (int i = 1; i < r->n_places; i++)
		text = said(d, "health.repair.then", "text", text, "place",
			place_text(d, &r->place[i]), NULL);
	return text;
}

/* ---- what of a file is not in any number ---- */

/* More than these are told by their number and the first of them. */
enum { FEW_TRACES = 3 };

/* A place in a database is a table. */
static void say_limit(struct document *d, const struct report_case *c, const struct repair *r,
	const char *key, int n, int all)
{
	struct arena *a = d->arena;
	key = arena_printf(a, "%s%s%s", key, n > FEW_TRACES ? ".many" : "",
		r->place[0].offset == PLACE_IN_TABLE ? ".table" : "");
	document_say(d, BLOCK_TEXT, key, "title", c->title, "n", format_count(a, n), "all",
		format_count(a, all), "offset", format_count(a, r->place[0].offset), "table",
		r->place[0].context, "what", said_by(d, "repair.%s", repair_key(r->kind)), "limit",
		memory_words(a), NULL);
}

static void add_limits(struct document *d, const struct input *in, const char *key,
	const struct repair *(*find)(const struct trace *t))
{
	int n = 0, all = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		all += c->readable;
		n += c->readable && find(&c->trace);
	}
	for (const struct report_case *c = NULL; n && (c = next_case(in, c));) {
		const struct repair *r = c->readable ? find(&c->trace) : NULL;
		if (!r)
			continue;
		say_limit(d, c, r, key, n, all);
		if (n > FEW_TRACES)
			break;
	}
}

static const struct repair *memory_of(const struct trace *t)
{
	return trace_repair(t, REPAIR_MEMORY);
}

static const struct repair *inflates_of(const struct trace *t)
{
	return trace_repair(t, REPAIR_GZ_INFLATES);
}

void add_unread_rest(struct document *d, const struct input *in)
{
	int parts = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (c->readable && c->trace.part.of && parts++ < FEW_TRACES)
			add_part_line(d, c);
	if (parts > FEW_TRACES)
		document_say(d, BLOCK_TEXT, "summary.part.more", "n",
			format_count(d->arena, parts - FEW_TRACES), NULL);
	add_limits(d, in, "summary.cut", trace_cut);
	add_limits(d, in, "summary.memory", memory_of);
	add_limits(d, in, "summary.inflates", inflates_of);
}

static void put_repairs(struct document *d, const struct report_case *c)
{
	for (size_t i = 0; i < c->trace.n_repairs; i++) {
		struct block *b =
			document_add(d, BLOCK_POINT, repair_text(d, &c->trace.repairs[i]));
		b->note = "–";
		b->verdict = OPEN;
	}
}

enum { TRACES = 1u << 1 }; /* the column of how many traces have it, of several only */

static const struct table_form form = {
	.column = {{"health.what", .weight = 36}, {"health.traces", COLUMN_NUMBER},
		{"health.n", COLUMN_NUMBER}, {"health.time", COLUMN_NUMBER},
		{"health.means", .weight = 64}}};

static void put_row(struct rows *t, const struct health_row *h, int traces)
{
	struct arena *a = t->d->arena;
	put(t, said_by(t->d, "health.%s", h->key))->bold = h->bad;
	put_count(t, traces);
	put(t, is_state(h->key) ? "" : format_count(a, h->n));
	put(t, h->time_ns ? format_time(a, (double)h->time_ns) : "");
	put(t, said_by(t->d, "health.%s.means", h->key));
}

void add_health_table(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	struct health_row row[HEALTH_ROWS];
	int n = health_rows(c->health, &c->trace, row);
	document_heading(d, 3, NULL, said(d, "health.title", NULL));
	const char *events = format_count(a, (int64_t)c->trace.n);
	if (!n && !c->trace.n_repairs) {
		document_say(d, BLOCK_TEXT, "health.good", "events", events, NULL);
		return;
	}
	if (n) {
		struct rows t = rows_begin(d, &form, TRACES);
		for (int i = 0; i < n; i++)
			put_row(&t, &row[i], 1);
	}
	put_repairs(d, c);
}

/* ---- several traces ---- */

struct health_sum {
	struct health_row row;
	int traces;
};

static void add_to(struct health_sum *sum, int *n, const struct health_row *row)
{
	int i = 0;
	while (i < *n && strcmp(sum[i].row.key, row->key) != 0)
		i++;
	if (i == *n)
		sum[(*n)++] = (struct health_sum){.row = {.key = row->key, .bad = row->bad}};
	sum[i].traces++;
	sum[i].row.n += row->n;
	/* Of clocks that are apart the largest distance is told, of all else the sum. */
	if (!strcmp(row->key, "early"))
		sum[i].row.time_ns = max64(row->time_ns, sum[i].row.time_ns);
	else
		sum[i].row.time_ns += row->time_ns;
}

static void put_sums(
	struct document *d, const struct health_sum *sum, int n, int64_t repairs, int mended)
{
	struct rows t = rows_begin(d, &form, 0);
	if (repairs)
		put_row(&t, &(struct health_row){.key = "mended", .n = repairs, .bad = true},
			mended);
	for (int i = 0; i < 2 * n; i++)
		if (sum[i % n].row.bad == (i < n))
			put_row(&t, &sum[i % n].row, sum[i % n].traces);
}

void add_health_of_all(struct document *d, const struct run *run)
{
	struct health_sum sum[HEALTH_ROWS];
	int n = 0, mended = 0;
	int64_t repairs = 0, events = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		struct health_row row[HEALTH_ROWS];
		if (!c->readable)
			continue;
		int rows = health_rows(c->health, &c->trace, row);
		for (int k = 0; k < rows; k++)
			add_to(sum, &n, &row[k]);
		repairs += c->health->repairs;
		mended += c->health->repairs > 0;
		events += (int64_t)c->trace.n;
	}
	document_heading(d, 2, NULL, said(d, "health.title", NULL));
	if (n || repairs)
		put_sums(d, sum, n, repairs, mended);
	else
		document_say(d, BLOCK_TEXT, "health.good", "events", format_count(d->arena, events),
			NULL);
}
