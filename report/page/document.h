/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.h - the room of pages: a report as a list of blocks, before anybody knows where a page
 * ends.
 *
 * In come headings, texts, tables and planned figures, with the words of a template
 * (template_texts.h); out go pages on a canvas, or Markdown. The one struct is `struct document`.
 * Sections append blocks; layout.h places them on pages, markdown.h writes them as Markdown,
 * document_dump prints them as text (--dump document). All texts may hold the markup of rich_text.h
 * and live in the document's arena.
 */
#ifndef REPORT_PAGE_DOCUMENT_H
#define REPORT_PAGE_DOCUMENT_H

#include "base/arena.h"
#include "base/text_map.h"
#include "report/canvas/canvas.h"
#include "report/page/paper_sizes.h"
#include "report/page/template_texts.h"

enum block_kind {
	BLOCK_TITLE, /* the head of the whole document; `note` is the line under it */
	BLOCK_HEADING, /* level 1 begins a page, 2 a part of it, 3 a paragraph; a bookmark unless
			  level 3 without a place */
	BLOCK_TEXT, /* a paragraph; with a level it stays with what follows */
	BLOCK_CAPTION, /* small print under a figure or table; with a level it stays with what
			  follows: 1 leads a table, 2 one that goes on with the table before */
	BLOCK_POINT, /* a paragraph with a mark in the margin, given by `note` */
	BLOCK_KPIS, /* up to five large numbers in a row */
	BLOCK_TABLE,
	BLOCK_FIGURE,
	BLOCK_LINES, /* n_lines empty ruled lines to write on; the text stands at their left; with a
			level they stay with what follows */
	BLOCK_CODE, /* one line of a program as it stands, without markup; what is too long is cut
		     */
	BLOCK_PAGE, /* a new page, whatever comes */
	BLOCK_KINDS
};

struct kpi {
	const char *value, *label;
};

enum column_kind {
	COLUMN_TEXT, /* left, wraps */
	COLUMN_NUMBER, /* right */
	COLUMN_CODE, /* left, mono, elided to `max_lines` */
	COLUMN_BAR, /* a bar for cell.share with the text at its right */
	COLUMN_VERDICT /* a coloured plate around the text */
};

struct column {
	const char *title;
	enum column_kind kind;
	double weight; /* share of the width that the fixed columns leave; 0: as wide as its
			  contents */
	int max_lines; /* 0: no limit */
};

struct cell {
	const char *text; /* "" for empty */
	const char *swatch; /* name of a bar colour drawn before the text, or NULL */
	double share; /* COLUMN_BAR: 0..1 of the largest */
	enum verdict_colour { PLAIN, KEPT, BROKEN, OPEN } verdict;
	bool bold, faint;
};

struct table {
	const struct column *column; /* (n_columns) */
	int n_columns;
	struct cell *cell; /* (n_rows, n_columns) */
	int n_rows;
	double size; /* points; 0: the usual 8 */
	const char **group; /* (n_rows) a heading line before the row, or NULL; NULL: none at all */
};

/* Draws a figure into a box of its size. Drawing reads its data and writes none of it: a figure
 * looks the same however often it is drawn, and after whatever else. */
typedef void figure_draw(struct canvas *c, struct box box, const void *data);
typedef void figure_draw_parts(
	struct canvas *c, struct box box, const void *data, int first, int n);

/* How pictures of a kind are drawn; a row beside the drawing (figure/figures.h). */
struct figure_kind {
	figure_draw *draw;
	size_t height; /* where it lies in the data: a double, in points */
	figure_draw *draw_legend; /* as in struct figure; NULL: it has none */
	figure_draw_parts *draw_parts; /* NULL: it cannot be cut */
};

/* A picture as wide as the page's text. */
struct figure {
	const char *id; /* file name of its SVG without the extension,
			   "matmul_add-64_bf16_cold_eager-steps" */
	const char *alt; /* for who does not see it: what is drawn, then what it shows; markup is
			    left out */
	const char *title, *shows; /* both alone, filled in by document_figure and document_shows */
	double height; /* points */
	figure_draw *draw;
	const void *data;
	/* A legend that several share: drawn into the same box, behind draw, for the first of them
	 * on a page, and for one that stands in a file of its own. */
	figure_draw *draw_legend;
	const void *legend; /* what they share; NULL: draw_legend is not called */
	/* One that may be cut between its parts, so that they go onto several pages. */
	figure_draw_parts *draw_parts;
	const double *part_height; /* (n_parts) their sum is `height` */
	int n_parts; /* 0: it is not cut */
};

struct trace;

