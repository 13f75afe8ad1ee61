/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.h - the distinct texts of a file as they stand in it, before decoding.
 *
 * Reading compares raw JSON bytes only: escapes, broken UTF-8 and control characters are looked at
 * once per distinct text, when the trace is sealed (read/names.h). Ids are in order of first
 * appearance and start at 1; 0 means no text.
 */
#ifndef REPORT_PARSE_STRINGS_H
#define REPORT_PARSE_STRINGS_H

#include "base/arena.h"

#include <stdint.h>

enum text_form {
	TEXT_PLAIN, /* a string without backslashes */
	TEXT_ESCAPED, /* a string with backslashes: needs decoding */
	TEXT_JSON /* a list or an object as it stands in the file */
};

struct text_entry {
	const char *text; /* lent by the arena, with a NUL behind it */
	uint32_t length;
	uint32_t hash;
	int64_t offset; /* of the first appearance */
	uint8_t form; /* enum text_form */
};

struct strings {
	struct arena arena;
	struct text_entry *entry; /* (n) entry[0] is the missing text */
	uint32_t n, room;
	uint32_t *slots; /* (n_slots) ids by hash, 0 = free; n_slots is a power of two */
	uint32_t n_slots;
};

void strings_init(struct strings *t);
void strings_release(struct strings *t);

/* The id of n bytes, added if new. */
uint32_t strings_add(
	struct strings *t, const char *text, size_t n, enum text_form form, int64_t offset);

#endif
