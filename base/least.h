/* SPDX-License-Identifier: Apache-2.0 */
/*
 * least.h - the smaller and the larger of two whole numbers. For doubles: fmin() and fmax().
 */
#ifndef BASE_LEAST_H
#define BASE_LEAST_H

#include <stdint.h>

static inline int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

#endif
