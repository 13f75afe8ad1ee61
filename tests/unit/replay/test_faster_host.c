/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is spared while the host is nearly as long: how fast that is is an estimate. */
#include "report/analyse/profiler_cost.h"
#include "report/replay/changes.h"
#include "tests/unit/trust_world.h"

struct played {
	double first_us, second_us; /* its kernels, one behind the other */
	double calls_again_us; /* of a host that launches the second behind 20 us of the first */
	const char *measured;
	int operators; /* that launch nothing, from 16 to 96 us */
};

/* What a plan says of a trace: half of both kernels, or a host that has nothing to do up to 5 us
 * in front of its second launch. */
enum remedy { HALF_OF_KERNELS, NOTHING_BETWEEN };

static void say(struct replay_plan *plan, const struct analysis *a, const struct breakdown *p,
	const struct played *step, enum remedy remedy)
{
	for (size_t i = 0; remedy == HALF_OF_KERNELS && i < a->n_device; i++)
		plan_takes(plan, a->device_rows[i], 0.5);
	for (uint32_t i = 0; remedy == NOTHING_BETWEEN && i < p->n_steps; i++) {
		int64_t at = (int64_t)i * 100000;
		plan_spare(plan, at + 15000, at + (int64_t)(1000 * step->calls_again_us) - 5000);
	}
}

/* What it saves of a step of 100 us. */
static int64_t saves(const struct played *step, enum remedy remedy)
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
		for (int k = 0; k < step->operators; k++) {
			double op = at + 16 + 80.0 * k / step->operators;
			made_add(&w.made, EVENT_OP, "aten::view", op, op + 0.5, 0);
		}
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
	say(&plan, a, &p, step, remedy);
	int64_t gain = plan_gain(&plan, r);
	w.made.trace.meta = NULL;
	w.made.trace.n_meta = 0;
	world_release(&w);
	return gain / 1000;
}

static int64_t half_saves(const struct played *step)
{
	return saves(step, HALF_OF_KERNELS);
}

/* 90 of 100 us are the device's: by the estimate half of them hide behind the host. */
static void what_a_slow_host_would_hide(void **state)
{
	(void)state;
	assert_in_range(half_saves(&(struct played){45, 45, 50, NULL, 0}), 10, 30);
}

/* Nothing where the host takes much longer, and where it is known how long it takes. */
static void what_a_host_hides(void **state)
{
	(void)state;
	assert_in_range(half_saves(&(struct played){10, 10, 50, NULL, 0}), 0, 1);
	assert_in_range(half_saves(&(struct played){30, 30, 50, "99000", 0}), 0, 9);
}

/* That is not known where the step was measured to be as long as the device makes it: no slower. */
static void a_measured_device_hides_the_host(void **state)
{
	(void)state;
	int64_t estimate = half_saves(&(struct played){45, 45, 50, NULL, 0});
	assert_in_range(half_saves(&(struct played){45, 45, 50, "96000", 0}), estimate, 30);
	assert_in_range(half_saves(&(struct played){45, 45, 50, "91000", 0}), estimate, 30);
}

/* No more than the device is spared. */
static void never_more_than_the_device_is_spared(void **state)
{
	(void)state;
	assert_in_range(half_saves(&(struct played){88, 2, 50, NULL, 0}), 10, 45);
	assert_in_range(half_saves(&(struct played){2, 2, 90, NULL, 0}), 0, 2);
}

/* What a host is spared is as much only where it would limit the step if it were a little faster,
 * too, or where most of the step is its own and not the recorder's. */
static void a_gain_that_a_faster_host_has_not(void **state)
{
	(void)state;
	struct played less = {14, 14, 50, NULL, 40}, near = {17, 17, 50, NULL, 40},
		      told = {28, 28, 50, NULL, 20};
	assert_in_range(saves(&less, NOTHING_BETWEEN), 10, 14);
	assert_in_range(saves(&near, NOTHING_BETWEEN), 0, 1);
	assert_in_range(saves(&told, NOTHING_BETWEEN), 6, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_slow_host_would_hide),
		cmocka_unit_test(what_a_host_hides),
		cmocka_unit_test(a_measured_device_hides_the_host),
		cmocka_unit_test(a_gain_that_a_faster_host_has_not),
		cmocka_unit_test(never_more_than_the_device_is_spared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
