/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page's contents are written with: numbers in tenths of a point, so that most have no dot,
 * and colours, widths and fonts once, as long as they last. All pages share the names of fonts,
 * colours and shades: a colour is a number in a palette (PDF 32000-1, 8.6.6.3), which takes a fifth
 * of its red, green and blue.
 */
#include "report/canvas/pdf.h"

#include <stdlib.h>

enum { COLOURS = 256 }; /* a palette holds no more */

static struct pdf_state *state_of(struct pdf *pdf)
{
	return &pdf->state[pdf->canvas.clips];
}

void pdf_units(struct pdf *pdf, int64_t tenths)
{
	buffer_units(&pdf->ops, tenths, GRID_1);
	buffer_char(&pdf->ops, ' ');
}

/* Thousandths of a point in tenths. */
static void put_fine(struct pdf *pdf, int64_t thousandths)
{
	buffer_units(&pdf->ops, thousandths, GRID_100);
	buffer_char(&pdf->ops, ' ');
}

int64_t pdf_height(struct pdf *pdf, double y)
{
	return grid_units(pdf->page_h - y, GRID_10) - state_of(pdf)->origin;
}

void pdf_end_text(struct pdf *pdf)
{
	if (pdf->text.open)
		buffer_text(&pdf->ops, "ET\n");
	pdf->text.open = false;
}

void pdf_set_origin(struct pdf *pdf, double y)
{
	int64_t up = pdf_height(pdf, y);
	if (!up)
		return;
	pdf_end_text(pdf);
	state_of(pdf)->origin += up;
	buffer_text(&pdf->ops, "1 0 0 1 0 ");
	pdf_units(pdf, up);
	buffer_text(&pdf->ops, "cm\n");
}

static HPDF_Dict part_of_resources(struct pdf *pdf, const char *name)
{
	HPDF_Dict part = HPDF_Dict_New(pdf->doc->mmgr);
	HPDF_Dict_Add(pdf->resources, name, part);
	return part;
}

static void begin_resources(struct pdf *pdf)
{
	pdf->resources = HPDF_Dict_New(pdf->doc->mmgr);
	HPDF_Xref_Add(pdf->doc->xref, pdf->resources);
	pdf->fonts = part_of_resources(pdf, "Font");
	pdf->shades = part_of_resources(pdf, "ExtGState");
	pdf->palette.colour = xcalloc(COLOURS, sizeof *pdf->palette.colour);
	pdf->palette.n = 1; /* black, with which a page begins */
}

void pdf_begin_state(struct pdf *pdf)
{
	if (!pdf->resources)
		begin_resources(pdf);
	HPDF_Dict_Add(pdf->page, "Resources", pdf->resources);
	pdf->state[0] = (struct pdf_state){.alpha = 255, .width = 1000, .font = -1};
	buffer_text(&pdf->ops, ".1 0 0 .1 0 0 cm /P cs /P CS 10 w\n");
}

/* Its number in the palette, -1 where that is full. */
static int number_in_palette(struct pdf *pdf, uint32_t rgb)
{
	struct pdf_palette *palette = &pdf->palette;
	for (int i = 0; i < palette->n; i++)
		if (palette->colour[i] == rgb)
			return i;
	if (palette->n == COLOURS)
		return -1;
	palette->colour[palette->n] = rgb;
	return palette->n++;
}

/* The operators of a colour: of a palette's number, of three shares, and what begins the palette.
 */
struct colour_operators {
	const char *number, *shares, *palette;
};

static void put_colour(
	struct pdf *pdf, uint32_t rgb, bool *apart, const struct colour_operators *operators)
{
	int number = number_in_palette(pdf, rgb);
	if (number >= 0) {
		if (*apart)
			buffer_text(&pdf->ops, operators->palette);
		pdf_units(pdf, number);
		buffer_text(&pdf->ops, operators->number);
	} else {
		for (int shift = 16; shift >= 0; shift -= 8) {
			buffer_units(
				&pdf->ops, ((rgb >> shift & 0xff) * 1000 + 127) / 255, GRID_1000);
			buffer_char(&pdf->ops, ' ');
		}
		buffer_text(&pdf->ops, operators->shares);
	}
	*apart = number < 0;
}

