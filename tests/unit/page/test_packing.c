/* SPDX-License-Identifier: Apache-2.0 */
/* Pages are filled: chapters share them, tables move up past a picture that does not fit, and no
 * single row of a table stands alone. */
#include "report/page/layout.h"
#include "report/page/table_layout.h"
#include "tests/unit/page.h"

static struct document doc;

static void begin(void)
{
	document_init(&doc, &arena, texts, fonts);
	doc.title = doc.subject = doc.footer = "test";
}

static void draw_nothing(struct canvas *c, struct box box, const void *data)
{
	(void)c, (void)box, (void)data;
}

static struct block *add_figure(double height)
{
	return document_figure(&doc,
		&(struct figure){.id = "f", .alt = "", .height = height, .draw = draw_nothing});
}

static struct block *add_table(int rows)
{
	static const struct column columns[] = {{.title = "Name"}, {.title = "Time"}};
	struct table *t = document_table(&doc, columns, 2, rows);
	for (int r = 0; r < rows; r++)
		table_cell(t, r, 0)->text = arena_printf(&arena, "row%d", r);
	return doc.last;
}

static struct block *add_lead(const char *text)
{
	struct block *b = document_add(&doc, BLOCK_CAPTION, text);
	b->level = 1;
	return b;
}

static const struct piece *piece_of(const struct layout *l, const struct block *b)
{
	for (int i = 0; i < l->n; i++)
		if (l->piece[i].block == b)
			return &l->piece[i];
	fail_msg("a block has no place");
	return NULL;
}

static int pieces_of(const struct layout *l, const struct block *b)
{
	int n = 0;
	for (int i = 0; i < l->n; i++)
		n += l->piece[i].block == b;
	return n;
}

/* A page is 765 points high: this many are left below the figure. */
static struct block *leave(double room)
{
	begin();
	return add_figure(765 - room);
}

static struct block *add_chapter(bool flows)
{
	struct block *b = document_heading(&doc, 1, NULL, "Chapter");
	b->flows = flows;
	return b;
}

static void a_chapter_shares_a_page_that_holds_its_opening(void **state)
{
	(void)state;
	for (int flows = 0; flows < 2; flows++) {
		leave(170);
		struct block *head = add_chapter(flows);
		add_figure(100);
		add_figure(500);
		assert_int_equal(
			piece_of(layout_document(&arena, &doc), head)->page, flows ? 1 : 2);
	}
	leave(170);
	struct block *head = add_chapter(true), *figure = add_figure(140);
	const struct layout *l = layout_document(&arena, &doc);
	assert_int_equal(piece_of(l, head)->page, 2);
	assert_int_equal(piece_of(l, figure)->page, 2);
}

static void a_chapter_begins_where_much_is_free(void **state)
{
	(void)state;
	for (int lines = 1; lines <= 12; lines += 11) {
		leave(200);
		struct block *head = add_chapter(true);
		for (int i = 0; i < lines; i++)
			document_add(&doc, BLOCK_TEXT, "a text");
		struct block *table = add_table(30);
		struct block *figure = add_figure(400);
		const struct layout *l = layout_document(&arena, &doc);
		assert_int_equal(piece_of(l, head)->page, 1); /* with the table, or much text */
		assert_int_equal(piece_of(l, table)->page, lines == 1 ? 1 : 2);
		assert_true(piece_of(l, figure)->page >= 2);
	}
}

/* A small one goes onto the next page whole, a long one leaves its first rows. */
static void a_small_table_is_not_cut(void **state)
{
	(void)state;
	for (int rows = 8; rows <= 40; rows += 32) {
		leave(100);
		struct block *lead = add_lead("what it is"), *table = add_table(rows);
		const struct layout *l = layout_document(&arena, &doc);
		assert_int_equal(piece_of(l, lead)->page, rows == 8 ? 2 : 1);
		assert_int_equal(piece_of(l, table)->page, rows == 8 ? 2 : 1);
		assert_int_equal(pieces_of(l, table), rows == 8 ? 1 : 2);
	}
}

static void a_table_moves_up_past_a_figure(void **state)
{
	(void)state;
	leave(200);
	struct block *figure = add_figure(300), *lead = add_lead("what it is"),
		     *table = add_table(6), *print = document_add(&doc, BLOCK_CAPTION, "small"),
		     *other = add_lead("another"), *tall = add_table(40);
	const struct layout *l = layout_document(&arena, &doc);
	assert_int_equal(piece_of(l, lead)->page, 1);
	assert_int_equal(piece_of(l, table)->page, 1);
	assert_int_equal(piece_of(l, print)->page, 1);
	assert_int_equal(piece_of(l, figure)->page, 2);
	assert_int_equal(piece_of(l, other)->page, 2);
	assert_int_equal(pieces_of(l, lead) + pieces_of(l, table) + pieces_of(l, print), 3);
	assert_true(piece_of(l, tall)->page >= 2);
}

/* Under a heading of its own, without a lead, or with marks below it or below a table that goes on
 * with it: it stays where it is. */
