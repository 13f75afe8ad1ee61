/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/order.h"

#include "base/err.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "base/two_threads.h"
#include "report/trace/growing_arrays.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, SHORT_RUN = 16 };

/* Rows per bucket when they are spread evenly, the most buckets, and the most rows that are sorted
 * by insertion. */
enum { PER_BUCKET = 8, MOST_BUCKETS = 1 << 20, FEW = 64 };

static bool in_order(const int64_t *start, const int64_t *dur, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (start[i] < start[i - 1] ||
			(dur && start[i] == start[i - 1] && dur[i] > dur[i - 1]))
			return false;
	return true;
}

/* One pass of a radix sort from keys and rows to theirs. */
static void scatter(const int64_t *key, const uint32_t *row, int64_t *keys, uint32_t *rows,
	size_t n, int64_t least, unsigned shift, uint32_t *at)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t distance = (uint64_t)(key[i] - least);
		uint32_t to = at[distance >> shift & (BUCKETS - 1)]++;
		keys[to] = key[i];
		rows[to] = row[i];
	}
}

/* Counts per bucket into first positions; false when one bucket has all. */
static bool positions(uint32_t *at, size_t buckets, size_t n)
{
	uint32_t sum = 0;
	for (size_t b = 0; b < buckets; b++) {
		uint32_t count = at[b];
		if (count == n)
			return false;
		at[b] = sum;
		sum += count;
	}
	return true;
}

static int64_t range(const int64_t *key, size_t n, int64_t *least)
{
	int64_t low = key[0], high = key[0];
	for (size_t i = 1; i < n; i++) {
		low = min64(key[i], low);
		high = max64(key[i], high);
	}
	*least = low;
	return high - low;
}

/* Rows being sorted, and as much memory beside them. */
struct sorting {
	int64_t *key, *other_key;
	uint32_t *row, *other_row;
};

/* A radix sort by the lowest digits first: for many rows, whatever their stamps are. */
static void sort_many(struct sorting s, size_t n)
{
	int64_t least, *key = s.key;
	uint64_t reach = (uint64_t)range(s.key, n, &least);
	uint32_t *at = xalloc(BUCKETS * sizeof *at);
	for (unsigned shift = 0; shift < 64 && reach >> shift; shift += DIGIT_BITS) {
		memset(at, 0, BUCKETS * sizeof *at);
		for (size_t i = 0; i < n; i++)
			at[(uint64_t)(s.key[i] - least) >> shift & (BUCKETS - 1)]++;
		if (!positions(at, BUCKETS, n))
			continue;
		scatter(s.key, s.row, s.other_key, s.other_row, n, least, shift, at);
		s = (struct sorting){s.other_key, s.key, s.other_row, s.row};
	}
	free(at);
	if (s.key == key)
		return;
	memcpy(s.other_key, s.key, n * sizeof *s.key);
	memcpy(s.other_row, s.row, n * sizeof *s.row);
}

/* A few rows, which mostly come in two or three streams that are in order by themselves. */
static void sort_few(int64_t *key, uint32_t *row, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int64_t start = key[i];
		uint32_t r = row[i];
		size_t k = i;
		for (; k > 0 && key[k - 1] > start; k--) {
			key[k] = key[k - 1];
			row[k] = row[k - 1];
		}
		key[k] = start;
		row[k] = r;
	}
}

/* Buckets whose rows are still to be sorted; at[b] is where bucket b ends. */
struct buckets {
	struct sorting s;
	const uint32_t *at;
	size_t first, last;
};

static void sort_buckets(void *buckets)
{
	const struct buckets *b = buckets;
	size_t from = b->first ? b->at[b->first - 1] : 0;
	for (size_t i = b->first; i < b->last; from = b->at[i++]) {
		size_t n = b->at[i] - from;
		struct sorting s = {b->s.key + from, b->s.other_key + from, b->s.row + from,
			b->s.other_row + from};
		if (n > FEW)
			sort_many(s, n);
		else
			sort_few(s.key, s.row, n);
	}
}

/* Rows on their way to buckets: all of them, or those of one of two threads. */
struct dealing {
	struct sorting s;
	size_t from, to;
	int64_t low, high;
	unsigned shift;
	uint32_t *at; /* by bucket: how many, then where the next one goes */
};

static void find_range(void *dealing)
{
	struct dealing *d = dealing;
	d->low = d->high = d->s.key[d->from];
	for (size_t i = d->from; i < d->to; i++) {
		d->low = min64(d->s.key[i], d->low);
		d->high = max64(d->s.key[i], d->high);
	}
}

static size_t bucket_of(const struct dealing *d, size_t i)
{
	return (uint64_t)(d->s.key[i] - d->low) >> d->shift;
}

static void count_rows(void *dealing)
{
	struct dealing *d = dealing;
	for (size_t i = d->from; i < d->to; i++)
		d->at[bucket_of(d, i)]++;
}

static void deal_rows(void *dealing)
{
	struct dealing *d = dealing;
	for (size_t i = d->from; i < d->to; i++) {
		uint32_t to = d->at[bucket_of(d, i)]++;
		d->s.other_key[to] = d->s.key[i];
		d->s.other_row[to] = (uint32_t)i;
	}
}

/* Rows of the first come first. */
static void find_places(struct dealing *first, struct dealing *second, size_t buckets)
{
	uint32_t sum = 0;
	for (size_t b = 0; b < buckets; b++) {
		uint32_t one = first->at[b], other = second->at[b];
		first->at[b] = sum;
		second->at[b] = sum += one;
		sum += other;
	}
}

