/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort.h - qsort() whose comparison sees a context. The C libraries have a qsort_r() each, with
 * arguments in different orders.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/* Below 0: a comes first, above: b does. */
typedef int sort_order(const void *a, const void *b, const void *context);

/* n rows of `size` bytes. Rows that compare equal stand in any order. */
void sort_with(void *rows, size_t n, size_t size, sort_order *order, const void *context);

#endif
