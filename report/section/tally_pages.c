/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/format.h"
#include "report/tally/tally.h"

#include <math.h>
#include <string.h>

enum { TALLY_ROWS = 12, WIDE = 8 };

static const struct tally_value *value_at(const struct tally_table *t, size_t row, int column)
{
	return &t->value[row * (size_t)t->n_columns + (size_t)column];
}

/* A column of which nothing is known, or nothing happened, has no place on a page. */
static bool is_shown(const struct tally_table *t, int column)
{
	const struct tally_column *c = &t->form->column[column];
	bool any = false;
	for (size_t r = 0; r < t->n && r < TALLY_ROWS && !any; r++) {
		const struct tally_value *v = value_at(t, r, column);
		any = c->unit == UNIT_TEXT ? v->text && v->text[0]
					   : isfinite(v->number) && v->number != 0;
	}
	return c->page && any;
}

static const char *number_text(struct arena *a, double number, enum finding_unit unit)
{
	if (!isfinite(number))
		return "–";
	switch (unit) {
	case UNIT_NS:
		return format_time(a, number);
	case UNIT_COUNT:
		return format_count(a, (int64_t)number);
	case UNIT_SHARE:
		return format_share(a, number);
	case UNIT_BYTES:
		return format_si(a, number, "B");
	case UNIT_BYTES_PER_S:
		return format_si(a, number, "B/s");
	case UNIT_FLOP:
		return format_si(a, number, "FLOP");
	case UNIT_FLOP_PER_S:
		return format_si(a, number, "FLOP/s");
	default:
		return arena_printf(a, "%.1f", number);
	}
}

/* The columns with their titles; texts share the width that the numbers leave. */
static struct rows begin_rows(struct document *d, const struct tally_table *t)
{
	struct table_form *form = arena_alloc(d->arena, sizeof *form);
	unsigned n = 0;
	*form = (struct table_form){0};
	for (int c = 0; c < t->n_columns && n < MOST_COLUMNS; c++) {
		const struct tally_column *from = &t->form->column[c];
		bool text = from->unit == UNIT_TEXT;
		if (is_shown(t, c))
			form->column[n++] = (struct column){
				.title = arena_printf(d->arena, "tally.column.%s", from->name),
				.kind = text ? COLUMN_CODE : COLUMN_NUMBER,
				.weight = text ? (strcmp(from->name, "shapes") ? 1 : 2) : 0,
				.max_lines = text};
	}
	form->size = n > WIDE ? 6.6 : 0;
	return rows_begin(d, form, 0);
}

static void put_row(
	struct rows *to, const struct report_case *c, const struct tally_table *t, size_t row)
{
	for (int k = 0, n = 0; k < t->n_columns && n < MOST_COLUMNS; k++) {
		const struct tally_value *v = value_at(t, row, k);
		if (!is_shown(t, k))
			continue;
		n++;
		if (t->form->column[k].unit == UNIT_TEXT)
			put(to, event_name(to->d, trace_readable(&c->trace, v->text)));
		else
			put(to, number_text(to->d->arena, v->number, t->form->column[k].unit));
	}
}

void add_tallies(struct document *d, const struct report_case *c)
{
	const struct tally_source s = {.arena = d->arena,
		.a = c->analysis,
		.ledger = c->ledger,
		.streams = c->streams,
		.partition = c->partition};
	for (int i = 0; i < n_tallies; i++) {
		if (!tallies[i].pages)
			continue;
		struct tally_table t = tally_of(&tallies[i], &s);
		if (!t.n)
			continue;
		size_t shown = t.n < TALLY_ROWS ? t.n : TALLY_ROWS;
		const char *about = said_by(d, "tally.%s", tallies[i].id);
		if (t.n > shown)
			about = arena_printf(d->arena, "%s %s", about,
				said(d, "tally.some", "shown",
					format_count(d->arena, (int64_t)shown), "n",
					format_count(d->arena, (int64_t)t.n), NULL));
		document_add(d, BLOCK_CAPTION, about)->level = 1;
		struct rows to = begin_rows(d, &t);
		for (size_t r = 0; r < shown; r++)
			put_row(&to, c, &t, r);
	}
}
