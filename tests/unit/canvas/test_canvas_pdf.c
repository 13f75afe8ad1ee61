/* SPDX-License-Identifier: Apache-2.0 */
/* The PDF back-end: is the file sound, is everything in it, and does it look as cairo draws it? */
#define _GNU_SOURCE
#include "tests/unit/pixels.h"

#include <ctype.h>
#include <math.h>
#include <sys/resource.h>

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

/* The tool's output must have these parts in this order; frees it. */
static void in_order(char *text, const char *const *parts)
{
	const char *p = text;
	for (; *parts; parts++) {
		const char *found = strstr(p, *parts);
		if (!found)
			fail_msg("\"%s\" is not (or not in its place) in:\n%s", *parts, text);
		p = found + strlen(*parts);
	}
	free(text);
}

/* ---- the file ---- */

static void draw_pages(struct canvas *c)
{
	const struct text_style style = {.face = FACE_BOLD, .size = 20, .colour = 0xff};
	draw_specimen(c);
	canvas_mark(c, MARK_LINK, (struct box){10, 10, 20, 20}, "last", 0);
	canvas_page(c, 595.28, 841.89, "7");
	canvas_page(c, 595.28, 841.89, "8");
	canvas_mark(c, MARK_OUTLINE, (struct box){0, 100, 0, 0}, "Second (chapter) \\", 0);
	canvas_mark(c, MARK_OUTLINE, (struct box){0, 200, 0, 0}, "deep", 5);
	canvas_page(c, 300, 200, NULL);
	canvas_text_at(c, (struct pt){40, 100}, "the last page", &style);
	canvas_mark(c, MARK_DEST, (struct box){40, 80, 0, 0}, "last", 0);
}

static void test_sound_and_silent(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("a.pdf"), draw_pages);
	char *text = run("qpdf --check '%s'", scratch("a.pdf"));
	has(text, "No syntax or stream encoding errors found");
	assert_null(strstr(text, "WARNING"));
	free(text);
	text = run("pdftoppm -r 30 '%s' '%s' && pdftotext '%s' /dev/null", scratch("a.pdf"),
		scratch("a"), scratch("a.pdf"));
	assert_string_equal(text, "");
	free(text);
}

static void test_what_the_document_says_of_itself(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("a.pdf"), draw_pages);
	in_order(run("TZ=UTC pdfinfo '%s' | tr -s ' '", scratch("a.pdf")),
		(const char *const[]){"Title: Specimen → größer\n", "Subject: every call once\n",
			"Keywords: canvas, test\n", "Author: tracebook\n", "Creator: tracebook\n",
			"CreationDate: Fri Nov 20 10:00:00 2026 UTC\n",
			"ModDate: Fri Nov 20 10:00:00 2026 UTC\n", "Pages: 4\n", "Encrypted: no\n",
			"Page size: 480 x 300 pts\n", NULL});
	char *text = run("qpdf --json=2 --json-key=qpdf '%s' | tr -d ' \\n'", scratch("a.pdf"));
	has(text, "\"/Lang\":\"u:en\"");
	has(text, "\"/DisplayDocTitle\":true");
	has(text, "\"/PageMode\":\"/UseOutlines\"");
	free(text);
}

static void test_no_date_unless_given(void **state)
{
	struct canvas_info info = {.title = "t", .created = "yesterday"};
	struct err err = {0};
	(void)state;
	struct canvas *c = canvas_pdf(scratch("b.pdf"), fonts, &info);
	canvas_page(c, 100, 100, NULL);
	assert_int_equal(canvas_close(c, &err), 0);
	char *text = run("pdfinfo '%s'", scratch("b.pdf"));
	assert_null(strstr(text, "Date"));
	free(text);
}

