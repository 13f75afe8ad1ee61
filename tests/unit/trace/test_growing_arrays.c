/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of whole pages: what is in them survives growing and joining, whatever their size. */
#include "report/trace/growing_arrays.h"
#include "tests/unit/read_scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t *counted(size_t n, uint32_t first)
{
	uint32_t *a = pages_grow(NULL, n, sizeof *a);
	for (size_t i = 0; i < n; i++)
		a[i] = first + (uint32_t)i;
	return a;
}

static void check(const uint32_t *a, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (a[i] != (uint32_t)i)
			fail_msg("element %zu is %u", i, a[i]);
}

static void growing_keeps_and_zeroes(void **state)
{
	(void)state;
	uint32_t *a = counted(1000, 0);
	for (size_t n = 1000; n < 12000000; n *= 3) {
		a = pages_grow(a, 3 * n, sizeof *a);
		check(a, 0, n);
		for (size_t i = n; i < 3 * n; i++) {
			assert_int_equal(a[i], 0);
			a[i] = (uint32_t)i;
		}
	}
	pages_free(a);
}

/* Joined, closed up, and grown once more: joined pages are no single mapping any more. */
static void join(size_t had, size_t n)
{
	uint32_t *a = counted(had, 0), *later = counted(n, (uint32_t)had);
	void *whole = a;
	const uint32_t *from = pages_join(&whole, had, later, n, sizeof *a);
	a = whole;
	assert_true(from >= a + had);
	for (size_t i = 0; i < n; i++)
		a[had + i] = from[i];
	check(a, 0, had + n);
	a = pages_grow(a, 3 * (had + n), sizeof *a);
	check(a, 0, had + n);
	a[3 * (had + n) - 1] = 1;
	pages_free(a);
}

static void joining_keeps_both(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 1000, 70000, 2000000, 2097152, 2097136, 5000001};
	enum { SIZES = sizeof sizes / sizeof *sizes };
	for (int i = 0; i < SIZES * SIZES; i += sweep() ? 1 : 3)
		join(sizes[i % SIZES], sizes[i / SIZES]);
}

static void joining_nothing(void **state)
{
	(void)state;
	void *whole = counted(10, 0);
	pages_join(&whole, 10, NULL, 0, sizeof(uint32_t));
	check(whole, 0, 10);
	pages_free(whole);
	whole = NULL;
	uint32_t *later = counted(3000000, 0);
	const uint32_t *from = pages_join(&whole, 0, later, 3000000, sizeof *later);
	check(from, 0, 3000000);
	pages_free(whole);
	pages_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growing_keeps_and_zeroes),
		cmocka_unit_test(joining_keeps_both),
		cmocka_unit_test(joining_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
