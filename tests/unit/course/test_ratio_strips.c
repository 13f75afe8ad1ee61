/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios beside a line at 1×: where they lie, and what is grey. */
#include "report/course/ratio_strips.h"

#include "tests/unit/made_run.h"

#include <math.h>

static struct ratio_strips strips(void)
{
	struct ratio_strips s = {.texts = texts,
		.fonts = fonts,
		.machine = {"this machine", "H200"},
		.n = 2,
		.row = {{.what = "compiled ÷ eager",
				.posts = "1.4× to 2×",
				.at = {{.ratio = 1.09, .certainty = {.low = 0.45, .high = 2.64}},
					{.ratio = 0.88, .certainty = {.low = 0.87, .high = 0.89}}}},
			{.what = "one kernel ÷ three",
				.posts = "",
				.at = {{.ratio = 8}, {.ratio = 0}}}}};
	ratio_strips_plan(&s);
	return s;
}

static void half_is_as_far_as_twice(void **state)
{
	(void)state;
	struct ratio_strips s = strips();
	double one = ratio_strips_place(&s, 1), half = ratio_strips_place(&s, 0.5),
	       twice = ratio_strips_place(&s, 2);
	assert_true(half < one && one < twice);
	assert_true(fabs((one - half) - (twice - one)) < 1e-9);
	assert_true(ratio_strips_place(&s, 8) < 1 && ratio_strips_place(&s, 0.45) > 0);
	assert_true(ratio_strips_place(&s, 1e9) <= 1 && ratio_strips_place(&s, 0) >= 0);
}

static void what_crosses_the_line_is_grey(void **state)
{
	(void)state;
	struct ratio_strips s = strips();
	const char *drawn = draw_figure(ratio_strips_figure.draw, &s, document_width, s.height);
	assert_says(drawn, "\"about 1.09×\"");
	assert_says(drawn, "\"0.88×\"");
	assert_says(drawn, "\"8.00×\"");
	assert_says(drawn, "\"1.4× to 2×\"");
	assert_says(drawn, "\"H200\"");
	assert_says(drawn, "line #8B949EFF 1.20 "); /* the interval that holds 1 */
	assert_says(drawn, "line #005A8EFF 1.20 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(half_is_as_far_as_twice, clear_arena),
		cmocka_unit_test_teardown(what_crosses_the_line_is_grey, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
