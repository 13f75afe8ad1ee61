/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every gap of the device and its cause: each rule alone and at its border.
 */
#include "tests/unit/trust_world.h"

/* The cause of the nth gap. */
static enum idle_cause cause_at(const struct idle_causes *l, size_t n)
{
	assert_true(n < l->n_gaps);
	return (enum idle_cause)l->why[n].cause;
}

/* One kernel from 10 to 20 us, then another; the gap between them is the second of idle_causes,
 * after the stretch before the first. */
static enum idle_cause cause_of_launch(double call_us, double called_us, double start_us)
{
	struct world w = {0};
	world_launch(&w, "first", 1, 0, 5, 10, 20);
	world_launch(&w, "second", 2, call_us, called_us, start_us, start_us + 5);
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(l.n_gaps, 2);
	assert_int_equal(cause_at(&l, 0), IDLE_BEFORE);
	enum idle_cause cause = cause_at(&l, 1);
	world_release(&w);
	return cause;
}

static void late_or_on_its_way(void **state)
{
	(void)state;
	/* The launch begins as the device falls idle, or later. */
	assert_int_equal(cause_of_launch(20, 23, 30), IDLE_LATENCY);
	assert_int_equal(cause_of_launch(20.001, 23, 30), IDLE_HOST);
	assert_int_equal(cause_of_launch(40, 43, 50), IDLE_HOST);
	/* The call is running, or has ended up to 20 us before the kernel begins. */
	assert_int_equal(cause_of_launch(15, 25, 30), IDLE_LATENCY);
	assert_int_equal(cause_of_launch(15, 18, 38), IDLE_LATENCY);
	assert_int_equal(cause_of_launch(15, 18, 38.001), IDLE_HELD);
	/* The call is slow and most of the gap. */
	assert_int_equal(cause_of_launch(30, 80, 90), IDLE_HOST);
	assert_int_equal(cause_of_launch(30, 80.001, 90), IDLE_LATENCY);
	assert_int_equal(cause_of_launch(81, 141.999, 142), IDLE_HOST);
	/* Launched late, but then it waited for most of the gap. */
	assert_int_equal(cause_of_launch(30, 33, 53), IDLE_HOST);
	assert_int_equal(cause_of_launch(30, 33, 53.001), IDLE_HELD);
	/* The clocks are apart: the kernel seems to begin before its call. */
	assert_int_equal(cause_of_launch(35, 38, 30), IDLE_HOST);
}

static void host_time_is_what_passed_before_the_call(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 5, 10, 20);
	world_launch(&w, "b", 2, 26, 30, 32, 40);
	world_launch(&w, "c", 3, 35, 38, 45, 50);
	world_launch(&w, "d", 4, 70, 72, 60, 80);
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(l.n_gaps, 4);
	assert_int_equal(idle_gap_at(&l, 1).host_ns, 6000); /* 20 to 26 of 20 to 32 */
	assert_int_equal(idle_gap_at(&l, 2).host_ns, 0); /* launched before 40 */
	assert_int_equal(idle_gap_at(&l, 3).host_ns, 10000); /* no more than the gap itself */
	assert_int_equal(l.sum[IDLE_HOST].n, 2);
	assert_int_equal(l.sum[IDLE_HOST].ns, 22000);
	assert_int_equal(l.sum[IDLE_HOST].host_ns, 16000);
	assert_int_equal(l.sum[IDLE_HOST].longest_ns, 12000);
	assert_int_equal(l.sum[IDLE_LATENCY].ns, 5000);
	assert_int_equal(l.sum[IDLE_BEFORE].ns, 10000);
	assert_near(l.sum[IDLE_HOST].share, 22.0 / 37);
}

static void without_a_launch_nothing_is_known(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "first", 1, 0, 5, 10, 20);
	made_add(&w.made, EVENT_KERNEL, "orphan", 30, 40, 99);
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(cause_at(&l, 1), IDLE_UNKNOWN);
	assert_int_equal(l.why[1].launch, NO_ROW);
	assert_int_equal(l.why[1].waited, NO_ROW);
}

/* ---- the profiler ---- */

static struct idle_causes with_overhead(struct world *w, const char *name, double from, double to)
{
	world_launch(w, "first", 1, 0, 5, 10, 20);
	made_add(&w->made, EVENT_OVERHEAD, name, from, to, 0)->track = MADE_OTHER_THREAD;
	world_launch(w, "second", 2, 110, 115, 120, 130);
	return idle_causes_of_world(w);
}