static void what_belongs_elsewhere_stays(void **state)
{
	(void)state;
	for (int kind = 0; kind < 5; kind++) {
		leave(200);
		add_figure(300);
		if (kind == 0)
			document_heading(&doc, 2, NULL, "Elsewhere");
		if (kind != 1)
			add_lead("what it is");
		struct block *table = add_table(4);
		if (kind == 4)
			add_lead("it goes on")->level = 2;
		if (kind >= 3)
			add_table(2);
		if (kind >= 2)
			document_add(&doc, BLOCK_POINT, "of the table")->note = "①";
		assert_int_equal(piece_of(layout_document(&arena, &doc), table)->page, 2);
	}
}

/* A table under the heading of one trace must not stand among the tables of the trace before. */
static void no_table_moves_above_what_names_its_part(void **state)
{
	(void)state;
	for (int level = 2; level <= 3; level++) {
		leave(200);
		struct block *head = document_heading(&doc, level, NULL, "One of many");
		add_figure(300);
		struct block *lead = add_lead("what it is"), *table = add_table(4);
		const struct layout *l = layout_document(&arena, &doc);
		assert_int_equal(piece_of(l, head)->page, 2);
		assert_int_equal(piece_of(l, lead)->page, level == 3 ? 1 : 2);
		assert_int_equal(piece_of(l, table)->page, level == 3 ? 1 : 2);
	}
}

static void no_row_stands_alone(void **state)
{
	(void)state;
	int split = 0;
	for (double room = 60; room < 300; room += 3) {
		leave(room);
		struct block *table = add_table(14);
		const struct layout *l = layout_document(&arena, &doc);
		for (int i = 0; i < l->n; i++)
			if (l->piece[i].block == table)
				assert_true(l->piece[i].n >= 2);
		split += pieces_of(l, table) > 1;
		clear_arena(NULL);
	}
	assert_true(split > 5);
}

/* A last page with two rows of a table on it is worth smaller print; one with more is not. */
static void no_page_for_a_few_rows(void **state)
{
	(void)state;
	int one = 0, two = 0;
	for (int rows = 50; rows < 110; rows++) {
		begin();
		struct block *table = add_table(rows);
		table->table->size = 6.8;
		const struct layout *l = layout_document(&arena, &doc);
		const struct piece *last = &l->piece[l->n - 1];
		one += l->n_pages == 1;
		two += l->n_pages == 2;
		if (l->n_pages > 1 && last->n < 4)
			fail_msg("%d rows leave %d for page %d", rows, last->n, l->n_pages);
		assert_true(table->table->size >= 6.4);
		clear_arena(NULL);
	}
	assert_true(one && two);
}

static void draw_parts(struct canvas *c, struct box box, const void *data, int first, int n)
{
	(void)data;
	for (int i = first; i < first + n; i++)
		canvas_text_at(c, (struct pt){box.x, box.y + 8}, arena_printf(&arena, "part%d", i),
			&(struct text_style){.size = 8, .colour = 0xff});
}

/* Each part once and on a page that it fits on; the small print with the last. */
static void a_figure_is_cut_between_its_parts(void **state)
{
	static const double heights[] = {90, 110, 100, 100, 100};
	(void)state;
	for (double room = 60; room < 620; room += 10) {
		leave(room);
		struct block *figure = add_figure(500);
		figure->figure->n_parts = 5;
		figure->figure->part_height = heights;
		figure->figure->draw_parts = draw_parts;
		struct block *print = document_add(&doc, BLOCK_CAPTION, "small");
		const struct layout *l = layout_document(&arena, &doc);
		int next = 0, page = 0;
		for (int i = 0; i < l->n; i++) {
			const struct piece *p = &l->piece[i];
			double h = 0;
			if (p->block != figure)
				continue;
			assert_int_equal(p->first, next);
			for (int part = 0; part < p->n; part++)
				h += heights[next++];
			assert_true(p->y + h <= 842 - 40);
			page = p->page;
		}
		assert_int_equal(next, 5);
		assert_int_equal(piece_of(l, print)->page, page);
		assert_int_equal(l->n_pages, room > 524 ? 1 : 2);
		struct drawing d;
		begin_drawing(&d);
		layout_draw(l, d.canvas);
		const char *text = finish_drawing(&d);
		for (int i = 0; i < 5; i++)
			assert_int_equal(
				count_calls(text, arena_printf(&arena, "text \"part%d\"", i)), 1);
		clear_arena(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			a_chapter_shares_a_page_that_holds_its_opening, clear_arena),
		cmocka_unit_test_teardown(a_chapter_begins_where_much_is_free, clear_arena),
		cmocka_unit_test_teardown(a_small_table_is_not_cut, clear_arena),
		cmocka_unit_test_teardown(a_table_moves_up_past_a_figure, clear_arena),
		cmocka_unit_test_teardown(what_belongs_elsewhere_stays, clear_arena),
		cmocka_unit_test_teardown(no_table_moves_above_what_names_its_part, clear_arena),
		cmocka_unit_test_teardown(a_figure_is_cut_between_its_parts, clear_arena),
		cmocka_unit_test_teardown(no_row_stands_alone, clear_arena),
		cmocka_unit_test_teardown(no_page_for_a_few_rows, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
