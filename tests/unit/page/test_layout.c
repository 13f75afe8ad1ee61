/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks on pages: nothing outside, nothing on top of something else, headings with what they head,
 * tables in pieces under a repeated head. */
#include "tests/unit/laid_out.h"

static void pages_begin_and_end(void **state)
{
	(void)state;
	begin();
	document_heading(&doc, 1, "first", "First");
	add_lines(3);
	struct block *second = document_heading(&doc, 1, "second", "Second");
	document_add(&doc, BLOCK_PAGE, "");
	document_add(&doc, BLOCK_PAGE, "");
	struct block *third = document_add(&doc, BLOCK_TEXT, "third");
	document_add(&doc, BLOCK_PAGE, "");
	const struct layout *l = lay_out();
	assert_int_equal(l->piece[0].page, 1);
	assert_int_equal(piece_of(l, second)->page, 2);
	assert_int_equal(piece_of(l, third)->page, 3);
	assert_int_equal(l->n_pages, 3);
	const char *text = drawn(l);
	assert_int_equal(count_calls(text, "page "), 3);
	assert_says(text, "\"1 / 3\"");
	assert_says(text, "\"3 / 3\"");
}

/* Wherever the page ends: a heading is never the last on its page. */
static void headings_stay_with_what_follows(void **state)
{
	(void)state;
	bool moved = false;
	for (int level = 2; level <= 3; level++) {
		for (int before = 30; before < 50; before++) {
			begin();
			add_lines(before);
			struct block *head = document_heading(&doc, level, NULL, "Heading");
			struct block *sub = document_heading(&doc, 3, NULL, "Below it");
			struct block *body = document_add(&doc, BLOCK_TEXT, "body");
			const struct layout *l = lay_out();
			assert_int_equal(piece_of(l, head)->page, piece_of(l, body)->page);
			assert_int_equal(piece_of(l, sub)->page, piece_of(l, body)->page);
			moved = moved || piece_of(l, head)->y < 60;
			clear_arena(NULL);
		}
	}
	assert_true(moved);
}

static void captions_stay_with_figures_and_tables(void **state)
{
	(void)state;
	for (int before = 20; before < 50; before++) {
		begin();
		add_lines(before);
		add_figure(120);
		struct block *figure = doc.last;
		struct block *caption = document_add(&doc, BLOCK_CAPTION, "below the figure");
		struct block *above = document_add(&doc, BLOCK_CAPTION, "above the table");
		above->level = 1;
		add_table(12);
		struct block *table = doc.last;
		const struct layout *l = lay_out();
		assert_int_equal(piece_of(l, figure)->page, piece_of(l, caption)->page);
		assert_int_equal(piece_of(l, above)->page, piece_of(l, table)->page);
		assert_true(piece_of(l, table)->n > 0);
		clear_arena(NULL);
	}
}

/* In a book the text goes on where a picture does not fit, up to the next chapter; what was the
 * first of two stays the first. */
static void a_picture_waits_for_the_next_page(void **state)
{
	(void)state;
	for (int book = 0; book < 2; book++) {
		begin();
		doc.floats = book;
		document_heading(&doc, 1, "one", "One");
		add_lines(25);
		add_figure(600);
		struct block *figure = doc.last;
		struct block *caption = document_add(&doc, BLOCK_CAPTION, "below the figure");
		struct block *text = document_add(&doc, BLOCK_TEXT, "goes on");
		add_figure(600);
		struct block *second = doc.last;
		struct block *chapter = document_heading(&doc, 1, "two", "Two");
		add_lines(3);
		const struct layout *l = lay_out();
		assert_int_equal(piece_of(l, text)->page, book ? 1 : 2);
		assert_int_equal(piece_of(l, figure)->page, 2);
		assert_int_equal(piece_of(l, caption)->page, 2);
		assert_int_equal(piece_of(l, second)->page, 3);
		assert_int_equal(piece_of(l, chapter)->page, 4);
		clear_arena(NULL);
	}
}

/* Pictures that belong together stay on one page; several wait while text fills the page, and keep
 * their order; text that has no room any more goes on below those that were placed. */
