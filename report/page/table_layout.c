/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/table_layout.h"

#include "base/min_max.h"

#include <math.h>
#include <string.h>

static const double ROW_PAD = 2.8, SWATCH = 6, BAR_W = 56, GROUP_H = 15;
const double TABLE_USUAL = 8;

/* Rows of small print stand closer to each other than rows of the usual size. */
static double row_pad(const struct table_layout *l)
{
	return l->size < 7 ? ROW_PAD - 0.6 : ROW_PAD;
}

static double gap(const struct table_layout *l)
{
	return l->size < 7 ? 6 : 8;
}

/* Code and heads stand a little smaller than the cells, but never below what a canvas draws. */
static double smaller(const struct table_layout *l, double by)
{
	double least = l->size < TABLE_USUAL ? TEXT_MIN_PT : TABLE_USUAL;
	return fmax(l->size - by, least);
}

static struct rich_style style_of(
	const struct table_layout *l, const struct column *col, const struct cell *cell)
{
	const struct texts *t = l->document->texts;
	bool code = col->kind == COLUMN_CODE;
	struct rich_style s = {
		.face = cell->bold ? FACE_BOLD
			: code	   ? FACE_MONO
				   : FACE_SANS,
		.size = code ? smaller(l, 0.5) : l->size,
		.leading = l->size * 1.24,
		.colour = texts_colour(t, cell->faint ? "tertiary" : "ink"),
		.link = texts_colour(t, "link"),
		.align = col->kind == COLUMN_NUMBER || col->kind == COLUMN_BAR ? ANCHOR_END
									       : ANCHOR_START,
		.max_lines = col->max_lines,
	};
	if (col->kind == COLUMN_VERDICT && cell->verdict != PLAIN) {
		static const char *const names[] = {"ink", "kept", "broken", "open"};
		s.colour = s.link = texts_colour(t, names[cell->verdict]);
		s.face = FACE_BOLD;
	}
	return s;
}

static struct rich_style head_style(const struct table_layout *l, const struct column *col)
{
	return (struct rich_style){
		.face = FACE_BOLD,
		.size = smaller(l, 0.4),
		.leading = l->size * 1.2,
		.colour = texts_colour(l->document->texts, "secondary"),
		.link = texts_colour(l->document->texts, "link"),
		.align = col->kind == COLUMN_NUMBER ? ANCHOR_END : ANCHOR_START,
	};
}

/* A bar takes its colour from the swatch and draws none. */
static double swatch_width(const struct column *col, const struct cell *cell)
{
	return cell->swatch && col->kind != COLUMN_BAR ? SWATCH + 4 : 0;
}

static const struct cell *cell_at(const struct table *t, int row, int column)
{
	return &t->cell[row * t->n_columns + column];
}

/* What a cell needs on one line, as which it is laid out. */
static double natural_width(struct arena *a, const struct table_layout *l, const struct column *col,
	const struct cell *cell, struct rich *r)
{
	struct rich_style s = style_of(l, col, cell);
	*r = rich_layout(a, l->document->fonts, NULL, cell->text, 1e4, &s);
	double w = r->n_lines ? r->line[0].width : 0;
	w += swatch_width(col, cell);
	if (col->kind == COLUMN_BAR)
		w += BAR_W + 4;
	if (col->kind == COLUMN_VERDICT)
		w += 8;
	return w + 0.5;
}

/* On one line, or as wide as its widest word. */
static double head_width(
	struct arena *a, const struct table_layout *l, const struct column *col, bool broken)
{
	struct rich_style s = head_style(l, col);
	const struct rich r = rich_layout(a, l->document->fonts, NULL, col->title, 1e4, &s);
	double w = 0;
	for (int i = 0; broken && i < r.n_words; i++)
		w = fmax(r.word[i].width, w);
	if (!broken && r.n_lines)
		w = r.line[0].width;
	return w > 0 ? w + 0.5 : 0;
}

/* Lays out the columns without weight, which are as wide as what stands in them. */
static void lay_fixed(struct arena *a, struct table_layout *l)
{
	const struct table *t = l->table;
	for (int c = 0; c < t->n_columns; c++)
		for (int r = 0; r < t->n_rows && t->column[c].weight <= 0; r++) {
			double need = natural_width(a, l, &t->column[c], cell_at(t, r, c),
				&l->cell[r * t->n_columns + c]);
			l->column_w[c] = fmax(need, l->column_w[c]);
		}
}

