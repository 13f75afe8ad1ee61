/* SPDX-License-Identifier: Apache-2.0 */
/* Halving: the first for which something holds, against looking at each. */
#include "base/binary_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const int64_t sorted[] = {-5, 0, 0, 0, 3, 7, 7, INT64_MAX};

static size_t one_by_one(size_t from, size_t to, int64_t least)
{
	while (from < to && sorted[from] < least)
		from++;
	return from;
}

static void finds_what_looking_at_each_finds(void **state)
{
	(void)state;
	enum { N = sizeof sorted / sizeof *sorted };
	for (size_t from = 0; from <= N; from++)
		for (size_t to = from; to <= N; to++)
			for (int64_t least = -7; least < 10; least++)
				assert_int_equal(first_where(i, from, to, sorted[i] >= least),
					one_by_one(from, to, least));
}

static void from_anywhere_near_it_finds_the_same(void **state)
{
	(void)state;
	enum { N = sizeof sorted / sizeof *sorted };
	for (size_t from = 0; from <= N; from++)
		for (size_t to = from; to <= N; to++)
			for (size_t near = 0; near <= N + 1; near++)
				for (int64_t least = -7; least < 10; least++)
					assert_int_equal(
						first_near(i, from, to, near, sorted[i] >= least),
						one_by_one(from, to, least));
}

/* A million rows, and the answer is the next: no more than a few are looked at. */
static void close_answers_cost_little(void **state)
{
	(void)state;
	const size_t n = 1000000;
	for (size_t at = 0; at < n; at += 1001) {
		int looked = 0;
		assert_int_equal(first_near(i, 0, n, at, (looked++, i >= at + 1)), at + 1);
		assert_in_range(looked, 1, 8);
	}
}

static void looks_at_nothing_in_an_empty_range(void **state)
{
	(void)state;
	int looked = 0;
	assert_int_equal(first_where(i, 3, 3, (looked++, i >= 0)), 3);
	assert_int_equal(first_where(i, 5, 3, (looked++, i >= 0)), 5);
	assert_int_equal(looked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_looking_at_each_finds),
		cmocka_unit_test(from_anywhere_near_it_finds_the_same),
		cmocka_unit_test(close_answers_cost_little),
		cmocka_unit_test(looks_at_nothing_in_an_empty_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