static void test_outline_labels_and_links(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("a.pdf"), draw_pages);
	in_order(run("qpdf --json=2 --json-key=outlines --json-key=pagelabels '%s' | python3 -c '\n"
		     "import json, sys\n"
		     "j = json.load(sys.stdin)\n"
		     "def show(rows, depth):\n"
		     "    for r in rows:\n"
		     "        d = r[\"dest\"]\n"
		     "        print(depth, r[\"title\"], r[\"destpageposfrom1\"], d[1], d[2:])\n"
		     "        show(r[\"kids\"], depth + 1)\n"
		     "show(j[\"outlines\"], 0)\n"
		     "for l in j[\"pagelabels\"]: print(l[\"index\"], l[\"label\"])\n"
		     "'",
			 scratch("a.pdf")),
		(const char *const[]){"0 Überblick → 𝔘 1 /XYZ [0, 300, 0]\n",
			"1 Shapes 1 /XYZ [0, 210, 0]\n",
			"0 Second (chapter) \\ 3 /XYZ [0, 742, 0]\n", "1 deep 3 /XYZ",
			"0 {'/P': 'u:iv'", "1 {'/S': '/D', '/St': 7}\n",
			"3 {'/S': '/D', '/St': 4}\n", NULL});
	in_order(run("pdfinfo -url '%s'", scratch("a.pdf")),
		(const char *const[]){"https://example.org/a%20(b)?%C3%BC&c", NULL});
	/* two jumps within the document: one back on its page, one to a page that came later */
	in_order(
		run("qpdf --json=2 --json-key=qpdf '%s' | python3 -c '\n"
		    "import json, sys\n"
		    "objects = json.load(sys.stdin)[\"qpdf\"][1]\n"
		    "value = lambda ref: objects[\"obj:\" + ref][\"value\"]\n"
		    "pages = value(value(objects[\"trailer\"][\"value\"][\"/Root\"])[\"/Pages\"])\n"
		    "links = [l for p in pages[\"/Kids\"] for l in value(p).get(\"/Annots\", [])]\n"
		    "for v in links:\n"
		    "    if \"/Dest\" in v:\n"
		    "        d = value(v[\"/Dest\"])\n"
		    "        print(v[\"/Rect\"], pages[\"/Kids\"].index(d[0]), d[1:])\n"
		    "' | sort",
			scratch("a.pdf")),
		(const char *const[]){"[10, 270, 30, 290] 3 ['/XYZ', 40, 120, 0]\n",
			"[20, 218, 120, 230] 0 ['/XYZ', 20, 210, 0]\n", NULL});
}

static void draw_tagged(struct canvas *c)
{
	static const char *const cells[] = {"size", "time", "64", "1 µs"};
	const struct text_style style = {.face = FACE_SANS, .size = 9, .colour = 0xff};
	canvas_page(c, 300, 200, "1");
	canvas_text_at(c, (struct pt){20, 190}, "the foot", &style);
	canvas_tag(c, &(struct tag){.kind = TAG_H1});
	canvas_text_at(c, (struct pt){20, 30}, "A head", &style);
	canvas_untag(c);
	canvas_tag(c, &(struct tag){.kind = TAG_FIGURE, .alt = "Größer → (2×)"});
	canvas_rect(c, (struct box){20, 40, 50, 10}, 0xff0000ff);
	canvas_text_at(c, (struct pt){22, 48}, "a bar", &style);
	canvas_text_at(c, (struct pt){80, 48}, "apart", &style);
	canvas_untag(c);
	canvas_tag(c, &(struct tag){.kind = TAG_TABLE});
	canvas_line(c, (struct pt){20, 60}, (struct pt){90, 60}, &(struct stroke){0xff, 1, 0, 0});
	for (int row = 0; row < 2; row++) {
		canvas_tag(c, &(struct tag){.kind = TAG_ROW});
		for (int i = 0; i < 2; i++) {
			canvas_tag(c, &(struct tag){.kind = row ? TAG_CELL : TAG_HEAD_CELL});
			canvas_text_at(c, (struct pt){20 + 60 * i, 70 + 12 * row},
				cells[2 * row + i], &style);
			canvas_untag(c);
		}
		canvas_untag(c);
	}
	canvas_untag(c);
	canvas_page(c, 300, 200, "2");
	canvas_tag(c, &(struct tag){.kind = TAG_PARAGRAPH});
	canvas_text_at(c, (struct pt){20, 30}, "on two", &style);
	canvas_text_at(c, (struct pt){20, 42}, "lines", &style);
	canvas_untag(c);
}

