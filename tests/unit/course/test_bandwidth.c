/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth over the width of a row: which cases make a curve, its numbers by hand, a table beside
 * the run, and a picture in which everything can be read. */
#include "report/course/bandwidth.h"

#include "tests/unit/drawing.h"
#include "tests/unit/made_run.h"

#include <math.h>

static struct made_run made;
static struct bandwidth_plot widths;
static char *folder;

static int tear_down(void **state)
{
	made_run_release(&made);
	made = (struct made_run){0};
	free(folder);
	folder = NULL;
	return clear_arena(state);
}

static int close_all(void **state)
{
	scratch_remove();
	return close_page(state);
}

/* Steps of one kernel; the first, which does not count, takes ten times as long. */
static void add(const char *workload, const char *dtype, int rows, int width, const double *us)
{
	char entry[400];
	snprintf(entry, sizeof entry,
		"{\"id\": \"%s-%d\", \"title\": \"Rows of %d\", \"workload\": \"%s\", \"mode\": "
		"\"eager\", \"dtype\": \"%s\", \"shape\": {\"batch\": %d, \"dim\": %d}}",
		workload, width, width, workload, dtype, rows, width);
	struct made_trace *t = made_case(&made, entry);
	double at = made_step(
		t, 0, 0, 20, (struct made_work[]){{"square_kernel", us[0] * 10}, {NULL, 0}});
	for (int i = 0; us[i] > 0; i++)
		at = made_step(t, i + 1, at + 5, 20,
			(struct made_work[]){{"square_kernel", us[i]}, {NULL, 0}});
}

static const double FOUR_TO_EIGHT[] = {8, 4, 5, 6, 7, 0}, TEN[] = {10, 10, 10, 0};

static bool find(void)
{
	made_run_seal(&made, "{}");
	made.run.folder = folder;
	widths = (struct bandwidth_plot){.texts = texts, .fonts = fonts};
	return bandwidth_plot_find(&widths, &arena, &made.run);
}

static const char *draw(void)
{
	struct err err = {0};
	bandwidth_plot_plan(&widths, document_width);
	const char *drawn = draw_figure(bandwidth_plot_draw, &widths, widths.width, widths.height);
	if (texts_error(texts, &err))
		fail_msg("%s", err.text);
	return drawn;
}

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void a_curve(void **state)
{
	(void)state;
	add("square", "fp32", 256, 4096, TEN);
	add("square", "fp32", 256, 64, FOUR_TO_EIGHT);
	add("square", "fp32", 256, 512, TEN);
	add("square", "fp32", 128, 128, TEN); /* other rows, other type: not of this curve */
	add("square", "bf16", 256, 256, TEN);
	assert_true(find());
	assert_int_equal(widths.n, 1);
	const struct width_series *s = &widths.series[0];
	assert_int_equal(s->n, 3);
	assert_int_equal((int)s->point[0].width, 64);
	assert_int_equal((int)s->point[1].width, 512);
	assert_int_equal((int)s->point[2].width, 4096);
	/* Read and written: 2 x 256 x 64 x 4 bytes, in 4, 5, 6, 7 and 8 µs. */
	const double bytes = 2.0 * 256 * 64 * 4;
	assert_int_equal((int)s->point[0].n, 5);
	assert_near(s->point[0].median, bytes / 6e-6);
	assert_near(s->point[0].rate[0], bytes / 8e-6);
	assert_near(s->point[0].rate[4], bytes / 4e-6);
	/* Between 8 and 7 µs, at 4 x 0.2 of the way; and between 5 and 4. */
	assert_near(s->point[0].low, bytes / 8e-6 * 0.2 + bytes / 7e-6 * 0.8);
	assert_near(s->point[0].high, bytes / 5e-6 * 0.8 + bytes / 4e-6 * 0.2);
	assert_near(s->point[2].low, 2.0 * 256 * 4096 * 4 / 10e-6);
	assert_near(widths.high_rate, 2.0 * 256 * 4096 * 4 / 10e-6);
	assert_true(widths.copy_rate == 0);
	assert_true(bandwidth_plot_has(&made.run, &made.c[0]));
	assert_false(bandwidth_plot_has(&made.run, &made.c[3]));
	assert_false(bandwidth_plot_has(&made.run, &made.c[4]));
	const char *drawn = draw();
	assert_says(drawn, "\"square, fp32\"");
	assert_says(drawn, "\"4096\"");
	assert_null(strstr(drawn, "copy"));
}

