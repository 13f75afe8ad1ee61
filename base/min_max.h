/* SPDX-License-Identifier: Apache-2.0 */
/*
 * min_max.h - the smaller and the larger of two whole numbers, and a number held between two. For
 * doubles: fmin() and fmax().
 */
#ifndef BASE_MIN_MAX_H
#define BASE_MIN_MAX_H

#include <stddef.h>
#include <stdint.h>

static inline int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t clip64(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static inline uint32_t min32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t max32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static inline int min_int(int a, int b)
{
	return a < b ? a : b;
}

static inline int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* What is no number stays none. */
static inline double clip(double v, double low, double high)
{
	return v < low ? low : v > high ? high : v;
}

#endif
