/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clocks.h - clock rates, temperature, power and what held the clocks back, beside the steps.
 *
 * From the readings that the cuda device writes into its traces as counters, under the names of
 * experiments/cuda/clocks.h. A trace without them has no row.
 */
#ifndef REPORT_SECTION_CLOCKS_H
#define REPORT_SECTION_CLOCKS_H

#include "report/page/document.h"
#include "report/run/run.h"

/* Has any case such readings? */
bool clocks_known(const struct input *in);

/* Heading, table and what it means: a row for each case that has readings. */
void add_clocks_table(struct document *d, const struct input *in);

#endif
