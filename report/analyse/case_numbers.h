/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_numbers.h - the few numbers of a case that a reader compares.
 *
 * There is one definition of a step's typical time, here, and everything that a report prints uses
 * it: the median over the steady steps (steps_steady_from of analysis.h). The predictions (judge.h)
 * count the same steps, and so does a comparison (compare.h).
 */
#ifndef REPORT_ANALYSE_CASE_NUMBERS_H
#define REPORT_ANALYSE_CASE_NUMBERS_H

#include "report/analyse/analysis.h"

struct case_numbers {
	uint32_t n_steps;
	double cpu_ns; /* median duration of a steady step on the CPU */
	double device_ns; /* median device busy time of a steady step */
	/* Medians over the steady steps; copies with fills. What a product's library needs beside
	 * its kernel, a fill or the reduction of a split product, counts with it, has no launch,
	 * and is told by beside_products: device events of a step are kernels + copies +
	 * beside_products. */
	double kernels, copies, launches, beside_products;
	double first_ratio; /* first step ÷ median of the others, on the CPU; 0 with fewer than two
			       steps */
	uint32_t typical; /* the steady step at the median (median_place of base/stats.h): by device
			     time when the case is compute-bound, by CPU time otherwise */
	double spread; /* of the steady steps, by the same time: (slowest - fastest) ÷ median; 0
			  with one of them */
	uint32_t ops; /* operators of that step, on the thread with the steps */
	uint32_t compile_rows; /* rows of compiled code there: look-up, guard, region, call graph */
};

struct case_numbers numbers_of(const struct analysis *a);

/* The index of the first steady step: 1, or 0 where no other is recorded. */
uint32_t steady_from(const struct analysis *a);

/* The typical time that a case is compared by: device_ns when it is compute-bound, else cpu_ns. */
double deciding_ns(const struct analysis *a, const struct case_numbers *n);
/* The same time of one step. */
int64_t deciding_ns_of(const struct analysis *a, const struct step *s);

/* (slowest - fastest) ÷ median of the steady steps' device time, or of their CPU time; 0 with one
 * of them. */
double steps_spread(const struct analysis *a, bool device);

/* The index of the steady step nearest to the median of device_ns, or of cpu_ns. */
uint32_t median_step(const struct analysis *a, bool device);

/* From a step's first piece of device work to its second, NAN without two; the median of the steady
 * steps that have two, NAN without any. */
double step_gap_ns(const struct analysis *a, const struct step *s);
double median_gap_ns(const struct analysis *a);

/* The last call that waits for the device, and the share of it in which the device worked. */
struct last_wait {
	uint32_t row; /* NO_ROW: none */
	double busy_share;
};
struct last_wait last_wait_of(const struct analysis *a);

/* The median of an activity's runs that were launched in steady steps, in nanoseconds: the time of
 * a kernel that stands beside times of steps. Of all its runs, where none was. */
double steady_median_ns(const struct analysis *a, const struct activity *act);
/* The launch_delays_of the same runs. */
struct stats steady_delays_of(const struct analysis *a, const struct activity *act);

/* The activity that a device event belongs to, NULL if none. */
const struct activity *activity_of_row(const struct analysis *a, uint32_t row);

#endif
