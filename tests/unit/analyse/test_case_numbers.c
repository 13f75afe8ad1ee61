/* SPDX-License-Identifier: Apache-2.0 */
/* The typical time of a step, and the step that stands for all. */
#include "report/analyse/case_numbers.h"

#include "tests/unit/made_run.h"
#include "tests/unit/made_run_names.h"

#include <math.h>

static struct made_trace made;
static struct arena own;
static struct analysis analysis;

static int tear_down(void **state)
{
	(void)state;
	made_release(&made);
	arena_release(&own);
	own = (struct arena){0};
	made = (struct made_trace){0};
	return 0;
}

static struct case_numbers numbers(void)
{
	made_seal(&made);
	analysis = analysis_of(&own, &made.trace);
	return numbers_of(&analysis);
}

/* Steps whose products take so long (ended by a 0); the CPU takes 5 µs for each. */
static double steps(const double *gemm_us)
{
	double end = 0, at = 0;
	for (int i = 0; gemm_us[i] > 0; i++, at += 10) {
		double late = end > at + 3 ? end - at : 3;
		end = made_step(
			&made, i, at, late, (struct made_work[]){{GEMM_NN, gemm_us[i]}, {NULL, 0}});
	}
	return end;
}

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void the_first_step_does_not_count(void **state)
{
	(void)state;
	steps((double[]){500, 100, 120, 300, 0});
	struct case_numbers n = numbers();
	assert_int_equal(n.n_steps, 4);
	assert_int_equal(steady_from(&analysis), 1);
	assert_near(n.device_ns, 120e3);
	assert_near(n.cpu_ns, 5e3);
	assert_near(n.first_ratio, 1);
}

static void the_only_step_counts(void **state)
{
	(void)state;
	steps((double[]){500, 0});
	struct case_numbers n = numbers();
	assert_int_equal(steady_from(&analysis), 0);
	assert_near(n.device_ns, 500e3);
	assert_int_equal(n.typical, 0);
	assert_true(n.first_ratio == 0);
	assert_true(n.spread == 0);
}

static void no_steps(void **state)
{
	(void)state;
	made_add(&made, EVENT_OP, "aten::mm", 0, 5, 0);
	struct case_numbers n = numbers();
	assert_int_equal(n.n_steps, 0);
	assert_true(n.cpu_ns == 0 && n.device_ns == 0);
	assert_int_equal(last_wait_of(&analysis).row, NO_ROW);
	assert_true(isnan(median_gap_ns(&analysis)));
}

/* Who limits decides which step is near to the median. */
static void the_device_decides_where_it_limits(void **state)
{
	(void)state;
	double end = steps((double[]){500, 100, 120, 300, 0});
	made_add(&made, EVENT_RUNTIME, "cudaDeviceSynchronize", 40, end, 0);
	struct case_numbers n = numbers();
	assert_int_equal(analysis.regime.regime, REGIME_COMPUTE_BOUND);
	assert_int_equal(n.typical, 2);
	assert_near(deciding_ns(&analysis, &n), 120e3);
	assert_near(n.spread, (300.0 - 100) / 120);
	struct last_wait wait = last_wait_of(&analysis);
	assert_int_equal(made.trace.dur_ns[wait.row], (int64_t)((end - 40) * 1000));
	assert_near(wait.busy_share, 1);
}

static void the_cpu_decides_elsewhere(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		/* steps of 5, 5, 8 and 11 µs; the device needs most for the second */
		struct made_work work[] = {
			{GEMM_NN, i == 1 ? 2 : 1}, {ADD, 1}, {ADD, 1}, {NULL, 0}};
		work[i ? i : 1].name = NULL;
		made_step(&made, i, 100 * i, 20, work);
	}
	struct case_numbers n = numbers();
	assert_int_not_equal(analysis.regime.regime, REGIME_COMPUTE_BOUND);
	assert_near(n.cpu_ns, 8e3);
	assert_int_equal(n.typical, 2);
	assert_near(deciding_ns(&analysis, &n), 8e3);
}

static void operators_and_rows_of_compiled_code_are_apart(void **state)
{
	(void)state;
	steps((double[]){1, 1, 0});
	made_add(&made, EVENT_OP, "aten::mm", 1, 2, 0);
	made_add(&made, EVENT_OP, "aten::mm", 11, 13, 0);
	made_add(&made, EVENT_OP, "Torch-Compiled Region: 0/0", 13.5, 14.5, 0);
	made_add(&made, EVENT_OP, "aten::add", 17, 18, 0); /* after the step */
	struct case_numbers n = numbers();
	assert_int_equal(n.typical, 1);
	assert_int_equal(n.ops, 1);
	assert_int_equal(n.compile_rows, 1);
}

static void gaps_of_steady_steps(void **state)
{
	(void)state;
	struct made_work one[] = {{GEMM_NN, 4}, {NULL, 0}};
	made_step(&made, 0, 0, 5, (struct made_work[]){{GEMM_NN, 4}, {ADD, 1}, {NULL, 0}});
	made_step(&made, 1, 100, 5, one);
	struct case_numbers n = numbers();
	assert_int_equal(n.typical, 1);
	assert_true(step_gap_ns(&analysis, &analysis.steps[0]) == 0);
	assert_true(isnan(step_gap_ns(&analysis, &analysis.steps[1])));
	assert_true(isnan(median_gap_ns(&analysis)));
	const struct activity *act = activity_of_row(&analysis, analysis.steps[0].device[1]);
	assert_non_null(act);
	assert_int_equal(act->class, CLASS_ADD);
	assert_null(activity_of_row(&analysis, analysis.steps[0].row));
}

static void runs_of_steady_steps(void **state)
{
	(void)state;
	struct made_work product[] = {{GEMM_NN, 4}, {NULL, 0}},
			 longer[] = {{GEMM_NN, 9}, {NULL, 0}};
	made_step(&made, 0, 0, 60, longer);
	made_step(&made, 1, 100, 10, product);
	numbers();
	const struct activity *act = &analysis.activities[0];
	assert_int_equal(act->calls, 2);
	assert_near(steady_median_ns(&analysis, act), 4e3);
	const struct trace *t = &made.trace;
	uint32_t call = analysis_launch_of(t, act->row[1]);
	struct stats delay = steady_delays_of(&analysis, act);
	assert_int_equal(delay.n, 1);
	assert_near(delay.median,
		(double)(t->start_ns[act->row[1]] - t->start_ns[call] - t->dur_ns[call]));
}

/* They count with their product, and are told, so that all device events can be counted. */
static void what_stands_beside_products(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		made_step(&made, i, 100 * i, 5,
			(struct made_work[]){{GEMM_NN, 4}, {SPLITK, 1}, {ADD, 1}, {NULL, 0}});
	struct case_numbers n = numbers();
	assert_near(n.kernels, 2);
	assert_near(n.beside_products, 1);
	assert_near(n.kernels + n.copies + n.beside_products, analysis.steps[1].n_device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_first_step_does_not_count, tear_down),
		cmocka_unit_test_teardown(the_only_step_counts, tear_down),
		cmocka_unit_test_teardown(no_steps, tear_down),
		cmocka_unit_test_teardown(the_device_decides_where_it_limits, tear_down),
		cmocka_unit_test_teardown(the_cpu_decides_elsewhere, tear_down),
		cmocka_unit_test_teardown(operators_and_rows_of_compiled_code_are_apart, tear_down),
		cmocka_unit_test_teardown(what_stands_beside_products, tear_down),
		cmocka_unit_test_teardown(runs_of_steady_steps, tear_down),
		cmocka_unit_test_teardown(gaps_of_steady_steps, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
