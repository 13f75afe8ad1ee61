/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_layout.h - measuring and drawing a table in pieces that fit their pages.
 */
#ifndef REPORT_PAGE_TABLE_LAYOUT_H
#define REPORT_PAGE_TABLE_LAYOUT_H

#include "report/page/document.h"
#include "report/page/rich_text.h"

struct table_layout {
	const struct table *table;
	const struct document *document;
	double size, width;
	double *column_x, *column_w; /* (n_columns) points from the left edge */
	struct rich *cell; /* (n_rows, n_columns) */
	struct rich *head; /* (n_columns) */
	double *row_h; /* (n_rows) with the group line above it */
	double head_h;
	bool numbered; /* a cell names the number of a page */
};

/* Points. Heads and code of such a table are as large; one that asks for less has many columns, and
 * may be made smaller still where that saves a page. */
extern const double TABLE_USUAL;

/* Of the words in its cells, in points: what it asks for, or the usual. */
double table_size(const struct table *t);

struct table_layout *table_measure(struct arena *a, const struct document *d,
	const struct places *places, const struct table *t, double width);

/* How many rows from `first` on fit into `height` under a repeated head. */
int table_rows_that_fit(const struct table_layout *l, int first, double height);

double table_height(const struct table_layout *l, int first, int n);

void table_draw(
	struct canvas *c, const struct table_layout *l, double x, double y, int first, int n);

#endif