static void too_few_widths(void **state)
{
	(void)state;
	add("square", "fp32", 256, 64, TEN);
	add("square", "fp32", 256, 128, TEN);
	add("square", "fp32", 256, 128, FOUR_TO_EIGHT);
	add("unheard_of", "fp32", 256, 256, TEN); /* what it moves is not known */
	assert_false(find());
	assert_false(bandwidth_plot_has(&made.run, &made.c[0]));
}

/* The copy that moves most gives the line; another case's smaller ones do not. */
static void the_copy(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		add("square", "fp32", 256, 64 << i, TEN);
	for (int i = 0; i < 2; i++) {
		struct made_trace *t = made_case(&made,
			"{\"id\": \"copying\", \"title\": \"Copying\", \"workload\": \"addmm\"}");
		made_step(t, 0, 0, 20,
			(struct made_work[]){{"Memcpy DtoD (Device -> Device)", i ? 20 : 1},
				{"Memcpy HtoD (Pageable -> Device)", 1}, {NULL, 0}});
		made.copy_bytes[3 + i] = i ? 1000000 : 5000;
	}
	assert_true(find());
	assert_near(widths.copy_bytes, 2e6);
	assert_near(widths.copy_rate, 2e6 / 20e-6);
	assert_says(draw(), "copy 100 GB/s");
}

static void write_table(const char *text)
{
	folder = strdup(scratch_folder());
	FILE *f = fopen(scratch("sweep.tsv"), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define HEAD "width\tkernel\tp50_us\tGB_per_s\tGB_per_s_20\tGB_per_s_80\n"

static void a_table(void **state)
{
	(void)state;
	write_table(HEAD "512\tsquare\t1\t20\t19\t21\n256\tsquare\t1\t10\t9\t11\n"
			 "256\tsquare_row\t1\t5\t4\t6\n1024\tsquare\t1\t30\t29.5\t31\n"
			 "512\tsquare_row\t1\t7\t6\t8\n2048\tsquare\tx\tmany\t1\t2\n"
			 "cut\tsq\n-5\tsquare\t1\t1\t1\t1\n1024\tsquare\t1\t99\t99\t99\n");
	add("square", "fp32", 256, 64, TEN);
	assert_true(find());
	assert_int_equal(widths.n, 1); /* two widths are no curve */
	const struct width_series *s = &widths.series[0];
	assert_true(s->measured_apart);
	assert_string_equal(s->title, "square");
	assert_int_equal(s->n, 3);
	assert_int_equal((int)s->point[0].width, 256);
	assert_near(s->point[2].median, 30e9);
	assert_near(s->point[2].low, 29.5e9);
	assert_near(widths.high_rate, 31e9);
	assert_int_equal((int)s->point[0].n, 0);
	draw();
}

/* What is no such table changes nothing. */
static void other_tables(void **state)
{
	static const char *const texts_of[] = {
		"", "\n\n", "width\tkernel\n1\t2\n", HEAD, "no tabs", HEAD "\t\t\t\t\t\t\t\t\n"};
	for (size_t i = 0; i < sizeof texts_of / sizeof *texts_of; i++) {
		write_table(texts_of[i]);
		add("square", "fp32", 256, 64, TEN);
		assert_false(find());
		tear_down(state);
	}
}

/* Many curves: side by side, the rest counted; everything readable. */
static void many_curves(void **state)
{
	(void)state;
	char *text = arena_strdup(&arena, HEAD);
	for (int k = 0; k < MOST_SERIES + 2; k++)
		for (int i = 1; i <= 33; i++)
			text = arena_printf(&arena, "%s%d\tkernel_%d\t1\t%d\t%d\t%d\n", text,
				384 * i, k, 1000 + k * 10 + i, 990 + k, 1100 + k);
	write_table(text);
	add("square", "fp32", 256, 64, TEN);
	assert_true(find());
	assert_int_equal(widths.n, MOST_SERIES);
	assert_int_equal(widths.left_out, 2);
	const char *drawn = draw();
	for (int k = 0; k < MOST_SERIES; k++)
		assert_says(drawn, arena_printf(&arena, "\"kernel_%d\"", k));
	assert_says(drawn, "\"384\"");
	assert_says(drawn, "672\""); /* 12 672, the last */
}

int main(void)
{
#define WIDTHS_TEST(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
		WIDTHS_TEST(a_curve),
		WIDTHS_TEST(too_few_widths),
		WIDTHS_TEST(the_copy),
		WIDTHS_TEST(a_table),
		WIDTHS_TEST(other_tables),
		WIDTHS_TEST(many_curves),
	};
	return cmocka_run_group_tests(tests, open_page, close_all);
}
