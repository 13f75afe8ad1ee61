/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/analysis_stages.h"

#include <stdlib.h>

/* The ranks compared, the steps that all of them have, and what each did in each: value is what
 * makes a straggler when it is small. */
struct field {
	const struct ranks *r;
	const struct rank_part *part;
	uint32_t *row; /* (n) indices into r->row */
	uint32_t n, n_steps;
	int64_t *value; /* (n_steps, n) */
	int64_t *length; /* (n_steps, n) of the steps */
};

static const struct analysis *analysis_of_member(const struct field *f, uint32_t i)
{
	return f->part[f->r->row[f->row[i]].part].analysis;
}

/* Numbers ascend, as steps stand in the order of their starts; those of a broken trace may not, and
 * then they are not found. */
static const struct step *step_of_number(const struct analysis *a, int64_t number)
{
	uint32_t low = first_where(i, 0, a->n_steps, a->steps[i].number >= number);
	return low < a->n_steps && a->steps[low].number == number ? &a->steps[low] : NULL;
}

/* The union of the communication kernels launched in a step. */
static int64_t wait_of(const struct analysis *a, const struct step *s)
{
	int64_t sum = 0, done = INT64_MIN;
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint32_t row = s->device[i];
		int64_t start = a->trace->start_ns[row], end = row_end(a->trace, row);
		if (a->class[row] != CLASS_COMMUNICATION || end <= done)
			continue;
		sum += end - (max64(start, done));
		done = end;
	}
	return sum;
}

static bool has_all(const struct field *f, int64_t number)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!step_of_number(analysis_of_member(f, i), number))
			return false;
	return true;
}

static void fill_step(struct field *f, int64_t number, enum straggler_rule rule)
{
	size_t at = (size_t)f->n_steps++ * f->n;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct analysis *a = analysis_of_member(f, i);
		const struct step *s = step_of_number(a, number);
		f->length[at + i] = s->dur_ns;
		f->value[at + i] = rule == STRAGGLER_BY_WAIT ? wait_of(a, s) : -s->dur_ns;
	}
}

static void fill_windows(struct field *f)
{
	f->n_steps = 1;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct rank_row *row = &f->r->row[f->row[i]];
		f->length[i] = row->value[RANK_WINDOW_NS];
		f->value[i] = row->value[RANK_COMMUNICATION_NS];
	}
}

static void fill(struct field *f, struct straggler *s)
{
	const struct analysis *first = analysis_of_member(f, 0);
	size_t room = (size_t)(first->n_steps ? first->n_steps : 1) * f->n;
	f->value = xcalloc(room, sizeof *f->value);
	f->length = xcalloc(room, sizeof *f->length);
	for (uint32_t i = 0; i < first->n_steps; i++)
		if (has_all(f, first->steps[i].number))
			fill_step(f, first->steps[i].number, s->rule);
	s->windows = !f->n_steps && s->rule == STRAGGLER_BY_WAIT;
	if (s->windows)
		fill_windows(f);
	s->n_steps = f->n_steps;
}

/* The first rank with the least value in a step, or NO_ROW when no two differ. */
static uint32_t leader(const struct field *f, uint32_t step)
{
	const int64_t *v = f->value + (size_t)step * f->n;
	uint32_t best = 0;
	bool differ = false;
	for (uint32_t i = 1; i < f->n; i++) {
		differ |= v[i] != v[0];
		best = v[i] < v[best] ? i : best;
	}
	return differ ? best : NO_ROW;
}

static double median_without(const int64_t *v, uint32_t n, uint32_t without, int64_t *scratch)
{
	uint32_t m = 0;
	for (uint32_t i = 0; i < n; i++)
		if (i != without)
			scratch[m++] = v[i];
	return stats_of(scratch, m).median;
}

