/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - the room of pictures: a row for each kind, which says how one is drawn, and where its
 * data say how high it is.
 *
 * In come analyses of cases; out goes a `struct figure` in a document (page/document.h), whose
 * `data` are what its own file planned: a struct timeline, a struct roofline and so on, named below
 * beside their kinds. All that can fail or be left out is settled by planning, so drawing cannot
 * fail.
 *
 * What a picture shows is found and planned by its own files; once it stands in a document it is
 * only read. A new kind is a file, a name here and a row in figures.c.
 */
#ifndef REPORT_FIGURE_FIGURES_H
#define REPORT_FIGURE_FIGURES_H

#include "report/page/document.h"

enum figure_kind { /* and what its data are */
	FIGURE_TIMELINE, /* struct timeline */
	FIGURE_TIMELINES, /* struct timelines */
	FIGURE_DELAYS, /* struct strips */
	FIGURE_SAMPLES, /* struct dots */
	FIGURE_ROOFLINE, /* struct roofline */
	FIGURE_BANDWIDTH, /* struct widths */
	FIGURE_STEP_TIME, /* struct stacked */
	FIGURE_ADDITIONS, /* struct byte_ledger */
	FIGURE_CROSSOVER, /* struct crossover */
	FIGURE_WATERFALL, /* struct waterfall */
	FIGURE_SPENT, /* struct spent_bar */
	FIGURE_MEMORY, /* struct memory_lines */
	FIGURE_KINDS
};

/* Puts a planned picture at the end of the document; id and alt as in struct figure. The data are
 * lent, and stay as long as the document. A legend that is shared, and the parts of one that may be
 * cut, are left to the caller. */
struct figure *figure_add(struct document *d, enum figure_kind kind, const char *id,
	const char *alt, const void *data);

#endif
