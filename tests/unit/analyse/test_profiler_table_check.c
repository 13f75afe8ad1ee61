/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The totals of the table by other ways than its own; then all that is counted of a trace, once as
 * text and once over every real trace at hand.
 */
#define _GNU_SOURCE /* nftw, open_memstream */
#include "report/analyse/launches.h"
#include "report/analyse/profiler_table_check.h"
#include "report/analyse/ranks.h"
#include "report/analyse/windows_to_show.h"
#include "report/read/read.h"
#include "tests/unit/golden_file.h"
#include "tests/unit/trust_world.h"

#include <ftw.h>

static struct reconcile reconcile_world(struct world *w)
{
	world_seal(w);
	struct reconcile r = reconcile_of(&w->arena, &w->a);
	assert_true(r.cpu_exact);
	assert_true(r.device_exact);
	assert_int_equal(r.owned_ns + r.unlinked_ns + r.unowned_ns, r.device_events_ns);
	return r;
}

static void roots_of_each_thread(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::linear", 0, 50, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 10, 40, 0);
	world_launch(&w, "gemm", 1, 20, 25, 30, 70);
	made_add(&w.made, EVENT_PYTHON, "not in the table", 60, 500, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 60, 80, 0);
	made_add(&w.made, EVENT_OP, "aten::is_leaf", 85, 90, 0); /* hidden, as PyTorch hides it */
	made_add(&w.made, EVENT_OP, "backward", 10, 100, 0)->track = MADE_OTHER_THREAD;
	struct reconcile r = reconcile_world(&w);
	assert_int_equal(r.cpu_footer_ns, 160000);
	assert_int_equal(r.n_threads, 2);
	assert_int_equal(r.thread[0].track, MADE_OTHER_THREAD);
	assert_int_equal(r.thread[0].roots_ns, 90000);
	assert_int_equal(r.thread[1].spans, 4);
	assert_int_equal(r.thread[1].roots, 2);
	assert_int_equal(r.thread[1].roots_ns, 70000);
	assert_int_equal(r.thread[1].union_ns, 70000);
	assert_int_equal(r.crossing_ns, 0);
	assert_int_equal(r.owned_ns, 40000);
	assert_int_equal(r.device_footer_ns, 40000);
	/* The window is 50 us, from the launch to the kernel's end. */
	assert_int_equal(r.flags, RECONCILE_THREADS | RECONCILE_WAITS);
}

static void crossing_roots_count_twice(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "a", 0, 10, 0);
	made_add(&w.made, EVENT_OP, "b", 5, 15, 0);
	made_add(&w.made, EVENT_OP, "c", 6, 8, 0); /* inside of b, and of what b covers */
	struct reconcile r = reconcile_world(&w);
	assert_int_equal(r.cpu_roots_ns, 20000);
	assert_int_equal(r.thread[0].roots, 2);
	assert_int_equal(r.thread[0].union_ns, 15000);
	assert_int_equal(r.crossing_ns, 5000);
	assert_int_equal(r.flags, RECONCILE_CROSSING);
}

static void children_longer_than_their_parent(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "parent", 0, 10, 0);
	made_add(&w.made, EVENT_OP, "a", 1, 8, 0);
	made_add(&w.made, EVENT_OP, "b", 5, 10, 0);
	struct reconcile r = reconcile_world(&w);
	assert_int_equal(r.negative_rows, 1);
	assert_int_equal(r.cpu_footer_ns, 10000);
	assert_int_equal(r.flags, RECONCILE_NEGATIVE);
}

enum { RECORDER = MADE_STREAM2 }; /* a lane that nothing else is on */

/* It stands on a thread of its own in the file, inside of what it holds up: counted there once. */
static void overhead_stands_on_the_thread_that_it_held_up(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 50, 0);
	made_add(&w.made, EVENT_OP, "beside", 60, 70, 0);
	made_add(&w.made, EVENT_OP, "of another thread", 60, 90, 0)->track = MADE_OTHER_THREAD;
	made_add(&w.made, EVENT_OVERHEAD, "Buffer Request", 10, 30, 0)->track = RECORDER;
	made_add(&w.made, EVENT_OVERHEAD, "in none", 45, 55, 0)->track = RECORDER;
	made_add(&w.made, EVENT_OVERHEAD, "in two", 62, 65, 0)->track = RECORDER;
	made_add(&w.made, EVENT_OVERHEAD, "in the other", 72, 75, 0)->track = RECORDER;
	struct reconcile r = reconcile_world(&w);
	assert_int_equal(r.cpu_footer_ns, 100000); /* 50 + 10 + 30, and 10 that nobody held */
	assert_int_equal(r.n_threads, 3);
	assert_int_equal(r.thread[0].spans, 4);
	assert_int_equal(r.thread[0].roots_ns, 60000);
	assert_int_equal(r.thread[1].spans, 2);
	assert_int_equal(r.thread[2].roots_ns, 10000);
	for (size_t i = 0; i < w.a.profiler_table.n; i++)
		if (!strcmp(w.a.profiler_table.row[i].name, "aten::mm"))
			assert_int_equal(w.a.profiler_table.row[i].self_cpu_ns, 30000);
}

