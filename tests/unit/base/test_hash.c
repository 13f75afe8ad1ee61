/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* RFC 9923, "Test vectors" of FNV-1a. */
static void is_that_of_the_rfc(void **state)
{
	(void)state;
	assert_int_equal(hash_of_text(""), UINT64_C(0xcbf29ce484222325));
	assert_int_equal(hash_of_text("a"), UINT64_C(0xaf63dc4c8601ec8c));
	assert_int_equal(hash_of_text("foobar"), UINT64_C(0x85944171f73967e8));
	assert_int_equal(
		hash_bytes(hash_bytes(HASH_START, "foo", 3), "bar", 3), hash_of_text("foobar"));
	char text[HASH_TEXT];
	hash_text(text, hash_of_text("foobar"));
	assert_string_equal(text, "85944171f73967e8");
}

/* No two of many short texts alike, in their first bits nor in their last ones. */
static void spreads(void **state)
{
	(void)state;
	enum { TEXTS = 4096, SLOTS = 1 << 16 };
	static unsigned char low[SLOTS], high[SLOTS];
	int most = 0;
	for (int i = 0; i < TEXTS; i++) {
		char text[16];
		int n = snprintf(text, sizeof text, "op %d", i);
		uint64_t h = hash_quick(text, (size_t)n);
		int a = ++low[h % SLOTS], b = ++high[h >> 48];
		most = a > most ? a : most;
		most = b > most ? b : most;
	}
	assert_in_range(most, 1, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_that_of_the_rfc), cmocka_unit_test(spreads)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
