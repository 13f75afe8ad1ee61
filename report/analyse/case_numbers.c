/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/case_numbers.h"

#include "base/min_max.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

typedef int64_t (*step_number)(const struct analysis *a, const struct step *s);

static int64_t cpu_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->dur_ns;
}

static int64_t device_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->busy_ns;
}

/* How many rows of a kind a step has. What a product needs beside its kernel counts with the
 * product, not here. */
static int64_t pieces_of(const struct analysis *a, const struct step *s, uint8_t kind)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < s->n_device; i++)
		n += a->trace->kind[s->device[i]] == kind &&
			!class_counts_with_gemm(a->class[s->device[i]]);
	return n;
}

static int64_t kernels_of(const struct analysis *a, const struct step *s)
{
	return pieces_of(a, s, EVENT_KERNEL);
}

static int64_t copies_of(const struct analysis *a, const struct step *s)
{
	return pieces_of(a, s, EVENT_MEMCPY) + pieces_of(a, s, EVENT_MEMSET);
}

static int64_t beside_of(const struct analysis *a, const struct step *s)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < s->n_device; i++)
		n += class_counts_with_gemm(a->class[s->device[i]]);
	return n;
}

/* A device event by its call: the call in front, so that whole numbers sort by it. */
static uint32_t call_of(uint64_t event)
{
	return (uint32_t)(event >> 32);
}

/* Without the calls that launched one event in the step, which counts with a product. */
static int64_t launches_of(const struct analysis *a, const struct step *s)
{
	int64_t n = s->launches + s->copy_calls;
	if (!beside_of(a, s))
		return n;
	uint64_t *event = xcalloc(s->n_device, sizeof *event);
	for (uint32_t i = 0; i < s->n_device; i++)
		event[i] =
			(uint64_t)analysis_launch_of(a->trace, s->device[i]) << 32 | s->device[i];
	qsort(event, s->n_device, sizeof *event, by_uint64);
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint32_t call = call_of(event[i]);
		bool alone = (!i || call_of(event[i - 1]) != call) &&
			(i + 1 == s->n_device || call_of(event[i + 1]) != call);
		n -= alone && call != NO_ROW &&
			class_counts_with_gemm(a->class[(uint32_t)event[i]]);
	}
	free(event);
	return n;
}

uint32_t steady_from(const struct analysis *a)
{
	return steps_steady_from(a->n_steps);
}

