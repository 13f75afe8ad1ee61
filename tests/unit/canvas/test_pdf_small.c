/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps a PDF small loses nothing: boxes drawn at once, colours by number, heads and rows that
 * are written once. */
#define _GNU_SOURCE
#include "tests/unit/pixels.h"

static void looks_as_cairo_draws_it(void (*draw)(struct canvas *))
{
	draw_file(canvas_pdf, scratch("a.pdf"), draw);
	draw_file(canvas_cairo_pdf, scratch("b.pdf"), draw);
	double share = pdf_difference("a.pdf", "b.pdf", 150);
	if (share > 0.003)
		fail_msg("%.3f %% of the pixels differ", 100 * share);
}

/* Lines of the contents of a.pdf that have this operator. */
static int operators(const char *operator)
{
	char *text = run("qpdf --qdf --object-streams=disable '%s' - | grep -aEc ' %s( |$)' || :",
		scratch("a.pdf"), operator);
	int n = (int)strtol(text, NULL, 10);
	free(text);
	return n;
}

/* The same python program about a PDF, which gets its objects by number and its pages' numbers;
 * what it prints must be this. */
static void says(const char *name, const char *program, const char *wanted)
{
	char *text = run("qpdf --json=2 --json-key=qpdf '%s' | python3 -c '\n"
			 "import json, sys\n"
			 "objects = json.load(sys.stdin)[\"qpdf\"][1]\n"
			 "def value(x):\n"
			 "    while isinstance(x, str) and x.endswith(\" R\"):\n"
			 "        x = objects[\"obj:\" + x]\n"
			 "        x = x.get(\"value\", x.get(\"stream\"))\n"
			 "    return x\n"
			 "root = value(objects[\"trailer\"][\"value\"][\"/Root\"])\n"
			 "pages = value(root[\"/Pages\"])[\"/Kids\"]\n"
			 "%s'",
		scratch(name), program);
	assert_string_equal(text, wanted);
	free(text);
}

static void draw_frames(struct canvas *c)
{
	canvas_page(c, 300, 200, NULL);
	for (int i = 0; i < 12; i++) {
		struct box box = {10 + 23 * i, 10, 20, 40};
		struct box inner = {box.x + 1, box.y + 1, box.w - 2, box.h - 2};
		const struct stroke line = {.colour = 0x203040ff, .width = 2};
		canvas_rect(c, box, 0x80c0ffff);
		canvas_frame(c, inner, &line); /* hides the edge */
		box.y += 50;
		canvas_rect(c, box, 0x80c0ffff);
		canvas_frame(c, box, &line); /* half of it */
		box.y += 50;
		inner = (struct box){box.x + 4, box.y + 4, box.w - 8, box.h - 8};
		canvas_rect(c, box, 0xc0ff80ff);
		canvas_frame(c, inner, &line); /* does not */
		box.y += 50;
		box.h = 30;
		canvas_rect(c, box, 0xffc080ff);
		canvas_clip(c, box);
		canvas_line(
			c, (struct pt){box.x, box.y}, (struct pt){box.x + 40, box.y + 40}, &line);
		canvas_unclip(c);
	}
}

static void test_a_box_and_what_hides_its_edge(void **state)
{
	(void)state;
	looks_as_cairo_draws_it(draw_frames);
	assert_int_equal(operators("B"), 24);
	assert_int_equal(operators("W f"), 12);
}

static void draw_half_clear(struct canvas *c)
{
	canvas_page(c, 100, 100, NULL);
	canvas_rect(c, (struct box){10, 10, 80, 80}, 0x80c0ffff);
	canvas_frame(c, (struct box){13, 13, 74, 74},
		&(struct stroke){.colour = 0x20304080, .width = 6});
}

static void draw_dashes(struct canvas *c)
{
	canvas_page(c, 100, 100, NULL);
	canvas_rect(c, (struct box){10, 10, 80, 80}, 0x80c0ffff);
	canvas_frame(c, (struct box){13, 13, 74, 74},
		&(struct stroke){.colour = 0x203040ff, .width = 6, .dash = 4, .gap = 4});
}

