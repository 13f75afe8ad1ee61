/* SPDX-License-Identifier: Apache-2.0 */
/* Tables with tabs: cells by the names of their columns. */
#include "report/course/parts.h"
#include "report/course/tsv.h"

#include "base/outfile.h"
#include "report/section/template_sections.h"
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

/* Of a file: any number. The sanitizer knows what does not fit a whole one. */
static void endless_widths(void **state)
{
	struct err err = {0};
	struct document d;
	struct run run = {.folder = "tables_of_nobody"};
	struct input in = {.runs = &run, .n_runs = 1};
	struct outfile out;
	(void)state;
	assert_int_equal(outfile_open(&out, "tables_of_nobody/tables/sweep.tsv", &err), 0);
	fputs("kernel\twidth\tGB_per_s\nadd\t1e308\t5\nmul\t8\t6\n", out.f);
	assert_int_equal(outfile_close(&out, &err), 0);
	document_init(&d, &arena, texts, fonts);
	section_tables(&d, &in);
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	document_dump(&d, f);
	fclose(f);
	assert_non_null(strstr(text, "add | 5.0 | 5.0 | – | 5.0"));
	assert_non_null(strstr(text, "mul | 6.0 | 6.0 | 8 | 6.0"));
	free(text);
	remove("tables_of_nobody/tables/sweep.tsv");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(cells_by_name, clear_arena),
		cmocka_unit_test_teardown(no_table, clear_arena),
		cmocka_unit_test_teardown(endless_widths, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
