/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are drawn beside each other say what the medians say. */
#include "report/analyse/steps_in_order.h"

#include "report/analyse/case_numbers.h"
#include "tests/unit/made_run.h"
#include "tests/unit/made_run_names.h"

enum { CASES = 3 };

static struct made_trace made[CASES];
static struct arena own;
static struct analysis analysis[CASES];
static const struct analysis *of[CASES] = {analysis, analysis + 1, analysis + 2};
static int n;

static int tear_down(void **state)
{
	(void)state;
	while (n)
		made_release(&made[--n]);
	arena_release(&own);
	own = (struct arena){0};
	memset(made, 0, sizeof made);
	return 0;
}

/* A case whose steps keep the device busy for so long, in µs, ended by a 0; the first one is not
 * steady. */
static void add_case(const double *gemm_us)
{
	for (int i = 0; gemm_us[i] > 0; i++)
		made_step(&made[n], i, 1000 * i, 5,
			(struct made_work[]){{GEMM_NN, gemm_us[i]}, {NULL, 0}});
	made_seal(&made[n]);
	analysis[n] = analysis_of(&own, &made[n].trace);
	n++;
}

static void each_is_near_its_median_where_that_is_in_order(void **state)
{
	(void)state;
	uint32_t step[CASES];
	add_case((double[]){900, 30, 20, 10, 0});
	add_case((double[]){900, 12, 11, 40, 0});
	assert_true(steps_in_order(of, n, true, step));
	assert_int_equal(step[0], 2);
	assert_int_equal(step[1], 1);
}

/* Of two steady steps neither is near their median: the one on the side that the other case asks
 * for. */
static void two_far_steps_are_drawn_on_the_right_side(void **state)
{
	(void)state;
	uint32_t step[CASES];
	add_case((double[]){900, 80, 96, 0}); /* 88 */
	add_case((double[]){900, 47, 236, 0}); /* 141.5 */
	add_case((double[]){900, 33, 66, 0}); /* 49.5 */
	assert_true(steps_in_order(of, n, true, step));
	assert_int_equal(step[0], 1);
	assert_int_equal(step[1], 2);
	assert_int_equal(step[2], 1);
}

static void no_steps_in_order_are_told(void **state)
{
	(void)state;
	uint32_t step[CASES];
	add_case((double[]){900, 10, 40, 0}); /* 25 */
	add_case((double[]){900, 41, 11, 0}); /* 26, in order with either */
	assert_true(steps_in_order(of, n, true, step));
	add_case((double[]){900, 9, 46, 0}); /* 27.5: behind 41 its 46 */
	assert_true(steps_in_order(of, n, true, step));
	assert_int_equal(step[2], 2);
	tear_down(NULL);
	add_case((double[]){900, 300, 300, 0});
	add_case((double[]){900, 299, 299, 900, 0}); /* 299 */
	add_case((double[]){900, 298, 700, 299.5, 0}); /* 299.5 */
	assert_true(steps_in_order(of, n, true, step));
	tear_down(NULL);
	add_case((double[]){900, 100, 100, 0});
	add_case((double[]){900, 90, 90, 0});
	add_case((double[]){900, 40, 150, 0}); /* 95: neither lies between */
	assert_false(steps_in_order(of, n, true, step));
	assert_int_equal(step[0], 1);
	assert_int_equal(step[2], 1);
}

/* All keep the device busy for 3 µs, in one launch, two or three: a lane of it is as long as the
 * step takes the CPU. */
static void where_launching_limits_the_cpu_is_near_its_median_too(void **state)
{
	(void)state;
	uint32_t step[CASES];
	static const struct made_work one[] = {{GEMM_NN, 3}, {NULL, 0}},
				      two[] = {{GEMM_NN, 1.5}, {GEMM_NN, 1.5}, {NULL, 0}},
				      three[] = {
					      {GEMM_NN, 1}, {GEMM_NN, 1}, {GEMM_NN, 1}, {NULL, 0}};
	const struct made_work *const work[] = {three, one, three, two};
	for (int i = 0; i < 4; i++)
		made_step(&made[n], i, 20 * i, 5, work[i]);
	made_seal(&made[n]);
	analysis[n] = analysis_of(&own, &made[n].trace);
	assert_int_equal(analysis[n].regime.regime, REGIME_OVERHEAD_BOUND);
	n++;
	assert_true(steps_in_order(of, n, true, step));
	assert_int_equal(step[0], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			where_launching_limits_the_cpu_is_near_its_median_too, tear_down),
		cmocka_unit_test_teardown(
			each_is_near_its_median_where_that_is_in_order, tear_down),
		cmocka_unit_test_teardown(two_far_steps_are_drawn_on_the_right_side, tear_down),
		cmocka_unit_test_teardown(no_steps_in_order_are_told, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
