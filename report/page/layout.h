/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - blocks onto pages.
 *
 * Blocks stand in the document's order but for one thing: where a picture does not fit onto the
 * rest of a page, tables of the same chapter that follow it and say themselves what they are (a
 * lead with a level, the table, what goes on with it, its small print) move up into the
 * room, but never above a heading of level 1 or 2. A chapter that may flow
 * shares a page when its opening up to the first picture fits there, or a fifth of the page is free
 * and holds it up to the first rows of its first table. A table that goes on leaves two
 * rows or more on either page.
 *
 * Where nothing but the last rows of a table would stand on the last page, that table is set a
 * little smaller, if they then fit onto the page before.
 *
 * Runs over the same document at least twice: once to learn on which page each place lies, then
 * with those numbers in the text until none changes. Every document settles: where numbers still
 * change after eight passes, they are padded to one width, which no number changes. Drawing a
 * layout is then a walk over placed pieces, the same for every back-end.
 */
#ifndef REPORT_PAGE_LAYOUT_H
#define REPORT_PAGE_LAYOUT_H

#include "report/page/document.h"
#include "report/page/rich_text.h"

struct piece {
	const struct block *block;
	int page; /* from 1 */
	double x, y; /* top left, points */
	struct rich rich; /* text blocks */
	struct rich note; /* title line, point mark, plate */
	struct table_layout *table;
	int first, n; /* rows of the table, parts of the figure on this page */
	bool legend; /* with the legend that figures of this page share */
};

struct layout {
	const struct document *document;
	struct places *places;
	struct piece *piece;
	int n, room;
	int n_pages;
	bool numbered; /* a text names the number of a page */
};

struct layout *layout_document(struct arena *a, const struct document *d);

/* Draws all pages; the canvas is not closed. */
void layout_draw(const struct layout *l, struct canvas *c);

#endif