/* What a reader's program that speaks the page is told: kinds, order, alternative texts, words. */
static void test_structure(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("t.pdf"), draw_tagged);
	char *text = run("pdfinfo -struct-text '%s' | tr -s ' '", scratch("t.pdf"));
	assert_null(strstr(text, "the foot"));
	in_order(text,
		(const char *const[]){"Document\n", "H1 (block)\n", "\"A head\"", "Figure\n",
			"\"a bar apart\"", "Table (block)\n", "TR\n", "TH", "\"size\"", "TH",
			"\"time\"", "TR\n", "TD\n", "\"64\"", "TD\n", "\"1 µs\"", "P (block)\n",
			"\"on two lines\"", NULL});
	text = run("qpdf --check '%s'", scratch("t.pdf"));
	has(text, "No syntax or stream encoding errors found");
	assert_null(strstr(text, "WARNING"));
	free(text);
	text = run("qpdf --json=2 --json-key=qpdf '%s'", scratch("t.pdf"));
	has(text, "\"/Alt\": \"u:Größer → (2×)\"");
	has(text, "\"/Marked\": true");
	free(text);
}

static void test_links_must_lead_somewhere(void **state)
{
	const struct box box = {0, 0, 10, 10};
	struct err err = {0}, err2 = {0};
	(void)state;
	struct canvas *c = canvas_pdf(scratch("c.pdf"), fonts, NULL);
	canvas_page(c, 100, 100, NULL);
	canvas_page(c, 100, 100, NULL);
	canvas_mark(c, MARK_LINK, box, "nowhere", 0);
	assert_int_equal(canvas_close(c, &err), -1);
	has(err.text, "page 2 has a link to \"nowhere\"");
	assert_int_equal(access(scratch("c.pdf"), F_OK), -1);
	c = canvas_pdf(scratch("c.pdf"), fonts, NULL);
	canvas_page(c, 100, 100, NULL);
	canvas_mark(c, MARK_DEST, box, "twice", 0);
	canvas_mark(c, MARK_DEST, box, "twice", 0);
	assert_int_equal(canvas_close(c, &err2), -1);
	has(err2.text, "\"twice\"");
}

/* ---- the text ---- */

/* Wide spaces become plain ones: extractors are free to do the same. */
static void plain_spaces(char *text)
{
	char *to = text;
	for (const char *p = text; *p;)
		if (strncmp(p, " ", 2) == 0 || strncmp(p, " ", 3) == 0) {
			p += strncmp(p, " ", 2) == 0 ? 2 : 3;
			*to++ = ' ';
		} else {
			*to++ = *p++;
		}
	*to = '\0';
}

static void test_every_sign_comes_back(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("a.pdf"), draw_specimen);
	char *text = run("pdftotext -layout '%s' -", scratch("a.pdf"));
	plain_spaces(text);
	in_order(text,
		(const char *const[]){"sans " SIGNS " 1 000 2 000", "bold " SIGNS " 1 000 2 000",
			"mono " SIGNS " 1 000 2 000",
			"Hafenstraße, AVATo, fi ffl -> != <&> \"quoted\"", NULL});
	text = run("pdffonts '%s'", scratch("a.pdf"));
	/* embedded, subset, with ToUnicode: all of them */
	int n = 0;
	for (const char *p = text; (p = strstr(p, "CID TrueType")); p++, n++)
		has(p, "Custom           yes yes yes");
	assert_in_range(n, 5, 8);
	free(text);
}

static void draw_strange(struct canvas *c)
{
	const struct text_style style = {.face = FACE_SANS, .size = 20, .colour = 0xff};
	canvas_page(c, 400, 100, NULL);
	canvas_text_at(c, (struct pt){10, 40},
		"A🚀B𝔘C\xff"
		"D🙂E",
		&style);
	assert_int_equal(canvas_replaced(c), 3);
}

static void test_strange_signs_show_and_are_copied_as_written(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("s.pdf"), draw_strange);
	in_order(run("pdftotext '%s' -", scratch("s.pdf")),
		(const char *const[]){"A🚀B𝔘C\xef\xbf\xbd"
				      "D🙂E",
			NULL});
}

/* ---- against cairo ---- */

static void test_looks_as_cairo_draws_it(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("a.pdf"), draw_specimen);
	draw_file(canvas_cairo_pdf, scratch("b.pdf"), draw_specimen);
	double share = pdf_difference("a.pdf", "b.pdf", 150);
	if (share > 0.003)
		fail_msg("%.3f %% of the pixels differ", 100 * share);
}

