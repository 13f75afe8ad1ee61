/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/strict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *from, const char *to)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	strict_put(f, from, strlen(from));
	fclose(f);
	assert_string_equal(text, to);
	free(text);
}

static void strict_json_stays_as_it_is(void **state)
{
	(void)state;
	static const char *const same[] = {"{}", "[ ]", "{\"a\": [1, -2.5e+7,\n\t0.0, true ,null]}",
		"\"\\u00e9 \\\\ \\\" \\/ \xc3\xa9 \xf0\x9f\x98\x80\"", "[[], {}, \"\", -0, 1E9]",
		"{\"a\\\\\": \"\\\\\", \"b\": {\"c\": []}}", "\"\\ud83d\\uDE00\""};
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		check(same[i], same[i]);
}

static void what_is_no_json_becomes_it(void **state)
{
	(void)state;
	check("[NaN, -Infinity, 01, 1., .5, +1, 0x1f, 1e, nul]",
		"[\"NaN\", \"-Infinity\", \"01\", \"1.\", \".5\", \"+1\", \"0x1f\", \"1e\", \"nul\"]");
	check("{\"a\": 1,,\"b\": [2,],}", "{\"a\": 1,\"b\": [2]}");
	check("[,1 2 \"c\"{}[]]", "[1 ,2 ,\"c\",{},[]]");
	check("{\"a\": 1 \"b\": 2}", "{\"a\": 1 ,\"b\": 2}");
	check("\"a\tb\\c\\u12g4\x01\"", "\"a\\u0009b\\\\c\\\\u12g4\\u0001\"");
	check("\"\xff\xc3(\xed\xa0\x80\"",
		"\"\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	check("\"\\udaDe \\ud83d\\u0041 \\ude00\\ud83d\"",
		"\"\\ufffd \\ufffd\\u0041 \\ufffd\\ufffd\"");
	check("\"cut off", "\"cut off\"");
	check("", "null");
	check("[{\"id\": 0, \"name\": \"H2", "[{\"id\": 0, \"name\": \"H2\"}]");
	check("{\"a\": {\x13\"b\": 1}}", "{\"a\": {\"b\": 1}}");
	check("{\"a\" \"b\": 1, c, 7: , {}: 2}",
		"{\"a\" :null,\"b\": 1, \"c\":null, \"7\": null, \"\":{} ,\"2\":null}");
	check("{\"a\":x{}}", "{\"a\":\"x\",\"\":{}}");
	check("{\"a\": [1, [2}]} 3", "{\"a\": [1, [2]]}");
	check("{\"a\": 1,]\"b\": 2,]}", "{\"a\": 1,\"b\": 2}");
	check("}] [1 : , : ] , 2", " [1    ] ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict_json_stays_as_it_is),
		cmocka_unit_test(what_is_no_json_becomes_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
