/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline: points and roofs by hand, and a picture in which every number can be read. */
#include "report/course/roofline.h"

#include "tests/unit/made_run.h"
#include "tests/unit/made_run_names.h"

#include <math.h>

static struct made_run run;
static struct roofline roofline;

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static int tear_down(void **state)
{
	made_run_release(&run);
	run = (struct made_run){0};
	return clear_arena(state);
}

#define CASE(name, dtype, size, flop, bytes) \
	"{\"id\": \"" name "\", \"title\": \"Case " name \
	"\", \"workload\": \"matmul_add\", \"mode\": \"eager\", \"dtype\": \"" dtype \
	"\", \"warm\": true, \"shape\": {\"size\": " size "}, \"flop_per_step\": " flop \
	", \"bytes_per_step\": " bytes "}"

static void add(const char *entry, double gemm_us, double other_us)
{
	struct made_trace *t = made_case(&run, entry);
	double at = made_step(t, 0, 0, 20,
		(struct made_work[]){{GEMM_NN, 3 * gemm_us}, {ADD, other_us}, {NULL, 0}});
	made_step(t, 1, at + 10, 20,
		(struct made_work[]){{GEMM_NN, gemm_us}, {ADD, other_us}, {NULL, 0}});
	made_step(t, 2, 2 * at + 100, 20,
		(struct made_work[]){{GEMM_NN, gemm_us}, {ADD, other_us}, {NULL, 0}});
}

static void four_cases(void)
{
	add(CASE("small", "bf16", "64", "528384", "40960"), 6, 2.5);
	add(CASE("middle", "bf16", "1024", "2148532224", "10485760"), 24, 4);
	add(CASE("large", "bf16", "4096", "137455730688", "167772160"), 580, 80);
	add(CASE("wide", "fp32", "1024", "2148532224", "20971520"), 166, 6);
}

static bool find(void)
{
	made_run_seal(&run, "{}");
	roofline = (struct roofline){.texts = texts, .fonts = fonts};
	return roofline_find(&roofline, &arena, &run.run);
}

static void what_fits_the_cache_sets_no_roof(void **state)
{
	(void)state;
	four_cases();
	made_run_seal(&run, "{\"environment\": {\"GPU level-2 cache\": \"63 MB\"}}");
	roofline = (struct roofline){.texts = texts, .fonts = fonts};
	assert_true(roofline_find(&roofline, &arena, &run.run));
	assert_true(fabs(roofline.cache_bytes - 63e6) < 1);
	assert_ptr_equal(roofline.memory.c, &run.c[2]);
	assert_true(roofline.large.rate == 0);
}

/* A number counts before the text for people. */
static void the_cache_is_a_number(void **state)
{
	(void)state;
	four_cases();
	made_run_seal(&run,
		"{\"cache_bytes\": 50000000, \"environment\": {\"GPU level-2 cache\": \"63 MB\"}}");
	roofline = (struct roofline){.texts = texts, .fonts = fonts};
	assert_true(roofline_find(&roofline, &arena, &run.run));
	assert_true(fabs(roofline.cache_bytes - 50e6) < 1);
}

/* Where all fits, all counts. */
static void a_cache_larger_than_all(void **state)
{
	(void)state;
	four_cases();
	made_run_seal(&run, "{\"cache_bytes\": 900000000}");
	roofline = (struct roofline){.texts = texts, .fonts = fonts};
	assert_true(roofline_find(&roofline, &arena, &run.run));
	assert_true(roofline.cache_bytes < 1);
	assert_ptr_equal(roofline.memory.c, &run.c[3]);
}

/* It moves 24 kB in 2 ns: no memory does that. */
static void what_is_small_sets_no_roof(void **state)
{
	(void)state;
	four_cases();
	add(CASE("tiny", "bf16", "63", "528384", "40960"), 0.005, 0.002);
	assert_true(find());
	assert_ptr_equal(roofline.memory.c, &run.c[3]);
	assert_true(roofline.least_bytes == ROOF_LEAST_BYTES);
	assert_true(isnan(roofline.point[4].share));
}

/* A product that adds on its way out does more than its product: it is on the roof, not above. */
static void a_lone_product_counts_all_of_its_step(void **state)
{
	(void)state;
	four_cases();
	struct made_trace *t =
		made_case(&run, CASE("lone", "fp16", "1024", "2148532224", "10485760"));
	for (int i = 0; i < 3; i++)
		made_step(t, i, 100 * i, 20, (struct made_work[]){{GEMM_NN, 24}, {NULL, 0}});
	assert_true(find());
	assert_int_equal(roofline.n_compute, 3);
	assert_near(roofline.compute[2].rate, 2148532224 / 24e-6);
	assert_near(roofline.point[4].share, 1);
}

