/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_cold.h - the cold start of a case: whether there is one, and its table.
 */
#ifndef REPORT_SECTION_CASE_COLD_H
#define REPORT_SECTION_CASE_COLD_H

#include "report/figure/cold_start.h"
#include "report/page/document.h"
#include "report/run/run.h"

/* The parts of the first recorded step where the finding C1 fired, else NULL. */
const struct cold_start *cold_of(struct arena *a, const struct report_case *c);

/* Cause by cause: the spans that name it, their time, and that of the same cause in a typical step.
 * Nothing without a cold start. */
void add_cold_table(struct document *d, const struct report_case *c);

#endif
