/* SPDX-License-Identifier: Apache-2.0 */
/* What calls that only wait are worth. */
#include "tests/unit/advising.h"

/* Eight stages of 200 us with a clock around each: it waits at the end of one, and before the next
 * begins. The device works for so long in each. */
static const struct finding *clocked(struct world *w, double works_us)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1600, 0);
	for (int i = 0; i < 8; i++) {
		double at = 200.0 * i, done = at + 20 + works_us;
		operate(w, "aten::mm", HOPPER, at + 10, at + 20, done);
		double waits = at + 150, waited = done > waits ? done + 10 : waits + 5;
		made_add(&w->made, EVENT_RUNTIME, "cudaDeviceSynchronize", waits, waited, 0);
		made_add(&w->made, EVENT_RUNTIME, "cudaDeviceSynchronize", at + 195, at + 200, 0);
	}
	seal(w);
	struct advice x = advise(w);
	return find(&x, "sync");
}

/* Whatever takes the place of a clock costs the host as much as its calls. */
static void what_waits_for_nothing_saves_nothing(void **state)
{
	TEST_WORLD(w);
	assert_null(clocked(&w, 20));
}

static void what_waits_is_named(void **state)
{
	TEST_WORLD(w);
	const struct finding *sync = clocked(&w, 160);
	assert_non_null(sync);
	assert_string_equal(sync->variant, "");
	assert_true(sync->give_back_ns > 8 * 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_waits_for_nothing_saves_nothing),
		cmocka_unit_test(what_waits_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
