/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sheets.h - the handout of the course: twelve exercises of templates/<lang>/exercises.json, then
 * their pictures, of this run and of a recorded one; and the key that marks them.
 */
#ifndef REPORT_COURSE_SHEETS_H
#define REPORT_COURSE_SHEETS_H

#include "report/page/document.h"
#include "report/run/run.h"

/* The questions with room to draw and to answer and the pictures behind them; or, of each, what the
 * picture decides on either machine, why, the usual wrong answer, and the chapter. An exercise
 * whose cases the run lacks is left out; false, and nothing is added, where fewer than six are
 * left. */
bool add_sheet(struct document *d, const struct input *in, bool key);

#endif
