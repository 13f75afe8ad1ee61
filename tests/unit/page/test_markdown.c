/* SPDX-License-Identifier: Apache-2.0 */
/* The document as Markdown: every block, and signs that Markdown would take for its own. */
#include "report/page/document.h"
#include "report/page/markdown.h"
#include "tests/unit/page.h"

static struct document doc;

static int begin(void **state)
{
	(void)state;
	document_init(&doc, &arena, texts, fonts);
	return 0;
}

static const char *written(const char *svg_folder, const char *until)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	assert_non_null(f);
	markdown_write(&doc, svg_folder, until, f);
	fclose(f);
	const char *kept = arena_strdup(&arena, text);
	free(text);
	return kept;
}

static void assert_written(const char *expected)
{
	assert_string_equal(written(NULL, NULL), expected);
}

static void headings_and_texts(void **state)
{
	(void)state;
	struct block *title = document_add(&doc, BLOCK_TITLE, "The title");
	title->note = "its note";
	document_heading(&doc, 1, "one", "First **part**");
	document_add(&doc, BLOCK_TEXT, "A text\nwith `code` and **weight**.");
	struct block *judged = document_heading(&doc, 2, NULL, "Second");
	judged->note = "kept";
	document_add(&doc, BLOCK_CAPTION, "A caption");
	document_add(&doc, BLOCK_PAGE, "");
	document_add(&doc, BLOCK_LINES, "")->n = 5;
	document_heading(&doc, 3, NULL, "Third");
	assert_written("# The title\n\nits note\n\n<a id=\"one\"></a>\n\n## First **part**\n\n"
		       "A text with `code` and **weight**.\n\n### Second — kept\n\nA caption\n\n"
		       "#### Third\n\n");
}

static void points_and_numbers(void **state)
{
	static const struct kpi kpis[] = {{"12 345", "events"}, {"3", "kept"}};
	(void)state;
	struct block *b = document_add(&doc, BLOCK_KPIS, "");
	b->kpi = kpis;
	b->n = 2;
	document_add(&doc, BLOCK_POINT, "one")->verdict = BROKEN;
	document_add(&doc, BLOCK_POINT, "two")->verdict = KEPT;
	document_add(&doc, BLOCK_TEXT, "end");
	assert_written("**12 345** events · **3** kept\n\n* ✗ one\n* ✓ two\n\nend\n\n");
}

static void links_lose_their_page(void **state)
{
	(void)state;
	document_add(&doc, BLOCK_TEXT, "see [page ¶](#there) or [here](https://a.b/c)");
	assert_written("see  or [here](https://a.b/c)\n\n");
}

/* Places of the document are the PDF's: their links leave the label. */
static void inner_links_leave_their_label(void **state)
{
	(void)state;
	document_add(
		&doc, BLOCK_TEXT, "a \\[b\\] [one `x`](#one), [two](https://t.wo) [three](#three)");
	assert_written("a \\[b\\] one `x`, [two](https://t.wo) three\n\n");
}

/* Of many cases no page is written, up to the next chapter. */
static void details_are_left_out(void **state)
{
	(void)state;
	for (int i = 0; i <= MOST_DETAILS; i++) {
		document_heading(&doc, 1, "case", "A case")->detail = true;
		document_add(&doc, BLOCK_TEXT, "long");
		document_heading(&doc, 2, NULL, "Part of it");
	}
	document_heading(&doc, 1, NULL, "Next");
	document_add(&doc, BLOCK_TEXT, "short");
	assert_written("## Next\n\nshort\n\n");
}

/* What is text in the document is text in the file, whatever Markdown makes of such signs. */
static void signs(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"a < b & c > d", "a &lt; b &amp; c > d"},
		{"<b>&lt;</b>", "&lt;b>&amp;lt;&lt;/b>"},
		{"2 * 3 * 4", "2 \\* 3 \\* 4"},
		{"\\**no\\** \\`code\\` \\[no\\](#link) \\\\",
			"\\*\\*no\\*\\* \\`code\\` \\[no\\](#link) \\\\"},
		{"`a<b>&c*d\\`` e<f", "`` a<b>&c*d` `` e&lt;f"},
		{"pipes | stay", "pipes | stay"},
		{"\\¶ and ¶", "¶ and ↗"},
		{"ends with \\", "ends with \\\\"},
		{"see http://evil.example/a or @somebody",
			"see `http://evil.example/a` or `@somebody`"},
		{"fixes #12 and gh-3", "fixes `#12` and `gh-3`"},
		{"# no heading", "\\# no heading"},
		{"- no list", "\\- no list"},
		{"12. no list", "12\\. no list"},
		{"1.5 ms", "1.5 ms"},
		{"matmul_add _a_ b_", "matmul_add \\_a\\_ b\\_"},
		{"a\x1b[31mb\x9b", "a\xef\xbf\xbd\\[31mb\xef\xbf\xbd"},
		{"\u202eb\u202c",
			"\xef\xbf\xbd"
			"b\xef\xbf\xbd"},
		{"a\rb", "a b"},
		{"`a\\\\|b` \\[x\\](javascript:alert\\(1\\))",
			"`a\\|b` \\[x\\](javascript:alert(1))"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(NULL);
		document_add(&doc, BLOCK_TEXT, cases[i].text);
		assert_written(arena_printf(&arena, "%s\n\n", cases[i].expected));
	}
}