/* The rows of a trace that prove what a block says; a page of HTML leads to them. */
struct shown_rows {
	const struct trace *trace; /* lent; NULL: there are none */
	const uint32_t *row; /* (n) the most telling first, lent */
	int n;
};

struct block {
	struct block *next;
	enum block_kind kind;
	int level;
	const char *text, *note;
	bool detail; /* BLOCK_HEADING of level 1: Markdown leaves it out up to the next of its level
		      */
	bool folds; /* BLOCK_HEADING of level 3: Markdown shows what follows, up to the next heading
		       or the end, when asked */
	bool flows; /* BLOCK_HEADING of level 1: need not begin a page */
	bool small; /* BLOCK_POINT: in the size of a caption */
	bool joined; /* BLOCK_CAPTION, BLOCK_FIGURE, BLOCK_CODE: stays with what follows */
	bool opens_code; /* BLOCK_CODE: the first line of its program */
	const char *place; /* destination name for links, or NULL */
	const char *bookmark; /* BLOCK_HEADING: its bookmark, when it differs from the text */
	enum verdict_colour verdict; /* BLOCK_POINT, BLOCK_HEADING: a plate with `note` */
	const char *band; /* what the head and foot of a page say that it is the first on; NULL:
			     nothing at the head, the document's own at the foot */
	const struct kpi *kpi;
	int n; /* KPIs, lines */
	struct table *table;
	struct figure *figure;
	struct shown_rows shown;
};

struct course;

struct document {
	struct arena *arena; /* lent; owns the blocks */
	const struct texts *texts; /* lent */
	const struct fonts *fonts; /* lent */
	const struct paper *paper;
	const char *asked_title, *byline; /* the user's words at the head, lent; NULL: none */
	const char *traces_at; /* the address below which traces can be had, lent; NULL: not told */
	const char *const *only; /* (n_only) globs of the cases whose questions are asked, lent */
	int n_only; /* 0: all of them */
	const char *title, *subject, *created, *footer;
	const char *label; /* where and when a recorded run was recorded; NULL: it is this run's
			    */
	int parts; /* recorded runs that follow in parts of their own (recorded_elsewhere.h) */
	const struct document *part; /* (parts) those, built before this one; NULL once joined */
	int exercise; /* whose pictures stand alone, with their legend, without marks that give the
			 answer away: its number; 0: none */
	bool brief; /* a trace of anybody's on a few pages: what findings only describe stands apart
		     */
	bool floats; /* text may go on above a picture that begins the next page */
	bool has_cases; /* the pages of the cases are part of it: links to them lead somewhere */
	const cJSON *sections; /* what the template lists, lent; NULL: not known */
	const struct course *course; /* section/course.h, lent; NULL: the program has none */
	struct block *first, *last;
	struct text_map places; /* of its blocks */
	const char *lost_link; /* a place that a text links to and nobody has; NULL: none
				* (document_links.h)
				*/
};

void document_init(
	struct document *d, struct arena *a, const struct texts *texts, const struct fonts *fonts);

struct block *document_add(struct document *d, enum block_kind kind, const char *text);

/* say() of template_texts.h with the document's texts into its arena: the text, or a block that
 * holds it. */
const char *said(const struct document *d, const char *key, ...) __attribute__((sentinel));
struct block *document_say(struct document *d, enum block_kind kind, const char *key, ...)
	__attribute__((sentinel));

/* A text without places whose key is put together: said_by(d, "regime.%s", "mixed"). */
const char *said_by(const struct document *d, const char *key, ...)
	__attribute__((format(printf, 2, 3)));

struct block *document_heading(struct document *d, int level, const char *place, const char *text);
struct block *document_figure(struct document *d, const struct figure *figure);
/* What is to be seen in a picture of the document, in a sentence with its number. A picture that is
 * an exercise does not say it. */
void document_shows(struct document *d, struct figure *figure, const char *sentence);

/* A table with room for n_rows; fill the cells through table_cell. */
struct table *document_table(
	struct document *d, const struct column *columns, int n_columns, int n_rows);
struct cell *table_cell(struct table *t, int row, int column);

/* The blocks of `part`, a document of the same arena, behind one that stands already; `part` is
 * empty then. */
void document_insert(struct document *d, struct block *behind, struct document *part);

/* Gives one that stands already a place. */
void document_place(struct document *d, struct block *b, const char *place);

/* Does a block that stands already have this place? A link to none is an error of the PDF. */
bool document_has_place(const struct document *d, const char *place);

/* Does the template list a section, before or after what stands already? */
bool document_lists(const struct document *d, const char *section);

void document_dump(const struct document *d, FILE *f);

/* The width of text and figures on a page, of whatever paper: A4 less the margins, in points. */
extern const double document_width;

#endif
