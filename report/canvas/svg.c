/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/svg.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

const char *const svg_face_class[FACES] = {"s", "b", "m"};

static struct svg *svg_of(struct canvas *c)
{
	return (struct svg *)c;
}

static void put_number(struct buffer *b, double v)
{
	buffer_number(b, v, GRID_16);
}

/* A number after another one: the space is left out where a sign parts them. */
static void put_next(struct buffer *b, int64_t units)
{
	if (units >= 0)
		buffer_char(b, ' ');
	buffer_units(b, units, GRID_16);
}

static void put_step(struct buffer *b, char op, int64_t units)
{
	buffer_char(b, op);
	buffer_units(b, units, GRID_16);
}

/* In sixteenths. Edges are snapped, not sizes, so that neighbours still touch. */
struct snapped {
	int64_t x, y, w, h;
};

static struct snapped snap(struct box box)
{
	struct snapped s = {grid_units(box.x, GRID_16), grid_units(box.y, GRID_16),
		grid_units(box.x + box.w, GRID_16), grid_units(box.y + box.h, GRID_16)};
	s.w += (s.w == s.x && box.w > 0) - s.x;
	s.h += (s.h == s.y && box.h > 0) - s.y;
	return s;
}

static void put_box_sides(struct buffer *b, struct snapped s)
{
	put_step(b, 'h', s.w);
	put_step(b, 'v', s.h);
	put_step(b, 'h', -s.w);
	buffer_char(b, 'z');
}

void svg_box(struct buffer *b, struct box box)
{
	struct snapped s = snap(box);
	put_step(b, 'M', s.x);
	put_next(b, s.y);
	put_box_sides(b, s);
}

static void svg_code(struct buffer *b, uint32_t code)
{
	if (code >= '?' && code <= '~') { /* most letters */
		buffer_char(b, (char)code);
		return;
	}
	switch (code) {
	case '&':
		buffer_text(b, "&amp;");
		break;
	case '<':
		buffer_text(b, "&lt;");
		break;
	case '>':
		buffer_text(b, "&gt;");
		break;
	case '"':
		buffer_text(b, "&quot;");
		break;
	default: {
		bool space = code == '\t' || code == '\n' || code == '\r';
		bool never = utf8_is_obeyed(code) || code > 0x10ffff || (code & 0xfffe) == 0xfffe;
		buffer_code(b, space ? ' ' : never ? 0xfffd : code);
	}
	}
}

void svg_text(struct buffer *b, const char *text)
{
	for (uint32_t code; (code = utf8_next(&text));)
		svg_code(b, code);
}

void svg_colour(struct buffer *b, rgba colour)
{
	unsigned int r = colour >> 24, g = colour >> 16 & 0xff, blue = colour >> 8 & 0xff;
	bool wide = r % 17 || g % 17 || blue % 17;
	buffer_char(b, '#');
	for (int shift = 28; shift >= 8; shift -= wide ? 4 : 8)
		buffer_char(b, "0123456789abcdef"[colour >> shift & 15]);
}

static void put_fill(struct buffer *b, rgba colour)
{
	buffer_text(b, " fill=\"");
	svg_colour(b, colour);
	if ((colour & 0xff) != 0xff) {
		buffer_text(b, "\" fill-opacity=\"");
		buffer_number(b, alpha_of(colour), GRID_1000);
	}
	buffer_char(b, '"');
}

const struct svg_form svg_in_style = {":", ";"}, svg_as_attributes = {"=\"", "\" "};

void svg_stroke(struct buffer *b, const struct stroke *look, const struct svg_form *form)
{
	buffer_printf(b, "stroke%s", form->is);
	svg_colour(b, look->colour);
	buffer_printf(b, "%sstroke-width%s", form->next, form->is);
	buffer_number(b, look->width, GRID_1000);
	if ((look->colour & 0xff) != 0xff) {
		buffer_printf(b, "%sstroke-opacity%s", form->next, form->is);
		buffer_number(b, alpha_of(look->colour), GRID_1000);
	}
	if (look->gap > 0) {
		buffer_printf(b, "%sstroke-dasharray%s", form->next, form->is);
		buffer_number(b, look->dash, GRID_1000);
		buffer_char(b, ' ');
		buffer_number(b, look->gap, GRID_1000);
	}
}

static void put_thousandths(struct buffer *b, const char *before, double v)
{
	buffer_text(b, before);
	buffer_number(b, v, GRID_1000);
}

static bool same_look(const struct stroke *a, const struct stroke *b)
{
	return a->colour == b->colour &&
		grid_units(a->width, GRID_1000) == grid_units(b->width, GRID_1000) &&
		grid_units(a->dash, GRID_1000) == grid_units(b->dash, GRID_1000) &&
		grid_units(a->gap, GRID_1000) == grid_units(b->gap, GRID_1000);
}

