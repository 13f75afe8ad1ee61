/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/format.h"
#include "base/memory.h"
#include "report/analyse/health.h"
#include "report/page/rows.h"
#include "report/trace/repair.h"

#include <string.h>

struct health_row {
	const char *
		key; /* "health.<key>" says what it is, "health.<key>.means" what follows from it */
	int64_t n, time_ns;
	bool bad; /* else it is only worth knowing */
};

enum { HEALTH_ROWS = 20 }; /* at least as many as there are keys */

/* A clock that starts with the recording has events at 0. Their times are lost where everything
 * else lies farther away than it is long, or where several device events are said to begin there.
 */
static bool zero_is_lost(const struct trace *t)
{
	uint32_t i = 0;
	int device = 0;
	for (; i < t->n && t->start_ns[i] + t->origin_ns <= 0; i++)
		device += t->start_ns[i] + t->origin_ns == 0 && event_on_device(t->kind[i]);
	if (device > 1 || i == t->n)
		return device > 1;
	return t->start_ns[i] + t->origin_ns > t->end_ns - t->start_ns[i];
}

static int health_rows(const struct health *h, const struct trace *t, struct health_row *row)
{
	bool host_only = !h->device_events;
	const struct health_row all[] = {
		{"cut", h->cut, 0, true},
		{"lost", h->lost, 0, true},
		{"dropped", h->dropped > 0 ? h->dropped : 0, 0, true},
		{"orphans", h->orphans.n, h->orphans.time_ns, true},
		{"early", h->early.n, h->early.largest_ns, true},
		{"unfinished", h->unfinished, 0, true},
		{"clipped", h->clipped, 0, true},
		{"zero_stamps", h->zero_stamps && zero_is_lost(t) ? h->zero_stamps : 0, 0, true},
		{"other_clock", h->other_clock, 0, true},
		{"overlaps", h->overlaps.n, h->overlaps.time_ns, false},
		{"idle_launches", h->device_events ? h->idle_launches.n : 0,
			h->idle_launches.time_ns, false},
		{"graphs", h->graphs.n, h->graphs.time_ns, false},
		{"crossing", h->crossing.n, h->crossing.time_ns, false},
		{"external", h->external_is_correlation, 0, false},
		{"no_device", host_only, 0, false},
		{"no_kernels", !host_only && !h->of_kind[EVENT_KERNEL], 0, false},
		{"no_ops", t->n && !h->of_kind[EVENT_OP], 0, false},
		{host_only ? "no_steps_host" : "no_steps", t->n && !h->steps, 0, false},
		{"empty", !t->n, 0, true},
	};
	int n = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].n)
			row[n++] = all[i];
	return n;
}

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
	const char *key = p->offset < 0 ? "health.place.unknown"
		: !*p->context		? "health.place.bare"
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

void add_unread_rest(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		if (!c->readable)
			continue;
		const struct repair *r = trace_cut(&c->trace);
		if (r)
			document_say(d, BLOCK_TEXT, "summary.cut", "title", c->title, "offset",
				format_count(a, r->place[0].offset), "what",
				said_by(d, "repair.%s", repair_key(r->kind)), NULL);
		r = trace_repair(&c->trace, REPAIR_MEMORY);
		if (r)
			document_say(d, BLOCK_TEXT, "summary.memory", "title", c->title, "offset",
				format_count(a, r->place[0].offset), "limit", memory_words(a),
				NULL);
		r = trace_repair(&c->trace, REPAIR_GZ_INFLATES);
		if (r)
			document_say(d, BLOCK_TEXT, "summary.inflates", "title", c->title, "offset",
				format_count(a, r->place[0].offset), NULL);
	}
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
		sum[i].row.time_ns =
			row->time_ns > sum[i].row.time_ns ? row->time_ns : sum[i].row.time_ns;
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
