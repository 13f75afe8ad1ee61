/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/case_numbers.h"
#include "report/analyse/first_step_causes.h"
#include "report/analyse/kernel_fit.h"
#include "report/analyse/kernel_footprint.h"
#include "report/analyse/rank_meetings.h"
#include "report/tables/parts.h"

#include <math.h>

/* ---- kernels ---- */

static const char *three(struct arena *a, const int32_t v[3])
{
	return v[0] < 0 ? "" : arena_printf(a, "%d,%d,%d", v[0], v[1], v[2]);
}

static const char *operator_of(const struct trace *t, uint32_t device_row)
{
	uint32_t call = analysis_launch_of(t, device_row);
	uint32_t op = call == NO_ROW ? NO_ROW : analysis_op_of(t, call);
	return op == NO_ROW ? "" : names_text(&t->names, t->name[op]);
}

void tables_kernels(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	for (uint32_t i = 0; i < s->a->n_activities; i++) {
		const struct activity *x = &s->a->activities[i];
		uint32_t row = x->row[0];
		const struct kernel *k =
			trace->kind[row] == EVENT_KERNEL ? &trace->kernels[trace->side[row]] : NULL;
		put_text(t, names_text(&trace->names, x->name));
		put_text(t, operator_of(trace, row));
		put_text(t, time_part_name(time_part_of(s->a, row)));
		put_text(t, three(t->arena, x->grid));
		put_text(t, three(t->arena, x->block));
		put_number(t, (double)x->calls);
		put_number(t, x->dur.mean * (double)x->calls);
		put_number(t, x->dur.median);
		put_number(t, x->share);
		put_number(t, k && k->registers >= 0 ? k->registers : (double)NAN);
		put_number(t, k && k->shared_bytes >= 0 ? k->shared_bytes : (double)NAN);
	}
}

void tables_occupancy(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	for (uint32_t i = 0; i < s->a->n_activities; i++) {
		const struct activity *x = &s->a->activities[i];
		const struct kernel *k = kernel_of(trace, x->row[0]);
		const struct fit fit = fit_of(k, k ? device_of_kernel(trace, k) : NULL);
		if (fit.resident <= 0)
			continue;
		put_text(t, names_text(&trace->names, x->name));
		put_text(t, three(t->arena, x->grid));
		put_text(t, three(t->arena, x->block));
		put_number(t, fit.resident);
		put_text(t, fit_limit_key(fit.limit));
		put_number(t, fit.theoretical);
		put_number(t, fit.estimate);
		put_number(t, fit.waves > 0 ? fit.waves : (double)NAN);
		put_number(t, fit.empty);
	}
}

/* ---- kinds ---- */

void tables_kinds(struct result_table *t, const struct tables_source *s)
{
	double ns[TIME_PARTS] = {0}, n[TIME_PARTS] = {0};
	for (size_t i = 0; i < s->a->n_device; i++) {
		uint32_t row = s->a->device_rows[i];
		enum time_part part = time_part_of(s->a, row);
		ns[part] += (double)s->a->trace->dur_ns[row];
		n[part]++;
	}
	for (int p = 0; p < TIME_PARTS; p++) {
		if (n[p] == 0)
			continue;
		put_text(t, time_part_name((enum time_part)p));
		put_number(t, n[p]);
		put_number(t, ns[p]);
		put_number(t, over(ns[p], (double)s->a->device_ns));
		put_number(t, (double)s->breakdown->whole.ns[p]);
	}
}

/* ---- steps ---- */

void tables_steps(struct result_table *t, const struct tables_source *s)
{
	for (uint32_t i = 0; i < s->a->n_steps; i++) {
		const struct step *x = &s->a->steps[i];
		const double numbers[] = {(double)x->number, (double)x->start_ns, (double)x->dur_ns,
			(double)x->busy_ns, x->kernels, x->copies, x->fills,
			(double)x->launches + x->copy_calls, x->syncs, (double)x->sync_ns};
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			put_number(t, numbers[k]);
	}
}

/* One of a folder of ranks has one row, so that the file of all traces is the table of all. */
void tables_ranks(struct result_table *t, const struct tables_source *s)
{
	const struct rank_part part = {s->a, s->idle_causes, s->streams};
	if (s->a->trace->rank < 0 || !s->a->n_device || s->a->trace->ends_early)
		return;
	const struct ranks r = ranks_of(t->arena, &part, 1);
	put_number(t, (double)r.row[0].rank);
	put_number(t, r.row[0].n_steps);
	for (int k = 0; k < RANK_COLUMNS; k++)
		put_number(t, r.row[0].value[k] ? (double)r.row[0].value[k] : (double)NAN);
	int64_t bubble = pipeline_bubble_ns(s->a);
	const char *node = node_of(t->arena, s->a->trace);
	put_number(t, bubble < 0 ? (double)NAN : (double)bubble);
	put_text(t, node ? node : "");
}

void tables_first_step(struct result_table *t, const struct tables_source *s)
{
	if (s->a->n_steps < 2)
		return;
	uint32_t typical = numbers_of(s->a).typical;
	const struct cold_start cold = cold_split(t->arena, s->a, 0, typical);
	for (int i = 0; i < cold.n; i++) {
		const struct cold_part *p = &cold.part[i];
		put_text(t, cold_cause_name(p->cause));
		put_number(t, p->spans);
		put_number(t, (double)p->ns);
		put_number(t, over((double)p->ns, (double)(cold.to_ns - cold.from_ns)));
		put_number(t, (double)p->usual_ns);
	}
}
