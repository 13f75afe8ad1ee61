/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that lives and dies together.
 *
 * Blocks double in size, one larger than they grow in large pages; everything handed out is zeroed,
 * but by arena_unset(), and 16-byte aligned (pages that nobody writes take no memory). Nothing is
 * freed alone: arena_release() frees all, arena_reset() goes back to a mark. Memory that cannot be
 * had ends the program (out_of_memory), so no result needs a check.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/err.h"

#include <stdarg.h>
#include <stddef.h>

struct arena_block;
struct arena_owned;

struct arena {
	struct arena_block *last; /* NULL before the first allocation: `struct arena a = {0}` */
	struct arena_block *first; /* of all that are there; unset while there is none */
	struct arena_owned *owned; /* what arena_own() was given, the last first */
};

struct arena_mark {
	struct arena_block *block;
	size_t used; /* bytes of that block */
	struct arena_owned *owned;
};

void *arena_alloc(struct arena *a, size_t bytes);

/* n elements of `size` bytes, zeroed; the product is checked. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* The same for one of which each element is written before it is read: it holds anything, and what
 * of it nobody writes costs nothing. */
void *arena_unset(struct arena *a, size_t n, size_t size);

/* An array of `room` elements with n in it, with room for one more: itself, or a copy twice as long
 * in its place, of which the arena keeps both. An empty one may be NULL. */
void *arena_room(struct arena *a, void *array, int n, int *room, size_t size);

/* Frees what malloc() gave together with all that was handed out before and after it; returns it.
 * For arrays that grew to a size that nobody knew: they need no copy. */
void *arena_own(struct arena *a, void *memory);

char *arena_strdup(struct arena *a, const char *text);
char *arena_strndup(struct arena *a, const char *text, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list args);

/* Moves all of `from`, which is empty afterwards, to `a`; it lives until a is released, or reset to
 * a mark from when it was empty. For work that a thread did in an arena of its own. */
void arena_adopt(struct arena *a, struct arena *from);

struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark mark);
void arena_release(struct arena *a);

/* What its blocks hold, used or not; without what it was given. */
size_t arena_bytes(const struct arena *a);

#endif