/* Medians over the steps of what sets the leading rank apart. */
static void measure(const struct field *f, struct straggler *s, uint32_t leading)
{
	uint32_t n = f->n;
	int64_t *scratch = xcalloc(n, sizeof *scratch);
	int64_t *own = xcalloc(f->n_steps, sizeof *own), *others = xcalloc(f->n_steps, sizeof *own);
	int64_t *margin = xcalloc(f->n_steps, sizeof *own),
		*step = xcalloc(f->n_steps, sizeof *own);
	for (uint32_t k = 0; k < f->n_steps; k++) {
		const int64_t *v = f->value + (size_t)k * n, *l = f->length + (size_t)k * n;
		own[k] = v[leading];
		others[k] = (int64_t)median_without(v, n, leading, scratch);
		margin[k] = others[k] - own[k];
		step[k] = (int64_t)median_without(l, n, NO_ROW, scratch);
	}
	struct stats margins = stats_of(margin, f->n_steps);
	s->margin_ns = margins.median;
	s->deviation_ns = margins.mad;
	s->own_ns = stats_of(own, f->n_steps).median;
	s->others_ns = stats_of(others, f->n_steps).median;
	s->step_ns = stats_of(step, f->n_steps).median;
	if (s->rule == STRAGGLER_BY_STEP) {
		s->own_ns = -s->own_ns;
		s->others_ns = -s->others_ns;
	}
	free(step);
	free(margin);
	free(others);
	free(own);
	free(scratch);
}

/* Median over the steps of what sets a member apart from the others. */
static double margin_of(const struct field *f, uint32_t member)
{
	int64_t *scratch = xcalloc(f->n, sizeof *scratch);
	int64_t *margin = xcalloc(f->n_steps, sizeof *margin);
	for (uint32_t k = 0; k < f->n_steps; k++) {
		const int64_t *v = f->value + (size_t)k * f->n;
		margin[k] = (int64_t)median_without(v, f->n, member, scratch) - v[member];
	}
	double median = stats_of(margin, f->n_steps).median;
	free(margin);
	free(scratch);
	return median;
}

static void find_others(
	const struct field *f, struct straggler *s, uint32_t leading, struct arena *arena)
{
	uint32_t *also = arena_array(arena, f->n, sizeof *also);
	for (uint32_t i = 0; i < f->n; i++)
		if (i != leading && 2 * margin_of(f, i) >= s->margin_ns)
			also[s->n_also++] = f->row[i];
	s->also = also;
}

static enum straggler_reason judge(const struct straggler *s)
{
	if (!s->steps_led)
		return STRAGGLER_EVEN;
	if (2 * s->steps_led <= s->n_steps)
		return STRAGGLER_NO_MAJORITY;
	if (s->margin_ns <= 0 || s->margin_ns < RANK_NOISE * s->step_ns)
		return STRAGGLER_NOISE;
	if (s->n_steps >= 3 && s->margin_ns < 2 * s->deviation_ns)
		return STRAGGLER_NOISE;
	return STRAGGLER_FOUND;
}

/* Ranks with communication, or all when none has any. */
static enum straggler_rule choose_members(struct field *f)
{
	for (uint32_t i = 0; i < f->r->n; i++)
		if (f->r->row[i].value[RANK_COMMUNICATION_NS])
			f->row[f->n++] = i;
	if (f->n)
		return STRAGGLER_BY_WAIT;
	for (uint32_t i = 0; i < f->r->n; i++)
		f->row[f->n++] = i;
	return STRAGGLER_BY_STEP;
}

/* The member that leads most steps; fills in the rows' steps_led. */
static uint32_t find_leader(const struct field *f, struct ranks *r)
{
	uint32_t leading = 0;
	for (uint32_t k = 0; k < f->n_steps; k++) {
		uint32_t i = leader(f, k);
		if (i != NO_ROW)
			r->row[f->row[i]].steps_led++;
	}
	for (uint32_t i = 1; i < f->n; i++)
		if (r->row[f->row[i]].steps_led > r->row[f->row[leading]].steps_led)
			leading = i;
	return leading;
}

void ranks_compare(struct ranks *r, const struct rank_part *part, struct arena *arena)
{
	struct straggler *s = &r->straggler;
	*s = (struct straggler){.reason = STRAGGLER_ONE_RANK, .row = NO_ROW};
	struct field f = {.r = r, .part = part, .row = xcalloc(r->n, sizeof *f.row)};
	s->rule = choose_members(&f);
	if (f.n < 2) {
		free(f.row);
		return;
	}
	fill(&f, s);
	s->reason = STRAGGLER_APART;
	if (s->n_steps) {
		uint32_t leading = find_leader(&f, r);
		s->row = f.row[leading];
		s->steps_led = r->row[s->row].steps_led;
		measure(&f, s, leading);
		s->reason = judge(s);
		if (s->reason == STRAGGLER_FOUND)
			find_others(&f, s, leading, arena);
	}
	free(f.row);
	free(f.value);
	free(f.length);
}
