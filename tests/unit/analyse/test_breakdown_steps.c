/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that the breakdown finds, what limits a window, and what cannot be told. */
#include "tests/unit/breakdown_world.h"

/* ---- steps ---- */

/* Steps of 100 us on the host; what they launch runs 150 us each and ends long after. */
static void steps_reach_to_their_last_event(void **state)
{
	(void)state;
	static const char *const names[] = {"ProfilerStep#5", "ProfilerStep#6", "ProfilerStep#7"};
	struct world w = {0};
	for (int i = 0; i < 3; i++) {
		made_add(&w.made, EVENT_ANNOTATION, names[i], 100 * i, 100 * i + 90, 0);
		world_launch(&w, "gemm", (uint32_t)i + 1, 100 * i + 10, 100 * i + 15, 20 + 150 * i,
			170 + 150 * i);
	}
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.steps_by, STEPS_BY_PROFILER);
	assert_int_equal(p.n_steps, 3);
	assert_int_equal(p.steps[0].split.end_ns, 170000);
	assert_int_equal(p.steps[1].split.end_ns, 320000);
	assert_int_equal(p.steps[2].split.end_ns, 470000);
	assert_int_equal(p.steps[2].number, 7);
	assert_int_equal(p.median, 1);
	assert_ptr_equal(breakdown_window(&p), &p.steps[1].split);
	assert_int_equal(p.steps[1].split.ns[TIME_GEMM], 150000);
	assert_int_equal(p.headline, HEADLINE_COMPUTE);
	world_release(&w);
}

/* What the device still does of the step in front is not the first recorded one's, where the host
 * waits for it; else the host is ahead, and the step goes from one begin of the host to the next.
 */
static void the_first_step_has_only_its_own(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct world w = {0};
		world_launch(&w, "gemm", 1, 0, 5, 10, 240);
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#5", 100, 500, 0);
		if (waits)
			made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 110, 245, 0);
		world_launch(&w, "relu", 2, 260, 265, 270, 370);
		struct breakdown p = breakdown_of_world(&w);
		assert_int_equal(p.n_steps, 1);
		assert_int_equal(p.steps[0].split.start_ns, waits ? 240000 : 100000);
		assert_int_equal(p.steps[0].split.ns[TIME_GEMM], waits ? 0 : 140000);
		assert_int_equal(p.steps[0].split.ns[TIME_POINTWISE], 100000);
		world_release(&w);
	}
}

/* Of five steps the device works in the last alone: the one of median length is empty, and says
 * nothing. Where it works in none, none is the window. */
static void an_empty_step_is_no_window(void **state)
{
	(void)state;
	static const char *const names[] = {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2",
		"ProfilerStep#3", "ProfilerStep#4"};
	for (int works = 0; works < 2; works++) {
		struct world w = {0};
		for (int i = 0; i < 5; i++)
			made_add(&w.made, EVENT_ANNOTATION, names[i], 100 * i, 100 * i + 90 - i, 0);
		double at = works ? 410 : 600;
		world_launch(&w, "gemm", 1, at, at + 5, at + 10, at + 60);
		struct breakdown p = breakdown_of_world(&w);
		if (works) {
			assert_int_equal(p.median, 4);
			assert_int_equal(breakdown_window(&p)->ns[TIME_GEMM], 50000);
		} else {
			assert_int_equal(p.n_steps, 0);
			assert_int_equal(p.median, NO_ROW);
			assert_ptr_equal(breakdown_window(&p), &p.whole);
		}
		world_release(&w);
	}
}

/* n rounds of two kernels of 10 us, every 100 us. */
static void add_rounds(struct world *w, int n, const char *first, const char *second)
{
	for (int i = 0; i < n; i++) {
		uint32_t id = 2 * (uint32_t)i + 1;
		double at = 100 * i;
		world_launch(w, first, id, at + 10, at + 12, at + 20, at + 30);
		world_launch(w, second, id + 1, at + 40, at + 42, at + 50, at + 60);
	}
}

