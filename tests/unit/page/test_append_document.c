/* SPDX-License-Identifier: Apache-2.0 */
/* A document appended to another: its places, figures and links keep to themselves, others do not
 * change. */
#define _GNU_SOURCE
#include "report/page/append_document.h"
#include "report/page/layout.h"
#include "report/page/markdown.h"
#include "tests/unit/page.h"

static struct document whole, part;

static int begin(void **state)
{
	(void)state;
	document_init(&whole, &arena, texts, fonts);
	document_init(&part, &arena, texts, fonts);
	document_place(&whole, document_add(&whole, BLOCK_TITLE, "Whole"), "summary");
	document_heading(&whole, 1, "definitions", "Definitions");
	return 0;
}

static void draw_nothing(struct canvas *c, struct box box, const void *data)
{
	(void)c;
	(void)box;
	(void)data;
}

static void names_get_the_prefix(void **state)
{
	(void)state;
	document_place(&part, document_add(&part, BLOCK_TITLE, "Part"), "summary");
	document_figure(&part,
		&(struct figure){.id = "x-steps", .alt = "", .height = 10, .draw = draw_nothing});
	struct block *first = part.first;
	document_join(&whole, &part, "recorded-", "not here");
	assert_string_equal(first->place, "recorded-summary");
	assert_string_equal(whole.last->figure->id, "recorded-x-steps");
	assert_string_equal(whole.first->place, "summary");
	assert_null(whole.first->band);
	assert_string_equal(first->band, "not here");
	assert_string_equal(whole.last->band, "not here");
	assert_null(part.first);
	assert_null(part.last);
}

/* Only links to places of the part are renamed; code and escaped signs are no links. */
static void links_follow(void **state)
{
	static const struct {
		const char *from, *to;
	} examples[] = {
		{"no link", "no link"},
		{"[page ¶](#summary)", "[page ¶](#recorded-summary)"},
		{"a [b](#summary), [c](#definitions) [d](#summary).",
			"a [b](#recorded-summary), [c](#definitions) [d](#recorded-summary)."},
		{"`[x](#summary)`", "`[x](#summary)`"},
		{"\\[x\\](#summary)", "\\[x\\](#summary)"},
		{"[open](#summary", "[open](#summary"},
		{"[web](https://a.b/#summary)", "[web](https://a.b/#summary)"},
	};
	enum { N = sizeof examples / sizeof *examples };
	static const struct column column = {
		.title = "[head](#summary)", .kind = COLUMN_TEXT, .weight = 1};
	(void)state;
	document_place(&part, document_add(&part, BLOCK_TITLE, "Part"), "summary");
	struct table *t = document_table(&part, &column, 1, N);
	t->group = arena_array(&arena, N, sizeof *t->group);
	struct block *text[N];
	for (int i = 0; i < N; i++) {
		table_cell(t, i, 0)->text = t->group[i] = examples[i].from;
		text[i] = document_add(&part, BLOCK_POINT, examples[i].from);
		text[i]->note = examples[i].from;
	}
	t->group[1] = NULL;
	document_join(&whole, &part, "recorded-", "not here");
	for (int i = 0; i < N; i++) {
		assert_string_equal(text[i]->text, examples[i].to);
		assert_string_equal(text[i]->note, examples[i].to);
		assert_string_equal(table_cell(t, i, 0)->text, examples[i].to);
	}
	assert_string_equal(t->column[0].title, "[head](#recorded-summary)");
	assert_string_equal(column.title, "[head](#summary)");
	assert_null(t->group[1]);
	assert_string_equal(t->group[2], examples[2].to);
}

static void an_empty_part_changes_nothing(void **state)
{
	(void)state;
	const struct block *last = whole.last;
	document_join(&whole, &part, "recorded-", "not here");
	assert_ptr_equal(whole.last, last);
	assert_null(last->next);
}

/* The head of every page of the part, and its foot, say what it is; no other page does. */
static void every_page_says_so(void **state)
{
	(void)state;
	document_add(&part, BLOCK_PAGE, "");
	for (int i = 0; i < 3; i++)
		document_heading(&part, 1, NULL, "A page");
	document_join(&whole, &part, "recorded-", "not measured here");
	struct drawing drawing;
	begin_drawing(&drawing);
	layout_draw(layout_document(&arena, &whole), drawing.canvas);
	const char *text = finish_drawing(&drawing);
	int page = 0, said[8] = {0};
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t n = strcspn(p, "\n");
		page += !strncmp(p, "page", 4);
		assert_in_range(page, 0, 7);
		said[page] +=
			memmem(p, n, "not measured here", strlen("not measured here")) != NULL;
	}
	assert_int_equal(page, 5);
	assert_says(text, "outline 0 \"Definitions\"");
	assert_says(text, "outline 1 \"A page\""); /* below the head of the part */
	assert_int_equal(said[1] + said[2], 0);
	for (int i = 3; i <= page; i++)
		assert_int_equal(said[i], 2);
}

/* Markdown gets the head of the part, not its chapters. */
static void markdown_gets_the_head(void **state)
{
	char *text = NULL;
	size_t n = 0;
	(void)state;
	struct block *title = document_add(&part, BLOCK_TITLE, "Part");
	title->note = "not measured here";
	document_add(&part, BLOCK_TEXT, "About");
	document_heading(&part, 1, NULL, "Chapter");
	document_add(&part, BLOCK_TEXT, "Details");
	document_join(&whole, &part, "recorded-", "not measured here");
	FILE *f = open_memstream(&text, &n);
	assert_non_null(f);
	markdown_write(&whole, NULL, "definitions", f);
	fclose(f);
	assert_string_equal(text,
		"<a id=\"summary\"></a>\n\n# Whole\n\n## Part\n\nnot measured here\n\nAbout\n\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_get_the_prefix, begin, clear_arena),
		cmocka_unit_test_setup_teardown(links_follow, begin, clear_arena),
		cmocka_unit_test_setup_teardown(an_empty_part_changes_nothing, begin, clear_arena),
		cmocka_unit_test_setup_teardown(every_page_says_so, begin, clear_arena),
		cmocka_unit_test_setup_teardown(markdown_gets_the_head, begin, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
