/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/trace/growing_arrays.h"

#include "base/err.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* In front of every array: its size, on a cache line of its own. */
enum { HEAD = 64 };

/* Smaller arrays are of the heap: a page and two calls for each column cost more than the rows of a
 * small trace. */
enum { SMALL = 16 << 10 };

/* An array of this many bytes is worth the rest of a large page that it may waste. */
enum { LARGE = 8 << 20, LARGE_PAGE = 2 << 20 };

static size_t bytes_of(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		out_of_memory(SIZE_MAX);
	return bytes + HEAD;
}

static size_t *head_of(void *array)
{
	return array ? (size_t *)((char *)array - HEAD) : NULL;
}

static size_t *heap_grow(size_t *head, size_t had, size_t bytes)
{
	if (!head)
		return xcalloc(1, bytes);
	head = xrealloc(head, 1, bytes);
	memset((char *)head + had, 0, bytes - had);
	return head;
}

/* pages_join() where pages cannot be moved, or are too few to be worth it. */
static void *join_by_copy(void **array, size_t had, void *later, size_t n, size_t size)
{
	*array = pages_grow(*array, had + n, size);
	char *to = (char *)*array + had * size;
	if (later)
		memcpy(to, later, n * size);
	pages_free(later);
	return to;
}

/* gcc tells of a sanitizer by a macro, clang when asked. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif

/* PLAIN_POSIX: as on systems other than Linux, which have no mremap(). */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	!defined __linux__ || defined PLAIN_POSIX

static size_t *grow(size_t *head, size_t had, size_t bytes)
{
	return heap_grow(head, had, bytes);
}

void pages_free(void *array)
{
	free(head_of(array));
}

void *pages_join(void **array, size_t had, void *later, size_t n, size_t size)
{
	return join_by_copy(array, had, later, n, size);
}

#else

/* Large pages for large arrays: millions of faults become thousands. Only a wish, whatever comes of
 * it. */
static void wish_large_pages(void *begin, size_t bytes)
{
	if (bytes >= LARGE)
		(void)madvise(begin, bytes, MADV_HUGEPAGE);
}

static void *map_at(void *at, size_t bytes, int more)
{
	return mmap(at, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more, -1, 0);
}

/* Large arrays begin at the border of a large page: there whole large pages can be moved. */
static void *map(size_t bytes)
{
	if (bytes < LARGE)
		return map_at(NULL, bytes, 0);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = (bytes + page - 1) / page * page;
	char *all = map_at(NULL, bytes + LARGE_PAGE, 0);
	if (all == MAP_FAILED)
		return all;
	size_t before = -(uintptr_t)all % LARGE_PAGE;
	if (before)
		munmap(all, before);
	munmap(all + before + bytes, LARGE_PAGE - before);
	return all + before;
}

/* Pages that were joined are no single mapping, and cannot be moved as one. */
static void *resize(size_t *head, size_t bytes)
{
	size_t had = *head;
	void *moved = mremap(head, had, bytes, 0);
	if (moved != MAP_FAILED)
		return moved;
	void *to = map(bytes);
	if (to == MAP_FAILED)
		return to;
	moved = mremap(head, had, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (moved != MAP_FAILED)
		return moved;
	to = map(bytes); /* what was there may be gone */
	if (to == MAP_FAILED)
		return to;
	memcpy(to, head, had);
	munmap(head, had);
	return to;
}

/* From the heap, where it had no more than `had` bytes, to pages. */
static void *leave_heap(size_t *head, size_t had, size_t bytes)
{
	void *to = map(bytes);
	if (head && to != MAP_FAILED)
		memcpy(to, head, had);
	free(head);
	return to;
}

static size_t *grow(size_t *head, size_t had, size_t bytes)
{
	if (bytes < SMALL)
		return heap_grow(head, had, bytes);
	head = had < SMALL ? leave_heap(head, had, bytes) : resize(head, bytes);
	if (head == MAP_FAILED)
		out_of_memory(bytes);
	wish_large_pages(head, bytes);
	return head;
}

void pages_free(void *array)
{
	size_t *head = head_of(array);
	if (head && *head >= SMALL)
		munmap(head, *head);
	else
		free(head);
}

/* The pages of the later array go behind those of the first, at the next border of a large page. */
void *pages_join(void **array, size_t had, void *later, size_t n, size_t size)
{
	size_t *from = head_of(later);
	size_t begin = (bytes_of(had, size) + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	size_t bytes = bytes_of(n, size);
	if (!*array || !from || n * size < LARGE || bytes > *from)
		return join_by_copy(array, had, later, n, size);
	*array = pages_grow(*array, 1, begin + bytes);
	char *to = (char *)*array - HEAD + begin;
	if (mremap(from, *from, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED)
		return to + HEAD;
	/* What was mapped there may be gone. */
	if (map_at(to, bytes, MAP_FIXED) == MAP_FAILED)
		out_of_memory(bytes);
	return join_by_copy(array, had, later, n, size);
}

#endif

void *pages_grow(void *old, size_t n, size_t size)
{
	size_t *head = head_of(old), had = head ? *head : 0, bytes = bytes_of(n, size);
	if (bytes <= had)
		return old;
	head = grow(head, had, bytes);
	*head = bytes;
	return (char *)head + HEAD;
}
