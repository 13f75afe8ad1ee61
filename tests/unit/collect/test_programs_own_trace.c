/* SPDX-License-Identifier: Apache-2.0 */
/* A trace is taken over as it is, but for names that are no JSON. */
#include "collect/programs_own_trace.h"
#include "tests/unit/drawing.h"

#include <stdlib.h>

static char *taken(const char *text)
{
	struct adopted a;
	struct err err = {0};
	char *from = strdup(scratch("from.json")), *to = strdup(scratch("to.json"));
	FILE *f = fopen(from, "w");
	fputs(text, f);
	fclose(f);
	assert_int_equal(adopt_trace(&a, from, NULL, to, -1, -1, &err), 0);
	f = fopen(to, "r");
	char *got = calloc(1, strlen(text) + 100);
	assert_true(fread(got, 1, strlen(text) + 99, f) == strlen(text));
	fclose(f);
	free(from);
	free(to);
	return got;
}

static void check(const char *name, const char *mended)
{
	static const char form[] =
		"{\n  \"traceEvents\": [\n  {\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"%s\", "
		"\"pid\": 7, \"tid\": 7,\n    \"args\": {\"name\": \"a\"}\n  }]}\n";
	char text[1000], wanted[1000];
	snprintf(text, sizeof text, form, name);
	snprintf(wanted, sizeof wanted, form, mended);
	char *got = taken(text);
	assert_string_equal(got, wanted);
	free(got);
}

static void names_become_json(void **state)
{
	(void)state;
	check("statistics.py(0): \"\"\"isort\"\"\"", "statistics.py(0): '''isort'''");
	check("elliptic.py(0): @Tg\"", "elliptic.py(0): @Tg'");
	check("torch\\cuda\\utils.py(1): \x01\xff\xc3(", "torch/cuda/utils.py(1): ?\?\?(");
	check("a\", \"pid\": 3 of it", "a', 'pid': 3 of it");
}

static void what_is_json_stays(void **state)
{
	(void)state;
	static const char *const names[] = {
		"", "a \\\"b\\\" \\\\ \\u00e9 \xc3\xa9 \xf0\x9f\x98\x80", "aten::mm"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		check(names[i], names[i]);
	static const char *const files[] = {"{", "[]", "{\"traceEvents\": [{\"a\": 1, \"name\": \"",
		"x\n, \"name\": \"a\"b\"\n"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char *got = taken(files[i]);
		assert_string_equal(got, files[i]);
		free(got);
	}
}

static int remove_all(void **state)
{
	(void)state;
	scratch_remove();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_json),
		cmocka_unit_test(what_is_json_stays),
	};
	return cmocka_run_group_tests(tests, NULL, remove_all);
}
