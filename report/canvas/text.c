/* SPDX-License-Identifier: Apache-2.0 */
/* The text back-end: one line a call, the golden test of everything that draws. */
#include "report/canvas/ops.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

struct text_canvas {
	struct canvas canvas;
	FILE *f;
	struct buffer line;
};

static struct buffer *line_of(struct canvas *c)
{
	return &((struct text_canvas *)c)->line;
}

static void end_line(struct canvas *c)
{
	struct text_canvas *t = (struct text_canvas *)c;
	buffer_char(&t->line, '\n');
	if (fwrite(t->line.text, 1, t->line.n, t->f) != t->line.n)
		canvas_fail(c, "cannot write the drawing as text (is the disk full?)");
	t->line.n = 0;
}

static void put_numbers(struct buffer *b, const double *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buffer_char(b, ' ');
		buffer_fixed(b, value[i]);
	}
}

static void put_pt(struct buffer *b, struct pt p)
{
	put_numbers(b, (double[]){p.x, p.y}, 2);
}

static void put_box(struct buffer *b, struct box box)
{
	put_numbers(b, (double[]){box.x, box.y, box.w, box.h}, 4);
}

static void put_colour(struct buffer *b, rgba colour)
{
	buffer_printf(b, " #%08X", colour);
}

static void put_quoted(struct buffer *b, const char *text)
{
	buffer_text(b, " \"");
	for (const char *p = text; *p;) {
		const char *from = p;
		uint32_t code = utf8_next(&p);
		if (code == '"' || code == '\\')
			buffer_printf(b, "\\%c", (int)code);
		else if (code == UTF8_BAD || code < 0x20 || code == 0x7f)
			buffer_printf(b, "\\x%02X", (unsigned char)*from);
		else
			buffer_bytes(b, from, (size_t)(p - from));
	}
	buffer_char(b, '"');
}

static void put_path(struct buffer *b, const struct path *path)
{
	const struct pt *p = path->pts;
	for (const char *op = path->ops; *op; op++) {
		buffer_printf(b, " %c", *op);
		for (int i = path_points(*op); i > 0; i--)
			put_pt(b, *p++);
	}
}

static void on_page(struct canvas *c, double w, double h, const char *label)
{
	struct buffer *b = line_of(c);
	buffer_text(b, "page");
	put_numbers(b, (double[]){w, h}, 2);
	if (label)
		put_quoted(b, label);
	end_line(c);
}

static void on_fill(struct canvas *c, const struct path *path, rgba colour)
{
	struct buffer *b = line_of(c);
	struct box box;
	bool rect = path_is_box(path, &box);
	buffer_text(b, rect ? "rect" : "fill");
	put_colour(b, colour);
	if (rect)
		put_box(b, box);
	else
		put_path(b, path);
	end_line(c);
}

static void on_stroke(struct canvas *c, const struct path *path, const struct stroke *stroke)
{
	struct buffer *b = line_of(c);
	struct box box;
	bool frame = path_is_box(path, &box), line = strcmp(path->ops, "ML") == 0;
	buffer_text(b, frame ? "frame" : line ? "line" : "stroke");
	put_colour(b, stroke->colour);
	put_numbers(b, &stroke->width, 1);
	if (stroke->gap > 0) {
		buffer_text(b, " dash");
		put_numbers(b, (double[]){stroke->dash, stroke->gap}, 2);
	}
	if (frame)
		put_box(b, box);
	else if (line)
		put_numbers(b,
			(double[]){path->pts[0].x, path->pts[0].y, path->pts[1].x, path->pts[1].y},
			4);
	else
		put_path(b, path);
	end_line(c);
}

static void on_text(struct canvas *c, const struct text_run *run)
{
	static const char *const faces[FACES] = {"sans", "bold", "mono"};
	static const char *const anchors[] = {"start", "middle", "end"};
	const struct text_style *style = run->style;
	struct buffer *b = line_of(c);
	buffer_text(b, "text");
	put_quoted(b, run->text);
	buffer_printf(b, " %s", faces[style->face]);
	put_numbers(b, &style->size, 1);
	put_colour(b, style->colour);
	buffer_printf(b, " %s", anchors[style->anchor]);
	put_pt(b, run->at);
	if (style->turned)
		buffer_text(b, " turned");
	end_line(c);
}

static void on_clip(struct canvas *c, struct box box)
{
	buffer_text(line_of(c), "clip");
	put_box(line_of(c), box);
	end_line(c);
}

static void on_unclip(struct canvas *c)
{
	buffer_text(line_of(c), "unclip");
	end_line(c);
}

static void on_mark(
	struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level)
{
	static const char *const kinds[] = {"outline", "dest", "link", "uri", "tip"};
	struct buffer *b = line_of(c);
	buffer_text(b, kinds[kind]);
	if (kind == MARK_OUTLINE)
		buffer_printf(b, " %d", level);
	put_quoted(b, text);
	if (kind == MARK_OUTLINE || kind == MARK_DEST)
		put_pt(b, (struct pt){box.x, box.y});
	else
		put_box(b, box);
	end_line(c);
}

static void on_destroy(struct canvas *c)
{
	buffer_release(line_of(c));
	free(c);
}

static const struct canvas_ops ops = {
	.on_page = on_page,
	.on_fill = on_fill,
	.on_stroke = on_stroke,
	.on_text = on_text,
	.on_clip = on_clip,
	.on_unclip = on_unclip,
	.on_mark = on_mark,
	.on_destroy = on_destroy,
	.raw_text = true,
	.tips = true,
};

struct canvas *canvas_text(FILE *f)
{
	struct text_canvas *t = xcalloc(1, sizeof *t);
	canvas_init(&t->canvas, &ops, NULL, NULL);
	t->f = f;
	return &t->canvas;
}
