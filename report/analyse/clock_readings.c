/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/clock_readings.h"

#include <string.h>

static const char *const clock_names[] = {CLOCK_LIST(KIND_NAME)};

const char *clock_series_name(enum clock_series series)
{
	return clock_names[series];
}

static int series_of(const struct trace *t, size_t row)
{
	if (t->kind[row] != EVENT_COUNTER || t->side[row] == NO_ROW)
		return CLOCK_SERIES;
	const char *name = names_text(&t->names, t->name[row]);
	int i = 0;
	while (i < CLOCK_SERIES && strcmp(name, clock_names[i]) != 0)
		i++;
	return i;
}

static void take(struct clock_readings *r, int i, double value)
{
	r->low[i] = r->n[i] && r->low[i] < value ? r->low[i] : value;
	r->high[i] = r->n[i] && r->high[i] > value ? r->high[i] : value;
	r->n[i]++;
	if (i == CLOCK_HELD && value >= 0 && value <= UINT32_MAX)
		r->held |= (uint32_t)value;
}

struct clock_readings clock_readings_of(const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct clock_readings r = {0};
	uint32_t step, last = NO_ROW;
	for (size_t i = 0; i < t->n && t->n_counters; i++) {
		int series = series_of(t, i);
		if (series == CLOCK_SERIES)
			continue;
		take(&r, series, t->counters[t->side[i]].value);
		step = analysis_step_at(a, t->start_ns[i]);
		r.steps += step != NO_ROW && step != last;
		last = step != NO_ROW ? step : last;
	}
	return r;
}

bool clocks_any(const struct trace *t)
{
	for (size_t i = 0; t->n_counters && i < t->n; i++)
		if (series_of(t, i) != CLOCK_SERIES)
			return true;
	return false;
}
