/* SPDX-License-Identifier: Apache-2.0 */
/*
 * font_glyph.h - what the back-ends know of fonts beyond font.h: which file draws a code point.
 */
#ifndef REPORT_CANVAS_FONT_GLYPH_H
#define REPORT_CANVAS_FONT_GLYPH_H

#include "report/canvas/font.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include <hb.h>

enum { FONT_FILES_MAX = 20 };

/* One open TrueType file; the bytes are mapped once and shared by FreeType and HarfBuzz. */
struct font_file {
	char path[1024];
	const char *name; /* PostScript name, lent by ft */
	const char *family; /* "Noto Sans", lent by ft */
	bool bold;
	hb_blob_t *blob;
	hb_face_t *hb;
	FT_Face ft; /* NULL: this fall-back is not installed */
};

struct glyph {
	uint32_t code; /* as written; controls are already spaces or U+FFFD */
	uint16_t id; /* in the file */
	uint16_t width; /* thousandths of the size */
	uint8_t file; /* index for fonts_file() */
	bool replaced; /* no file has the code: this is the glyph of U+FFFD */
	bool missed; /* it was asked for all the same */
};

/* The glyph of a decoded code point (UTF8_BAD included); never NULL, lent until fonts_close. */
const struct glyph *font_glyph(const struct fonts *fonts, enum face face, uint32_t code);

/* The i-th file of the table, i < FONT_FILES_MAX; its ft is NULL when it is not there. */
const struct font_file *fonts_file(const struct fonts *fonts, size_t i);

/* Files of a face in the order in which they are asked, ended by -1. */
const signed char *font_chain(enum face face);

#endif
