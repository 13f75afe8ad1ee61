/* SPDX-License-Identifier: Apache-2.0 */
/* The back-ends on cairo: PNG, and a PDF that the tests hold against libharu's. */
#include "report/canvas/ops.h"

#include "base/outfile.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_MAX = 32767 }; /* pixels a side */

struct cairo_canvas {
	struct canvas canvas;
	struct outfile out;
	cairo_surface_t *surface;
	cairo_t *cr;
	cairo_font_face_t *face[FONT_FILES_MAX]; /* made when first used */
	bool image; /* PNG */
	cairo_glyph_t *glyph; /* (room) of the text in hand */
	cairo_text_cluster_t *cluster; /* (room) */
	size_t room;
	struct buffer utf8;
};

/* What cairo may keep beyond our fonts, in caches of its own. */
struct held_font {
	FT_Library library;
	FT_Face ft;
	hb_blob_t *blob;
};

static struct cairo_canvas *cairo_of(struct canvas *c)
{
	return (struct cairo_canvas *)c;
}

static void let_go(void *user)
{
	struct held_font *held = user;
	FT_Done_Face(held->ft);
	FT_Done_FreeType(held->library);
	hb_blob_destroy(held->blob);
	free(held);
}

static cairo_font_face_t *open_face(struct cairo_canvas *cc, const struct font_file *file)
{
	static const cairo_user_data_key_t key;
	unsigned int n;
	struct held_font *held = xcalloc(1, sizeof *held);
	held->blob = hb_blob_reference(file->blob);
	const char *bytes = hb_blob_get_data(held->blob, &n);
	if (FT_Init_FreeType(&held->library) ||
		FT_New_Memory_Face(held->library, (const FT_Byte *)bytes, n, 0, &held->ft))
		bug("%s opened before, but not again", file->path);
	cairo_font_face_t *face =
		cairo_ft_font_face_create_for_ft_face(held->ft, FT_LOAD_NO_HINTING);
	if (cairo_font_face_set_user_data(face, &key, held, let_go)) {
		canvas_fail(&cc->canvas, "%s: cairo does not take the font %s", cc->out.path,
			file->path);
		let_go(held);
	}
	return face;
}

static cairo_font_face_t *face_of(struct cairo_canvas *cc, int file)
{
	if (!cc->face[file])
		cc->face[file] = open_face(cc, fonts_file(cc->canvas.fonts, (size_t)file));
	return cc->face[file];
}

static cairo_status_t write_out(void *user, const unsigned char *bytes, unsigned int n)
{
	struct outfile *out = user;
	return out->f && fwrite(bytes, 1, n, out->f) == n ? CAIRO_STATUS_SUCCESS
							  : CAIRO_STATUS_WRITE_ERROR;
}

static void start_drawing(struct cairo_canvas *cc, double w, double h)
{
	cairo_font_options_t *options = cairo_font_options_create();
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	if (!cc->cr)
		cc->cr = cairo_create(cc->surface);
	cairo_set_font_options(cc->cr, options);
	cairo_font_options_destroy(options);
	if (cc->image)
		cairo_scale(cc->cr, cc->canvas.info.scale, cc->canvas.info.scale);
	/* White paper; and an opaque page spares cairo's PDF a slow look at what lies below. */
	cairo_set_source_rgb(cc->cr, 1, 1, 1);
	cairo_rectangle(cc->cr, 0, 0, w, h);
	cairo_fill(cc->cr);
}

static void on_png_page(struct canvas *c, double w, double h, const char *label)
{
	struct cairo_canvas *cc = cairo_of(c);
	double width = ceil(w * c->info.scale - 1e-9), height = ceil(h * c->info.scale - 1e-9);
	(void)label;
	if (width > IMAGE_MAX || height > IMAGE_MAX) {
		canvas_fail(c, "%s: an image of %.0f by %.0f pixels; at most %d are possible",
			cc->out.path, width, height, IMAGE_MAX);
		return;
	}
	cc->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
	start_drawing(cc, width / c->info.scale, height / c->info.scale);
}

