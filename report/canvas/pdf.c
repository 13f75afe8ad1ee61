/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/pdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct pdf *pdf_of(struct canvas *c)
{
	return (struct pdf *)c;
}

static void put_point(struct pdf *pdf, struct pt p)
{
	pdf_units(pdf, grid_units(p.x, GRID_10));
	pdf_units(pdf, pdf_height(pdf, p.y));
}

static void put_box(struct pdf *pdf, struct box box)
{
	/* Edges are snapped, not sizes, so that neighbours still touch. */
	int64_t x0 = grid_units(box.x, GRID_10), x1 = grid_units(box.x + box.w, GRID_10);
	int64_t y0 = pdf_height(pdf, box.y + box.h), y1 = pdf_height(pdf, box.y);
	x1 += x1 == x0 && box.w > 0;
	y1 += y1 == y0 && box.h > 0;
	const int64_t units[] = {x0, y0, x1 - x0, y1 - y0};
	for (int i = 0; i < 4; i++)
		pdf_units(pdf, units[i]);
}

/* Filling closes what is open. */
static void put_path(struct pdf *pdf, const struct path *path, bool filled)
{
	struct box box;
	if (path_is_box(path, &box)) {
		put_box(pdf, box);
		buffer_text(&pdf->ops, "re ");
		return;
	}
	const struct pt *p = path->pts;
	for (const char *op = path->ops; *op && !(filled && !strcmp(op, "Z")); op++) {
		for (int i = path_points(*op); i > 0; i--)
			put_point(pdf, *p++);
		buffer_text(&pdf->ops,
			*op == 'M'	     ? "m "
				: *op == 'L' ? "l "
				: *op == 'C' ? "c "
					     : "h ");
	}
}

static void end_page(struct pdf *pdf)
{
	if (!pdf->page)
		return;
	pdf_end_content(pdf);
	pdf->filled.end = 0;
	pdf_take_head(pdf);
	pdf->drawn[pdf->page_number] = pdf->ops;
	pdf->ops = (struct buffer){0};
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
	pdf->page_h = h;
	pdf_label(pdf, label);
	pdf_begin_state(pdf);
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
	pdf_set_cap(pdf, true);
	pdf_set_stroke(pdf, &(struct stroke){.colour = colour, .width = 2 * radius});
	put_point(pdf, centre);
	buffer_text(&pdf->ops, "m ");
	put_point(pdf, centre);
	buffer_text(&pdf->ops, "l S\n");
}

/* Takes the box back that was filled last, and nothing drawn since, to draw it with what comes. */
static void take_filled(struct pdf *pdf)
{
	pdf->ops.n = pdf->filled.from;
	pdf->filled.end = 0;
}

static bool is_filled_last(const struct pdf *pdf)
{
	return pdf->filled.end && pdf->filled.end == pdf->ops.n;
}

/* Whether a box was filled just now whose edges this line hides: filled as far as the line's middle
 * it looks the same, and is one box in place of two. */
static bool hides_edges(struct pdf *pdf, const struct path *path, const struct stroke *stroke)
{
	static const double NEAR = 1e-6;
	const struct box *filled = &pdf->filled.box;
	struct box box;
	if (!is_filled_last(pdf) || stroke->gap || (stroke->colour & 0xff) != 0xff ||
		!path_is_box(path, &box))
		return false;
	const double in[] = {box.x - filled->x, box.y - filled->y,
		filled->x + filled->w - box.x - box.w, filled->y + filled->h - box.y - box.h};
	for (int i = 0; i < 4; i++)
		if (in[i] < -NEAR || in[i] > stroke->width / 2 + NEAR)
			return false;
	return true;
}

static void on_fill(struct canvas *c, const struct path *path, rgba colour)
{
	struct pdf *pdf = pdf_of(c);
	struct pt centre;
	double radius;
	pdf_end_text(pdf);
	pdf_content(pdf);
	if (is_circle(path, &centre, &radius)) {
		put_dot(pdf, centre, radius, colour);
		return;
	}
	pdf_set_fill(pdf, colour);
	size_t from = pdf->ops.n;
	put_path(pdf, path, true);
	buffer_text(&pdf->ops, "f\n");
	pdf->filled.end = 0;
	if (path_is_box(path, &pdf->filled.box) && (colour & 0xff) == 0xff) {
		pdf->filled.from = from;
		pdf->filled.end = pdf->ops.n;
	}
}

