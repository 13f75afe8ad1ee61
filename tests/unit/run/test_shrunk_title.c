/* SPDX-License-Identifier: Apache-2.0 */
/* Titles say what ran. */
#include "report/run/shrunk_title.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void titles(void **state)
{
	static const char half[] = "{\"shape\": {\"size\": 2048}, \"asked\": {\"size\": 4096}}";
	static const struct {
		const char *title, *entry, *expected;
	} rows[] = {
		{"4096 × 4096, warm", "{}", "4096 × 4096, warm"},
		{"4096 × 4096, warm", half, "2048 × 2048 (asked 4096), warm"},
		{"4096 × 4096", half, "2048 × 2048 (asked 4096)"},
		{"64 and 4096", half, "64 and 2048 (asked 4096)"},
		{"4096 × 64, then 4096", half, "2048 (asked 4096) × 64, then 2048 (asked 4096)"},
		{"Gated MLP", half, "Gated MLP"},
		{"14096 x4096 4096_a 0.4096", half, "14096 x4096 4096_a 0.4096"},
		{"2048 × 2048 (asked 4096), warm", half, "2048 × 2048 (asked 4096), warm"},
		{"batch 64, then 32",
			"{\"shape\": {\"batch\": 16, \"then_batch\": 8}, "
			"\"asked\": {\"batch\": 64, \"then_batch\": 32}}",
			"batch 16 (asked 64), then 8 (asked 32)"},
		{"1024 in bf16",
			"{\"dtype\": \"fp32\", \"shape\": {\"size\": 512}, "
			"\"asked\": {\"size\": 1024, \"dtype\": \"bf16\"}}",
			"512 (asked 1024) in fp32 (asked bf16)"},
		{"64", "{\"shape\": {\"size\": 64}, \"asked\": {\"size\": 64}}", "64"},
		{"4096", "{\"shape\": {\"size\": 2048}, \"asked\": {}}", "4096"},
		{"4096", "{\"shape\": {}, \"asked\": {\"size\": 4096}}", "4096"},
		/* prose is for people: nothing is read out of it */
		{"4096", "{\"scaled\": \"asked size 4096, ran 2048: slow\"}", "4096"},
	};
	struct arena a = {0};
	(void)state;
	assert_string_equal(scaled_title(&a, "4096", &no_work), "4096");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cJSON *entry = cJSON_Parse(rows[i].entry);
		assert_non_null(entry);
		assert_string_equal(
			scaled_title(&a, rows[i].title, case_work_of(&a, entry)), rows[i].expected);
		cJSON_Delete(entry);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(titles)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
