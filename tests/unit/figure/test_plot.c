/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and their ticks, labels that keep apart, axes that can be read. */
#include "report/figure/plot.h"

#include "base/number_format.h"
#include "tests/unit/made_run.h"

#include <math.h>

/* ---- scales ---- */

static void scale_turns_values_into_points(void **state)
{
	(void)state;
	struct scale x = {10, 30, false, 100, 50};
	assert_close(scale_at(&x, 10), 100);
	assert_close(scale_at(&x, 20), 125);
	assert_close(scale_at(&x, 30), 150);
	assert_close(scale_at(&x, 5), 100);
	assert_close(scale_at(&x, 99), 150);
	struct scale y = {1, 10000, true, 200, -80};
	assert_close(scale_at(&y, 1), 200);
	assert_close(scale_at(&y, 100), 160);
	assert_close(scale_at(&y, 10000), 120);
	assert_close(scale_at(&y, 0), 200);
}

static void fitting_leaves_a_margin(void **state)
{
	(void)state;
	struct scale s = {.logarithmic = false};
	scale_fit(&s, 10, 20, 0.1);
	assert_close(s.low, 9);
	assert_close(s.high, 21);
	scale_fit(&s, 8, 8, 0.1);
	assert_true(s.low < 8 && s.high > 8);
	scale_fit(&s, 0, 0, 0.1);
	assert_true(s.low < s.high);
	s.logarithmic = true;
	scale_fit(&s, 10, 1000, 0.5);
	assert_close(s.low, 1);
	assert_close(s.high, 10000);
	scale_fit(&s, 10, 10, 0.5);
	assert_close(s.high / s.low, 10);
}

static void assert_ticks(const struct scale *s, int wanted, const char *expected)
{
	struct tick tick[MOST_TICKS];
	const char *text = "";
	int n = scale_ticks(s, wanted, tick);
	for (int i = 0; i < n; i++)
		text = arena_printf(&arena, "%s%s%.6g%s", text, i ? " " : "",
			fabs(tick[i].value) < 1e-12 ? 0 : tick[i].value,
			tick[i].labelled ? "" : "-");
	assert_string_equal(text, expected);
}

static void linear_ticks_are_round(void **state)
{
	(void)state;
	assert_ticks(&(struct scale){0, 10, false, 0, 1}, 5, "0 2 4 6 8 10");
	assert_ticks(&(struct scale){-3, 4, false, 0, 1}, 4, "-2 0 2 4");
	assert_ticks(&(struct scale){0.31, 0.58, false, 0, 1}, 6, "0.35 0.4 0.45 0.5 0.55");
	assert_ticks(&(struct scale){1e9, 5e9, false, 0, 1}, 2, "2e+09 4e+09");
}

static void log_ticks_are_powers(void **state)
{
	(void)state;
	assert_ticks(&(struct scale){20, 400, true, 0, 1}, 9,
		"20 30- 40- 50 60- 70- 80- 90- 100 200 300- 400-");
	assert_ticks(&(struct scale){0.5, 20, true, 0, 1}, 2,
		"0.5- 0.6- 0.7- 0.8- 0.9- 1 2- 3- 4- 5- 6- 7- 8- 9- 10 20-");
	assert_ticks(&(struct scale){1, 1e6, true, 0, 1}, 9, "1 10 100 1000 10000 100000 1e+06");
	assert_ticks(&(struct scale){1, 1e6, true, 0, 1}, 4, "1 10- 100 1000- 10000 100000- 1e+06");
}

static void ticks_of_any_scale_hold(void **state)
{
	(void)state;
	uint32_t random = 7;
	for (int round = 0; round < 3000; round++) {
		double low = pow(10, (next_random(&random) % 2400) / 100.0 - 12);
		double span = 1 + pow(10, (next_random(&random) % 1200) / 100.0 - 3);
		struct scale s = {low, low * span, round % 2, 0, 100};
		int wanted = 1 + (int)(next_random(&random) % 10);
		struct tick tick[MOST_TICKS];
		int n = scale_ticks(&s, wanted, tick), labelled = 0;
		assert_in_range(n, 0, MOST_TICKS);
		for (int i = 0; i < n; i++) {
			double off = s.logarithmic ? s.low * 1e-6 : (s.high - s.low) * 1e-6;
			assert_true(tick[i].value >= s.low - off);
			assert_true(tick[i].value <= s.high * (1 + 1e-6));
			assert_true(!i || tick[i].value > tick[i - 1].value);
			labelled += tick[i].labelled;
		}
		assert_in_range(labelled, 0, 3 * wanted + 3);
	}
}

/* ---- axes ---- */

