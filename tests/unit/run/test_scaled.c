/* SPDX-License-Identifier: Apache-2.0 */
/* Titles say what ran. */
#include "report/run/scaled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void titles(void **state)
{
	static const char half[] = "asked size 4096, ran 2048: the asked one would take about 34 s";
	static const struct {
		const char *title, *scaled, *expected;
	} rows[] = {
		{"4096 × 4096, warm", "", "4096 × 4096, warm"},
		{"4096 × 4096, warm", half, "2048 × 2048 (asked 4096), warm"},
		{"4096 × 4096", half, "2048 × 2048 (asked 4096)"},
		{"64 and 4096", half, "64 and 2048 (asked 4096)"},
		{"4096 × 64, then 4096", half, "2048 (asked 4096) × 64, then 2048 (asked 4096)"},
		{"Gated MLP", half, "Gated MLP"},
		{"14096 x4096 4096_a 0.4096", half, "14096 x4096 4096_a 0.4096"},
		{"2048 × 2048 (asked 4096), warm", half, "2048 × 2048 (asked 4096), warm"},
		{"batch 64, then 32",
			"asked batch 64, ran 16; asked then_batch 32, ran 8: the asked one is slow",
			"batch 16 (asked 64), then 8 (asked 32)"},
		{"1024 in bf16",
			"asked bf16, ran fp32: no bf16 product; asked size 1024, ran 512: slow",
			"512 (asked 1024) in fp32 (asked bf16)"},
		{"64", "asked size 64, ran 64", "64"},
		{"4096", "asked nothing", "4096"},
		{"4096", "asked , ran ", "4096"},
		{"4096", "4096 would take over 10 s: 1024 instead", "4096"},
	};
	struct arena a = {0};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(
			scaled_title(&a, rows[i].title, rows[i].scaled), rows[i].expected);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(titles)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
