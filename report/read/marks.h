/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks.h - begins and ends into spans.
 *
 * `B` and `E` pair on their thread, `b`/`e` and `S`/`F` by category, id and scope. Files need not
 * be in order of time: marks are paired in that order, equal stamps in order of the file. An end
 * with a name closes the innermost open begin of that name. Begins above it last until then too,
 * unless an end of their name comes later, one that closes no other: then the two cross. Begins
 * that nothing closes last until the last mark of their thread. All without an end are counted.
 *
 * A thread and a stream of the same numbers are two; an end without a category closes what fits on
 * either.
 */
#ifndef REPORT_READ_MARKS_H
#define REPORT_READ_MARKS_H

#include "report/read/columns.h"

/* Gives the rows of begins their durations. */
void marks_pair(struct part *p);

#endif