static void draw_axis(struct canvas *c, struct box box, const void *scale)
{
	struct arena scratch = {0};
	struct plot p = {c, texts, fonts, &scratch};
	plot_y_axis(&p, scale, box.x + 40, box.x + box.w, 6, format_time);
	arena_release(&scratch);
}

/* 144.0, 144.5, 145.0 ... ms round to the same three digits: then there are fewer. */
static void no_two_ticks_read_alike(void **state)
{
	(void)state;
	const struct scale narrow = {143.4e6, 146.6e6, false, 110, -80};
	const char *drawn = draw_figure(draw_axis, &narrow, 200, 100);
	assert_non_null(strstr(drawn, "\"144 ms\""));
	assert_non_null(strstr(drawn, "\"146 ms\""));
	for (const char *one = drawn; (one = strstr(one, " ms\"")); one++) {
		const char *start = one;
		while (start > drawn && start[-1] != '"')
			start--;
		char *label = arena_strndup(&arena, start - 1, (size_t)(one + 4 - (start - 1)));
		assert_null(strstr(one + 4, label));
	}
}

/* ---- labels in a column ---- */

static void labels_with_room_stay(void **state)
{
	(void)state;
	double at[] = {10, 30, 50}, height[] = {8, 8, 8};
	keep_apart(at, height, 3, 0, 100);
	assert_close(at[0], 10);
	assert_close(at[1], 30);
	assert_close(at[2], 50);
}

static void labels_share_the_way(void **state)
{
	(void)state;
	double at[] = {20, 20}, height[] = {8, 8};
	keep_apart(at, height, 2, 0, 100);
	assert_close(at[0], 16);
	assert_close(at[1], 24);
	double edge[] = {1, 2, 60};
	const double three[] = {8, 8, 8};
	keep_apart(edge, three, 3, 0, 100);
	assert_close(edge[0], 4);
	assert_close(edge[1], 12);
	assert_close(edge[2], 60);
	double low[] = {98, 99};
	keep_apart(low, height, 2, 0, 100);
	assert_close(low[0], 88);
	assert_close(low[1], 96);
	double full[] = {5, 5, 5};
	keep_apart(full, three, 3, 0, 12);
	assert_close(full[0], 2);
	assert_close(full[1], 6);
	assert_close(full[2], 10);
}

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static void labels_never_touch(void **state)
{
	(void)state;
	enum { N = 12 };
	uint32_t random = 3;
	for (int round = 0; round < 2000; round++) {
		double at[N], height[N];
		for (int i = 0; i < N; i++) {
			at[i] = (next_random(&random) % 1400) / 10.0 - 20;
			height[i] = 1 + (next_random(&random) % 70) / 10.0;
		}
		qsort(at, N, sizeof *at, ascending);
		keep_apart(at, height, N, 0, 100);
		for (int i = 0; i < N; i++) {
			double above = i ? at[i - 1] + height[i - 1] / 2 : 0;
			assert_true(at[i] - height[i] / 2 >= above - 1e-6);
		}
		assert_true(at[N - 1] + height[N - 1] / 2 <= 100 + 1e-6);
	}
}

/* ---- labels around dots ---- */

static void lines_and_boxes(void **state)
{
	(void)state;
	const struct box b = {10, 10, 20, 10};
	assert_true(line_meets((struct pt){0, 15}, (struct pt){40, 15}, &b));
	assert_true(line_meets((struct pt){0, 0}, (struct pt){40, 30}, &b));
	assert_true(line_meets((struct pt){15, 0}, (struct pt){15, 40}, &b));
	assert_true(line_meets((struct pt){12, 12}, (struct pt){13, 13}, &b));
	assert_false(line_meets((struct pt){0, 15}, (struct pt){9, 15}, &b));
	assert_false(line_meets((struct pt){0, 25}, (struct pt){40, 25}, &b));
	assert_false(line_meets((struct pt){0, 20}, (struct pt){10, 30}, &b));
	const struct box other = {25, 15, 20, 10};
	assert_close(boxes_share(&b, &other, 0), 25);
	assert_close(boxes_share(&b, &other, 1), 36);
	assert_close(boxes_share(&b, &(struct box){31, 10, 5, 5}, 0), 0);
}

enum { LABELS = 23 };

/* A third of the dots at one place, a third close by, the rest anywhere. */
static void scatter(struct plot_label *l, uint32_t seed)
{
	for (int i = 0; i < LABELS; i++) {
		uint32_t a = next_random(&seed), b = next_random(&seed);
		struct pt dot = {60, 60};
		if (i % 3 == 1)
			dot = (struct pt){60 + a % 20, 60 + b % 20};
		if (i % 3 == 2)
			dot = (struct pt){5 + a % 250, 5 + b % 190};
		l[i] = (struct plot_label){.dot = dot, .w = i < 9 ? 4 : 7.5, .h = 6.4};
	}
}

