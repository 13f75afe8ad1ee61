/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_texts.h - the texts of a block, broken into the lines that they take on a page.
 *
 * Placing asks for the same ones several times: for the height of what has to stay together, and
 * when it is placed. The last ones are kept; all of them live in the arena of the pass.
 */
#ifndef REPORT_PAGE_BLOCK_TEXTS_H
#define REPORT_PAGE_BLOCK_TEXTS_H

#include "report/page/document.h"
#include "report/page/rich_text.h"

struct laid {
	const struct block *block;
	struct rich text, note;
};

enum { LAID = 8 };

struct block_texts {
	struct laid laid[LAID];
	int n; /* laid out so far */
};

/* Lent until LAID other blocks have been asked for. `known`: page numbers, NULL: none yet. */
const struct laid *block_texts_of(struct block_texts *x, struct arena *a, const struct document *d,
	const struct places *known, const struct block *b);

/* Points, of a block that is nothing else than its texts. */
double block_text_height(const struct laid *x, const struct block *b);

/* The width of the plate behind the note of a heading. */
double block_plate_width(const struct rich *note);

#endif
