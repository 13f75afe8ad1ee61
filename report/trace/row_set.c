/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace/row_set.h"

struct row_set row_set_below(struct arena *arena, size_t n)
{
	size_t words = n / 64 + 1;
	return (struct row_set){.word = arena_array(arena, words, sizeof(uint64_t)),
		.before = arena_array(arena, words, sizeof(uint32_t)),
		.words = words};
}

void row_set_number(struct row_set *s)
{
	s->n = 0;
	for (size_t i = 0; i < s->words; i++) {
		s->before[i] = s->n;
		s->n += (uint32_t)__builtin_popcountll(s->word[i]);
	}
}
