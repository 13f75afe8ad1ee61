/* SPDX-License-Identifier: Apache-2.0 */
/* Markup, lines that fit, words that stay together, links, the page sign and the ellipsis. */
#include "report/page/rich_text.h"
#include "tests/unit/page.h"

static const double SIZE = 10, LEADING = 14;

static struct rich_style plain_style(void)
{
	return (struct rich_style){
		.face = FACE_SANS, .size = SIZE, .leading = LEADING, .colour = 1, .link = 2};
}

static struct rich lay(const char *text, double width)
{
	struct rich_style style = plain_style();
	return rich_layout(&arena, fonts, NULL, text, width, &style);
}

static const char *line_text(const struct rich *r, int line)
{
	const char *text = "";
	for (int i = 0; i < r->line[line].n; i++) {
		const struct rich_word *w = &r->word[r->line[line].first + i];
		text = arena_printf(&arena, "%s%s%s", text, i && w->space ? " " : "", w->text);
	}
	return text;
}

static void assert_line(const struct rich *r, int line, const char *text)
{
	assert_in_range(line, 0, r->n_lines - 1);
	assert_string_equal(line_text(r, line), text);
}

static double width_of(enum face face, const char *text)
{
	return text_width(fonts, face, SIZE, text);
}

/* Every line is as wide as it says, and no wider than asked for. */
static void assert_lines_fit(const struct rich *r, double width)
{
	for (int i = 0; i < r->n_lines; i++) {
		const struct rich_line *line = &r->line[i];
		double sum = 0;
		for (int j = 0; j < line->n; j++) {
			const struct rich_word *w = &r->word[line->first + j];
			assert_close(w->width, width_of(w->face, w->text));
			sum += w->width + (j ? w->space_width : 0);
		}
		assert_close(line->width, sum);
		if (line->width > width + 0.011)
			fail_msg("line %d is %.3f wide, %.3f at most: %s", i, line->width, width,
				line_text(r, i));
	}
	assert_close(r->height, r->n_lines * LEADING);
}

static void words_and_spaces(void **state)
{
	(void)state;
	struct rich r = lay("  three   plain\nwords ", 500);
	assert_int_equal(r.n_lines, 1);
	assert_int_equal(r.n_words, 3);
	assert_line(&r, 0, "three plain words");
	assert_lines_fit(&r, 500);
	assert_close(r.line[0].width, width_of(FACE_SANS, "three plain words"));
	r = lay("", 500);
	assert_int_equal(r.n_lines, 0);
	assert_close(r.height, 0);
	r = lay("   \n ", 500);
	assert_int_equal(r.n_lines, 0);
}

/* Bytes that the layout of n words takes, every third of them a link. */
static size_t bytes_for_words(size_t n)
{
	struct arena own = {0};
	struct rich_style style = plain_style();
	char *text = malloc(n * 20 + 1), *p = text;
	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, i % 3 ? "ninesigns " : "[ninesigns](#a) ");
	struct rich r = rich_layout(&own, fonts, NULL, text, 400, &style);
	size_t bytes = arena_bytes(&own);
	assert_int_equal(r.n_words, n);
	arena_release(&own);
	free(text);
	return bytes;
}

/* So many bytes a word, whether it is one of 2,000 or of 20,000: a name may be as long as a book.
 */
static void memory_grows_as_the_text_does(void **state)
{
	(void)state;
	size_t few = bytes_for_words(2000), most = 1000;
	assert_in_range(few, 2000 * 10, 2000 * most);
	assert_in_range(bytes_for_words(20000), 20000 * 10, 20000 * most);
}

/* What stands for pages may become longer than it was, as often as the text says it. */
static void many_page_signs_have_room(void **state)
{
	(void)state;
	struct places *places = places_new(&arena);
	places_add(places, &arena, "far", 123456);
	char text[2000] = "[", want[4000] = "";
	int n = 1, m = 0;
	for (int i = 0; i < 200; i++) {
		n += snprintf(text + n, sizeof text - (size_t)n, "¶");
		m += snprintf(want + m, sizeof want - (size_t)m, "123456");
	}
	snprintf(text + n, sizeof text - (size_t)n, "](#far) end");
	struct rich_style style = plain_style();
	struct rich r = rich_layout(&arena, fonts, places, text, 1e5, &style);
	assert_int_equal(r.n_words, 2);
	assert_string_equal(r.word[0].text, want);
	assert_string_equal(r.word[1].text, "end");
}