static enum idle_cause cause_of_overhead(const char *name, double from, double to)
{
	struct world w = {0};
	struct idle_causes l = with_overhead(&w, name, from, to);
	enum idle_cause cause = cause_at(&l, 1);
	world_release(&w);
	return cause;
}

static void profiler_takes_half_of_the_gap(void **state)
{
	(void)state;
	assert_int_equal(cause_of_overhead("Activity Buffer Request", 20, 70), IDLE_PROFILER);
	assert_int_equal(cause_of_overhead("Activity Buffer Request", 20, 69.999), IDLE_HOST);
	assert_int_equal(cause_of_overhead("Buffer Flush", 0, 500), IDLE_PROFILER);
	assert_int_equal(cause_of_overhead("Instrumentation", 130, 500), IDLE_HOST);
	assert_int_equal(cause_of_overhead("Unrecognized", 60, 160), IDLE_PROFILER);
}

/* What had been launched in time was not kept waiting by what the recorder did to the host. */
static void queued_work_does_not_wait_for_the_recorder(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct world w = {0};
		double call = late ? 110 : 6;
		world_launch(&w, "first", 1, 0, 5, 10, 20);
		made_add(&w.made, EVENT_OVERHEAD, "Buffer Flush", 20, 100, 0)->track =
			MADE_OTHER_THREAD;
		world_launch(&w, "second", 2, call, call + 2, 120, 130);
		struct idle_causes l = idle_causes_of_world(&w);
		assert_int_equal(cause_at(&l, 1), late ? IDLE_PROFILER : IDLE_HELD);
		world_release(&w);
	}
}

static void loading_code_is_not_the_profilers(void **state)
{
	(void)state;
	static const char *const names[] = {"Lazy Function Loading",
		"Runtime Triggered Module Loading", "Driver Compiler", "Command Buffer Full"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct world w = {0};
		struct idle_causes l = with_overhead(&w, names[i], 20, 110);
		assert_int_equal(cause_at(&l, 1), IDLE_HOST);
		assert_int_equal(l.why[1].evidence, made_find(&w.made.trace, names[i], 0));
		world_release(&w);
	}
	assert_int_equal(cause_of_overhead("Lazy Function Loading", 30, 60), IDLE_HOST);
}

/* Two rows that overlap count once; the longer one is the evidence. */
static void overheads_are_a_union(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_OVERHEAD, "Resource", 20, 40, 0)->track = MADE_OTHER_THREAD;
	made_add(&w.made, EVENT_OVERHEAD, "Instrumentation", 25, 60, 0);
	struct idle_causes l = with_overhead(&w, "Buffer Flush", 90, 99.999);
	assert_int_equal(cause_at(&l, 1), IDLE_HOST); /* 40 and 9.999 of 100 */
	world_release(&w);
	w = (struct world){0};
	made_add(&w.made, EVENT_OVERHEAD, "Resource", 20, 40, 0)->track = MADE_OTHER_THREAD;
	made_add(&w.made, EVENT_OVERHEAD, "Instrumentation", 25, 60, 0);
	l = with_overhead(&w, "Buffer Flush", 90, 100);
	assert_int_equal(cause_at(&l, 1), IDLE_PROFILER);
	assert_int_equal(l.why[1].evidence, made_find(&w.made.trace, "Instrumentation", 0));
	world_release(&w);
}

/* ---- waits ---- */

static enum idle_cause cause_after_wait(
	const char *name, double from_us, double to_us, double call_us, uint32_t track)
{
	struct world w = {0};
	world_launch(&w, "first", 1, 0, 5, 10, 20);
	made_add(&w.made, EVENT_RUNTIME, name, from_us, to_us, 0)->track = track;
	world_launch(&w, "second", 2, call_us, call_us + 5, call_us + 8, call_us + 20);
	struct idle_causes l = idle_causes_of_world(&w);
	enum idle_cause cause = cause_at(&l, 1);
	if (cause == IDLE_SYNC)
		assert_int_equal(l.why[1].evidence, made_find(&w.made.trace, name, 0));
	world_release(&w);
	return cause;
}

