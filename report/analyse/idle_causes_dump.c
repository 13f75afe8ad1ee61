/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"
#include "report/analyse/idle_causes.h"

#include <inttypes.h>

static void dump_sum(const char *what, const struct idle_sum *s, FILE *f)
{
	if (s->n)
		fprintf(f,
			"  %s: %" PRId64 " ns in %zu, longest %" PRId64 ", host %" PRId64
			", share %.6f\n",
			what, s->ns, s->n, s->longest_ns, s->host_ns, s->share);
}

static void dump_row(const struct trace *t, const char *what, uint32_t row, FILE *f)
{
	if (row == NO_ROW)
		return;
	fprintf(f, " %s %" PRIu32 " ", what, row);
	json_escape(f, names_text(&t->names, t->name[row]));
}

static void dump_gap(const struct idle_gap *g, const struct trace *t, FILE *f)
{
	fprintf(f, "  at %" PRId64 " for %" PRId64 " %s", g->start_ns, g->dur_ns,
		idle_cause_name((enum idle_cause)g->cause));
	if (g->hold)
		fprintf(f, " by %s", idle_hold_name((enum idle_hold)g->hold));
	fprintf(f, " host %" PRId64, g->host_ns);
	dump_row(t, "before", g->before, f);
	dump_row(t, "after", g->after, f);
	dump_row(t, "launch", g->launch, f);
	dump_row(t, "evidence", g->evidence, f);
	dump_row(t, "waited", g->waited, f);
	fputc('\n', f);
}

static void dump_waited(const struct idle_causes *l, const struct trace *t, FILE *f)
{
	for (uint32_t i = 0; i < l->n_waited; i++) {
		const struct idle_waited *w = &l->waited[i];
		fprintf(f, "  waited %" PRId64 " ns in %zu ", w->ns, w->n);
		json_escape(f, names_text(&t->names, w->name));
		fputc('\n', f);
	}
}

void idle_causes_dump(const struct idle_causes *l, const struct analysis *a, FILE *f)
{
	fprintf(f, "idle causes: %zu gaps, idle %" PRId64 " busy %" PRId64 " of %" PRId64 "\n",
		l->n_gaps, l->idle_ns, l->busy_ns, l->window_ns);
	for (int i = 0; i < IDLE_CAUSES; i++)
		dump_sum(idle_cause_name((enum idle_cause)i), &l->sum[i], f);
	for (int i = 0; i < IDLE_HOLDS; i++)
		dump_sum(idle_hold_name((enum idle_hold)i), &l->held[i], f);
	for (uint32_t i = 0; l->n_devices > 1 && i < l->n_devices; i++) {
		const struct idle_device *d = &l->devices[i];
		fprintf(f, " device %" PRId64 ": busy %" PRId64 " of %" PRId64 "\n", d->id,
			d->busy_ns, l->window_ns);
	}
	dump_waited(l, a->trace, f);
	for (uint32_t i = 0; i < l->n_longest; i++) {
		struct idle_gap g = idle_gap_at(l, l->longest[i]);
		dump_gap(&g, a->trace, f);
	}
}
