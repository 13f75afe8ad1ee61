/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.h - from what was read to a trace that is sorted, joined and const.
 */
#ifndef REPORT_READ_SEAL_H
#define REPORT_READ_SEAL_H

#include "report/read/columns.h"

/* Moves the part's columns into the trace and releases the part; its repairs, and those found on
 * the way, are left in `repairs`. `threads`: on two of them, with the same result. */
void seal(struct trace *t, struct part *part, bool threads, struct repair_tally *repairs);

#endif
