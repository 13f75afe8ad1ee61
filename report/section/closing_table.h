/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closing_table.h - the table that ends the series: what each kind of case runs, predicted and
 * seen, and what became of its intermediate.
 *
 * One row for each workload and mode of a run: its largest case, a warm one if there is one. What
 * is said of it is told from the device events of its first steady step and from the bytes of
 * figure/work.h.
 */
#ifndef REPORT_SECTION_CLOSING_TABLE_H
#define REPORT_SECTION_CLOSING_TABLE_H

#include "report/page/document.h"
#include "report/run/run.h"

/* Appends it with its heading; nothing when the run has no case to tell of. */
void add_closing_table(struct document *d, const struct run *run);

/* The sentence of one case, with markup. */
const char *closing_sentence(struct document *d, const struct report_case *c);

/* The GEMM kernels of two cases, those of their first steady steps in order: NULL when one of them
 * has none, "" when all are the same, else the differences in words. */
const char *gemm_difference(struct document *d, const struct report_case *from,
	const struct report_case *to, int most_parts);

#endif
