/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tables/parts.h"

#include <math.h>

void tables_memory(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	for (size_t i = 0; i < trace->n; i++) {
		if (trace->kind[i] != EVENT_INSTANT || trace->side[i] == NO_ROW)
			continue;
		const struct memory_change *m = &trace->changes[trace->side[i]];
		put_number(t, (double)trace->start_ns[i]);
		put_number(t, m->device);
		put_number(t, (double)m->bytes);
		put_number(t, m->allocated >= 0 ? (double)m->allocated : (double)NAN);
		put_number(t, m->reserved >= 0 ? (double)m->reserved : (double)NAN);
	}
}

static void put_sum(struct result_table *t, const char *name, const struct idle_sum *sum)
{
	if (!sum->n)
		return;
	put_text(t, name);
	put_number(t, (double)sum->n);
	put_number(t, (double)sum->ns);
	put_number(t, (double)sum->longest_ns);
	put_number(t, sum->share);
}

void tables_idle(struct result_table *t, const struct tables_source *s)
{
	for (int c = 0; c < IDLE_CAUSES; c++)
		put_sum(t, idle_cause_name((enum idle_cause)c), &s->idle_causes->sum[c]);
}

void tables_held(struct result_table *t, const struct tables_source *s)
{
	for (int h = HOLD_NOT + 1; h < IDLE_HOLDS; h++)
		put_sum(t, idle_hold_name((enum idle_hold)h), &s->idle_causes->held[h]);
}

static void put_event_name(struct result_table *t, const struct trace *trace, uint32_t row)
{
	put_text(t, row == NO_ROW ? "" : trace_row_name(trace, row));
}

void tables_gaps(struct result_table *t, const struct tables_source *s)
{
	for (uint32_t i = 0; i < s->idle_causes->n_longest; i++) {
		struct idle_gap g = idle_gap_at(s->idle_causes, s->idle_causes->longest[i]);
		put_number(t, (double)g.start_ns);
		put_number(t, (double)g.dur_ns);
		put_text(t, idle_cause_name((enum idle_cause)g.cause));
		put_text(t, g.hold == HOLD_NOT ? "" : idle_hold_name((enum idle_hold)g.hold));
		put_number(t, (double)g.host_ns);
		put_event_name(t, s->a->trace, g.waited != NO_ROW ? g.waited : g.evidence);
		put_event_name(t, s->a->trace, g.after);
	}
}

void tables_waited(struct result_table *t, const struct tables_source *s)
{
	for (uint32_t i = 0; i < s->idle_causes->n_waited; i++) {
		const struct idle_waited *w = &s->idle_causes->waited[i];
		put_text(t, w->name ? names_text(&s->a->trace->names, w->name) : "");
		put_number(t, (double)w->n);
		put_number(t, (double)w->ns);
	}
}