static void assert_placed(const struct plot_label *l, const struct label_field *f)
{
	double r = f->radius;
	for (int i = 0; i < LABELS; i++) {
		const struct box *b = &l[i].box;
		assert_true(b->x >= f->area.x && b->y >= f->area.y);
		assert_true(b->x + b->w <= f->area.x + f->area.w);
		assert_true(b->y + b->h <= f->area.y + f->area.h);
		for (int k = 0; k < LABELS; k++) {
			struct box dot = {l[k].dot.x - r, l[k].dot.y - r, 2 * r, 2 * r};
			assert_close(boxes_share(b, &dot, 0), 0);
			if (k != i)
				assert_close(boxes_share(b, &l[k].box, 0), 0);
		}
		for (int k = 0; k < f->n_taken; k++)
			assert_close(boxes_share(b, &f->taken[k], 0), 0);
	}
}

static void crowded_labels_find_room(void **state)
{
	(void)state;
	const struct box taken[] = {{70, 30, 120, 8}, {0, 100, 260, 1}};
	const struct label_field field = {{0, 0, 260, 200}, 1.9, taken, 2};
	for (uint32_t seed = 1; seed < 12; seed++) {
		struct plot_label l[LABELS], again[LABELS];
		scatter(l, seed);
		scatter(again, seed);
		labels_place(l, LABELS, &field);
		labels_place(again, LABELS, &field);
		assert_placed(l, &field);
		assert_memory_equal(l, again, sizeof l);
	}
}

static void a_leader_ends_at_its_box(void **state)
{
	(void)state;
	struct plot_label l = {.dot = {0, 0}, .box = {10, -3, 5, 6}};
	assert_close(label_end(&l).x, 10);
	assert_close(label_end(&l).y, 0);
	l.dot = (struct pt){20, 20};
	assert_close(label_end(&l).x, 15);
	assert_close(label_end(&l).y, 3);
}

/* ---- drawing ---- */

static const char *percent(struct arena *a, double v)
{
	return arena_printf(a, "%.6g %%", v);
}

static void draw_axes(struct canvas *c, struct box box, const void *scales)
{
	const struct scale *s = scales;
	struct plot p = {c, texts, fonts, &arena};
	struct scale x = s[0], y = s[1];
	x.at += box.x;
	y.at += box.y;
	plot_x_axis(&p, &x, box.y + 10, box.y + 80, 12, percent);
	plot_y_axis(&p, &y, box.x + 50, box.x + 200, 7, percent);
}

static void axes_can_be_read(void **state)
{
	(void)state;
	const struct scale narrow[] = {{0, 123456, false, 50, 150}, {0.001, 4000, true, 80, -70}};
	const char *drawn = draw_figure(draw_axes, narrow, 230, 100);
	assert_says(drawn, "\"0 %\"");
	assert_says(drawn, "\"1 %\"");
	assert_int_equal(count_calls(drawn, "text \"1e-03"), 0);
}

static void long_titles_take_two_lines(void **state)
{
	(void)state;
	struct drawing d;
	begin_drawing(&d);
	canvas_page(d.canvas, 200, 100, NULL);
	struct plot p = {d.canvas, texts, fonts, &arena};
	assert_int_equal(
		plot_two_lines(&p, 10, 20, 100, FACE_SANS, 7, 8, "ink", "a short title"), 1);
	assert_int_equal(plot_two_lines(&p, 10, 40, 60, FACE_SANS, 7, 8, "ink",
				 "a title that takes two lines and more than that"),
		2);
	assert_int_equal(plot_two_lines(&p, 10, 80, 40, FACE_SANS, 7, 8, "ink",
				 "oneverylongwordwithoutanyspace"),
		1);
	const char *drawn = finish_drawing(&d);
	assert_texts_apart(drawn, (struct box){10, 10, 110, 90});
	assert_says(drawn, "…");
	assert_int_equal(count_calls(drawn, "text"), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scale_turns_values_into_points),
		cmocka_unit_test(fitting_leaves_a_margin),
		cmocka_unit_test_teardown(linear_ticks_are_round, clear_arena),
		cmocka_unit_test_teardown(log_ticks_are_powers, clear_arena),
		cmocka_unit_test(ticks_of_any_scale_hold),
		cmocka_unit_test_teardown(no_two_ticks_read_alike, clear_arena),
		cmocka_unit_test(labels_with_room_stay),
		cmocka_unit_test(labels_share_the_way),
		cmocka_unit_test(labels_never_touch),
		cmocka_unit_test(lines_and_boxes),
		cmocka_unit_test(crowded_labels_find_room),
		cmocka_unit_test(a_leader_ends_at_its_box),
		cmocka_unit_test_teardown(axes_can_be_read, clear_arena),
		cmocka_unit_test_teardown(long_titles_take_two_lines, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
