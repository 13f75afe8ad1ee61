/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/ranks.h"

#include "base/sort.h"
#include "report/analyse/analysis_stages.h"

#include <inttypes.h>
#include <stdlib.h>

static NAMES(rank_column_name, enum rank_column, RANK_LIST(KIND_NAME));

static NAMES(straggler_reason_name, enum straggler_reason, STRAGGLER_LIST(KIND_NAME));

/* Without the first, as everywhere, unless it is the only one. */
static int64_t median_step(const struct analysis *a)
{
	uint32_t first = steps_steady_from(a->n_steps), n = a->n_steps - first;
	int64_t *sample = xcalloc(n, sizeof *sample);
	for (uint32_t i = 0; i < n; i++)
		sample[i] = a->steps[first + i].dur_ns;
	struct stats s = stats_of(sample, n);
	free(sample);
	return (int64_t)s.median;
}

static struct rank_row row_of(const struct rank_part *part, uint32_t index)
{
	const struct analysis *a = part->analysis;
	const struct streams *s = part->streams;
	struct rank_row r = {.part = index,
		.rank = a->trace->rank >= 0 ? a->trace->rank : index,
		.told = a->trace->rank >= 0,
		.n_steps = a->n_steps,
		.busy_share = a->window.busy_share};
	r.value[RANK_STEP_NS] = median_step(a);
	r.value[RANK_WINDOW_NS] = a->window.end_ns - a->window.start_ns;
	r.value[RANK_BUSY_NS] = a->window.busy_ns;
	r.value[RANK_COMPUTE_NS] = s->compute_ns;
	r.value[RANK_COMMUNICATION_NS] = s->communication_ns;
	r.value[RANK_EXPOSED_NS] = s->exposed_communication_ns;
	r.value[RANK_KERNEL_NS] = a->kernel_ns;
	r.value[RANK_IDLE_NS] = part->idle_causes->idle_ns;
	for (int i = 0; i < IDLE_CAUSES; i++)
		r.idle_ns[i] = part->idle_causes->sum[i].ns;
	return r;
}

ORDER(by_rank, struct rank_row, UP(rank) ?: UP(part));

static struct rank_spread spread_of(const struct ranks *r, enum rank_column column, int64_t *sample)
{
	struct rank_spread s = {0};
	for (uint32_t i = 0; i < r->n; i++) {
		sample[i] = r->row[i].value[column];
		if (sample[i] < r->row[s.min_row].value[column])
			s.min_row = i;
		if (sample[i] > r->row[s.max_row].value[column])
			s.max_row = i;
	}
	struct stats stats = stats_of(sample, r->n);
	s.min = stats.min;
	s.max = stats.max;
	s.median = stats.median;
	s.share = s.median > 0 ? (double)(s.max - s.min) / s.median : 0;
	return s;
}

struct ranks ranks_of(struct arena *arena, const struct rank_part *part, uint32_t n)
{
	struct ranks r = {.row = arena_array(arena, n, sizeof *r.row), .n = n};
	int64_t *sample = xcalloc(n, sizeof *sample);
	for (uint32_t i = 0; i < n; i++)
		r.row[i] = row_of(&part[i], i);
	qsort(r.row, n, sizeof *r.row, by_rank);
	for (int c = 0; c < RANK_COLUMNS; c++)
		r.spread[c] = spread_of(&r, (enum rank_column)c, sample);
	free(sample);
	ranks_compare(&r, part, arena);
	return r;
}

static void dump_straggler(const struct ranks *r, FILE *f)
{
	const struct straggler *s = &r->straggler;
	fprintf(f, "straggler %s", straggler_reason_name(s->reason));
	if (s->row != NO_ROW)
		fprintf(f,
			": rank %" PRId64 " by %s, %" PRIu32 " of %" PRIu32
			" %s, margin %.1f deviation %.1f own %.1f others %.1f step %.1f",
			r->row[s->row].rank, s->rule == STRAGGLER_BY_WAIT ? "wait" : "step",
			s->steps_led, s->n_steps, s->windows ? "windows" : "steps", s->margin_ns,
			s->deviation_ns, s->own_ns, s->others_ns, s->step_ns);
	for (uint32_t i = 0; i < s->n_also; i++)
		fprintf(f, "%s%" PRId64, i ? " " : ", also ", r->row[s->also[i]].rank);
	fputc('\n', f);
}

void ranks_dump(const struct ranks *r, FILE *f)
{
	fprintf(f, "ranks %" PRIu32 "\n", r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct rank_row *row = &r->row[i];
		fprintf(f, "  rank %" PRId64 "%s steps %" PRIu32 " (%" PRIu32 " led) share %.6f",
			row->rank, row->told ? "" : "?", row->n_steps, row->steps_led,
			row->busy_share);
		for (int c = 0; c < RANK_COLUMNS; c++)
			fprintf(f, " %s %" PRId64, rank_column_name((enum rank_column)c),
				row->value[c]);
		for (int c = 0; c < IDLE_CAUSES; c++)
			if (row->idle_ns[c])
				fprintf(f, " idle:%s %" PRId64, idle_cause_name((enum idle_cause)c),
					row->idle_ns[c]);
		fputc('\n', f);
	}
	for (int c = 0; c < RANK_COLUMNS && r->n; c++) {
		const struct rank_spread *s = &r->spread[c];
		fprintf(f,
			"  %s %" PRId64 " (rank %" PRId64 ") to %" PRId64 " (rank %" PRId64
			"), median %.1f, spread %.6f\n",
			rank_column_name((enum rank_column)c), s->min, r->row[s->min_row].rank,
			s->max, r->row[s->max_row].rank, s->median, s->share);
	}
	dump_straggler(r, f);
}
