/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worked_exercises.h - answers to exercises of chapters, of this run's numbers and of a recorded
 * one's.
 */
#ifndef REPORT_COURSE_WORKED_EXERCISES_H
#define REPORT_COURSE_WORKED_EXERCISES_H

#include "report/page/document.h"
#include "report/run/run.h"

/* False, and nothing is added, when the chapter's exercise is none of these or the run lacks its
 * cases. */
bool add_worked(struct document *d, const struct input *in, const cJSON *chapter, int n);

/* Whose answer follows: of the nth chapter, as its exercise is called. */
void add_worked_title(struct document *d, const cJSON *chapter, int n);

#endif
