/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fact_tables.h - a list of facts on a page: a table of tables.h, so that --json and --csv have it
 * too, with the titles and words of the templates.
 */
#ifndef REPORT_SECTION_FACT_TABLES_H
#define REPORT_SECTION_FACT_TABLES_H

#include "report/page/document.h"
#include "report/run/run.h"
#include "report/tables/tables.h"

/* How a value of the table becomes a cell. */
enum fact_cell {
	FACT_VALUE, /* by its unit; "" when it is not known */
	FACT_WORD, /* a name of the table, in words of the templates */
	FACT_SPREAD, /* this value and the next column's: "5 ns – 7 ns"; a dash where they are not
			known, but what stands before them is */
	FACT_BAR /* a share with a bar */
};

struct fact_column {
	const char *of; /* a column of the table; NULL ends the list */
	const char *title; /* its key */
	enum fact_cell cell;
	double weight; /* as in struct column */
	const char *word, *end; /* FACT_WORD: the key, before and behind the name */
};

enum { FACT_COLUMNS = 8 };
struct fact_form {
	const char *table; /* its id in tables.h */
	struct fact_column column[FACT_COLUMNS];
	/* FACT_BAR: the colour of a row, by the name that it begins with; swatch_words: its word
	 * has it, too. */
	const char *(*swatch)(const char *name);
	bool swatch_words;
};

/* What tables are made of, of a readable case. */
struct tables_source case_facts(struct arena *a, const struct report_case *c);

/* All rows of it; nothing when it has none. */
void add_facts(struct document *d, const struct report_case *c, const struct fact_form *form);

#endif
