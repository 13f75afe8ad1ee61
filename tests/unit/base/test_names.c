/* SPDX-License-Identifier: Apache-2.0 */
/* Interned names, and the arena below them. */
#include "base/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void ids_in_order_of_first_appearance(void **state)
{
	(void)state;
	struct names n;
	names_init(&n);
	assert_int_equal(names_add_text(&n, ""), 0);
	assert_int_equal(names_add_text(&n, "aten::mm"), 1);
	assert_int_equal(names_add_text(&n, "aten::add"), 2);
	assert_int_equal(names_add_text(&n, "aten::mm"), 1);
	assert_int_equal(n.n, 3);
	assert_string_equal(names_text(&n, 2), "aten::add");
	assert_string_equal(names_text(&n, 0), "");
	names_release(&n);
}

static void finding_adds_nothing(void **state)
{
	(void)state;
	struct names n;
	names_init(&n);
	names_add_text(&n, "known");
	assert_int_equal(names_find(&n, "known"), 1);
	assert_int_equal(names_find(&n, "unknown"), 0);
	assert_int_equal(names_find(&n, ""), 0);
	assert_int_equal(n.n, 2);
	names_release(&n);
}

static void a_part_of_a_longer_text(void **state)
{
	(void)state;
	struct names n;
	names_init(&n);
	name_id id = names_add(&n, "kernel<4>", 6);
	assert_string_equal(names_text(&n, id), "kernel");
	assert_int_equal(names_find(&n, "kernel"), id);
	names_release(&n);
}

static void any_byte_may_stand_in_a_name(void **state)
{
	(void)state;
	struct names n;
	names_init(&n);
	name_id with = names_add(&n, "a\0b", 3), without = names_add(&n, "a", 1);
	assert_int_not_equal(with, without);
	assert_int_equal(n.length[with], 3);
	assert_memory_equal(names_text(&n, with), "a\0b", 4);
	names_release(&n);
}

/* Many names of all lengths: ids and texts stay what they were while the tables grow. */
static void many_names(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct names n;
	names_init(&n);
	char text[64];
	for (int i = 1; i <= N; i++) {
		snprintf(text, sizeof text, "%.*s%d", i % 40,
			"________________________________________", i);
		assert_int_equal(names_add_text(&n, text), i);
	}
	for (int i = 1; i <= N; i++) {
		snprintf(text, sizeof text, "%.*s%d", i % 40,
			"________________________________________", i);
		assert_int_equal(names_add_text(&n, text), i);
		assert_string_equal(names_text(&n, (name_id)i), text);
	}
	assert_int_equal(n.n, N + 1);
	names_release(&n);
}

static void a_very_long_name(void **state)
{
	(void)state;
	enum { LONG = 5 * 1024 * 1024 };
	char *text = malloc(LONG + 1);
	memset(text, 'x', LONG);
	text[LONG] = '\0';
	struct names n;
	names_init(&n);
	name_id id = names_add_text(&n, text);
	text[LONG - 1] = 'y';
	assert_int_not_equal(names_add_text(&n, text), id);
	assert_int_equal(strlen(names_text(&n, id)), LONG);
	names_release(&n);
	free(text);
}

static int asked;

static bool begins_with_a(const char *text)
{
	asked++;
	return text[0] == 'a';
}

static void a_question_is_put_to_each_name_once(void **state)
{
	(void)state;
	struct names n;
	names_init(&n);
	name_id yes = names_add_text(&n, "aten::mm"), no = names_add_text(&n, "cudaFree");
	struct name_question q = name_question(&n, begins_with_a);
	assert_int_equal(asked, 0);
	for (int i = 0; i < 3; i++) {
		assert_true(name_answers(&q, &n, yes));
		assert_false(name_answers(&q, &n, no));
		assert_false(name_answers(&q, &n, 0));
	}
	assert_int_equal(asked, 3);
	name_question_end(&q);
	names_release(&n);
}

static void an_arena_hands_out_zeroes(void **state)
{
	(void)state;
	struct arena a = {0};
	for (size_t size = 1; size < 100000; size = size * 3 + 1) {
		unsigned char *p = arena_alloc(&a, size);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
	}
	arena_release(&a);
	assert_null(a.last);
}

static void an_arena_goes_back_to_a_mark(void **state)
{
	(void)state;
	struct arena a = {0};
	char *kept = arena_strdup(&a, "kept");
	struct arena_mark mark = arena_mark(&a);
	char *first = arena_printf(&a, "%d %s", 7, "seven");
	assert_string_equal(first, "7 seven");
	for (int i = 0; i < 100; i++)
		arena_alloc(&a, 10000);
	arena_reset(&a, mark);
	char *again = arena_strndup(&a, "abcdef", 3);
	assert_ptr_equal(again, first);
	assert_string_equal(again, "abc");
	assert_string_equal(kept, "kept");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_in_order_of_first_appearance),
		cmocka_unit_test(finding_adds_nothing),
		cmocka_unit_test(a_part_of_a_longer_text),
		cmocka_unit_test(any_byte_may_stand_in_a_name),
		cmocka_unit_test(many_names),
		cmocka_unit_test(a_very_long_name),
		cmocka_unit_test(a_question_is_put_to_each_name_once),
		cmocka_unit_test(an_arena_hands_out_zeroes),
		cmocka_unit_test(an_arena_goes_back_to_a_mark),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
