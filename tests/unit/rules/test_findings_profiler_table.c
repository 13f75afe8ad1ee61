/* SPDX-License-Identifier: Apache-2.0 */
/* T1 to T5: one trace where each must fire and one where it must not. */
#include "tests/unit/detecting.h"

/* `steps` steps of 100 us: the operator takes 40, its kernel `kernel_us`. */
static void small_steps(struct world *w, int steps, double kernel_us)
{
	static const char *const name[] = {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"};
	for (int i = 0; i < steps; i++) {
		double at = 100.0 * i;
		made_add(&w->made, EVENT_ANNOTATION, name[i], at, at + 100, 0);
		made_add(&w->made, EVENT_OP, "aten::mm", at + 10, at + 50, 0);
		launch(w, GEMM, at + 20, at + 30, at + 30 + kernel_us, (uint32_t)i + 1);
	}
}

static void overhead_bound(void **state)
{
	TEST_WORLD(w);
	small_steps(&w, 3, 2);
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 300, 310, 0);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "OVERHEAD-BOUND");
	/* Without the first, 2 steps of 100 us and a wait of 10, over 2 kernels of 2. */
	assert_value(&w, "OVERHEAD-BOUND", "self_cpu", 210e3);
	assert_value(&w, "OVERHEAD-BOUND", "self_device", 4e3);
	assert_value(&w, "OVERHEAD-BOUND", "r", 210.0 / 4);
	assert_value(&w, "OVERHEAD-BOUND", "wait", 10e3);
	assert_value(&w, "OVERHEAD-BOUND", "dispatch", 200e3);
	/* first launch at 120, last kernel's end at 232 */
	assert_value(&w, "OVERHEAD-BOUND", "u", 4.0 / 112);
	/* what hands out the work, never the wait */
	assert_first_row(&w, "OVERHEAD-BOUND", "aten::mm", 0);
	for (int i = 0; i < finding(&w, "OVERHEAD-BOUND")->n_evidence; i++)
		assert_int_not_equal(finding(&w, "OVERHEAD-BOUND")->evidence[i],
			row_of(&w, "cudaDeviceSynchronize", 0));
	/* window 0 to 300: 294 us idle, more than the dispatch */
	assert_gives_back(&w, "OVERHEAD-BOUND", 200);
	assert_not_fired(&w, "DEVICE-BOUND");
}

static void overhead_by_the_totals_alone(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 10, 20, 1);
	launch(&w, GEMM, 3, 220, 230, 2);
	/* The CPU only waits, and the device is hardly busy: the totals say 20, the time line no.
	 */
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 5, 405, 0);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "OVERHEAD-BOUND", REASON_PLAIN);
	assert_value(&w, "OVERHEAD-BOUND", "dispatch", 4e3);
}

/* A copy call that lasts until its copy is over is a wait, whatever it is called. */
static void blocked_in_copies(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 10, 100, 1);
	made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", 5, 305, 2);
	made_add(&w.made, EVENT_MEMCPY, "Memcpy DtoH (Device -> Pageable)", 300, 304, 2);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "OVERHEAD-BOUND");
	assert_value(&w, "OVERHEAD-BOUND", "wait", 300e3);
	assert_value(&w, "OVERHEAD-BOUND", "dispatch", 2e3);
	assert_int_equal(w.a.regime.blocked_ns, 300e3);
}

/* The same call with its copy over only after it has returned put work in a queue and did not wait:
 * that is dispatch, and more of it than the device has to do. */
static void queued_copies(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 10, 100, 1);
	made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", 5, 305, 2);
	made_add(&w.made, EVENT_MEMCPY, "Memcpy HtoD (Pinned -> Device)", 302, 306, 2);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "OVERHEAD-BOUND", REASON_ROBUST);
	assert_value(&w, "OVERHEAD-BOUND", "wait", 0);
	assert_value(&w, "OVERHEAD-BOUND", "dispatch", 302e3);
	assert_int_equal(w.a.regime.regime, REGIME_OVERHEAD_BOUND);
}

/* T1's thresholds are the regime's. */
static void regime_by_set_thresholds(void **state)
{
	TEST_WORLD(w);
	assert_int_equal(
		rule_set_threshold(&w.settings, "OVERHEAD-BOUND.busy=1%", &(struct err){0}), 0);
	small_steps(&w, 3, 2);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "OVERHEAD-BOUND");
	assert_int_equal(w.a.regime.regime, REGIME_MIXED);
}

