/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_hash(const char *bytes, size_t n, const char *expected)
{
	unsigned char hash[SHA256_BYTES];
	char text[2 * SHA256_BYTES + 1];
	sha256(hash, bytes, n);
	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
	assert_string_equal(text, expected);
}

/* The examples of NIST for FIPS 180-4; 55 to 64 bytes are where a block fills. */
static void is_that_of_the_standard(void **state)
{
	(void)state;
	char a[1000];
	memset(a, 'a', sizeof a);
	assert_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	assert_hash(a, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	assert_hash(a, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	assert_hash(a, 1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

/* RFC 4648, 10; and what a policy calls a script of "abc". */
static void base64_of_any_length(void **state)
{
	(void)state;
	const char *const groups[] = {"", "Zg==", "Zm8=", "Zm9v"};
	for (size_t n = 1; n <= 3; n++) {
		char signs[5] = "";
		base64_group(signs, "foo", n);
		assert_string_equal(signs, groups[n]);
	}
	char text[SHA256_BASE64];
	sha256_base64(text, "abc", 3);
	assert_string_equal(text, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_that_of_the_standard),
		cmocka_unit_test(base64_of_any_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
