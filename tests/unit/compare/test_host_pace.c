/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/host_pace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static struct ratio of(int64_t before, int64_t after)
{
	double ratio = (double)after / (double)before;
	return (struct ratio){.before_ns = before,
		.after_ns = after,
		.ratio = ratio,
		.low = ratio * 0.99,
		.high = ratio * 1.01,
		.change = after > before ? CHANGE_SLOWER : CHANGE_FASTER};
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void middle_is_the_same_both_ways(void **state)
{
	(void)state;
	double there[] = {2, 1.25, 1.6, 4}, back[] = {1 / 2.0, 1 / 1.25, 1 / 1.6, 1 / 4.0};
	struct pace p = pace_of_ratios(there, 4), q = pace_of_ratios(back, 4);
	assert_true(near(p.middle * q.middle, 1));
	assert_true(near(p.low, 1.6));
	assert_true(near(p.high, 2));
	assert_int_equal(pace_of_ratios(there, PACE_NAMES - 1).names, 0);
}

static void device_bounds_what_the_pace_explains(void **state)
{
	(void)state;
	struct pace fast = {.low = 0.5, .middle = 0.6, .high = 0.7, .names = 9};
	struct ratio step = of(1000, 650), busy = of(980, 640), idle = of(200, 190);
	assert_true(near(pace_of_step(&fast, &step, &busy), 0.98));
	assert_false(pace_explains(&fast, pace_of_step(&fast, &step, &busy), &step, 0.05));
	assert_true(near(pace_of_step(&fast, &step, &idle), 0.6));
	assert_true(pace_explains(&fast, pace_of_step(&fast, &step, &idle), &step, 0.05));

	struct pace slow = {.low = 1.4, .middle = 1.6, .high = 1.8, .names = 9};
	struct ratio longer = of(650, 1000), worked = of(640, 980);
	assert_true(near(pace_of_step(&slow, &longer, &worked), 1 / 0.98));
	assert_false(pace_explains(&slow, pace_of_step(&slow, &longer, &worked), &longer, 0.05));
}

static void names_that_share_nothing_explain_nothing(void **state)
{
	(void)state;
	struct pace both = {.low = 0.8, .middle = 1.1, .high = 1.5, .names = 9};
	struct ratio step = of(1000, 1100), device = of(100, 100);
	assert_true(near(pace_of_step(&both, &step, &device), 1));
	assert_false(pace_explains(&both, 1, &step, 0.05));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(middle_is_the_same_both_ways),
		cmocka_unit_test(device_bounds_what_the_pace_explains),
		cmocka_unit_test(names_that_share_nothing_explain_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