static void joined_pictures_wait_together(void **state)
{
	(void)state;
	begin();
	doc.floats = true;
	document_heading(&doc, 1, "one", "One");
	add_lines(25);
	add_figure(300);
	struct block *first = doc.last;
	first->joined = true;
	add_figure(300);
	struct block *second = doc.last;
	add_figure(100);
	struct block *third = doc.last;
	struct block *text = document_add(&doc, BLOCK_TEXT, "goes on");
	const struct layout *l = lay_out();
	assert_int_equal(piece_of(l, first)->page, 2);
	assert_int_equal(piece_of(l, second)->page, 2);
	assert_int_equal(piece_of(l, third)->page, 2);
	assert_int_equal(piece_of(l, text)->page, 1);
	assert_true(piece_of(l, first)->y < piece_of(l, second)->y);
	assert_true(piece_of(l, second)->y < piece_of(l, third)->y);
}

static void tables_go_on_under_their_head(void **state)
{
	(void)state;
	for (int before = 0; before < 45; before += 5) {
		begin();
		add_lines(before);
		struct table *t = add_table(150);
		t->group = arena_array(&arena, 150, sizeof *t->group);
		for (int i = 0; i < 150; i += 11)
			t->group[i] = "a group of rows";
		const struct layout *l = lay_out();
		int pieces = 0;
		for (int i = 0; i < l->n; i++)
			pieces += l->piece[i].block->kind == BLOCK_TABLE;
		assert_in_range(pieces, 3, 6);
		const char *text = drawn(l);
		assert_int_equal(count_calls(text, "text \"Name of it\""), pieces);
		assert_int_equal(count_calls(text, "text \"a group of rows\""), 14);
		for (int i = 0; i < 150; i++)
			assert_int_equal(
				count_calls(text, arena_printf(&arena, "text \"row%d\"", i)), 1);
		clear_arena(NULL);
	}
}

/* The pages of a document that ends with a table whose cells are in `size`; *set: what they became.
 */
static int pages_with(int before, int rows, double size, double *set)
{
	begin();
	add_lines(before);
	struct table *t = add_table(rows);
	t->size = size;
	const struct layout *l = lay_out();
	assert_int_equal(count_calls(drawn(l), "page "), l->n_pages);
	*set = t->size;
	int n = l->n_pages;
	clear_arena(NULL);
	return n;
}

/* One that asks for a smaller size than the usual shrinks, and the code in it stays large enough to
 * be drawn; the usual size stays. */
static void the_last_rows_come_onto_the_page_before(void **state)
{
	(void)state;
	int shrunk = 0;
	for (int before = 20; before < 40; before++) {
		double asked, usual;
		int n = pages_with(before, 20, 7.2, &asked);
		assert_in_range(pages_with(before, 20, 0, &usual), n, n + 1);
		assert_true(usual == 0);
		shrunk += asked < 7;
	}
	assert_in_range(shrunk, 1, 10);
}

static void odd_tables(void **state)
{
	(void)state;
	begin();
	add_lines(40);
	add_table(0);
	struct table *t = add_table(3);
	char *much = arena_alloc(&arena, 9001);
	memset(much, 'x', 9000);
	for (int i = 0; i < 9000; i += 9)
		much[i] = ' ';
	table_cell(t, 1, 1)->text = much; /* one row taller than a page */
	add_lines(2);
	const struct layout *l = layout_document(&arena, &doc);
	assert_int_equal(l->piece[l->n - 1].page, l->n_pages);
	assert_int_equal(count_calls(drawn(l), "text \"row2\""), 1);
}

static void a_figure_taller_than_a_page(void **state)
{
	(void)state;
	begin();
	add_lines(2);
	add_figure(2000);
	add_lines(2);
	const struct layout *l = lay_out();
	assert_int_equal(l->n_pages, 3);
}

static void bookmarks_and_places(void **state)
{
	(void)state;
	begin();
	struct block *title = document_add(&doc, BLOCK_TITLE, "The **whole**");
	title->place = "top";
	title->note = "a note";
	document_heading(&doc, 1, "one", "One [x](#top) `y`");
	document_heading(&doc, 2, NULL, "Two")->bookmark = "Two, shorter";
	document_heading(&doc, 3, "three", "Three");
	document_add(&doc, BLOCK_POINT, "a point")->note = "✗";
	document_add(&doc, BLOCK_LINES, "")->n = 3;
	const char *text = drawn(lay_out());
	assert_int_equal(count_calls(text, "outline "), 4);
	assert_says(text, "outline 0 \"One x y\"");
	assert_says(text, "outline 2 \"Three\"");
	assert_says(text, "outline 1 \"Two, shorter\"");
	assert_int_equal(count_calls(text, "dest "), 3);
	assert_says(text, "dest \"three\"");
	assert_says(text, "text \"a note\"");
	assert_says(text, "text \"✗\"");
}

