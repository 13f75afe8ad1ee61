/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - numbers that stand for bytes: whether two files or texts are the same, where a text is
 * kept. Not for secrets.
 *
 * FNV-1a of 64 bits (RFC 9923) is the same on every machine and for ever, so it may be written
 * down; hash_quick() is neither, and faster for long texts.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

enum { HASH_TEXT = 17 }; /* 16 digits and a NUL */

/* `so_far` is HASH_START, or an earlier hash that is continued; by a byte, or by a whole word as if
 * it were one. */
static inline uint64_t hash_word(uint64_t so_far, uint64_t word)
{
	return (so_far ^ word) * UINT64_C(0x100000001b3);
}

static inline uint64_t hash_bytes(uint64_t so_far, const void *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;
	for (size_t i = 0; i < n; i++)
		so_far = hash_word(so_far, p[i]);
	return so_far;
}

/* Of a whole text. */
static inline uint64_t hash_of_text(const char *text)
{
	return hash_bytes(HASH_START, text, strlen(text));
}

/* For tables in memory: all bits depend on all of the text. Who has its words at hand goes word by
 * word, from HASH_QUICK_START and the length, and the last is the tail: where they were just
 * written in smaller pieces, a processor waits to read them back whole. */
#define HASH_QUICK_START UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t hash_quick_word(uint64_t so_far, uint64_t word)
{
	so_far = (so_far ^ word) * 0xff51afd7ed558ccdu;
	return so_far ^ so_far >> 32;
}

static inline uint64_t hash_quick_tail(uint64_t so_far, uint64_t tail)
{
	so_far = (so_far ^ tail) * 0xc4ceb9fe1a85ec53u;
	so_far = (so_far ^ (so_far >> 32)) * 0xff51afd7ed558ccdu;
	return so_far ^ (so_far >> 29);
}

static inline uint64_t hash_quick(const char *text, size_t n)
{
	uint64_t h = HASH_QUICK_START ^ n, word = 0;
	for (; n >= 8; n -= 8, text += 8) {
		memcpy(&word, text, 8);
		h = hash_quick_word(h, word);
	}
	uint64_t tail = 0;
	memcpy(&tail, text, n);
	return hash_quick_tail(h, tail);
}

/* Continues with the content of a file of any size. */
int hash_file(uint64_t *so_far, const char *path, struct err *err);

void hash_text(char text[HASH_TEXT], uint64_t hash);

#endif
