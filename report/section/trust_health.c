/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/trust.h"

#include "base/format.h"
#include "report/analyse/health.h"
#include "report/section/case_tables.h"

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
	return say(d->texts, d->arena, key, "offset", format_count(d->arena, p->offset), "context",
		p->context, NULL);
}

const char *repair_text(struct document *d, const struct repair *r)
{
	struct arena *a = d->arena;
	const char *text = say(d->texts, a, "health.repair", "what", r->what, "count",
		format_count(a, r->count), "place", place_text(d, &r->place[0]), NULL);
	for (int i = 1; i < r->n_places; i++)
		text = say(d->texts, a, "health.repair.then", "text", text, "place",
			place_text(d, &r->place[i]), NULL);
	return text;
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

static void put_words(struct document *d, struct table *t, int row, const struct health_row *h)
{
	char key[64];
	snprintf(key, sizeof key, "health.%s", h->key);
	*table_cell(t, row, 0) =
		(struct cell){.text = say(d->texts, d->arena, key, NULL), .bold = h->bad};
	snprintf(key, sizeof key, "health.%s.means", h->key);
	table_cell(t, row, t->n_columns - 1)->text = say(d->texts, d->arena, key, NULL);
}

/* The first and the last column hold words, those between them numbers. */
static struct table *health_table(struct document *d, const char *const *keys, int columns, int n)
{
	struct arena *a = d->arena;
	struct column *col = arena_array(a, (size_t)columns, sizeof *col);
	for (int i = 0; i < columns; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = i && i < columns - 1 ? COLUMN_NUMBER : COLUMN_TEXT};
	col[0].weight = 36;
	col[columns - 1].weight = 64;
	return document_table(d, col, columns, n);
}

void add_health_table(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	struct health_row row[HEALTH_ROWS];
	int n = health_rows(c->health, &c->trace, row);
	document_heading(d, 3, NULL, say(d->texts, a, "health.title", NULL));
	const char *events = format_count(a, (int64_t)c->trace.n);
	if (!n && !c->trace.n_repairs) {
		document_add(
			d, BLOCK_TEXT, say(d->texts, a, "health.good", "events", events, NULL));
		return;
	}
	static const char *const keys[] = {
		"health.what", "health.n", "health.time", "health.means"};
	struct table *t = n ? health_table(d, keys, 4, n) : NULL;
	for (int i = 0; i < n; i++) {
		put_words(d, t, i, &row[i]);
		table_cell(t, i, 1)->text = is_state(row[i].key) ? "" : format_count(a, row[i].n);
		table_cell(t, i, 2)->text =
			row[i].time_ns ? format_time(a, (double)row[i].time_ns) : "";
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
	static const char *const keys[] = {
		"health.what", "health.traces", "health.n", "health.time", "health.means"};
	struct arena *a = d->arena;
	struct table *t = health_table(d, keys, 5, n + (repairs > 0));
	int at = 0;
	if (repairs) {
		put_words(d, t, at, &(struct health_row){.key = "mended", .bad = true});
		table_cell(t, at, 1)->text = format_count(a, mended);
		table_cell(t, at++, 2)->text = format_count(a, repairs);
	}
	for (int i = 0; i < 2 * n; i++) {
		const struct health_row *row = &sum[i % n].row;
		if (row->bad != (i < n))
			continue;
		put_words(d, t, at, row);
		table_cell(t, at, 1)->text = format_count(a, sum[i % n].traces);
		table_cell(t, at, 2)->text = is_state(row->key) ? "" : format_count(a, row->n);
		table_cell(t, at++, 3)->text =
			row->time_ns ? format_time(a, (double)row->time_ns) : "";
	}
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
	document_heading(d, 2, NULL, say(d->texts, d->arena, "health.title", NULL));
	if (n || repairs)
		put_sums(d, sum, n, repairs, mended);
	else
		document_add(d, BLOCK_TEXT,
			say(d->texts, d->arena, "health.good", "events",
				format_count(d->arena, events), NULL));
}
