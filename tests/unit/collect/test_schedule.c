/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule against the states that torch.profiler.schedule documents. */
#include "collect/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* One letter a step: - none, w warm-up, r record, S record and save. */
static void states(const struct schedule *s, long n, char *text)
{
	for (long i = 0; i < n; i++)
		text[i] = "-wrS"[schedule_action(s, i)];
	text[n] = '\0';
}

static void expect_states(struct schedule s, const char *expected)
{
	char text[64];
	states(&s, (long)strlen(expected), text);
	assert_string_equal(text, expected);
}

static void test_states(void **state)
{
	(void)state;
	expect_states((struct schedule){1, 1, 3, 1}, "-wrrS-----");
	expect_states((struct schedule){0, 0, 3, 1}, "rrS---");
	expect_states((struct schedule){0, 0, 1, 1}, "S--");
	expect_states((struct schedule){2, 1, 1, 3}, "--wS--wS--wS-");
	expect_states((struct schedule){1, 1, 2, 0}, "-wrS----");
}

static void test_before_the_first(void **state)
{
	(void)state;
	struct schedule s = {0, 0, 2, 1};
	assert_int_equal(schedule_action(&s, -1), SCHEDULE_NONE);
}

static void test_steps(void **state)
{
	(void)state;
	assert_int_equal(schedule_steps(&(struct schedule){1, 1, 3, 1}), 5);
	assert_int_equal(schedule_steps(&(struct schedule){1, 2, 3, 4}), 24);
	assert_int_equal(schedule_steps(&(struct schedule){0, 0, 20, 0}), 20);
}

static void expect_refused(struct schedule s, const char *part)
{
	struct err err = {0};
	assert_int_equal(schedule_ok(&s, &err), -1);
	assert_non_null(strstr(err.text, part));
}

static void test_refused(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal(schedule_ok(&(struct schedule){0, 0, 1, 0}, &err), 0);
	expect_refused((struct schedule){0, 0, 0, 1}, "\"active\" is 0");
	expect_refused((struct schedule){-1, 0, 3, 1}, "\"wait\" is -1");
	expect_refused((struct schedule){0, 2000000, 3, 1}, "\"warmup\"");
	expect_refused((struct schedule){0, 0, 1000, 1001}, "more than");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_before_the_first),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