/* What shows through a line, or between its dashes, is drawn under it. */
static void test_a_box_under_a_line_that_hides_little(void **state)
{
	(void)state;
	looks_as_cairo_draws_it(draw_half_clear);
	assert_int_equal(operators("B"), 0);
	draw_file(canvas_pdf, scratch("a.pdf"), draw_dashes);
	assert_int_equal(operators("B"), 0);
}

static void draw_colours(struct canvas *c)
{
	canvas_page(c, 410, 210, NULL);
	for (unsigned i = 0; i < 800; i++) {
		rgba colour = (i % 400 * 40503 & 0xffffff) << 8 | 0xff;
		struct box box = {5 + 10.0 * (i % 40), 5 + 10.0 * (i / 40), 9, 9};
		canvas_rect(c, box, colour);
		canvas_line(c, (struct pt){box.x, box.y}, (struct pt){box.x + 9, box.y + 9},
			&(struct stroke){.colour = ~colour | 0xff, .width = 2});
	}
}

static void test_more_colours_than_a_palette_has(void **state)
{
	(void)state;
	looks_as_cairo_draws_it(draw_colours);
	assert_in_range(operators("rg"), 100, 800);
}

static void draw_feet(struct canvas *c)
{
	const struct text_style style = {.face = FACE_SANS, .size = 9, .colour = 0xff};
	for (int page = 1; page <= 5; page++) {
		char number[20];
		snprintf(number, sizeof number, "page %d", page);
		canvas_page(c, 300, 200, NULL);
		canvas_text_at(c, (struct pt){20, 190}, page == 3 ? "not so" : "the foot", &style);
		canvas_text_at(c, (struct pt){200, 190}, number, &style);
		canvas_tag(c, &(struct tag){.kind = TAG_PARAGRAPH});
		canvas_text_at(c, (struct pt){20, 30}, "what it shows", &style);
		canvas_untag(c);
	}
}

static void test_a_foot_is_written_once(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("f.pdf"), draw_feet);
	char *text = run("pdftotext -layout '%s' - | tr -s ' \\n\\f' ' '", scratch("f.pdf"));
	assert_string_equal(text,
		" what it shows the foot page 1 what it shows the foot page 2"
		" what it shows not so page 3 what it shows the foot page 4"
		" what it shows the foot page 5 " +
			(*text != ' '));
	free(text);
	says("f.pdf",
		"shown = [value(p)[\"/Contents\"] for p in pages]\n"
		"lists = [s for s in shown if isinstance(s, list)]\n"
		"print(len(lists), len({s[0] for s in lists}), len({s[1] for s in lists}), isinstance(shown[2], str))\n",
		"4 1 4 True\n");
}

static void draw_heights(struct canvas *c)
{
	struct text_style style = {.face = FACE_SANS, .size = 9, .colour = 0xff};
	canvas_page(c, 300, 100, NULL);
	canvas_text_at(c, (struct pt){20, 30}, "one", &style);
	style.face = FACE_BOLD;
	canvas_text_at(c, (struct pt){120, 30}, "two µ", &style);
	style.face = FACE_MONO;
	canvas_text_at(c, (struct pt){70, 30}, "(three)", &style);
	canvas_rect(c, (struct box){200, 20, 10, 10}, 0xff0000ff);
	canvas_text_at(c, (struct pt){220, 30}, "four", &style);
	style.turned = true;
	canvas_text_at(c, (struct pt){280, 30}, "five", &style);
	style.turned = false;
	canvas_text_at(c, (struct pt){220, 60}, "six", &style);
	canvas_clip(c, (struct box){0, 50, 300, 20});
	canvas_text_at(c, (struct pt){20, 60}, "seven", &style);
	canvas_unclip(c);
	canvas_text_at(c, (struct pt){120, 60}, "eight", &style);
}

/* Texts at one height are one object, up to what may not stand in it; letters have one code in all
 * fonts, their own. */
