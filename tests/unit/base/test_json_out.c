/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: exact text, and that it can be read back. */
#include "base/json_out.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct sheet {
	struct json_out json;
	char *text;
	size_t n;
	FILE *f;
};

static void sheet_open(struct sheet *s)
{
	s->f = open_memstream(&s->text, &s->n);
	json_init(&s->json, s->f);
}

static void assert_sheet(struct sheet *s, const char *wanted)
{
	json_finish(&s->json);
	fclose(s->f);
	assert_string_equal(s->text, wanted);
	cJSON *read = cJSON_Parse(s->text);
	assert_non_null(read);
	cJSON_Delete(read);
	free(s->text);
}

static void lines_and_inline(void **state)
{
	(void)state;
	struct sheet s;
	sheet_open(&s);
	struct json_out *j = &s.json;
	json_object(j, NULL, JSON_LINES);
	json_text(j, "name", "aten::mm");
	json_int(j, "n", -9007199254740993);
	json_array(j, "rows", JSON_LINES);
	json_object(j, NULL, JSON_INLINE);
	json_bool(j, "on", true);
	json_null(j, "none");
	json_array(j, "dims", JSON_LINES);
	json_int(j, NULL, 64);
	json_int(j, NULL, 32);
	json_end(j);
	json_end(j);
	json_bool(j, NULL, false);
	json_end(j);
	json_object(j, "empty", JSON_LINES);
	json_end(j);
	json_end(j);
	assert_sheet(&s,
		"{\n"
		"  \"name\": \"aten::mm\",\n"
		"  \"n\": -9007199254740993,\n"
		"  \"rows\": [\n"
		"    {\"on\": true, \"none\": null, \"dims\": [64, 32]},\n"
		"    false\n"
		"  ],\n"
		"  \"empty\": {}\n"
		"}\n");
}

static void a_value_alone(void **state)
{
	(void)state;
	struct sheet s;
	sheet_open(&s);
	json_text(&s.json, NULL, "");
	assert_sheet(&s, "\"\"\n");
}

static void numbers(void **state)
{
	(void)state;
	struct sheet s;
	sheet_open(&s);
	struct json_out *j = &s.json;
	json_array(j, NULL, JSON_INLINE);
	json_number(j, NULL, 2.345678, 2);
	json_number(j, NULL, -0.5, 0);
	json_number(j, NULL, (double)NAN, 3);
	json_number(j, NULL, (double)INFINITY, 3);
	json_int(j, NULL, INT64_MIN);
	json_end(j);
	assert_sheet(&s, "[2.35, -0, null, null, -9223372036854775808]\n");
}

static void nanoseconds_exactly(void **state)
{
	(void)state;
	struct sheet s;
	sheet_open(&s);
	struct json_out *j = &s.json;
	json_array(j, NULL, JSON_INLINE);
	json_us(j, NULL, 0);
	json_us(j, NULL, 1234567);
	json_us(j, NULL, 5);
	json_us(j, NULL, -1);
	json_us(j, NULL, -1234567);
	json_us(j, NULL, 1795000000123456789);
	json_us(j, NULL, INT64_MIN);
	json_end(j);
	assert_sheet(&s,
		"[0.000, 1234.567, 0.005, -0.001, -1234.567, 1795000000123456.789, "
		"-9223372036854775.808]\n");
}

static void escapes(void **state)
{
	(void)state;
	struct sheet s;
	sheet_open(&s);
	json_text(&s.json, NULL, "\"C:\\new\"\n\t\x01\x7f \xc2\xb5s \xf0\x9f\x99\x82 </script>");
	assert_sheet(&s,
		"\"\\\"C:\\\\new\\\"\\n\\t\\u0001\\u007f \xc2\xb5s \xf0\x9f\x99\x82 </script>\"\n");
}

static void bytes_that_are_no_utf8(void **state)
{
	(void)state;
	struct sheet s;
	sheet_open(&s);
	/* a lone continuation byte, an overlong slash, a surrogate, a cut-off sequence */
	json_text(&s.json, NULL,
		"a\x80"
		"b\xc0\xaf"
		"c\xed\xa0\x80"
		"d\xe2\x82");
#define BAD "\xef\xbf\xbd"
	assert_sheet(&s, "\"a" BAD "b" BAD BAD "c" BAD BAD BAD "d" BAD BAD "\"\n");
#undef BAD
}

/* ---- calls that do not fit are bugs of the caller: they abort ---- */

static void key_in_an_array(struct json_out *j)
{
	json_array(j, NULL, JSON_LINES);
	json_int(j, "key", 1);
}

static void no_key_in_an_object(struct json_out *j)
{
	json_object(j, NULL, JSON_LINES);
	json_int(j, NULL, 1);
}

static void left_open(struct json_out *j)
{
	json_object(j, NULL, JSON_LINES);
	json_finish(j);
}

static void closed_twice(struct json_out *j)
{
	json_array(j, NULL, JSON_LINES);
	json_end(j);
	json_end(j);
}

static void too_deep(struct json_out *j)
{
	for (int i = 0; i <= JSON_DEPTH; i++)
		json_array(j, NULL, JSON_INLINE);
}

static void assert_aborts(void (*wrong)(struct json_out *j))
{
	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		struct sheet s;
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		sheet_open(&s);
		wrong(&s.json);
		_exit(0);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void misuse_is_a_bug(void **state)
{
	(void)state;
	assert_aborts(key_in_an_array);
	assert_aborts(no_key_in_an_object);
	assert_aborts(left_open);
	assert_aborts(closed_twice);
	assert_aborts(too_deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_inline),
		cmocka_unit_test(a_value_alone),
		cmocka_unit_test(numbers),
		cmocka_unit_test(nanoseconds_exactly),
		cmocka_unit_test(escapes),
		cmocka_unit_test(bytes_that_are_no_utf8),
		cmocka_unit_test(misuse_is_a_bug),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