static void on_stroke(struct canvas *c, const struct path *path, const struct stroke *stroke)
{
	struct pdf *pdf = pdf_of(c);
	pdf_end_text(pdf);
	pdf_content(pdf);
	bool both = hides_edges(pdf, path, stroke);
	if (both)
		take_filled(pdf);
	pdf_set_cap(pdf, false);
	pdf_set_stroke(pdf, stroke);
	put_path(pdf, path, false);
	buffer_text(&pdf->ops, both ? "B\n" : "S\n");
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
static void put_space(struct pdf *pdf, const struct glyph *space)
{
	buffer_printf(&pdf->ops, "[%d(", (int)space->width);
	put_code(&pdf->ops, used_add(&pdf->font[space->file].used, space));
	buffer_text(&pdf->ops, ")]TJ");
}

/* What stands in one line of a text is written from its height on: lines, and rows of a table, are
 * alike then but for what they say. */
static void go_to_line(struct pdf *pdf, const struct text_run *run)
{
	if (pdf_in_lines(pdf) && !run->style->turned)
		pdf_set_origin(pdf, run->at.y);
}

/* Texts at one height are told by how far they are apart. */
static void begin_text(struct pdf *pdf, const struct text_run *run)
{
	if (pdf->text.open && (run->style->turned || pdf_height(pdf, run->at.y) != pdf->text.y))
		pdf_end_text(pdf);
	if (pdf->text.open)
		return;
	pdf->text = (struct pdf_text_place){.open = true, .y = pdf_height(pdf, run->at.y)};
	buffer_text(&pdf->ops, "BT ");
}

static void put_text_place(struct pdf *pdf, struct pt at, bool turned)
{
	struct pdf_text_place *text = &pdf->text;
	int64_t x = grid_units(at.x, GRID_10);
	buffer_text(&pdf->ops, turned ? "0 1 -1 0 " : "");
	pdf_units(pdf, x - text->x);
	pdf_units(pdf, text->placed ? 0 : text->y);
	buffer_text(&pdf->ops, turned ? "Tm" : "Td");
	text->x = x;
	text->placed = true;
	if (turned)
		text->y = INT64_MIN;
}

static void on_text(struct canvas *c, const struct text_run *run)
{
	struct pdf *pdf = pdf_of(c);
	struct buffer *b = &pdf->ops;
	const struct text_style *style = run->style;
	const struct glyph *space = font_glyph(c->fonts, style->face, ' ');
	int file = run->n ? run->glyph[0]->file : space->file;
	struct pt at = run->at;
	pdf_content(pdf);
	pdf_note_head(pdf);
	go_to_line(pdf, run);
	begin_text(pdf, run);
	pdf_set_fill(pdf, style->colour);
	bool apart = is_apart(pdf, run), same = space->file == file && !style->turned;
	if (apart && same)
		at.x -= space->width * style->size / 1000;
	pdf_set_font(pdf, apart ? space->file : file, style->size);
	put_text_place(pdf, at, style->turned);
	if (apart && !same)
		put_space(pdf, space);
	for (size_t i = 0; i < run->n;) {
		file = run->glyph[i]->file;
		pdf_set_font(pdf, file, style->size);
		buffer_char(b, '(');
		if (!i && apart && same)
			put_code(b, used_add(&pdf->font[file].used, space));
		for (; i < run->n && run->glyph[i]->file == file; i++)
			put_code(b, used_add(&pdf->font[file].used, run->glyph[i]));
		buffer_text(b, ")Tj");
	}
	buffer_char(b, '\n');
}

static void on_clip(struct canvas *c, struct box box)
{
	struct pdf *pdf = pdf_of(c);
	const struct box *filled = &pdf->filled.box;
	bool both = is_filled_last(pdf) && filled->x == box.x && filled->y == box.y &&
		filled->w == box.w && filled->h == box.h;
	if (both)
		take_filled(pdf);
	pdf_end_text(pdf);
	pdf->state[c->clips] = pdf->state[c->clips - 1];
	buffer_text(&pdf->ops, "q ");
	put_box(pdf, box);
	buffer_text(&pdf->ops, both ? "re W f\n" : "re W n\n");
}

static void on_unclip(struct canvas *c)
{
	struct pdf *pdf = pdf_of(c);
	pdf_end_text(pdf);
	buffer_text(&pdf->ops, "Q\n");
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
	free(pdf->palette.colour);
	pdf_release_heads(pdf);
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
