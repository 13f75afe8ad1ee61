/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to a text is found by it, and the first stays. */
#include "base/text_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void first_stays(void **state)
{
	(void)state;
	struct arena a = {0};
	struct text_map m = {0};
	int one, two;
	assert_null(text_map_find(&m, "a"));
	text_map_add(&m, &a, "a", &one);
	text_map_add(&m, &a, "a", &two);
	text_map_add(&m, &a, "", &two);
	assert_ptr_equal(text_map_find(&m, "a"), &one);
	assert_ptr_equal(text_map_find(&m, ""), &two);
	assert_null(text_map_find(&m, "b"));
	arena_release(&a);
}

static void each_of_many(void **state)
{
	(void)state;
	enum { N = 5000 };
	static int number[N];
	struct arena a = {0};
	struct text_map m = {0};
	for (int i = 0; i < N; i++)
		text_map_add(&m, &a, arena_printf(&a, "text %d", i), &number[i]);
	for (int i = 0; i < N; i++)
		assert_ptr_equal(text_map_find(&m, arena_printf(&a, "text %d", i)), &number[i]);
	assert_null(text_map_find(&m, "text 5000"));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_stays),
		cmocka_unit_test(each_of_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