static void lines_are_filled(void **state)
{
	(void)state;
	double width = width_of(FACE_SANS, "one two");
	struct rich r = lay("one two three four", width);
	assert_line(&r, 0, "one two");
	assert_lines_fit(&r, width);
	r = lay("one two three four", width - 0.1);
	assert_line(&r, 0, "one");
}

static const char sample[] =
	"The **device** was busy *82 %* of the time: `cudaLaunchKernel` took **12.3 µs**, see "
	"[page ¶](#there) and [the **source** of it](https://example.org/a). Eight→nine × ten "
	"pre`code`post **bold**`mono`plain, and_a_long_word_that_stands_alone \\[no link\\] end.";

/* At every width: all words in their order, no line too wide, and none that could have been fuller.
 */
static void every_width(void **state)
{
	(void)state;
	const char *whole = rich_plain(&arena, sample);
	for (double width = 3; width < 700; width += width < 60 ? 0.37 : 7.3) {
		struct arena_mark mark = arena_mark(&arena);
		struct rich r = lay(sample, width);
		double widest = 0;
		for (int i = 0; i < r.n_words; i++)
			widest = r.word[i].width > widest ? r.word[i].width : widest;
		assert_lines_fit(&r, widest > width ? widest : width);
		const char *p = whole;
		for (int i = 0; i < r.n_words; i++) {
			p += strspn(p, " ");
			const char *text = r.word[i].text;
			if (r.word[i].link && strchr("0", text[0])) {
				p += 2; /* the page sign became a number */
				continue;
			}
			assert_memory_equal(p, text, strlen(text));
			p += strlen(text);
		}
		assert_string_equal(p, "");
		for (int i = 0; i + 1 < r.n_lines; i++) {
			const struct rich_word *next = &r.word[r.line[i + 1].first];
			if (next->space &&
				(i + 2 < r.n_lines ? r.word[r.line[i + 2].first].space : true) &&
				r.line[i + 1].n == 1)
				assert_true(
					r.line[i].width + next->space_width + next->width > width);
		}
		arena_reset(&arena, mark);
	}
}

static void faces(void **state)
{
	(void)state;
	struct rich r = lay("a **b `c` d** e", 500);
	static const enum face expected[] = {FACE_SANS, FACE_BOLD, FACE_MONO, FACE_BOLD, FACE_SANS};
	assert_int_equal(r.n_words, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(r.word[i].face, expected[i]);
	r = lay("`a**b` 2 * 3 ** c", 500);
	assert_string_equal(r.word[0].text, "a**b");
	assert_line(&r, 0, "a**b 2 * 3 c");
}

static void joined_words_stay_together(void **state)
{
	(void)state;
	struct rich r = lay("one two**three**`four`", 500);
	assert_int_equal(r.n_words, 4);
	assert_false(r.word[2].space);
	assert_false(r.word[3].space);
	double unit = width_of(FACE_SANS, "two") + width_of(FACE_BOLD, "three") +
		width_of(FACE_MONO, "four");
	r = lay("one two**three**`four` five", unit + 1);
	assert_line(&r, 0, "one");
	assert_line(&r, 1, "twothreefour");
	assert_line(&r, 2, "five");
	/* Too wide for any line: it is broken where its parts meet. */
	r = lay("one two**three**`four`", unit - 1);
	assert_int_equal(r.n_lines, 3);
	assert_line(&r, 1, "twothree");
	assert_lines_fit(&r, unit - 1);
}

static void a_number_keeps_its_unit(void **state)
{
	(void)state;
	static const char *const units[] = {"%", "s", "µs,", "kB", "TB/s.", "GiB)", "MFLOP"};
	static const char *const words[] = {"steps", "µ", "kernels", "Bs", "mode"};
	double width = width_of(FACE_SANS, "it takes 12.5 ");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		struct rich r = lay(arena_printf(&arena, "it takes 12.5 %s", units[i]), width);
		assert_line(&r, 0, "it takes");
		assert_line(&r, 1, arena_printf(&arena, "12.5 %s", units[i]));
		assert_lines_fit(&r, width);
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct rich r = lay(arena_printf(&arena, "it takes 12.5 %s", words[i]), width);
		assert_line(&r, 0, "it takes 12.5");
	}
	struct rich sum = lay("it takes n 42 + 144", width_of(FACE_SANS, "it takes n 42 +"));
	assert_line(&sum, 0, "it takes");
	assert_line(&sum, 1, "n 42 + 144");
	struct rich alone = lay("12.5 µs", width_of(FACE_SANS, "12.5 "));
	assert_int_equal(alone.n_lines, 2);
}