static void steps_by_the_optimizer(void **state)
{
	TEST_WORLD(w);
	add_rounds(&w, 4, "gemm", "softmax");
	for (int i = 0; i < 4; i++) /* not on the thread that launches most */
		made_add(&w.made, EVENT_ANNOTATION, "Optimizer.step#SGD.step", 100 * i + 80,
			100 * i + 90, 0)
			->track = MADE_OTHER_THREAD;
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.steps_by, STEPS_BY_OPTIMIZER);
	assert_string_equal(p.range, "Optimizer.step#SGD.step");
	assert_int_equal(p.n_steps, 3);
	assert_int_equal(p.steps[0].split.start_ns, 90000);
	assert_int_equal(p.steps[0].split.end_ns, 190000);
}

static void steps_by_a_range(void **state)
{
	(void)state;
	static const char *const names[] = {"train 1/4", "train 2/4", "train 3/4", "train 4/4"};
	struct world w = {0};
	add_rounds(&w, 4, "gemm", "softmax");
	for (int i = 0; i < 4; i++) {
		made_add(&w.made, EVENT_ANNOTATION, names[i], 100 * i + 5, 100 * i + 65, 0);
		made_add(&w.made, EVENT_ANNOTATION, "part", 100 * i + 6, 100 * i + 20, 0);
	}
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.steps_by, STEPS_BY_RANGE);
	assert_string_equal(p.range, "train #/#");
	assert_int_equal(p.n_steps, 4);
	assert_int_equal(p.steps[1].split.start_ns, 105000);
	assert_int_equal(p.steps[1].split.end_ns, 205000);
	assert_int_equal(p.steps[1].row, made_find(&w.made.trace, "train 2/4", 0));
	world_release(&w);
}

static void steps_by_launches(void **state)
{
	TEST_WORLD(w);
	add_rounds(&w, 4, "gemm", "softmax");
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.steps_by, STEPS_BY_LAUNCHES);
	assert_string_equal(p.range, "gemm");
	assert_int_equal(p.n_steps, 4);
	assert_int_equal(p.steps[1].split.start_ns, 110000);
	assert_int_equal(p.steps[1].split.end_ns, 210000);
	assert_int_equal(p.steps[3].split.end_ns, 360000);
}

/* Two rounds, or one kernel again and again, are no steps. */
static void nothing_recurs(void **state)
{
	(void)state;
	struct world w = {0};
	add_rounds(&w, 2, "gemm", "softmax");
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.steps_by, STEPS_BY_NOTHING);
	assert_int_equal(p.median, NO_ROW);
	assert_ptr_equal(breakdown_window(&p), &p.whole);
	world_release(&w);
	w = (struct world){0};
	add_rounds(&w, 4, "gemm", "gemm");
	p = breakdown_of_world(&w);
	assert_int_equal(p.steps_by, STEPS_BY_NOTHING);
	world_release(&w);
}

/* ---- headlines, and what cannot be told ---- */

static enum headline headline_of(const int64_t ns[TIME_PARTS], int64_t launch_gap_ns, double *share)
{
	struct time_parts s = {.launch_gap_ns = launch_gap_ns};
	for (int i = 0; i < TIME_PARTS; i++)
		s.end_ns += s.ns[i] = ns[i];
	return time_parts_headline(&s, share);
}

