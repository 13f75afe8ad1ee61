/* SPDX-License-Identifier: Apache-2.0 */
/*
 * growing_arrays.h - large arrays that grow without being copied.
 *
 * Whole pages from the system, moved by remapping when they must grow: growing costs no copy and
 * never holds the old and the new array at once, and room that is never written costs no memory.
 * New memory is zeroed. Running out ends the program (out_of_memory). Arrays of a few kB are of the
 * heap, and under a sanitizer all are, so that it sees writes behind the end.
 */
#ifndef REPORT_TRACE_GROWING_ARRAYS_H
#define REPORT_TRACE_GROWING_ARRAYS_H

#include <stddef.h>

/* Room for n elements of `size` bytes, or what `old` has where that is more; it may be NULL. */
void *pages_grow(void *old, size_t n, size_t size);

/* Puts the n elements of `later`, which is freed, somewhere behind the first `had` elements of
 * *array, which may move: where the system can, by moving pages. Returns where they stand now;
 * between both is a gap for the caller to close, by going from the front to the back. */
void *pages_join(void **array, size_t had, void *later, size_t n, size_t size);

void pages_free(void *array); /* NULL is fine */

#endif