static void compute_bound(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 5, 2005, 1);
	launch(&w, ADD, 5, 2005, 2505, 2);
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 10, 2510, 0);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "DEVICE-BOUND");
	assert_value(&w, "DEVICE-BOUND", "wait", 2500e3);
	assert_value(&w, "DEVICE-BOUND", "self_cpu", 2504e3);
	assert_gives_back(&w, "DEVICE-BOUND", 0);
	assert_not_fired(&w, "OVERHEAD-BOUND");
}

static void no_regime_without_both_sides(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 10, 0);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "OVERHEAD-BOUND", REASON_NO_DEVICE);
	assert_not_applicable(&w, "DEVICE-BOUND", REASON_NO_DEVICE);
	assert_not_applicable(&w, "HOTSPOT", REASON_NO_DEVICE);
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_KERNEL, GEMM, 0, 10, 1);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "OVERHEAD-BOUND", REASON_NO_HOST);
	assert_not_applicable(&w, "HOTSPOT", REASON_ONE_ROW);
	assert_not_applicable(&w, "CHILDREN-COST", REASON_NO_HOST);
	world_release(&w);
}

static void hotspot(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 10, 40, 1);
	launch(&w, GEMM, 5, 40, 75, 2);
	launch(&w, ADD, 10, 75, 85, 3);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "HOTSPOT");
	assert_text(&w, "HOTSPOT", "name", GEMM);
	assert_text(&w, "HOTSPOT", "second", ADD);
	assert_value(&w, "HOTSPOT", "p1", 65.0 / 75);
	assert_value(&w, "HOTSPOT", "p2", 10.0 / 75);
	assert_value(&w, "HOTSPOT", "calls", 2);
	assert_gives_back(&w, "HOTSPOT", 65);
	assert_first_row(&w, "HOTSPOT", GEMM, 1); /* the longer one */
}

static void no_hotspot(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 10, 40, 1); /* more than half, but not twice the next */
	launch(&w, ADD, 10, 40, 60, 2);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "HOTSPOT");
	assert_value(&w, "HOTSPOT", "p1", 0.6);
}

static void many_calls(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 500, 0);
	for (uint32_t i = 0; i < 40; i++)
		launch(&w, ADD, 10.0 * i, 10.0 * i + 4, 10.0 * i + 6, i + 1);
	seal(&w);
	detect_world(&w);
	/* 40 calls of 2 us: 16 % of the 500 us of CPU time, all of the device time */
	assert_fired_as(&w, "CHEAP-CALLS", REASON_DEVICE_ROW);
	assert_text(&w, "CHEAP-CALLS", "name", ADD);
	assert_value(&w, "CHEAP-CALLS", "per_step", 40);
	assert_value(&w, "CHEAP-CALLS", "each", 2e3);
	assert_value(&w, "CHEAP-CALLS", "share", 1);
	assert_gives_back(&w, "CHEAP-CALLS", 80);
	assert_int_equal(finding(&w, "CHEAP-CALLS")->n_events, 40);
	world_release(&w);

	w = (struct world){0};
	rule_set_threshold(&w.settings, "CHEAP-CALLS.calls=41", &(struct err){0});
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 500, 0);
	for (uint32_t i = 0; i < 40; i++)
		launch(&w, ADD, 10.0 * i, 10.0 * i + 4, 10.0 * i + 6, i + 1);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "CHEAP-CALLS");
	world_release(&w);
}

static void few_or_dear_calls(void **state)
{
	(void)state;
	struct world w = {0};
	small_steps(&w, 3, 2); /* once a step */
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "CHEAP-CALLS");
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 500, 0);
	for (int i = 0; i < 12; i++) /* often, but each takes 20 us */
		made_add(&w.made, EVENT_OP, "aten::mm", 40.0 * i, 40.0 * i + 20, 0);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "CHEAP-CALLS");
	world_release(&w);
}

static void cost_in_children(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::linear", 0, 100, 0);
	made_add(&w.made, EVENT_OP, "aten::t", 5, 10, 0);
	made_add(&w.made, EVENT_PYTHON, "frame", 10, 100, 0); /* the table does not show it */
	made_add(&w.made, EVENT_OP, "aten::addmm", 12, 97, 0);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "CHILDREN-COST");
	assert_text(&w, "CHILDREN-COST", "name", "aten::linear");
	assert_text(&w, "CHILDREN-COST", "child", "aten::addmm");
	assert_value(&w, "CHILDREN-COST", "total", 100e3);
	assert_value(&w, "CHILDREN-COST", "self", 10e3);
	assert_value(&w, "CHILDREN-COST", "child_total", 85e3);
}

