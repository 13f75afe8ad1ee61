/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/fail_on_gate.h"

#include "base/faster_slower_same.h"
#include "base/time_of_text.h"

#include <stdlib.h>
#include <string.h>

/* A number, of hundredths with a percent sign behind it; 0: none. */
static double share_of(const char *text)
{
	char *end;
	double value = strtod(text, &end);
	bool percent = end > text && !strcmp(end, "%");
	return end > text && (percent || !*end) ? value / (percent ? 100 : 1) : 0;
}

int gate_parse(struct gate *g, const char *rule, struct err *err)
{
	if (!strcmp(rule, "inconclusive")) {
		g->inconclusive = true;
		return 0;
	}
	if (!strncmp(rule, "slower=", 7)) {
		g->least = share_of(rule + 7);
		if (g->least > 0 && g->least < 1)
			return 0;
	}
	if (!strncmp(rule, "step=", 5) && time_of_text(rule + 5, &g->step_ns) && g->step_ns)
		return 0;
	return fail(err,
		"--fail-on takes slower=SHARE (as slower=3%%), step=TIME (as step=20ms) or "
		"inconclusive, not \"%s\"",
		rule);
}

double gate_least(const struct gate *g)
{
	return g->least > 0 ? g->least : change_least;
}
