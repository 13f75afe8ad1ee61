/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps_in_order.h - a step of each of several cases, for a picture that stands beside their
 * medians.
 *
 * A step nearest to its own median may be on the other side of another case's: where two steady
 * steps take 0.5 and 2.4 µs their median is 1.4, and neither is near it. What is drawn must not say
 * the opposite of what is quoted, so the steps are chosen together.
 */
#ifndef REPORT_ANALYSE_STEPS_IN_ORDER_H
#define REPORT_ANALYSE_STEPS_IN_ORDER_H

#include "report/analyse/analysis.h"

/* The steady step of each of the n cases to draw, for its time on the device or on the CPU:
 * together nearest to the medians among those that stand in the medians' order; for the time on the
 * device of a case that launching limits, nearest to that of the CPU, too. False: there are none,
 * and `step` has those nearest to the medians. */
bool steps_in_order(const struct analysis *const *a, int n, bool device, uint32_t *step);

#endif
