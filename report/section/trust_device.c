/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/trust.h"

#include "base/format.h"
#include "report/analyse/launches.h"
#include "report/analyse/streams.h"
#include "report/section/case_tables.h"

/* One row per key: "<prefix>.<key>" names it. */
static struct table *plain_table(
	struct document *d, const char *const *keys, int columns, int rows, int bar_column)
{
	struct arena *a = d->arena;
	struct column *col = arena_array(a, (size_t)columns, sizeof *col);
	for (int i = 0; i < columns; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = !i		  ? COLUMN_TEXT
				: i == bar_column ? COLUMN_BAR
						  : COLUMN_NUMBER};
	col[0].weight = 1;
	return document_table(d, col, columns, rows);
}

/* ---- launches ---- */

static void put_stats(
	struct document *d, struct table *t, int row, const char *key, const struct stats *s)
{
	struct arena *a = d->arena;
	table_cell(t, row, 0)->text = say(d->texts, a, key, NULL);
	table_cell(t, row, 1)->text = format_count(a, (int64_t)s->n);
	if (!s->n)
		return;
	table_cell(t, row, 2)->text = format_time(a, s->median);
	table_cell(t, row, 3)->text = format_time(a, s->mean);
	table_cell(t, row, 4)->text =
		arena_printf(a, "%s – %s", format_time(a, s->p5), format_time(a, s->p95));
	table_cell(t, row, 5)->text = format_time(a, (double)s->max);
}

static void add_launch_sentences(struct document *d, const struct launch_stats *l)
{
	struct arena *a = d->arena;
	document_add(d, BLOCK_TEXT,
		say(d->texts, a, "launches.about", "short", format_count(a, (int64_t)l->n_short),
			"single", format_count(a, (int64_t)l->n_single), "share",
			format_share(a, l->short_share), "slow",
			format_count(a, (int64_t)l->n_slow), "late",
			format_count(a, (int64_t)l->n_late), "queue", format_count(a, l->queue_max),
			NULL));
	if (l->n_graphs)
		document_add(d, BLOCK_TEXT,
			say(d->texts, a, "launches.graphs", "n",
				format_count(a, (int64_t)l->n_graphs), "kernels",
				format_count(a, (int64_t)l->n_graph_kernels), "largest",
				format_count(a, (int64_t)l->largest_graph), NULL));
	if (l->launch_bound)
		document_add(d, BLOCK_TEXT, say(d->texts, a, "launches.bound", NULL));
}

void add_launch_tables(struct document *d, const struct report_case *c)
{
	static const char *const keys[] = {"launches.what", "case.kernel.calls",
		"case.kernel.median", "case.kernel.mean", "case.kernel.spread", "launches.max"};
	const struct launch_stats *l = c->launches;
	if (!l->n_calls)
		return;
	document_heading(d, 3, NULL, say(d->texts, d->arena, "launches.title", NULL));
	struct table *t = plain_table(d, keys, 6, 3, -1);
	put_stats(d, t, 0, "launches.call", &l->call);
	put_stats(d, t, 1, "launches.queue", &l->queue);
	put_stats(d, t, 2, "launches.kernel", &l->kernel);
	add_launch_sentences(d, l);
}

/* ---- what the device did ---- */

static void add_split(struct document *d, const struct streams *s)
{
	static const char *const keys[] = {"split.what", "split.time", "split.share"};
	static const char *const rows[] = {
		"split.compute", "split.communication", "split.copy", "split.idle"};
	static const char *const swatches[] = {"gemm", "communication", "copy", "sync"};
	const int64_t ns[] = {
		s->compute_ns, s->exposed_communication_ns, s->exposed_copy_ns, s->idle_ns};
	struct arena *a = d->arena;
	struct table *t = plain_table(d, keys, 3, 4, 2);
	for (int i = 0; i < 4; i++) {
		double share = s->window_ns ? (double)ns[i] / (double)s->window_ns : 0;
		*table_cell(t, i, 0) = (struct cell){
			.text = say(d->texts, a, rows[i], NULL), .swatch = swatches[i]};
		table_cell(t, i, 1)->text = format_time(a, (double)ns[i]);
		*table_cell(t, i, 2) = (struct cell){
			.text = format_share(a, share), .share = share, .swatch = swatches[i]};
	}
	if (s->communication_ns)
		document_add(d, BLOCK_TEXT,
			say(d->texts, a, "split.overlap", "share",
				format_share(a, s->overlap_share), "time",
				format_time(a, (double)s->communication_ns), NULL));
}

