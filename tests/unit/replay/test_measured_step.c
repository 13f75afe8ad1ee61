/* SPDX-License-Identifier: Apache-2.0 */
/* What a step takes without the recorder, where it was measured. */
#include "report/analyse/profiler_cost.h"
#include "report/replay/replay.h"
#include "tests/unit/trust_world.h"

/* A step of 190 us of which by estimate a range, an operator and 16 us of a launch and the way to
 * it are the recorder's. */
static int64_t without_recorder(const char *measured, bool *is_measured)
{
	struct world w = {0};
	struct trace_meta meta = {.key = "unrecorded_step_ns", .value = measured};
	for (int i = 0; i < 3; i++) {
		double at = 200 * i;
		made_add(&w.made, EVENT_ANNOTATION, arena_printf(&w.arena, "ProfilerStep#%d", i),
			at, at + 190, 0);
		made_add(&w.made, EVENT_OP, "aten::add", at + 50, at + 70, 0);
		world_launch(&w, "gemm", (uint32_t)i + 1, at + 60, at + 66, at + 68, at + 69);
	}
	w.made.trace.meta = &meta;
	w.made.trace.n_meta = measured != NULL;
	const struct analysis *a = world_seal(&w);
	struct idle_causes l = idle_causes_of(&w.arena, a);
	struct breakdown p = breakdown_of(&w.arena, a, &l);
	const struct replay *r = replay_of(&w.arena, a, &p, PROFILER_COST_OPERATOR_NS);
	assert_non_null(r);
	assert_int_equal(replay_recorded_ns(r), 190000);
	*is_measured = replay_is_measured(r);
	int64_t ns = replay_unrecorded_ns(r);
	w.made.trace.meta = NULL;
	w.made.trace.n_meta = 0;
	world_release(&w);
	return ns;
}

/* All that is left of the host's time is as much longer or shorter as makes the step so long, if
 * that is no more than four times. */
static void the_recorder_costs_what_was_measured(void **state)
{
	(void)state;
	static const struct {
		const char *measured;
		int64_t left_ns; /* 0: by estimate */
	} cases[] = {{"171000", 171000}, {"160000", 160000}, {"140000.5", 140000}, {"50000", 50000},
		{"900000", 190000}, {"200", 0}, {"-1", 0}, {"soon", 0}, {"nan", 0}};
	bool is;
	int64_t estimate = without_recorder(NULL, &is);
	assert_false(is);
	assert_int_equal(estimate, 190000 - 16000 * 6 / 10 - 9 * PROFILER_COST_OPERATOR_NS);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		int64_t left = cases[k].left_ns ? cases[k].left_ns : estimate;
		int64_t ns = without_recorder(cases[k].measured, &is);
		assert_int_equal(is, cases[k].left_ns > 0);
		assert_in_range(ns, left - 200, left + 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recorder_costs_what_was_measured),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
