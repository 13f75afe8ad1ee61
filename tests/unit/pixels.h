/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pixels.h - how far two pictures are apart: the share of their pixels with a channel that differs
 * by more than an eighth.
 */
#ifndef TESTS_UNIT_PIXELS_H
#define TESTS_UNIT_PIXELS_H

#include "tests/unit/drawing.h"

#include <cairo.h>

struct image {
	int w, h, stride, depth; /* bytes a row, bytes a pixel; the first three are colours */
	const unsigned char *bytes;
};

static inline double image_difference(const struct image *a, const struct image *b)
{
	long n = 0;
	assert_int_equal(a->w, b->w);
	assert_int_equal(a->h, b->h);
	for (long y = 0; y < a->h; y++)
		for (long x = 0; x < a->w; x++) {
			const unsigned char *p = a->bytes + y * a->stride + x * a->depth;
			const unsigned char *q = b->bytes + y * b->stride + x * b->depth;
			n += abs(p[0] - q[0]) > 32 || abs(p[1] - q[1]) > 32 ||
				abs(p[2] - q[2]) > 32;
		}
	return (double)n / ((double)a->w * a->h);
}

/* The first page of a PDF as poppler draws it; silently, or the test fails. The caller frees. */
static inline char *pdf_image(const char *name, int dpi, struct image *image)
{
	size_t n;
	char *said =
		run("pdftoppm -r %d -singlefile '%s' '%s'", dpi, scratch(name), scratch("page"));
	assert_string_equal(said, "");
	free(said);
	char *file = slurp(scratch("page.ppm"), &n);
	assert_int_equal(sscanf(file, "P6 %d %d 255", &image->w, &image->h), 2);
	image->depth = 3;
	image->stride = 3 * image->w;
	image->bytes = (unsigned char *)file + n - (ptrdiff_t)image->stride * image->h;
	return file;
}

static inline double pdf_difference(const char *a, const char *b, int dpi)
{
	struct image one, two;
	char *file_one = pdf_image(a, dpi, &one), *file_two = pdf_image(b, dpi, &two);
	double share = image_difference(&one, &two);
	free(file_one);
	free(file_two);
	return share;
}

static inline cairo_surface_t *png_image(const char *name, struct image *image)
{
	cairo_surface_t *surface = cairo_image_surface_create_from_png(scratch(name));
	assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
	*image = (struct image){
		.w = cairo_image_surface_get_width(surface),
		.h = cairo_image_surface_get_height(surface),
		.stride = cairo_image_surface_get_stride(surface),
		.depth = 4,
		.bytes = cairo_image_surface_get_data(surface),
	};
	return surface;
}

static inline double png_difference(const char *a, const char *b)
{
	struct image one, two;
	cairo_surface_t *surface_one = png_image(a, &one), *surface_two = png_image(b, &two);
	double share = image_difference(&one, &two);
	cairo_surface_destroy(surface_one);
	cairo_surface_destroy(surface_two);
	return share;
}

#endif
