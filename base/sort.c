/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/sort.h"

#include <stdlib.h>

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
