/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_set.h - some of a trace's rows, numbered from 0 in their order: columns over them alone are
 * as long as they are many. A bit for each row of the trace, and half a bit more; asking takes
 * constant time.
 */
#ifndef REPORT_TRACE_ROW_SET_H
#define REPORT_TRACE_ROW_SET_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_set {
	uint64_t *word; /* (rows / 64 + 1) */
	uint32_t *before; /* (rows / 64 + 1) members in earlier words, once it is numbered */
	size_t words;
	uint32_t n;
};

/* An empty set of rows below n; the arena owns it. */
struct row_set row_set_below(struct arena *arena, size_t n);

/* Once all are in. */
void row_set_number(struct row_set *s);

static inline void row_set_add(struct row_set *s, uint32_t row)
{
	s->word[row / 64] |= UINT64_C(1) << row % 64;
}

static inline bool row_set_has(const struct row_set *s, uint32_t row)
{
	return s->word[row / 64] >> row % 64 & 1;
}

/* The number of a member. */
static inline uint32_t row_set_place(const struct row_set *s, uint32_t row)
{
	uint64_t lower = s->word[row / 64] & ((UINT64_C(1) << row % 64) - 1);
	return s->before[row / 64] + (uint32_t)__builtin_popcountll(lower);
}

/* The first member from a row on, UINT32_MAX: none. */
static inline uint32_t row_set_next(const struct row_set *s, uint32_t row)
{
	size_t at = row / 64;
	uint64_t word = at < s->words ? s->word[at] >> row % 64 << row % 64 : 0;
	while (!word && ++at < s->words)
		word = s->word[at];
	return word ? (uint32_t)(64 * at) + (uint32_t)__builtin_ctzll(word) : UINT32_MAX;
}

#endif
