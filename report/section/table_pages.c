/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/section/fact_tables.h"
#include "report/section/value_words.h"

#include <math.h>
#include <string.h>

enum { TABLE_ROWS = 12, PAGE_COLUMNS = 8 };

static const struct tables_value *value_at(const struct result_table *t, size_t row, int column)
{
	return &t->value[row * (size_t)t->n_columns + (size_t)column];
}

/* A column of which nothing is known, or nothing happened, has no place on a page. */
static bool is_shown(const struct result_table *t, int column)
{
	const struct tables_column *c = &t->form->column[column];
	bool any = false;
	for (size_t r = 0; r < t->n && r < TABLE_ROWS && !any; r++) {
		const struct tables_value *v = value_at(t, r, column);
		any = c->unit == UNIT_TEXT ? v->text && v->text[0]
					   : isfinite(v->number) && v->number != 0;
	}
	return c->place != TABLE_DATA && any;
}

/* Columns on a page, in the order of the table: with more the type would be too small. The file of
 * --csv has all of them. */
static int columns_shown(const struct result_table *t, int shown[PAGE_COLUMNS])
{
	int n = 0, too_many = -PAGE_COLUMNS;
	for (int c = 0; c < t->n_columns; c++)
		too_many += is_shown(t, c);
	for (int c = 0; c < t->n_columns && n < PAGE_COLUMNS; c++) {
		if (!is_shown(t, c))
			continue;
		bool left_out = t->form->column[c].place == TABLE_ROOM && too_many > 0;
		too_many -= left_out;
		if (!left_out)
			shown[n++] = c;
	}
	return n;
}

/* The columns with their titles; texts share the width that the numbers leave. */
static struct rows begin_rows(struct document *d, const struct result_table *t)
{
	struct table_form *form = arena_alloc(d->arena, sizeof *form);
	int shown[PAGE_COLUMNS], n = columns_shown(t, shown);
	*form = (struct table_form){0};
	for (int i = 0; i < n; i++) {
		const struct tables_column *from = &t->form->column[shown[i]];
		bool text = from->unit == UNIT_TEXT;
		form->column[i] = (struct column){
			.title = arena_printf(d->arena, "table.column.%s", from->name),
			.kind = text ? COLUMN_CODE : COLUMN_NUMBER,
			.weight = text ? (strcmp(from->name, "shapes") ? 1 : 2) : 0,
			.max_lines = text};
	}
	return rows_begin(d, form, 0);
}

static void put_row(
	struct rows *to, const struct report_case *c, const struct result_table *t, size_t row)
{
	int shown[PAGE_COLUMNS], n = columns_shown(t, shown);
	for (int i = 0; i < n; i++) {
		const struct tables_value *v = value_at(t, row, shown[i]);
		enum finding_unit unit = t->form->column[shown[i]].unit;
		if (unit == UNIT_TEXT)
			put(to, event_name(to->d, trace_readable(&c->trace, v->text)));
		else if (isfinite(v->number)) /* the only ratio is a mean of counts */
			put(to,
				value_in_words(to->d->arena, unit == UNIT_RATIO ? UNIT_COUNT : unit,
					v->number, NULL));
		else
			put(to, "–");
	}
}

void add_result_tables(struct document *d, const struct report_case *c)
{
	const struct tables_source s = case_facts(d->arena, c);
	for (int i = 0; i < n_result_tables; i++) {
		if (!result_tables[i].pages)
			continue;
		struct result_table t = tables_of(&result_tables[i], &s);
		if (!t.n)
			continue;
		size_t shown = min_size(t.n, TABLE_ROWS);
		const char *about = said_by(d, "table.%s", result_tables[i].id);
		if (t.n > shown)
			about = arena_printf(d->arena, "%s %s", about,
				said(d, "table.some", "shown",
					format_count(d->arena, (int64_t)shown), "n",
					format_count(d->arena, (int64_t)t.n), NULL));
		document_add(d, BLOCK_CAPTION, about)->level = 1;
		struct rows to = begin_rows(d, &t);
		for (size_t r = 0; r < shown; r++)
			put_row(&to, c, &t, r);
	}
}
