/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.h - a run against an earlier one, case by case.
 *
 * Compared are the medians over the steady steps (analyse/case_numbers.h) of CPU time and device
 * time. A change counts when the medians differ by more than CHANGE_LEAST and the middle halves
 * (p25 to p75) of both do not overlap; with fewer than CHANGE_STEPS of them on either side, or when
 * only one of the two holds, nothing can be said: inconclusive. Ours; the idea of a gate that does
 * not cry wolf is nvbench's (issue 319).
 */
#ifndef REPORT_RUN_BASELINE_H
#define REPORT_RUN_BASELINE_H

#include "report/run/run.h"

enum { CHANGE_STEPS = 2 }; /* three recorded ones */
extern const double change_least; /* 0.05 */

enum change { CHANGE_NONE, CHANGE_FASTER, CHANGE_SLOWER, CHANGE_INCONCLUSIVE };
const char *change_name(
	enum change change); /* "same", "faster", "slower", "inconclusive": words of templates */

struct compared {
	double base_ns, now_ns; /* medians */
	double ratio; /* now ÷ base, 0 when the base is 0 */
	enum change change;
};

struct baseline_row {
	const struct report_case *base, *now;
	struct compared cpu, device;
	bool other_kernels; /* the sets of kernel names differ */
};

struct baseline {
	struct baseline_row *row; /* (n) cases that both runs have, with traces of one shape */
	int n, slower, faster; /* rows with a slower (else a faster) CPU or device time */
	int only_base, only_now; /* cases without a partner, or of another shape */
};

/* Pairs cases by id. The arena owns the rows; both inputs must outlive them. */
struct baseline baseline_of(struct arena *a, const struct input *base, const struct input *now);

#endif
