/* SPDX-License-Identifier: Apache-2.0 */
/*
 * min_max.h - the smaller and the larger of two whole numbers. For doubles: fmin() and fmax().
 */
#ifndef BASE_MIN_MAX_H
#define BASE_MIN_MAX_H

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