/* Makes them as wide as their heads, too; returns what is left for the others. */
static double widen_fixed(
	struct arena *a, const struct table_layout *l, bool broken, const double *cells_w)
{
	const struct table *t = l->table;
	double rest = l->width - gap(l) * (t->n_columns - 1);
	for (int c = 0; c < t->n_columns; c++) {
		const struct column *col = &t->column[c];
		if (col->weight > 0)
			continue;
		struct arena_mark mark = arena_mark(a);
		double w = head_width(a, l, col, broken);
		arena_reset(a, mark);
		l->column_w[c] = fmax(cells_w[c], w);
		rest -= l->column_w[c];
	}
	return rest;
}

/* Heads are broken where the columns of words would get too little. */
static void place_columns(struct arena *a, struct table_layout *l)
{
	static const double LEAST = 90;
	const struct table *t = l->table;
	double weights = 0, x = 0;
	int n = 0;
	for (int c = 0; c < t->n_columns; c++) {
		weights += t->column[c].weight;
		n += t->column[c].weight > 0;
	}
	lay_fixed(a, l);
	double *cells_w = arena_array(a, (size_t)t->n_columns, sizeof *cells_w);
	memcpy(cells_w, l->column_w, (size_t)t->n_columns * sizeof *cells_w);
	double rest = widen_fixed(a, l, false, cells_w);
	if (rest < LEAST * n || rest < 0)
		rest = widen_fixed(a, l, true, cells_w);
	for (int c = 0; c < t->n_columns; c++) {
		if (t->column[c].weight > 0)
			l->column_w[c] = rest > 0 ? rest * t->column[c].weight / weights : 20;
		l->column_x[c] = x;
		x += l->column_w[c] + gap(l);
	}
}

static void set_cells(struct arena *a, struct table_layout *l, const struct places *places)
{
	const struct table *t = l->table;
	for (int r = 0; r < t->n_rows; r++) {
		double h = 0;
		for (int c = 0; c < t->n_columns; c++) {
			const struct column *col = &t->column[c];
			const struct cell *cell = cell_at(t, r, c);
			struct rich_style s = style_of(l, col, cell);
			double w = l->column_w[c] - swatch_width(col, cell) -
				(col->kind == COLUMN_VERDICT ? 8 : 0);
			struct rich *rich = &l->cell[r * t->n_columns + c];
			if (col->weight > 0 || rich->numbered)
				*rich = rich_layout(
					a, l->document->fonts, places, cell->text, w, &s);
			l->numbered |= rich->numbered;
			h = fmax(rich->height, h);
		}
		l->row_h[r] = h + row_pad(l) + (t->group && t->group[r] ? GROUP_H : 0);
	}
}

double table_size(const struct table *t)
{
	return t->size > 0 ? t->size : TABLE_USUAL;
}

struct table_layout *table_measure(struct arena *a, const struct document *d,
	const struct places *places, const struct table *t, double width)
{
	struct table_layout *l = arena_alloc(a, sizeof *l);
	size_t columns = (size_t)t->n_columns, rows = (size_t)t->n_rows;
	*l = (struct table_layout){.table = t,
		.document = d,
		.size = table_size(t),
		.width = width,
		.column_x = arena_array(a, columns, sizeof(double)),
		.column_w = arena_array(a, columns, sizeof(double)),
		.cell = arena_array(a, columns * rows, sizeof(struct rich)),
		.head = arena_array(a, columns, sizeof(struct rich)),
		.row_h = arena_array(a, rows, sizeof(double))};
	place_columns(a, l);
	for (int c = 0; c < t->n_columns; c++) {
		struct rich_style s = head_style(l, &t->column[c]);
		l->head[c] =
			rich_layout(a, d->fonts, places, t->column[c].title, l->column_w[c], &s);
		l->head_h = fmax(l->head[c].height, l->head_h);
		l->numbered |= l->head[c].numbered;
	}
	l->head_h += 6;
	set_cells(a, l, places);
	return l;
}

int table_rows_that_fit(const struct table_layout *l, int first, double height)
{
	double used = l->head_h;
	int n = 0;
	for (int r = first; r < l->table->n_rows && used + l->row_h[r] <= height; r++, n++)
		used += l->row_h[r];
	return n;
}

double table_height(const struct table_layout *l, int first, int n)
{
	double h = l->head_h;
	for (int r = first; r < first + n; r++)
		h += l->row_h[r];
	return h;
}

static void rule(struct canvas *c, const struct table_layout *l, double x, double y, double width,
	const char *colour)
{
	canvas_line(c, (struct pt){x, y}, (struct pt){x + l->width, y},
		&(struct stroke){
			.colour = texts_colour(l->document->texts, colour), .width = width});
}

