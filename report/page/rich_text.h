/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rich_text.h - a paragraph of text with a little markup, broken into lines.
 *
 * Markup: **bold**, `code`, [label](#place) and [label](https://...); a backslash takes the next
 * sign literally. The sign "¶" inside a label stands for the page number of its place, which is
 * known only once all is laid out.
 */
#ifndef REPORT_PAGE_RICH_TEXT_H
#define REPORT_PAGE_RICH_TEXT_H

#include "report/canvas/canvas.h"

struct rich_style {
	enum face face; /* of plain words */
	double size, leading; /* points */
	rgba colour, link;
	enum anchor align;
	int max_lines; /* 0: as many as needed; otherwise the last one ends with an ellipsis */
};

struct rich_word {
	const char *text;
	enum face face;
	const char *link; /* "#place", "https://..." or NULL */
	double width;
	bool space; /* a space goes before it when it does not begin a line */
	double space_width; /* of that space: in the face of both neighbours, else in the plain one
			     */
};

struct rich_line {
	int first, n; /* words */
	double width;
};

struct rich {
	struct rich_word *word;
	int n_words;
	struct rich_line *line;
	int n_lines;
	double height;
	bool numbered; /* it names the number of a page */
	struct rich_style style;
};

/* Page numbers of places, filled in by layout; NULL page numbers print as "0". */
struct places;

/* Breaks text into lines of at most `width` points. A word wider than that is cut. */
struct rich rich_layout(struct arena *a, const struct fonts *fonts, const struct places *places,
	const char *text, double width, const struct rich_style *style);

/* Draws with the top left corner at (x, y); the width given is used by right and centre alignment.
 */
void rich_draw(struct canvas *c, const struct rich *r, double x, double y, double width);

/* The text without its markup. */
const char *rich_plain(struct arena *a, const char *text);

/* A piece of a text in one style, its markup taken away. */
struct rich_piece {
	const char *text;
	bool bold, code;
	bool page; /* it is the sign for a page number, and has no text */
	const char *link; /* as in rich_word; the pieces of one label have the same pointer */
};

/* The pieces of a text, in their order; *n of them, in the arena. */
struct rich_piece *rich_pieces(struct arena *a, const char *text, int *n);

struct places *places_new(struct arena *a);
void places_add(struct places *p, struct arena *a, const char *name, int page);
int places_find(const struct places *p, const char *name); /* 0 when unknown */

/* From now on every page number is as wide as one of five digits, whatever it is: spaces of the
 * width of a digit stand before it. What is laid out with them is the same for all pages below
 * 100,000. */
void places_pad(struct places *p);
const char *page_space(enum face face); /* that space */

/* The same names in the same order on the same pages. */
bool places_same(const struct places *a, const struct places *b);

#endif
