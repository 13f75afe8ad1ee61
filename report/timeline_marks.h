/*
 * timeline_marks.h - numbered marks on the events of a timeline; part of timeline.c.
 */
#ifndef REPORT_TIMELINE_MARKS_H
#define REPORT_TIMELINE_MARKS_H

#include "report/timeline.h"

enum { MOST_MARKS = 9 };

/* Where marks stand already, so that the next one keeps clear of them. */
struct marks {
	struct pt at[MOST_MARKS];
	int n;
};

/* Draws the number on a disc at the right end of a bar, above the bar when that is too narrow, and
 * beside other marks when they are too near. right: the end of the time axis. */
void draw_mark_on(struct canvas *c, const struct texts *texts, struct marks *marks, struct box bar,
	double left, double right, int number);

/* The disc alone, for the text below: its centre at `at`. */
void draw_disc(struct canvas *c, const struct texts *texts, struct pt at, int number);

#endif