static void on_pdf_page(struct canvas *c, double w, double h, const char *label)
{
	struct cairo_canvas *cc = cairo_of(c);
	(void)label;
	if (cc->cr)
		cairo_show_page(cc->cr);
	cairo_pdf_surface_set_size(cc->surface, w, h);
	start_drawing(cc, w, h);
}

static void set_colour(cairo_t *cr, rgba colour)
{
	cairo_set_source_rgba(cr, (double)(colour >> 24) / 255, (double)(colour >> 16 & 0xff) / 255,
		(double)(colour >> 8 & 0xff) / 255, alpha_of(colour));
}

static void trace_path(cairo_t *cr, const struct path *path)
{
	const struct pt *p = path->pts;
	cairo_new_path(cr);
	for (const char *op = path->ops; *op; p += path_points(*op++))
		if (*op == 'M')
			cairo_move_to(cr, p->x, p->y);
		else if (*op == 'L')
			cairo_line_to(cr, p->x, p->y);
		else if (*op == 'C')
			cairo_curve_to(cr, p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y);
		else
			cairo_close_path(cr);
}

static void on_fill(struct canvas *c, const struct path *path, rgba colour)
{
	cairo_t *cr = cairo_of(c)->cr;
	set_colour(cr, colour);
	trace_path(cr, path);
	cairo_fill(cr);
}

static void on_stroke(struct canvas *c, const struct path *path, const struct stroke *stroke)
{
	cairo_t *cr = cairo_of(c)->cr;
	set_colour(cr, stroke->colour);
	cairo_set_line_width(cr, stroke->width);
	cairo_set_dash(cr, (double[]){stroke->dash, stroke->gap}, stroke->gap > 0 ? 2 : 0, 0);
	trace_path(cr, path);
	cairo_stroke(cr);
}

/* Places the glyphs [from, to) of a run, which are of one file; x in thousandths of the size. */
static long place_glyphs(
	struct cairo_canvas *cc, const struct text_run *run, size_t from, size_t to, long x)
{
	if (cc->room < run->n) {
		cc->room = run->n;
		cc->glyph = xrealloc(cc->glyph, cc->room, sizeof *cc->glyph);
		cc->cluster = xrealloc(cc->cluster, cc->room, sizeof *cc->cluster);
	}
	cc->utf8.n = 0;
	for (size_t i = from; i < to; i++) {
		size_t before = cc->utf8.n;
		buffer_code(&cc->utf8, run->glyph[i]->code);
		cc->cluster[i - from] = (cairo_text_cluster_t){(int)(cc->utf8.n - before), 1};
		cc->glyph[i - from] =
			(cairo_glyph_t){run->glyph[i]->id, (double)x * run->style->size / 1000, 0};
		x += run->glyph[i]->width;
	}
	return x;
}

static void draw_glyphs(struct cairo_canvas *cc, size_t n)
{
	/* cairo rounds glyph images to whole pixels; their outlines stay where they belong. */
	if (cc->image) {
		cairo_new_path(cc->cr);
		cairo_glyph_path(cc->cr, cc->glyph, (int)n);
		cairo_fill(cc->cr);
	} else {
		cairo_show_text_glyphs(cc->cr, cc->utf8.text, (int)cc->utf8.n, cc->glyph, (int)n,
			cc->cluster, (int)n, 0);
	}
}

static void on_text(struct canvas *c, const struct text_run *run)
{
	struct cairo_canvas *cc = cairo_of(c);
	long x = 0;
	cairo_save(cc->cr);
	set_colour(cc->cr, run->style->colour);
	cairo_translate(cc->cr, run->at.x, run->at.y);
	if (run->style->turned)
		cairo_rotate(cc->cr, -M_PI / 2);
	cairo_set_font_size(cc->cr, run->style->size);
	for (size_t from = 0, to; from < run->n; from = to) {
		int file = run->glyph[from]->file;
		for (to = from + 1; to < run->n && run->glyph[to]->file == file;)
			to++;
		cairo_set_font_face(cc->cr, face_of(cc, file));
		x = place_glyphs(cc, run, from, to, x);
		draw_glyphs(cc, to - from);
	}
	cairo_restore(cc->cr);
}