static void wait_drains_the_device(void **state)
{
	(void)state;
	static const char name[] = "cudaStreamSynchronize";
	assert_int_equal(cause_after_wait(name, 6, 22, 40, MADE_HOST), IDLE_SYNC);
	assert_int_equal(cause_after_wait(name, 6, 20, 40, MADE_HOST), IDLE_SYNC);
	assert_int_equal(cause_after_wait("hipDeviceSynchronize", 6, 22, 40, MADE_HOST), IDLE_SYNC);
	/* Another thread's wait, one that ended while the device worked, one that had nothing to
	 * wait for any more. */
	assert_int_equal(cause_after_wait(name, 6, 22, 40, MADE_OTHER_THREAD), IDLE_HOST);
	assert_int_equal(cause_after_wait(name, 6, 19.999, 40, MADE_HOST), IDLE_HOST);
	assert_int_equal(cause_after_wait(name, 20, 25, 40, MADE_HOST), IDLE_HOST);
	/* A millisecond after it, the thread had other things to do. */
	assert_int_equal(cause_after_wait(name, 6, 22, 1022, MADE_HOST), IDLE_SYNC);
	assert_int_equal(cause_after_wait(name, 6, 22, 1022.001, MADE_HOST), IDLE_HOST);
}

static enum idle_cause cause_after_copy(const char *copy, const char *call, double called_us)
{
	struct world w = {0};
	world_copy(&w, copy, call, 1, (double[]){0, called_us, 10, 20});
	world_launch(&w, "kernel", 2, 40, 45, 48, 60);
	struct idle_causes l = idle_causes_of_world(&w);
	enum idle_cause cause = cause_at(&l, 1);
	world_release(&w);
	return cause;
}

static void some_copies_are_waits(void **state)
{
	(void)state;
	static const char pageable[] = "Memcpy DtoH (Device -> Pageable)",
			  pinned[] = "Memcpy DtoH (Device -> Pinned)";
	assert_int_equal(cause_after_copy(pageable, "cudaMemcpyAsync", 22), IDLE_SYNC);
	assert_int_equal(cause_after_copy(pageable, "cudaMemcpyAsync", 20), IDLE_SYNC);
	assert_int_equal(cause_after_copy(pageable, "cudaMemcpyAsync", 19), IDLE_HOST);
	assert_int_equal(cause_after_copy(pinned, "cudaMemcpyAsync", 22), IDLE_HOST);
	assert_int_equal(cause_after_copy(pinned, "cudaMemcpy", 22), IDLE_SYNC);
	assert_int_equal(
		cause_after_copy("Memcpy DtoH (Device -> Host)", "hipMemcpyWithStream", 22),
		IDLE_SYNC);
}

/* ---- held ---- */

/* The hold of the gap between two events that were launched long before. */
static enum idle_hold hold_of_gap(struct world *w, double gap_us)
{
	static const char *const calls[] = {"cudaLaunchKernel", "cudaLaunchKernel"};
	made_add(&w->made, EVENT_RUNTIME, calls[0], 0, 5, 1);
	made_add(&w->made, EVENT_RUNTIME, calls[1], 5, 10, 2);
	made_add(&w->made, EVENT_KERNEL, "after", 200 + gap_us, 300, 2);
	struct idle_causes l = idle_causes_of_world(w);
	assert_int_equal(cause_at(&l, 1), IDLE_HELD);
	enum idle_hold hold = (enum idle_hold)l.why[1].hold;
	assert_int_equal(l.held[hold].n, 1);
	world_release(w);
	return hold;
}

static enum idle_hold hold_behind(enum event_kind kind, const char *name, uint32_t track, double us)
{
	struct world w = {0};
	made_add(&w.made, kind, name, 100, 200, 1)->track = track;
	return hold_of_gap(&w, us);
}

static void what_held_the_event_back(void **state)
{
	(void)state;
	assert_int_equal(hold_behind(EVENT_KERNEL, "k", MADE_STREAM, 2), HOLD_ORDER);
	assert_int_equal(hold_behind(EVENT_KERNEL, "k", MADE_STREAM, 30), HOLD_ORDER);
	assert_int_equal(hold_behind(EVENT_KERNEL, "k", MADE_STREAM, 30.001), HOLD_UNSEEN);
	assert_int_equal(hold_behind(EVENT_KERNEL, "k", MADE_STREAM2, 2), HOLD_STREAM);
	assert_int_equal(hold_behind(EVENT_KERNEL, "k", MADE_STREAM2, 50), HOLD_UNSEEN);
	assert_int_equal(hold_behind(EVENT_MEMCPY, "Memcpy HtoD", MADE_STREAM2, 2), HOLD_COPY);
	assert_int_equal(hold_behind(EVENT_MEMSET, "Memset (Device)", MADE_STREAM, 2), HOLD_COPY);
	assert_int_equal(hold_behind(EVENT_KERNEL, "ncclDevKernel_AllReduce", MADE_STREAM2, 2),
		HOLD_COMMUNICATION);
	/* Both from one launch. */
	struct world w = {0};
	made_add(&w.made, EVENT_KERNEL, "node", 100, 200, 2);
	assert_int_equal(hold_of_gap(&w, 2), HOLD_GRAPH);
}

