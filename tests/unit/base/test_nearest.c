/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const char *meant(const char *typed)
{
	static const char *const names[] = {"output", "svg", "png", "markdown", "json", "csv",
		"baseline", "table", "template", "title", "UTIL-LOW", NULL};
	struct nearest n = {.typed = typed};
	for (const char *const *name = names; *name; name++)
		nearest_try(&n, *name);
	return n.name;
}

static void finds_what_was_meant(void **state)
{
	(void)state;
	assert_string_equal(meant("tabel"), "table"); /* swapped */
	assert_string_equal(meant("jsno"), "json");
	assert_string_equal(meant("outputs"), "output"); /* added */
	assert_string_equal(meant("basline"), "baseline"); /* left out */
	assert_string_equal(meant("titel"), "title");
	assert_string_equal(meant("templete"), "template"); /* changed */
	assert_string_equal(meant("util-lo"), "UTIL-LOW");
	assert_string_equal(meant("mark"), "markdown"); /* begun */
	assert_string_equal(meant("svg"), "svg");
}

static void says_nothing_of_what_is_far(void **state)
{
	(void)state;
	assert_null(meant(""));
	assert_null(meant("xyz"));
	assert_null(meant("colour"));
	assert_null(meant("s"));
	assert_null(meant(
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_was_meant),
		cmocka_unit_test(says_nothing_of_what_is_far)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
