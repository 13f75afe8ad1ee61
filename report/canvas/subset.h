/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subset.h - which characters of a font file a document uses, and the small font that has only
 * these.
 *
 * A document collects while it draws and subsets when it is finished, so one pass is enough. The
 * order of first use numbers the characters; the same document gives the same bytes.
 */
#ifndef REPORT_CANVAS_SUBSET_H
#define REPORT_CANVAS_SUBSET_H

#include "report/canvas/font_glyph.h"

enum { USED_MAX = 65534 };

struct used_code {
	uint32_t code;
	uint16_t id; /* glyph of the whole file */
	uint16_t width; /* thousandths of the size */
	bool replaced; /* the glyph is that of U+FFFD, the file lacks the code */
	bool kept; /* its number is kept for it, nobody used it yet: the glyph is 0, of no width */
};

/* The characters of one file; {0} to begin with. */
struct used {
	struct used_code *item; /* (n) in order of first use, or as they were kept */
	size_t n, room;
	uint16_t *slots; /* (n_slots) index + 1 by hash, 0 = free; n_slots is a power of two */
	size_t n_slots;
};

/* The number of the character, from 1; added if new. After USED_MAX others it is 0, the glyph that
 * stands for none. */
uint16_t used_add(struct used *used, const struct glyph *glyph);
/* Of none used so far: the characters before `end` have their codes as numbers. */
void used_keep(struct used *used, uint32_t end);
void used_release(struct used *used);

enum subset_for {
	SUBSET_PDF, /* outlines and widths alone: found by glyph, never by code */
	SUBSET_WEB /* with the tables that a browser wants, found by code, without kerning */
};

struct subset {
	hb_blob_t *blob;
	const char *bytes; /* (n) lent by blob */
	unsigned int n;
	uint16_t *id; /* (used.n) glyph in the subset of each used character; NULL for the web */
};

/* Unhinted. Fails when HarfBuzz cannot read the font. */
int subset_init(struct subset *subset, const struct font_file *file, const struct used *used,
	enum subset_for purpose, struct err *err);
void subset_release(struct subset *subset);

#endif
