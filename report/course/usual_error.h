/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usual_error.h - the usual wrong answer of an exercise, which a key may only print where it is
 * wrong.
 *
 * An exercise has a list of them, "wrong", each with its "text" and with "right_where": facts of a
 * run, of which one is enough to make it right there:
 *
 *   {"measure": M, "case": C, "over": N, "least": X, "most": Y}
 *                       the measure M of the case (of N of the same case, if there is an N) is
 * within these bounds; one of them may be missing
 *   {"first": C}        the order that the key asks for may begin with this case
 *   {"told": true}      no two cases of that order are alike
 */
#ifndef REPORT_COURSE_USUAL_ERROR_H
#define REPORT_COURSE_USUAL_ERROR_H

#include "report/page/document.h"
#include "report/run/run.h"

/* The first one that is wrong on both machines (`there`: NULL, there is one alone); else the first
 * that is wrong on one of them, behind its name; "" where all are right on both. */
const char *usual_error(struct document *d, const struct input *in, const struct input *there,
	const cJSON *exercise);

#endif
