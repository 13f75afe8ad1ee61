/* SPDX-License-Identifier: Apache-2.0 */
/* The document as the body of a page of HTML: every block, and words that would be live. */
#include "report/page/html.h"
#include "tests/unit/page.h"

static struct document doc;

static int begin(void **state)
{
	(void)state;
	document_init(&doc, &arena, texts, fonts);
	return 0;
}

static void draw_box(struct canvas *c, struct box box, const void *data)
{
	(void)data;
	canvas_rect(c, (struct box){box.x + 1, box.y + 1, 20, 5}, 0x005A8EFF);
	canvas_mark(c, MARK_TIP, (struct box){box.x + 1, box.y + 1, 20, 5}, "a </title> · 3 µs", 0);
}

static const char *written_within(size_t most_bytes)
{
	char *text = NULL;
	size_t n = 0;
	struct err err = {0}, undrawn = {0};
	FILE *f = open_memstream(&text, &n);
	assert_non_null(f);
	const struct html_form form = {
		.most_bytes = most_bytes, .path = "a.html", .undrawn = &undrawn};
	assert_int_equal(html_write(&doc, &form, f, &err), 0);
	fclose(f);
	assert_false(undrawn.set);
	const char *kept = arena_strdup(&arena, text);
	free(text);
	return kept;
}

static void assert_written(const char *expected)
{
	assert_string_equal(
		written_within(1 << 20), arena_printf(&arena, "<main>\n%s</main>\n", expected));
}

static void headings_and_texts(void **state)
{
	(void)state;
	document_add(&doc, BLOCK_TITLE, "The title")->note = "its note";
	document_heading(&doc, 1, "one", "First **part**");
	document_add(&doc, BLOCK_TEXT, "A text\nwith `code`, see [page ¶](#one), [x](#nowhere).");
	struct block *judged = document_heading(&doc, 2, NULL, "Second");
	judged->note = "kept";
	judged->verdict = KEPT;
	document_add(&doc, BLOCK_CAPTION, "[a](https://a.b/?c&d) [b](ftp://e)");
	document_add(&doc, BLOCK_PAGE, "");
	assert_written(
		"<h1>The title</h1>\n<p class=\"note\">its note</p>\n"
		"<section>\n<h2 id=\"to-one\">First <strong>part</strong></h2>\n"
		"<p>A text with <code>code</code>, see <a href=\"#to-one\">here</a>, x.</p>\n"
		"<h3>Second<span class=\"plate kept\">kept</span></h3>\n"
		"<p class=\"caption\"><a rel=\"noreferrer noopener\" "
		"href=\"https://a.b/?c&amp;d\">a</a> b</p>\n</section>\n");
}

static void points_numbers_and_code(void **state)
{
	static const struct kpi kpis[] = {{"12 345", "events"}};
	(void)state;
	struct block *b = document_add(&doc, BLOCK_KPIS, "");
	b->kpi = kpis;
	b->n = 1;
	document_add(&doc, BLOCK_POINT, "one")->note = "1";
	document_add(&doc, BLOCK_POINT, "two");
	document_add(&doc, BLOCK_CODE, "a < b")->opens_code = true;
	document_add(&doc, BLOCK_CODE, "  **c**");
	assert_written("<dl class=\"kpis\">\n<div><dt>events</dt><dd>12 345</dd></div>\n</dl>\n"
		       "<ul class=\"points\">\n<li><span class=\"plate \">1</span>one</li>\n"
		       "<li>two</li>\n</ul>\n<pre><code>a &lt; b\n  **c**</code></pre>\n");
}

