/* SPDX-License-Identifier: Apache-2.0 */
/*
 * laid_out.h - documents by hand, laid out on pages: what the tests of the layout share.
 *
 *	begin();
 *	add_lines(3);
 *	const struct layout *l = lay_out();
 */
#ifndef TESTS_UNIT_LAID_OUT_H
#define TESTS_UNIT_LAID_OUT_H

#include "report/page/layout.h"
#include "report/page/table_layout.h"
#include "tests/unit/page.h"

static const double PAGE_W = 595.28, PAGE_H = 841.89, FOOT = 30;

static struct document doc;

static inline void begin(void)
{
	document_init(&doc, &arena, texts, fonts);
	doc.title = doc.subject = doc.footer = "test";
}

static inline void add_lines(int n)
{
	for (int i = 0; i < n; i++)
		document_add(&doc, BLOCK_TEXT, arena_printf(&arena, "line %d of a text", i));
}

static inline struct table *add_table(int rows)
{
	static const struct column columns[] = {
		{.title = "Name of it", .kind = COLUMN_CODE, .weight = 1, .max_lines = 2},
		{.title = "Text", .kind = COLUMN_TEXT, .weight = 1},
		{.title = "Time", .kind = COLUMN_NUMBER}, {.title = "Share", .kind = COLUMN_BAR},
		{.title = "Verdict", .kind = COLUMN_VERDICT}};
	struct table *t = document_table(&doc, columns, 5, rows);
	for (int r = 0; r < rows; r++) {
		table_cell(t, r, 0)->text = arena_printf(&arena, "row%d", r);
		table_cell(t, r, 1)->text = r % 7 ? "short"
						  : "a long text that needs some lines "
						    "in a column that is this narrow";
		table_cell(t, r, 2)->text = arena_printf(&arena, "%d.5 µs", r);
		*table_cell(t, r, 3) =
			(struct cell){.text = "50.0 %", .share = 0.5, .swatch = "gemm"};
		*table_cell(t, r, 4) = (struct cell){.text = "kept", .verdict = KEPT};
	}
	return t;
}

static inline void draw_box(struct canvas *c, struct box box, const void *text)
{
	canvas_rect(c, box, 0xff0000ff);
	canvas_text_at(c, (struct pt){box.x, box.y + 8}, text,
		&(struct text_style){.size = 8, .colour = 0xff});
}

static inline void add_figure(double height)
{
	document_figure(&doc,
		&(struct figure){.id = "f",
			.alt = "a box",
			.height = height,
			.draw = draw_box,
			.data = "figure"});
}

static inline const struct piece *piece_of(const struct layout *l, const struct block *b)
{
	for (int i = 0; i < l->n; i++)
		if (l->piece[i].block == b)
			return &l->piece[i];
	fail_msg("a block has no place");
	return NULL;
}

static inline double height_of(const struct piece *p)
{
	switch (p->block->kind) {
	case BLOCK_TABLE:
		return table_height(p->table, p->first, p->n);
	case BLOCK_FIGURE:
		return p->block->figure->height;
	case BLOCK_KPIS:
		return 36;
	case BLOCK_TITLE:
		return p->rich.height + p->note.height;
	case BLOCK_LINES:
		return p->block->n * 17;
	default:
		return p->rich.height;
	}
}

/* What holds for every document: order, room, whole tables. */
static inline void assert_sound(const struct layout *l)
{
	int row = 0;
	for (int i = 0; i < l->n; i++) {
		const struct piece *p = &l->piece[i], *next = i + 1 < l->n ? p + 1 : NULL;
		double end = p->y + height_of(p);
		assert_in_range(p->page, 1, l->n_pages);
		assert_true(p->y >= 20);
		if (end > PAGE_H - FOOT && height_of(p) < PAGE_H - 100)
			fail_msg("piece %d ends at %.1f on page %d", i, end, p->page);
		if (next && next->page == p->page && next->y < end - 0.01)
			fail_msg("piece %d ends at %.1f, the next begins at %.1f", i, end, next->y);
		if (next)
			assert_in_range(next->page, p->page, p->page + 1);
		if (p->block->kind != BLOCK_TABLE)
			continue;
		assert_int_equal(p->first, row);
		row = next && next->block == p->block ? p->first + p->n : 0;
		if (!row)
			assert_int_equal(p->first + p->n, p->block->table->n_rows);
		else
			assert_true(p->n > 0);
	}
	if (l->n)
		assert_int_equal(l->piece[l->n - 1].page, l->n_pages);
}

/* Every "¶" shows the page that its place is on. */
static inline void assert_page_numbers(const struct layout *l, const struct rich *r, int *checked)
{
	for (int i = 0; i < r->n_words; i++) {
		const char *link = r->word[i].link;
		if (!link || !strchr("0123456789", r->word[i].text[0]))
			continue;
		int page = places_find(l->places, link + 1);
		assert_int_equal(strtol(r->word[i].text, NULL, 10), page);
		++*checked;
	}
}

static inline const struct layout *lay_out(void)
{
	struct layout *l = layout_document(&arena, &doc);
	assert_sound(l);
	for (int i = 0; i < l->n; i++) {
		int checked = 0;
		if (l->piece[i].block->kind != BLOCK_TABLE)
			assert_page_numbers(l, &l->piece[i].rich, &checked);
	}
	return l;
}

static inline const char *drawn(const struct layout *l)
{
	struct drawing d;
	begin_drawing(&d);
	layout_draw(l, d.canvas);
	return finish_drawing(&d);
}

#endif
