/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader is told about a damaged file: every kind of repair has its words. */
#include "report/section/parts.h"

#include "report/trace/repair.h"
#include "tests/unit/page.h"

static const char *words_of(enum repair_kind kind)
{
	const char *key = arena_printf(&arena, "repair.%s", repair_key(kind));
	const char *words = texts_find(texts, key);
	if (!*words)
		fail_msg("%s says nothing", key);
	return words;
}

static void every_repair_has_words_of_its_own(void **state)
{
	(void)state;
	for (int kind = 0; kind < REPAIR_KINDS; kind++) {
		assert_non_null(repair_key(kind));
		for (int other = 0; other < kind; other++)
			assert_string_not_equal(words_of(kind), words_of(other));
	}
	struct err err = {0};
	assert_int_equal(texts_error(texts, &err), 0);
}

static void a_repair_says_what_how_often_and_where(void **state)
{
	(void)state;
	struct document d = {.arena = &arena, .texts = texts};
	struct repair r = {REPAIR_COMMA_EXTRA, 1200, 2, {{17, "}},"}, {99, ""}}};
	assert_string_equal(repair_text(&d, &r),
		"comma too many: 1200×, first at byte 17, near `}},`; at byte 99");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_repair_has_words_of_its_own, clear_arena),
		cmocka_unit_test_teardown(a_repair_says_what_how_often_and_where, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