static void draw_bar(
	struct canvas *c, const struct table_layout *l, struct box box, const struct cell *cell)
{
	struct bar_colours colours =
		texts_bar(l->document->texts, cell->swatch ? cell->swatch : "device_other");
	double w = BAR_W * clip(cell->share, 0, 1);
	if (w < 0.6)
		w = 0.6;
	canvas_rect(c, (struct box){box.x, box.y + 1, w, box.h - 2}, colours.fill);
}

static void draw_swatch(
	struct canvas *c, const struct table_layout *l, double x, double y, const char *name)
{
	struct bar_colours colours = texts_bar(l->document->texts, name);
	struct box box = {x, y + 1, SWATCH, SWATCH};
	canvas_rect(c, box, colours.fill);
	canvas_frame(c, box, &(struct stroke){.colour = colours.edge, .width = 0.35});
}

static void draw_plate(
	struct canvas *c, const struct table_layout *l, struct box box, enum verdict_colour verdict)
{
	static const char *const grounds[] = {NULL, "kept_ground", "broken_ground", "open_ground"};
	if (verdict != PLAIN)
		canvas_rect(c, box, texts_colour(l->document->texts, grounds[verdict]));
}

static void draw_cell(
	struct canvas *c, const struct table_layout *l, int row, int column, double x, double y)
{
	const struct column *col = &l->table->column[column];
	const struct cell *cell = cell_at(l->table, row, column);
	const struct rich *rich = &l->cell[row * l->table->n_columns + column];
	double w = l->column_w[column];
	x += l->column_x[column];
	if (col->kind == COLUMN_BAR) {
		if (cell->text[0])
			draw_bar(c, l, (struct box){x, y, w, rich->height}, cell);
		rich_draw(c, rich, x, y, w);
		return;
	}
	if (col->kind == COLUMN_VERDICT && rich->n_lines) {
		draw_plate(c, l, (struct box){x, y, rich->line[0].width + 8, rich->height},
			cell->verdict);
		x += 4;
		w -= 8;
	}
	if (cell->swatch) {
		draw_swatch(c, l, x, y + 0.6, cell->swatch);
		x += SWATCH + 4;
		w -= SWATCH + 4;
	}
	rich_draw(c, rich, x, y, w);
}

static void draw_head(struct canvas *c, const struct table_layout *l, double x, double y)
{
	canvas_tag(c, &(struct tag){.kind = TAG_ROW});
	for (int column = 0; column < l->table->n_columns; column++) {
		canvas_tag(c, &(struct tag){.kind = TAG_HEAD_CELL});
		rich_draw(c, &l->head[column], x + l->column_x[column],
			y + l->head_h - 3 - l->head[column].height, l->column_w[column]);
		canvas_untag(c);
	}
	canvas_untag(c);
}

/* The line above rows that belong together. */
static void draw_group(
	struct canvas *c, const struct table_layout *l, const char *text, double x, double y)
{
	struct text_style s = {.face = FACE_BOLD,
		.size = l->size + 0.6,
		.colour = texts_colour(l->document->texts, "ink")};
	canvas_tag(c, &(struct tag){.kind = TAG_ROW});
	canvas_tag(c, &(struct tag){.kind = TAG_HEAD_CELL, .columns = l->table->n_columns});
	canvas_text_at(c, (struct pt){x, y + GROUP_H - 4}, text, &s);
	canvas_untag(c);
	canvas_untag(c);
}

static void draw_row(struct canvas *c, const struct table_layout *l, int row, double x, double y)
{
	canvas_tag(c, &(struct tag){.kind = TAG_ROW});
	for (int column = 0; column < l->table->n_columns; column++) {
		canvas_tag(c, &(struct tag){.kind = TAG_CELL});
		draw_cell(c, l, row, column, x, y);
		canvas_untag(c);
	}
	canvas_untag(c);
}

void table_draw(
	struct canvas *c, const struct table_layout *l, double x, double y, int first, int n)
{
	canvas_tag(c, &(struct tag){.kind = TAG_TABLE});
	rule(c, l, x, y, 0.9, "ink");
	draw_head(c, l, x, y);
	y += l->head_h;
	rule(c, l, x, y, 0.5, "ink");
	for (int r = first; r < first + n; r++) {
		double top = y;
		if (l->table->group && l->table->group[r]) {
			draw_group(c, l, l->table->group[r], x, y);
			top += GROUP_H;
		}
		draw_row(c, l, r, x, top + row_pad(l) / 2 + 0.2);
		y += l->row_h[r];
		bool last = r + 1 == first + n;
		rule(c, l, x, y, last ? 0.9 : 0.3, last ? "ink" : "rule");
	}
	canvas_untag(c);
}
