/* SPDX-License-Identifier: Apache-2.0 */
/* Page numbers: each "¶" shows the page that its place is on, also where the number itself moves
 * it. */
#include "tests/unit/laid_out.h"

/* A paragraph that is one line with "0" for its page numbers and two with the real ones. */
static const char *just_one_line(void)
{
	const char *links = "[¶](#a) [¶](#b) [¶](#c) [¶](#d) ", *text = "";
	for (int i = 0; text_width(fonts, FACE_SANS, 8.6, "0 0 0 0 ") +
			text_width(fonts, FACE_SANS, 8.6, text) <
		document_width - 4;
		i++)
		text = arena_printf(&arena, "%s%s", text, i % 9 ? "i" : " ");
	return arena_printf(&arena, "%s%s", links, text);
}

/* Numbers that make a text longer move what they number. */
static void page_numbers(void **state)
{
	(void)state;
	for (int filler = 0; filler < 45; filler++) {
		begin();
		for (int i = 0; i < 8; i++)
			document_heading(&doc, 1, NULL, "A page");
		const char *text = just_one_line();
		struct rich_style style = {.size = 8.6, .leading = 12.4};
		assert_int_equal(
			rich_layout(&arena, fonts, NULL, text, document_width, &style).n_lines, 1);
		add_lines(filler);
		for (char name = 'a'; name <= 'd'; name++) {
			for (int i = 0; i < 12; i++)
				document_add(&doc, BLOCK_TEXT, text);
			char *place = arena_strndup(&arena, &name, 1);
			document_heading(&doc, 2, place, place);
			add_lines(10);
		}
		lay_out();
		clear_arena(NULL);
	}
}

/* A page number that changes what it numbers: with one digit the picture below just fits onto page
 * 9 and the table behind it stands on page 10; with two digits the text takes a line more, the
 * picture goes to page 10, and the table moves up to page 9. */
static void page_numbers_that_move_their_place_to_and_fro(void **state)
{
	(void)state;
	const struct rich_style style = {.size = 8.6, .leading = 11.4};
	begin();
	for (int i = 0; i < 9; i++)
		document_heading(&doc, 1, NULL, "A page");
	const char *rest = "";
	while (text_width(fonts, FACE_SANS, 8.6, arena_printf(&arena, "9%s i", rest)) <
		document_width)
		rest = arena_printf(&arena, "%s i", rest);
	const char *text = arena_printf(&arena, "[¶](#t)%s", rest);
	assert_int_equal(rich_layout(&arena, fonts, NULL, text, document_width, &style).n_lines, 1);
	struct block *linked = document_add(&doc, BLOCK_TEXT, text);
	add_figure(PAGE_H - 36 - 40 - 19 - 5 - 11.4 - 8 - 4);
	struct block *lead = document_add(&doc, BLOCK_CAPTION, "A table with a place.");
	lead->level = 1;
	lead->place = "t";
	add_table(2);
	const struct layout *l = layout_document(&arena, &doc);
	const struct rich *r = &piece_of(l, linked)->rich;
	const char *digits = r->word[0].text + strcspn(r->word[0].text, "0123456789");
	assert_int_equal(strtol(digits, NULL, 10), piece_of(l, lead)->page);
}

/* What the padding of page numbers rests on. */
static void digits_and_their_space_are_equally_wide(void **state)
{
	(void)state;
	for (enum face face = 0; face < FACES; face++)
		for (const char *digit = "0123456789"; *digit; digit++)
			assert_close(text_width(fonts, face, 8, arena_strndup(&arena, digit, 1)),
				text_width(fonts, face, 8, page_space(face)));
}

static void page_numbers_in_tables(void **state)
{
	(void)state;
	begin();
	struct table *t = add_table(3);
	for (int i = 0; i < 3; i++)
		table_cell(t, i, 1)->text = arena_printf(&arena, "[¶](#p%d) of [¶](#nowhere)", i);
	for (int i = 0; i < 3; i++)
		document_heading(&doc, 1, arena_printf(&arena, "p%d", i), "Page");
	const struct layout *l = lay_out();
	const struct table_layout *table = l->piece[0].table;
	for (int i = 0; i < 3; i++) {
		const struct rich *r = &table->cell[i * 5 + 1];
		assert_string_equal(r->word[0].text, arena_printf(&arena, "%d", i + 2));
		assert_string_equal(r->word[2].text, "0");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(page_numbers, clear_arena),
		cmocka_unit_test_teardown(digits_and_their_space_are_equally_wide, clear_arena),
		cmocka_unit_test_teardown(page_numbers_in_tables, clear_arena),
		cmocka_unit_test_teardown(
			page_numbers_that_move_their_place_to_and_fro, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
