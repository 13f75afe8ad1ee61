/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of traces that are small enough to work out by hand. */
#include "report/analyse/analysis.h"
#include "tests/unit/golden_file.h"
#include "tests/unit/made_trace.h"
#include "tests/unit/sound.h"

struct world {
	struct made_trace made;
	struct arena arena;
	struct analysis a;
};

static void analyse(struct world *w)
{
	w->a = analysis_of(&w->arena, made_seal(&w->made));
}

static void release(struct world *w)
{
	made_release(&w->made);
	arena_release(&w->arena);
}

#define TEST_WORLD(w) WORLD_OF_TEST(w, release)

static void assert_near(double value, double wanted)
{
	assert_true(value > wanted - 1e-9 && value < wanted + 1e-9);
}

/* matmul and add on the host device: the first step pays for making the kernel; the queue runs
 * behind the calls, so the third step's add runs after that step has ended; a wait follows. */
static void three_steps(struct world *w)
{
	struct made_trace *m = &w->made;
	static const char *const step[] = {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"};
	static const double start[] = {0, 200, 300}, length[] = {200, 90, 100};
	*w = (struct world){.made.label = "host queue"};
	for (int i = 0; i < 3; i++) {
		double at = start[i], late = i ? 0 : 110;
		uint32_t id = (uint32_t)(2 * i + 1);
		made_add(m, EVENT_ANNOTATION, step[i], at, at + length[i], 0);
		made_add(m, EVENT_ANNOTATION, "matmul_add", at + 5, at + length[i] - 5, 0);
		made_add(m, EVENT_OP, "tb::mm", at + 10, at + 40 + late, 0);
		made_add(m, EVENT_RUNTIME, "hostLaunchKernel", at + 20, at + 30 + late, id);
		if (!i) {
			made_add(m, EVENT_OP, "primitive creation", 22, 132, 0)->extra = "setup";
			made_add(m, EVENT_OP, "page faults", 40, 70, 0)->extra = "setup";
		}
		made_add(m, EVENT_OP, "tb::add", at + 50 + late, at + 70 + late, 0);
		made_add(m, EVENT_RUNTIME, "hostLaunchKernel", at + 55 + late, at + 60 + late,
			id + 1);
	}
	made_add(m, EVENT_KERNEL, "brg:avx512_core_bf16 matmul", 145, 165, 1);
	made_add(m, EVENT_KERNEL, "jit:avx512_core add", 175, 185, 2);
	made_add(m, EVENT_KERNEL, "brg:avx512_core_bf16 matmul", 240, 262, 3);
	made_add(m, EVENT_KERNEL, "jit:avx512_core add", 270, 280, 4);
	made_add(m, EVENT_KERNEL, "brg:avx512_core_bf16 matmul", 340, 390, 5);
	made_add(m, EVENT_KERNEL, "jit:avx512_core add", 400, 415, 6);
	made_add(m, EVENT_RUNTIME, "hostQueueSynchronize", 405, 420, 0);
	analyse(w);
}

static void steps_by_launch_time(void **state)
{
	TEST_WORLD(w);
	three_steps(&w);
	assert_sound(&w.a);
	assert_int_equal(w.a.n_steps, 3);
	assert_int_equal(w.a.main_track, MADE_HOST);
	for (uint32_t i = 0; i < 3; i++) {
		const struct step *s = &w.a.steps[i];
		assert_int_equal(s->number, i);
		assert_int_equal(s->n_device, 2);
		assert_int_equal(s->kernels, 2);
		assert_int_equal(s->launches, 2);
		assert_int_equal(s->copy_calls + s->syncs + s->queries, 0);
	}
	const struct step *last = &w.a.steps[2];
	assert_int_equal(last->start_ns, 300000);
	assert_int_equal(last->dur_ns, 100000);
	assert_int_equal(last->device_start_ns, 340000);
	assert_int_equal(last->device_end_ns, 415000);
	assert_int_equal(last->busy_ns, 65000);
	assert_int_equal(last->device_ns, 65000);
	assert_int_equal(last->device[1], made_find(&w.made.trace, "jit:avx512_core add", 2));
}

static void first_call_costs(void **state)
{
	TEST_WORLD(w);
	three_steps(&w);
	const struct step *s = &w.a.steps[0];
	assert_int_equal(s->setup_ns, 110000);
	assert_int_equal(s->n_setup, 2);
	assert_int_equal(s->n_setup_sums, 2);
	assert_int_equal(s->setup_sum[0].ns, 80000);
	assert_int_equal(s->setup_sum[0].calls, 1);
	assert_int_equal(s->setup_sum[1].ns, 30000);
	assert_string_equal(names_text(&w.made.trace.names, s->setup_sum[1].name), "page faults");
	assert_int_equal(w.a.steps[1].n_setup, 0);
	assert_int_equal(w.a.steps[1].setup_ns, 0);
}

/* Of what begins in a step, only what stops its thread counts. */
static void costs_of_other_threads(void **state)
{
	TEST_WORLD(w);
	struct made_trace *m = &w.made;
	made_add(m, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", 10, 60, 1);
	made_add(m, EVENT_OVERHEAD, "Activity Buffer Request", 20, 50, 0)->track =
		MADE_OTHER_THREAD;
	struct made_event *wake = made_add(m, EVENT_OP, "queue thread's first wake-up", 5, 95, 0);
	wake->track = MADE_OTHER_THREAD;
	wake->extra = "setup";
	made_add(m, EVENT_RUNTIME, "cudaMalloc", 70, 75, 0);
	made_add(m, EVENT_RUNTIME, "cudaMalloc", 80, 82, 0)->track = MADE_OTHER_THREAD;
	made_add(m, EVENT_RUNTIME, "cudaMalloc", 120, 125, 0);
	analyse(&w);
	assert_sound(&w.a);
	const struct step *s = &w.a.steps[0];
	assert_int_equal(s->setup_ns, 37000); /* the other thread's call, not its wake-up */
	assert_int_equal(s->n_setup, 3);
	assert_int_equal(
		w.a.class[made_find(&m->trace, "queue thread's first wake-up", 0)], CLASS_SETUP);
	assert_int_equal(w.a.regime.overhead_ns, 30000);
}

static void window_and_gaps(void **state)
{
	TEST_WORLD(w);
	three_steps(&w);
	const struct window *win = &w.a.window;
	assert_int_equal(win->source, WINDOW_STEPS);
	assert_int_equal(win->start_ns, 0);
	assert_int_equal(win->end_ns, 415000);
	assert_int_equal(win->busy_ns, 127000);
	assert_int_equal(win->idle_ns, 288000);
	assert_near(win->busy_share, 127.0 / 415.0);
	assert_int_equal(w.a.n_gaps, 6);
	assert_int_equal(analysis_gap(&w.a, 0).dur_ns, 145000);
	assert_int_equal(analysis_gap(&w.a, 0).before, NO_ROW);
	assert_int_equal(analysis_gap(&w.a, 3).start_ns, 262000);
	assert_int_equal(analysis_gap(&w.a, 3).dur_ns, 8000);
	assert_int_equal(analysis_gap(&w.a, 3).before, w.a.steps[1].device[0]);
	assert_int_equal(analysis_gap(&w.a, 3).after, w.a.steps[1].device[1]);
	static const uint32_t longest[] = {0, 4, 2, 1, 5, 3};
	assert_int_equal(w.a.n_longest, 6);
	assert_memory_equal(w.a.longest, longest, sizeof longest);
	assert_int_equal(w.a.busy[BUSY_DEVICE].window_ns, 270000);
	assert_int_equal(w.a.busy[BUSY_STEPS].window_ns, 390000);
	assert_int_equal(w.a.busy[BUSY_STEPS].busy_ns, 112000);
	assert_int_equal(w.a.busy[BUSY_FILE].window_ns, 420000);
}

static void activities_by_total(void **state)
{
	TEST_WORLD(w);
	three_steps(&w);
	assert_int_equal(w.a.n_activities, 2);
	const struct activity *gemm = &w.a.activities[0], *add = &w.a.activities[1];
	assert_int_equal(gemm->class, CLASS_GEMM);
	assert_int_equal(add->class, CLASS_ADD);
	assert_int_equal(gemm->calls, 3);
	assert_near(gemm->calls_per_step, 1);
	assert_near(gemm->share, 92.0 / 127.0);
	assert_int_equal(gemm->dur.total, 92000);
	assert_near(gemm->dur.median, 22000);
	assert_int_equal(w.made.trace.dur_ns[gemm->row[2]], 50000);
	/* delay: start less the end of the launch call */
	const struct trace *t = &w.made.trace;
	struct stats delay = launch_delays_of(t, gemm->row, gemm->calls);
	assert_int_equal(delay.min, 5000);
	assert_int_equal(delay.max, 10000);
	assert_int_equal(launch_calls_of(t, gemm->row, gemm->calls).max, 120000);
	assert_int_equal(launch_calls_of(t, add->row, add->calls).max, 5000);
	struct stats calls = launch_calls_of(t, w.a.device_rows, w.a.n_device);
	assert_int_equal(calls.n, 6);
	assert_near(w.a.call_median_ns, calls.median);
	assert_string_equal(w.a.device, "HOST QUEUE");
}

/* Behind the first step self CPU is 205 us, self device 97: neither ten times as much nor near.
 * Dispatch without the wait is 190 > 97, and from the first launch on the device is busy 97 of 195.
 */
static void regime_of_small_steps(void **state)
{
	TEST_WORLD(w);
	three_steps(&w);
	const struct regime_judgement *r = &w.a.regime;
	assert_int_equal(r->self_cpu_ns, 205000);
	assert_int_equal(r->self_device_ns, 97000);
	assert_int_equal(r->wait_ns, 15000);
	assert_int_equal(r->dispatch_ns, 190000);
	assert_near(r->ratio, 205.0 / 97.0);
	assert_near(r->busy_share, 97.0 / 195.0);
	assert_int_equal(r->plain, REGIME_MIXED);
	assert_int_equal(r->robust, REGIME_OVERHEAD_BOUND);
	assert_int_equal(r->regime, REGIME_OVERHEAD_BOUND);
}

/* Two streams: the union counts an overlap once; a gap is idle time of both. */
static void streams_overlap(void **state)
{
	TEST_WORLD(w);
	struct made_trace *m = &w.made;
	made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", 0, 5, 1);
	made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", 5, 10, 2);
	made_add(m, EVENT_RUNTIME, "cudaMemcpyAsync", 10, 15, 3);
	made_add(m, EVENT_KERNEL, "a", 10, 50, 1);
	made_add(m, EVENT_KERNEL, "b", 20, 40, 2)->track = MADE_STREAM2;
	made_add(m, EVENT_MEMCPY, "Memcpy DtoD (Device -> Device)", 60, 70, 3);
	made_add(m, EVENT_KERNEL, "c", 65, 90, 9)->track = MADE_STREAM2;
	analyse(&w);
	assert_sound(&w.a);
	assert_int_equal(w.a.window.source, WINDOW_DEVICE);
	assert_int_equal(w.a.window.start_ns, 0);
	assert_int_equal(w.a.window.end_ns, 90000);
	assert_int_equal(w.a.window.busy_ns, 70000);
	assert_int_equal(w.a.window.kernel_busy_ns, 65000);
	assert_int_equal(w.a.device_ns, 95000);
	assert_int_equal(w.a.n_gaps, 2);
	assert_int_equal(analysis_gap(&w.a, 1).before, made_find(&m->trace, "a", 0));
	assert_int_equal(w.a.n_unlinked, 1);
	assert_int_equal(w.a.n_launches, 2);
	assert_int_equal(w.a.n_copy_calls, 1);
	assert_int_equal(w.a.busy[BUSY_STEPS].window_ns, 0);
}

static void same_name_other_grid_is_another_activity(void **state)
{
	TEST_WORLD(w);
	for (int i = 0; i < 3; i++) {
		struct made_event *e =
			made_add(&w.made, EVENT_KERNEL, "nvjet_tst", 10 * i, 10 * i + 4, 0);
		e->grid = i < 2 ? 8 : 16;
		e->block = 128;
	}
	analyse(&w);
	assert_sound(&w.a);
	assert_int_equal(w.a.n_activities, 2);
	assert_int_equal(w.a.activities[0].calls, 2);
	assert_int_equal(w.a.activities[0].grid[0], 8);
	assert_int_equal(w.a.activities[1].grid[0], 16);
	assert_int_equal(w.a.activities[1].block[0], 128);
	const struct activity *act = &w.a.activities[1];
	assert_int_equal(launch_delays_of(w.a.trace, act->row, act->calls).n, 0);
	assert_near(w.a.call_median_ns, 0);
}

/* One graph launch is one launch, whatever it starts; a driver call inside a runtime call is not
 * another; what a call queued decides over its name. */
static void launches_are_counted_once(void **state)
{
	TEST_WORLD(w);
	struct made_trace *m = &w.made;
	made_add(m, EVENT_ANNOTATION, "ProfilerStep#7", 0, 100, 0);
	made_add(m, EVENT_RUNTIME, "hostGraphLaunch", 10, 20, 1);
	made_add(m, EVENT_MEMCPY, "Memcpy HtoH", 30, 40, 1);
	made_add(m, EVENT_KERNEL, "x matmul", 40, 50, 1);
	made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", 30, 50, 0);
	made_add(m, EVENT_DRIVER, "cuLaunchKernel", 35, 45, 2);
	made_add(m, EVENT_KERNEL, "x add", 55, 60, 2);
	made_add(m, EVENT_RUNTIME, "hostLaunch", 60, 65, 3);
	made_add(m, EVENT_MEMCPY, "Memcpy HtoH", 70, 75, 3);
	made_add(m, EVENT_RUNTIME, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", 80, 81, 0);
	analyse(&w);
	assert_sound(&w.a);
	const struct step *s = &w.a.steps[0];
	assert_int_equal(s->launches, 2);
	assert_int_equal(s->copy_calls, 1);
	assert_int_equal(s->queries, 1);
	assert_int_equal(s->kernels, 2);
	assert_int_equal(s->copies, 2);
	uint32_t add = made_find(&m->trace, "x add", 0);
	assert_int_equal(
		analysis_launch_of(&m->trace, add), made_find(&m->trace, "cudaLaunchKernel", 0));
	struct stats calls = launch_calls_of(&m->trace, w.a.device_rows, w.a.n_device);
	assert_int_equal(calls.max, 20000);
}

static void compile_rows(void **state)
{
	TEST_WORLD(w);
	struct made_trace *m = &w.made;
	static const char *const region[] = {
		"compiled region 0/0", "compiled region 0/0", "compiled region 0/1"};
	static const char *const graph[] = {
		"call graph 00ab", "call graph 00ab", "call graph 00cd"};
	for (int i = 0; i < 3; i++) {
		made_add(m, EVENT_OP, "cache lookup", 100 * i, 100 * i + 10, 0);
		made_add(m, EVENT_OP, "guard check", 100 * i + 2, 100 * i + 5, 0);
		made_add(m, EVENT_OP, region[i], 100 * i + 20, 100 * i + 90, 0);
		made_add(m, EVENT_OP, graph[i], 100 * i + 30, 100 * i + 80, 0);
	}
	analyse(&w);
	assert_sound(&w.a);
	const struct compile_facts *c = &w.a.compile;
	assert_int_equal(c->lookups, 3);
	assert_int_equal(c->lookup_ns, 30000);
	assert_int_equal(c->guard_ns, 9000);
	assert_int_equal(c->regions, 3);
	assert_int_equal(c->frames, 1);
	assert_int_equal(c->graph_calls, 3);
	assert_int_equal(c->n_hashes, 2);
	assert_string_equal(c->hash[0], "00ab");
	assert_int_equal(c->recompiles, 1);
}

static void pytorchs_compile_rows(void **state)
{
	TEST_WORLD(w);
	struct made_trace *m = &w.made;
	made_add(m, EVENT_OP, "TorchDynamo Cache Lookup", 0, 3, 0);
	made_add(m, EVENT_ANNOTATION, "Torch-Compiled Region: 0/0", 5, 90, 0);
	made_add(m, EVENT_ANNOTATION, "Torch-Compiled Region: 1/0", 100, 190, 0);
	made_add(m, EVENT_OP, "AOTDispatcher Runtime Wrapper Prologue", 6, 7, 0);
	made_add(m, EVENT_ANNOTATION, "## Call CompiledFxGraph fhash1 ##", 10, 80, 0);
	made_add(m, EVENT_ANNOTATION, "## Call CompiledFxGraph fhash2 ##", 110, 180, 0);
	analyse(&w);
	assert_int_equal(w.a.compile.lookups, 1);
	assert_int_equal(w.a.compile.frames, 2);
	assert_int_equal(w.a.compile.n_hashes, 2);
	assert_string_equal(w.a.compile.hash[1], "fhash2");
	assert_int_equal(w.a.compile.recompiles, 0);
	assert_int_equal(
		w.a.class[made_find(&m->trace, "Torch-Compiled Region: 1/0", 0)], CLASS_COMPILE);
}

static void traces_that_lack_something(void **state)
{
	(void)state;
	struct world w = {0};
	analyse(&w);
	assert_sound(&w.a);
	assert_int_equal(w.a.window.source, WINDOW_NONE);
	assert_int_equal(w.a.main_track, NO_ROW);
	assert_int_equal(w.a.regime.regime, REGIME_NONE);
	release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_OP, "aten::relu", 10, 30, 0);
	made_add(&w.made, EVENT_INSTANT, "[memory]", 500, 500, 0);
	analyse(&w);
	assert_sound(&w.a);
	assert_int_equal(w.a.window.source, WINDOW_HOST);
	assert_int_equal(w.a.window.end_ns, 30000);
	assert_int_equal(w.a.regime.regime, REGIME_NONE);
	assert_int_equal(w.a.profiler_table.n, 1);
	release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_KERNEL, "alone", 10, 10, 0);
	analyse(&w);
	assert_sound(&w.a);
	assert_int_equal(w.a.window.source, WINDOW_DEVICE);
	assert_near(w.a.window.busy_share, 0);
	release(&w);
}

/* Whatever the time before was: forth, back, between steps and outside. */
static void steps_near_the_last_one(void **state)
{
	(void)state;
	struct world w;
	three_steps(&w);
	uint32_t near = 0;
	for (int64_t i = 0, ns = 0; i < 4000; i++, ns = (ns + i * 7919) % 450000) {
		uint32_t step = analysis_step_at(&w.a, ns);
		assert_int_equal(analysis_step_near(&w.a, ns, &near), step);
		if (step != NO_ROW)
			assert_int_equal(near, step);
	}
	release(&w);
	w = (struct world){0};
	made_add(&w.made, EVENT_KERNEL, "alone", 10, 20, 0);
	analyse(&w);
	near = 0;
	assert_int_equal(analysis_step_near(&w.a, 15000, &near), NO_ROW);
	release(&w);
}

static void steps_of_the_main_thread_only(void **state)
{
	TEST_WORLD(w);
	struct made_trace *m = &w.made;
	made_add(m, EVENT_ANNOTATION, "ProfilerStep#3", 0, 10, 0)->track = MADE_OTHER_THREAD;
	made_add(m, EVENT_ANNOTATION, "ProfilerStep#3", 0, 50, 0);
	made_add(m, EVENT_ANNOTATION, "ProfilerStep#4", 50, 90, 0);
	/* another thread launches during a step of the main thread */
	made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", 60, 70, 1)->track = MADE_OTHER_THREAD;
	made_add(m, EVENT_KERNEL, "k", 100, 120, 1);
	made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", 90, 95, 2);
	made_add(m, EVENT_KERNEL, "k", 120, 130, 2);
	analyse(&w);
	assert_sound(&w.a);
	assert_int_equal(w.a.n_steps, 2);
	assert_int_equal(w.a.steps[0].n_device, 0);
	assert_int_equal(w.a.steps[1].n_device, 1);
	assert_int_equal(analysis_step_at(&w.a, 89999), 1);
	assert_int_equal(analysis_step_at(&w.a, 90000), NO_ROW);
	assert_int_equal(w.a.window.end_ns, 130000);
}

/* Its numbers are those of the tests above. With TRACEBOOK_UPDATE set, the file is written anew. */
static void the_dump(void **state)
{
	(void)state;
	static const char path[] = "tests/data/analysis/three_steps.txt";
	struct world w;
	three_steps(&w);
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	analysis_dump(&w.a, f);
	fclose(f);
	assert_golden(path, text);
	free(text);
	release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_by_launch_time),
		cmocka_unit_test(first_call_costs),
		cmocka_unit_test(costs_of_other_threads),
		cmocka_unit_test(window_and_gaps),
		cmocka_unit_test(activities_by_total),
		cmocka_unit_test(regime_of_small_steps),
		cmocka_unit_test(streams_overlap),
		cmocka_unit_test(same_name_other_grid_is_another_activity),
		cmocka_unit_test(launches_are_counted_once),
		cmocka_unit_test(compile_rows),
		cmocka_unit_test(pytorchs_compile_rows),
		cmocka_unit_test(traces_that_lack_something),
		cmocka_unit_test(steps_near_the_last_one),
		cmocka_unit_test(steps_of_the_main_thread_only),
		cmocka_unit_test(the_dump),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
