/* SPDX-License-Identifier: Apache-2.0 */
/* LAUNCH-BOUND, LAUNCH-OUTLIER: what launching costs. */
#include "report/detect/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Launched one by one: of a graph's kernels none has a call of its own. */
static bool has_own_launch(const struct facts *x, size_t i)
{
	return x->call[i] != NO_ROW && x->caused[x->call[i]] == 1;
}

/* ---- LAUNCH-BOUND ---- */

static enum finding_state launch_bound(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	double shorter = 0, too_long = 0;
	size_t n = 0;
	if (!x->a->n_kernels)
		return not_applicable(f, REASON_NO_DEVICE);
	if (!x->n_links)
		return not_applicable(f, REASON_NO_LINKS);
	int64_t *sample = xcalloc(x->a->n_kernels, sizeof *sample);
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		if (t->kind[row] != EVENT_KERNEL)
			continue;
		sample[n++] = t->dur_ns[row];
		if (!has_own_launch(x, i) || t->dur_ns[x->launch[i]] < t->dur_ns[row])
			continue;
		shorter++;
		too_long += (double)(t->dur_ns[x->launch[i]] - t->dur_ns[row]);
		show(f, x->launch[i], t->dur_ns[x->launch[i]] - t->dur_ns[row]);
	}
	double median = median_of(sample, n), share = shorter / (double)n;
	free(sample);
	double idle = (double)x->a->window.idle_ns;
	TELL(f, {"kernels", (double)n}, {"median", median}, {"shorter", shorter}, {"share", share},
		{"call", x->a->call.median});
	gives_back(f, too_long < idle ? too_long : idle);
	f->advice = x->h->graphs.n ? REASON_GRAPHS : REASON_NONE;
	return fired_if(median < limit(f, "kernel") && share > limit(f, "share") &&
		idle > limit(f, "of_window") * (double)window_ns(x->a));
}

/* ---- LAUNCH-OUTLIER ---- */

/* The gap of the device that ends at a moment, NULL when it was busy until then. Moments come in
 * order; *next is 0 at first. */
static const struct gap *gap_until(const struct analysis *a, int64_t time_ns, size_t *next)
{
	while (*next < a->n_gaps && a->gaps[*next].start_ns < time_ns)
		++*next;
	const struct gap *gap = *next ? &a->gaps[*next - 1] : NULL;
	return gap && gap->start_ns + gap->dur_ns == time_ns ? gap : NULL;
}

/* A kernel with a launch of its own. */
struct launched {
	uint32_t row, launch;
	int64_t took_ns, since_ns; /* in the call; from its end to the kernel's start */
};

static struct launched *own_launches(const struct facts *x, size_t *n)
{
	const struct trace *t = x->t;
	struct launched *own = arena_array(x->scratch, x->a->n_kernels, sizeof *own);
	*n = 0;
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i), launch = x->launch[i];
		if (t->kind[row] == EVENT_KERNEL && has_own_launch(x, i))
			own[(*n)++] = (struct launched){row, launch, t->dur_ns[launch],
				t->start_ns[row] - row_end(t, launch)};
	}
	return own;
}

/* How long the device lay idle right before an event that was in its queue. What ran on another
 * stream until then may be what the event waited for. */
static double idle_delay(const struct facts *x, const struct launched *k, size_t *next)
{
	int64_t start = x->t->start_ns[k->row], from = start - k->since_ns;
	const struct gap *gap = gap_until(x->a, start, next);
	if (!gap)
		return 0;
	from = gap->start_ns > from ? gap->start_ns : from;
	return (double)(start - from);
}

/* How long a call must take to lie apart: where every call is slow none does. The median is 0, as
 * nobody asks for it, when no call is as long as `least`. */
static double slow_from(
	const struct finding *f, const struct launched *own, size_t n, double *median)
{
	double least = limit(f, "call");
	int64_t longest = 0;
	for (size_t i = 0; i < n; i++)
		longest = own[i].took_ns > longest ? own[i].took_ns : longest;
	*median = 0;
	if ((double)longest <= least)
		return least;
	int64_t *sample = xalloc(n * sizeof *sample);
	for (size_t i = 0; i < n; i++)
		sample[i] = own[i].took_ns;
	*median = median_of(sample, n);
	free(sample);
	return fmax(least, limit(f, "ratio") * *median);
}

static enum finding_state launch_outliers(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	double slow = 0, late = 0, longest = 0, latest = 0, recorder = 0, idle = 0, median;
	if (!x->n_links)
		return not_applicable(f, x->a->n_device ? REASON_NO_LINKS : REASON_NO_DEVICE);
	size_t launches, gap = 0;
	const struct launched *own = own_launches(x, &launches);
	double slow_ns = slow_from(f, own, launches, &median), late_ns = limit(f, "delay");
	for (size_t i = 0; i < launches; i++) {
		uint32_t row = own[i].row, launch = own[i].launch;
		double took = (double)own[i].took_ns;
		double delay = (double)own[i].since_ns > late_ns ? idle_delay(x, &own[i], &gap) : 0;
		if (took > slow_ns) {
			slow++;
			longest = took > longest ? took : longest;
			recorder += covered(&x->overhead_spans, t->start_ns[launch],
					    row_end(t, launch)) > 0;
			idle += (double)idle_between(x, t->start_ns[launch], row_end(t, launch));
			show(f, launch, INT64_MAX / 2 + t->dur_ns[launch]);
		}
		if (delay > late_ns) {
			late++;
			latest = delay > latest ? delay : latest;
			idle += delay;
			show(f, row, (int64_t)delay);
			show_gap(f, t->start_ns[row] - (int64_t)delay, t->start_ns[row], row);
		}
	}
	f->n_gaps = slow ? 0 : f->n_gaps; /* then it is about the calls */
	if (!launches)
		return not_applicable(f, REASON_NO_LINKS);
	tell(f, "launches", (double)launches);
	if (median > 0)
		tell(f, "median", median);
	TELL(f, {"slow", slow}, {"late", late}, {"longest", longest}, {"latest", latest},
		{"recorder", recorder});
	gives_back(f, idle);
	if (!slow && !late)
		return FINDING_NOT_FIRED;
	return fired_as(f, slow ? REASON_NONE : REASON_DELAY);
}

static const struct detector rows[] = {
	{.id = "LAUNCH-BOUND",
		.name = "launches longer than kernels",
		.gain = GAIN_IDLE,
		.threshold = {{"kernel", 10000, UNIT_NS}, {"share", 0.5, UNIT_SHARE},
			{"of_window", 0.15, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"median", UNIT_NS}, {"shorter", UNIT_COUNT},
			{"share", UNIT_SHARE}, {"call", UNIT_NS}},
		.one = launch_bound},
	{.id = "LAUNCH-OUTLIER",
		.name = "outlying launches",
		.gain = GAIN_IDLE,
		.threshold = {{"call", 50000, UNIT_NS}, {"ratio", 5, UNIT_RATIO},
			{"delay", 100000, UNIT_NS}},
		.value = {{"launches", UNIT_COUNT}, {"median", UNIT_NS}, {"slow", UNIT_COUNT},
			{"longest", UNIT_NS}, {"late", UNIT_COUNT}, {"latest", UNIT_NS},
			{"recorder", UNIT_COUNT}},
		.one = launch_outliers},
};

const struct detector_list detect_launch_rows = DETECTOR_LIST(rows);