/* A plate at the right of a heading, and a title long enough to reach it. */
static void plates_do_not_cover_titles(void **state)
{
	(void)state;
	begin();
	struct block *head = document_heading(&doc, 1, "one",
		"A title that is as long as nobody would make it, but it may come from a file of "
		"anybody's, and then it goes on and on");
	head->note = "prediction kept";
	head->verdict = KEPT;
	add_lines(1);
	const struct layout *l = lay_out();
	const struct piece *p = piece_of(l, head);
	double plate = 40 + document_width - p->note.line[0].width - 12;
	assert_true(p->rich.n_lines > 1);
	for (int i = 0; i < p->rich.n_lines; i++)
		assert_true(40 + p->rich.line[i].width <= plate);
	assert_true(plate < PAGE_W);
}

static void a_title_and_its_note_take_their_room(void **state)
{
	(void)state;
	begin();
	struct block *title = document_add(&doc, BLOCK_TITLE,
		"A title that needs more than one line, since it names everything that stands below");
	title->note = "a note of one line · a note of one line · a note of one line · a note of "
		      "one line · a note of one line · which has become a note of two lines";
	add_lines(1);
	const struct layout *l = lay_out();
	assert_int_equal(l->piece[0].rich.n_lines, 2);
	assert_int_equal(l->piece[0].note.n_lines, 2);
}

/* Blocks of all kinds in any order. */
static void any_document(void **state)
{
	(void)state;
	uint32_t seed = 7;
	for (int round = 0; round < 150; round++) {
		begin();
		for (uint32_t n = 1 + next_random(&seed) % 60; n; n--) {
			switch (next_random(&seed) % 9) {
			case 0:
				document_heading(&doc, 1 + (int)(next_random(&seed) % 3),
					arena_printf(&arena, "p%u", n), "A heading");
				break;
			case 1:
				add_table((int)(next_random(&seed) % 90));
				break;
			case 2:
				add_figure(20 + next_random(&seed) % 500);
				break;
			case 3:
				document_add(&doc, BLOCK_CAPTION, "a caption")->level =
					(int)(next_random(&seed) % 2);
				break;
			case 4: {
				static const struct kpi kpi[] = {{"5", "cases"}, {"12", "kept"}};
				struct block *b = document_add(&doc, BLOCK_KPIS, "");
				b->kpi = kpi;
				b->n = 2;
				break;
			}
			case 5:
				document_add(&doc, BLOCK_PAGE, "");
				break;
			case 6:
				document_add(&doc, BLOCK_LINES, "")->n = 4;
				break;
			default:
				document_add(&doc, BLOCK_TEXT,
					arena_printf(&arena, "see [page ¶](#p%u) for %s",
						1 + next_random(&seed) % 60,
						"what is said there about all this and more"));
			}
		}
		add_lines(1);
		const struct layout *l = lay_out();
		assert_int_equal(count_calls(drawn(l), "page "), l->n_pages);
		clear_arena(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(pages_begin_and_end, clear_arena),
		cmocka_unit_test_teardown(headings_stay_with_what_follows, clear_arena),
		cmocka_unit_test_teardown(captions_stay_with_figures_and_tables, clear_arena),
		cmocka_unit_test_teardown(a_picture_waits_for_the_next_page, clear_arena),
		cmocka_unit_test_teardown(joined_pictures_wait_together, clear_arena),
		cmocka_unit_test_teardown(tables_go_on_under_their_head, clear_arena),
		cmocka_unit_test_teardown(the_last_rows_come_onto_the_page_before, clear_arena),
		cmocka_unit_test_teardown(odd_tables, clear_arena),
		cmocka_unit_test_teardown(a_figure_taller_than_a_page, clear_arena),
		cmocka_unit_test_teardown(bookmarks_and_places, clear_arena),
		cmocka_unit_test_teardown(plates_do_not_cover_titles, clear_arena),
		cmocka_unit_test_teardown(a_title_and_its_note_take_their_room, clear_arena),
		cmocka_unit_test_teardown(any_document, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
