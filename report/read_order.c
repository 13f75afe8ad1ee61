#include "report/read_order.h"

#include "base/err.h"
#include "report/pages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, MOST_DIGITS = 6, SHORT_RUN = 16 };

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
		rows[to] = row ? row[i] : (uint32_t)i;
	}
}

/* Counts per bucket into first positions; false when one bucket has all. */
static bool positions(uint32_t *at, size_t n)
{
	uint32_t sum = 0;
	for (unsigned b = 0; b < BUCKETS; b++) {
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
		low = key[i] < low ? key[i] : low;
		high = key[i] > high ? key[i] : high;
	}
	*least = low;
	return high - low;
}

struct sorting {
	int64_t *key, *other_key;
	uint32_t *row, *other_row;
};

static void radix(struct sorting *s, size_t n)
{
	int64_t least;
	uint64_t reach = (uint64_t)range(s->key, n, &least);
	uint32_t(*at)[BUCKETS] = xcalloc(MOST_DIGITS, sizeof *at);
	unsigned digits = 0;
	while (digits < MOST_DIGITS && reach >> digits * DIGIT_BITS)
		digits++;
	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < digits; d++)
			at[d][(uint64_t)(s->key[i] - least) >> d * DIGIT_BITS & (BUCKETS - 1)]++;
	bool first = true;
	for (unsigned d = 0; d < digits; d++) {
		if (!positions(at[d], n))
			continue;
		scatter(s->key, first ? NULL : s->row, s->other_key, s->other_row, n, least,
			d * DIGIT_BITS, at[d]);
		struct sorting t = *s;
		*s = (struct sorting){t.other_key, t.key, t.other_row, t.row};
		first = false;
	}
	for (size_t i = 0; first && i < n; i++)
		s->row[i] = (uint32_t)i;
	free(at);
}

struct tied {
	int64_t dur;
	uint32_t row;
};

static int longer_first(const void *a, const void *b)
{
	const struct tied *x = a, *y = b;
	if (x->dur != y->dur)
		return x->dur > y->dur ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

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

bool order_times(int64_t **at_ns, size_t n, struct spare *spare)
{
	if (in_order(*at_ns, NULL, n))
		return false;
	struct sorting s = {*at_ns, spare->eight, spare->from, spare->four};
	radix(&s, n);
	*at_ns = s.key;
	*spare = (struct spare){s.other_key, s.other_row, s.row};
	return true;
}

bool order_rows(int64_t **start_ns, const int64_t *dur_ns, size_t n, struct spare *spare)
{
	if (in_order(*start_ns, dur_ns, n))
		return false;
	if (!order_times(start_ns, n, spare))
		for (size_t i = 0; i < n; i++)
			spare->from[i] = (uint32_t)i;
	const int64_t *start = *start_ns;
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && start[k] == start[i];)
			k++;
		if (k - i > 1)
			sort_run(spare->from + i, k - i, dur_ns);
	}
	return true;
}

void order_eight(int64_t **column, const uint32_t *from, size_t n, struct spare *spare)
{
	int64_t *to = spare->eight, *old = *column;
	for (size_t i = 0; i < n; i++)
		to[i] = old[from[i]];
	spare->eight = old;
	*column = to;
}

void order_four(uint32_t **column, const uint32_t *from, size_t n, struct spare *spare)
{
	uint32_t *to = spare->four, *old = *column;
	for (size_t i = 0; i < n; i++)
		to[i] = old[from[i]];
	spare->four = old;
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
		if (!positions(at, n))
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
