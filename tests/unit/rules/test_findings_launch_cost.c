/* SPDX-License-Identifier: Apache-2.0 */
/* LAUNCH-BOUND, LAUNCH-OUTLIER: one trace where each must fire and one where it must not. */
#include "tests/unit/detecting.h"

static void launch_bound(void **state)
{
	(void)state;
	struct world w = {0};
	for (uint32_t i = 0; i < 4; i++) {
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 20 * i, 20 * i + 8, i + 1);
		made_add(&w.made, EVENT_KERNEL, ADD, 20 * i + 10, 20 * i + 13, i + 1);
	}
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "LAUNCH-BOUND");
	assert_value(&w, "LAUNCH-BOUND", "median", 3e3);
	assert_value(&w, "LAUNCH-BOUND", "share", 1);
	assert_gives_back(&w, "LAUNCH-BOUND", 20);
	assert_int_equal(finding(&w, "IDLE-HOST")->advice, REASON_NONE);
	world_release(&w);

	w = (struct world){0}; /* the same beside one that keeps the device busy: nobody waits */
	launch(&w, GEMM, -20, -15, 75, 9);
	for (uint32_t i = 0; i < 4; i++) {
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 20 * i, 20 * i + 8, i + 1);
		made_add(&w.made, EVENT_KERNEL, ADD, 20 * i + 10, 20 * i + 13, i + 1)->track =
			MADE_STREAM2;
	}
	seal(&w);
	detect_world(&w);
	assert_value(&w, "LAUNCH-BOUND", "share", 0.8);
	assert_not_fired(&w, "LAUNCH-BOUND");
	world_release(&w);
}

/* A graph's kernels are short, but have no launch of their own. */
static void not_launch_bound(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_RUNTIME, "cudaGraphLaunch", 0, 8, 1);
	for (int i = 0; i < 4; i++)
		made_add(&w.made, EVENT_KERNEL, ADD, 20 * i + 10, 20 * i + 13, 1);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "LAUNCH-BOUND");
	assert_not_applicable(&w, "LAUNCH-OUTLIER", REASON_NO_LINKS);
	assert_fired(&w, "GRAPH");
	assert_value(&w, "GRAPH", "each", 4);
	world_release(&w);

	w = (struct world){0};
	launch(&w, GEMM, 0, 10, 80, 1);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "LAUNCH-BOUND");
	assert_not_fired(&w, "GRAPH");
	world_release(&w);
}

static void slow_launch(void **state)
{
	(void)state;
	struct world w = {0};
	launch(&w, ADD, 0, 5, 15, 1);
	launch(&w, ADD, 4, 15, 20, 3);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 20, 120, 2);
	made_add(&w.made, EVENT_OVERHEAD, "Activity Buffer Request", 30, 110, 0);
	made_add(&w.made, EVENT_KERNEL, GEMM, 125, 150, 2);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "LAUNCH-OUTLIER");
	assert_value(&w, "LAUNCH-OUTLIER", "slow", 1);
	assert_value(&w, "LAUNCH-OUTLIER", "longest", 100e3);
	assert_int_equal(finding(&w, "LAUNCH-OUTLIER")->n_gaps, 0);
	assert_value(&w, "LAUNCH-OUTLIER", "recorder", 1);
	assert_gives_back(&w, "LAUNCH-OUTLIER", 100);
	world_release(&w);

	w = (struct world){0}; /* all as slow: none of them is an outlier */
	for (uint32_t i = 0; i < 4; i++) {
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 100 * i, 100 * i + 80, i + 1);
		made_add(&w.made, EVENT_KERNEL, ADD, 100 * i + 82, 100 * i + 99, i + 1);
	}
	seal(&w);
	detect_world(&w);
	assert_value(&w, "LAUNCH-OUTLIER", "median", 80e3);
	assert_not_fired(&w, "LAUNCH-OUTLIER");
	world_release(&w);
}

static void late_start(void **state)
{
	TEST_WORLD(w);
	launch(&w, ADD, 0, 5, 15, 1);
	launch(&w, GEMM, 10, 215, 230, 2); /* queued, and the device idle for 200 us */
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "LAUNCH-OUTLIER", REASON_DELAY);
	assert_value(&w, "LAUNCH-OUTLIER", "latest", 200e3);
	assert_int_equal(finding(&w, "LAUNCH-OUTLIER")->n_gaps, 1);
	assert_int_equal(finding(&w, "LAUNCH-OUTLIER")->gap[0].end_ns -
			finding(&w, "LAUNCH-OUTLIER")->gap[0].start_ns,
		200000);
}

/* It waits for work of another stream that was launched late: nobody's launch is slow. */
static void dependent(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 215, 230, 2);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 190, 192, 3);
	made_add(&w.made, EVENT_KERNEL, ADD, 195, 214, 3)->track = MADE_STREAM2;
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "LAUNCH-OUTLIER");
}

/* A full queue is no fault. */
static void queued(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 5, 505, 1);
	launch(&w, ADD, 10, 506, 530, 2);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 15, 17, 3);
	made_add(&w.made, EVENT_KERNEL, GEMM, 200, 400, 3)->track = MADE_STREAM2;
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "LAUNCH-OUTLIER");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launch_bound),
		cmocka_unit_test(not_launch_bound),
		cmocka_unit_test(slow_launch),
		cmocka_unit_test(late_start),
		cmocka_unit_test(dependent),
		cmocka_unit_test(queued),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
