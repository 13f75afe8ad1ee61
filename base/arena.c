/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/arena.h"
#include "base/min_max.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	FIRST_BLOCK = 16 * 1024,
	LARGEST_BLOCK = 4 * 1024 * 1024,
	ALIGNMENT = 16,
	LARGE_PAGE = 2 << 20
};

struct arena_block {
	struct arena_block *previous;
	size_t used, size;
	size_t dirty; /* behind it all is zero */
	size_t mapped; /* bytes of pages of its own; 0: malloc() */
	_Alignas(ALIGNMENT) unsigned char bytes[];
};

struct arena_owned {
	struct arena_owned *previous;
	void *memory;
};

/* gcc tells of a sanitizer by a macro, clang when asked: they watch over what malloc() gives. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if !defined __linux__ || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { HAS_PAGES = 0 };
#define MADV_HUGEPAGE 0
#else
enum { HAS_PAGES = 1 };
#endif

/* Zeroed, in large pages where there are some: to fault on each of the small ones takes longer than
 * most of what is done with it. */
static struct arena_block *map_pages(size_t *bytes)
{
	*bytes = (*bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	char *all = mmap(NULL, *bytes + LARGE_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		out_of_memory(*bytes);
	size_t before = -(uintptr_t)all % LARGE_PAGE;
	if (before)
		munmap(all, before);
	munmap(all + before + *bytes, LARGE_PAGE - before);
	(void)madvise(all + before, *bytes, MADV_HUGEPAGE);
	return (struct arena_block *)(all + before);
}

/* Thousands of traces have arenas of small blocks each: what of them nobody uses is not touched. */
static struct arena_block *block_new(struct arena *a, size_t wanted)
{
	enum { HEAD = sizeof(struct arena_block) };
	size_t bytes = a->last ? (a->last->size + HEAD) * 2 : FIRST_BLOCK;
	if (bytes > LARGEST_BLOCK)
		bytes = LARGEST_BLOCK;
	if (wanted > SIZE_MAX / 2)
		out_of_memory(wanted);
	bytes = max_size(bytes, wanted + HEAD);
	bool pages = HAS_PAGES && bytes > LARGEST_BLOCK; /* is all used, by one array */
	struct arena_block *b = pages ? map_pages(&bytes) : xalloc(bytes);
	*b = (struct arena_block){.previous = a->last,
		.size = bytes - HEAD,
		.dirty = pages ? 0 : bytes - HEAD,
		.mapped = pages ? bytes : 0};
	if (!a->last)
		a->first = b;
	a->last = b;
	return b;
}

/* `set`: to zero; else it holds what it held. */
static inline void *take(struct arena *a, size_t bytes, bool set)
{
	if (bytes > SIZE_MAX - ALIGNMENT)
		out_of_memory(bytes);
	size_t rounded = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	struct arena_block *b = a->last;
	if (!b || b->size - b->used < rounded)
		b = block_new(a, rounded);
	void *p = b->bytes + b->used;
	if (set && b->used < b->dirty)
		memset(p, 0, min_size(rounded, b->dirty - b->used));
	b->used += rounded;
	b->dirty = max_size(b->used, b->dirty);
	return p;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	return take(a, bytes, true);
}

static size_t bytes_of(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory(SIZE_MAX);
	return bytes;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	return take(a, bytes_of(n, size), true);
}

void *arena_unset(struct arena *a, size_t n, size_t size)
{
	return take(a, bytes_of(n, size), false);
}

void *arena_room(struct arena *a, void *array, int n, int *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room ? *room * 2 : 64;
	void *more = arena_array(a, (size_t)*room, size);
	return n ? memcpy(more, array, (size_t)n * size) : more;
}

void *arena_own(struct arena *a, void *memory)
{
	struct arena_owned *o = arena_alloc(a, sizeof *o);
	*o = (struct arena_owned){a->owned, memory};
	a->owned = o;
	return memory;
}

char *arena_strndup(struct arena *a, const char *text, size_t n)
{
	char *copy = arena_alloc(a, n + 1);
	memcpy(copy, text, n);
	return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
	return arena_strndup(a, text, strlen(text));
}

/* Does it print nothing but texts? Most do, and printf() would take ten times as long. */
static bool is_of_texts(const char *fmt)
{
	for (const char *p = fmt; (p = strchr(p, '%')); p += 2)
		if (p[1] != 's')
			return false;
	return true;
}

/* How long they are; `to`, unless NULL, gets them. */
static size_t put_texts(char *to, const char *fmt, va_list args)
{
	size_t n = 0;
	while (*fmt) {
		bool argument = *fmt == '%';
		const char *text = argument ? va_arg(args, const char *) : fmt;
		size_t length = argument ? strlen(text) : strcspn(fmt, "%");
		if (to)
			memcpy(to + n, text, length);
		n += length;
		fmt += argument ? 2 : length;
	}
	return n;
}

static char *texts_joined(struct arena *a, const char *fmt, va_list args)
{
	va_list again;
	va_copy(again, args);
	char *text = arena_alloc(a, put_texts(NULL, fmt, args) + 1);
	put_texts(text, fmt, again);
	va_end(again);
	return text;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list args)
{
	if (is_of_texts(fmt))
		return texts_joined(a, fmt, args);
	char here[256]; /* most texts are no longer */
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(here, sizeof here, fmt, args);
	if (n < 0)
		bug("arena_vprintf: bad format \"%s\"", fmt);
	char *text = arena_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof here)
		memcpy(text, here, (size_t)n);
	else
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return text;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = arena_vprintf(a, fmt, args);
	va_end(args);
	return text;
}

void arena_adopt(struct arena *a, struct arena *from)
{
	if (!from->last)
		return;
	if (a->last)
		a->first->previous = from->last;
	else
		a->last = from->last;
	a->first = from->first;
	struct arena_owned **end = &a->owned;
	while (*end)
		end = &(*end)->previous;
	*end = from->owned;
	from->last = NULL;
	from->owned = NULL;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){
		.block = a->last, .used = a->last ? a->last->used : 0, .owned = a->owned};
}

void arena_reset(struct arena *a, struct arena_mark mark)
{
	for (; a->owned != mark.owned; a->owned = a->owned->previous)
		free(a->owned->memory);
	while (a->last != mark.block) {
		struct arena_block *b = a->last;
		a->last = b->previous;
		if (b->mapped)
			munmap(b, b->mapped);
		else
			free(b);
	}
	if (a->last)
		a->last->used = mark.used;
}

void arena_release(struct arena *a)
{
	arena_reset(a, (struct arena_mark){0});
}

size_t arena_bytes(const struct arena *a)
{
	size_t bytes = 0;
	for (const struct arena_block *b = a->last; b; b = b->previous)
		bytes += b->size;
	return bytes;
}
