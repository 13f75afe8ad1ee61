/*
 * read_order.h - sorting millions of rows by time, and moving columns into that order.
 */
#ifndef REPORT_READ_ORDER_H
#define REPORT_READ_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Memory that sorting leaves behind for the columns that are moved next. */
struct spare {
	int64_t *eight; /* (n) elements of 8 bytes */
	uint32_t *four; /* (n) elements of 4 bytes */
};

/* Sorts start_ns in place, ascending, longer duration first at equal starts, then by row. Gives
 * the row each one came from (pages, owned by the caller), or NULL when the rows stand in order
 * already. dur_ns stays as it was. */
uint32_t *order_rows(
	int64_t **start_ns, const int64_t *dur_ns, size_t n, size_t room, struct spare *spare);

/* Move a column into the order of `from`; the old memory becomes the spare one. */
void order_eight(int64_t **column, const uint32_t *from, size_t n, struct spare *spare);
void order_four(uint32_t **column, const uint32_t *from, size_t n, struct spare *spare);

/* Sorts stamps in place, equal ones in their old order; the row each came from, or NULL, as above.
 */
uint32_t *order_times(int64_t **at_ns, size_t n);

/* A key in the upper half, a row in the lower. Sorts by key; equal keys keep their order. */
void order_pairs(uint64_t *pair, size_t n);

static inline uint64_t pair_of(uint32_t key, uint32_t row)
{
	return (uint64_t)key << 32 | row;
}

#endif
