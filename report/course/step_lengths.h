/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_lengths.h - lengths that can be measured in a picture of steps: those of the very events
 * that are drawn, where other measures are medians.
 *
 * In nanoseconds or as a share; NAN where the case has no such event.
 */
#ifndef REPORT_COURSE_STEP_LENGTHS_H
#define REPORT_COURSE_STEP_LENGTHS_H

#include "report/run/run.h"

/* Between the first two device events of a step: the least and the most of all steps. */
double least_gap(const struct report_case *c);
double most_gap(const struct report_case *c);

/* Of the step that stands for a case (step_to_show): the operator around the operator that launches
 * its first kernel, that one, and the launch; of the two what is their own. */
double outer_operator(const struct report_case *c);
double outer_operator_self(const struct report_case *c);
double inner_operator(const struct report_case *c);
double inner_operator_self(const struct report_case *c);
double operator_launch(const struct report_case *c);
double operator_other_calls(const struct report_case *c); /* of the inner one, beside the launch */
double operator_other_count(const struct report_case *c); /* how many those are */
/* 1 for the one of the three with the most time of its own, else 0. */
double most_is_outer(const struct report_case *c);
double most_is_inner(const struct report_case *c);
double most_is_launch(const struct report_case *c);
/* 1 where it is another one in some other recorded step, else 0. */
double most_turns(const struct report_case *c);
/* That step, from its start to the end of its device work: what its picture is as wide as. Of all
 * steps together. And what a millimetre of paper is of either picture. */
double shown_length(const struct report_case *c);
double window_length(const struct report_case *c);
double shown_millimetre(const struct report_case *c);
double window_millimetre(const struct report_case *c);
/* How many bars of a usual step the legend calls copies and fills, and how many of them are
 * kernels. */
double bars_of_copies(const struct report_case *c);
double bars_of_copy_kernels(const struct report_case *c);
/* What the profiler calls the first step and the last. */
double first_number(const struct report_case *c);
double last_number(const struct report_case *c);
/* Of every run of the matmul, as a picture of them has it: slowest less fastest, over the median;
 * the same without the first; and how far the first lies from the median. */
double spread_of_runs(const struct report_case *c);
double spread_of_later_runs(const struct report_case *c);
double change_of_first_run(const struct report_case *c);

#endif
