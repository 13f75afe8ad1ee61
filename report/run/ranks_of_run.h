/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks_of_run.h - the traces of a folder as ranks of one program, and which of them have pages.
 *
 * Of a matrix the first MOST_OF_MATRIX cases have a page. Of other folders MOST_PAGED have: where
 * there are more, the straggler and those that are late like it, then the ranks that lie apart
 * (ranks.h), the furthest first, and as many of the others as there is room for.
 */
#ifndef REPORT_RUN_RANKS_OF_RUN_H
#define REPORT_RUN_RANKS_OF_RUN_H

#include "report/analyse/ranks.h"
#include "report/run/run.h"

enum { MOST_PAGED = 16, MOST_OF_MATRIX = 1000 };

/* Why a trace of a folder of ranks is not compared, by key of the templates; NULL: it is. */
const char *rank_left_out(const struct report_case *c);

/* Those that are: one part each. */
struct rank_part *rank_parts_of(struct arena *a, const struct run *run, uint32_t *n);

/* The case that a part is of; NULL: there is none. */
const struct report_case *case_of_rank_part(const struct run *run, uint32_t part);

/* Fills in run.paged and report_case.paged, once all is read. */
void choose_paged(struct input *in);

#endif
