/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_tables.h - the tables of one case.
 */
#ifndef REPORT_SECTION_CASE_TABLES_H
#define REPORT_SECTION_CASE_TABLES_H

#include "report/page/document.h"
#include "report/run/run.h"

enum { PROFILER_ROWS = 15, KERNEL_ROWS = 12 };

/* Prediction beside observation; nothing when none was made. */
void add_verdict_table(struct document *d, const struct input *in, const struct report_case *c);

/* Does the mean lie so far from the median that quoting it would mislead? */
bool mean_misleads(const struct stats *s);

/* The device's activities by total time: `most` of them; or KERNEL_ROWS, and below them the gap in
 * a step, the launch call of a product and the last wait. */
void add_kernel_rows(struct document *d, const struct report_case *c, int most);
void add_kernel_table(struct document *d, const struct report_case *c);

/* The largest PROFILER_ROWS rows of PyTorch's table. */
void add_profiler_table(struct document *d, const struct report_case *c);

/* What was predicted, in words: "Kernels fewer than in ...". */
const char *verdict_text(struct document *d, const struct input *in, const struct report_case *c,
	const struct verdict *v);

/* What was expected and what was seen, for a table; findings by their names. */
const char *verdict_expected(struct document *d, const struct verdict *v);
const char *verdict_observed(struct document *d, const struct verdict *v);

/* The name of an event for a table cell: tidied, without markup. */
const char *event_name(struct document *d, const char *name);

/* A value from a file as text that holds no markup. */
const char *literal(struct document *d, const char *text);

#endif
