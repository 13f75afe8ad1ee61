/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is spared while the host is nearly as long: how fast that is is an estimate. */
#include "report/analyse/profiler_cost.h"
#include "report/replay/changes.h"
#include "tests/unit/trust_world.h"

struct played {
	double first_us, second_us; /* its kernels, one behind the other */
	double calls_again_us; /* of a host that launches the second behind 20 us of the first */
	const char *measured;
};

/* What half of both kernels saves of a step of 100 us. */
static int64_t half_saves(const struct played *step)
{
	struct world w = {0};
	struct trace_meta meta = {.key = REPLAY_MEASURED, .value = step->measured};
	for (int i = 0; i < 3; i++) {
		double at = 100 * i, again = at + step->calls_again_us;
		double end = at + 20 + step->first_us;
		double start = end > again + 10 ? end : again + 10;
		uint32_t id = 2 * (uint32_t)i;
		made_add(&w.made, EVENT_ANNOTATION, arena_printf(&w.arena, "ProfilerStep#%d", i),
			at, at + 100, 0);
		world_launch(&w, "gemm", id + 1, at + 10, at + 15, at + 20, end);
		world_launch(&w, "gemm", id + 2, again, again + 5, start, start + step->second_us);
	}
	w.made.trace.meta = &meta;
	w.made.trace.n_meta = step->measured != NULL;
	const struct analysis *a = world_seal(&w);
	struct idle_causes l = idle_causes_of(&w.arena, a);
	struct breakdown p = breakdown_of(&w.arena, a, &l);
	const struct replay *r = replay_of(&w.arena, a, &p, PROFILER_COST_OPERATOR_NS);
	assert_non_null(r);
	assert_int_equal(p.n_steps, 3);
	struct replay_plan plan = {.arena = &w.arena};
	for (size_t i = 0; i < a->n_device; i++)
		plan_takes(&plan, a->device_rows[i], 0.5);
	int64_t gain = plan_gain(&plan, r);
	w.made.trace.meta = NULL;
	w.made.trace.n_meta = 0;
	world_release(&w);
	return gain / 1000;
}

/* 90 of 100 us are the device's: by the estimate half of them hide behind the host. */
static void what_a_slow_host_would_hide(void **state)
{
	(void)state;
	assert_in_range(half_saves(&(struct played){45, 45, 50, NULL}), 10, 30);
}

/* Nothing where the host takes much longer, and where it is known how long it takes. */
static void what_a_host_hides(void **state)
{
	(void)state;
	assert_in_range(half_saves(&(struct played){10, 10, 50, NULL}), 0, 1);
	assert_in_range(half_saves(&(struct played){30, 30, 50, "99000"}), 0, 9);
}

/* That is not known where the step was measured to be as long as the device makes it: no slower. */
static void a_measured_device_hides_the_host(void **state)
{
	(void)state;
	int64_t estimate = half_saves(&(struct played){45, 45, 50, NULL});
	assert_in_range(half_saves(&(struct played){45, 45, 50, "96000"}), estimate, 30);
	assert_in_range(half_saves(&(struct played){45, 45, 50, "91000"}), estimate, 30);
}

/* No more than the device is spared. */
static void never_more_than_the_device_is_spared(void **state)
{
	(void)state;
	assert_in_range(half_saves(&(struct played){88, 2, 50, NULL}), 10, 45);
	assert_in_range(half_saves(&(struct played){2, 2, 90, NULL}), 0, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_slow_host_would_hide),
		cmocka_unit_test(what_a_host_hides),
		cmocka_unit_test(a_measured_device_hides_the_host),
		cmocka_unit_test(never_more_than_the_device_is_spared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
