/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_map.h"

#include "base/hash.h"

#include <stdint.h>
#include <string.h>

struct text_node {
	struct text_node *below[4];
	const char *text;
	const void *what;
};

void text_map_add(struct text_map *m, struct arena *a, const char *text, const void *what)
{
	struct text_node **at = &m->first;
	for (uint64_t h = hash_quick(text, strlen(text)); *at; h <<= 2) {
		if (!strcmp((*at)->text, text))
			return;
		at = &(*at)->below[h >> 62];
	}
	*at = arena_alloc(a, sizeof **at);
	**at = (struct text_node){.text = text, .what = what};
}

const void *text_map_find(const struct text_map *m, const char *text)
{
	const struct text_node *n = m->first;
	for (uint64_t h = hash_quick(text, strlen(text)); n && strcmp(n->text, text) != 0; h <<= 2)
		n = n->below[h >> 62];
	return n ? n->what : NULL;
}
