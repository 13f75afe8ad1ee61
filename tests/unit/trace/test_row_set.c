/* SPDX-License-Identifier: Apache-2.0 */
/* Members are numbered in the order of the rows, across words. */
#include "report/trace/row_set.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void members_are_numbered_in_order(void **state)
{
	(void)state;
	static const uint32_t member[] = {0, 5, 63, 64, 127, 200};
	struct arena arena = {0};
	struct row_set s = row_set_below(&arena, 201);
	for (size_t i = sizeof member / sizeof *member; i-- > 0;)
		row_set_add(&s, member[i]);
	row_set_add(&s, 63);
	row_set_number(&s);
	assert_int_equal(s.n, 6);
	for (uint32_t i = 0; i < s.n; i++) {
		assert_true(row_set_has(&s, member[i]));
		assert_int_equal(row_set_place(&s, member[i]), i);
	}
	assert_false(row_set_has(&s, 62));
	assert_false(row_set_has(&s, 128));
	uint32_t n = 0;
	for (uint32_t row = 0; (row = row_set_next(&s, row)) != UINT32_MAX; row++)
		assert_int_equal(row, member[n++]);
	assert_int_equal(n, s.n);
	assert_int_equal(row_set_next(&s, 1000), UINT32_MAX);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_numbered_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