/* The number of the class with this look, from 1. */
static size_t look_class(struct svg *svg, const struct stroke *look)
{
	for (size_t i = 0; i < svg->looks; i++)
		if (same_look(&svg->look[i], look))
			return i + 1;
	if (svg->looks == svg->looks_room) {
		svg->looks_room = (svg->looks_room + 4) * 2;
		svg->look = xrealloc(svg->look, svg->looks_room, sizeof *svg->look);
	}
	svg->look[svg->looks++] = *look;
	return svg->looks;
}

static void close_run(struct svg *svg)
{
	if (svg->run.open)
		buffer_text(&svg->body, "\"/>\n");
	svg->run = (struct svg_run){0};
}

/* Shapes may share a <path> when the eye cannot tell: one opaque look, and no holes where two of
 * them lie over each other. */
static bool goes_on(const struct svg *svg, bool fill, bool box, const struct stroke *look)
{
	const struct svg_run *run = &svg->run;
	return run->open && run->fill == fill && (!fill || (box && run->boxes)) &&
		(look->colour & 0xff) == 0xff && same_look(look, &run->look);
}

static void open_run(struct svg *svg, bool fill, bool box, const struct stroke *look)
{
	struct buffer *b = &svg->body;
	close_run(svg);
	svg->run = (struct svg_run){.open = true, .boxes = box, .fill = fill, .look = *look};
	buffer_text(b, "<path");
	if (fill) {
		put_fill(b, look->colour);
	} else if (svg->within) {
		buffer_text(b, " fill=\"none\" ");
		svg_stroke(b, look, &svg_as_attributes);
		buffer_char(b, '"');
	} else {
		buffer_printf(b, " class=\"%s-l%zu\"", svg->id, look_class(svg, look));
	}
	buffer_text(b, " d=\"");
}

static bool at_beginning(const struct buffer *b)
{
	return b->text[b->n - 1] == '"';
}

static void move_to(struct svg *svg, int64_t x, int64_t y)
{
	struct svg_run *run = &svg->run;
	bool first = at_beginning(&svg->body);
	put_step(&svg->body, first ? 'M' : 'm', first ? x : x - run->x);
	put_next(&svg->body, first ? y : y - run->y);
	run->x = run->start_x = x;
	run->y = run->start_y = y;
}

static void line_to(struct svg *svg, int64_t x, int64_t y)
{
	struct svg_run *run = &svg->run;
	if (y == run->y) {
		put_step(&svg->body, 'h', x - run->x);
	} else if (x == run->x) {
		put_step(&svg->body, 'v', y - run->y);
	} else {
		put_step(&svg->body, 'l', x - run->x);
		put_next(&svg->body, y - run->y);
	}
	run->x = x;
	run->y = y;
}

static void curve_to(struct svg *svg, const struct pt *p)
{
	struct svg_run *run = &svg->run;
	int64_t x = 0, y = 0;
	for (int i = 0; i < 3; i++) {
		x = grid_units(p[i].x, GRID_16);
		y = grid_units(p[i].y, GRID_16);
		if (i == 0)
			put_step(&svg->body, 'c', x - run->x);
		else
			put_next(&svg->body, x - run->x);
		put_next(&svg->body, y - run->y);
	}
	run->x = x;
	run->y = y;
}

static void put_path(struct svg *svg, const struct path *path)
{
	struct box box;
	if (path_is_box(path, &box)) {
		struct snapped s = snap(box);
		move_to(svg, s.x, s.y);
		put_box_sides(&svg->body, s);
		return;
	}
	const struct pt *p = path->pts;
	for (const char *op = path->ops; *op; p += path_points(*op++))
		if (*op == 'M') {
			move_to(svg, grid_units(p->x, GRID_16), grid_units(p->y, GRID_16));
		} else if (*op == 'L') {
			line_to(svg, grid_units(p->x, GRID_16), grid_units(p->y, GRID_16));
		} else if (*op == 'C') {
			curve_to(svg, p);
		} else {
			buffer_char(&svg->body, 'z');
			svg->run.x = svg->run.start_x;
			svg->run.y = svg->run.start_y;
		}
}

static void on_page(struct canvas *c, double w, double h, const char *label)
{
	(void)label;
	svg_of(c)->w = w;
	svg_of(c)->h = h;
}

static void draw(struct canvas *c, const struct path *path, bool fill, const struct stroke *look)
{
	struct svg *svg = svg_of(c);
	struct box box;
	bool is_box = path_is_box(path, &box);
	if (!goes_on(svg, fill, is_box, look))
		open_run(svg, fill, is_box, look);
	put_path(svg, path);
}

static void on_fill(struct canvas *c, const struct path *path, rgba colour)
{
	draw(c, path, true, &(struct stroke){.colour = colour});
}

