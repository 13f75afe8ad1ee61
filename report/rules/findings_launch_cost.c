/* SPDX-License-Identifier: Apache-2.0 */
/* LAUNCH-BOUND, LAUNCH-OUTLIER: what launching costs. */
#include "report/rules/facts.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/health.h"
#include "report/analyse/launches.h"
#include "report/rules/advice.h"

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
		{"call", x->a->call_median_ns});
	gives_back(f, fmin(too_long, idle));
	f->advice = x->h->graphs.n ? REASON_GRAPHS : REASON_NONE;
	return fired_if(median < limit(f, "kernel") && share > limit(f, "share") &&
		idle > limit(f, "of_window") * (double)window_ns(x->a));
}

/* ---- LAUNCH-OUTLIER ---- */

/* The gap of the device that ends at a moment, NULL when it was busy until then. Moments come in
 * order; *next is 0 at first. */
static const struct time_span *gap_until(const struct analysis *a, int64_t time_ns, size_t *next)
{
	while (*next < a->n_gaps && a->idle.at[*next].start_ns < time_ns)
		++*next;
	const struct time_span *gap = *next ? &a->idle.at[*next - 1] : NULL;
	return gap && gap->end_ns == time_ns ? gap : NULL;
}

/* How long the device lay idle right before an event that was in its queue for so long. What ran on
 * another stream until then may be what the event waited for. */
static double idle_delay(const struct facts *x, uint32_t row, int64_t since_ns, size_t *next)
{
	int64_t start = x->t->start_ns[row], from = start - since_ns;
	const struct time_span *gap = gap_until(x->a, start, next);
	if (!gap)
		return 0;
	from = max64(gap->start_ns, from);
	return (double)(start - from);
}

static bool is_own_kernel(const struct facts *x, size_t i)
{
	return has_own_launch(x, i) && x->t->kind[device_row(x, i)] == EVENT_KERNEL;
}

static double median_launch(const struct facts *x, size_t launches)
{
	int64_t *sample = xalloc(launches * sizeof *sample);
	size_t n = 0;
	for (size_t i = 0; i < x->a->n_device; i++)
		if (is_own_kernel(x, i))
			sample[n++] = x->t->dur_ns[x->launch[i]];
	double median = median_of(sample, n);
	free(sample);
	return median;
}

/* Calls that may lie apart, and kernels that began late. */
struct outliers {
	size_t launches;
	struct row_list calls; /* longer than the limit */
	double slow, late, longest, latest, recorder, idle;
};

static void look_at_own(const struct facts *x, struct finding *f, struct outliers *o)
{
	const struct trace *t = x->t;
	double least = limit(f, "call"), late_ns = limit(f, "delay");
	size_t gap = 0;
	for (size_t i = 0; i < x->a->n_device; i++) {
		if (!is_own_kernel(x, i))
			continue;
		uint32_t row = device_row(x, i), launch = x->launch[i];
		int64_t since = t->start_ns[row] - row_end(t, launch);
		o->launches++;
		if ((double)t->dur_ns[launch] > least)
			list_row(&o->calls, launch);
		double delay = (double)since > late_ns ? idle_delay(x, row, since, &gap) : 0;
		if (delay <= late_ns)
			continue;
		o->late++;
		o->latest = fmax(o->latest, delay);
		o->idle += delay;
		show(f, row, (int64_t)delay);
		show_gap(f, t->start_ns[row] - (int64_t)delay, t->start_ns[row], row);
	}
}

static void look_at_slow(
	const struct facts *x, struct finding *f, double slow_ns, struct outliers *o)
{
	const struct trace *t = x->t;
	for (size_t i = 0; i < o->calls.n; i++) {
		uint32_t launch = o->calls.row[i];
		int64_t from = t->start_ns[launch], to = row_end(t, launch);
		if ((double)(to - from) <= slow_ns)
			continue;
		o->slow++;
		o->longest = fmax(o->longest, (double)(to - from));
		o->recorder += spans_covered(&x->overhead_spans, from, to) > 0;
		o->idle += (double)analysis_idle(x->a, from, to);
		show(f, launch, INT64_MAX / 2 + to - from);
	}
}

/* Where every call is slow none lies apart. Nobody asks for the median when no call is as long as
 * the limit. */
static enum finding_state launch_outliers(const struct facts *x, struct finding *f)
{
	struct outliers o = {0};
	if (!x->n_links)
		return not_applicable(f, x->a->n_device ? REASON_NO_LINKS : REASON_NO_DEVICE);
	look_at_own(x, f, &o);
	if (!o.launches)
		return not_applicable(f, REASON_NO_LINKS);
	double median = o.calls.n ? median_launch(x, o.launches) : 0;
	look_at_slow(x, f, fmax(limit(f, "call"), limit(f, "ratio") * median), &o);
	free(o.calls.row);
	f->n_gaps = o.slow ? 0 : f->n_gaps; /* then it is about the calls */
	tell(f, "launches", (double)o.launches);
	if (median > 0)
		tell(f, "median", median);
	TELL(f, {"slow", o.slow}, {"late", o.late}, {"longest", o.longest}, {"latest", o.latest},
		{"recorder", o.recorder});
	gives_back(f, o.idle);
	if (!o.slow && !o.late)
		return FINDING_NOT_FIRED;
	return fired_as(f, o.slow ? REASON_NONE : REASON_DELAY);
}

static const struct rule rows[] = {
	{.id = "LAUNCH-BOUND",
		.page = PAGE_ATLAS,
		.gain = GAIN_IDLE,
		.threshold = {{"kernel", 10000, UNIT_NS}, {"share", 0.5, UNIT_SHARE},
			{"of_window", 0.15, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"median", UNIT_NS}, {"shorter", UNIT_COUNT},
			{"share", UNIT_SHARE}, {"call", UNIT_NS}},
		.one = launch_bound},
	{.id = "LAUNCH-OUTLIER",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_IDLE,
		.threshold = {{"call", 50000, UNIT_NS}, {"ratio", 5, UNIT_RATIO},
			{"delay", 100000, UNIT_NS}},
		.value = {{"launches", UNIT_COUNT}, {"median", UNIT_NS}, {"slow", UNIT_COUNT},
			{"longest", UNIT_NS}, {"late", UNIT_COUNT}, {"latest", UNIT_NS},
			{"recorder", UNIT_COUNT}},
		.one = launch_outliers},
};

const struct rule_list findings_launch_rows = RULE_LIST(rows);
