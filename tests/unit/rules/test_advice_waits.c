/* SPDX-License-Identifier: Apache-2.0 */
/* What calls that only wait are worth. */
#include "tests/unit/advising.h"

/* Eight stages of 200 us. It is waited at the end of each, and, by who times them, before the next
 * begins. The device works for so long in each. */
static const struct finding *waited_for(struct world *w, double works_us, bool timed)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1600, 0);
	for (int i = 0; i < 8; i++) {
		double at = 200.0 * i, done = at + 20 + works_us;
		operate(w, "aten::mm", HOPPER, at + 10, at + 20, done);
		double waits = at + 150, waited = done > waits ? done + 10 : waits + 5;
		made_add(&w->made, EVENT_RUNTIME, "cudaDeviceSynchronize", waits, waited, 0);
		if (timed)
			made_add(&w->made, EVENT_RUNTIME, "cudaDeviceSynchronize", at + 195,
				at + 200, 0);
	}
	seal(w);
	struct advice x = advise(w);
	return find(&x, "sync");
}

static const struct finding *clocked(struct world *w, double works_us)
{
	return waited_for(w, works_us, true);
}

/* Whatever takes the place of a clock costs the host as much as its calls. */
static void what_waits_for_nothing_saves_nothing(void **state)
{
	TEST_WORLD(w);
	assert_null(clocked(&w, 20));
}

/* What is no clock is just not called, with what leads to it. */
static void a_call_that_waits_for_nothing_takes_time(void **state)
{
	TEST_WORLD(w);
	const struct finding *sync = waited_for(&w, 20, false);
	assert_non_null(sync);
	assert_in_range(sync->give_back_ns, 7 * 5000, 8 * 25000);
}

static void what_waits_is_named(void **state)
{
	TEST_WORLD(w);
	const struct finding *sync = clocked(&w, 160);
	assert_non_null(sync);
	assert_string_equal(sync->variant, "");
	assert_true(sync->give_back_ns > 8 * 10000);
}

/* Four times 200 us, of which an operator takes 90: it works out how many there are, and waits. */
static const struct finding *counts(struct world *w, const char *op)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 800, 0);
	for (int i = 0; i < 4; i++) {
		double at = 200.0 * i;
		uint32_t id = 100 + (uint32_t)i;
		made_add(&w->made, EVENT_OP, op, at, at + 90, 0);
		operate(w, "aten::sum", POINTWISE, at + 1, at + 15, at + 50);
		made_add(&w->made, EVENT_OP, "aten::nonzero", at + 20, at + 88, 0);
		made_add(&w->made, EVENT_RUNTIME, "cudaMemcpyAsync", at + 22, at + 30, id);
		made_add(&w->made, EVENT_MEMCPY, "Memcpy DtoH (Device -> Pageable)", at + 50,
			at + 52, id);
		made_add(&w->made, EVENT_RUNTIME, "cudaStreamSynchronize", at + 32, at + 85, 0);
	}
	seal(w);
	struct advice x = advise(w);
	return find(&x, "sync");
}

/* No program has masks in the place of what a library looks for in its own operator. */
static void a_library_waits(void **state)
{
	TEST_WORLD(w);
	const struct finding *sync = counts(&w, "torchvision::nms");
	assert_non_null(sync);
	assert_string_equal(sync->variant, "library");
	assert_true(value(sync, "n") > 0);
	const char *name = finding_value(sync, "name")->text;
	assert_string_equal(name, "torchvision::nms");
}

static void a_program_waits(void **state)
{
	TEST_WORLD(w);
	const struct finding *sync = counts(&w, "aten::index");
	assert_non_null(sync);
	assert_string_equal(sync->variant, "nonzero");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_waits_for_nothing_saves_nothing),
		cmocka_unit_test(a_call_that_waits_for_nothing_takes_time),
		cmocka_unit_test(what_waits_is_named),
		cmocka_unit_test(a_library_waits),
		cmocka_unit_test(a_program_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
