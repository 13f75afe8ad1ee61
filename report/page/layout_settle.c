/* SPDX-License-Identifier: Apache-2.0 */
/* Lays a document out until its page numbers are those that its texts name. */
#include "report/page/layout_parts.h"

#include "report/page/block_texts.h"

/*
 * A number may make a line longer, and that may move what it numbers, even back again: where a
 * picture does not fit any more, a table moves up into its room. Such a document never settles by
 * itself. So after some tries all numbers are equally wide. Then no pass depends on what they are,
 * two passes are the same, and the second one shows what the first one found. Where no text names
 * one, the first pass is all.
 */
static struct layout *settle(struct arena *a, const struct document *d)
{
	enum { MOST_TRIES = 8 };
	struct arena first = {0};
	struct block_texts texts = {.arena = a, .document = d};
	struct layout *l = layout_flow(&first, &texts, NULL);
	struct places *known = l->places;
	if (!l->numbered) {
		arena_adopt(a, &first);
		return l;
	}
	l = layout_flow(a, &texts, known);
	for (int i = 2; !places_same(known, l->places); i++) {
		if (i > MOST_TRIES + 2)
			bug("page numbers do not settle in %d tries", i);
		known = l->places;
		if (i >= MOST_TRIES)
			places_pad(known);
		l = layout_flow(a, &texts, known);
	}
	arena_release(&first);
	return l;
}

/* The table whose last few rows are all that stands on the last page, NULL when there is more. */
static struct table *table_left_over(const struct layout *l)
{
	static const double FEW = 0.2;
	const struct piece *last = l->n ? &l->piece[l->n - 1] : NULL;
	if (!last || !last->table || last->page < 2 || !last->first)
		return NULL;
	if (l->n > 1 && l->piece[l->n - 2].page == last->page)
		return NULL;
	double h = table_height(last->table, last->first, last->n);
	return h < FEW * (l->document->paper->h - TOP - BOTTOM) ? last->block->table : NULL;
}

struct layout *layout_document(struct arena *a, const struct document *d)
{
	static const double SMALLEST = 6.4;
	struct layout *l = settle(a, d);
	struct table *rest = table_left_over(l);
	if (!rest || table_size(rest) <= SMALLEST || table_size(rest) >= TABLE_USUAL)
		return l;
	double size = rest->size;
	rest->size = SMALLEST;
	struct layout *smaller = settle(a, d);
	if (smaller->n_pages < l->n_pages)
		return smaller;
	rest->size = size;
	return l;
}
