/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - sorting millions of rows by time, and moving columns into that order.
 */
#ifndef REPORT_READ_ORDER_H
#define REPORT_READ_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for sorting and moving, one row each; its owner makes it and uses it again
 * (growing_arrays.h). */
struct spare {
	int64_t *eight;
	uint32_t *four;
	uint32_t *from; /* after sorting: the row that each one came from */
};

/* Sorts start_ns, ascending, longer duration first at equal starts, then by row; the array and its
 * spare may change places. False when the rows stood in order already: then nothing was touched,
 * spare->from neither. dur_ns stays as it was. `threads`: on two of them. */
bool order_rows(
	int64_t **start_ns, const int64_t *dur_ns, size_t n, bool threads, struct spare *spare);

/* The same for stamps alone: equal ones keep their order. */
bool order_times(int64_t **at_ns, size_t n, bool threads, struct spare *spare);

/* Move a column into the order of `from`; the old memory becomes the spare one. `map`, unless NULL,
 * gives every value another one on the way. */
void permute_i64(int64_t **column, const uint32_t *from, size_t n, int64_t **spare);
void permute_u32(
	uint32_t **column, const uint32_t *from, size_t n, const uint32_t *map, uint32_t **spare);

/* A key in the upper half, a row in the lower. Sorts by key; equal keys keep their order. */
void order_pairs(uint64_t *pair, size_t n);

static inline uint64_t pair_of(uint32_t key, uint32_t row)
{
	return (uint64_t)key << 32 | row;
}

#endif
