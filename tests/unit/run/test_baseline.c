/* SPDX-License-Identifier: Apache-2.0 */
/* A run against an earlier one: what is compared are the steady steps. */
#include "report/run/baseline.h"

#include "tests/unit/made_run.h"
#include "tests/unit/made_run_names.h"

static struct made_run before, after;
static struct arena own;

static int tear_down(void **state)
{
	(void)state;
	made_run_release(&before);
	made_run_release(&after);
	arena_release(&own);
	before = after = (struct made_run){0};
	own = (struct arena){0};
	return 0;
}

/* Steps whose products take so long, ended by a 0. */
static void one_case(struct made_run *run, const double *gemm_us)
{
	struct made_trace *t = made_case(run, "{\"id\": \"a/b\", \"shape\": {\"size\": 64}}");
	for (int i = 0; gemm_us[i] > 0; i++)
		made_step(
			t, i, 1000 * i, 5, (struct made_work[]){{GEMM_NN, gemm_us[i]}, {NULL, 0}});
	made_run_seal(run, "{}");
}

static struct baseline compare(const double *base_us, const double *now_us)
{
	one_case(&before, base_us);
	one_case(&after, now_us);
	struct baseline b = baseline_of(&own, &before.in, &after.in);
	assert_int_equal(b.n, 1);
	return b;
}

static void slower_in_three_recorded_steps(void **state)
{
	(void)state;
	struct baseline b = compare((double[]){500, 100, 102, 0}, (double[]){90, 120, 122, 0});
	assert_int_equal(b.row[0].device.change, CHANGE_SLOWER);
	assert_true(b.row[0].device.base_ns == 101e3 && b.row[0].device.now_ns == 121e3);
	assert_int_equal(b.row[0].cpu.change, CHANGE_NONE);
	assert_int_equal(b.slower, 1);
}

static void a_first_step_changes_nothing(void **state)
{
	(void)state;
	struct baseline b = compare((double[]){500, 100, 102, 0}, (double[]){100, 100, 102, 0});
	assert_int_equal(b.row[0].device.change, CHANGE_NONE);
	assert_int_equal(b.slower + b.faster, 0);
}

static void two_recorded_steps_are_too_few(void **state)
{
	(void)state;
	struct baseline b = compare((double[]){100, 100, 0}, (double[]){200, 200, 0});
	assert_int_equal(b.row[0].device.change, CHANGE_INCONCLUSIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(slower_in_three_recorded_steps, tear_down),
		cmocka_unit_test_teardown(a_first_step_changes_nothing, tear_down),
		cmocka_unit_test_teardown(two_recorded_steps_are_too_few, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
