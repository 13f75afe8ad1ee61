/* SPDX-License-Identifier: Apache-2.0 */
/* Launch calls, queues and kernels of traces that are small enough to work out by hand. */
#include "report/analyse/launches.h"
#include "tests/unit/trust_world.h"

static struct launch_stats stats_of_world(struct world *w)
{
	world_seal(w);
	return launch_stats_of(&w->a);
}

static void call_queue_kernel_total(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 5, 10, 40); /* call 5, queue 5, kernel 30, total 40 */
	world_launch(&w, "b", 2, 10, 14, 40, 42); /* 4, 26, 2, 32 */
	world_launch(&w, "c", 3, 50, 60, 54, 57); /* 10, none, 3, 10: over before the call is */
	made_add(&w.made, EVENT_KERNEL, "orphan", 100, 200, 9);
	world_copy(&w, "Memcpy HtoD", "cudaMemcpyAsync", 4, (double[]){60, 62, 64, 65});
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.n_calls, 3);
	assert_int_equal(l.n_kernels, 3);
	assert_int_equal(l.n_unlinked, 1);
	assert_int_equal(l.call.n, 3);
	assert_int_equal(l.call.total, 19000);
	assert_near(l.call.median, 5000);
	assert_int_equal(l.queue.n, 2);
	assert_int_equal(l.queue.total, 31000);
	assert_int_equal(l.kernel.n, 3);
	assert_int_equal(l.kernel.total, 35000);
	assert_int_equal(l.total_ns, 82000);
	assert_int_equal(l.n_early, 0);
	assert_int_equal(l.slowest, w.made.trace.launch[made_find(&w.made.trace, "c", 0)]);
	assert_int_equal(l.latest, made_find(&w.made.trace, "b", 0));
}

static void short_kernels_are_shorter_than_their_call(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 5, 10, 14.999);
	world_launch(&w, "b", 2, 10, 15, 20, 25);
	world_launch(&w, "c", 3, 20, 25, 30, 32);
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.n_single, 3);
	assert_int_equal(l.n_short, 2);
	assert_near(l.short_share, 2.0 / 3);
	assert_true(l.launch_bound);
}

/* More than half must be short, and the median below 10 us. */
static void launch_bound_wants_both(void **state)
{
	(void)state;
	struct world w = {0};
	world_launch(&w, "a", 1, 0, 20, 30, 40);
	world_launch(&w, "b", 2, 30, 50, 60, 70);
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.n_short, 2);
	assert_false(l.launch_bound);
	world_release(&w);
	w = (struct world){0};
	world_launch(&w, "a", 1, 0, 5, 10, 12);
	world_launch(&w, "b", 2, 20, 21, 30, 32);
	l = stats_of_world(&w);
	assert_int_equal(l.n_short, 1);
	assert_false(l.launch_bound);
	world_release(&w);
}

static void outliers(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 50, 150, 160); /* a call of 50, a queue of 100: neither */
	world_launch(&w, "b", 2, 60, 110.001, 211, 220);
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.n_slow, 1);
	assert_int_equal(l.n_late, 1);
	assert_int_equal(w.made.trace.dur_ns[l.slowest], 50001);
	assert_int_equal(l.latest, made_find(&w.made.trace, "b", 0));
}

static void graphs_launch_many(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "alone", 1, 0, 5, 10, 12);
	made_add(&w.made, EVENT_RUNTIME, "cudaGraphLaunch", 20, 120, 2);
	for (int i = 0; i < 6; i++)
		made_add(&w.made, EVENT_KERNEL, "node", 130 + 10 * i, 135 + 10 * i, 2);
	made_add(&w.made, EVENT_MEMCPY, "Memcpy DtoD (Device -> Device)", 200, 201, 2);
	made_add(&w.made, EVENT_RUNTIME, "cudaGraphLaunch", 210, 215, 3);
	made_add(&w.made, EVENT_KERNEL, "node", 220, 225, 3);
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.n_calls, 3);
	assert_int_equal(l.n_kernels, 8);
	assert_int_equal(l.n_graphs, 2);
	assert_int_equal(l.n_graph_kernels, 7);
	assert_int_equal(l.largest_graph, 6);
	/* Their kernels are short beside the call, which says nothing. */
	assert_int_equal(l.n_single, 1);
	assert_int_equal(l.n_short, 1);
	assert_false(l.launch_bound);
	assert_int_equal(l.queue_max, 7);
	assert_int_equal(l.queue_max_at_ns, 20000);
}

/* Launched at 0, 10 and 20, begun at 5, 30 and 40: one in the queue for 5 us, none for 5, one for
 * 10, two for 10, one for 10. */
static void queue_over_time(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 2, 5, 30);
	world_launch(&w, "b", 2, 10, 12, 30, 40);
	world_copy(&w, "Memcpy DtoH", "cudaMemcpyAsync", 3, (double[]){20, 22, 40, 45});
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.queue_max, 2);
	assert_int_equal(l.queue_max_at_ns, 20000);
	assert_near(l.queue_mean, (5 + 10 + 20 + 10) / 40.0);
}

/* A kernel that seems to begin before its call was never in the queue. */
static void queue_is_never_negative(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "early", 1, 10, 12, 5, 8);
	world_launch(&w, "a", 2, 20, 22, 30, 40);
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.n_early, 1);
	assert_int_equal(l.queue_max, 1);
	assert_int_equal(l.queue_max_at_ns, 20000);
	assert_near(l.queue_mean, 10 / 10.0);
}

static void driver_calls_inside_runtime_calls_count_once(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernelExC", 0, 20, 0);
	made_add(&w.made, EVENT_DRIVER, "cuLaunchKernelEx", 5, 10, 1);
	made_add(&w.made, EVENT_KERNEL, "a", 30, 40, 1);
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.n_calls, 1);
	assert_int_equal(l.call.total, 20000);
	assert_int_equal(l.queue.total, 10000);
}

static void no_launches_at_all(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_KERNEL, "orphan", 0, 10, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 0, 5, 7);
	struct launch_stats l = stats_of_world(&w);
	assert_int_equal(l.n_calls + l.n_kernels + l.queue_max, 0);
	assert_int_equal(l.n_unlinked, 1);
	assert_int_equal(l.slowest, NO_ROW);
	assert_int_equal(l.latest, NO_ROW);
	assert_near(l.queue_mean, 0);
	world_release(&w);
	w = (struct world){0};
	l = stats_of_world(&w);
	assert_int_equal(l.n_calls, 0);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_queue_kernel_total),
		cmocka_unit_test(short_kernels_are_shorter_than_their_call),
		cmocka_unit_test(launch_bound_wants_both),
		cmocka_unit_test(outliers),
		cmocka_unit_test(graphs_launch_many),
		cmocka_unit_test(queue_over_time),
		cmocka_unit_test(queue_is_never_negative),
		cmocka_unit_test(driver_calls_inside_runtime_calls_count_once),
		cmocka_unit_test(no_launches_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