static void cost_of_its_own(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::linear", 0, 100, 0);
	made_add(&w.made, EVENT_OP, "aten::addmm", 20, 90, 0);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "CHILDREN-COST");
}

/* Autocast calls an operator by itself: that counts once. The leaf is the one that does the work.
 */
static void cost_in_a_chain(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::conv2d", 0, 100, 0);
	made_add(&w.made, EVENT_OP, "aten::to", 2, 20, 0);
	made_add(&w.made, EVENT_OP, "aten::conv2d", 21, 99, 0);
	made_add(&w.made, EVENT_OP, "aten::convolution", 22, 98, 0);
	made_add(&w.made, EVENT_OP, "aten::_convolution", 23, 97, 0);
	made_add(&w.made, EVENT_OP, "aten::cudnn_convolution", 24, 96, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 30, 40, 0);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "CHILDREN-COST");
	assert_text(&w, "CHILDREN-COST", "name", "aten::conv2d");
	assert_value(&w, "CHILDREN-COST", "total", 100e3); /* not 178 */
	assert_value(&w, "CHILDREN-COST", "calls", 1);
	assert_text(&w, "CHILDREN-COST", "child", "aten::cudnn_convolution");
	assert_value(&w, "CHILDREN-COST", "child_total", 72e3);
}

/* backward(): the launching thread has a range open and stands still while another launches. Its
 * time is nobody's work. */
static void thread_that_waits_for_another(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 300, 0);
	for (uint32_t i = 0; i < 3; i++)
		launch(&w, ADD, 10 * i, 10 * i + 5, 10 * i + 7, i + 1);
	for (uint32_t i = 0; i < 2; i++) {
		double at = 100 + 50.0 * i;
		made_add(&w.made, EVENT_OP, "MulBackward0", at, at + 40, 0)->track =
			MADE_OTHER_THREAD;
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", at + 5, at + 10, i + 10)
			->track = MADE_OTHER_THREAD;
		made_add(&w.made, EVENT_KERNEL, ADD, at + 12, at + 14, i + 10);
	}
	made_add(&w.made, EVENT_ANNOTATION, "enumerate(DataLoader)#_Iter.__next__", 250, 260, 0);
	launch(&w, ADD, 270, 275, 277, 20);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "OVERHEAD-BOUND");
	assert_value(&w, "OVERHEAD-BOUND", "handed",
		90e3); /* 100 to 190, where no kernel was launched too */
	assert_value(&w, "OVERHEAD-BOUND", "loading", 10e3);
	/* 300 of the step and 80 of the other thread */
	assert_value(&w, "OVERHEAD-BOUND", "self_cpu", 380e3);
	assert_value(&w, "OVERHEAD-BOUND", "dispatch", 280e3);
}

/* A faster kernel saves little where the device is idle for want of launches, and nothing of it
 * while other work runs beside it. */
static void hotspot_in_an_idle_device(void **state)
{
	(void)state;
	for (int idle = 0; idle < 2; idle++) {
		struct world w = {0};
		double far = idle ? 400 : 0;
		launch(&w, GEMM, 0, 10, 50, 1);
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 3, 5, 2);
		made_add(&w.made, EVENT_KERNEL, ADD, 20, 30, 2)->track = MADE_STREAM2;
		launch(&w, GEMM, far + 45, far + 52, far + 92, 3);
		seal(&w);
		detect_world(&w);
		assert_value(&w, "HOTSPOT", "exposed", 70e3);
		if (idle) {
			assert_not_fired(&w, "HOTSPOT");
		} else {
			assert_fired(&w, "HOTSPOT");
			assert_gives_back(&w, "HOTSPOT", 70);
		}
		world_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cost_in_a_chain),
		cmocka_unit_test(thread_that_waits_for_another),
		cmocka_unit_test(hotspot_in_an_idle_device),
		cmocka_unit_test(overhead_bound),
		cmocka_unit_test(overhead_by_the_totals_alone),
		cmocka_unit_test(blocked_in_copies),
		cmocka_unit_test(queued_copies),
		cmocka_unit_test(regime_by_set_thresholds),
		cmocka_unit_test(compute_bound),
		cmocka_unit_test(no_regime_without_both_sides),
		cmocka_unit_test(hotspot),
		cmocka_unit_test(no_hotspot),
		cmocka_unit_test(many_calls),
		cmocka_unit_test(few_or_dear_calls),
		cmocka_unit_test(cost_in_children),
		cmocka_unit_test(cost_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
