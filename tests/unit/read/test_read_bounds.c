/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever numbers a file holds, what is read of them can be added and multiplied (TRACE_SUM). */
#include "base/config.h"
#include "report/read/read.h"
#include "report/trace/repair.h"
#include "tests/unit/read_scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_bounded(const struct trace *t)
{
	__int128 dur = 0, between = 0, bytes = 0;
	for (size_t i = 0; i < t->n; i++) {
		assert_true(t->dur_ns[i] >= 0);
		dur += t->dur_ns[i];
		if (t->launch[i] != NO_ROW && !event_is_call(t->kind[i]))
			between += llabs(t->start_ns[i] - t->start_ns[t->launch[i]]);
	}
	for (size_t i = 0; i < t->n_copies; i++)
		bytes += t->copies[i].bytes > 0 ? t->copies[i].bytes : 0;
	assert_true(dur <= TRACE_SUM);
	assert_true(between <= TRACE_SUM);
	assert_true(bytes <= TRACE_SUM);
	assert_true((__int128)t->end_ns * (t->n_tracks + 16) <= TRACE_SUM);
	for (size_t i = 0; i < t->n_kernels; i++)
		assert_true(isfinite(t->kernels[i].blocks_per_sm) &&
			isfinite(t->kernels[i].warps_per_sm));
	for (size_t i = 0; i < t->n_copies; i++)
		assert_true(isfinite(t->copies[i].gb_per_s));
	for (size_t i = 0; i < t->n_counters; i++)
		assert_true(fabs(t->counters[i].value) <= TRACE_REAL);
}

/* n rows, each made of the format by its number, read back; the caller releases the trace. */
static void read_rows(struct trace *t, int n, const char *format)
{
	char path[SCRATCH_PATH];
	struct err err = {0};
	struct read_options options = {0};
	FILE *f = fdopen(mkstemp(scratch_name(path, "bounds")), "w");
	assert_non_null(f);
	fprintf(f, "{\"traceEvents\": [\n");
	for (int i = 0; i < n; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		fprintf(f, format, i, i, i);
#pragma GCC diagnostic pop
		fputs(i + 1 < n ? ",\n" : "\n]}\n", f);
	}
	assert_int_equal(fclose(f), 0);
	trace_init(t);
	if (trace_read(t, path, &options, &err))
		fail_msg("%s", err.text);
	unlink(path);
}

static int64_t repaired(const struct trace *t, enum repair_kind kind)
{
	for (size_t i = 0; i < t->n_repairs; i++)
		if (t->repairs[i].kind == (int)kind)
			return t->repairs[i].count;
	return 0;
}

static void test_durations(void **state)
{
	struct trace t;
	(void)state;
	/* A hundred rows of a year each, inside each other. */
	read_rows(&t, 100,
		"{\"ph\":\"X\",\"name\":\"a%d\",\"pid\":1,\"tid\":1,\"ts\":%d,"
		"\"dur\":30000000000000}");
	assert_int_equal(t.n, 100);
	assert_bounded(&t);
	assert_true(repaired(&t, REPAIR_TIME_RANGE) > 0);
	trace_release(&t);
	/* A day is no damage. */
	read_rows(&t, 100,
		"{\"ph\":\"X\",\"name\":\"a%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":86400000000}");
	assert_int_equal(repaired(&t, REPAIR_TIME_RANGE), 0);
	assert_true(t.dur_ns[99] == 86400000000000);
	trace_release(&t);
}

static void test_length(void **state)
{
	struct trace t;
	(void)state;
	/* A row every six days, each on a thread of its own, for 33 years. */
	read_rows(&t, 2000,
		"{\"ph\":\"X\",\"name\":\"a%d\",\"pid\":1,\"tid\":%d,\"ts\":%d00000000000.0,"
		"\"dur\":5}");
	assert_bounded(&t);
	assert_true(t.n > 2);
	assert_true(repaired(&t, REPAIR_OTHER_CLOCK) > 0);
	trace_release(&t);
}

static void test_sizes(void **state)
{
	struct trace t;
	(void)state;
	read_rows(&t, 64,
		"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"c%d\",\"pid\":0,\"tid\":7,"
		"\"ts\":%d,\"dur\":1,\"args\":{\"stream\":7,\"bytes\":922337203685477580,"
		"\"memory bandwidth (GB/s)\":1e308}}");
	assert_bounded(&t);
	assert_int_equal(t.n_copies, 64);
	assert_int_equal(t.copies[63].bytes, -1);
	assert_true(t.copies[0].bytes == 922337203685477580);
	trace_release(&t);
}

/* A kernel a second long after its launch. */
static void test_launches(void **state)
{
	struct trace t;
	(void)state;
	read_rows(&t, 40,
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
		"\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}},\n"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,"
		"\"ts\":500000000000,\"dur\":1,\"args\":{\"stream\":7,\"correlation\":%d}}");
	assert_bounded(&t);
	assert_true(t.launch[79] != NO_ROW);
	trace_release(&t);
}

static void test_numbers_of_files(void **state)
{
	(void)state;
	assert_true(bounded_number(1e308) == 1e30 && bounded_number(-1e308) == -1e30);
	assert_true(bounded_number(1e-300) == 0 && bounded_number(-0.5) == -0.5);
	assert_true(isnan(bounded_number((double)NAN)));
	assert_true(bounded_number((double)INFINITY) == 1e30);
	assert_true(number_of_text("2.5") == 2.5 && number_of_text("1e300") == 1e30);
	static const char *const none[] = {"", "x", "1 2", "nan", "inf", "-Infinity", "1e400"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_true(isnan(number_of_text(none[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_launches),
		cmocka_unit_test(test_numbers_of_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
