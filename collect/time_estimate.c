/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/time_estimate.h"

#include "collect/schedule.h"

#include <stdbool.h>

const struct rates slowest_rates = {
	.flop = {[DTYPE_BF16] = 1e9, [DTYPE_F32] = 1e9}, .copy_bytes = 1e9};

double estimate_s(const struct workload *w, const struct case_spec *spec, const struct rates *r)
{
	double steps = (double)schedule_steps(&spec->schedule) + (spec->warm ? WARM_CALLS : 0);
	struct case_spec eager = *spec;
	eager.mode = MODE_EAGER;
	double step_s = w->flop(&eager) / r->flop[spec->dtype] + w->bytes(&eager) / r->copy_bytes;
	return steps * step_s;
}

/* "size 4096, ran 2048" for every size that differs. */
static const char *differences(
	struct arena *a, const struct case_spec *asked, const struct case_spec *ran)
{
	const char *text = "";
	for (const struct case_size *s = case_sizes; s->name; s++) {
		long before = case_size_value(asked, s), now = case_size_value(ran, s);
		if (before != now)
			text = arena_printf(a, "%s%sasked %s %ld, ran %ld", text, *text ? "; " : "",
				s->name, before, now);
	}
	return text;
}

const char *scale_to_fit(
	struct arena *a, const struct workload *w, struct case_spec *spec, const struct rates *r)
{
	const struct case_spec asked = *spec;
	double asked_s = estimate_s(w, &asked, r);
	bool smaller = false;
	while (estimate_s(w, spec, r) > LONGEST_CASE_S && w->shrink(spec))
		smaller = true;
	if (!smaller)
		return NULL;
	return arena_printf(a, "%s: the asked one would take about %.0f s here",
		differences(a, &asked, spec), asked_s);
}
