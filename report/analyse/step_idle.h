/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_idle.h - a step as the device has it: how long it works, and where in the step it does not.
 *
 * The parts sum to the step, which lasts from its start to its end on the CPU or to the end of its
 * device work, whichever is later. Between two events the device is idle inside of a launch where
 * one call launched both, as the nodes of a graph: the CPU has no part in such a gap.
 */
#ifndef REPORT_ANALYSE_STEP_IDLE_H
#define REPORT_ANALYSE_STEP_IDLE_H

#include "report/analyse/analysis.h"

struct step_idle {
	int64_t step_ns, busy_ns;
	int64_t before_ns, after_ns; /* the first device event, the last one */
	int64_t between_ns, inside_ns; /* two launches, of one launch */
	uint32_t inside; /* gaps of inside_ns */
	double inside_gap_ns; /* their median, NAN where there are none */
};

/* Of the nth step; a step without device work is idle before it. */
struct step_idle step_idle_of(const struct analysis *a, uint32_t nth);

/* Is more of its idle time inside of launches than at any other place? */
bool idle_is_inside(const struct step_idle *s);

#endif