static const char *draw(void)
{
	roofline_plan(&roofline, &arena, document_width);
	const char *drawn = draw_figure(roofline_draw, &roofline, roofline.width, roofline.height);
	struct err err = {0};
	if (texts_error(texts, &err))
		fail_msg("%s", err.text);
	return drawn;
}

static void roofs_are_the_fastest_events(void **state)
{
	(void)state;
	four_cases();
	assert_true(find());
	assert_int_equal(roofline.n_compute, 2);
	assert_int_equal(roofline.compute[0].dtype, DTYPE_BF16);
	assert_near(roofline.compute[0].rate, 2 * pow(4096, 3) / 580e-6);
	assert_ptr_equal(roofline.compute[0].c, &run.c[2]);
	assert_string_equal(roofline.compute[0].kernel, GEMM_NN);
	assert_int_equal(roofline.compute[0].ns, 580000);
	assert_int_equal(roofline.compute[1].dtype, DTYPE_F32);
	assert_near(roofline.compute[1].rate, 2 * pow(1024, 3) / 166e-6);
	/* 3 matrices of 4 bytes in 6 µs, in the caches; large tensors move slower */
	assert_near(roofline.memory.rate, 3 * 4 * pow(1024, 2) / 6e-6);
	assert_near(roofline.large.rate, 3 * 2 * pow(4096, 2) / 80e-6);
	assert_ptr_equal(roofline.large.c, &run.c[2]);
	assert_near(roofline.large.amount, 100663296);
}

/* Large is all that the caches of the first roof cannot hold, not only what is largest. */
static void what_is_large_is_ten_times_the_first_roof(void **state)
{
	(void)state;
	four_cases();
	add(CASE("larger", "bf16", "8192", "1099645845504", "671088640"), 5000, 640);
	add(CASE("largest", "fp32", "16384", "8796361457664", "5368709120"), 40000, 9000);
	assert_true(find());
	assert_near(roofline.memory.amount, 12582912);
	assert_near(roofline.large_bytes, 10 * roofline.memory.amount);
	assert_near(roofline.large.rate, 3 * 2 * pow(8192, 2) / 640e-6);
}

static void points_are_flop_over_busy_time(void **state)
{
	(void)state;
	four_cases();
	assert_true(find());
	assert_int_equal(roofline.n, 4);
	assert_near(roofline.point[0].intensity, 528384.0 / 40960);
	assert_near(roofline.point[0].rate, 528384 / 8.5e-6);
	assert_near(roofline.point[2].intensity, 137455730688 / 167772160.0);
	assert_near(roofline.point[2].rate, 137455730688 / 660e-6);
	assert_near(roofline.point[2].share, 137455730688 / 660e-6 / roofline.compute[0].rate);
	/* below the slope of the memory: 12.9 operations a byte */
	assert_near(roofline.point[0].share,
		528384 / 8.5e-6 /
			fmin(528384.0 / 40960 * roofline.memory.rate, roofline.compute[0].rate));
	assert_int_equal(roofline.point[3].dtype, 1);
	for (int i = 0; i < roofline.n; i++)
		assert_true(roofline.point[i].share > 0 && roofline.point[i].share <= 1);
}

static void one_memory_roof_when_they_agree(void **state)
{
	(void)state;
	add(CASE("a", "bf16", "1024", "2148532224", "10485760"), 24, 5);
	add(CASE("b", "bf16", "2048", "17184063488", "41943040"), 160, 20);
	add(CASE("c", "bf16", "4096", "137455730688", "167772160"), 580, 80);
	assert_true(find());
	assert_true(roofline.large.rate == 0);
	assert_true(roofline.memory.rate > 0);
	const char *drawn = draw();
	assert_null(strstr(drawn, "large tensors"));
	assert_null(strstr(drawn, "fp32"));
}

static void two_cases_are_too_few(void **state)
{
	(void)state;
	add(CASE("a", "bf16", "1024", "2148532224", "10485760"), 24, 5);
	add(CASE("b", "bf16", "2048", "17184063488", "41943040"), 160, 20);
	add(CASE("no flop", "bf16", "64", "0", "40960"), 6, 2);
	run.c[0].readable = true;
	assert_false(find());
	assert_int_equal(roofline.n, 2);
}

