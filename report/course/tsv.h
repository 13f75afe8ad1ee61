/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsv.h - a small table with tabs, whose first line names the columns (tests/gpu/tables.c).
 */
#ifndef REPORT_COURSE_TSV_H
#define REPORT_COURSE_TSV_H

#include "base/arena.h"

#include <stdbool.h>

struct tsv {
	int n_columns, n_rows;
	const char **head; /* (n_columns) */
	const char **cell; /* (n_rows, n_columns) "" where a line is short */
};

/* False when the file is not there, is no text, has no row, or more than any measurement (4096).
 * Texts live in the arena. */
bool tsv_read(struct tsv *t, struct arena *a, const char *path);

/* "" and NaN when there is no such column. */
const char *tsv_text(const struct tsv *t, int row, const char *column);
double tsv_number(const struct tsv *t, int row, const char *column);

#endif
