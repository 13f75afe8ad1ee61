/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hardware_counters.h - hardware counters of a case: what a run of its own counted, as run.json
 * keeps it.
 *
 * Counting slows the device down and runs each piece of work several times, so it never happens
 * while anything is timed: after all cases are measured, each is prepared once more in a process of
 * its own and one warm step of it is counted, first as a whole, then kernel by kernel.
 */
#ifndef COLLECT_HARDWARE_COUNTERS_H
#define COLLECT_HARDWARE_COUNTERS_H

#include "base/arena.h"
#include "base/json_out.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

enum counting { COUNTING_NONE, COUNTING_PLAIN, COUNTING_DEEP };

struct case_counts {
	enum counting how; /* NONE: never tried */
	const char *reason; /* why there are none; NULL: there are */
	int passes; /* runs of the work that it took */
	int n_metrics;
	const char **metric; /* (n_metrics) "dram__bytes_read.sum": ncu's names */
	const double
		*step; /* (n_metrics) of the step as a whole; NaN where the device gave no number */
	int n_kernels; /* 0 also where kernels cannot be run again one by one */
	const double *kernel; /* (n_kernels, n_metrics) in the order of their launch */
};

/* The members of `json`, whatever is wrong with them left out; texts and numbers in the arena. */
struct case_counts counts_read(struct arena *a, const cJSON *json);

/* The same members. */
void counts_write(struct json_out *j, const struct case_counts *c);

#endif
