/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that lives together: marks, and what another arena made. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Enough for several blocks. */
static char *fill(struct arena *a, const char *word)
{
	char *first = arena_strdup(a, word);
	for (int i = 0; i < 1000; i++)
		arena_alloc(a, 100);
	return first;
}

static void adopted_memory_outlives_marks(void **state)
{
	(void)state;
	struct arena a = {0}, b = {0};
	char *own = fill(&a, "own");
	struct arena_mark mark = arena_mark(&a);
	char *adopted = fill(&b, "adopted");
	arena_adopt(&a, &b);
	assert_null(b.last);
	fill(&a, "later");
	arena_reset(&a, mark);
	assert_string_equal(own, "own");
	assert_string_equal(adopted, "adopted");
	fill(&b, "again"); /* an arena like any other */
	arena_release(&b);
	assert_string_equal(adopted, "adopted");
	arena_release(&a);
}

static void an_empty_one_on_either_side(void **state)
{
	(void)state;
	struct arena a = {0}, b = {0}, nothing = {0};
	char *word = fill(&b, "word");
	arena_adopt(&a, &b);
	arena_adopt(&a, &nothing);
	assert_string_equal(word, "word");
	assert_non_null(arena_alloc(&a, 1));
	arena_release(&a);
	assert_null(a.last);
}

static void marks(void **state)
{
	(void)state;
	struct arena a = {0};
	char *kept = arena_strdup(&a, "kept");
	struct arena_mark mark = arena_mark(&a);
	char *gone = arena_strdup(&a, "gone");
	arena_reset(&a, mark);
	assert_ptr_equal(arena_alloc(&a, 8), gone);
	assert_string_equal(kept, "kept");
	arena_release(&a);
}

static void what_is_handed_out_again_is_zero(void **state)
{
	(void)state;
	static const char zero[600];
	struct arena a = {0};
	arena_alloc(&a, 16);
	struct arena_mark mark = arena_mark(&a);
	for (int round = 0; round < 3; round++) {
		for (size_t size = 100; size <= 600; size += 250) {
			char *p = arena_alloc(&a, size);
			assert_memory_equal(p, zero, size);
			memset(p, 0xff, size);
		}
		arena_reset(&a, mark);
		memset(arena_unset(&a, 50, 1), 0xff, 50);
	}
	arena_release(&a);
}

static char *owned(struct arena *a, const char *word)
{
	return arena_own(a, strdup(word));
}

/* A leak or a second free is the sanitizers' to find. */
static void what_malloc_gave_is_freed_with_the_rest(void **state)
{
	(void)state;
	struct arena a = {0}, b = {0};
	char *own = owned(&a, "own");
	struct arena_mark mark = arena_mark(&a);
	owned(&a, "later");
	fill(&b, "block");
	char *adopted = owned(&b, "adopted");
	arena_adopt(&a, &b);
	assert_null(b.owned);
	owned(&a, "last");
	arena_reset(&a, mark);
	assert_ptr_equal(a.owned, mark.owned);
	assert_string_equal(own, "own");
	assert_string_equal(adopted, "adopted");
	arena_release(&a);
	assert_null(a.owned);
}

static void an_array_grows_with_what_is_in_it(void **state)
{
	(void)state;
	struct arena a = {0};
	int *item = NULL, room = 0, moved = 0;
	for (int n = 0; n < 1000; n++) {
		int *before = item;
		item = arena_room(&a, item, n, &room, sizeof *item);
		moved += item != before;
		assert_true(n < room);
		item[n] = n;
	}
	for (int n = 0; n < 1000; n++)
		assert_int_equal(item[n], n);
	assert_in_range(moved, 2, 10);
	arena_release(&a);
}

/* Texts alone go another way than what printf() is needed for. */
static void texts_are_printed_as_printf_does(void **state)
{
	(void)state;
	struct arena a = {0};
	char longer[1000];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_string_equal(arena_printf(&a, "%s", ""), "");
	assert_string_equal(arena_printf(&a, "no more"), "no more");
	assert_string_equal(arena_printf(&a, "%s%s – %s.", "a", "", "b%"), "a – b%.");
	assert_string_equal(arena_printf(&a, "%s 100 %% %d", "a", 7), "a 100 % 7");
	assert_string_equal(arena_printf(&a, "%.*s", 1, "abc"), "a");
	assert_string_equal(arena_printf(&a, "<%s>", longer) + sizeof longer, ">");
	assert_string_equal(arena_printf(&a, "<%s%d>", longer, 1) + sizeof longer, "1>");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adopted_memory_outlives_marks),
		cmocka_unit_test(an_empty_one_on_either_side),
		cmocka_unit_test(marks),
		cmocka_unit_test(texts_are_printed_as_printf_does),
		cmocka_unit_test(what_is_handed_out_again_is_zero),
		cmocka_unit_test(what_malloc_gave_is_freed_with_the_rest),
		cmocka_unit_test(an_array_grows_with_what_is_in_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