/* Glyphs made of glyphs made of glyphs: text extraction cannot see that a part is missing. */
static void draw_composites(struct canvas *c)
{
	canvas_page(c, 300, 180, NULL);
	for (enum face face = 0; face < FACES; face++)
		canvas_text_at(c, (struct pt){10, 50 + 50 * (int)face}, "ŉǄǖḝṩữ",
			&(struct text_style){.face = face, .size = 40, .colour = 0xff});
}

static void draw_composites_without_marks(struct canvas *c)
{
	canvas_page(c, 300, 180, NULL);
	for (enum face face = 0; face < FACES; face++)
		canvas_text_at(c, (struct pt){10, 50 + 50 * (int)face}, "ŉǄüḝṩừ",
			&(struct text_style){.face = face, .size = 40, .colour = 0xff});
}

static void test_no_part_of_a_glyph_is_lost(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("a.pdf"), draw_composites);
	draw_file(canvas_cairo_pdf, scratch("b.pdf"), draw_composites);
	draw_file(canvas_cairo_pdf, scratch("c.pdf"), draw_composites_without_marks);
	double same = pdf_difference("a.pdf", "b.pdf", 150),
	       other = pdf_difference("a.pdf", "c.pdf", 150);
	if (same > 0.0005 || other < 0.003)
		fail_msg("%.3f %% of the pixels differ; %.3f %% when some accents differ",
			100 * same, 100 * other);
}

struct word {
	double x0, y0, x1, y1;
	char text[200];
};

static size_t words_of(const char *name, struct word *word, size_t room)
{
	size_t n = 0;
	char *text = run("pdftotext -bbox '%s' -", scratch(name));
	for (const char *p = text; (p = strstr(p, "<word ")); p++) {
		assert_true(n < room);
		assert_int_equal(
			sscanf(p,
				"<word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\">%199[^<]",
				&word[n].x0, &word[n].y0, &word[n].x1, &word[n].y1, word[n].text),
			5);
		n++;
	}
	free(text);
	return n;
}

/* The words of a line begin and end where text_width() says. */
static void check_line(const struct word *word, const char *line, enum face face, double size)
{
	char part[400];
	for (const char *p = line; *p; word++) {
		size_t start = (size_t)(p - line), end = start + strcspn(p, " ");
		memcpy(part, line, end);
		part[end] = '\0';
		assert_string_equal(word->text, part + start);
		double x1 = 20 + text_width(fonts, face, size, part);
		part[start] = '\0';
		double x0 = 20 + text_width(fonts, face, size, part);
		if (fabs(word->x0 - x0) > 0.02 || fabs(word->x1 - x1) > 0.02)
			fail_msg("%s: x %.3f to %.3f, measured %.3f to %.3f", word->text, word->x0,
				word->x1, x0, x1);
		p = line + end + (line[end] == ' ');
	}
}

static const struct word *find_word(const struct word *word, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word[i].text, text) == 0)
			return &word[i];
	fail_msg("no word \"%s\"", text);
	return NULL;
}

static void test_words_stand_where_they_were_measured(void **state)
{
	enum { MOST = 300 };
	struct word *word = xcalloc(MOST, sizeof *word);
	(void)state;
	draw_file(canvas_pdf, scratch("a.pdf"), draw_specimen);
	size_t n = words_of("a.pdf", word, MOST);
	check_line(find_word(word, n, "sans"), "sans " SIGNS, FACE_SANS, 10);
	check_line(find_word(word, n, "bold"), "bold " SIGNS, FACE_BOLD, 10);
	check_line(find_word(word, n, "mono"), "mono " SIGNS, FACE_MONO, 8);
	free(word);
}

