/* SPDX-License-Identifier: Apache-2.0 */
/*
 * front.h - the first page of a run: its result as the title, as a picture, and in sentences with
 * a number and a page each.
 *
 * Every number is one of case_numbers.h or crossover.h. A sentence whose cases the run does not
 * have is left out; a run without any of them has the title and the page that it had without.
 */
#ifndef REPORT_SECTION_FRONT_H
#define REPORT_SECTION_FRONT_H

#include "report/page/document.h"
#include "report/run/run.h"

/* Who is the limit at which size, here and on the first recorded machine that shows it. NULL when
 * the run has no sweep over the size. */
const char *front_title(struct document *d, const struct input *in);

/* The sentences alone; nothing for a recorded part, or traces of anybody's. */
void add_front_sentences(struct document *d, const struct input *in);

/* The sentences and pictures; nothing for a recorded part, or traces of anybody's. */
void add_front(struct document *d, const struct input *in);

/* The picture with its heading, finding and small print; false when the run has no such cases.
 * `id` is the figure's, and the place of the heading, unless `recorded` says whose run it is
 * ("recorded on ..."), which then stands in the heading. */
bool add_crossover(struct document *d, const struct run *run, const char *id, const char *recorded);

#endif
