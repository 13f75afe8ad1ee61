/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are put cell by cell. */
#include "report/page/table_builder.h"
#include "tests/unit/page.h"

static const struct table_form form = {.size = 6.6,
	.column = {{"split.what", .weight = 1}, {"split.time", COLUMN_NUMBER},
		{"split.share", COLUMN_BAR}}};

static struct document new_document(void)
{
	struct document doc;
	document_init(&doc, &arena, texts, fonts);
	return doc;
}

static const char *text_at(const struct rows *t, int row, int column)
{
	return table_cell(t->table, row, column)->text;
}

static void cells_from_left_to_right(void **state)
{
	(void)state;
	struct document doc = new_document();
	struct rows t = rows_begin(&doc, &form, 0);
	assert_int_equal(t.table->n_columns, 3);
	assert_string_equal(t.table->column[1].title, said(&doc, "split.time", NULL));
	assert_int_equal(t.table->column[2].kind, COLUMN_BAR);
	assert_int_equal(t.table->n_rows, 0);
	put(&t, "first")->bold = true;
	put_time(&t, 1500);
	put_bar(&t, 0.5, "gemm");
	put(&t, "second");
	assert_int_equal(t.table->n_rows, 2);
	assert_string_equal(text_at(&t, 1, 2), ""); /* before it is put */
	rows_end_row(&t);
	rows_end_row(&t); /* no row has begun */
	assert_int_equal(t.table->n_rows, 2);
	assert_true(table_cell(t.table, 0, 0)->bold);
	assert_false(table_cell(t.table, 1, 0)->bold);
	assert_string_equal(text_at(&t, 0, 1), "1.50 µs");
	assert_string_equal(text_at(&t, 0, 2), "50.0 %");
	assert_true(table_cell(t.table, 0, 2)->share > 0.49);
}

static void left_out_columns_swallow_cells(void **state)
{
	(void)state;
	struct document doc = new_document();
	struct rows t = rows_begin(&doc, &form, 1u << 1);
	assert_int_equal(t.table->n_columns, 2);
	assert_string_equal(t.table->column[1].title, said(&doc, "split.share", NULL));
	for (int i = 0; i < 3; i++) {
		put_count(&t, i);
		put(&t, "dropped")->bold = true;
		put(&t, "kept");
	}
	assert_int_equal(t.table->n_rows, 3);
	assert_string_equal(text_at(&t, 2, 0), "2");
	assert_string_equal(text_at(&t, 2, 1), "kept");
	assert_false(table_cell(t.table, 2, 1)->bold);
}

/* Rows and groups stay where they are while the table grows. */
static void grows(void **state)
{
	enum { MANY = 100, GROUP_AT = 7 };
	(void)state;
	struct document doc = new_document();
	struct rows t = rows_begin(&doc, &form, 0);
	for (int i = 0; i < MANY; i++) {
		if (i % GROUP_AT == 0)
			rows_group(&t, "group");
		put_count(&t, i);
		put_said(&t, "split.time");
		rows_end_row(&t);
	}
	assert_int_equal(t.table->n_rows, MANY);
	for (int i = 0; i < MANY; i++) {
		assert_string_equal(text_at(&t, i, 0), arena_printf(&arena, "%d", i));
		assert_string_equal(text_at(&t, i, 2), "");
		assert_int_equal(t.table->group[i] != NULL, i % GROUP_AT == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(cells_from_left_to_right, clear_arena),
		cmocka_unit_test_teardown(left_out_columns_swallow_cells, clear_arena),
		cmocka_unit_test_teardown(grows, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