static void add_streams(struct document *d, const struct report_case *c, const struct streams *s)
{
	static const char *const keys[] = {"streams.stream", "streams.kernels", "streams.copies",
		"streams.fills", "streams.busy", "streams.share"};
	enum { MOST_STREAMS = 12 };
	struct arena *a = d->arena;
	int n = s->n_streams < MOST_STREAMS ? (int)s->n_streams : MOST_STREAMS;
	if (n < 2)
		return;
	struct table *t = plain_table(d, keys, 6, n, 5);
	for (int i = 0; i < n; i++) {
		const struct stream_use *u = &s->stream[i];
		const struct track *k = &c->trace.tracks[u->track];
		const struct names *names = &c->trace.names;
		table_cell(t, i, 0)->text = literal(d,
			arena_printf(a, "%s, %s",
				names_text(names, k->label ? k->label : k->process),
				names_text(names, k->thread)));
		table_cell(t, i, 1)->text = format_count(a, (int64_t)u->kernels);
		table_cell(t, i, 2)->text = format_count(a, (int64_t)u->copies);
		table_cell(t, i, 3)->text = format_count(a, (int64_t)u->fills);
		table_cell(t, i, 4)->text = format_time(a, (double)u->busy_ns);
		*table_cell(t, i, 5) = (struct cell){
			.text = format_share(a, u->share), .share = u->share, .swatch = "gemm"};
	}
	if ((int)s->n_streams > n)
		document_add(d, BLOCK_CAPTION,
			say(d->texts, a, "streams.more", "n",
				format_count(a, (int64_t)s->n_streams - n), NULL));
}

static void add_copies(struct document *d, const struct streams *s)
{
	static const char *const keys[] = {
		"copies.way", "case.kernel.calls", "copies.bytes", "copies.time", "copies.rate"};
	struct arena *a = d->arena;
	if (!s->n_copies)
		return;
	struct table *t = plain_table(d, keys, 5, (int)s->n_copies, -1);
	for (uint32_t i = 0; i < s->n_copies; i++) {
		const struct copy_use *u = &s->copy[i];
		char key[64];
		snprintf(key, sizeof key, "copies.%d.%d", u->way, u->memory);
		table_cell(t, (int)i, 0)->text = say(d->texts, a, key, NULL);
		table_cell(t, (int)i, 1)->text = format_count(a, (int64_t)u->n);
		table_cell(t, (int)i, 2)->text =
			u->n_sized ? format_si(a, (double)u->bytes, "B") : "–";
		table_cell(t, (int)i, 3)->text = format_time(a, (double)u->ns);
		table_cell(t, (int)i, 4)->text =
			u->gb_per_s > 0 ? arena_printf(a, "%.1f GB/s", u->gb_per_s) : "–";
	}
}

static void add_collectives(
	struct document *d, const struct report_case *c, const struct streams *s)
{
	static const char *const keys[] = {
		"collectives.name", "case.kernel.calls", "copies.time", "collectives.exposed"};
	enum { MOST = 8 };
	struct arena *a = d->arena;
	int n = s->n_collectives < MOST ? (int)s->n_collectives : MOST;
	if (!n)
		return;
	struct table *t = plain_table(d, keys, 4, n, -1);
	for (int i = 0; i < n; i++) {
		const struct collective *u = &s->collective[i];
		table_cell(t, i, 0)->text = event_name(d, trace_name(&c->trace, u->name));
		table_cell(t, i, 1)->text = format_count(a, (int64_t)u->n);
		table_cell(t, i, 2)->text = format_time(a, (double)u->ns);
		table_cell(t, i, 3)->text = format_time(a, (double)u->exposed_ns);
	}
}

void add_device_tables(struct document *d, const struct report_case *c)
{
	if (!c->analysis->n_device)
		return;
	const struct streams *s = c->streams;
	document_heading(d, 3, NULL, say(d->texts, d->arena, "split.title", NULL));
	add_split(d, s);
	add_streams(d, c, s);
	add_copies(d, s);
	add_collectives(d, c, s);
}
