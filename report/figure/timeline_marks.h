/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_marks.h - numbered marks on the events of a timeline; part of timeline.c.
 */
#ifndef REPORT_FIGURE_TIMELINE_MARKS_H
#define REPORT_FIGURE_TIMELINE_MARKS_H

#include "report/figure/timeline.h"

enum { MOST_MARKS = 9 };

/* The disc alone, for the text below: its centre at `at`. */
void draw_disc(struct canvas *c, const struct texts *texts, struct pt at, int number);

#endif
