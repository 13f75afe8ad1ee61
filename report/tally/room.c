/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tally/parts.h"

#include <math.h>

void tally_memory(struct tally_table *t, const struct tally_source *s)
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

void tally_idle(struct tally_table *t, const struct tally_source *s)
{
	for (int c = 0; c < IDLE_CAUSES; c++) {
		const struct idle_sum *sum = &s->ledger->sum[c];
		if (!sum->n)
			continue;
		put_text(t, idle_cause_name((enum idle_cause)c));
		put_number(t, (double)sum->n);
		put_number(t, (double)sum->ns);
		put_number(t, (double)sum->longest_ns);
		put_number(t, sum->share);
	}
}
