/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/pdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct pdf *pdf_of(struct canvas *c)
{
	return (struct pdf *)c;
}

static struct pdf_state *state_of(struct pdf *pdf)
{
	return &pdf->state[pdf->canvas.clips];
}

static void put_number(struct pdf *pdf, double v)
{
	buffer_number(&pdf->ops, v, GRID_10);
	buffer_char(&pdf->ops, ' ');
}

static void put_thousandths(struct pdf *pdf, int64_t v)
{
	buffer_units(&pdf->ops, v, GRID_1000);
	buffer_char(&pdf->ops, ' ');
}

static void put_pt(struct pdf *pdf, struct pt p)
{
	put_number(pdf, p.x);
	put_number(pdf, pdf->page_h - p.y);
}

static void put_box(struct pdf *pdf, struct box box)
{
	/* Edges are snapped, not sizes, so that neighbours still touch. */
	int64_t x0 = grid_units(box.x, GRID_10), x1 = grid_units(box.x + box.w, GRID_10);
	int64_t y0 = grid_units(pdf->page_h - box.y - box.h, GRID_10);
	int64_t y1 = grid_units(pdf->page_h - box.y, GRID_10);
	x1 += x1 == x0 && box.w > 0;
	y1 += y1 == y0 && box.h > 0;
	const int64_t units[] = {x0, y0, x1 - x0, y1 - y0};
	for (int i = 0; i < 4; i++) {
		buffer_units(&pdf->ops, units[i], GRID_10);
		buffer_char(&pdf->ops, ' ');
	}
}

static void put_path(struct pdf *pdf, const struct path *path)
{
	struct box box;
	if (path_is_box(path, &box)) {
		put_box(pdf, box);
		buffer_text(&pdf->ops, "re ");
		return;
	}
	const struct pt *p = path->pts;
	for (const char *op = path->ops; *op; op++) {
		for (int i = path_points(*op); i > 0; i--)
			put_pt(pdf, *p++);
		buffer_text(&pdf->ops,
			*op == 'M'	     ? "m "
				: *op == 'L' ? "l "
				: *op == 'C' ? "c "
					     : "h ");
	}
}

static void put_rgb(struct pdf *pdf, uint32_t rgb, const char *operator)
{
	for (int shift = 16; shift >= 0; shift -= 8)
		put_thousandths(pdf, ((rgb >> shift & 0xff) * 1000 + 127) / 255);
	buffer_text(&pdf->ops, operator);
}

static void set_alpha(struct pdf *pdf, rgba colour)
{
	int alpha = colour & 0xff;
	struct pdf_state *state = state_of(pdf);
	if (state->alpha == alpha)
		return;
	state->alpha = alpha;
	if (!pdf->alpha[alpha]) {
		HPDF_ExtGState gs = pdf->alpha[alpha] = HPDF_CreateExtGState(pdf->doc);
		HPDF_ExtGState_SetAlphaFill(gs, (HPDF_REAL)alpha_of(colour));
		HPDF_ExtGState_SetAlphaStroke(gs, (HPDF_REAL)alpha_of(colour));
	}
	const char *name = HPDF_Page_GetExtGStateName(pdf->page, pdf->alpha[alpha]);
	if (name)
		buffer_printf(&pdf->ops, "/%s gs ", name);
}

static void set_fill(struct pdf *pdf, rgba colour)
{
	struct pdf_state *state = state_of(pdf);
	set_alpha(pdf, colour);
	if (state->fill == colour >> 8)
		return;
	state->fill = colour >> 8;
	put_rgb(pdf, state->fill, "rg ");
}

static void set_stroke(struct pdf *pdf, const struct stroke *stroke)
{
	struct pdf_state *state = state_of(pdf);
	int64_t width = grid_units(stroke->width, GRID_1000);
	int64_t dash = grid_units(stroke->dash, GRID_1000);
	int64_t gap = grid_units(stroke->gap, GRID_1000);
	set_alpha(pdf, stroke->colour);
	if (state->stroke != stroke->colour >> 8) {
		state->stroke = stroke->colour >> 8;
		put_rgb(pdf, state->stroke, "RG ");
	}
	if (state->width != width) {
		state->width = width;
		put_thousandths(pdf, width);
		buffer_text(&pdf->ops, "w ");
	}
	if (state->dash == dash && state->gap == gap)
		return;
	state->dash = dash;
	state->gap = gap;
	buffer_char(&pdf->ops, '[');
	if (gap) {
		put_thousandths(pdf, dash);
		put_thousandths(pdf, gap);
	}
	buffer_text(&pdf->ops, "]0 d ");
}

static void end_page(struct pdf *pdf)
{
	if (!pdf->page)
		return;
	pdf_end_content(pdf);
	HPDF_PageAttr attr = pdf->page->attr;
	HPDF_Stream_Write(attr->stream, (const HPDF_BYTE *)pdf->ops.text, (HPDF_UINT)pdf->ops.n);
	pdf->ops.n = 0;
	pdf->page = NULL;
}

