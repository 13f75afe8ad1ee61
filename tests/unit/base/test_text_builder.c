/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void nothing_is_an_empty_text(void **state)
{
	(void)state;
	struct arena a = {0};
	struct text_builder t = {.arena = &a};
	assert_string_equal(text_built(&t), "");
	assert_string_equal(text_separator(&t, ", "), "");
	text_add(&t, "%s", "");
	assert_string_equal(text_built(&t), "");
	assert_string_equal(text_separator(&t, ", "), "");
	arena_release(&a);
}

static void what_is_added_stands_behind_it(void **state)
{
	(void)state;
	struct arena a = {0};
	struct text_builder t = {.arena = &a};
	for (int i = 0; i < 3; i++)
		text_add(&t, "%s%d", text_separator(&t, ", "), i);
	assert_string_equal(text_built(&t), "0, 1, 2");
	assert_int_equal(t.n, strlen("0, 1, 2"));
	arena_release(&a);
}

/* The arena keeps the shorter ones, at most as much again: a hundred thousand words are no
 * gigabyte. */
static void a_long_one_takes_room_for_itself(void **state)
{
	(void)state;
	enum { WORDS = 100000, LETTERS = 6 };
	struct arena a = {0};
	struct text_builder t = {.arena = &a};
	for (int i = 0; i < WORDS; i++)
		text_add(&t, "%05d ", i);
	assert_int_equal(t.n, WORDS * LETTERS);
	assert_int_equal(strlen(text_built(&t)), WORDS * LETTERS);
	assert_memory_equal(text_built(&t) + 4321 * LETTERS, "04321 ", LETTERS);
	assert_true(arena_bytes(&a) < 8 * (size_t)WORDS * LETTERS);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_an_empty_text),
		cmocka_unit_test(what_is_added_stands_behind_it),
		cmocka_unit_test(a_long_one_takes_room_for_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
