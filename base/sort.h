/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort.h - orders for qsort(), and a qsort() whose comparison sees a context: the C libraries have
 * a qsort_r() each, with arguments in different orders.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/* The order of a qsort() by members, one behind the other where those before are equal:
 * ORDER(by_time, struct waited, DOWN(ns) ?: UP(name)); */
#define ORDER(by, type, order) \
	static int by(const void *left, const void *right) \
	{ \
		__typeof__(type) const *a = left, *b = right; \
		return order; \
	} \
	static int by(const void *left, const void *right)
#define UP(member) ((a->member > b->member) - (a->member < b->member))
#define DOWN(member) ((a->member < b->member) - (a->member > b->member))

/* Of plain numbers, the smallest first. */
int by_double(const void *a, const void *b);
int by_int64(const void *a, const void *b);
int by_uint64(const void *a, const void *b);

/* Below 0: a comes first, above: b does. */
typedef int sort_order(const void *a, const void *b, const void *context);

/* n rows of `size` bytes. Rows that compare equal stand in any order. */
void sort_with(void *rows, size_t n, size_t size, sort_order *order, const void *context);

#endif