static void on_page(struct canvas *c, double w, double h, const char *label)
{
	struct pdf *pdf = pdf_of(c);
	end_page(pdf);
	pdf->page = HPDF_AddPage(pdf->doc);
	if (!pdf->page)
		return;
	HPDF_Page_SetWidth(pdf->page, (HPDF_REAL)w);
	HPDF_Page_SetHeight(pdf->page, (HPDF_REAL)h);
	HPDF_Dict resources =
		HPDF_Page_GetInheritableItem(pdf->page, "Resources", HPDF_OCLASS_DICT);
	if (resources) /* obsolete (PDF 32000-1, 14.2), and on every page */
		HPDF_Dict_RemoveElement(resources, "ProcSet");
	pdf->page_h = h;
	pdf->state[0] = (struct pdf_state){.alpha = 255, .width = 1000, .font = -1};
	pdf_label(pdf, label);
}

static void set_cap(struct pdf *pdf, bool round)
{
	struct pdf_state *state = state_of(pdf);
	if (state->round != round)
		buffer_text(&pdf->ops, round ? "1 J " : "0 J ");
	state->round = round;
}

/* Four curves from its rightmost point around its centre. */
static bool is_circle(const struct path *path, struct pt *centre, double *radius)
{
	static const double NEAR = 1e-6;
	const struct pt *p = path->pts;
	if (strcmp(path->ops, "MCCCCZ") != 0)
		return false;
	*centre = (struct pt){(p[0].x + p[6].x) / 2, (p[3].y + p[9].y) / 2};
	*radius = fabs(p[0].x - p[6].x) / 2;
	return fabs(p[0].y - centre->y) < NEAR && fabs(p[6].y - centre->y) < NEAR &&
		fabs(p[3].x - centre->x) < NEAR && fabs(p[9].x - centre->x) < NEAR &&
		fabs(fabs(p[3].y - p[9].y) / 2 - *radius) < NEAR;
}

/* A line without length and with round ends takes a fifth of the room of four curves. */
static void put_dot(struct pdf *pdf, struct pt centre, double radius, rgba colour)
{
	set_cap(pdf, true);
	set_stroke(pdf, &(struct stroke){.colour = colour, .width = 2 * radius});
	put_pt(pdf, centre);
	buffer_text(&pdf->ops, "m ");
	put_pt(pdf, centre);
	buffer_text(&pdf->ops, "l S\n");
}

static void on_fill(struct canvas *c, const struct path *path, rgba colour)
{
	struct pdf *pdf = pdf_of(c);
	struct pt centre;
	double radius;
	pdf_content(pdf);
	if (is_circle(path, &centre, &radius)) {
		put_dot(pdf, centre, radius, colour);
		return;
	}
	set_fill(pdf, colour);
	put_path(pdf, path);
	buffer_text(&pdf->ops, "f\n");
}

static void on_stroke(struct canvas *c, const struct path *path, const struct stroke *stroke)
{
	struct pdf *pdf = pdf_of(c);
	pdf_content(pdf);
	set_cap(pdf, false);
	set_stroke(pdf, stroke);
	put_path(pdf, path);
	buffer_text(&pdf->ops, "S\n");
}

static void set_font(struct pdf *pdf, int file, double size)
{
	struct pdf_state *state = state_of(pdf);
	int64_t thousandths = grid_units(size, GRID_1000);
	if (state->font == file && state->size == thousandths)
		return;
	state->font = file;
	state->size = thousandths;
	pdf_use_font(pdf, file);
	const char *name = HPDF_Page_GetLocalFontName(pdf->page, pdf->font[file].dict);
	if (name)
		buffer_printf(&pdf->ops, "/%s ", name);
	put_thousandths(pdf, thousandths);
	buffer_text(&pdf->ops, "Tf ");
}

/* A byte of a string as it stands: shorter than hexadecimal digits (PDF 32000-1, 7.3.4.2). */
static void put_byte(struct buffer *b, unsigned int byte)
{
	if (byte == '\r') { /* would be read as a line feed */
		buffer_text(b, "\\r");
		return;
	}
	if (byte == '(' || byte == ')' || byte == '\\')
		buffer_char(b, '\\');
	buffer_char(b, (char)byte);
}

/* The number of a character as pdf_font.c's map of codes has it. */
static void put_code(struct buffer *b, unsigned int number)
{
	unsigned int code = pdf_code(number);
	for (int i = pdf_code_bytes(number) - 1; i >= 0; i--)
		put_byte(b, code >> 8 * i & 0xff);
}

/* Whether words stand between this text and the one drawn before it in its leaf: it goes on neither
 * on its line nor where that one ends. Who hears a page, or copies from it by its structure, gets
 * no other sign of it than a space. */
