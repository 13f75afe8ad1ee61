/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiments/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static void spans_nest_and_are_stamped(void **state)
{
	(void)state;
	struct recorder r;
	recorder_init(&r, 8);
	r.on = true;
	int64_t before_ns = clock_ns();
	struct span *outer = span_begin(&r, SPAN_OP, "aten::mm");
	struct span *inner = span_begin(&r, SPAN_LAUNCH, "hostLaunchKernel");
	span_end(inner);
	span_end(outer);
	int64_t after_ns = clock_ns();
	assert_int_equal(r.n, 2);
	assert_string_equal(r.span[0].name, "aten::mm");
	assert_int_equal(r.span[0].kind, SPAN_OP);
	assert_int_equal(r.span[1].kind, SPAN_LAUNCH);
	assert_int_equal(r.span[0].thread, gettid());
	assert_true(before_ns <= outer->start_ns && outer->start_ns <= inner->start_ns);
	assert_true(inner->start_ns <= inner->end_ns && inner->end_ns <= outer->end_ns);
	assert_true(outer->end_ns <= after_ns);
	assert_true(!inner->shapes && !inner->correlation && !inner->external && !inner->bytes);
	recorder_release(&r);
}

static void off_records_nothing(void **state)
{
	(void)state;
	struct recorder r;
	recorder_init(&r, 8);
	assert_null(span_begin(&r, SPAN_OP, "off"));
	span_end(NULL);
	assert_int_equal(r.n, 0);
	assert_int_equal(r.dropped, 0);
	recorder_release(&r);
}

static void full_recorder_counts_what_it_drops(void **state)
{
	(void)state;
	struct recorder r;
	recorder_init(&r, 3);
	r.on = true;
	for (int i = 0; i < 10; i++)
		span_end(span_begin(&r, SPAN_OP, "x"));
	assert_int_equal(r.n, 3);
	assert_int_equal(r.dropped, 7);
	assert_null(span_begin(&r, SPAN_OP, "x"));
	recorder_release(&r);
}

static void recording_faults_no_page(void **state)
{
	(void)state;
	struct recorder r;
	enum { ROOM = 100000 };
	recorder_init(&r, ROOM);
	r.on = true;
	span_end(span_begin(&r, SPAN_OP, "first"));
	struct rusage before, after;
	getrusage(RUSAGE_THREAD, &before);
	for (int i = 1; i < ROOM; i++)
		span_end(span_begin(&r, SPAN_OP, "x"));
	getrusage(RUSAGE_THREAD, &after);
	assert_int_equal(r.n, ROOM);
	/* 6.4 MB are 1562 pages; a few faults belong to the program around */
	assert_true(after.ru_minflt - before.ru_minflt < 50);
	recorder_release(&r);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void a_span_is_cheap(void **state)
{
	(void)state;
	enum { BATCHES = 51, BATCH = 1000 };
	double ns[BATCHES];
	struct recorder r;
	recorder_init(&r, BATCH);
	r.on = true;
	for (int b = 0; b < BATCHES; b++) {
		r.n = 0;
		int64_t start_ns = clock_ns();
		for (int i = 0; i < BATCH; i++)
			span_end(span_begin(&r, SPAN_OP, "x"));
		ns[b] = (double)(clock_ns() - start_ns) / BATCH;
	}
	qsort(ns, BATCHES, sizeof *ns, by_size);
	print_message("one span: median %.1f ns\n", ns[BATCHES / 2]);
	assert_true(ns[BATCHES / 2] < 10000);
	recorder_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_nest_and_are_stamped),
		cmocka_unit_test(off_records_nothing),
		cmocka_unit_test(full_recorder_counts_what_it_drops),
		cmocka_unit_test(recording_faults_no_page),
		cmocka_unit_test(a_span_is_cheap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