static void on_stroke(struct canvas *c, const struct path *path, const struct stroke *stroke)
{
	draw(c, path, false, stroke);
}

static void on_text(struct canvas *c, const struct text_run *run)
{
	struct svg *svg = svg_of(c);
	struct buffer *b = &svg->body;
	close_run(svg);
	svg->face[run->style->face] = true;
	buffer_printf(b, "<text class=\"%s%s%s\" x=\"", svg->within ? "" : svg->id,
		svg->within ? "" : "-", svg_face_class[run->style->face]);
	put_number(b, run->at.x);
	buffer_text(b, "\" y=\"");
	put_number(b, run->at.y);
	put_thousandths(b, "\" font-size=\"", run->style->size);
	buffer_char(b, '"');
	put_fill(b, run->style->colour);
	put_thousandths(b, " textLength=\"", run->width);
	buffer_text(b, "\" lengthAdjust=\"spacingAndGlyphs\"");
	if (run->style->turned) {
		buffer_text(b, " transform=\"rotate(-90 ");
		put_number(b, run->at.x);
		buffer_char(b, ' ');
		put_number(b, run->at.y);
		buffer_text(b, ")\"");
	}
	buffer_char(b, '>');
	for (size_t i = 0; i < run->n; i++) {
		svg_code(b, run->glyph[i]->code);
		used_add(&svg->used[run->glyph[i]->file], run->glyph[i]);
	}
	buffer_text(b, "</text>\n");
}

/* The number of a clip with this box, from 1; a new one is written down where it is needed. */
static size_t clip_id(struct svg *svg, struct box box)
{
	for (size_t i = 0; i < svg->clips; i++)
		if (memcmp(&svg->clip[i], &box, sizeof box) == 0)
			return i + 1;
	if (svg->clips == svg->clips_room) {
		svg->clips_room = (svg->clips_room + 4) * 2;
		svg->clip = xrealloc(svg->clip, svg->clips_room, sizeof *svg->clip);
	}
	svg->clip[svg->clips++] = box;
	buffer_printf(&svg->body, "<clipPath id=\"%s-c%zu\"><path d=\"", svg->id, svg->clips);
	svg_box(&svg->body, box);
	buffer_text(&svg->body, "\"/></clipPath>");
	return svg->clips;
}

static void on_clip(struct canvas *c, struct box box)
{
	struct svg *svg = svg_of(c);
	close_run(svg);
	size_t id = clip_id(svg, box);
	buffer_printf(&svg->body, "<g clip-path=\"url(#%s-c%zu)\">\n", svg->id, id);
}

static void on_unclip(struct canvas *c)
{
	close_run(svg_of(c));
	buffer_text(&svg_of(c)->body, "</g>\n");
}

static void on_finish(struct canvas *c)
{
	close_run(svg_of(c));
	svg_finish(c);
}

static void on_destroy(struct canvas *c)
{
	struct svg *svg = svg_of(c);
	outfile_drop(&svg->out);
	buffer_release(&svg->body);
	for (int i = 0; i < FONT_FILES_MAX; i++)
		used_release(&svg->used[i]);
	names_release(&svg->targets);
	free(svg->look);
	free(svg->clip);
	free(svg->link);
	free(svg->target);
	free(svg);
}

static const struct canvas_ops ops = {
	.on_page = on_page,
	.on_fill = on_fill,
	.on_stroke = on_stroke,
	.on_text = on_text,
	.on_clip = on_clip,
	.on_unclip = on_unclip,
	.on_mark = svg_mark,
	.on_finish = on_finish,
	.on_destroy = on_destroy,
	.one_page = true,
	.tips = true,
};

/* Letters, digits, - and _, and a letter to begin with. */
static const char *plain_id(struct arena *a, const char *id)
{
	char *plain = arena_printf(a, "%s%s", *id >= '0' && *id <= '9' ? "f" : "", id);
	for (char *p = plain; *p; p++)
		if (!strchr("-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", *p))
			*p = '_';
	return plain;
}

static struct svg *new_svg(const struct fonts *fonts, const struct canvas_info *info)
{
	struct svg *svg = xcalloc(1, sizeof *svg);
	canvas_init(&svg->canvas, &ops, fonts, info);
	svg->id = plain_id(&svg->canvas.arena, svg->canvas.info.id);
	names_init(&svg->targets);
	return svg;
}

struct canvas *canvas_svg_within(
	FILE *page, const struct fonts *fonts, const struct canvas_info *info)
{
	struct svg *svg = new_svg(fonts, info);
	svg->within = page;
	return &svg->canvas;
}

struct canvas *canvas_svg(
	const char *path, const struct fonts *fonts, const struct canvas_info *info)
{
	struct svg *svg = new_svg(fonts, info);
	canvas_open_file(&svg->canvas, &svg->out, path);
	return &svg->canvas;
}