static bool is_apart(struct pdf *pdf, const struct text_run *run)
{
	struct pt *end = &pdf->text_end, at = run->at;
	bool first = !pdf->said, on_line = fabs(end->y - at.y) < run->style->size / 2;
	bool touches = fabs(end->x - at.x) < run->style->size / 10;
	*end = (struct pt){at.x + run->width, at.y};
	pdf->said = true;
	return !first && !run->style->turned && !(on_line && touches);
}

/* A space that ends where the pen stands. */
static void put_space(struct pdf *pdf, const struct text_style *style)
{
	const struct glyph *space = font_glyph(pdf->canvas.fonts, style->face, ' ');
	set_font(pdf, space->file, style->size);
	buffer_printf(&pdf->ops, "[%d(", (int)space->width);
	put_code(&pdf->ops, used_add(&pdf->font[space->file].used, space));
	buffer_text(&pdf->ops, ")]TJ ");
}

static void on_text(struct canvas *c, const struct text_run *run)
{
	struct pdf *pdf = pdf_of(c);
	struct buffer *b = &pdf->ops;
	pdf_content(pdf);
	set_fill(pdf, run->style->colour);
	buffer_text(b, run->style->turned ? "BT 0 1 -1 0 " : "BT ");
	put_pt(pdf, run->at);
	buffer_text(b, run->style->turned ? "Tm " : "Td ");
	if (is_apart(pdf, run))
		put_space(pdf, run->style);
	for (size_t i = 0; i < run->n;) {
		int file = run->glyph[i]->file;
		set_font(pdf, file, run->style->size);
		buffer_char(b, '(');
		for (; i < run->n && run->glyph[i]->file == file; i++)
			put_code(b, used_add(&pdf->font[file].used, run->glyph[i]));
		buffer_text(b, ")Tj ");
	}
	buffer_text(b, "ET\n");
}

static void on_clip(struct canvas *c, struct box box)
{
	struct pdf *pdf = pdf_of(c);
	pdf->state[c->clips] = pdf->state[c->clips - 1];
	buffer_text(&pdf->ops, "q ");
	put_box(pdf, box);
	buffer_text(&pdf->ops, "re W n\n");
}

static void on_unclip(struct canvas *c)
{
	buffer_text(&pdf_of(c)->ops, "Q\n");
}

static void on_finish(struct canvas *c)
{
	struct pdf *pdf = pdf_of(c);
	end_page(pdf);
	pdf_embed_fonts(pdf);
	pdf_finish_doc(pdf);
	if (!c->err.set)
		pdf_save(pdf);
	if (!c->err.set)
		outfile_close(&pdf->out, &c->err);
}

static void on_destroy(struct canvas *c)
{
	struct pdf *pdf = pdf_of(c);
	outfile_drop(&pdf->out);
	pdf_release_doc(pdf);
	for (int i = 0; i < FONT_FILES_MAX; i++)
		used_release(&pdf->font[i].used);
	buffer_release(&pdf->ops);
	if (pdf->doc)
		HPDF_Free(pdf->doc);
	free(pdf);
}

static const struct canvas_ops ops = {
	.on_page = on_page,
	.on_fill = on_fill,
	.on_stroke = on_stroke,
	.on_text = on_text,
	.on_clip = on_clip,
	.on_unclip = on_unclip,
	.on_mark = pdf_mark,
	.on_tag = pdf_tag,
	.on_untag = pdf_untag,
	.on_finish = on_finish,
	.on_destroy = on_destroy,
};

static void on_error(HPDF_STATUS error, HPDF_STATUS detail, void *user)
{
	struct pdf *pdf = user;
	const char *hint = error == HPDF_ARRAY_COUNT_ERR ? ": over 32,767 links on a page" : "";
	canvas_fail(&pdf->canvas, "%s: libharu stopped with error 0x%04lX, detail %lu%s",
		pdf->out.path, error, detail, hint);
}

static void *haru_alloc(HPDF_UINT bytes)
{
	return xalloc(bytes);
}

struct canvas *canvas_pdf(
	const char *path, const struct fonts *fonts, const struct canvas_info *info)
{
	struct pdf *pdf = xcalloc(1, sizeof *pdf);
	canvas_init(&pdf->canvas, &ops, fonts, info);
	names_init(&pdf->targets);
	pdf->tag_in_hand = NO_TAG;
	canvas_open_file(&pdf->canvas, &pdf->out, path);
	pdf->doc = HPDF_NewEx(on_error, haru_alloc, free, 0, pdf);
	if (!pdf->doc)
		canvas_fail(&pdf->canvas, "%s: libharu does not start", path);
	else
		HPDF_SetCompressionMode(pdf->doc, HPDF_COMP_NONE); /* pdf_save() does */
	return &pdf->canvas;
}
