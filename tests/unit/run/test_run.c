/* SPDX-License-Identifier: Apache-2.0 */
/* What a report is about: addresses that stay, memory that grows with the number of traces. */
#include "tests/unit/written_trace.h"

#include <malloc.h>

enum { MOST_TRACES = 400 };

/* One trace, named so many times. */
static void read_many(struct input *in, int n)
{
	const char *path = write_trace("one.json", &gemm_and_add, 1), *paths[MOST_TRACES];
	struct err err = {0};
	for (int i = 0; i < n; i++)
		paths[i] = path;
	if (input_read(in, paths, n, &err))
		fail_msg("%s", err.text);
	assert_int_equal(in->n_runs, 1);
	assert_int_equal(in->runs[0].n_cases, n);
}

/* What is worked out of a case names the case that the report shows. */
static void assert_own(const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++) {
			const struct report_case *c = &in->runs[r].cases[i];
			assert_true(c->readable);
			assert_ptr_equal(c->run, &in->runs[r]);
			assert_ptr_equal(c->analysis->trace, &c->trace);
		}
}

static void analyses_are_of_their_cases(void **state)
{
	(void)state;
	struct input in;
	read_many(&in, 3);
	assert_own(&in);
	input_release(&in);
}

/* What only a dump of the trace prints is held for one alone. */
static void columns_of_a_dump_are_there_for_it(void **state)
{
	(void)state;
	const char *path = write_trace("one.json", &gemm_and_add, 1);
	for (int dumped = 0; dumped < 2; dumped++) {
		struct input in;
		struct err err = {0};
		if (input_read_as(&in, &path, 1, &(struct reading){.dumped = dumped}, &err))
			fail_msg("%s", err.text);
		const struct trace *t = &in.runs[0].cases[0].trace;
		assert_int_equal(t->category != NULL, dumped);
		assert_int_equal(t->external != NULL, dumped);
		assert_non_null(t->correlation);
		input_release(&in);
	}
}

/* Traces, a run, traces behind it: three runs, each with cases of its own. */
static void runs_between_traces(void **state)
{
	(void)state;
	mkdir(scratch_path("folder"), 0777);
	const char *trace = write_trace("folder/one.json", &gemm_and_add, 1);
	write_text("folder/run.json",
		"{\"cases\": [{\"id\": \"a/b\", \"status\": \"done\", \"trace\": "
		"\"one.json\"}]}");
	const char *paths[] = {trace, trace, scratch_path("folder"), trace};
	struct input in;
	struct err err = {0};
	if (input_read(&in, paths, 4, &err))
		fail_msg("%s", err.text);
	assert_int_equal(in.n_runs, 3);
	assert_int_equal(in.runs[0].n_cases, 2);
	assert_int_equal(in.runs[1].n_cases, 1);
	assert_true(in.runs[1].of_matrix);
	assert_int_equal(in.runs[2].n_cases, 1);
	assert_ptr_equal(input_find(&in, &in.runs[0], "a/b"), &in.runs[1].cases[0]);
	assert_own(&in);
	input_release(&in);
}

static size_t heap_bytes(void)
{
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

static size_t bytes_of(int n)
{
	struct input in;
	size_t before = heap_bytes();
	read_many(&in, n);
	size_t bytes = heap_bytes() - before;
	input_release(&in);
	return bytes;
}

static void memory_grows_with_the_traces(void **state)
{
	(void)state;
	if (getenv("TRACEBOOK_SAN")) {
		print_message("not measured: a sanitized build has a heap of its own\n");
		skip();
	}
	size_t half = bytes_of(MOST_TRACES / 2), all = bytes_of(MOST_TRACES);
	print_message("%d traces %zu kB, %d traces %zu kB\n", MOST_TRACES / 2, half / 1000,
		MOST_TRACES, all / 1000);
	assert_true((double)all < 2.3 * (double)half);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(analyses_are_of_their_cases),
		cmocka_unit_test(columns_of_a_dump_are_there_for_it),
		cmocka_unit_test(runs_between_traces),
		cmocka_unit_test(memory_grows_with_the_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