static void a_word_too_wide_is_cut(void **state)
{
	(void)state;
	const char *word = "µµµµ→→→→ßßßßvectorized_elementwise_kernel";
	double width = width_of(FACE_SANS, "µµµ");
	struct rich r = lay(word, width);
	const char *whole = "";
	for (int i = 0; i < r.n_lines; i++) {
		const char *part = line_text(&r, i);
		assert_int_not_equal(part[0] & 0xc0, 0x80);
		whole = arena_printf(&arena, "%s%s", whole, part);
	}
	assert_string_equal(whole, word);
	assert_lines_fit(&r, width);
	/* Not even one sign fits: it ends, and nothing is lost. */
	r = lay("abc def", 1);
	assert_line(&r, 0, "abc");
	r = lay("abc def", 0);
	assert_line(&r, 1, "def");
}

static void links(void **state)
{
	(void)state;
	struct rich r =
		lay("see [the **case**](#a-b_1), [site](https://example.org/?a=[1]&b).", 500);
	assert_string_equal(r.word[0].text, "see");
	assert_null(r.word[0].link);
	assert_string_equal(r.word[1].link, "#a-b_1");
	assert_int_equal(r.word[2].face, FACE_BOLD);
	assert_string_equal(r.word[2].link, "#a-b_1");
	assert_null(r.word[3].link);
	assert_string_equal(r.word[4].link, "https://example.org/?a=[1]&b");
	assert_line(&r, 0, "see the case, site.");
	/* What only looks like a link. */
	static const char *const no_links[] = {
		"[a] (b)", "[a](b", "[a", "a](b)", "[]", "array[3] of [4]"};
	for (size_t i = 0; i < sizeof no_links / sizeof *no_links; i++) {
		r = lay(no_links[i], 500);
		assert_line(&r, 0, no_links[i]);
		for (int j = 0; j < r.n_words; j++)
			assert_null(r.word[j].link);
	}
	r = lay("[a\\]b](#c)", 500);
	assert_line(&r, 0, "a]b");
	assert_string_equal(r.word[0].link, "#c");
}

static void the_page_sign(void **state)
{
	(void)state;
	struct places *places = places_new(&arena);
	places_add(places, &arena, "here", 7);
	places_add(places, &arena, "there", 123);
	assert_int_equal(places_find(places, "there"), 123);
	assert_int_equal(places_find(places, "nowhere"), 0);
	assert_int_equal(places_find(NULL, "here"), 0);
	struct rich_style style = plain_style();
	struct rich r = rich_layout(&arena, fonts, places,
		"[page ¶](#there), [¶/¶](#here), ¶ 5, [¶](#nowhere), [\\¶](#here)", 500, &style);
	assert_line(&r, 0, "page 123, 7/7, ¶ 5, 0, ¶");
	r = lay("[page ¶](#there)", 500);
	assert_line(&r, 0, "page 0");
}

static void backslashes(void **state)
{
	(void)state;
	struct rich r = lay("\\**a\\** \\`b\\` \\[c](#d) \\\\ e\\", 500);
	assert_line(&r, 0, "**a** `b` [c](#d) \\ e\\");
	for (int i = 0; i < r.n_words; i++)
		assert_int_equal(r.word[i].face, FACE_SANS);
	assert_string_equal(rich_plain(&arena, "**a** `b\\`` [c\\]](#d) \\\\"), "a b` c] \\");
}

