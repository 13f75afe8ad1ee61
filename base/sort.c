/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/sort.h"

#include <stdint.h>
#include <stdlib.h>

#define NUMBER_ORDER(by, type) \
	int by(const void *left, const void *right) \
	{ \
		const type *a = left, *b = right; \
		return (*a > *b) - (*a < *b); \
	} \
	int by(const void *left, const void *right)
NUMBER_ORDER(by_double, double);
NUMBER_ORDER(by_int64, int64_t);
NUMBER_ORDER(by_uint64, uint64_t);

struct asked {
	sort_order *order;
	const void *context;
};

#ifdef __APPLE__

static int ask(void *asked, const void *a, const void *b)
{
	const struct asked *x = asked;
	return x->order(a, b, x->context);
}

void sort_with(void *rows, size_t n, size_t size, sort_order *order, const void *context)
{
	qsort_r(rows, n, size, &(struct asked){order, context}, ask);
}

#else

static int ask(const void *a, const void *b, void *asked)
{
	const struct asked *x = asked;
	return x->order(a, b, x->context);
}

void sort_with(void *rows, size_t n, size_t size, sort_order *order, const void *context)
{
	qsort_r(rows, n, size, ask, &(struct asked){order, context});
}

#endif
