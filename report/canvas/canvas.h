/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas.h - the room of drawing: one set of calls, several back-ends: PDF (libharu), PNG (cairo),
 * SVG, text, nothing; and a second PDF (cairo) that the tests hold against the first.
 *
 * In come calls with coordinates, colours and texts; out goes a file, whole or not at all. The one
 * struct is `struct canvas` (ops.h), which is closed to callers; the room knows nothing of traces.
 *
 * Points (1/72 inch), origin at the top left, y down. No graphics state: each call carries its
 * colour, width and alpha, so a line of the text back-end stands alone. The canvas keeps the first
 * error: draw freely, ask once at canvas_close(). NaN and infinite coordinates are refused. Text is
 * measured by font.h, never by a back-end.
 */
#ifndef REPORT_CANVAS_CANVAS_H
#define REPORT_CANVAS_CANVAS_H

#include "base/err.h"
#include "report/canvas/font.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef uint32_t rgba; /* 0xRRGGBBAA */

struct pt {
	double x, y;
};

struct box {
	double x, y, w, h;
};

/* Steps of a path: M and L take one point, C three (two controls and the end), Z none. */
struct path {
	const char *ops; /* "MLLZ", NUL-terminated */
	const struct pt *pts; /* as many as the ops take */
};

struct stroke {
	rgba colour;
	double width;
	double dash, gap; /* 0, 0: solid */
};

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

enum { TEXT_MIN_PT = 6, TEXT_MAX_PT = 1000 }; /* what can be read, and drawn */

struct text_style {
	enum face face;
	double size; /* points; TEXT_MIN_PT to TEXT_MAX_PT, the rest is a bug */
	rgba colour;
	enum anchor anchor;
	bool turned; /* a quarter turn to the left, for axis titles */
};

enum mark_kind {
	MARK_OUTLINE, /* a bookmark to this place; text is its title, level its depth from 0 */
	MARK_DEST, /* names this place for links; text is the name */
	MARK_LINK, /* box jumps to the destination named by text, which may come later */
	MARK_URI, /* box opens the address in text */
	MARK_TIP /* box shows text when pointed at (SVG <title>; nothing in PDF) */
};

/* What a part of a page is to readers who hear it (PDF 32000-1, 14.8.4). Contents stand in leaves:
 * headings, paragraphs, figures and the cells of a row; what is drawn in none is decoration. */
enum tag_kind {
	TAG_H1,
	TAG_H2,
	TAG_H3,
	TAG_H4,
	TAG_PARAGRAPH,
	TAG_FIGURE,
	TAG_HEAD_CELL,
	TAG_CELL,
	TAG_TABLE, /* holds rows */
	TAG_ROW, /* holds cells */
	TAG_KINDS
};

struct tag {
	enum tag_kind kind;
	const char *alt; /* TAG_FIGURE: what it shows, in a sentence */
	int columns; /* TAG_HEAD_CELL: how many it stands over, 0: one */
};

struct canvas;

/* What the back-ends need to know of the document before the first page. */
struct canvas_info {
	const char *title, *author, *subject, *keywords,
		*lang; /* UTF-8; lang is a tag such as "en" */
	const char *
		created; /* "2026-11-20T10:00:00Z" from the run, never from the clock; NULL: none */
	const char
		*id; /* prefix for ids inside an SVG, so that several can be inlined in one page */
	const char *alt; /* what the figure shows, for readers who do not see it; "": nothing */
	double scale; /* PNG: pixels a point; 0: 2.0 */
	bool unnamed; /* no person typed the name of the file (outfile_open_unnamed) */
};

/* Opens a back-end; never returns NULL (an error is kept and told by canvas_close). The PDF gets
 * pages of any size; SVG and PNG hold exactly one page. The fonts are lent. */
struct canvas *canvas_pdf(
	const char *path, const struct fonts *fonts, const struct canvas_info *info);
struct canvas *canvas_cairo_pdf(
	const char *path, const struct fonts *fonts, const struct canvas_info *info);
struct canvas *canvas_svg(
	const char *path, const struct fonts *fonts, const struct canvas_info *info);
/* An <svg> inside a page of HTML, which stays open: without a style of its own, since a strict
 * policy lets in none. Texts have the classes s, b and m (sans, bold, mono) and their measured
 * length. */
struct canvas *canvas_svg_within(
	FILE *page, const struct fonts *fonts, const struct canvas_info *info);
struct canvas *canvas_png(
	const char *path, const struct fonts *fonts, const struct canvas_info *info);
struct canvas *canvas_text(FILE *f); /* one line a call: --dump canvas; the file stays open */
struct canvas *canvas_null(const struct fonts *fonts); /* draws nothing; checks as the others do */

/* Finishes, frees, and tells the first error. */
int canvas_close(struct canvas *c, struct err *err);

/* The same; marks that were left out (canvas_undrawn) are told to `undrawn`, which keeps the first,
 * with the path of the file: the page and its other marks are worth more than none. */
int canvas_close_noting(struct canvas *c, const char *path, struct err *undrawn, struct err *err);

/* Characters drawn so far that no font has: they show as U+FFFD, but are copied as written. */
size_t canvas_replaced(const struct canvas *c);

/* Calls so far that drew nothing because a number of theirs was none, or infinite: a fault of who
 * called, which costs that mark only. The first of them in words, lent. */
size_t canvas_undrawn(const struct canvas *c, const char **first);

/* A page of w by h points; label is what the reader's viewer calls it ("iv", "12"), may be NULL. */
void canvas_page(struct canvas *c, double w, double h, const char *label);

void canvas_fill(struct canvas *c, const struct path *path, rgba colour);
void canvas_stroke(struct canvas *c, const struct path *path, const struct stroke *stroke);
/* The anchor stands at `at`, on the baseline. Breaks and tabs are drawn as spaces. */
void canvas_text_at(
	struct canvas *c, struct pt at, const char *text, const struct text_style *style);
void canvas_clip(struct canvas *c, struct box box); /* until the matching canvas_unclip */
void canvas_unclip(struct canvas *c);
/* Links and tips are cut to the clip. A place (outline, destination) is the top left of its box. A
 * link whose destination never comes is an error in a PDF and left out of an SVG, which holds only
 * a part of the document. */
void canvas_mark(
	struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level);
/* Is there a word for MARK_TIP? Where thousands are drawn, their texts need not be made in vain. */
bool canvas_has_tips(const struct canvas *c);

/* What is drawn up to the matching canvas_untag() is this. Rows lie in tables, cells in rows,
 * nothing in a leaf; all end on the page that they begin on. Only the PDF tells its readers. */
void canvas_tag(struct canvas *c, const struct tag *tag);
void canvas_untag(struct canvas *c);

/* Built on the calls above. */
void canvas_rect(struct canvas *c, struct box box, rgba colour);
void canvas_frame(struct canvas *c, struct box box, const struct stroke *stroke);
void canvas_line(struct canvas *c, struct pt from, struct pt to, const struct stroke *stroke);

#endif