static void on_clip(struct canvas *c, struct box box)
{
	cairo_t *cr = cairo_of(c)->cr;
	cairo_save(cr);
	cairo_new_path(cr);
	cairo_rectangle(cr, box.x, box.y, box.w, box.h);
	cairo_clip(cr);
}

static void on_unclip(struct canvas *c)
{
	cairo_restore(cairo_of(c)->cr);
}

static void on_finish(struct canvas *c)
{
	struct cairo_canvas *cc = cairo_of(c);
	cairo_status_t status = cairo_status(cc->cr);
	if (!status && cc->image)
		status = cairo_surface_write_to_png_stream(cc->surface, write_out, &cc->out);
	if (!status && !cc->image) {
		cairo_show_page(cc->cr);
		cairo_surface_finish(cc->surface);
		status = cairo_surface_status(cc->surface);
	}
	/* A failed write is told by outfile_close, with its cause. */
	if (status && status != CAIRO_STATUS_WRITE_ERROR)
		canvas_fail(
			c, "%s: cairo stopped: %s", cc->out.path, cairo_status_to_string(status));
	else if (outfile_close(&cc->out, &c->err) == 0 && status)
		canvas_fail(c, "cannot write %s (is the disk full?)", cc->out.path);
}

static void on_destroy(struct canvas *c)
{
	struct cairo_canvas *cc = cairo_of(c);
	if (cc->cr)
		cairo_destroy(cc->cr);
	if (cc->surface) {
		cairo_surface_finish(cc->surface);
		cairo_surface_destroy(cc->surface);
	}
	for (int i = 0; i < FONT_FILES_MAX; i++)
		if (cc->face[i])
			cairo_font_face_destroy(cc->face[i]);
	outfile_drop(&cc->out);
	buffer_release(&cc->utf8);
	free(cc->glyph);
	free(cc->cluster);
	free(cc);
}

static const struct canvas_ops png_ops = {
	.on_page = on_png_page,
	.on_fill = on_fill,
	.on_stroke = on_stroke,
	.on_text = on_text,
	.on_clip = on_clip,
	.on_unclip = on_unclip,
	.on_finish = on_finish,
	.on_destroy = on_destroy,
	.one_page = true,
};

static const struct canvas_ops pdf_ops = {
	.on_page = on_pdf_page,
	.on_fill = on_fill,
	.on_stroke = on_stroke,
	.on_text = on_text,
	.on_clip = on_clip,
	.on_unclip = on_unclip,
	.on_finish = on_finish,
	.on_destroy = on_destroy,
};

static struct cairo_canvas *open_canvas(const char *path, const struct canvas_ops *ops,
	const struct fonts *fonts, const struct canvas_info *info)
{
	struct cairo_canvas *cc = xcalloc(1, sizeof *cc);
	canvas_init(&cc->canvas, ops, fonts, info);
	canvas_open_file(&cc->canvas, &cc->out, path);
	return cc;
}

struct canvas *canvas_png(
	const char *path, const struct fonts *fonts, const struct canvas_info *info)
{
	struct cairo_canvas *cc = open_canvas(path, &png_ops, fonts, info);
	cc->image = true;
	return &cc->canvas;
}

struct canvas *canvas_cairo_pdf(
	const char *path, const struct fonts *fonts, const struct canvas_info *info)
{
	struct cairo_canvas *cc = open_canvas(path, &pdf_ops, fonts, info);
	const char *created = cc->canvas.info.created;
	cc->surface = cairo_pdf_surface_create_for_stream(write_out, &cc->out, 595, 842);
	/* Without a date cairo would take the clock's. */
	cairo_pdf_surface_set_metadata(cc->surface, CAIRO_PDF_METADATA_CREATE_DATE,
		created ? created : "1970-01-01T00:00:00Z");
	return &cc->canvas;
}