/* A manifest may claim anything. */
static void absurd_numbers_are_left_out(void **state)
{
	(void)state;
	four_cases();
	add(CASE("much", "bf16", "64", "1e308", "1"), 6, 2.5);
	add(CASE("nothing", "bf16", "64", "5e-324", "1e308"), 6, 2.5);
	add(CASE("less", "bf16", "1e200", "-5", "-1e308"), 6, 2.5);
	add(CASE("huge", "fp32", "-1e100", "1e300", "1e290"), 6, 2.5);
	assert_true(find());
	assert_int_equal(roofline.n, 4);
	assert_int_equal(roofline.n_compute, 2);
	assert_near(roofline.compute[0].rate, 2 * pow(4096, 3) / 580e-6);
	draw();
}

static void unreadable_cases_are_left_out(void **state)
{
	(void)state;
	four_cases();
	made_run_seal(&run, "{}");
	run.c[2].readable = false;
	roofline = (struct roofline){.texts = texts, .fonts = fonts};
	assert_true(roofline_find(&roofline, &arena, &run.run));
	assert_int_equal(roofline.n, 3);
	assert_near(roofline.compute[0].rate, 2 * pow(1024, 3) / 24e-6);
}

static void a_split_product_counts_with_its_sum(void **state)
{
	(void)state;
	four_cases();
	struct made_trace *t =
		made_case(&run, CASE("split", "bf16", "8192", "1099578736640", "671088640"));
	made_step(t, 0, 0, 20,
		(struct made_work[]){{GEMM_NN, 4000}, {SPLITK, 1000}, {ADD, 500}, {NULL, 0}});
	assert_true(find());
	assert_near(roofline.compute[0].rate, 2 * pow(4096, 3) / 580e-6);
	assert_true(2 * pow(8192, 3) / 4000e-6 > roofline.compute[0].rate);
}

static void the_figure_names_every_case(void **state)
{
	(void)state;
	four_cases();
	run.c[1].scaled = "asked size 4096, ran 1024: too slow";
	assert_true(find());
	const char *drawn = draw();
	static const char *const words[] = {"\"Case small\"", "\"Case middle ↓\"", "\"Case large\"",
		"\"Case wide\"", "\"1\" bold", "\"4\" bold", "\"208 TFLOP/s\"", "\"87.9 %\"",
		"\"bf16: 237 TFLOP/s\"", "\"caches: 2.10 TB/s\"", "\"100 TFLOP/s\""};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		assert_says(drawn, words[i]);
	/* Filled for bf16, a ring for fp32, twice each: in the plot and in the key. */
	assert_int_equal(count_calls(drawn, "stroke #005A8EFF"), 2);
	assert_int_equal(count_calls(drawn, "fill #005A8EFF"), 4);
}

/* As many cases as fit, most of them at the same place. */
static void crowds_can_be_read(void **state)
{
	(void)state;
	four_cases();
	for (int i = 0; i < 4; i++)
		add(CASE("a case with a title that is far longer than its column", "bf16", "64",
			    "528384", "40960"),
			6 + 0.01 * i, 2.5);
	assert_true(find());
	assert_int_equal(roofline.n, 4); /* the same work is one point */
	struct roof_point *few = roofline.point;
	roofline.point = arena_array(&arena, MOST_POINTS, sizeof *few);
	for (roofline.n = 0; roofline.n < MOST_POINTS; roofline.n++) {
		roofline.point[roofline.n] = few[roofline.n % 4];
		roofline.point[roofline.n].rate *= 1 + 0.002 * (roofline.n / 8);
	}
	const char *drawn = draw();
	assert_says(drawn, "\"40\" bold");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(roofs_are_the_fastest_events, tear_down),
		cmocka_unit_test_teardown(what_fits_the_cache_sets_no_roof, tear_down),
		cmocka_unit_test_teardown(the_cache_is_a_number, tear_down),
		cmocka_unit_test_teardown(a_cache_larger_than_all, tear_down),
		cmocka_unit_test_teardown(what_is_small_sets_no_roof, tear_down),
		cmocka_unit_test_teardown(a_lone_product_counts_all_of_its_step, tear_down),
		cmocka_unit_test_teardown(what_is_large_is_ten_times_the_first_roof, tear_down),
		cmocka_unit_test_teardown(points_are_flop_over_busy_time, tear_down),
		cmocka_unit_test_teardown(one_memory_roof_when_they_agree, tear_down),
		cmocka_unit_test_teardown(two_cases_are_too_few, tear_down),
		cmocka_unit_test_teardown(absurd_numbers_are_left_out, tear_down),
		cmocka_unit_test_teardown(unreadable_cases_are_left_out, tear_down),
		cmocka_unit_test_teardown(a_split_product_counts_with_its_sum, tear_down),
		cmocka_unit_test_teardown(the_figure_names_every_case, tear_down),
		cmocka_unit_test_teardown(crowds_can_be_read, tear_down),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
