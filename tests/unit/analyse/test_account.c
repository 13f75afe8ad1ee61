/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the time, moment by moment: on the device, and on a thread. */
#include "report/analyse/account.h"
#include "tests/unit/trust_world.h"

#include <string.h>

enum { MOST_US = 200 };

/* A letter for each microsecond: what has it. */
struct tape {
	const struct trace *t;
	const struct analysis *a;
	char at[MOST_US + 1];
	int64_t done_ns;
};

static void write_on(struct tape *x, uint32_t row, struct time_span at)
{
	assert_int_equal(at.start_ns, x->done_ns);
	assert_true(at.end_ns > at.start_ns);
	x->done_ns = at.end_ns;
	for (int64_t i = at.start_ns / 1000; i < at.end_ns / 1000; i++)
		x->at[i] = row == NO_ROW ? '.' : *names_text(&x->t->names, x->t->name[row]);
}

static void take_event(void *to, uint32_t event, struct time_span at)
{
	struct tape *x = to;
	write_on(x, event == NO_ROW ? NO_ROW : x->a->device_rows[event], at);
}

static void take_row(void *to, uint32_t row, struct time_span at)
{
	write_on(to, row, at);
}

static void on_stream(struct world *w, const char *name, bool copy, double from, double to)
{
	made_add(&w->made, copy ? EVENT_MEMCPY : EVENT_KERNEL, name, from, to, 0)->track =
		MADE_STREAM2;
}

static void the_better_layer_has_the_time(void **state)
{
	TEST_WORLD(w);
	on_stream(&w, "ncclDevKernel_AllReduce", false, 2, 12);
	on_stream(&w, "Memcpy HtoD", true, 10, 16);
	made_add(&w.made, EVENT_KERNEL, "gemm", 4, 8, 0);
	made_add(&w.made, EVENT_KERNEL, "add", 6, 10, 0);
	const struct analysis *a = world_seal(&w);
	struct tape x = {.t = a->trace, .a = a, .done_ns = 0};
	struct device_sums s = account_device(a, (struct time_span){0, 20000}, take_event, &x);
	assert_string_equal(x.at, "..nnggggaannMMMM....");
	assert_int_equal(s.ns[DEVICE_COMPUTING], 6000);
	assert_int_equal(s.ns[DEVICE_COMMUNICATION], 4000);
	assert_int_equal(s.ns[DEVICE_COPIES], 4000);
	assert_int_equal(s.ns[DEVICE_IDLE], 6000);
	assert_int_equal(s.whole_ns[DEVICE_COMMUNICATION], 10000);
	assert_int_equal(s.whole_ns[DEVICE_COPIES], 6000);
}

static void a_part_of_the_window_is_the_same(void **state)
{
	TEST_WORLD(w);
	on_stream(&w, "ncclDevKernel_AllReduce", false, 2, 12);
	made_add(&w.made, EVENT_KERNEL, "gemm", 4, 8, 0);
	made_add(&w.made, EVENT_KERNEL, "add", 15, 30, 0);
	const struct analysis *a = world_seal(&w);
	struct tape x = {.t = a->trace, .a = a, .done_ns = 3000};
	memset(x.at, ' ', 3);
	account_device(a, (struct time_span){3000, 9000}, take_event, &x);
	assert_string_equal(x.at, "   nggggn");
}

/* Nested spans, two that cross, and another thread's, which has no part in it. */
static void the_span_that_began_last_has_the_time(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "outer", 2, 20, 0);
	made_add(&w.made, EVENT_OP, "inner", 4, 8, 0);
	made_add(&w.made, EVENT_OP, "deep", 5, 6, 0);
	made_add(&w.made, EVENT_OP, "xross", 18, 24, 0);
	made_add(&w.made, EVENT_OP, "Z", 0, 30, 0)->track = MADE_OTHER_THREAD;
	const struct analysis *a = world_seal(&w);
	uint32_t track = a->trace->track[made_find(a->trace, "outer", 0)];
	struct tape x = {.t = a->trace, .a = a, .done_ns = 0};
	struct thread_window all = {track, {0, 26000}, NO_ROW, 0};
	account_thread(a->trace, &all, take_row, &x);
	assert_string_equal(x.at, "..ooidiiooooooooooxxxxxx..");
}

/* From the middle, with the span that began last, which has ended. */
static void a_thread_from_the_middle(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "outer", 2, 20, 0);
	made_add(&w.made, EVENT_OP, "inner", 4, 8, 0);
	made_add(&w.made, EVENT_OP, "deep", 12, 14, 0);
	const struct analysis *a = world_seal(&w);
	uint32_t inner = made_find(a->trace, "inner", 0);
	struct tape x = {.t = a->trace, .a = a, .done_ns = 9000};
	memset(x.at, ' ', 9);
	struct thread_window part = {
		a->trace->track[inner], {9000, 22000}, inner, (size_t)inner + 1};
	account_thread(a->trace, &part, take_row, &x);
	assert_string_equal(x.at, "         oooddoooooo..");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_better_layer_has_the_time),
		cmocka_unit_test(a_part_of_the_window_is_the_same),
		cmocka_unit_test(the_span_that_began_last_has_the_time),
		cmocka_unit_test(a_thread_from_the_middle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
