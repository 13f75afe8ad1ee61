/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/format.h"
#include "report/analyse/launches.h"
#include "report/analyse/streams.h"

/* ---- launches ---- */

static const struct table_form launches_form = {
	.column = {{"launches.what", .weight = 1}, {"case.kernel.calls", COLUMN_NUMBER},
		{"case.kernel.median", COLUMN_NUMBER}, {"case.kernel.mean", COLUMN_NUMBER},
		{"case.kernel.spread", COLUMN_NUMBER}, {"launches.max", COLUMN_NUMBER}}};

static void put_stats(struct rows *t, const char *key, const struct stats *s)
{
	put_said(t, key);
	put_count(t, (int64_t)s->n);
	if (!s->n) {
		rows_end_row(t);
		return;
	}
	put_time(t, s->median);
	put_time(t, s->mean);
	put_spread(t, s);
	put_time(t, (double)s->max);
}

static void add_launch_sentences(struct document *d, const struct launch_stats *l)
{
	struct arena *a = d->arena;
	document_say(d, BLOCK_TEXT, "launches.about", "short", format_count(a, (int64_t)l->n_short),
		"single", format_count(a, (int64_t)l->n_single), "share",
		format_share(a, l->short_share), "slow", format_count(a, (int64_t)l->n_slow),
		"late", format_count(a, (int64_t)l->n_late), "queue", format_count(a, l->queue_max),
		NULL);
	if (l->n_graphs)
		document_say(d, BLOCK_TEXT, "launches.graphs", "n",
			format_count(a, (int64_t)l->n_graphs), "kernels",
			format_count(a, (int64_t)l->n_graph_kernels), "largest",
			format_count(a, (int64_t)l->largest_graph), NULL);
	if (l->launch_bound)
		document_say(d, BLOCK_TEXT, "launches.bound", NULL);
}

void add_launch_tables(struct document *d, const struct report_case *c)
{
	const struct launch_stats *l = c->launches;
	if (!l->n_calls)
		return;
	document_heading(d, 3, NULL, said(d, "launches.title", NULL));
	struct rows t = rows_begin(d, &launches_form, 0);
	put_stats(&t, "launches.call", &l->call);
	put_stats(&t, "launches.queue", &l->queue);
	put_stats(&t, "launches.kernel", &l->kernel);
	add_launch_sentences(d, l);
}

/* ---- what the device did ---- */

static const struct table_form split_form = {
	.column = {{"split.what", .weight = 1}, {"split.time", COLUMN_NUMBER},
		{"split.share", COLUMN_BAR}}};

static void add_split(struct document *d, const struct streams *s)
{
	const struct {
		const char *key, *swatch;
		int64_t ns;
	} part[] = {
		{"split.compute", "gemm", s->compute_ns},
		{"split.communication", "communication", s->exposed_communication_ns},
		{"split.copy", "copy", s->exposed_copy_ns},
		{"split.idle", "sync", s->idle_ns},
	};
	struct rows t = rows_begin(d, &split_form, 0);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		put_said(&t, part[i].key)->swatch = part[i].swatch;
		put_time(&t, (double)part[i].ns);
		put_bar(&t, s->window_ns ? (double)part[i].ns / (double)s->window_ns : 0,
			part[i].swatch);
	}
	if (s->communication_ns)
		document_say(d, BLOCK_TEXT, "split.overlap", "share",
			format_share(d->arena, s->overlap_share), "time",
			format_time(d->arena, (double)s->communication_ns), NULL);
}

static const struct table_form streams_form = {
	.column = {{"streams.stream", .weight = 1}, {"streams.kernels", COLUMN_NUMBER},
		{"streams.copies", COLUMN_NUMBER}, {"streams.fills", COLUMN_NUMBER},
		{"streams.busy", COLUMN_NUMBER}, {"streams.share", COLUMN_BAR}}};

static void add_streams(struct document *d, const struct report_case *c, const struct streams *s)
{
	enum { MOST_STREAMS = 12 };
	struct arena *a = d->arena;
	int n = s->n_streams < MOST_STREAMS ? (int)s->n_streams : MOST_STREAMS;
	if (n < 2)
		return;
	struct rows t = rows_begin(d, &streams_form, 0);
	for (int i = 0; i < n; i++) {
		const struct stream_use *u = &s->stream[i];
		const struct track *k = &c->trace.tracks[u->track];
		const struct names *names = &c->trace.names;
		put(&t,
			literal(d,
				arena_printf(a, "%s, %s",
					names_text(names, k->label ? k->label : k->process),
					names_text(names, k->thread))));
		put_count(&t, (int64_t)u->kernels);
		put_count(&t, (int64_t)u->copies);
		put_count(&t, (int64_t)u->fills);
		put_time(&t, (double)u->busy_ns);
		put_bar(&t, u->share, "gemm");
	}
	if ((int)s->n_streams > n)
		document_say(d, BLOCK_CAPTION, "streams.more", "n",
			format_count(a, (int64_t)s->n_streams - n), NULL);
}

static const struct table_form copies_form = {
	.column = {{"copies.way", .weight = 1}, {"case.kernel.calls", COLUMN_NUMBER},
		{"copies.bytes", COLUMN_NUMBER}, {"copies.time", COLUMN_NUMBER},
		{"copies.rate", COLUMN_NUMBER}}};

static void add_copies(struct document *d, const struct streams *s)
{
	struct arena *a = d->arena;
	if (!s->n_copies)
		return;
	struct rows t = rows_begin(d, &copies_form, 0);
	for (uint32_t i = 0; i < s->n_copies; i++) {
		const struct copy_use *u = &s->copy[i];
		put(&t, said_by(d, "copies.%d.%d", u->way, u->memory));
		put_count(&t, (int64_t)u->n);
		put(&t, u->n_sized ? format_si(a, (double)u->bytes, "B") : "–");
		put_time(&t, (double)u->ns);
		put(&t, u->gb_per_s > 0 ? arena_printf(a, "%.1f GB/s", u->gb_per_s) : "–");
	}
}

static const struct table_form collectives_form = {
	.column = {{"collectives.name", .weight = 1}, {"case.kernel.calls", COLUMN_NUMBER},
		{"copies.time", COLUMN_NUMBER}, {"collectives.exposed", COLUMN_NUMBER}}};

static void add_collectives(
	struct document *d, const struct report_case *c, const struct streams *s)
{
	enum { MOST = 8 };
	if (!s->n_collectives)
		return;
	struct rows t = rows_begin(d, &collectives_form, 0);
	for (uint32_t i = 0; i < s->n_collectives && i < MOST; i++) {
		const struct collective *u = &s->collective[i];
		put(&t, event_name(d, trace_name(&c->trace, u->name)));
		put_count(&t, (int64_t)u->n);
		put_time(&t, (double)u->ns);
		put_time(&t, (double)u->exposed_ns);
	}
}

void add_device_tables(struct document *d, const struct report_case *c)
{
	if (!c->analysis->n_device)
		return;
	const struct streams *s = c->streams;
	document_heading(d, 3, NULL, said(d, "split.title", NULL));
	add_split(d, s);
	add_streams(d, c, s);
	add_copies(d, s);
	add_collectives(d, c, s);
}