static void tables(void **state)
{
	static const struct column columns[] = {{.title = "Name | x", .kind = COLUMN_CODE},
		{.title = "Time", .kind = COLUMN_NUMBER}, {.title = "What", .kind = COLUMN_TEXT}};
	(void)state;
	struct table *t = document_table(&doc, columns, 3, 3);
	t->group = arena_array(&arena, 3, sizeof *t->group);
	t->group[1] = "group | two";
	table_cell(t, 0, 0)->text = "void f<4, a::b\\[3\\]>(int | \\**)";
	table_cell(t, 0, 1)->text = "1.50 µs";
	table_cell(t, 0, 2)->text = "a | b\nc";
	table_cell(t, 1, 0)->text = "a\\`b";
	*table_cell(t, 1, 2) = (struct cell){.text = "strong", .bold = true};
	assert_written("| Name \\| x | Time | What |\n| --- | ---: | --- |\n"
		       "| `void f<4, a::b[3]>(int \\| **)` | 1.50 µs | a \\| b c |\n"
		       "| **group \\| two** | | |\n"
		       "| `` a`b `` |  | **strong** |\n"
		       "|  |  |  |\n\n");
}

/* Every row of a table has the same number of bars that count. */
static void any_cell(void **state)
{
	static const char *const signs[] = {
		"|", "\\|", "`", "\\`", "\\\\", "a", "**", "\\[", "<", "\n", "¶", "\\]", "&", " "};
	static const struct column columns[] = {
		{.title = "a", .kind = COLUMN_CODE}, {.title = "b", .kind = COLUMN_TEXT}};
	uint32_t seed = 3;
	(void)state;
	for (int round = 0; round < 2000; round++) {
		begin(NULL);
		struct table *t = document_table(&doc, columns, 2, 1);
		for (int c = 0; c < 2; c++)
			for (uint32_t n = next_random(&seed) % 7; n; n--)
				table_cell(t, 0, c)->text = arena_printf(&arena, "%s%s",
					table_cell(t, 0, c)->text, signs[next_random(&seed) % 14]);
		const char *row = written(NULL, NULL);
		row = strchr(strchr(row, '\n') + 1, '\n') + 1;
		int bars = 0;
		for (const char *p = row; *p != '\n'; p++)
			bars += *p == '|' && p[-1] != '\\';
		if (bars != 3)
			fail_msg("%d bars: %s", bars, row);
		assert_string_equal(strchr(row, '\n'), "\n\n");
		clear_arena(NULL);
	}
}

static void draw_nothing(struct canvas *c, struct box box, const void *data)
{
	(void)c, (void)box, (void)data;
}

static void figures(void **state)
{
	(void)state;
	document_figure(&doc,
		&(struct figure){.id = "a-figure",
			.alt = "a **bold** \\[alt\\] <text>",
			.draw = draw_nothing});
	assert_string_equal(doc.last->figure->alt, "a bold [alt] <text>");
	assert_string_equal(written(NULL, NULL), "");
	assert_string_equal(
		written("../svg", NULL), "![a bold \\[alt\\] &lt;text>](../svg/a-figure.svg)\n\n");
	assert_string_equal(written("my figures (1)", NULL),
		"![a bold \\[alt\\] &lt;text>](my%20figures%20%281%29/a-figure.svg)\n\n");
}

static void it_ends_where_it_is_told_to(void **state)
{
	(void)state;
	document_heading(&doc, 1, "one", "One");
	document_heading(&doc, 1, "two", "Two");
	document_heading(&doc, 1, "three", "Three");
	assert_string_equal(written(NULL, "two"), "<a id=\"one\"></a>\n\n## One\n\n");
	assert_says(written(NULL, "nowhere"), "Three");
}

/* An element of HTML reads no mark of Markdown: a fence around a tag there would leave it
 * live. */
static void the_summary_of_a_fold_is_html(void **state)
{
	(void)state;
	document_heading(&doc, 3, NULL, "**two** `a<b` <style>@import 'x' <img src=x> #1 c_d")
		->folds = true;
	document_add(&doc, BLOCK_TEXT, "inside");
	assert_written("<details><summary><b>two</b> <code>a&lt;b</code> "
		       "<code>&lt;style&gt;@import</code> 'x' &lt;img src=x&gt; "
		       "<code>#1</code> c&#95;d</summary>\n\ninside\n\n</details>\n\n");
}

int main(void)
{
#define MARKDOWN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, clear_arena)
	const struct CMUnitTest tests[] = {
		MARKDOWN_TEST(headings_and_texts),
		MARKDOWN_TEST(the_summary_of_a_fold_is_html),
		MARKDOWN_TEST(points_and_numbers),
		MARKDOWN_TEST(links_lose_their_page),
		MARKDOWN_TEST(inner_links_leave_their_label),
		MARKDOWN_TEST(details_are_left_out),
		MARKDOWN_TEST(signs),
		MARKDOWN_TEST(tables),
		MARKDOWN_TEST(any_cell),
		MARKDOWN_TEST(figures),
		MARKDOWN_TEST(it_ends_where_it_is_told_to),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
