/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a step the device does not work: the parts sum to the step. */
#include "report/analyse/step_idle.h"
#include "tests/unit/trust_world.h"

#include <math.h>

static struct step_idle idle_of_first(struct world *w)
{
	world_seal(w);
	assert_in_range(w->a.n_steps, 1, 2);
	struct step_idle s = step_idle_of(&w->a, 0);
	assert_int_equal(
		s.before_ns + s.busy_ns + s.between_ns + s.inside_ns + s.after_ns, s.step_ns);
	return s;
}

/* A graph of three nodes and a copy behind it: two gaps are the graph's, one is not. */
static void gaps_of_one_launch_and_of_two(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaGraphLaunch", 5, 9, 1);
	made_add(&w.made, EVENT_KERNEL, "a", 10, 30, 1);
	made_add(&w.made, EVENT_KERNEL, "b", 31, 50, 1);
	made_add(&w.made, EVENT_KERNEL, "c", 53, 70, 1);
	world_copy(&w, "Memcpy DtoH", "cudaMemcpyAsync", 2, (double[]){20, 22, 75, 80});
	struct step_idle s = idle_of_first(&w);
	assert_int_equal(s.step_ns, 100000);
	assert_int_equal(s.busy_ns, 61000);
	assert_int_equal(s.before_ns, 10000);
	assert_int_equal(s.inside_ns, 4000);
	assert_int_equal(s.inside, 2);
	assert_near(s.inside_gap_ns, 2000);
	assert_int_equal(s.between_ns, 5000);
	assert_int_equal(s.after_ns, 20000);
	assert_false(idle_is_inside(&s));
}

/* What runs beside a longer one leaves no gap behind; the device may end after the step does. */
static void beside_each_other_and_late(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 40, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaGraphLaunch", 1, 2, 1);
	made_add(&w.made, EVENT_KERNEL, "long", 2, 30, 1);
	made_add(&w.made, EVENT_KERNEL, "short", 5, 10, 1)->track++;
	made_add(&w.made, EVENT_KERNEL, "last", 40, 50, 1);
	struct step_idle s = idle_of_first(&w);
	assert_int_equal(s.step_ns, 50000);
	assert_int_equal(s.inside_ns, 10000);
	assert_int_equal(s.inside, 1);
	assert_int_equal(s.after_ns, 0);
	assert_true(idle_is_inside(&s));
}

static void nothing_on_the_device(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 40, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 1, 2, 0);
	struct step_idle s = idle_of_first(&w);
	assert_int_equal(s.before_ns, 40000);
	assert_int_equal(s.inside, 0);
	assert_true(isnan(s.inside_gap_ns));
	assert_false(idle_is_inside(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_of_one_launch_and_of_two),
		cmocka_unit_test(beside_each_other_and_late),
		cmocka_unit_test(nothing_on_the_device),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