/* Rows go to buckets by their stamp, a handful to each, and are sorted there: rows of one time
 * were read together, so this stays in the cache where sorting digit by digit would not. */
static void sort_stamps(struct sorting s, size_t n, bool threads)
{
	size_t middle = threads ? n / 2 : n - 1, count = 1, half = 0;
	struct dealing first = {.s = s, .to = middle}, second = {.s = s, .from = middle, .to = n};
	both(threads, find_range, &first, find_range, &second);
	first.low = second.low = min64(first.low, second.low);
	uint64_t reach = (uint64_t)(max64(first.high, second.high) - first.low);
	while (count < n / PER_BUCKET && count < MOST_BUCKETS)
		count *= 2;
	while (reach >> first.shift >= count)
		second.shift = ++first.shift;
	first.at = xcalloc(2 * count, sizeof *first.at);
	second.at = first.at + count;
	both(threads, count_rows, &first, count_rows, &second);
	find_places(&first, &second, count);
	both(threads, deal_rows, &first, deal_rows, &second);
	const uint32_t *at = second.at;
	while (half < count && at[half] < n / 2)
		half++;
	struct sorting there = {s.other_key, s.key, s.other_row, s.row};
	struct buckets low = {there, at, 0, half}, high = {there, at, half, count};
	both(threads, sort_buckets, &low, sort_buckets, &high);
	free(first.at);
}

struct tied {
	int64_t dur;
	uint32_t row;
};

ORDER(longer_first, struct tied, DOWN(dur) ?: UP(row));

/* Rows that start together: only among them does the duration decide. */
static void sort_run(uint32_t *row, size_t n, const int64_t *dur)
{
	if (n <= SHORT_RUN) {
		for (size_t i = 1; i < n; i++) {
			uint32_t r = row[i];
			size_t k = i;
			for (; k > 0 && dur[row[k - 1]] < dur[r]; k--)
				row[k] = row[k - 1];
			row[k] = r;
		}
		return;
	}
	struct tied *t = xalloc(n * sizeof *t);
	for (size_t i = 0; i < n; i++)
		t[i] = (struct tied){dur[row[i]], row[i]};
	qsort(t, n, sizeof *t, longer_first);
	for (size_t i = 0; i < n; i++)
		row[i] = t[i].row;
	free(t);
}

bool order_times(int64_t **at_ns, size_t n, bool threads, struct spare *spare)
{
	if (in_order(*at_ns, NULL, n))
		return false;
	sort_stamps((struct sorting){*at_ns, spare->eight, spare->four, spare->from}, n, threads);
	int64_t *sorted = spare->eight;
	spare->eight = *at_ns;
	*at_ns = sorted;
	return true;
}

/* Rows among which those that start together are put in order. */
struct ties {
	const int64_t *start, *dur;
	uint32_t *row;
	size_t from, to;
};

static void settle_ties(void *ties)
{
	const struct ties *t = ties;
	for (size_t i = t->from, k; i < t->to; i = k) {
		for (k = i + 1; k < t->to && t->start[k] == t->start[i];)
			k++;
		if (k - i > 1)
			sort_run(t->row + i, k - i, t->dur);
	}
}

bool order_rows(
	int64_t **start_ns, const int64_t *dur_ns, size_t n, bool threads, struct spare *spare)
{
	if (in_order(*start_ns, dur_ns, n))
		return false;
	if (!order_times(start_ns, n, threads, spare))
		for (size_t i = 0; i < n; i++)
			spare->from[i] = (uint32_t)i;
	struct ties low = {*start_ns, dur_ns, spare->from, 0, n / 2}, high = low;
	while (low.to < n && low.to && low.start[low.to] == low.start[low.to - 1])
		low.to++;
	high.from = low.to;
	high.to = n;
	both(threads, settle_ties, &low, settle_ties, &high);
	return true;
}

void permute_i64(int64_t **column, const uint32_t *from, size_t n, int64_t **spare)
{
	int64_t *to = *spare, *old = *column;
	for (size_t i = 0; i < n; i++)
		to[i] = old[from[i]];
	*spare = old;
	*column = to;
}

void permute_u32(
	uint32_t **column, const uint32_t *from, size_t n, const uint32_t *map, uint32_t **spare)
{
	uint32_t *to = *spare, *old = *column;
	if (map)
		for (size_t i = 0; i < n; i++)
			to[i] = map[old[from[i]]];
	else
		for (size_t i = 0; i < n; i++)
			to[i] = old[from[i]];
	*spare = old;
	*column = to;
}

static void scatter_pairs(
	const uint64_t *from, uint64_t *to, size_t n, unsigned shift, uint32_t *at)
{
	for (size_t i = 0; i < n; i++)
		to[at[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
}

void order_pairs(uint64_t *pair, size_t n)
{
	size_t ordered = 1;
	while (ordered < n && pair[ordered - 1] >> 32 <= pair[ordered] >> 32)
		ordered++;
	if (ordered >= n)
		return;
	uint64_t *other = pages_grow(NULL, n, sizeof *other), *from = pair, *to = other;
	uint32_t *at = xalloc(BUCKETS * sizeof *at);
	for (unsigned shift = 32; shift < 64; shift += DIGIT_BITS) {
		memset(at, 0, BUCKETS * sizeof *at);
		for (size_t i = 0; i < n; i++)
			at[from[i] >> shift & (BUCKETS - 1)]++;
		if (!positions(at, BUCKETS, n))
			continue;
		scatter_pairs(from, to, n, shift, at);
		uint64_t *t = from;
		from = to;
		to = t;
	}
	if (from != pair)
		memcpy(pair, from, n * sizeof *pair);
	free(at);
	pages_free(other);
}
