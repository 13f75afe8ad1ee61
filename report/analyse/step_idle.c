/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/step_idle.h"

#include "base/min_max.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static bool launched_by_one(const struct analysis *a, uint32_t row, uint32_t other)
{
	uint32_t call = analysis_launch_of(a->trace, row);
	return call != NO_ROW && call == analysis_launch_of(a->trace, other);
}

/* The gaps between its device events; gap has room for each. */
static void add_gaps(
	struct step_idle *idle, const struct analysis *a, const struct step *s, int64_t *gap)
{
	const struct trace *t = a->trace;
	uint32_t last = s->device[0]; /* the one that ended last */
	for (uint32_t i = 1; i < s->n_device; i++) {
		uint32_t row = s->device[i];
		int64_t ns = t->start_ns[row] - t->start_ns[last] - t->dur_ns[last];
		if (ns > 0 && launched_by_one(a, last, row))
			gap[idle->inside++] = ns;
		else if (ns > 0)
			idle->between_ns += ns;
		if (t->start_ns[row] + t->dur_ns[row] > t->start_ns[last] + t->dur_ns[last])
			last = row;
	}
}

struct step_idle step_idle_of(const struct analysis *a, uint32_t nth)
{
	const struct step *s = &a->steps[nth];
	struct step_idle idle = {
		.step_ns = s->dur_ns, .before_ns = s->dur_ns, .inside_gap_ns = (double)NAN};
	if (!s->n_device)
		return idle;
	int64_t end = max64(s->start_ns + s->dur_ns, s->device_end_ns);
	idle.step_ns = end - s->start_ns;
	idle.before_ns = s->device_start_ns - s->start_ns;
	idle.after_ns = end - s->device_end_ns;
	idle.busy_ns = s->busy_ns;
	int64_t *gap = xcalloc(s->n_device, sizeof *gap);
	add_gaps(&idle, a, s, gap);
	for (uint32_t i = 0; i < idle.inside; i++)
		idle.inside_ns += gap[i];
	if (idle.inside)
		idle.inside_gap_ns = stats_of(gap, idle.inside).median;
	free(gap);
	return idle;
}

bool idle_is_inside(const struct step_idle *s)
{
	return s->inside_ns > max64(max64(s->before_ns, s->after_ns), s->between_ns);
}
