/*
 * read_marks.h - begins and ends into spans.
 *
 * `B` and `E` pair on their thread, `b`/`e` and `S`/`F` by category, id and scope. Files need not
 * be in order of time: marks are paired in that order, equal stamps in order of the file. An end
 * with a name closes the innermost open begin of that name; begins above it, and those that nothing
 * closes, last until the last mark of their thread and are counted.
 */
#ifndef REPORT_READ_MARKS_H
#define REPORT_READ_MARKS_H

#include "report/read_part.h"

/* Gives the rows of begins their durations. */
void marks_pair(struct part *p);

#endif