static void test_texts_at_one_height(void **state)
{
	(void)state;
	looks_as_cairo_draws_it(draw_heights);
	char *text = run("qpdf --qdf --object-streams=disable '%s' - | "
			 "grep -aoE '[(][a-z ]*[)]Tj|BT|ET' | tr '\\n' ' '",
		scratch("a.pdf"));
	assert_string_equal(text,
		"BT (one)Tj ET BT ( four)Tj ET BT (five)Tj ET BT ( six)Tj ET BT ( seven)Tj ET BT ( eight)Tj ET ");
	free(text);
}

enum { LINES = 1500, CELLS = 17 };

static void draw_line(struct canvas *c, int line)
{
	static const struct text_style style = {.face = FACE_SANS, .size = 6, .colour = 0xff};
	canvas_tag(c, &(struct tag){.kind = TAG_ROW});
	for (int i = 0; i < 1 + line % CELLS; i++) {
		canvas_tag(c,
			&(struct tag){.kind = line % 30 ? TAG_CELL : TAG_HEAD_CELL,
				.columns = line % 60 ? 0 : 2});
		canvas_text_at(
			c, (struct pt){5 + 20.0 * i, 15 + 8.0 * (line % 30)}, "cell", &style);
		canvas_untag(c);
	}
	canvas_untag(c);
}

static void draw_tables(struct canvas *c)
{
	for (int line = 0; line < LINES; line++) {
		if (line % 30 == 0) {
			canvas_page(c, 360, 260, NULL);
			canvas_tag(c, &(struct tag){.kind = TAG_FIGURE, .alt = "Größe"});
			canvas_rect(c, (struct box){5, 5, 100, 5}, 0xff);
			canvas_untag(c);
			canvas_tag(c, &(struct tag){.kind = TAG_TABLE});
		}
		draw_line(c, line);
		if (line % 30 == 29)
			canvas_untag(c);
	}
}

/* Each element is its parent's child, on its page, and the one that its contents belong to. */
static void test_rows_of_elements(void **state)
{
	(void)state;
	draw_file(canvas_pdf, scratch("e.pdf"), draw_tables);
	char *text = run("qpdf --check '%s'", scratch("e.pdf"));
	assert_non_null(strstr(text, "No syntax or stream encoding errors found"));
	assert_null(strstr(text, "WARNING"));
	free(text);
	says("e.pdf",
		"tree = value(root[\"/StructTreeRoot\"])\n"
		"kinds, wrong = {}, 0\n"
		"def walk(ref, parent):\n"
		"    global wrong\n"
		"    e = value(ref)\n"
		"    kinds[e[\"/S\"]] = kinds.get(e[\"/S\"], 0) + 1\n"
		"    wrong += e[\"/P\"] != parent\n"
		"    if \"/A\" in e:\n"
		"        a = value(e[\"/A\"])\n"
		"        span = a.get(\"/ColSpan\", 1)\n"
		"        kinds[span] = kinds.get(span, 0) + 1\n"
		"        wrong += a[\"/Scope\"] != \"/Column\"\n"
		"    kids = e[\"/K\"]\n"
		"    for k in kids if isinstance(kids, list) else []:\n"
		"        walk(k, ref)\n"
		"walk(tree[\"/K\"], root[\"/StructTreeRoot\"])\n"
		"numbers = tree[\"/ParentTree\"][\"/Nums\"]\n"
		"for page, refs in zip(numbers[::2], numbers[1::2]):\n"
		"    for i, ref in enumerate(refs):\n"
		"        wrong += value(ref)[\"/K\"] != i or value(ref)[\"/Pg\"] != pages[page]\n"
		"print(wrong, *(kinds[k] for k in (\"/Document\", \"/Figure\", \"/Table\", \"/TR\")),\n"
		"      kinds[\"/TD\"] + kinds[\"/TH\"], kinds[1] + kinds[2] == kinds[\"/TH\"], kinds[2] > 0)\n",
		"0 1 50 50 1500 13474 True True\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_box_and_what_hides_its_edge),
		cmocka_unit_test(test_a_box_under_a_line_that_hides_little),
		cmocka_unit_test(test_more_colours_than_a_palette_has),
		cmocka_unit_test(test_a_foot_is_written_once),
		cmocka_unit_test(test_texts_at_one_height),
		cmocka_unit_test(test_rows_of_elements),
	};
	return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
