/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pdf.h - the PDF back-end's own struct, shared by its three files: drawing (pdf.c),
 * fonts (pdf_font.c), everything around the pages (pdf_doc.c).
 *
 * libharu 2.3.0 keeps objects, pages, annotations, outlines, compression and the file. It is not
 * given fonts to parse nor numbers to format: its TrueType reader loses parts of composite glyphs
 * and lacks bounds checks, its dashes are whole numbers, its UTF-8 stops at U+FFFF. So page
 * contents are written here, and a font is a HarfBuzz subset in dictionaries of our own, numbered
 * by first use (PDF 32000-1, 9.7.4, 9.10.3).
 */
#ifndef REPORT_CANVAS_PDF_H
#define REPORT_CANVAS_PDF_H

#include "base/names.h"
#include "base/outfile.h"
#include "report/canvas/ops.h"
#include "report/canvas/subset.h"

#include <hpdf.h>

enum { OUTLINE_DEPTH = 8 };

/* What the page's graphics state holds now, so that nothing is set twice. */
struct pdf_state {
	bool round; /* lines end in a half circle */
	uint32_t fill, stroke; /* 0xRRGGBB */
	int alpha; /* 0 to 255 */
	int64_t width, dash, gap, size; /* thousandths of a point */
	int font; /* index for fonts_file(), -1: none yet */
};

struct pdf_font {
	HPDF_Dict dict; /* NULL until a page uses it */
	struct used used;
};

struct pdf_link {
	HPDF_Page page;
	HPDF_Rect rect;
	name_id target;
	size_t page_number; /* for the message */
};

struct pdf {
	struct canvas canvas;
	struct outfile out;
	HPDF_Doc doc;
	HPDF_Page page; /* the one in hand, NULL before the first */
	double page_h;
	struct buffer ops; /* what has been drawn on it */
	struct pdf_state state[CANVAS_CLIPS + 1]; /* by clip depth */
	HPDF_ExtGState alpha[256]; /* made when first used */
	struct pdf_font font[FONT_FILES_MAX];
	struct names targets;
	HPDF_Destination *target; /* (targets_room) by name_id, NULL: only linked to so far */
	size_t targets_room;
	struct pdf_link *link; /* (links) */
	size_t links, links_room;
	const char **label; /* (pages) NULL where none was given; room in labels_room */
	size_t labels_room;
	HPDF_Outline outline[OUTLINE_DEPTH]; /* the last one of each level */
	int outline_depth;
};

/* pdf_font.c */
void pdf_use_font(struct pdf *pdf, int file); /* makes sure that the dictionary exists */
void pdf_embed_fonts(struct pdf *pdf); /* subsets and fills the dictionaries */

/* pdf_doc.c */
void pdf_mark(struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level);
void pdf_label(struct pdf *pdf, const char *label); /* of the page in hand */
void pdf_finish_doc(struct pdf *pdf); /* links, labels, language, Info */
void pdf_release_doc(struct pdf *pdf);

#endif
