/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - every distinct string once, known by a number.
 *
 * Ids are given in order of first appearance, so dumps are stable; 0 is the empty string. Compare
 * ids, never strings. Texts may hold any byte but are always followed by a NUL.
 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t name_id;

struct names {
	struct arena arena; /* owns the texts */
	const char **text; /* (n) NUL-terminated */
	uint32_t *length; /* (n) bytes */
	uint64_t *hash; /* (n) */
	uint32_t n, room; /* ids in use, space in the three arrays */
	uint32_t *slots; /* (n_slots) id + 1 by hash, 0 = free; n_slots is a power of two */
	uint32_t n_slots;
};

void names_init(struct names *names);
void names_release(struct names *names);

/* The id of a text, added if new. */
name_id names_add(struct names *names, const char *text, size_t length);
name_id names_add_text(struct names *names, const char *text);

/* The id of a known text, 0 if it was never added. */
name_id names_find(const struct names *names, const char *text);

/* Lent until names_release(). */
static inline const char *names_text(const struct names *names, name_id id)
{
	if (id >= names->n)
		bug("name %u of %u", id, names->n);
	return names->text[id];
}

/* A question to a text, put once to each of them. */
struct name_question {
	bool (*ask)(const char *text);
	uint8_t *answer; /* (n) 0 at first */
};

/* For as long as no name is added; end it with name_question_end(). */
struct name_question name_question(const struct names *names, bool (*ask)(const char *text));
void name_question_end(struct name_question *q);

static inline bool name_answers(
	const struct name_question *q, const struct names *names, name_id id)
{
	if (!q->answer[id])
		q->answer[id] = q->ask(names_text(names, id)) ? 2 : 1;
	return q->answer[id] == 2;
}

#endif
