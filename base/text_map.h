/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_map.h - what belongs to a text, found in the time that the text takes, however many there
 * are.
 *
 * A tree by the bits of the texts' hashes, all of it in an arena; it begins as {0} and needs no
 * release. Texts are lent for as long as the map is asked. (Where each is to have a number:
 * names.h.)
 */
#ifndef BASE_TEXT_MAP_H
#define BASE_TEXT_MAP_H

#include "base/arena.h"

struct text_map {
	struct text_node *first;
};

/* Notes it for the text, unless something is noted there already: the first stays. */
void text_map_add(struct text_map *m, struct arena *a, const char *text, const void *what);

/* What was noted; NULL: nothing. */
const void *text_map_find(const struct text_map *m, const char *text);

#endif
