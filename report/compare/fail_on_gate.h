/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_on_gate.h - what makes `report --check` fail, as --fail-on says.
 *
 *   slower=SHARE   a change counts from this share on, of the step, the host's and the device's
 * time and each kernel, like 3% (default: change_least of base/faster_slower_same.h) step=TIME a
 * step that takes longer, like 20ms; the median one of each trace, of one without steps all that
 * was recorded. It needs nothing to compare with inconclusive   a pair of which nothing can be
 * told: a status of its own
 */
#ifndef REPORT_COMPARE_FAIL_ON_GATE_H
#define REPORT_COMPARE_FAIL_ON_GATE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct gate {
	double least; /* what counts as a change; 0: the default */
	int64_t step_ns; /* the most that a step may take, 0: any time */
	bool inconclusive; /* fails, too */
};

/* The value of one --fail-on; what is said twice counts as said last. */
int gate_parse(struct gate *g, const char *rule, struct err *err);

double gate_least(const struct gate *g);

#endif
