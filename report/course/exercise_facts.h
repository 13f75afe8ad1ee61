/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exercise_facts.h - what the key of an exercise says of a case, beside the measures of a book's
 * boxes.
 *
 * NAN where the case does not tell.
 */
#ifndef REPORT_COURSE_EXERCISE_FACTS_H
#define REPORT_COURSE_EXERCISE_FACTS_H

#include "report/page/document.h"
#include "report/run/run.h"

/* Does the device copy in a step (a fill is no copy)? 1 or 0. How many bytes it copies first, and
 * how many that moves, read and written. */
double copies_in_step(const struct report_case *c);
double copy_bytes(const struct report_case *c);
double copy_moves(const struct report_case *c);

/* Has the run two lines of bytes in its roofline, of what is in caches and of what is not? 1 or 0.
 */
double two_lines_of_bytes(const struct report_case *c);

/* The kernels of a step by their classes, in the order in which they begin: "matmul, add". */
const char *kernels_in_order(struct document *d, const struct report_case *c);

#endif
