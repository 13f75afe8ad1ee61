/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks_parts.h - the second half of ranks_of().
 */
#ifndef REPORT_ANALYSE_RANKS_PARTS_H
#define REPORT_ANALYSE_RANKS_PARTS_H

#include "report/analyse/ranks.h"

/* Sets straggler and the rows' steps_led; the rows must be filled in and in order. */
void ranks_compare(struct ranks *r, const struct rank_part *part);

#endif
