/* SPDX-License-Identifier: Apache-2.0 */
/*
 * book_first_page.h - the first page of a run: its result as the title, as a picture, and in
 * sentences with a number and a page each.
 *
 * Every number is one of case_numbers.h or crossover.h. A sentence whose cases the run does not
 * have is left out; a run without any of them has the title and the page that it had without.
 */
#ifndef REPORT_COURSE_BOOK_FIRST_PAGE_H
#define REPORT_COURSE_BOOK_FIRST_PAGE_H

#include "report/page/document.h"
#include "report/run/run.h"

/* Who is the limit at which size, here and on the first recorded machine that shows it. NULL when
 * the run has no sweep over the size. */
const char *front_title(struct document *d, const struct input *in);

/* The sentences alone; nothing for a recorded part, or traces of anybody's. */
void add_front_sentences(struct document *d, const struct input *in);

/* The sentences and pictures; nothing for a recorded part, or traces of anybody's. */
void add_front(struct document *d, const struct input *in);

/* The picture with its heading, finding and small print, beside that of another run if there is
 * one; nothing when the run has no such cases. `id` is the figure's, and the place of the heading.
 */
void add_crossover(
	struct document *d, const struct run *run, const char *id, const struct run *other);

/* One step of each of two cases of this run, and of the same two recorded elsewhere, host and
 * device on one clock (overview.c). Nothing when the run lacks one of them. */
void add_pair(struct document *d, const struct input *in);

#endif