static void the_largest_part_says_it(void **state)
{
	(void)state;
	static const struct {
		int64_t ns[TIME_PARTS];
		int64_t launch_gap_ns;
		enum headline headline;
		double share;
	} rows[] = {
		{{[TIME_GEMM] = 20, [TIME_POINTWISE] = 14, [TIME_COPIES] = 54, [TIME_SYNC] = 12}, 0,
			HEADLINE_COPY, 0.54},
		{{[TIME_GEMM] = 30, [TIME_COMMUNICATION] = 64, [TIME_LAUNCHING] = 6}, 0,
			HEADLINE_COMMUNICATION, 0.64},
		{{[TIME_GEMM] = 20,
			 [TIME_ATTENTION] = 15,
			 [TIME_REDUCTION] = 25,
			 [TIME_LAUNCHING] = 40},
			0, HEADLINE_COMPUTE, 0.6},
		{{[TIME_GEMM] = 20,
			 [TIME_POINTWISE] = 20,
			 [TIME_REDUCTION] = 20,
			 [TIME_LAUNCHING] = 40},
			0, HEADLINE_MEMORY, 0.6},
		{{[TIME_GEMM] = 21, [TIME_LAUNCHING] = 62, [TIME_STALL] = 17}, 30, HEADLINE_LAUNCH,
			0.62},
		{{[TIME_GEMM] = 21, [TIME_LAUNCHING] = 79}, 40, HEADLINE_LAUNCH_GAP, 0.79},
		{{[TIME_INPUT] = 5, [TIME_SYNC] = 4, [TIME_UNKNOWN] = 1}, 0, HEADLINE_INPUT, 0.5},
		{{[TIME_STALL] = 5, [TIME_SYNC] = 5}, 0, HEADLINE_SYNC, 0.5},
		{{[TIME_GEMM] = 5, [TIME_SYNC] = 5}, 0, HEADLINE_COMPUTE, 0.5},
		{{[TIME_BEFORE] = 7, [TIME_SYNC] = 3}, 0, HEADLINE_UNSEEN, 0.7},
		{{[TIME_STALL] = 7, [TIME_SYNC] = 3}, 0, HEADLINE_STALL, 0.7},
		{{[TIME_AFTER] = 7, [TIME_SYNC] = 3}, 0, HEADLINE_LAUNCH, 0.7},
	};
	double share;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(
			headline_of(rows[i].ns, rows[i].launch_gap_ns, &share), rows[i].headline);
		assert_near(share, rows[i].share);
	}
	assert_int_equal(headline_of((const int64_t[TIME_PARTS]){0}, 0, &share), HEADLINE_NONE);
}

static void without_a_device_nothing_is_split(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 10, 0);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.lack, LACK_DEVICE);
	assert_int_equal(p.headline, HEADLINE_NONE);
	assert_int_equal(breakdown_window(&p)->end_ns, 0);
}

/* Calls that launch nothing in the file tell nothing about the gaps. */
static void without_launches_idle_has_no_cause(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 0, 5, 0);
	made_add(&w.made, EVENT_KERNEL, "gemm", 10, 20, 0);
	made_add(&w.made, EVENT_KERNEL, "gemm", 50, 60, 0);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.lack, LACK_LAUNCHES);
	assert_near(us(&p, TIME_UNKNOWN), 30);
}

/* Every part, headline and kind of steps has a name of its own. */
static void names_differ(void **state)
{
	(void)state;
	for (int i = 0; i < TIME_PARTS; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(time_part_name((enum time_part)i),
				time_part_name((enum time_part)k));
	for (int i = 0; i < HEADLINES; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(
				headline_name((enum headline)i), headline_name((enum headline)k));
}

/* What colours and tables of classes say is what the parts say. */
static void the_part_is_of_the_class(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_KERNEL, "max_pool", 0, 10, 0)->track = MADE_STREAM;
	made_add(&w.made, EVENT_KERNEL, "batched_transpose", 20, 30, 0)->track = MADE_STREAM;
	world_seal(&w);
	assert_int_equal(w.a.class[0], CLASS_REDUCTION);
	assert_int_equal(time_part_of(&w.a, 0), TIME_REDUCTION);
	assert_int_equal(w.a.class[1], CLASS_COPY);
	assert_int_equal(time_part_of(&w.a, 1), TIME_POINTWISE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_part_is_of_the_class),
		cmocka_unit_test(steps_reach_to_their_last_event),
		cmocka_unit_test(the_first_step_has_only_its_own),
		cmocka_unit_test(an_empty_step_is_no_window),
		cmocka_unit_test(steps_by_the_optimizer),
		cmocka_unit_test(steps_by_a_range),
		cmocka_unit_test(steps_by_launches),
		cmocka_unit_test(nothing_recurs),
		cmocka_unit_test(the_largest_part_says_it),
		cmocka_unit_test(without_a_device_nothing_is_split),
		cmocka_unit_test(without_launches_idle_has_no_cause),
		cmocka_unit_test(names_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
