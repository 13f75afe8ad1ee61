/* SPDX-License-Identifier: Apache-2.0 */
/* What took longer in the window than in the steps around is no time that a remedy can save. */
#include "report/analyse/profiler_cost.h"
#include "report/replay/changes.h"
#include "tests/unit/trust_world.h"

struct played {
	double pause_us[3]; /* of the host between the two launches of each step */
	double after_us[3]; /* behind them */
	double slow_us; /* that one call of the first step takes longer, and another of the last */
	const char *others; /* the second call of all steps but the median */
};

/* What sparing its pause saves of the median step. */
static int64_t pause_saves_us(const struct played *of)
{
	struct world w = {0};
	double at = 0, pause = 0;
	for (uint32_t i = 0; i < 3; i++) {
		double called = at + 20 + (i == 0 ? of->slow_us : 0),
		       again = called + of->pause_us[i];
		double done = again + 10 + (i == 2 ? of->slow_us : 0), end = done + of->after_us[i];
		const char *step = arena_printf(&w.arena, "ProfilerStep#%u", i);
		made_add(&w.made, EVENT_ANNOTATION, step, at, end, 0);
		world_launch(&w, "gemm", 2 * i + 1, at + 10, called, called + 5, called + 6);
		made_add(&w.made, EVENT_RUNTIME, i == 1 ? "cudaLaunchKernel" : of->others, again,
			done, 2 * i + 2);
		made_add(&w.made, EVENT_KERNEL, "gemm", done + 5, done + 6, 2 * i + 2);
		pause = i == 1 ? called : pause;
		at = end;
	}
	const struct analysis *a = world_seal(&w);
	struct idle_causes l = idle_causes_of(&w.arena, a);
	struct breakdown p = breakdown_of(&w.arena, a, &l);
	const struct replay *r = replay_of(&w.arena, a, &p, PROFILER_COST_OPERATOR_NS);
	assert_non_null(r);
	assert_int_equal(p.median, 1);
	assert_int_equal(replay_ns(r, NULL), replay_recorded_ns(r));
	struct replay_plan plan = {.arena = &w.arena};
	plan_spare(&plan, (int64_t)(1000 * pause), (int64_t)(1000 * (pause + of->pause_us[1])));
	int64_t gain = plan_gain(&plan, r);
	world_release(&w);
	return gain / 1000;
}

static void an_interruption_is_not_saved(void **state)
{
	(void)state;
	const struct played one = {{40, 100, 40}, {20, 20, 200}, 0, "cudaLaunchKernel"};
	assert_in_range(pause_saves_us(&one), 39, 41);
}

/* A host is a little slower in one step than in another. */
static void a_slower_step_is_no_interruption(void **state)
{
	(void)state;
	const struct played slower = {{40, 75, 40}, {20, 20, 200}, 0, "cudaLaunchKernel"};
	assert_in_range(pause_saves_us(&slower), 74, 76);
}

static void what_most_steps_have_is_no_interruption(void **state)
{
	(void)state;
	const struct played usual = {{40, 100, 100}, {20, 20, 200}, 0, "cudaLaunchKernel"};
	assert_in_range(pause_saves_us(&usual), 99, 101);
}

static void other_steps_do_not_tell(void **state)
{
	(void)state;
	const struct played other = {{40, 100, 40}, {20, 20, 200}, 0, "cudaLaunchKernelExC"};
	assert_in_range(pause_saves_us(&other), 99, 101);
}

/* Each step is interrupted somewhere: that is how the host is. */
static void as_much_as_in_other_steps_stays(void **state)
{
	(void)state;
	const struct played each = {{40, 100, 40}, {5, 20, 200}, 60, "cudaLaunchKernel"};
	assert_in_range(pause_saves_us(&each), 99, 101);
	const struct played less = {{40, 100, 40}, {5, 20, 200}, 15, "cudaLaunchKernel"};
	assert_in_range(pause_saves_us(&less), 54, 56); /* 40, and 15 of the other 60 */
}

/* A silence has a cause of its own (blame.h). */
static void a_silence_stays(void **state)
{
	(void)state;
	const struct played silent = {{40, 900, 40}, {20, 20, 2000}, 0, "cudaLaunchKernel"};
	assert_in_range(pause_saves_us(&silent), 899, 901);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interruption_is_not_saved),
		cmocka_unit_test(a_slower_step_is_no_interruption),
		cmocka_unit_test(what_most_steps_have_is_no_interruption),
		cmocka_unit_test(other_steps_do_not_tell),
		cmocka_unit_test(as_much_as_in_other_steps_stays),
		cmocka_unit_test(a_silence_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
