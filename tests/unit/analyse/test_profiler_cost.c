/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What recording costs, an operator by what lies between nested ones, a step by what lies in front
 * of it: on traces small enough to work out by hand. tests/cli/advise_pairs.sh holds what follows
 * from it against wall times.
 */
#include "report/analyse/profiler_cost.h"
#include "tests/unit/breakdown_world.h"

/* n operators that only call another, which begins `begins` us after them and ends `ends` us before
 * them; every fifth has a tenth of a second of its own in front. */
static void nested(struct world *w, int n, double begins, double ends)
{
	for (int i = 0; i < n; i++) {
		double at = 1e6 * i, own = i % 5 ? 0 : 1e5;
		made_add(&w->made, EVENT_OP, "aten::linear", at, at + own + begins + 50 + ends, 0);
		made_add(&w->made, EVENT_OP, "aten::addmm", at + own + begins,
			at + own + begins + 50, 0);
	}
	world_seal(w);
}

static void by_what_lies_between(void **state)
{
	(void)state;
	static const double us[][2] = {{0.64, 0.32}, {3.2, 1.6}};
	for (int i = 0; i < 2; i++) {
		struct world w = {0};
		nested(&w, PROFILER_COST_PAIRS, us[i][0], us[i][1]);
		assert_int_equal(profiler_cost_operator_ns(&w.made.trace),
			(int64_t)(1000 * (us[i][0] + us[i][1]) + 0.5));
		world_release(&w);
	}
}

static void few_pairs_tell_nothing(void **state)
{
	TEST_WORLD(w);
	nested(&w, PROFILER_COST_PAIRS - 1, 3.2, 1.6);
	assert_int_equal(profiler_cost_operator_ns(&w.made.trace), PROFILER_COST_OPERATOR_NS);
}

/* What an operator does around a call of the runtime is its own work. */
static void calls_are_no_pairs(void **state)
{
	TEST_WORLD(w);
	for (int i = 0; i < PROFILER_COST_PAIRS; i++) {
		made_add(&w.made, EVENT_OP, "aten::mm", 100.0 * i, 100.0 * i + 50, 0);
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 100.0 * i + 30, 100.0 * i + 35,
			0);
	}
	world_seal(&w);
	assert_int_equal(profiler_cost_operator_ns(&w.made.trace), PROFILER_COST_OPERATOR_NS);
}

/* Idle from 20 to 120, in which the program is in the profiler's own step() from 60 to 90. */
static void the_profiler_between_two_steps(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 60, 0);
	world_launch(&w, "gemm", 1, 0, 5, 10, 20);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#2", 90, 130, 0);
	world_launch(&w, "gemm", 2, 100, 110, 120, 130);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_PROFILER), 30);
	assert_near(us(&p, TIME_LAUNCHING), 70 + 10);
}

static void the_recorder_itself(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "gemm", 1, 0, 5, 10, 20);
	world_launch(&w, "gemm", 2, 110, 115, 120, 130);
	made_add(&w.made, EVENT_OVERHEAD, "Activity Buffer Request", 20, 90, 0)->track =
		MADE_OTHER_THREAD;
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_PROFILER), 100);
	assert_int_equal(p.headline, HEADLINE_PROFILER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_what_lies_between),
		cmocka_unit_test(few_pairs_tell_nothing),
		cmocka_unit_test(calls_are_no_pairs),
		cmocka_unit_test(the_profiler_between_two_steps),
		cmocka_unit_test(the_recorder_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