/* How a number of a step spreads over the steady steps; v has room for one step at least. */
static struct stats spread_of(const struct analysis *a, step_number number)
{
	uint32_t first = steady_from(a), n = a->n_steps - first;
	int64_t *v = xcalloc((size_t)n + 1, sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = number(a, &a->steps[first + i]);
	struct stats stats = stats_of(v, n);
	free(v);
	return stats;
}

static double median_of(const struct analysis *a, step_number number)
{
	return a->n_steps ? spread_of(a, number).median : 0;
}

/* The number of a step that the case's speed hangs on: the device's where that limits it. */
static step_number deciding(const struct analysis *a)
{
	bool device = a->regime.regime == REGIME_COMPUTE_BOUND;
	return device ? device_of : cpu_of;
}

double deciding_ns(const struct analysis *a, const struct case_numbers *n)
{
	return deciding(a) == device_of ? n->device_ns : n->cpu_ns;
}

double steps_spread(const struct analysis *a, bool device)
{
	struct stats times = {0};
	if (a->n_steps)
		times = spread_of(a, device ? device_of : cpu_of);
	return times.median > 0 ? (double)(times.max - times.min) / times.median : 0;
}

static uint32_t step_at_median(const struct analysis *a, step_number number)
{
	uint32_t first = steady_from(a), n = a->n_steps - first;
	int64_t *v = xcalloc(n, sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = number(a, &a->steps[first + i]);
	uint32_t typical = first + (uint32_t)median_place(v, n);
	free(v);
	return typical;
}

uint32_t median_step(const struct analysis *a, bool device)
{
	return step_at_median(a, device ? device_of : cpu_of);
}

int64_t deciding_ns_of(const struct analysis *a, const struct step *s)
{
	return deciding(a)(a, s);
}

/* Rows of a class (enum event_class) that began in a step, on the thread with the steps. */
static uint32_t rows_of_class(const struct analysis *a, const struct step *s, uint8_t class)
{
	const struct trace *t = a->trace;
	int64_t end = s->start_ns + s->dur_ns;
	uint32_t n = 0;
	for (size_t i = s->row; i < t->n && t->start_ns[i] < end; i++)
		n += t->track[i] == t->track[s->row] && a->class[i] == class;
	return n;
}

struct case_numbers numbers_of(const struct analysis *a)
{
	struct case_numbers n = {.n_steps = a->n_steps,
		.cpu_ns = median_of(a, cpu_of),
		.device_ns = median_of(a, device_of),
		.kernels = median_of(a, kernels_of),
		.copies = median_of(a, copies_of),
		.launches = median_of(a, launches_of),
		.beside_products = median_of(a, beside_of)};
	if (!a->n_steps)
		return n;
	if (a->n_steps > 1 && n.cpu_ns > 0)
		n.first_ratio = (double)a->steps[0].dur_ns / n.cpu_ns;
	n.typical = step_at_median(a, deciding(a));
	n.spread = steps_spread(a, deciding(a) == device_of);
	n.ops = rows_of_class(a, &a->steps[n.typical], CLASS_OP);
	n.compile_rows = rows_of_class(a, &a->steps[n.typical], CLASS_COMPILE);
	return n;
}

double step_gap_ns(const struct analysis *a, const struct step *s)
{
	const struct trace *t = a->trace;
	if (s->n_device < 2)
		return (double)NAN;
	uint32_t first = s->device[0], second = s->device[1];
	return (double)(t->start_ns[second] - t->start_ns[first] - t->dur_ns[first]);
}

double median_gap_ns(const struct analysis *a)
{
	int64_t *gap = xcalloc((size_t)a->n_steps + 1, sizeof *gap);
	size_t n = 0;
	for (uint32_t i = steady_from(a); i < a->n_steps; i++) {
		double ns = step_gap_ns(a, &a->steps[i]);
		if (isfinite(ns))
			gap[n++] = (int64_t)ns;
	}
	double median = n ? stats_of(gap, n).median : (double)NAN;
	free(gap);
	return median;
}

/* How long the device works inside [from, to): the length of the union, so overlaps count once. */
static double busy_within(const struct analysis *a, int64_t from, int64_t to)
{
	int64_t busy_ns = 0;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t r = a->device_rows[i];
		int64_t start = a->trace->start_ns[r], end = start + a->trace->dur_ns[r];
		start = max64(start, from);
		end = min64(end, to);
		if (end <= start)
			continue;
		busy_ns += end - start;
		from = end;
	}
	return (double)busy_ns;
}

struct last_wait last_wait_of(const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct last_wait w = {.row = NO_ROW};
	for (uint32_t r = 0; r < t->n; r++)
		if (a->class[r] == CLASS_SYNC && t->dur_ns[r] > 0)
			w.row = r;
	if (w.row != NO_ROW)
		w.busy_share =
			busy_within(a, t->start_ns[w.row], t->start_ns[w.row] + t->dur_ns[w.row]) /
			(double)t->dur_ns[w.row];
	return w;
}

/* Its runs that were launched in steady steps; all of them, where none was. */
static size_t steady_runs(const struct analysis *a, const struct activity *act, uint32_t *row)
{
	const struct trace *t = a->trace;
	size_t n = 0;
	for (size_t i = 0; i < act->calls; i++) {
		uint32_t launch = analysis_launch_of(t, act->row[i]);
		uint32_t step =
			launch == NO_ROW ? NO_ROW : analysis_step_at(a, t->start_ns[launch]);
		if (step != NO_ROW && step >= steady_from(a))
			row[n++] = act->row[i];
	}
	for (size_t i = 0; !n && i < act->calls; i++)
		row[i] = act->row[i];
	return n ? n : act->calls;
}

double steady_median_ns(const struct analysis *a, const struct activity *act)
{
	uint32_t *row = xcalloc(act->calls + 1, sizeof *row);
	int64_t *ns = xcalloc(act->calls + 1, sizeof *ns);
	size_t n = steady_runs(a, act, row);
	for (size_t i = 0; i < n; i++)
		ns[i] = a->trace->dur_ns[row[i]];
	double median = stats_of(ns, n).median;
	free(ns);
	free(row);
	return median;
}

struct stats steady_delays_of(const struct analysis *a, const struct activity *act)
{
	uint32_t *row = xcalloc(act->calls + 1, sizeof *row);
	struct stats delay = launch_delays_of(a->trace, row, steady_runs(a, act, row));
	free(row);
	return delay;
}

const struct activity *activity_of_row(const struct analysis *a, uint32_t row)
{
	for (uint32_t i = 0; i < a->n_activities; i++)
		for (size_t k = 0; k < a->activities[i].calls; k++)
			if (a->activities[i].row[k] == row)
				return &a->activities[i];
	return NULL;
}