/* Kineto draws a range's shadow 1 ns around its work; whole microseconds are as they are. */
static void shadows_are_as_long_as_their_work(void **state)
{
	(void)state;
	for (int whole = 0; whole < 2; whole++) {
		struct world w = {.made.trace.resolution_ns = whole ? 1000 : 1};
		made_add(&w.made, EVENT_KERNEL, "a", 10, 20, 0);
		made_add(&w.made, EVENT_KERNEL, "b", 30, 40, 0);
		made_add(&w.made, EVENT_GPU_ANNOTATION, "range", 9.999, 40.001, 0);
		struct reconcile r = reconcile_world(&w);
		assert_int_equal(r.annotations_ns, whole ? 30002 : 30000);
		world_release(&w);
	}
}

static void what_device_time_belongs_to(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 20, 0);
	world_launch(&w, "gemm", 1, 5, 10, 15, 45); /* the operator's */
	world_launch(&w, "bare", 2, 30, 35, 50, 55); /* launched outside of operators */
	made_add(&w.made, EVENT_KERNEL, "orphan", 60, 80, 9);
	made_add(&w.made, EVENT_GPU_ANNOTATION, "range", 15, 80, 0);
	struct reconcile r = reconcile_world(&w);
	assert_int_equal(r.device_footer_ns, 55000);
	assert_int_equal(r.owned_ns, 30000);
	assert_int_equal(r.unlinked_ns, 20000);
	assert_int_equal(r.unowned_ns, 5000);
	assert_int_equal(r.annotation_rows, 1);
	assert_int_equal(r.annotations_ns, 65000);
	assert_int_equal(r.flags, RECONCILE_ANNOTATIONS | RECONCILE_UNOWNED);
}

static void sums_unions_and_what_they_are_shares_of(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 200, 0);
	made_add(&w.made, EVENT_KERNEL, "a", 20, 60, 0);
	made_add(&w.made, EVENT_KERNEL, "b", 40, 80, 0)->track = MADE_STREAM2;
	made_add(&w.made, EVENT_MEMCPY, "Memcpy HtoD", 70, 100, 0);
	struct reconcile r = reconcile_world(&w);
	static const int64_t wanted[DEVICE_LINES][2] = {
		[LINE_KERNEL_SUM] = {80000, 60000},
		[LINE_KERNEL_UNION] = {60000, 80000},
		[LINE_DEVICE_SUM] = {110000, 80000},
		[LINE_DEVICE_UNION] = {80000, 80000},
		[LINE_WINDOW_KERNELS] = {60000, 200000},
		[LINE_WINDOW_DEVICE] = {80000, 200000},
	};
	for (int i = 0; i < DEVICE_LINES; i++) {
		assert_int_equal(r.line[i].ns, wanted[i][0]);
		assert_int_equal(r.line[i].of_ns, wanted[i][1]);
		assert_near(r.line[i].share, (double)wanted[i][0] / (double)wanted[i][1]);
	}
	assert_true(r.flags & RECONCILE_OVERLAP);
}

static void nothing_to_add_up(void **state)
{
	TEST_WORLD(w);
	struct reconcile r = reconcile_world(&w);
	assert_int_equal(r.n_threads, 0);
	assert_int_equal(r.flags, 0);
	for (int i = 0; i < DEVICE_LINES; i++)
		assert_near(r.line[i].share, 0);
}

/* ---- all of a trace ---- */

/* Everything that is counted of one trace. */
struct counted {
	struct trace trace;
	struct arena arena;
	struct analysis a;
	struct idle_causes idle_causes;
	struct launch_stats launches;
	struct streams streams;
	struct windows windows;
	struct reconcile totals;
};

