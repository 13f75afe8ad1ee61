/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/fail_on_gate.h"

#include "base/faster_slower_same.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct unit {
	const char *suffix;
	double factor;
} shares[] = {{"%", 0.01}, {"", 1}, {0}},
  times[] = {{"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}, {0}};

/* A number above 0 with one of the suffixes; 0: none. */
static double number_of(const char *text, const struct unit *unit)
{
	char *end;
	double value = strtod(text, &end);
	for (; end > text && unit->suffix; unit++)
		if (!strcmp(unit->suffix, end) && isfinite(value) && value > 0)
			return value * unit->factor;
	return 0;
}

int gate_parse(struct gate *g, const char *rule, struct err *err)
{
	if (!strcmp(rule, "inconclusive")) {
		g->inconclusive = true;
		return 0;
	}
	double value = 0;
	if (!strncmp(rule, "slower=", 7)) {
		value = number_of(rule + 7, shares);
		g->least = value;
		if (value > 0 && value < 1)
			return 0;
	}
	if (!strncmp(rule, "step=", 5)) {
		value = number_of(rule + 5, times);
		g->step_ns = (int64_t)value;
		if (value >= 1 && value < 1e18)
			return 0;
	}
	return fail(err,
		"--fail-on takes slower=SHARE (as slower=3%%), step=TIME (as step=20ms) or "
		"inconclusive, not \"%s\"",
		rule);
}

double gate_least(const struct gate *g)
{
	return g->least > 0 ? g->least : change_least;
}