static void the_last_line_allowed(void **state)
{
	(void)state;
	struct rich_style style = plain_style();
	for (style.max_lines = 1; style.max_lines <= 3; style.max_lines++) {
		for (double width = 12; width < 400; width += 3.1) {
			struct arena_mark mark = arena_mark(&arena);
			struct rich r = rich_layout(&arena, fonts, NULL, sample, width, &style);
			assert_in_range(r.n_lines, 1, style.max_lines);
			assert_lines_fit(&r, width);
			if (lay(sample, width).n_lines <= style.max_lines) {
				assert_null(strstr(line_text(&r, r.n_lines - 1), "…"));
				continue;
			}
			const char *last = line_text(&r, r.n_lines - 1);
			size_t n = strlen(last);
			assert_true(n >= 3);
			assert_string_equal(last + n - 3, "…");
			arena_reset(&arena, mark);
		}
	}
	/* What fits is left alone. */
	style.max_lines = 1;
	struct rich r =
		rich_layout(&arena, fonts, NULL, "one two", width_of(FACE_SANS, "one two"), &style);
	assert_line(&r, 0, "one two");
	/* A long word fills the line as far as it goes. */
	double width = width_of(FACE_SANS, "void at::native…") + 0.1;
	r = rich_layout(&arena, fonts, NULL, "void at::native::vectorized", width, &style);
	assert_line(&r, 0, "void at::native…");
}

static void runs_of_one_style_are_one_text(void **state)
{
	(void)state;
	struct drawing d;
	begin_drawing(&d);
	canvas_page(d.canvas, 600, 200, NULL);
	struct rich r = lay("one two **three four** [five six](#x) seven.", 500);
	rich_draw(d.canvas, &r, 40, 50, 500);
	const char *drawn = finish_drawing(&d);
	assert_int_equal(count_calls(drawn, "text "), 4);
	assert_says(drawn, "text \"one two\" sans 10.00");
	assert_says(drawn, "text \"three four\" bold");
	assert_says(drawn, "text \"five six\" sans");
	assert_says(drawn, "text \"seven.\"");
	assert_int_equal(count_calls(drawn, "link \"x\""), 1);
	assert_says(drawn, "start 40.00 ");
	double x, y;
	const char *seven = strstr(drawn, "text \"seven.\"");
	assert_int_equal(sscanf(strstr(seven, "start"), "start %lf %lf", &x, &y), 2);
	assert_close(x + width_of(FACE_SANS, "seven."), 40 + r.line[0].width);
	assert_true(y > 50 && y < 50 + LEADING);
}

static double left_of_second_line(enum anchor align)
{
	struct drawing d;
	begin_drawing(&d);
	canvas_page(d.canvas, 600, 200, NULL);
	struct rich_style style = plain_style();
	style.align = align;
	struct rich r = rich_layout(&arena, fonts, NULL, "wide_word_here x", 80, &style);
	assert_int_equal(r.n_lines, 2);
	rich_draw(d.canvas, &r, 100, 0, 80);
	const char *drawn = strstr(finish_drawing(&d), "text \"x\"");
	double x;
	assert_non_null(drawn);
	assert_int_equal(sscanf(strstr(drawn, "start"), "start %lf", &x), 1);
	return x;
}

static void alignment(void **state)
{
	(void)state;
	double w = width_of(FACE_SANS, "x");
	assert_close(left_of_second_line(ANCHOR_START), 100);
	assert_close(left_of_second_line(ANCHOR_END), 180 - w);
	assert_close(left_of_second_line(ANCHOR_MIDDLE), 100 + (80 - w) / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(words_and_spaces, clear_arena),
		cmocka_unit_test_teardown(memory_grows_as_the_text_does, clear_arena),
		cmocka_unit_test_teardown(many_page_signs_have_room, clear_arena),
		cmocka_unit_test_teardown(lines_are_filled, clear_arena),
		cmocka_unit_test_teardown(every_width, clear_arena),
		cmocka_unit_test_teardown(faces, clear_arena),
		cmocka_unit_test_teardown(joined_words_stay_together, clear_arena),
		cmocka_unit_test_teardown(a_number_keeps_its_unit, clear_arena),
		cmocka_unit_test_teardown(a_word_too_wide_is_cut, clear_arena),
		cmocka_unit_test_teardown(links, clear_arena),
		cmocka_unit_test_teardown(the_page_sign, clear_arena),
		cmocka_unit_test_teardown(backslashes, clear_arena),
		cmocka_unit_test_teardown(the_last_line_allowed, clear_arena),
		cmocka_unit_test_teardown(runs_of_one_style_are_one_text, clear_arena),
		cmocka_unit_test_teardown(alignment, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
