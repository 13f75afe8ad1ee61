/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/place_names.h"

#include "base/hash.h"
#include "base/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool plain_sign(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_';
}

/* Letters become a number made of them, so that two names stay two. */
static int put_hash(char *into, const char *letters, size_t n)
{
	uint64_t hash = hash_bytes(HASH_START, letters, n);
	return snprintf(into, 10, "x%08x", (unsigned)(hash ^ hash >> 32));
}

/* Those of other scripts; moves on behind them. */
static int put_letters(char *into, const char **p)
{
	const char *from = *p;
	while ((unsigned char)**p >= 0x80)
		(*p)++;
	return put_hash(into, from, (size_t)(*p - from));
}

/* Longer names are no names of files: what is cut off counts by its number. */
enum { LONGEST_PLACE = 120 };

static void shorten_place(char *place)
{
	size_t n = strlen(place);
	if (n > LONGEST_PLACE)
		put_hash(place + LONGEST_PLACE, place + LONGEST_PLACE, n - LONGEST_PLACE);
}

const char *place_of(struct arena *a, const char *id, int run)
{
	char *place = arena_alloc(a, 9 * strlen(id) + 32), *end = place;
	for (const char *p = id; *p;)
		if ((unsigned char)*p >= 0x80)
			end += put_letters(end, &p);
		else
			*end++ = plain_sign(*p++) ? p[-1] : '-';
	*end = '\0';
	shorten_place(place);
	if (run)
		snprintf(place + strlen(place), 16, "-%d", run);
	return place;
}

/* What headings and figures of the document are called that are no case's: sections by their own
 * names, those with `numbered` also with a hyphen and more behind it. Reading stands below the
 * sections, so that this list cannot be made of theirs; a test compares both. */
static const struct own_place {
	const char *name;
	bool numbered;
} own_places[] = {
	{"summary", false},
	{"ranks", false},
	{"baseline", false},
	{"cases", false},
	{"comparisons", false},
	{"traces", false},
	{"kernels", false},
	{"tables", true},
	{"questions", false},
	{"overview", true},
	{"cheatsheet", false},
	{"appendix", false},
	{"environment", false},
	{"exercises", false},
	{"answers", false},
	{"definitions", false},
	{"question", true},
	{"compare", true},
	{"recorded", true},
};

static bool is_reserved(const char *place)
{
	for (size_t i = 0; i < sizeof own_places / sizeof *own_places; i++) {
		size_t n = strlen(own_places[i].name);
		if (!strncmp(own_places[i].name, place, n) &&
			(!place[n] || (place[n] == '-' && own_places[i].numbered)))
			return true;
	}
	return false;
}

struct place_names {
	struct names taken;
	int *next; /* (room) by name: the number that its next namesake gets */
	uint32_t room;
};

struct place_names *place_names_new(void)
{
	struct place_names *p = xcalloc(1, sizeof *p);
	names_init(&p->taken);
	return p;
}

void place_names_free(struct place_names *p)
{
	if (!p)
		return;
	names_release(&p->taken);
	free(p->next);
	free(p);
}

static int *next_of(struct place_names *p, const char *place)
{
	name_id id = names_add_text(&p->taken, place);
	if (id >= p->room) {
		uint32_t room = 2 * id + 16;
		p->next = xrealloc(p->next, room, sizeof *p->next);
		memset(p->next + p->room, 0, (room - p->room) * sizeof *p->next);
		p->room = room;
	}
	return &p->next[id];
}

const char *place_names_take(struct place_names *p, struct arena *a, const char *place)
{
	const char *name = place;
	bool taken = names_find(&p->taken, place) || is_reserved(place);
	int n = *next_of(p, place);
	for (n = n ? n : 2; taken; n++) {
		name = arena_printf(a, "case-%d-%s", n, place);
		taken = names_find(&p->taken, name) || is_reserved(name);
	}
	*next_of(p, place) = n;
	names_add_text(&p->taken, name);
	return name;
}
