/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pdf.h - the PDF back-end's own struct, shared by its files: drawing (pdf.c) with what
 * lasts while it is drawn (pdf_state.c), what pages share (pdf_heads.c), fonts (pdf_font.c),
 * everything around the pages (pdf_doc.c), what each part of a page is (pdf_tags.c), the file
 * (pdf_save.c).
 *
 * libharu 2.3.0 keeps objects, pages, annotations, outlines and the compression of pages. It is not
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
	bool fill_apart, stroke_apart; /* they are not in the palette */
	int64_t width, dash, gap, size; /* thousandths of a point */
	int64_t origin; /* tenths of a point above the page's lower edge, from where heights count
			 */
	int font; /* index for fonts_file(), -1: none yet */
};

struct pdf_palette {
	uint32_t *colour; /* (n) 0xRRGGBB, by first use */
	int n;
};

struct pdf_font {
	HPDF_Dict dict; /* NULL until a page uses it */
	struct used used;
};

/* Where texts are placed from: a text object goes on while they are at one height. */
struct pdf_text_place {
	bool open, placed;
	int64_t x, y; /* of the last */
};

/* The last box that was filled, opaque, and where that stands in what was drawn. */
struct pdf_filled {
	size_t from, end; /* end 0: there is none */
	struct box box;
};

/* What pages begin with alike, such as their foot: one stream for all of them. */
struct pdf_head {
	struct buffer text;
	size_t pages; /* that begin so */
	HPDF_Dict stream; /* NULL: it is of one page, and stays with its contents */
};

struct pdf_link {
	HPDF_Page page;
	HPDF_Rect rect;
	name_id target;
	size_t page_number; /* for the message */
};

/* An element of the structure (PDF 32000-1, 14.7): a leaf with its contents, or what holds some. */
struct pdf_tag {
	enum tag_kind kind;
	size_t parent; /* its index; NO_TAG: the document */
	size_t page; /* from 0 */
	int content; /* number of its contents on its page; -1: nothing was drawn in it */
	const char *alt; /* NULL: none */
	int columns;
};

#define NO_TAG SIZE_MAX

struct pdf {
	struct canvas canvas;
	struct outfile out;
	HPDF_Doc doc;
	HPDF_Page page; /* the one in hand, NULL before the first */
	size_t page_number; /* its, from 0 */
	double page_h;
	struct buffer ops; /* what has been drawn on it */
	struct buffer *drawn; /* (pages) what the pages before it show; room in labels_room */
	size_t head_end; /* how far it may begin like others */
	bool head_over;
	struct pdf_head *head; /* (heads) */
	size_t heads, *head_of; /* (pages) */
	struct pdf_filled filled;
	struct pdf_text_place text;
	HPDF_Dict resources, fonts, shades; /* of all pages, and its parts; NULL before the first */
	struct pdf_palette palette;
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
	struct pdf_tag *tag; /* (tags) in the order of reading */
	size_t tags, tags_room, tag_in_hand; /* NO_TAG: none */
	bool said; /* the contents in hand have text; it ends at text_end */
	struct pt text_end;
	bool marked; /* contents are open, of a leaf or of decoration */
	int contents; /* of leaves, on the page in hand */
	HPDF_Page *pages; /* (pages) room in labels_room */
	HPDF_Dict structure; /* stands for its root until the file is written */
	HPDF_Outline outline[OUTLINE_DEPTH]; /* the last one of each level */
	int outline_depth;
};

/* pdf_heads.c */
void pdf_note_head(struct pdf *pdf); /* before each text: the last of the decoration is apart */
void pdf_take_head(struct pdf *pdf); /* of a page that is drawn, off what it shows */
void pdf_add_heads(struct pdf *pdf); /* those of several pages as streams, once all are drawn */
void pdf_release_heads(struct pdf *pdf);

/* pdf_font.c */

/* Characters are numbered by first use, so most numbers in a text are small: those below PDF_SHORT
 * are written as one byte, those behind as two from PDF_TWO on, up to PDF_TWO_MOST, the rest as
 * three. */
enum { PDF_SHORT = 0xc0, PDF_TWO = 0xc000, PDF_TWO_MOST = 0xfeff, PDF_THREE = 0xff0000 };
enum { PDF_LONG = PDF_SHORT + PDF_TWO_MOST + 1 - PDF_TWO }; /* the first of three */

static inline int pdf_code_bytes(unsigned int number)
{
	return number < PDF_SHORT ? 1 : number < PDF_LONG ? 2 : 3;
}

static inline unsigned int pdf_code(unsigned int number)
{
	return number < PDF_SHORT   ? number
		: number < PDF_LONG ? PDF_TWO + number - PDF_SHORT
				    : PDF_THREE + number - PDF_LONG;
}

bool pdf_use_font(struct pdf *pdf, int file); /* whether its dictionary was made just now */
void pdf_embed_fonts(struct pdf *pdf); /* subsets and fills the dictionaries */

/* pdf_doc.c */
void pdf_mark(struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level);
void pdf_label(struct pdf *pdf, const char *label); /* of the page in hand */
/* Appends a text as a PDF has it, in bytes, each a letter, or where that will not do as UTF-16 with
 * its mark; whether it is the first. */
bool pdf_text(struct buffer *b, const char *text);
void pdf_finish_doc(struct pdf *pdf); /* links, labels, language, Info */
void pdf_release_doc(struct pdf *pdf);

/* Number of an object that libharu keeps. */
static inline unsigned pdf_number(const HPDF_Dict dict)
{
	return dict->header.obj_id & 0x00ffffff;
}

/* pdf_state.c */
void pdf_begin_state(struct pdf *pdf); /* of the page in hand */
void pdf_units(struct pdf *pdf, int64_t tenths); /* a number of its contents */
int64_t pdf_height(struct pdf *pdf, double y); /* in tenths of a point, of a height of the canvas */
void pdf_set_origin(struct pdf *pdf, double y);
void pdf_end_text(struct pdf *pdf); /* before what may not stand in a text object */
void pdf_set_fill(struct pdf *pdf, rgba colour);
void pdf_set_stroke(struct pdf *pdf, const struct stroke *stroke);
void pdf_set_cap(struct pdf *pdf, bool round);
void pdf_set_font(struct pdf *pdf, int file, double size);
void pdf_add_palette(struct pdf *pdf); /* to what all pages share, once all are drawn */

/* pdf_tags.c */
bool pdf_in_lines(const struct pdf *pdf); /* the tag in hand is text, not a picture's */
void pdf_tag(struct canvas *c, const struct tag *tag);
void pdf_untag(struct canvas *c);
void pdf_content(struct pdf *pdf); /* before each thing drawn: it belongs to the tag in hand */
void pdf_end_content(struct pdf *pdf);
void pdf_add_structure(struct pdf *pdf); /* to the catalogue and the pages */
/* The structure's objects: the root, which has its number already, and others from `first` on.
 * Their texts are appended to `text`; the caller frees `*elements`, and gets how many they are. */
struct pdf_element {
	size_t number, at, n;
	size_t columns; /* its text and a byte behind it are rows of so many bytes, a multiple of
			 * PDF_ROW, in which the same stands in the same place; 0: they are not */
};
enum { PDF_ROW = 60 };
size_t pdf_structure_objects(
	struct pdf *pdf, size_t first, struct buffer *text, struct pdf_element **elements);

/* pdf_save.c */
void pdf_save(struct pdf *pdf); /* everything into the file, its small objects packed together */

#endif
