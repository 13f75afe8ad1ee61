/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks_scale.h - what is said of many ranks beside the table of all (ranks.c). Each adds nothing
 * where the traces have nothing of it.
 */
#ifndef REPORT_SECTION_RANKS_SCALE_H
#define REPORT_SECTION_RANKS_SCALE_H

#include "report/analyse/rank_meetings.h"
#include "report/page/document.h"

/* Medians by node: of few all, of many those that differ. */
void add_nodes(struct document *d, const struct ranks *r, const struct rank_part *part);

/* Each collective, with who comes last to it, how often, and by how much. */
void add_meetings(struct document *d, const struct ranks *r, const struct rank_part *part);

/* How long sends and receives hold the device while nothing computes. */
void add_bubbles(struct document *d, const struct ranks *r, const struct rank_part *part);

#endif
