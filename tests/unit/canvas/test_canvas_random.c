/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings that nobody would think of: each is sound in every format, and the formats agree. */
#define _GNU_SOURCE
#include "tests/unit/pixels.h"

enum { DRAWINGS = 12, CALLS = 120 };

static uint32_t seed; /* of the drawing in hand */

/* 0 to 1, the same row of numbers for the same seed. */
static double any(void)
{
	seed = seed * 1664525 + 1013904223;
	return (double)(seed >> 8) / (1 << 24);
}

static uint32_t any_of(uint32_t n)
{
	return (uint32_t)(any() * n);
}

/* Mostly on the page, sometimes far beside it. */
static double any_place(void)
{
	return any_of(20) ? any() * 340 - 20 : (any() - 0.5) * 1e6;
}

static struct pt any_pt(void)
{
	double x = any_place();
	return (struct pt){x, any_place()};
}

static struct box any_box(void)
{
	struct pt p = any_pt();
	double w = any() * 80;
	return (struct box){p.x, p.y, w, any() * 40};
}

static rgba any_colour(void)
{
	rgba rgb = any_of(1 << 24) << 8;
	return rgb | (any_of(3) ? 0xff : any_of(256));
}

static struct stroke any_stroke(void)
{
	struct stroke s = {.colour = any_colour()};
	s.width = 0.5 + any() * 6;
	if (any_of(3) == 0) {
		s.dash = 1 + any() * 5;
		s.gap = 1 + any() * 5;
	}
	return s;
}

static void any_path(struct canvas *c)
{
	static const char *const shapes[] = {"MLL", "MLLZ", "MC", "MLCZ", "MLLLZMLLZ", "MCCLZ"};
	const char *ops = shapes[any_of(6)];
	struct pt pts[16];
	/* Slopes that leave the page far away are the one thing that pulling in distorts. */
	for (int i = 0; i < 16; i++) {
		pts[i].x = any() * 300;
		pts[i].y = any() * 300;
	}
	struct stroke stroke = any_stroke();
	if (any_of(2))
		canvas_fill(c, &(struct path){ops, pts}, any_colour());
	else
		canvas_stroke(c, &(struct path){ops, pts}, &stroke);
}

static void any_text(struct canvas *c)
{
	static const char *const texts[] = {"kernel", "→ 12 µs", "ŉǄǖ", "<&>", "漢字\xff", ""};
	struct text_style style = {
		.face = any_of(FACES), .colour = any_colour(), .anchor = any_of(3)};
	style.size = 6 + any() * 20;
	style.turned = any_of(4) == 0;
	struct pt at = any_pt();
	canvas_text_at(c, at, texts[any_of(6)], &style);
}

static void any_mark(struct canvas *c)
{
	static const char *const texts[] = {"https://example.org/?a=b&c", "x/y", "(a) \\ <b>"};
	static const enum mark_kind kinds[] = {MARK_OUTLINE, MARK_URI, MARK_TIP, MARK_LINK};
	enum mark_kind kind = kinds[any_of(4)];
	struct box box = any_box();
	int level = (int)any_of(12);
	canvas_mark(c, kind, box, kind == MARK_LINK ? "home" : texts[any_of(3)], level);
}

static void draw_anything(struct canvas *c, bool only_shapes)
{
	int clips = 0;
	canvas_page(c, 300, 300, "1");
	canvas_mark(c, MARK_DEST, (struct box){0, 0, 0, 0}, "home", 0);
	for (int i = 0; i < CALLS; i++) {
		uint32_t call = any_of(only_shapes ? 10 : 14);
		struct box box = any_box();
		struct stroke stroke = any_stroke();
		if (call < 3) {
			canvas_rect(c, box, any_colour());
		} else if (call < 5) {
			canvas_frame(c, box, &stroke);
		} else if (call < 8) {
			any_path(c);
		} else if (call == 8 && clips < 4 && any_of(3)) {
			canvas_clip(c, (struct box){any() * 200, any() * 200, 120, 120});
			clips++;
		} else if (call == 9 && clips) {
			canvas_unclip(c);
			clips--;
		} else if (call > 9 && call < 13) {
			any_text(c);
		} else if (call == 13) {
			any_mark(c);
		}
	}
	while (clips--)
		canvas_unclip(c);
}

static void draw_to(opener *open, const char *name, uint32_t drawing, bool only_shapes)
{
	struct canvas_info info = {.title = "any", .scale = 1};
	struct err err = {0};
	seed = drawing;
	struct canvas *c = open(scratch(name), fonts, &info);
	draw_anything(c, only_shapes);
	if (canvas_close(c, &err))
		fail_msg("drawing %u: %s", drawing, err.text);
}

static void test_pdf_is_sound_and_agrees_with_cairo(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < DRAWINGS; i++) {
		draw_to(canvas_pdf, "a.pdf", i, false);
		draw_to(canvas_cairo_pdf, "b.pdf", i, false);
		free(run("qpdf --check '%s'", scratch("a.pdf")));
		double share = pdf_difference("a.pdf", "b.pdf", 72);
		if (share > 0.01)
			fail_msg("drawing %u: %.2f %% of the pixels differ", i, 100 * share);
	}
	double other = 0;
	draw_to(canvas_cairo_pdf, "b.pdf", DRAWINGS, false);
	other = pdf_difference("a.pdf", "b.pdf", 72);
	assert_true(other > 0.1);
}

static void test_svg_is_well_formed(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < DRAWINGS; i++) {
		draw_to(canvas_svg, "a.svg", i, false);
		free(run("xmllint --noout '%s'", scratch("a.svg")));
	}
}

/* Shapes only: rsvg knows nothing of fonts that travel inside. */
static void test_svg_agrees_with_png(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < DRAWINGS; i++) {
		draw_to(canvas_svg, "a.svg", i, true);
		draw_to(canvas_png, "b.png", i, true);
		free(run("rsvg-convert -w 300 -h 300 -b white -o '%s' '%s'", scratch("a.png"),
			scratch("a.svg")));
		double share = png_difference("a.png", "b.png");
		if (share > 0.01)
			fail_msg("drawing %u: %.2f %% of the pixels differ", i, 100 * share);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pdf_is_sound_and_agrees_with_cairo),
		cmocka_unit_test(test_svg_is_well_formed),
		cmocka_unit_test(test_svg_agrees_with_png),
	};
	return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
