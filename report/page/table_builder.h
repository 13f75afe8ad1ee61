/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_builder.h - builds a table of a document: its form is a const, its cells are put one after
 * the other.
 *
 * A form names the columns by keys of the templates. Cells go from left to right, row by row; a row
 * is there from its first cell on, and the table grows as it needs. A column may be left out of one
 * table: then its cells are put as ever and dropped, so that whoever fills a row need not know.
 * Markdown and pages print the same cells (document.h).
 */
#ifndef REPORT_PAGE_TABLE_BUILDER_H
#define REPORT_PAGE_TABLE_BUILDER_H

#include "report/page/document.h"

enum { MOST_COLUMNS = 14 };

struct table_form {
	struct column column[MOST_COLUMNS]; /* up to the first without a title; titles are keys,
					     or "" */
	double size; /* points, as in struct table */
};

struct rows {
	struct document *d; /* lent */
	struct table *table; /* in the document, with all rows put so far */
	unsigned left_out; /* a bit for each column of the form */
	int n_columns, at; /* of the form; the column that the next cell belongs to */
	int room; /* rows there is room for */
	struct cell dropped; /* of a column that is left out */
};

/* Appends an empty table; without: bits of the columns left out, 1u << 0 for the first. */
struct rows rows_begin(struct document *d, const struct table_form *form, unsigned without);

/* A heading line before the row that comes next. */
void rows_group(struct rows *r, const char *title);

/* The next cell, to be marked further until another is put. Texts may hold the markup of
 * rich_text.h and are lent. */
struct cell *put(struct rows *r, const char *text);
struct cell *put_cell(struct rows *r, struct cell cell);

/* A text of the templates that has no places. */
struct cell *put_said(struct rows *r, const char *key);

/* Numbers in the words of number_format.h. */
struct cell *put_time(struct rows *r, double ns);
struct cell *put_count(struct rows *r, int64_t n);

/* Of COLUMN_BAR: a share 0..1 with a bar as long, in a colour of theme.json. */
struct cell *put_bar(struct rows *r, double share, const char *swatch);

/* Empty cells up to the end of a row that has begun. */
void rows_end_row(struct rows *r);

#endif
