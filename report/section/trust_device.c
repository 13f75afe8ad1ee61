/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/analyse/launches.h"
#include "report/analyse/streams.h"
#include "report/section/fact_tables.h"

#include <string.h>

/* ---- launches ---- */

static const struct fact_form launches_form = {.table = "launches",
	.column = {{"what", "launches.what", FACT_WORD, 1, "launches."},
		{"events", "case.kernel.calls"}, {"median_ns", "case.kernel.median"},
		{"mean_ns", "case.kernel.mean"}, {"low_ns", "case.kernel.spread", FACT_SPREAD},
		{"most_ns", "launches.max"}}};

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
	add_facts(d, c, &launches_form);
	add_launch_sentences(d, l);
}

/* ---- what the device did ---- */

static const char *swatch_of_part(const char *part)
{
	return !strcmp(part, "compute") ? "gemm" : !strcmp(part, "idle") ? "sync" : part;
}

static const struct fact_form split_form = {.table = "device",
	.column = {{"part", "split.what", FACT_WORD, 1, "split."}, {"time_ns", "split.time"},
		{"share", "split.share", FACT_BAR}},
	.swatch = swatch_of_part,
	.swatch_words = true};

static void add_split(struct document *d, const struct report_case *c)
{
	const struct streams *s = c->streams;
	add_facts(d, c, &split_form);
	if (s->communication_ns)
		document_say(d, BLOCK_TEXT, "split.overlap", "share",
			format_share(d->arena, s->overlap_share), "time",
			format_time(d->arena, (double)s->communication_ns), NULL);
}

void add_device_tables(struct document *d, const struct report_case *c)
{
	if (!c->analysis->n_device)
		return;
	document_heading(d, 3, NULL, said(d, "split.title", NULL));
	add_split(d, c);
	add_result_tables(d, c);
}