/* ---- the ends of the window ---- */

static void ends_of_the_window_stand_apart(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 100, 400, 0);
	world_launch(&w, "warm-up", 1, 0, 5, 10, 50);
	world_launch(&w, "inside", 2, 110, 115, 120, 300);
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(l.n_gaps, 2);
	assert_int_equal(cause_at(&l, 0), IDLE_BEFORE);
	assert_int_equal(cause_at(&l, 1), IDLE_AFTER);
	assert_int_equal(l.sum[IDLE_BEFORE].ns, 20000);
	assert_int_equal(l.sum[IDLE_AFTER].ns, 100000);
	assert_int_equal(l.window_ns, 300000);
	assert_int_equal(l.n_longest, 2);
	assert_int_equal(l.longest[0], 1);
}

static void events_outside_of_the_window_end_nothing(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 100, 400, 0);
	world_launch(&w, "warm-up", 1, 0, 5, 10, 50);
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(l.n_gaps, 1);
	assert_int_equal(cause_at(&l, 0), IDLE_BEFORE);
	assert_int_equal(l.idle_ns, 300000);
	assert_int_equal(l.n_devices, 1);
}

static void nothing_to_explain(void **state)
{
	(void)state;
	struct world w = {0};
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(l.n_gaps + l.n_devices + l.n_longest + l.n_waited, 0);
	world_release(&w);
	w = (struct world){0};
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 100, 0);
	l = idle_causes_of_world(&w);
	assert_int_equal(l.n_gaps + l.n_devices, 0);
	assert_int_equal(l.idle_ns, 0);
	world_release(&w);
	w = (struct world){0};
	made_add(&w.made, EVENT_KERNEL, "alone", 0, 100, 0);
	l = idle_causes_of_world(&w);
	assert_int_equal(l.n_gaps, 0);
	assert_int_equal(l.busy_ns, 100000);
	world_release(&w);
}

/* ---- several streams and devices ---- */

static void idle_means_all_streams_of_a_device(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 5, 10, 50);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 5, 8, 2);
	made_add(&w.made, EVENT_KERNEL, "b", 30, 80, 2)->track = MADE_STREAM2;
	world_launch(&w, "c", 3, 85, 88, 90, 100);
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(l.n_devices, 1);
	assert_int_equal(l.n_gaps, 2);
	assert_int_equal(idle_gap_at(&l, 1).start_ns, 80000);
	assert_int_equal(idle_gap_at(&l, 1).dur_ns, 10000);
	assert_int_equal(idle_gap_at(&l, 1).before, made_find(&w.made.trace, "b", 0));
	assert_int_equal(idle_gap_at(&l, 1).after, made_find(&w.made.trace, "c", 0));
}

/* The same events, but the second stream is another device: a window has one idle time, when no
 * device works, and each is busy for its own. */
static void devices_are_idle_together(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 5, 10, 50);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 5, 8, 2);
	made_add(&w.made, EVENT_KERNEL, "b", 30, 80, 2)->track = MADE_STREAM2;
	world_launch(&w, "c", 3, 85, 88, 90, 100);
	struct trace *t = (struct trace *)made_seal(&w.made);
	t->tracks[MADE_STREAM].pid = 1;
	w.a = analysis_of(&w.arena, t);
	struct idle_causes l = idle_causes_of(&w.arena, &w.a);
	assert_idle_causes(&l, &w.a);
	assert_int_equal(l.n_devices, 2);
	assert_int_equal(l.devices[0].id, 0);
	assert_int_equal(l.devices[0].busy_ns, 50000);
	assert_int_equal(l.devices[1].id, 1);
	assert_int_equal(l.devices[1].busy_ns, 50000);
	assert_int_equal(l.n_gaps, 2);
	assert_int_equal(l.sum[IDLE_BEFORE].ns, 10000);
	assert_int_equal(l.sum[IDLE_HOST].ns, 10000);
	assert_int_equal(l.idle_ns, 20000);
	assert_int_equal(l.window_ns, 100000);
}

