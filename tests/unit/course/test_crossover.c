/* SPDX-License-Identifier: Apache-2.0 */
/* Launching and working over the size: which cases make the picture, where the lines cross by hand,
 * and what is said when they do not. */
#include "report/course/crossover.h"

#include "tests/unit/drawing.h"
#include "tests/unit/made_run.h"

#include <math.h>

static struct made_run made;
static struct crossover x;

static int tear_down(void **state)
{
	made_run_release(&made);
	made = (struct made_run){0};
	return clear_arena(state);
}

/* Steps that take 5 us on the CPU (made_step) and device_us on the device; the first does not
 * count. */
static void add(const char *mode, bool warm, int size, double device_us, int steps)
{
	char entry[400];
	snprintf(entry, sizeof entry,
		"{\"id\": \"%s-%d-%d\", \"title\": \"Size %d\", \"workload\": \"matmul_add\", "
		"\"mode\": \"%s\", \"dtype\": \"bf16\", \"warm\": %s, \"shape\": {\"size\": %d}}",
		mode, size, steps, size, mode, warm ? "true" : "false", size);
	struct made_trace *t = made_case(&made, entry);
	double at =
		made_step(t, 0, 0, 10, (struct made_work[]){{"gemm", 10 * device_us}, {NULL, 0}});
	for (int i = 1; i <= steps; i++)
		at = made_step(
			t, i, at + 5, 10, (struct made_work[]){{"gemm", device_us}, {NULL, 0}});
}

static bool find(void)
{
	made_run_seal(&made, "{}");
	x = (struct crossover){.texts = texts, .fonts = fonts};
	return crossover_find(&x, &arena, &made.run);
}

/* Between 32 (8 against 2) and 64 (8 against 32) both logarithms change by the same: at 32 *
 * sqrt 2. */
static void the_lines_cross_between_neighbours(void **state)
{
	(void)state;
	add("eager", true, 128, 400, 6);
	add("eager", true, 16, 0.5, 6);
	add("eager", true, 32, 1, 6);
	add("eager", true, 64, 25, 6);
	assert_true(find());
	assert_int_equal(x.n, 4);
	assert_true(x.point[0].size == 16 && x.point[3].size == 128);
	assert_true(x.point[1].cpu.median == 5000 && x.point[1].device.median == 1000);
	assert_int_equal(x.point[1].n, 6);
	assert_true(fabs(x.crossing - 32 * sqrt(2)) < 1e-6);
	assert_false(x.level);
	for (int i = 0; i < made.run.n_cases; i++)
		assert_true(crossover_has(&made.run, &made.run.cases[i]));
}

static void lines_that_do_not_cross_say_so(void **state)
{
	(void)state;
	for (int size = 16; size <= 128; size *= 2)
		add("eager", true, size, size, 6);
	assert_true(find());
	assert_true(x.crossing == 0);
	assert_false(x.level);
}

/* At the smallest size one takes 1.25 times the other: the next run may say the opposite, and no
 * size is named. */
static void what_a_busy_minute_makes_is_level(void **state)
{
	(void)state;
	double device_us[] = {4, 8, 40, 400};
	for (int i = 0; i < 4; i++)
		add("eager", true, 16 << i, device_us[i], 6);
	assert_true(find());
	assert_true(x.point[0].cpu.low > x.point[0].device.high && x.crossing > 16);
	assert_true(x.level);
}

/* Cold cases, another mode, two steady steps and three sizes are no picture. */
static void only_what_is_alike_counts(void **state)
{
	(void)state;
	add("eager", true, 16, 0.5, 6);
	add("eager", true, 32, 1, 6);
	add("eager", true, 64, 25, 6);
	add("eager", false, 128, 99, 6);
	add("graph", true, 256, 99, 6);
	add("eager", true, 512, 99, 2);
	assert_false(find());
	assert_false(crossover_has(&made.run, &made.run.cases[0]));
}

/* Of two cases of one size, the one with more steps. */
static void most_steps_count(void **state)
{
	(void)state;
	for (int size = 16; size <= 128; size *= 2)
		add("eager", true, size, size, 6);
	add("eager", true, 64, 70, 12);
	assert_true(find());
	assert_int_equal(x.n, 4);
	assert_int_equal(x.point[2].n, 12);
	assert_true(x.point[2].device.median == 70000);
	assert_false(crossover_has(&made.run, &made.run.cases[2]));
}

static void the_picture_says_where(void **state)
{
	struct err err = {0};
	(void)state;
	add("eager", true, 16, 0.5, 6);
	add("eager", true, 32, 1, 6);
	add("eager", true, 64, 25, 6);
	add("eager", true, 4096, 4e5, 6);
	assert_true(find());
	crossover_plan(&x, document_width);
	const char *drawn = draw_figure(crossover_draw, &x, x.width, x.height);
	if (texts_error(texts, &err))
		fail_msg("%s", err.text);
	assert_says(drawn, "\"equal at about 45\"");
	assert_says(drawn, "\"4096\"");
	assert_says(drawn, "\"CPU, launching\"");
	assert_says(drawn, "\"device, working\"");
	assert_says(drawn, "\"100 ms\"");
}

int main(void)
{
#define CROSSOVER_TEST(name) cmocka_unit_test_setup_teardown(name, NULL, tear_down)
	const struct CMUnitTest tests[] = {
		CROSSOVER_TEST(the_lines_cross_between_neighbours),
		CROSSOVER_TEST(lines_that_do_not_cross_say_so),
		CROSSOVER_TEST(what_a_busy_minute_makes_is_level),
		CROSSOVER_TEST(only_what_is_alike_counts),
		CROSSOVER_TEST(most_steps_count),
		CROSSOVER_TEST(the_picture_says_where),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
