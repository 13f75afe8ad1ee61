#define _GNU_SOURCE
#include "report/pages.h"

#include "base/err.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* In front of every array: its size, on a cache line of its own. */
enum { HEAD = 64 };

/* An array of this many bytes is worth the rest of a large page that it may waste. */
enum { LARGE = 8 << 20 };

static size_t bytes_of(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		out_of_memory(SIZE_MAX);
	return bytes + HEAD;
}

#ifdef __SANITIZE_ADDRESS__

void *pages_grow(void *old, size_t n, size_t size)
{
	size_t *head = old ? (size_t *)((char *)old - HEAD) : NULL;
	size_t had = head ? *head : HEAD, bytes = bytes_of(n, size);
	head = xrealloc(head, 1, bytes);
	if (bytes > had)
		memset((char *)head + had, 0, bytes - had);
	*head = bytes;
	return (char *)head + HEAD;
}

void pages_free(void *array)
{
	if (array)
		free((char *)array - HEAD);
}

#else

/* Large pages for large arrays: millions of faults become thousands. Only a wish, whatever comes of
 * it. */
static void wish_large_pages(void *begin, size_t bytes)
{
	if (bytes >= LARGE)
		(void)madvise(begin, bytes, MADV_HUGEPAGE);
}

void *pages_grow(void *old, size_t n, size_t size)
{
	size_t bytes = bytes_of(n, size);
	size_t *head = old ? (size_t *)((char *)old - HEAD) : NULL;
	if (head)
		head = mremap(head, *head, bytes, MREMAP_MAYMOVE);
	else
		head = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (head == MAP_FAILED)
		out_of_memory(bytes);
	wish_large_pages(head, bytes);
	*head = bytes;
	return (char *)head + HEAD;
}

void pages_free(void *array)
{
	size_t *head = array ? (size_t *)((char *)array - HEAD) : NULL;
	if (head)
		munmap(head, *head);
}

#endif
