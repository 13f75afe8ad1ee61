/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds the work: regimes of steps that are small enough to work out by hand. */
#include "tests/unit/sound.h"
#include "tests/unit/trust_world.h"

static void analyse(struct world *w)
{
	w->a = analysis_of(&w->arena, made_seal(&w->made));
}

/* The host queues two long kernels and waits for them. */
static void large_steps(struct world *w, double kernel_us, double wait_us)
{
	struct made_trace *m = &w->made;
	*w = (struct world){0};
	made_add(m, EVENT_ANNOTATION, "ProfilerStep#5", 0, 100, 0);
	made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", 10, 20, 1);
	made_add(m, EVENT_KERNEL, "ampere_bf16_s16816gemm_bf16_nn", 30, 30 + kernel_us, 1);
	made_add(m, EVENT_RUNTIME, "cudaDeviceSynchronize", 100, 100 + wait_us, 0);
	analyse(w);
	assert_sound(&w->a);
}

static void regimes(void **state)
{
	(void)state;
	struct world w;
	large_steps(&w, 5000, 4930);
	assert_int_equal(w.a.regime.plain, REGIME_COMPUTE_BOUND);
	assert_int_equal(w.a.regime.robust, REGIME_COMPUTE_BOUND);
	assert_string_equal(w.a.device, "CUDA");
	world_release(&w);
	/* compute-bound by share, but not by 1 ms: the robust answer stands */
	large_steps(&w, 500, 430);
	assert_int_equal(w.a.regime.plain, REGIME_MIXED);
	assert_int_equal(w.a.regime.regime, REGIME_COMPUTE_BOUND);
	world_release(&w);
	/* the wait is far longer than the work: nearly all CPU time is no dispatch */
	large_steps(&w, 8, 900);
	assert_int_equal(w.a.regime.plain, REGIME_OVERHEAD_BOUND);
	assert_int_equal(w.a.regime.robust, REGIME_OVERHEAD_BOUND);
	world_release(&w);
	/* the totals say 10 and more, yet the device works most of the time that it could: the CPU
	 * waited on after the last kernel */
	large_steps(&w, 60, 900);
	assert_true(w.a.regime.ratio >= 10 && w.a.regime.busy_share >= 0.5);
	assert_int_equal(w.a.regime.plain, REGIME_MIXED);
	assert_int_equal(w.a.regime.robust, REGIME_MIXED);
	assert_int_equal(w.a.regime.regime, REGIME_MIXED);
	world_release(&w);
}

/* A device that copies or communicates is busy, but not bound by computing. */
static void busy_is_not_computing(void **state)
{
	(void)state;
	static const struct {
		enum event_kind kind;
		const char *name;
	} other[] = {{EVENT_KERNEL, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"},
		{EVENT_MEMCPY, "Memcpy HtoD (Pinned -> Device)"}};
	for (int i = 0; i < 2; i++) {
		struct world w = {0};
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 0, 10, 1);
		made_add(&w.made, EVENT_KERNEL, "gemm", 10, 2000, 1);
		made_add(&w.made, other[i].kind, other[i].name, 1000, 5000, 0)->track =
			MADE_STREAM2;
		made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 20, 5010, 0);
		analyse(&w);
		assert_near(w.a.regime.busy_share, 4990.0 / 5000);
		assert_near(w.a.regime.compute_share, 1990.0 / 5000);
		assert_int_equal(w.a.regime.regime, REGIME_MIXED);
		world_release(&w);
	}
}

/* A step of the device's case: 1 us to launch 5 us of work, behind a first step as slow as told,
 * whose kernel waits for a thread that wakes late. */
static void cold_then_steady(struct world *w, double first_us, double wake_us, double kernel_us)
{
	static const char *const step[] = {
		"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"};
	struct made_trace *m = &w->made;
	*w = (struct world){0};
	double at = 0, free_at = 0;
	for (uint32_t i = 0; i < 4; i++) {
		double end = at + (i ? 1 : first_us), start = end + (i ? 0 : wake_us);
		made_add(m, EVENT_ANNOTATION, step[i], at, end, 0);
		made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", end - 0.5, end - 0.1, i + 1);
		start = start > free_at ? start : free_at;
		free_at = start + kernel_us;
		made_add(m, EVENT_KERNEL, "gemm", start, free_at, i + 1);
		at = end;
	}
	made_add(m, EVENT_RUNTIME, "cudaDeviceSynchronize", at, free_at + 40, 0);
	analyse(w);
	assert_sound(&w->a);
}

/* Neither a cold first step nor a late wake-up of the queue says who limits the steps after it. */
static void one_cold_step_does_not_decide(void **state)
{
	(void)state;
	struct world w;
	cold_then_steady(&w, 20000, 4000, 5);
	assert_true(w.a.regime.later);
	assert_int_equal(w.a.regime.regime, REGIME_COMPUTE_BOUND);
	assert_int_equal(w.a.regime.dispatch_ns, 3000);
	assert_int_equal(w.a.regime.self_device_ns, 15000);
	assert_near(w.a.regime.busy_share, 1);
	assert_true(w.a.profiler_table.self_cpu_ns > 20000000);
	world_release(&w);
	/* late once, the queue is busy until it has caught up, though launching takes longer */
	cold_then_steady(&w, 20, 4000, 0.7);
	assert_near(w.a.regime.compute_share, 1);
	assert_int_equal(w.a.regime.regime, REGIME_MIXED);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regimes),
		cmocka_unit_test(busy_is_not_computing),
		cmocka_unit_test(one_cold_step_does_not_decide),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
