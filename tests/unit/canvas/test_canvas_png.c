/* SPDX-License-Identifier: Apache-2.0 */
/* The PNG back-end: every pixel where the drawing has it, at any scale. */
#include "tests/unit/drawing.h"

#include <cairo.h>

static unsigned int pixel(cairo_surface_t *image, int x, int y)
{
	const unsigned char *row = cairo_image_surface_get_data(image) +
		(ptrdiff_t)y * cairo_image_surface_get_stride(image);
	uint32_t value;
	memcpy(&value, row + 4 * (ptrdiff_t)x, 4);
	return value & 0xffffff;
}

static void test_png_is_drawn_to_scale(void **state)
{
	struct canvas_info info = {.scale = 3};
	(void)state;
	struct canvas *c = canvas_png(scratch("a.png"), fonts, &info);
	canvas_page(c, 20.5, 10, NULL);
	canvas_rect(c, (struct box){2, 2, 5, 5}, 0x005A8EFF);
	canvas_rect(c, (struct box){10, 2, 5, 5}, 0xFF000080);
	canvas_clip(c, (struct box){16, 0, 2, 10});
	canvas_rect(c, (struct box){15, 2, 10, 5}, 0x0A8562FF);
	canvas_unclip(c);
	closes(c);
	cairo_surface_t *image = cairo_image_surface_create_from_png(scratch("a.png"));
	assert_int_equal(cairo_surface_status(image), 0);
	assert_int_equal(cairo_image_surface_get_width(image), 62);
	assert_int_equal(cairo_image_surface_get_height(image), 30);
	assert_int_equal(pixel(image, 0, 0), 0xffffff);
	assert_int_equal(pixel(image, 61, 29), 0xffffff);
	assert_int_equal(pixel(image, 6, 6), 0x005A8E);
	assert_int_equal(pixel(image, 5, 6), 0xffffff);
	assert_int_equal(pixel(image, 35, 10), 0xff7f7f);
	assert_int_equal(pixel(image, 49, 10), 0x0A8562);
	assert_int_equal(pixel(image, 46, 10), 0xffffff);
	assert_int_equal(pixel(image, 55, 10), 0xffffff);
	cairo_surface_destroy(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_png_is_drawn_to_scale),
	};
	return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
