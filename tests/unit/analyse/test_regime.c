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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regimes),
		cmocka_unit_test(busy_is_not_computing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
