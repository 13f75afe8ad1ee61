/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_lengths.h - lengths that can be measured in a picture of steps: those of the very events
 * that are drawn, where other measures are medians.
 *
 * In nanoseconds; NAN where the case has no such event.
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
/* That step, from its start to the end of its device work: what its picture is as wide as. */
double shown_length(const struct report_case *c);

#endif
