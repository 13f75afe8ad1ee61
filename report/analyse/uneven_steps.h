/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uneven_steps.h - what the step of median length does not show: what is paid once, in front of the
 * steady steps, and steps that take far longer than the others, as those that log, save, or look at
 * other data do.
 *
 * Set-up is what the first step takes above the median one, from SETUP_TIMES of it on, where it is
 * LONG_TIMES as long as any other and most of that is known. Of few steps, whose first one may be
 * the recorder's, it counts only as far as spans of the file name it (first_step_causes.h). Long
 * steps are steady ones of at least LONG_TIMES the median, fewer than half of all, and worth a word
 * where what they take above it is LONG_SHARE of all steady steps together. Linear in the steps.
 */
#ifndef REPORT_ANALYSE_UNEVEN_STEPS_H
#define REPORT_ANALYSE_UNEVEN_STEPS_H

#include "report/analyse/breakdown.h"

#define SETUP_TIMES 1.5
#define LONG_TIMES 1.25
#define LONG_SHARE 0.05
enum {
	LEAST_UNEVEN = 4, /* steady steps: of fewer the median is one of them */
	LEAST_SETUP = 2 /* the same, for set-up */
};

struct uneven_steps {
	/* Of the first step above the median one, 0: it is one of many, or none; and the part that
	   it has most of above it */
	int64_t setup_ns;
	enum time_part setup_part;
	int64_t setup_part_ns; /* of that part */
	uint32_t n, steady; /* long ones, 0: none that matters; of so many */
	uint32_t every; /* each so many steps; 0: not at even distances, or too few to tell */
	uint32_t first; /* index of the first long one */
	int64_t more_ns; /* that all long ones take above the median */
	int64_t all_ns; /* of all steady steps */
	enum time_part part; /* of which they have most above the median step */
	int64_t part_ns;
};

/* Nothing where steps were not told, or a file is not whole. */
struct uneven_steps uneven_steps_of(const struct breakdown *p);

#endif