static void tables_keep_their_groups(void **state)
{
	static const struct column columns[] = {
		{.title = "Name", .kind = COLUMN_CODE}, {.title = "Time", .kind = COLUMN_BAR}};
	(void)state;
	struct table *t = document_table(&doc, columns, 2, 2);
	*table_cell(t, 0, 0) = (struct cell){.text = "a"};
	*table_cell(t, 0, 1) = (struct cell){.text = "1 ms", .share = 0.5, .swatch = "gemm"};
	*table_cell(t, 1, 0) = (struct cell){.text = "b"};
	const char *groups[] = {NULL, "rest"};
	t->group = groups;
	const char *text = written_within(1 << 20);
	assert_says(text, "<thead><tr><th class=\"code\">Name</th><th class=\"n bar\">Time</th>");
	assert_says(text, "<td class=\"code\">a</td><td class=\"n bar\"><svg class=\"share\"");
	assert_says(text,
		"fill=\"#005a8e\" d=\"M0 0h50v10H0z\"/></svg>1 ms</td></tr>\n</tbody>\n"
		"<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"2\">rest</th></tr>");
}

/* One that has no room is said by its words. */
static void pictures_stand_in_the_page(void **state)
{
	(void)state;
	document_figure(&doc,
		&(struct figure){.id = "<p>", .alt = "A \"box\"", .height = 10, .draw = draw_box});
	const char *text = written_within(1 << 20);
	assert_says(text,
		"<figure>\n<svg viewBox=\"0 0 515.28 10\" role=\"img\" "
		"aria-label=\"A &quot;box&quot;\"");
	assert_says(text, "<path fill=\"#005a8e\" d=\"M1 1h20v5h-20z\"/>");
	assert_says(text, "<title>a &lt;/title&gt; · 3 µs</title>");
	assert_null(strstr(text, "<style"));
	text = written_within(100);
	assert_null(strstr(text, "<svg"));
	assert_says(text, texts_find(texts, "html.no_room"));
	assert_says(text, "A &quot;box&quot;");
}

static void nothing_is_live(void **state)
{
	static const char *const names[] = {"</p><script>alert(1)</script>", "<img onerror='x'>",
		"\" onclick=\"x", "&lt;b>",
		"a\xe2\x80\xae"
		"b",
		"\xed\xa0\x80",
		"a\x01"
		"b",
		"\xff"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		document_add(&doc, BLOCK_TEXT, names[i]);
	document_add(&doc, BLOCK_TITLE, "")->note = NULL;
	document_heading(&doc, 2, "\"><b>", names[0]);
	assert_written("<p>&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"
		       "<p>&lt;img onerror='x'&gt;</p>\n<p>&quot; onclick=&quot;x</p>\n"
		       "<p>&amp;lt;b&gt;</p>\n<p>a\xef\xbf\xbd"
		       "b</p>\n"
		       "<p>\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd</p>\n<p>a\xef\xbf\xbd"
		       "b</p>\n"
		       "<p>\xef\xbf\xbd</p>\n<h1></h1>\n<h3 id=\"to-&quot;&gt;&lt;b&gt;\">"
		       "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;</h3>\n");
}

static void many_chapters_are_listed(void **state)
{
	(void)state;
	document_heading(&doc, 1, "one", "First");
	document_heading(&doc, 1, NULL, "Second");
	document_heading(&doc, 1, NULL, "Third")->bookmark = "3";
	const char *text = written_within(1 << 20);
	assert_says(text,
		"<li><a href=\"#to-one\">First</a></li>\n"
		"<li><a href=\"#part-1\">Second</a></li>\n"
		"<li><a href=\"#part-2\">3</a></li>");
	assert_says(text, "<h2 id=\"part-2\">Third</h2>");
	assert_says(text, "<h1 id=\"to-one\">First</h1>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(headings_and_texts, begin, clear_arena),
		cmocka_unit_test_setup_teardown(points_numbers_and_code, begin, clear_arena),
		cmocka_unit_test_setup_teardown(tables_keep_their_groups, begin, clear_arena),
		cmocka_unit_test_setup_teardown(pictures_stand_in_the_page, begin, clear_arena),
		cmocka_unit_test_setup_teardown(nothing_is_live, begin, clear_arena),
		cmocka_unit_test_setup_teardown(many_chapters_are_listed, begin, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
