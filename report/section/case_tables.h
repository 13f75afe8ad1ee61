/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_tables.h - the tables of one case.
 */
#ifndef REPORT_SECTION_CASE_TABLES_H
#define REPORT_SECTION_CASE_TABLES_H

#include "report/analyse/case_numbers.h"
#include "report/page/rows.h"
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

/* The title of a case as a link to its pages. */
const char *case_link(const struct document *d, const struct report_case *c);

/* "overhead-bound", as the templates call it. */
const char *regime_word(const struct document *d, const struct report_case *c);

/* "1 + 1" of a step, or "1" where nothing is copied. */
const char *kernels_and_copies(struct arena *a, const struct case_numbers *n);

/* A cell "5 % – 95 %" of times. */
void put_spread(struct rows *t, const struct stats *s);

#endif