/* The number in the event's own arguments says more than the process it is filed under. */
static void the_event_tells_its_device(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "a", 1, 0, 5, 10, 50);
	struct made_event *e = made_add(&w.made, EVENT_KERNEL, "b", 30, 80, 0);
	e->track = MADE_STREAM2;
	e->grid = e->block = 1;
	struct trace *t = (struct trace *)made_seal(&w.made);
	t->kernels[0].device = 7;
	w.a = analysis_of(&w.arena, t);
	struct idle_causes l = idle_causes_of(&w.arena, &w.a);
	assert_idle_causes(&l, &w.a);
	assert_int_equal(l.n_devices, 2);
	assert_int_equal(l.devices[1].id, 7);
}

/* ---- what the thread was in ---- */

static void the_innermost_span_that_fills_half(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "first", 1, 0, 5, 10, 20);
	made_add(&w.made, EVENT_PYTHON, "module.py(1): forward", 6, 121, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 40, 120, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaMalloc", 50, 99, 0);
	made_add(&w.made, EVENT_OP, "other", 20, 120, 0)->track = MADE_OTHER_THREAD;
	world_launch(&w, "second", 2, 110, 115, 120, 130);
	struct idle_causes l = idle_causes_of_world(&w);
	/* cudaMalloc fills 49 of 100 us, aten::mm 80. */
	assert_int_equal(l.why[1].waited, made_find(&w.made.trace, "aten::mm", 0));
	assert_int_equal(l.n_waited, 1);
	assert_int_equal(l.waited[0].n, 1);
	assert_int_equal(l.waited[0].ns, 100000);
	assert_int_equal(l.waited[0].row, l.why[1].waited);
}

static void nothing_recorded_fills_half(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "first", 1, 0, 5, 10, 20);
	made_add(&w.made, EVENT_OP, "aten::a", 20, 69, 0);
	made_add(&w.made, EVENT_OP, "aten::b", 70, 119, 0);
	world_launch(&w, "second", 2, 110, 115, 120, 130);
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(l.why[1].waited, NO_ROW);
	assert_int_equal(l.n_waited, 1);
	assert_int_equal(l.waited[0].name, 0);
}

/* Twelve gaps: the ten longest, longest first; names by their sum, ten at most. */
static void ten_longest(void **state)
{
	(void)state;
	static const char *const op[] = {
		"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
	struct world w = {0};
	double at = 0;
	for (uint32_t i = 0; i < 12; i++) {
		double gap = 10 + (i * 7) % 12; /* each of 10 to 21 once */
		made_add(&w.made, EVENT_OP, op[i], at, at + gap, 0);
		world_launch(&w, "k", i + 1, at + gap - 4, at + gap - 2, at + gap, at + gap + 5);
		at += gap + 5;
	}
	struct idle_causes l = idle_causes_of_world(&w);
	assert_int_equal(l.n_gaps, 12);
	assert_int_equal(l.n_longest, LONGEST_GAPS);
	for (uint32_t i = 1; i < l.n_longest; i++)
		assert_int_equal(idle_gap_at(&l, l.longest[i]).dur_ns, 21000 - 1000 * (int64_t)i);
	assert_int_equal(l.n_waited, IDLE_WAITED_NAMES);
	assert_int_equal(l.waited[0].ns, 21000);
	assert_int_equal(l.waited[9].ns, 12000);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_or_on_its_way),
		cmocka_unit_test(host_time_is_what_passed_before_the_call),
		cmocka_unit_test(without_a_launch_nothing_is_known),
		cmocka_unit_test(profiler_takes_half_of_the_gap),
		cmocka_unit_test(queued_work_does_not_wait_for_the_recorder),
		cmocka_unit_test(loading_code_is_not_the_profilers),
		cmocka_unit_test(overheads_are_a_union),
		cmocka_unit_test(wait_drains_the_device),
		cmocka_unit_test(some_copies_are_waits),
		cmocka_unit_test(what_held_the_event_back),
		cmocka_unit_test(ends_of_the_window_stand_apart),
		cmocka_unit_test(events_outside_of_the_window_end_nothing),
		cmocka_unit_test(nothing_to_explain),
		cmocka_unit_test(idle_means_all_streams_of_a_device),
		cmocka_unit_test(devices_are_idle_together),
		cmocka_unit_test(the_event_tells_its_device),
		cmocka_unit_test(the_innermost_span_that_fills_half),
		cmocka_unit_test(nothing_recorded_fills_half),
		cmocka_unit_test(ten_longest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
