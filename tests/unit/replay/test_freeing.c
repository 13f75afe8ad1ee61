/* SPDX-License-Identifier: Apache-2.0 */
/* A call that frees memory waits for the device. */
#include "report/analyse/profiler_cost.h"
#include "report/replay/changes.h"
#include "tests/unit/trust_world.h"

/* The second kernel is launched behind the freeing, which ends 5 us behind the first. */
static void a_shorter_kernel_is_freed_earlier(void **state)
{
	(void)state;
	struct world w = {0};
	world_launch(&w, "gemm", 1, 0, 5, 10, 110);
	made_add(&w.made, EVENT_RUNTIME, "cudaFree", 10, 115, 0);
	world_launch(&w, "gemm", 2, 120, 125, 130, 140);
	const struct analysis *a = world_seal(&w);
	struct idle_causes l = idle_causes_of(&w.arena, a);
	struct breakdown p = breakdown_of(&w.arena, a, &l);
	const struct replay *r = replay_of(&w.arena, a, &p, PROFILER_COST_OPERATOR_NS);
	assert_non_null(r);
	struct replay_plan plan = {.arena = &w.arena};
	int64_t whole = plan_ns(&plan, r);
	assert_int_equal(whole, replay_recorded_ns(r));
	plan_takes(&plan, a->device_rows[0], 0.5);
	assert_int_equal(whole - plan_ns(&plan, r), 50000);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shorter_kernel_is_freed_earlier),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
