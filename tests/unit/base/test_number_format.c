/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as a reader sees them: three digits, the fitting unit, thin spaces, and no nan. */
#include "base/number_format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static void times(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {{0, "0.00 µs"}, {4, "4 ns"}, {5.1, "5.1 ns"}, {99.4, "99.4 ns"},
		{99.5, "0.10 µs"}, {840, "0.84 µs"}, {1000, "1.00 µs"}, {9994, "9.99 µs"},
		{9995, "10.0 µs"}, {12345, "12.3 µs"}, {99949, "99.9 µs"}, {99950, "100 µs"},
		{999499, "999 µs"}, {999500, "1.00 ms"}, {1e6, "1.00 ms"}, {730e6, "730 ms"},
		{999.4e6, "999 ms"}, {999.5e6, "1.00 s"}, {1.4e9, "1.40 s"}, {59.96e9, "60.0 s"},
		{1234e9, "1234 s"}, {12345e9, "12\u2009345 s"}, {-8000, "−8.00 µs"},
		{-1.5e9, "−1.50 s"}, {-3, "−3 ns"}, {0.01, "0.0 ns"}, {(double)NAN, "n/a"},
		{(double)INFINITY, "n/a"}, {-(double)INFINITY, "n/a"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(format_time(&arena, cases[i].ns), cases[i].text);
}

/* Every number as printf() has it, those that lie between two, too. */
static void as_printf_has_them(void **state)
{
	(void)state;
	for (int i = -40000; i < 40000; i++) {
		double shares[] = {i / 80000.0, i / 80321.0, i * 1.25e-5 + 1e-12, i * 1e-9};
		for (int j = 0; j < 4; j++) {
			char wanted[40];
			struct arena_mark mark = arena_mark(&arena);
			double pct = shares[j] * 100;
			snprintf(wanted, sizeof wanted, "%.1f %%", fabs(pct));
			bool minus = shares[j] < 0 && strcmp(wanted, "0.0 %");
			const char *text = format_share(&arena, shares[j]);
			if (strcmp(text + (minus ? strlen("−") : 0), wanted) ||
				minus != !strncmp(text, "−", strlen("−")))
				fail_msg("%.17g: \"%s\", not \"%s\"", pct, text, wanted);
			arena_reset(&arena, mark);
		}
	}
}

/* At every size: never more than 0.5 % from the number, and never more than four digits. */
static void three_digits_at_every_size(void **state)
{
	(void)state;
	for (double ns = 100; ns < 9e11; ns *= 1.0137) {
		const char *text = format_time(&arena, ns);
		char *unit;
		double value = strtod(text, &unit);
		size_t digits = 0;
		for (const char *p = text; p < unit; p++)
			digits += *p != '.';
		double scale = !strcmp(unit, " s") ? 1e9 : !strcmp(unit, " ms") ? 1e6 : 1e3;
		if (ns > 1000 && fabs(value * scale / ns - 1) > 0.00502)
			fail_msg("%.3f ns became %s", ns, text);
		assert_in_range(digits, 3, 3);
		assert_true(value < 1000);
	}
}

static void counts(void **state)
{
	static const struct {
		int64_t n;
		const char *text;
	} cases[] = {{0, "0"}, {7, "7"}, {999, "999"}, {1000, "1000"}, {9999, "9999"},
		{10000, "10\u2009000"}, {123456, "123\u2009456"}, {1234567, "1\u2009234\u2009567"},
		{-1234, "−1234"}, {-12345, "−12\u2009345"}, {-123456, "−123\u2009456"},
		{INT64_MAX, "9\u2009223\u2009372\u2009036\u2009854\u2009775\u2009807"},
		{INT64_MIN, "−9\u2009223\u2009372\u2009036\u2009854\u2009775\u2009808"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(format_count(&arena, cases[i].n), cases[i].text);
}

static void shares(void **state)
{
	static const struct {
		double share;
		const char *text;
	} cases[] = {{0, "0.0 %"}, {0.0004, "0.0 %"}, {0.123, "12.3 %"}, {0.9994, "99.9 %"},
		{0.9996, "100 %"}, {1, "100 %"}, {1.349, "135 %"}, {123.45, "12\u2009345 %"},
		{-0.0001, "0.0 %"}, {-0.25, "−25.0 %"}, {(double)NAN, "n/a"},
		{(double)INFINITY, "n/a"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(format_share(&arena, cases[i].share), cases[i].text);
}

static void ratios(void **state)
{
	static const struct {
		double ratio;
		const char *text;
	} cases[] = {{0, "0.00×"}, {0.5, "0.50×"}, {1.8, "1.80×"}, {9.996, "10.0×"},
		{306.2, "306×"}, {6183, "6183×"}, {12345.6, "12\u2009346×"}, {(double)NAN, "n/a"},
		{-(double)INFINITY, "n/a"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(format_ratio(&arena, cases[i].ratio), cases[i].text);
}

static void lists(void **state)
{
	(void)state;
	const char *list = listed(&arena, "", ", ", "a");
	assert_string_equal(list, "a");
	assert_string_equal(listed(&arena, list, ", ", "b"), "a, b");
	assert_string_equal(list, "a");
}

static void prefixes(void **state)
{
	static const struct {
		double value;
		const char *unit, *text;
	} cases[] = {{0, "B", "0 B"}, {5, "B", "5 B"}, {999, "B", "999 B"}, {5.5, "B", "5.50 B"},
		{999.5, "B", "1.00 kB"}, {1024, "B", "1.02 kB"}, {33.6e6, "B", "33.6 MB"},
		{137.4e9, "FLOP", "137 GFLOP"}, {1.5e12, "FLOP/s", "1.50 TFLOP/s"},
		{2e15, "B", "2.00 PB"}, {2e21, "B", "2\u2009000\u2009000 PB"},
		{-4096, "B", "−4.10 kB"}, {(double)NAN, "B", "n/a"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(
			format_si(&arena, cases[i].value, cases[i].unit), cases[i].text);
}

static int clear(void **state)
{
	(void)state;
	arena_release(&arena);
	arena = (struct arena){0};
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(times, clear),
		cmocka_unit_test_teardown(as_printf_has_them, clear),
		cmocka_unit_test_teardown(three_digits_at_every_size, clear),
		cmocka_unit_test_teardown(counts, clear),
		cmocka_unit_test_teardown(shares, clear),
		cmocka_unit_test_teardown(ratios, clear),
		cmocka_unit_test_teardown(lists, clear),
		cmocka_unit_test_teardown(prefixes, clear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
