/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/parts.h"

#include "base/memory.h"
#include "base/two_threads.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/health.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/launches.h"
#include "report/analyse/memory_use.h"
#include "report/analyse/profiler_table_check.h"
#include "report/analyse/streams.h"
#include "report/analyse/windows_to_show.h"
#include "report/rules/advice.h"

#include <string.h>

/* One of two halves, with memory of its own while both run. */
struct half {
	const struct report_case *c;
	const struct analysis *analysis;
	struct health health;
	struct idle_causes idle_causes;
	struct streams streams;
	struct memory_use memory;
	struct windows windows;
	struct breakdown breakdown;
	struct launch_stats launches;
	struct reconcile totals;
	struct arena arena;
};

static void work_out_idle(void *half)
{
	struct half *h = half;
	h->idle_causes = idle_causes_of(&h->arena, h->analysis);
	h->windows = windows_of(h->analysis, &h->idle_causes);
	h->breakdown = breakdown_of(&h->arena, h->analysis, &h->idle_causes);
}

static void work_out_work(void *half)
{
	struct half *h = half;
	h->health = health_of(&h->c->trace);
	h->streams = streams_of(&h->arena, h->analysis);
	h->memory = memory_use_of(&h->arena, h->analysis);
	h->launches = launch_stats_of(h->analysis);
	h->totals = reconcile_of(&h->arena, h->analysis);
}

#define KEEP(arena, value) memcpy(arena_alloc(arena, sizeof(value)), &(value), sizeof(value))

void work_out(struct input *in, struct report_case *c)
{
	struct arena *a = &in->arena;
	struct regime_limits limits = rule_regime_limits(in->settings);
	struct analysis *analysis = arena_alloc(a, sizeof *analysis);
	*analysis = analysis_of(a, &c->trace);
	analysis_judge_regime(analysis, &limits);
	struct half one = {.c = c, .analysis = analysis}, other = one;
	both(c->trace.n >= BOTH_FROM, work_out_idle, &one, work_out_work, &other);
	arena_adopt(a, &one.arena);
	arena_adopt(a, &other.arena);
	c->analysis = analysis;
	c->idle_causes = KEEP(a, one.idle_causes);
	c->windows = KEEP(a, one.windows);
	c->breakdown = KEEP(a, one.breakdown);
	c->health = KEEP(a, other.health);
	c->streams = KEEP(a, other.streams);
	c->memory = KEEP(a, other.memory);
	c->launches = KEEP(a, other.launches);
	c->totals = KEEP(a, other.totals);
	const struct rules_in seen = {c->analysis, c->health, c->idle_causes, c->streams,
		c->counted, c->breakdown, &c->breakdown->blame.whole};
	if (!in->dumped)
		trace_forget(&c->trace);
	if (c->trace.n >= BOTH_FROM)
		memory_give_back();
	c->findings = rules_all(&in->arena, &seen, in->settings);
	c->advice = c->findings.advice;
}