/* The words of the first page, where both back-ends place them. */
static void test_words_stand_where_cairo_puts_them(void **state)
{
	enum { MOST = 300 };
	struct word *a = xcalloc(MOST, sizeof *a), *b = xcalloc(MOST, sizeof *b);
	(void)state;
	draw_file(canvas_pdf, scratch("a.pdf"), draw_specimen);
	draw_file(canvas_cairo_pdf, scratch("b.pdf"), draw_specimen);
	size_t n = words_of("a.pdf", a, MOST);
	assert_in_range(n, 100, MOST);
	assert_int_equal(words_of("b.pdf", b, MOST), n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(a[i].text, b[i].text);
		/* cairo lets its own rounding of widths add up to some hundredths. */
		if (fabs(a[i].x0 - b[i].x0) > 0.2 || fabs(a[i].x1 - b[i].x1) > 0.2 ||
			fabs(a[i].y0 - b[i].y0) > 0.2 || fabs(a[i].y1 - b[i].y1) > 0.2)
			fail_msg("%s: x %.3f to %.3f, cairo %.3f to %.3f", a[i].text, a[i].x0,
				a[i].x1, b[i].x0, b[i].x1);
	}
	free(a);
	free(b);
}

/* ---- much ---- */

static void draw_rectangles(struct canvas *c)
{
	static const rgba colours[] = {0x005A8EFF, 0x0A8562FF, 0xE69F00FF, 0xEDC6DBFF, 0xF6EE80FF};
	uint32_t seed = 1;
	double v[3];
	canvas_page(c, 595.28, 841.89, NULL);
	for (int i = 0; i < 100000; i++) {
		for (int j = 0; j < 3; j++)
			v[j] = (double)((seed = seed * 1664525 + 1013904223) >> 8) / (1 << 24);
		canvas_rect(
			c, (struct box){v[0] * 500, v[1] * 700, 0.6 + v[2] * 4, 6}, colours[i % 5]);
	}
}

static void test_100000_rectangles(void **state)
{
	size_t n;
	int status;
	struct rusage used;
	(void)state;
	pid_t child = fork();
	if (!child) {
		draw_file(canvas_pdf, scratch("r.pdf"), draw_rectangles);
		_exit(0);
	}
	assert_int_equal(wait4(child, &status, 0, &used), child);
	assert_int_equal(status, 0);
	free(slurp(scratch("r.pdf"), &n));
	assert_in_range(n, 500000, 1000000);
	if (!getenv("TRACEBOOK_SAN"))
		assert_in_range(used.ru_maxrss, 1000, 60000);
}

static void draw_many_pages(struct canvas *c)
{
	char text[40];
	const struct text_style style = {.face = FACE_SANS, .size = 8, .colour = 0xff};
	for (int i = 1; i <= 3000; i++) {
		snprintf(text, sizeof text, "page %d", i);
		canvas_page(c, 100, 100, text);
		canvas_text_at(c, (struct pt){10, 50}, text, &style);
		canvas_mark(c, MARK_OUTLINE, (struct box){0, 0, 0, 0}, text, i % 3);
		canvas_mark(c, MARK_DEST, (struct box){0, 0, 0, 0}, text, 0);
		snprintf(text, sizeof text, "page %d", i % 3000 + 1);
		canvas_mark(c, MARK_LINK, (struct box){0, 0, 50, 50}, text, 0);
	}
}

static void test_3000_pages(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("p.pdf"), draw_many_pages);
	in_order(run("qpdf --check '%s'", scratch("p.pdf")),
		(const char *const[]){"No syntax or stream encoding errors", NULL});
	in_order(run("pdftotext -f 2999 '%s' -", scratch("p.pdf")),
		(const char *const[]){"page 2999", "page 3000", NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound_and_silent),
		cmocka_unit_test(test_what_the_document_says_of_itself),
		cmocka_unit_test(test_no_date_unless_given),
		cmocka_unit_test(test_outline_labels_and_links),
		cmocka_unit_test(test_structure),
		cmocka_unit_test(test_links_must_lead_somewhere),
		cmocka_unit_test(test_every_sign_comes_back),
		cmocka_unit_test(test_strange_signs_show_and_are_copied_as_written),
		cmocka_unit_test(test_looks_as_cairo_draws_it),
		cmocka_unit_test(test_no_part_of_a_glyph_is_lost),
		cmocka_unit_test(test_words_stand_where_they_were_measured),
		cmocka_unit_test(test_words_stand_where_cairo_puts_them),
		cmocka_unit_test(test_100000_rectangles),
		cmocka_unit_test(test_3000_pages),
	};
	return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
