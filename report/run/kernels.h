/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.h - the distinct kernels of a run, over all its cases, with what their names, their
 * records and the hardware's counters say.
 */
#ifndef REPORT_RUN_KERNELS_H
#define REPORT_RUN_KERNELS_H

#include "report/analyse/kernel_fit.h"
#include "report/run/run.h"

struct run_kernel {
	const struct report_case *c; /* the first that has it */
	const struct activity *act; /* there */
	int cases; /* that have it */
	double total_ns; /* over all of them */
	int32_t estimate_pct; /* of occupancy, as the file says it; -1: it does not */
	const struct trace_device *device; /* it ran on; NULL: the file describes none */
	struct fit fit; /* resident 0: not known */
	const struct report_case *counted; /* whose counters these are; NULL: none are there */
	const cJSON *counters; /* its row of numbers */
	const cJSON *metrics; /* the names of that row */
};

/* Of kernels with a footprint, those that took most time first; *n of them, in the arena. */
struct run_kernel *run_kernels(struct arena *a, const struct input *in, int *n);

/* A number of the row, by ncu's name; NaN when it is not there. */
double kernel_counter(const struct run_kernel *k, const char *metric);

/* Why a case that was to be counted was not, by the first that says so; NULL: nobody tried, or all
 * went well. */
const char *counters_refused(const struct input *in);

#endif
