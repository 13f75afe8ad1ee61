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

void add_device_tables(struct document *d, const struct report_case *c)
{
	if (!c->analysis->n_device)
		return;
	const struct streams *s = c->streams;
	document_heading(d, 3, NULL, said(d, "split.title", NULL));
	add_split(d, s);
	add_tallies(d, c);
}
