/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

void names_init(struct names *names)
{
	*names = (struct names){.n_slots = FIRST_SLOTS};
	names->slots = xcalloc(FIRST_SLOTS, sizeof *names->slots);
	names_add(names, "", 0);
}

void names_release(struct names *names)
{
	arena_release(&names->arena);
	free(names->text);
	free(names->length);
	free(names->hash);
	free(names->slots);
	*names = (struct names){0};
}

static uint32_t *slot_of(const struct names *names, const char *text, size_t n, uint64_t h)
{
	uint32_t mask = names->n_slots - 1;
	for (uint32_t i = (uint32_t)h & mask;; i = (i + 1) & mask) {
		uint32_t id = names->slots[i];
		if (!id)
			return &names->slots[i];
		id--;
		if (names->hash[id] == h && names->length[id] == n &&
			!memcmp(names->text[id], text, n))
			return &names->slots[i];
	}
}

static void rehash(struct names *names)
{
	names->n_slots *= 2;
	free(names->slots);
	names->slots = xcalloc(names->n_slots, sizeof *names->slots);
	for (uint32_t id = 0; id < names->n; id++)
		*slot_of(names, names->text[id], names->length[id], names->hash[id]) = id + 1;
}

static void make_room(struct names *names)
{
	if (names->n < names->room)
		return;
	names->room = names->room ? names->room * 2 : 128;
	names->text = xrealloc(names->text, names->room, sizeof *names->text);
	names->length = xrealloc(names->length, names->room, sizeof *names->length);
	names->hash = xrealloc(names->hash, names->room, sizeof *names->hash);
}

name_id names_add(struct names *names, const char *text, size_t length)
{
	uint64_t h = hash_quick(text, length);
	uint32_t *slot = slot_of(names, text, length, h);
	if (*slot)
		return *slot - 1;
	make_room(names);
	name_id id = names->n++;
	names->text[id] = arena_strndup(&names->arena, text, length);
	names->length[id] = (uint32_t)length;
	names->hash[id] = h;
	*slot = id + 1;
	if (names->n * 2 > names->n_slots)
		rehash(names);
	return id;
}

name_id names_add_text(struct names *names, const char *text)
{
	return names_add(names, text, strlen(text));
}

name_id names_find(const struct names *names, const char *text)
{
	size_t n = strlen(text);
	uint32_t id = *slot_of(names, text, n, hash_quick(text, n));
	return id ? id - 1 : 0;
}

struct name_question name_question(const struct names *names, bool (*ask)(const char *text))
{
	return (struct name_question){ask, xcalloc(names->n, 1)};
}

void name_question_end(struct name_question *q)
{
	free(q->answer);
	q->answer = NULL;
}
