/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_texts.h - the texts of a block, broken into the lines that they take on a page, and its
 * table, measured.
 *
 * Placing asks for the same ones several times: for the height of what has to stay together, when
 * it is placed, and in each pass until page numbers settle. Each is laid out once, unless it names
 * the number of a page: then once a pass.
 */
#ifndef REPORT_PAGE_BLOCK_TEXTS_H
#define REPORT_PAGE_BLOCK_TEXTS_H

#include "report/page/document.h"
#include "report/page/rich_text.h"
#include "report/page/table_layout.h"

struct laid {
	const struct block *block;
	struct laid *same; /* the next of the same slot */
	struct rich text, note;
	struct table_layout *table; /* NULL: the block has none */
	bool numbered; /* it names the number of a page */
	int pass; /* when it was laid out; 0: not yet */
};

/* All blocks of a document; zeroed at first, but for the first two. */
struct block_texts {
	struct arena *arena; /* lent; owns all that is laid out */
	const struct document *document;
	const struct places *known; /* page numbers, NULL: none yet */
	int pass; /* counted from 1: another one has other page numbers */
	struct laid **slot; /* (n_slots) by hash of the block; n_slots is a power of two */
	size_t n, n_slots;
};

const struct laid *block_texts_of(struct block_texts *x, const struct block *b);

/* Points, of a block that is nothing else than its texts. */
double block_text_height(const struct laid *x, const struct block *b);

/* The width of the plate behind the note of a heading. */
double block_plate_width(const struct rich *note);

#endif