static void set_alpha(struct pdf *pdf, rgba colour)
{
	int alpha = colour & 0xff;
	char name[sizeof "A255"];
	struct pdf_state *state = state_of(pdf);
	if (state->alpha == alpha)
		return;
	state->alpha = alpha;
	snprintf(name, sizeof name, "A%d", alpha);
	if (!pdf->alpha[alpha]) {
		HPDF_ExtGState gs = pdf->alpha[alpha] = HPDF_CreateExtGState(pdf->doc);
		HPDF_ExtGState_SetAlphaFill(gs, (HPDF_REAL)alpha_of(colour));
		HPDF_ExtGState_SetAlphaStroke(gs, (HPDF_REAL)alpha_of(colour));
		HPDF_Dict_Add(pdf->shades, name, gs);
	}
	buffer_printf(&pdf->ops, "/%s gs ", name);
}

void pdf_set_fill(struct pdf *pdf, rgba colour)
{
	static const struct colour_operators fill = {"sc ", "rg ", "/P cs "};
	struct pdf_state *state = state_of(pdf);
	set_alpha(pdf, colour);
	if (state->fill == colour >> 8)
		return;
	state->fill = colour >> 8;
	put_colour(pdf, state->fill, &state->fill_apart, &fill);
}

static void set_dash(struct pdf *pdf, int64_t dash, int64_t gap)
{
	struct pdf_state *state = state_of(pdf);
	if (state->dash == dash && state->gap == gap)
		return;
	state->dash = dash;
	state->gap = gap;
	buffer_char(&pdf->ops, '[');
	if (gap) {
		put_fine(pdf, dash);
		put_fine(pdf, gap);
		pdf->ops.n--;
	}
	buffer_text(&pdf->ops, "]0 d ");
}

void pdf_set_stroke(struct pdf *pdf, const struct stroke *stroke)
{
	static const struct colour_operators line = {"SC ", "RG ", "/P CS "};
	struct pdf_state *state = state_of(pdf);
	int64_t width = grid_units(stroke->width, GRID_1000);
	set_alpha(pdf, stroke->colour);
	if (state->stroke != stroke->colour >> 8) {
		state->stroke = stroke->colour >> 8;
		put_colour(pdf, state->stroke, &state->stroke_apart, &line);
	}
	if (state->width != width) {
		state->width = width;
		put_fine(pdf, width);
		buffer_text(&pdf->ops, "w ");
	}
	set_dash(pdf, grid_units(stroke->dash, GRID_1000), grid_units(stroke->gap, GRID_1000));
}

void pdf_set_cap(struct pdf *pdf, bool round)
{
	struct pdf_state *state = state_of(pdf);
	if (state->round != round)
		buffer_text(&pdf->ops, round ? "1 J " : "0 J ");
	state->round = round;
}

void pdf_set_font(struct pdf *pdf, int file, double size)
{
	struct pdf_state *state = state_of(pdf);
	int64_t thousandths = grid_units(size, GRID_1000);
	char name[sizeof "F-2147483648"];
	if (state->font == file && state->size == thousandths)
		return;
	state->font = file;
	state->size = thousandths;
	snprintf(name, sizeof name, "F%d", file);
	if (pdf_use_font(pdf, file))
		HPDF_Dict_Add(pdf->fonts, name, pdf->font[file].dict);
	buffer_printf(&pdf->ops, "/%s ", name);
	put_fine(pdf, thousandths);
	buffer_text(&pdf->ops, "Tf ");
}

void pdf_add_palette(struct pdf *pdf)
{
	const struct pdf_palette *palette = &pdf->palette;
	HPDF_BYTE bytes[3 * COLOURS], *to = bytes;
	HPDF_Dict spaces = part_of_resources(pdf, "ColorSpace");
	HPDF_Array space = HPDF_Array_New(pdf->doc->mmgr);
	for (int i = 0; i < palette->n; i++)
		for (int shift = 16; shift >= 0; shift -= 8)
			*to++ = (HPDF_BYTE)(palette->colour[i] >> shift & 0xff);
	HPDF_Dict_Add(spaces, "P", space);
	HPDF_Array_AddName(space, "Indexed");
	HPDF_Array_AddName(space, "DeviceRGB");
	HPDF_Array_AddNumber(space, palette->n - 1);
	HPDF_Array_Add(space, HPDF_Binary_New(pdf->doc->mmgr, bytes, (HPDF_UINT)(to - bytes)));
}
