/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/table_builder.h"

#include "base/number_format.h"

#include <string.h>

static bool is_left_out(const struct rows *r, int column)
{
	return r->left_out >> column & 1;
}

struct rows rows_begin(struct document *d, const struct table_form *form, unsigned without)
{
	struct rows r = {.d = d, .left_out = without};
	struct column *column = arena_array(d->arena, MOST_COLUMNS, sizeof *column);
	int shown = 0;
	for (; r.n_columns < MOST_COLUMNS && form->column[r.n_columns].title; r.n_columns++) {
		if (is_left_out(&r, r.n_columns))
			continue;
		const char *key = form->column[r.n_columns].title;
		column[shown] = form->column[r.n_columns];
		column[shown++].title = key[0] ? said(d, key, NULL) : "";
	}
	r.table = document_table(d, column, shown, 0);
	r.table->size = form->size;
	return r;
}

/* A copy with room for n; the arena keeps the old one. */
static void *grown(struct rows *r, const void *old, size_t n_old, size_t n, size_t size)
{
	void *copy = arena_array(r->d->arena, n, size);
	if (n_old)
		memcpy(copy, old, n_old * size);
	return copy;
}

static void make_room(struct rows *r)
{
	struct table *t = r->table;
	if (t->n_rows < r->room)
		return;
	size_t columns = (size_t)t->n_columns, rows = (size_t)t->n_rows;
	r->room = r->room ? 2 * r->room : 8;
	t->cell = grown(r, t->cell, rows * columns, (size_t)r->room * columns, sizeof *t->cell);
	if (t->group)
		t->group = grown(r, t->group, rows, (size_t)r->room, sizeof *t->group);
}

void rows_group(struct rows *r, const char *title)
{
	make_room(r);
	if (!r->table->group)
		r->table->group =
			arena_array(r->d->arena, (size_t)r->room, sizeof *r->table->group);
	r->table->group[r->table->n_rows] = title;
}

static void begin_row(struct rows *r)
{
	make_room(r);
	int row = r->table->n_rows++;
	for (int i = 0; i < r->table->n_columns; i++)
		*table_cell(r->table, row, i) = (struct cell){.text = ""};
}

struct cell *put_cell(struct rows *r, struct cell cell)
{
	if (!r->at)
		begin_row(r);
	int column = 0, at = r->at;
	for (int i = 0; i < at; i++)
		column += !is_left_out(r, i);
	struct cell *to = is_left_out(r, at) ? &r->dropped
					     : table_cell(r->table, r->table->n_rows - 1, column);
	r->at = (at + 1) % r->n_columns;
	*to = cell;
	return to;
}

struct cell *put(struct rows *r, const char *text)
{
	return put_cell(r, (struct cell){.text = text});
}

struct cell *put_said(struct rows *r, const char *key)
{
	return put(r, said(r->d, key, NULL));
}

struct cell *put_time(struct rows *r, double ns)
{
	return put(r, format_time(r->d->arena, ns));
}

struct cell *put_count(struct rows *r, int64_t n)
{
	return put(r, format_count(r->d->arena, n));
}

struct cell *put_bar(struct rows *r, double share, const char *swatch)
{
	return put_cell(r,
		(struct cell){.text = format_share(r->d->arena, share),
			.share = share,
			.swatch = swatch});
}

void rows_end_row(struct rows *r)
{
	while (r->at)
		put(r, "");
}