/* False when the file is no trace. */
static bool count_file(struct counted *c, const char *path)
{
	struct err err = {0};
	*c = (struct counted){0};
	trace_init(&c->trace);
	if (trace_read(&c->trace, path, &(struct read_options){0}, &err))
		return false;
	c->a = analysis_of(&c->arena, &c->trace);
	c->idle_causes = idle_causes_of(&c->arena, &c->a);
	c->launches = launch_stats_of(&c->a);
	c->streams = streams_of(&c->arena, &c->a);
	c->windows = windows_of(&c->a, &c->idle_causes);
	c->totals = reconcile_of(&c->arena, &c->a);
	return true;
}

static void release(struct counted *c)
{
	arena_release(&c->arena);
	trace_release(&c->trace);
}

static void dump_all(const struct counted *c, FILE *f)
{
	idle_causes_dump(&c->idle_causes, &c->a, f);
	launch_stats_dump(&c->launches, &c->a, f);
	streams_dump(&c->streams, &c->a, f);
	windows_dump(&c->windows, &c->a, f);
	reconcile_dump(&c->totals, &c->a, f);
}

/* A trace of 36 rows with a gap of every cause, two streams, a graph, a copy and a collective. The
 * causes were summed by hand: before 50, order 2, sync 55, profiler 105, host 300 + 140, latency
 * 1 + 20 + 183, unknown 30, graph 5, after 100 are the 991 us that 409 of 1400 leave. With
 * TRACEBOOK_UPDATE set, the file is written anew. */
static void the_dumps(void **state)
{
	(void)state;
	struct counted c;
	assert_true(count_file(&c, "tests/data/trust/every_cause.json"));
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	dump_all(&c, f);
	struct rank_part part[] = {
		{&c.a, &c.idle_causes, &c.streams}, {&c.a, &c.idle_causes, &c.streams}};
	struct ranks ranks = ranks_of(&c.arena, part, 2);
	ranks_dump(&ranks, f);
	fclose(f);
	assert_golden("tests/data/trust/every_cause.txt", text);
	free(text);
	release(&c);
}

/* ---- real traces ---- */

static int traces_seen;

static void assert_counted(const struct counted *c)
{
	const struct streams *s = &c->streams;
	assert_idle_causes(&c->idle_causes, &c->a);
	assert_true(c->totals.cpu_exact);
	assert_true(c->totals.device_exact);
	assert_int_equal(c->launches.n_kernels + c->launches.n_unlinked, c->a.n_kernels);
	assert_true(c->launches.queue_max <= c->a.n_device);
	assert_int_equal(s->window_ns,
		s->compute_ns + s->exposed_communication_ns + s->exposed_copy_ns + s->idle_ns);
	if (c->a.n_device)
		assert_int_equal(s->idle_ns, c->a.window.idle_ns);
	size_t events = 0;
	for (uint32_t i = 0; i < s->n_streams; i++)
		events += s->stream[i].kernels + s->stream[i].copies + s->stream[i].fills;
	assert_int_equal(events, c->a.n_device);
	for (uint32_t i = 0; i < c->windows.n; i++) {
		const struct shown_window *w = &c->windows.window[i];
		assert_true(w->start_ns < w->end_ns);
		/* More only where more begin in one nanosecond. */
		assert_true(w->events <= WINDOW_EVENTS || w->end_ns - w->start_ns == 1);
	}
}

static int look_at(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)ftw;
	(void)st;
	struct counted c;
	if (flag != FTW_F || !count_file(&c, path))
		return 0;
	assert_counted(&c);
	FILE *f = fopen("/dev/null", "w");
	assert_non_null(f);
	dump_all(&c, f);
	fclose(f);
	release(&c);
	traces_seen++;
	return 0;
}

static void every_real_trace_adds_up(void **state)
{
	(void)state;
	char path[4096];
	const char *shared = getenv("TRACEBOOK_SHARED");
	snprintf(path, sizeof path, "%s/traces", shared ? shared : "../shared");
	nftw(path, look_at, 8, FTW_PHYS);
	if (!traces_seen) {
		print_message("no traces in TRACEBOOK_SHARED or ../shared\n");
		skip();
	}
	assert_true(traces_seen > 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roots_of_each_thread),
		cmocka_unit_test(crossing_roots_count_twice),
		cmocka_unit_test(children_longer_than_their_parent),
		cmocka_unit_test(overhead_stands_on_the_thread_that_it_held_up),
		cmocka_unit_test(shadows_are_as_long_as_their_work),
		cmocka_unit_test(what_device_time_belongs_to),
		cmocka_unit_test(sums_unions_and_what_they_are_shares_of),
		cmocka_unit_test(nothing_to_add_up),
		cmocka_unit_test(the_dumps),
		cmocka_unit_test(every_real_trace_adds_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
