/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_builder.h - a text that grows at its end, for lists of words whose number nobody knows.
 *
 *	struct text_builder list = {.arena = a};
 *	for (...)
 *		text_add(&list, "%s%s", text_separator(&list, ", "), name);
 *	return text_built(&list);
 *
 * All of it takes time in proportion to its length. The arena owns the text; what it was while it
 * was shorter stays there, too, at most as much again.
 */
#ifndef BASE_TEXT_BUILDER_H
#define BASE_TEXT_BUILDER_H

#include "base/arena.h"

struct text_builder {
	struct arena *arena;
	char *text; /* of n bytes; NULL while there is none */
	size_t n, room;
};

void text_add(struct text_builder *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

void text_add_bytes(struct text_builder *t, const char *bytes, size_t n);

/* "" before the first addition, then what stands between two of them. */
const char *text_separator(const struct text_builder *t, const char *between);

/* The text so far, "" when nothing was added; the next addition may move it. */
const char *text_built(const struct text_builder *t);

#endif
