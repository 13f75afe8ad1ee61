/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_estimate.h - how long a case will take here, and what to do when that is too long.
 */
#ifndef COLLECT_TIME_ESTIMATE_H
#define COLLECT_TIME_ESTIMATE_H

#include "base/arena.h"
#include "collect/matrix.h"

/* A case that would take longer is made smaller. */
#define LONGEST_CASE_S 10.0

/* What the device does per second (measure_rates). */
struct rates {
	double flop[DTYPES]; /* in a product of the type */
	double copy_bytes; /* read and written */
};

/* Any machine is faster: what is quick even so needs no measured rates. */
extern const struct rates slowest_rates;

/* All calls of a case together: steps * (flop / rate + bytes / copy rate), start-up left out. Of
 * the eager form whatever the mode, so that cases that are compared are scaled alike. */
double estimate_s(const struct workload *w, const struct case_spec *spec, const struct rates *r);

/* Makes the case smaller until it fits into LONGEST_CASE_S or cannot get smaller. Returns what a
 * reader is told ("asked size 4096, ran 2048: ..."), or NULL when it fits as it is. */
const char *scale_to_fit(
	struct arena *a, const struct workload *w, struct case_spec *spec, const struct rates *r);

#endif
