/*
 * numbers.h - the few numbers of a case that a reader compares: medians over its recorded steps.
 */
#ifndef REPORT_NUMBERS_H
#define REPORT_NUMBERS_H

#include "report/analysis.h"

struct case_numbers {
	uint32_t n_steps;
	double cpu_ns; /* median duration of a step on the CPU */
	double device_ns; /* median device busy time of a step */
	double kernels, copies, launches; /* medians; copies with fills */
	double first_ratio; /* first step ÷ median of the others, on the CPU; 0 with fewer than two
			       steps */
	uint32_t typical; /* the step nearest to the median, never the first if there are more */
	double ops; /* operator rows per step */
};

struct case_numbers numbers_of(const struct analysis *a);

#endif
