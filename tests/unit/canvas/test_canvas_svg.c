/* SPDX-License-Identifier: Apache-2.0 */
/* The SVG back-end: real text, small files, nothing that could run or load. */
#define _GNU_SOURCE
#include "tests/unit/pixels.h"

/* Draws a figure of 480 by 300 and returns its text, which the caller frees. */
static char *drawn(void (*draw)(struct canvas *))
{
	struct canvas_info info = specimen_info();
	struct err err = {0};
	struct canvas *c = canvas_svg(scratch("a.svg"), fonts, &info);
	draw(c);
	if (canvas_close(c, &err))
		fail_msg("%s", err.text);
	free(run("xmllint --noout --nonet '%s' | tee /dev/stderr | wc -c | grep -qx 0",
		scratch("a.svg")));
	return slurp(scratch("a.svg"), NULL);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in the SVG:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in the SVG", part);
}

static size_t times(const char *text, const char *part)
{
	size_t n = 0;
	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void test_the_specimen(void **state)
{
	(void)state;
	char *svg = drawn(draw_specimen);
	has(svg,
		"width=\"480pt\" height=\"300pt\" viewBox=\"0 0 480 300\" role=\"img\" "
		"xml:lang=\"en\" aria-labelledby=\"fig-t\" aria-describedby=\"fig-d\"");
	has(svg, "<title id=\"fig-t\">Specimen → größer</title>");
	has(svg, "<desc id=\"fig-d\">Bars &amp; a hatched box</desc>");
	has(svg, ">sans " SIGNS " 1 000 2 000</text>");
	has(svg, ">mono " SIGNS " 1 000 2 000</text>");
	has(svg, "-&gt; != &lt;&amp;&gt; &quot;quoted&quot;</text>");
	has(svg, "<path fill=\"#005a8e\" d=\"M40 100h80v30h-80z\"/>");
	has(svg, "<path fill=\"#e69f00\" fill-opacity=\".502\" d=\"M80 115h80v30h-80z\"/>");
	has(svg, ".fig-l2{fill:none;stroke:#d55e00;stroke-width:.6;stroke-dasharray:2.5 1.25}\n");
	has(svg, "<path class=\"fig-l2\" d=\"M40 150h160\"/>");
	has(svg, "d=\"M120 160c0 30 60 20 60 50\"/>");
	has(svg, "<clipPath id=\"fig-c1\">");
	has(svg, "<g clip-path=\"url(#fig-c1)\">");
	has(svg, "<title>a &lt;tip&gt; &amp; &quot;more&quot;</title></path>");
	has(svg, "<a href=\"https://example.org/a%20(b)?%C3%BC&amp;c\"><path d=");
	has(svg, "transform=\"rotate(-90 20 ");
	free(svg);
}

static void test_nothing_runs_and_nothing_loads(void **state)
{
	(void)state;
	char *svg = drawn(draw_specimen);
	lacks(svg, "<script");
	lacks(svg, "foreignObject");
	lacks(svg, "@import");
	lacks(svg, "<image");
	lacks(svg, "<use");
	/* Addresses: the name space, and the one link of the specimen. Fonts travel inside. */
	assert_int_equal(times(svg, "http"), 2);
	assert_int_equal(times(svg, "url(data:font/ttf;base64,AAEAAAA"), times(svg, "url(data:"));
	assert_int_equal(times(svg, "url("), times(svg, "url(data:") + times(svg, "url(#fig-"));
	/* Every id and class has the figure's prefix, so that figures can share a page. */
	assert_true(times(svg, " id=\"") >= 4);
	assert_int_equal(times(svg, " id=\""), times(svg, " id=\"fig-"));
	assert_true(times(svg, " class=\"") >= 7);
	assert_int_equal(times(svg, " class=\""), times(svg, " class=\"fig-"));
	free(svg);
}

static void draw_hostile(struct canvas *c)
{
	static const char evil[] =
		"</text><script>alert(1)</script>]]>&amp;\"' \x01\x0b\xff\xef\xbf\xbe";
	canvas_page(c, 480, 300, evil);
	canvas_text_at(c, (struct pt){10, 20}, evil,
		&(struct text_style){.face = FACE_MONO, .size = 8, .colour = 0xff});
	canvas_mark(c, MARK_TIP, (struct box){0, 0, 10, 10}, evil, 0);
	canvas_mark(c, MARK_URI, (struct box){0, 0, 10, 10}, "https://a/\"><script>", 0);
	canvas_mark(c, MARK_LINK, (struct box){0, 0, 10, 10}, evil, 0);
	canvas_mark(c, MARK_DEST, (struct box){0, 0, 10, 10}, evil, 0);
}

static void test_hostile_text_stays_text(void **state)
{
	(void)state;
	char *svg = drawn(draw_hostile);
	lacks(svg, "<script");
	lacks(svg, "\x01");
	lacks(svg, "\xff");
	has(svg, "&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;&amp;amp;&quot;' ");
	has(svg, "href=\"https://a/%22%3E%3Cscript%3E\"");
	free(svg);
}

static void draw_lengths(struct canvas *c)
{
	canvas_page(c, 480, 300, NULL);
	canvas_text_at(c, (struct pt){100, 20}, "sm90 → 12 µs",
		&(struct text_style){FACE_SANS, 6.5, 0xff, ANCHOR_END, false});
}

static void test_texts_keep_their_measured_length(void **state)
{
	char want[100];
	(void)state;
	double width = text_width(fonts, FACE_SANS, 6.5, "sm90 → 12 µs");
	char *svg = drawn(draw_lengths);
	snprintf(want, sizeof want, " textLength=\"%.3f", width);
	has(svg, want);
	snprintf(want, sizeof want, " x=\"%.1f", 100 - width);
	has(svg, want);
	has(svg, "lengthAdjust=\"spacingAndGlyphs\">sm90 → 12 µs</text>");
	/* one file for the letters, one for the arrow, and the names of both behind them */
	has(svg, ".fig-s{font-family:fig-0,fig-3,'Noto Sans','Noto Sans Math',sans-serif;");
	assert_int_equal(times(svg, "@font-face"), 2);
	free(svg);
}

static void draw_order(struct canvas *c)
{
	canvas_page(c, 480, 300, NULL);
	canvas_rect(c, (struct box){0, 0, 10, 10}, 0x112233FF);
	canvas_text_at(c, (struct pt){0, 8}, "under",
		&(struct text_style){.face = FACE_SANS, .size = 8, .colour = 0xff});
	canvas_rect(c, (struct box){0, 0, 20, 10}, 0x112233FF);
	canvas_mark(c, MARK_TIP, (struct box){0, 0, 10, 10}, "on top", 0);
	canvas_line(c, (struct pt){0, 0}, (struct pt){10, 10}, &(struct stroke){0xff, 1, 0, 0});
}

static void test_what_comes_later_lies_above(void **state)
{
	(void)state;
	char *svg = drawn(draw_order);
	const char *places[] = {strstr(svg, "M0 0h480v300"), strstr(svg, "M0 0h10v10"),
		strstr(svg, "under"), strstr(svg, "M0 0h20v10"), strstr(svg, "M0 0l10 10"),
		strstr(svg, "on top")};
	assert_non_null(places[0]);
	for (int i = 1; i < 6; i++)
		assert_true(places[i] && places[i] > places[i - 1]);
	free(svg);
}

static void draw_runs(struct canvas *c)
{
	const struct pt triangle[] = {{0, 0}, {10, 0}, {5, 5}};
	const struct path path = {"MLLZ", triangle};
	canvas_page(c, 480, 300, NULL);
	for (int i = 0; i < 3; i++)
		canvas_rect(c, (struct box){10. * i, 100, 10, 5}, 0x112233FF);
	for (int i = 0; i < 3; i++)
		canvas_rect(c, (struct box){10. * i, 100, 12, 5}, 0x44556680);
	for (int i = 0; i < 3; i++)
		canvas_fill(c, &path, 0x778899FF);
	for (int i = 0; i < 3; i++)
		canvas_line(c, (struct pt){0, i}, (struct pt){10, i + 2},
			&(struct stroke){0xABCDEFFF, 0.5, 0, 0});
	for (int i = 0; i < 2; i++)
		canvas_line(c, (struct pt){0, i}, (struct pt){10, i + 2},
			&(struct stroke){0xABCDEF33, 0.5, 0, 0});
}

/* Only shapes whose union looks like the shapes one by one may share an element. */
static void test_which_shapes_share_an_element(void **state)
{
	(void)state;
	char *svg = drawn(draw_runs);
	has(svg, "<path fill=\"#123\" d=\"M0 100h10v5h-10zm10 0h10v5h-10zm10 0h10v5h-10z\"/>");
	assert_int_equal(times(svg, "#456"), 3);
	assert_int_equal(times(svg, "#789"), 3);
	has(svg, ".fig-l1{fill:none;stroke:#abcdef;stroke-width:.5}\n");
	has(svg, ".fig-l2{fill:none;stroke:#abcdef;stroke-width:.5;stroke-opacity:.2}\n");
	has(svg, "<path class=\"fig-l1\" d=\"M0 0l10 2m-10-1l10 2m-10-1l10 2\"/>");
	assert_int_equal(times(svg, "class=\"fig-l2\""), 2);
	free(svg);
}

static void draw_neighbours(struct canvas *c)
{
	canvas_page(c, 480, 300, NULL);
	canvas_rect(c, (struct box){10.03, 10, 5.02, 5}, 0x112233FF);
	canvas_rect(c, (struct box){15.05, 10, 0.001, 5}, 0x112233FF);
}

static void test_neighbours_touch_and_none_vanishes(void **state)
{
	(void)state;
	char *svg = drawn(draw_neighbours);
	/* on sixteenths: 10.03 is 10, 15.05 is 15.0625, and the sliver keeps one of them */
	has(svg, "M10 10h5.0625v5h-5.0625zm5.0625 0h.0625v5h-.0625z");
	free(svg);
}

static void draw_many(struct canvas *c)
{
	static const rgba colours[] = {0x005A8EFF, 0x0A8562FF, 0xE69F00FF};
	canvas_page(c, 480, 300, NULL);
	for (int i = 0; i < 2000; i++) {
		struct box b = {i * 0.2341, 20. * (i % 12), 0.6 + i % 7, 12};
		canvas_rect(c, b, colours[i % 3]);
		canvas_frame(c, b, &(struct stroke){0x003C60FF, 0.35, 0, 0});
		if (i % 10 == 0)
			canvas_text_at(c, (struct pt){b.x, b.y + 9}, "aten::linear",
				&(struct text_style){
					.face = FACE_SANS, .size = 6.5, .colour = 0xff});
	}
}

static void test_2000_bars_stay_small(void **state)
{
	(void)state;
	char *svg = drawn(draw_many);
	assert_in_range(strlen(svg), 100000, 300000);
	free(svg);
}

static void draw_jumps(struct canvas *c)
{
	canvas_page(c, 480, 300, NULL);
	canvas_mark(c, MARK_LINK, (struct box){0, 0, 10, 10}, "here", 0);
	canvas_mark(c, MARK_LINK, (struct box){0, 20, 10, 10}, "elsewhere", 0);
	canvas_mark(c, MARK_DEST, (struct box){50, 50, 7, 7}, "here", 0);
}

static void test_links_lead_somewhere_or_are_left_out(void **state)
{
	(void)state;
	char *svg = drawn(draw_jumps);
	assert_int_equal(times(svg, "<a "), 1);
	has(svg, "<a href=\"#fig-p1\"><path d=\"M0 0h10v10h-10z\"/></a>");
	has(svg, "<path id=\"fig-p1\" d=\"M50 50h0v0h0z\"/>");
	free(svg);
}

static void test_id_is_made_fit(void **state)
{
	struct canvas_info info = {.title = "t", .id = "4 b\"<"};
	struct err err = {0};
	(void)state;
	struct canvas *c = canvas_svg(scratch("id.svg"), fonts, &info);
	canvas_page(c, 10, 10, NULL);
	assert_int_equal(canvas_close(c, &err), 0);
	char *svg = slurp(scratch("id.svg"), NULL);
	has(svg, "<title id=\"f4_b__-t\">");
	free(svg);
}

/* The embedded font is a font, and has the characters of the figure and no others. */
static void test_the_font_inside(void **state)
{
	(void)state;
	char *svg = drawn(draw_lengths);
	free(svg);
	char *codes =
		run("python3 - '%s' <<'END'\n"
		    "import base64, re, struct, sys\n"
		    "svg = open(sys.argv[1]).read()\n"
		    "for data in re.findall(r'base64,([^)]*)\\)', svg):\n"
		    "    b = base64.b64decode(data, validate=True)\n"
		    "    n = struct.unpack('>H', b[4:6])[0]\n"
		    "    rows = [struct.unpack('>4sLLL', b[12+16*i:28+16*i]) for i in range(n)]\n"
		    "    print(' '.join(sorted(r[0].decode().strip() for r in rows)))\n"
		    "    assert all(r[2] + r[3] <= len(b) for r in rows)\n"
		    "END",
			scratch("a.svg"));
	assert_string_equal(codes,
		"OS/2 cmap glyf head hhea hmtx loca maxp name post\n"
		"OS/2 cmap glyf head hhea hmtx loca maxp name post\n");
	free(codes);
}

static void draw_only_shapes(struct canvas *c)
{
	canvas_page(c, 480, 300, NULL);
	draw_shapes(c);
}

static void draw_to_png(const char *path, void (*draw)(struct canvas *))
{
	struct canvas_info info = {.scale = 1};
	struct err err = {0};
	struct canvas *c = canvas_png(path, fonts, &info);
	draw(c);
	assert_int_equal(canvas_close(c, &err), 0);
}

/* Another program's eye: what rsvg draws of the SVG against our PNG, both at one pixel a point. */
static void test_looks_like_the_png(void **state)
{
	(void)state;
	free(drawn(draw_only_shapes));
	draw_to_png(scratch("a.png"), draw_only_shapes);
	free(run("rsvg-convert -w 480 -h 300 -b white -o '%s' '%s'", scratch("b.png"),
		scratch("a.svg")));
	double share = png_difference("a.png", "b.png");
	if (share > 0.002)
		fail_msg("%.3f %% of the pixels differ", 100 * share);
	draw_to_png(scratch("c.png"), draw_neighbours);
	assert_true(png_difference("a.png", "c.png") > 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_specimen),
		cmocka_unit_test(test_nothing_runs_and_nothing_loads),
		cmocka_unit_test(test_hostile_text_stays_text),
		cmocka_unit_test(test_texts_keep_their_measured_length),
		cmocka_unit_test(test_what_comes_later_lies_above),
		cmocka_unit_test(test_which_shapes_share_an_element),
		cmocka_unit_test(test_neighbours_touch_and_none_vanishes),
		cmocka_unit_test(test_2000_bars_stay_small),
		cmocka_unit_test(test_links_lead_somewhere_or_are_left_out),
		cmocka_unit_test(test_id_is_made_fit),
		cmocka_unit_test(test_the_font_inside),
		cmocka_unit_test(test_looks_like_the_png),
	};
	return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
