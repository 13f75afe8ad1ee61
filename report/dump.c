/* SPDX-License-Identifier: Apache-2.0 */
#include "report/dump.h"

#include "base/terminal.h"
#include "base/verbosity.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/launches.h"
#include "report/analyse/profiler_cost.h"
#include "report/analyse/profiler_table_check.h"
#include "report/analyse/ranks.h"
#include "report/analyse/streams.h"
#include "report/analyse/trace_dump.h"
#include "report/analyse/windows_to_show.h"
#include "report/replay/replay.h"
#include "report/rules/advice.h"
#include "report/tables/tables.h"

/* How far the trace can be trusted, and what of it is worth showing. */
static void dump_trust(const struct report_case *c)
{
	const struct analysis *a = c->analysis;
	idle_causes_dump(c->idle_causes, a, stdout);
	launch_stats_dump(c->launches, a, stdout);
	streams_dump(c->streams, a, stdout);
	windows_dump(c->windows, a, stdout);
	reconcile_dump(c->totals, a, stdout);
	breakdown_dump(c->breakdown, a->trace, stdout);
	struct arena arena = {0};
	replay_dump(replay_of(&arena, a, c->breakdown, profiler_cost_operator_ns(a->trace)),
		c->breakdown, stdout);
	arena_release(&arena);
	advice_dump(c->advice, stdout);
}

static void dump_ranks(struct arena *a, const struct run *run)
{
	struct rank_part *part = arena_array(a, (size_t)run->n_cases, sizeof *part);
	uint32_t n = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (!c->readable || c->trace.ends_early)
			continue;
		part[n++] = (struct rank_part){c->analysis, c->idle_causes, c->streams};
	}
	if (n < 2)
		return;
	struct ranks ranks = ranks_of(a, part, n);
	ranks_dump(&ranks, stdout);
}

void dump_traces(const struct input *in)
{
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (c->readable)
			trace_dump(&c->trace, stdout);
}

static void dump_analysis(const struct report_case *c)
{
	analysis_dump(c->analysis, stdout);
	dump_trust(c);
	findings_dump(&c->findings, stdout);
}

void dump_analyses(const struct input *in)
{
	struct arena a = {0};
	for (int r = 0; r < in->n_runs; r++) {
		const struct run *run = &in->runs[r];
		for (int i = 0; i < run->n_cases; i++)
			if (run->cases[i].readable)
				dump_analysis(&run->cases[i]);
		if (!run->of_matrix)
			dump_ranks(&a, run);
	}
	arena_release(&a);
}

void dump_tables(const struct input *in, bool quiet)
{
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		if (c->run->n_cases > 1 || in->n_runs > 1)
			terminal_print("%s\n", c->id);
		if (!c->readable)
			continue;
		struct arena arena = {0};
		struct profiler_table table = tables_profiler_table(&arena, c->analysis, false);
		if (!table.n && !quiet)
			talk_warn(
				"--table: %s has no span of an operator, a call, a device or a thread",
				c->trace.path);
		profiler_table_print(stdout, &table, SIZE_MAX, c->analysis->device);
		arena_release(&arena);
	}
}
