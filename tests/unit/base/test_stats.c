/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics against values worked out by hand (and the same as numpy's). */
#include "base/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double value, double wanted)
{
	if (value < wanted - 1e-9 || value > wanted + 1e-9)
		fail_msg("%.12f is not %.12f", value, wanted);
}

static void nothing(void **state)
{
	(void)state;
	struct stats s = stats_of(NULL, 0), zero = {0};
	assert_memory_equal(&s, &zero, sizeof s);
}

static void one_sample(void **state)
{
	(void)state;
	int64_t v[] = {42};
	struct stats s = stats_of(v, 1);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.total, 42);
	assert_int_equal(s.min, 42);
	assert_int_equal(s.max, 42);
	assert_near(s.mean, 42);
	assert_near(s.p5, 42);
	assert_near(s.median, 42);
	assert_near(s.p95, 42);
	assert_near(s.mad, 0);
}

static void unsorted_samples(void **state)
{
	(void)state;
	int64_t v[] = {40, 10, 30, 20};
	struct stats s = stats_of(v, 4);
	static const int64_t sorted[] = {10, 20, 30, 40};
	assert_memory_equal(v, sorted, sizeof sorted);
	assert_int_equal(s.total, 100);
	assert_near(s.mean, 25);
	assert_near(s.p5, 11.5);
	assert_near(s.p25, 17.5);
	assert_near(s.median, 25);
	assert_near(s.p75, 32.5);
	assert_near(s.p95, 38.5);
	assert_near(s.mad, 10); /* distances 15, 5, 5, 15 */
}

/* One sample far away moves the mean and not the median. */
static void an_outlier(void **state)
{
	(void)state;
	int64_t v[] = {580, 579, 581, 583, 3097};
	struct stats s = stats_of(v, 5);
	assert_near(s.mean, 1084);
	assert_near(s.median, 581);
	assert_near(s.mad, 2); /* distances 1, 2, 0, 2, 2516 */
	assert_near(s.p95, 583 + 0.8 * (3097 - 583));
}

static void negative_and_equal_samples(void **state)
{
	(void)state;
	int64_t v[] = {-5, -5, 7, -5};
	struct stats s = stats_of(v, 4);
	assert_int_equal(s.min, -5);
	assert_int_equal(s.max, 7);
	assert_int_equal(s.total, -8);
	assert_near(s.median, -5);
	assert_near(s.mad, 0);
}

static void the_ends_of_a_quantile(void **state)
{
	(void)state;
	static const int64_t v[] = {1, 2, 4};
	assert_near(quantile(v, 3, 0), 1);
	assert_near(quantile(v, 3, 1), 4);
	assert_near(quantile(v, 3, 0.5), 2);
	assert_near(quantile(v, 3, 0.75), 3);
}

/* Every width of number, and the extremes. */
static void assert_sorts(size_t n)
{
	int64_t *v = calloc(n, sizeof *v);
	uint64_t random = 88172645463325252u;
	for (int bits = 0; bits <= 48; bits += 3) {
		int64_t total = 0;
		for (size_t i = 0; i < n; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			v[i] = (int64_t)(random >> 1 >> (63 - bits)) - (bits < 40 ? 1 << 20 : 0);
			total = (int64_t)((uint64_t)total + (uint64_t)(v[i] >> 16));
		}
		struct stats s = stats_of(v, n);
		for (size_t i = 0; i < n; i++) {
			total = (int64_t)((uint64_t)total - (uint64_t)(v[i] >> 16));
			assert_true(i == 0 || v[i] >= v[i - 1]);
		}
		assert_int_equal(total, 0);
		assert_int_equal(s.min, v[0]);
		assert_int_equal(s.max, v[n - 1]);
	}
	for (size_t i = 0; i < n; i++)
		v[i] = i % 2 ? INT64_MAX / 5000 : INT64_MIN / 5000;
	assert_int_equal(stats_of(v, n).min, INT64_MIN / 5000);
	assert_int_equal(v[n / 2 - 1], INT64_MIN / 5000);
	assert_int_equal(v[n / 2], INT64_MAX / 5000);
	free(v);
}

/* Few, some and many are sorted in three ways. */
static void all_numbers_of_samples_are_sorted(void **state)
{
	(void)state;
	assert_sorts(20);
	assert_sorts(300);
	assert_sorts(5000);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The median distance, sorted out the long way, for many sets of samples. */
static void median_distance_the_long_way(void **state)
{
	(void)state;
	uint32_t random = 1;
	for (size_t n = 1; n < 40; n++) {
		int64_t v[40];
		double distance[40];
		for (size_t i = 0; i < n; i++) {
			random = random * 1664525u + 1013904223u;
			v[i] = (int64_t)(random >> 24) - 100;
		}
		struct stats s = stats_of(v, n);
		for (size_t i = 0; i < n; i++) {
			distance[i] = (double)v[i] - s.median;
			distance[i] = distance[i] < 0 ? -distance[i] : distance[i];
		}
		qsort(distance, n, sizeof *distance, ascending);
		assert_near(s.mad, (distance[(n - 1) / 2] + distance[n / 2]) / 2);
	}
}

static int by_value(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* In all orders of few values, and in orders that selecting by pivots finds hard. */
static void median_alone(void **state)
{
	(void)state;
	uint32_t random = 7;
	enum { MOST = 1200, KINDS = 6, TEETH = 40 };
	for (size_t round = 0; round < 3000; round++) {
		int64_t v[MOST], sorted[MOST];
		size_t n = 1 + (round < 1500 ? round % 299 : 7 * round % MOST);
		for (size_t i = 0; i < n; i++) {
			random = random * 1664525u + 1013904223u;
			int64_t by_kind[] = {(int64_t)(random >> 8), (int64_t)(random >> 30),
				(int64_t)i, -(int64_t)i, i % 2 ? (int64_t)i : (int64_t)(n - i),
				(int64_t)(i % TEETH)};
			sorted[i] = v[i] = by_kind[round % KINDS];
		}
		assert_near(stats_median(v, n), stats_of(sorted, n).median);
		assert_int_equal(stats_nth(v, n, random % n), sorted[random % n]);
		qsort(v, n, sizeof *v, by_value);
		assert_memory_equal(v, sorted, n * sizeof *v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),
		cmocka_unit_test(one_sample),
		cmocka_unit_test(unsorted_samples),
		cmocka_unit_test(an_outlier),
		cmocka_unit_test(negative_and_equal_samples),
		cmocka_unit_test(the_ends_of_a_quantile),
		cmocka_unit_test(all_numbers_of_samples_are_sorted),
		cmocka_unit_test(median_distance_the_long_way),
		cmocka_unit_test(median_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
