/* SPDX-License-Identifier: Apache-2.0 */
/* An operator that works on several streams has them wait for each other. */
#include "report/analyse/profiler_cost.h"
#include "report/replay/changes.h"
#include "tests/unit/trust_world.h"

/* Two kernels of 100 us, one on each stream, the second launched at 300 us: how long both take by a
 * host that launches it at 20. */
static int64_t both_take(enum event_kind around, bool told, const char *second)
{
	struct world w = {0};
	made_add(&w.made, around, "aten::_cudnn_rnn", 0, 500, 0);
	world_launch(&w, "gemm", 1, 1, 5, 10, 110);
	if (told)
		made_add(&w.made, EVENT_RUNTIME, "cudaStreamWaitEvent", 290, 291, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 300, 305, 2);
	made_add(&w.made, EVENT_KERNEL, second, 310, 410, 2)->track = MADE_STREAM2;
	const struct analysis *a = world_seal(&w);
	struct idle_causes l = idle_causes_of(&w.arena, a);
	struct breakdown p = breakdown_of(&w.arena, a, &l);
	const struct replay *r = replay_of(&w.arena, a, &p, PROFILER_COST_OPERATOR_NS);
	assert_non_null(r);
	struct replay_plan plan = {.arena = &w.arena};
	plan_spare(&plan, 6000, 286000);
	int64_t us = plan_ns(&plan, r) / 1000;
	world_release(&w);
	return us;
}

static void a_wait_that_nobody_felt(void **state)
{
	(void)state;
	int64_t beside = both_take(EVENT_OP, false, "gemm");
	assert_in_range(beside, 110, 140);
	assert_in_range(both_take(EVENT_OP, true, "gemm"), 200, 210);
}

/* A program's own streams may wait for less than what ended last, and so may collectives. */
static void waits_that_are_not_an_operators(void **state)
{
	(void)state;
	int64_t beside = both_take(EVENT_OP, false, "gemm");
	assert_int_equal(both_take(EVENT_ANNOTATION, true, "gemm"), beside);
	assert_int_equal(both_take(EVENT_OP, true, "ncclDevKernel_AllReduce_Sum_f32"), beside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_that_nobody_felt),
		cmocka_unit_test(waits_that_are_not_an_operators),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
