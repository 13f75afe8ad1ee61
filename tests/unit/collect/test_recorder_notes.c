/* SPDX-License-Identifier: Apache-2.0 */
/* What is believed of a note that any program may have written. */
#include "collect/dataloader_wait.h"
#include "collect/recorder_notes.h"
#include "tests/unit/drawing.h"

static struct arena arena;

static struct recorder_notes read_note(const char *text)
{
	struct recorder_notes r;
	FILE *f = fopen(scratch("python.7"), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(recorder_notes_read(&r, &arena, scratch_folder(), 7), 0);
	return r;
}

static struct loading loading_in(const char *text)
{
	struct recorder_notes r = read_note(text);
	const struct recorder_notes *const one[] = {&r};
	return loading_of(&arena, one, 1, 0);
}

static void loop_that_makes_its_batches(void **state)
{
	(void)state;
	struct loading l = loading_in("loading -1 1 50 100000000 50000000 50 90000000 40\n"
				      "in 30 decode load.py:17\n");
	assert_int_equal(l.batches, 50);
	assert_int_equal(l.workers, 0);
	assert_true(l.make_ms > 1.79 && l.make_ms < 1.81);
	assert_string_equal(l.place, "decode load.py:17");
	assert_int_equal(l.enough, 2);
}

static void counts_out_of_bounds(void **state)
{
	(void)state;
	assert_int_equal(loading_in("loading -1 1 50 9 9 9223372036854775807 9 40\n").batches, 0);
	assert_int_equal(loading_in("loading 9223372036854775807 1 50 9 9 50 9 40\n").batches, 0);
	assert_int_equal(loading_in("loading -1 1 99999999999999999999 9 9 50 9 40\n").batches, 0);
	assert_int_equal(loading_in("loading -1 1 50 9 9 50 -9223372036854775808 40\n").batches, 0);
	assert_int_equal(loading_in("loading -1 1 50 9 9 50 9\n").batches, 0);
	assert_null(read_note("in 9223372036854775807 decode\n").loading.place[0].name);
}

static void ranks_out_of_bounds(void **state)
{
	(void)state;
	struct recorder_notes r = read_note("torch 2.11.0 3.12.1\nrank 3 4\n");
	assert_int_equal(r.rank, 3);
	assert_int_equal(r.world, 4);
	assert_int_equal(read_note("torch 2.11.0 3.12.1\n").rank, -1);
	assert_int_equal(read_note("rank 3000000000 4\n").rank, -1);
	assert_int_equal(read_note("rank 3\n").rank, -1);
}

static void times_out_of_bounds(void **state)
{
	(void)state;
	struct recorder_notes r = read_note("begin window 5 all\nwrote window 10 30 2 time\n");
	assert_int_equal(r.part[TRACED_WINDOW].ended_ns - r.part[TRACED_WINDOW].began_ns, 20);
	assert_int_equal(r.part[TRACED_WINDOW].steps, 2);
	assert_string_equal(r.part[TRACED_WINDOW].why, "time");
	r = read_note("begin window 5 all\n"
		      "wrote window -9223372036854775808 9223372036854775807 2 time\n");
	assert_true(r.part[TRACED_WINDOW].begun);
	assert_int_equal(r.part[TRACED_WINDOW].ended_ns, 0);
	r = read_note("wrote window 10 30 2 time\ntook window 7\ntook start -8\n");
	assert_int_equal(r.part[TRACED_WINDOW].took_ns, 7);
	assert_int_equal(r.part[TRACED_START].took_ns, 0);
	r = read_note("begin start 5 untouched\n");
	assert_string_equal(r.alone, "untouched");
	r = read_note("begin start 5 untouched\nbegin start 5 all\n");
	assert_null(r.alone);
	r = read_note("begin start 5 memory\nwaits context\n");
	assert_true(r.unsettled);
	assert_string_equal(r.alone, "memory");
	r = read_note("waits one\nwaits context\nbegin window 5 all\n");
	assert_true(r.unsettled && !r.alone);
	r = read_note("begin window 9223372036854775807 all\n");
	assert_false(r.part[TRACED_WINDOW].begun);
}

static int remove_all(void **state)
{
	(void)state;
	scratch_remove();
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop_that_makes_its_batches),
		cmocka_unit_test(counts_out_of_bounds),
		cmocka_unit_test(ranks_out_of_bounds),
		cmocka_unit_test(times_out_of_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, remove_all);
}
