/* Tables with tabs, and the sweep that is drawn from one. */
#include "report/sweep.h"
#include "tests/unit/page.h"

#include <math.h>

static const char *const path = "tables.tsv";

static bool read_text(struct tsv *t, const char *text)
{
	char file[4200];
	const char *folder = getenv("TMPDIR");
	snprintf(file, sizeof file, "%s/%s", folder ? folder : "/tmp", path);
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	bool read = tsv_read(t, &arena, file);
	remove(file);
	return read;
}

static void cells_by_name(void **state)
{
	struct tsv t;
	(void)state;
	assert_true(read_text(&t, "what\trate\tname\n\ncopy\t12.5\t\nadd\t7\n\nmul\tnan\tx\ty\n"));
	assert_int_equal(t.n_columns, 3);
	assert_int_equal(t.n_rows, 3);
	assert_string_equal(tsv_text(&t, 0, "what"), "copy");
	assert_string_equal(tsv_text(&t, 1, "name"), "");
	assert_string_equal(tsv_text(&t, 2, "name"), "x");
	assert_string_equal(tsv_text(&t, 2, "nobody"), "");
	assert_true(tsv_number(&t, 0, "rate") > 12 && tsv_number(&t, 0, "rate") < 13);
	assert_true(isnan(tsv_number(&t, 2, "rate")));
	assert_true(isnan(tsv_number(&t, 0, "what")));
	assert_true(isnan(tsv_number(&t, 0, "nobody")));
}

static void no_table(void **state)
{
	static const char *const odd[] = {"", "\n", "only\ta head\n", "\n\n\n"};
	struct tsv t;
	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		assert_false(read_text(&t, odd[i]));
	assert_false(tsv_read(&t, &arena, "/nowhere/tables.tsv"));
	assert_int_equal(t.n_rows, 0);
}

#define HEAD "width\tkernel\tGB_per_s\tGB_per_s_20\tGB_per_s_80\n"

static bool sweep_from(struct sweep *s, const char *text)
{
	struct tsv t;
	*s = (struct sweep){.texts = texts, .fonts = fonts};
	assert_true(read_text(&t, text));
	return sweep_of(s, &arena, &t);
}

static void lines_by_kernel(void **state)
{
	struct sweep s;
	(void)state;
	assert_true(sweep_from(&s,
		HEAD
		"128\ta\t10\t9\t11\n128\tb\t20\t19\t21\n256\ta\t30\t30\t30\n256\tb\tn/a\t1\t2\n"
		"256\ta\t31\t30\t32\n512\ta\t5\t6\t7\n"));
	assert_int_equal(s.n, 2);
	assert_string_equal(s.line[0].name, "a");
	assert_int_equal(s.line[0].n, 2);
	assert_int_equal(s.line[1].n, 1);
	assert_true(s.highest > 29 && s.highest < 31 && s.widest > 255 && s.widest < 257);
	assert_false(sweep_from(&s, HEAD "128\ta\t10\t9\t11\n128\tb\t10\t9\t11\n"));
	assert_false(sweep_from(&s, "width\tkernel\n128\ta\n256\ta\n"));
}

/* Every line has its name at its end, and no name stands on another. */
static void lines_can_be_told_apart(void **state)
{
	struct sweep s;
	struct drawing drawing;
	const char *text = HEAD;
	(void)state;
	for (int i = 0; i < SWEEP_LINES + 2; i++)
		text = arena_printf(&arena, "%s128\tk%d\t%d\t99\t120\n256\tk%d\t101\t100\t102\n",
			text, i, 100 + i, i);
	assert_true(sweep_from(&s, text));
	assert_int_equal(s.n, SWEEP_LINES);
	begin_drawing(&drawing);
	canvas_page(drawing.canvas, 500, sweep_height, NULL);
	sweep_draw(drawing.canvas, (struct box){0, 0, 500, sweep_height}, &s);
	const char *drawn = finish_drawing(&drawing);
	double last = -1000;
	int labels = 0;
	for (const char *p = drawn; (p = strstr(p, "text \"k")); p++) {
		double x, y;
		const char *at = strstr(p, " start ");
		assert_non_null(at);
		assert_int_equal(sscanf(at, " start %lf %lf", &x, &y), 2);
		assert_true(y - last >= 7);
		last = y;
		labels++;
	}
	assert_int_equal(labels, SWEEP_LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(cells_by_name, clear_arena),
		cmocka_unit_test_teardown(no_table, clear_arena),
		cmocka_unit_test_teardown(lines_by_kernel, clear_arena),
		cmocka_unit_test_teardown(lines_can_be_told_apart, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
