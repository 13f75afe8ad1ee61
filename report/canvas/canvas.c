/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/ops.h"

#include "base/min_max.h"
#include "base/utf8.h"

#include <fribidi.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ADDRESS_MAX_BYTES = 2000 };

static const char *copy(struct canvas *c, const char *text)
{
	return arena_strdup(&c->arena, text ? text : "");
}

void canvas_init(struct canvas *c, const struct canvas_ops *ops, const struct fonts *fonts,
	const struct canvas_info *info)
{
	static const struct canvas_info none;
	if (!info)
		info = &none;
	c->ops = ops;
	c->fonts = fonts;
	c->info = (struct canvas_info){
		.title = copy(c, info->title),
		.author = copy(c, info->author),
		.subject = copy(c, info->subject),
		.keywords = copy(c, info->keywords),
		.lang = copy(c, info->lang),
		.created = info->created ? copy(c, info->created) : NULL,
		.id = copy(c, info->id && *info->id ? info->id : "f"),
		.alt = copy(c, info->alt),
		.scale = info->scale > 0 ? info->scale : 2.0,
		.unnamed = info->unnamed,
	};
}

void canvas_open_file(struct canvas *c, struct outfile *out, const char *path)
{
	(c->info.unnamed ? outfile_open_unnamed : outfile_open)(out, path, &c->err);
}

static void canvas_release(struct canvas *c)
{
	free(c->glyph);
	free(c->points);
	arena_release(&c->arena);
}

void canvas_fail(struct canvas *c, const char *fmt, ...)
{
	char text[sizeof c->err.text];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	fail(&c->err, "%s", text);
}

int canvas_close(struct canvas *c, struct err *err)
{
	if (c->clips)
		canvas_fail(c, "canvas: %d clip%s left open on the last page", c->clips,
			c->clips == 1 ? " is" : "s are");
	if (!c->pages)
		canvas_fail(c, "canvas: the document has no page");
	if (!c->err.set && c->ops->on_finish)
		c->ops->on_finish(c);
	int result = c->err.set ? fail(err, "%s", c->err.text) : 0;
	canvas_release(c);
	c->ops->on_destroy(c);
	return result;
}

int canvas_close_noting(struct canvas *c, const char *path, struct err *undrawn, struct err *err)
{
	const char *first;
	size_t n = canvas_undrawn(c, &first);
	if (n)
		fail(undrawn, "%s: %zu mark%s left out; the first: %s", path, n,
			n == 1 ? " was" : "s were", first);
	return canvas_close(c, err);
}

size_t canvas_replaced(const struct canvas *c)
{
	return c->replaced;
}

/* Whether a drawing call may go on. */
static bool drawing(struct canvas *c, const char *call)
{
	if (!c->err.set && !c->pages)
		canvas_fail(c, "canvas: %s before the first page", call);
	return !c->err.set;
}

/* A mark that cannot be drawn costs itself; the first is told. */
static bool finite_all(struct canvas *c, const char *call, const double *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(value[i])) {
			if (!c->undrawn++)
				snprintf(c->first_undrawn, sizeof c->first_undrawn,
					"%s on page %zu with a number that is %s", call, c->pages,
					isnan(value[i]) ? "not a number" : "infinite");
			return false;
		}
	return true;
}

static bool finite_box(struct canvas *c, const char *call, struct box box)
{
	return finite_all(c, call, (double[]){box.x, box.y, box.w, box.h}, 4);
}

size_t canvas_undrawn(const struct canvas *c, const char **first)
{
	*first = c->first_undrawn;
	return c->undrawn;
}

static double pull_in(double v)
{
	return clip(v, -CANVAS_FAR, CANVAS_FAR);
}

static struct box box_between(double x0, double y0, double x1, double y1)
{
	return (struct box){x0, y0, x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0};
}

static struct box cut(struct box a, struct box b)
{
	return box_between(fmax(a.x, b.x), fmax(a.y, b.y), fmin(a.x + a.w, b.x + b.w),
		fmin(a.y + a.h, b.y + b.h));
}

static struct box pull_in_box(struct box b)
{
	return box_between(pull_in(b.x), pull_in(b.y), pull_in(b.x + b.w), pull_in(b.y + b.h));
}

void canvas_page(struct canvas *c, double w, double h, const char *label)
{
	if (c->err.set)
		return;
	if (c->tags)
		bug("page %zu ends within a tag", c->pages);
	if (c->clips)
		canvas_fail(c, "canvas: page %zu ends with %d clip%s left open", c->pages, c->clips,
			c->clips == 1 ? "" : "s");
	else if (!(w >= 3 && h >= 3 && w <= 14400 && h <= 14400))
		canvas_fail(
			c, "canvas: a page of %.0f by %.0f points; 3 to 14400 are possible", w, h);
	else if (c->pages && c->ops->one_page)
		canvas_fail(c, "canvas: a second page, but this format holds one");
	if (c->err.set)
		return;
	c->pages++;
	c->clip[0] = (struct box){0, 0, w, h};
	if (c->ops->on_page)
		c->ops->on_page(c, w, h, label);
}

int path_points(char op)
{
	switch (op) {
	case 'M':
	case 'L':
		return 1;
	case 'C':
		return 3;
	case 'Z':
		return 0;
	default:
		return -1;
	}
}

/* The number of points, or -1 after an error. */
static long checked_points(struct canvas *c, const char *call, const struct path *path)
{
	long n = 0;
	if (*path->ops && *path->ops != 'M')
		bug("a path must begin with M: \"%s\"", path->ops);
	for (const char *op = path->ops; *op; op++) {
		int takes = path_points(*op);
		if (takes < 0)
			bug("no such step of a path: \"%s\"", path->ops);
		n += takes;
	}
	_Static_assert(sizeof *path->pts == 2 * sizeof(double), "points are pairs of numbers");
	if (!n)
		return 0;
	return finite_all(c, call, &path->pts->x, 2 * (size_t)n) ? n : -1;
}

/* The path itself, or a copy with far points pulled in. */
static struct path near_path(struct canvas *c, const struct path *path, size_t n)
{
	bool far = false;
	for (size_t i = 0; i < n; i++)
		far |= fabs(path->pts[i].x) > CANVAS_FAR || fabs(path->pts[i].y) > CANVAS_FAR;
	if (!far)
		return *path;
	if (c->points_room < n) {
		c->points_room = n;
		c->points = xrealloc(c->points, n, sizeof *c->points);
	}
	for (size_t i = 0; i < n; i++)
		c->points[i] = (struct pt){pull_in(path->pts[i].x), pull_in(path->pts[i].y)};
	return (struct path){path->ops, c->points};
}

void canvas_fill(struct canvas *c, const struct path *path, rgba colour)
{
	if (!drawing(c, "fill"))
		return;
	long n = checked_points(c, "fill", path);
	if (n <= 0 || !(colour & 0xff) || !c->ops->on_fill)
		return;
	struct path near = near_path(c, path, (size_t)n);
	c->ops->on_fill(c, &near, colour);
}

void canvas_stroke(struct canvas *c, const struct path *path, const struct stroke *stroke)
{
	if (!drawing(c, "stroke"))
		return;
	long n = checked_points(c, "stroke", path);
	const double sizes[] = {stroke->width, stroke->dash, stroke->gap};
	if (n <= 0 || !finite_all(c, "stroke", sizes, 3))
		return;
	if (stroke->width <= 0 || !(stroke->colour & 0xff) || !c->ops->on_stroke)
		return;
	struct stroke solid = *stroke;
	if (solid.dash <= 0 || solid.gap <= 0)
		solid.dash = solid.gap = 0;
	struct path near = near_path(c, path, (size_t)n);
	c->ops->on_stroke(c, &near, &solid);
}

/* Text that is written from right to left is drawn so. Its letters are not joined: their widths are
 * those that were measured. U+0590 is where the first such script begins. */
static void in_visual_order(const struct glyph **glyph, size_t n)
{
	size_t first = 0;
	while (first < n && glyph[first]->code < 0x590)
		first++;
	if (first == n || n > INT32_MAX)
		return;
	FriBidiChar *code = xalloc(n * sizeof *code);
	FriBidiStrIndex *from = xalloc(n * sizeof *from);
	const struct glyph **was = xalloc(n * sizeof *was);
	for (size_t i = 0; i < n; i++)
		code[i] = glyph[i]->code;
	memcpy(was, glyph, n * sizeof *was);
	FriBidiParType direction = FRIBIDI_PAR_LTR;
	if (fribidi_log2vis(code, (FriBidiStrIndex)n, &direction, NULL, NULL, from, NULL))
		for (size_t i = 0; i < n; i++)
			glyph[i] = was[from[i]];
	free(was);
	free(from);
	free(code);
}

static struct text_run shape(struct canvas *c, const char *text, const struct text_style *style)
{
	size_t n = 0;
	long sum = 0;
	for (const char *p = text; *p; n++) {
		if (n == c->glyphs_room) {
			c->glyphs_room = (n + 32) * 2;
			c->glyph = xrealloc(c->glyph, c->glyphs_room, sizeof *c->glyph);
		}
		c->glyph[n] = font_glyph(c->fonts, style->face, utf8_next(&p));
		c->replaced += c->glyph[n]->replaced;
		sum += c->glyph[n]->width;
	}
	in_visual_order(c->glyph, n);
	return (struct text_run){
		.glyph = c->glyph, .n = n, .width = (double)sum * style->size / 1000};
}

void canvas_text_at(
	struct canvas *c, struct pt at, const char *text, const struct text_style *style)
{
	if (!drawing(c, "text") || !finite_all(c, "text", (double[]){at.x, at.y, style->size}, 3))
		return;
	if (style->size < TEXT_MIN_PT - 1e-6 || style->size > TEXT_MAX_PT)
		bug("text of %.2f points: only %d to %d are drawn", style->size, TEXT_MIN_PT,
			TEXT_MAX_PT);
	if (!*text || !(style->colour & 0xff))
		return;
	struct text_run run = {0};
	if (!c->ops->raw_text) {
		run = shape(c, text, style);
		double back = style->anchor == ANCHOR_START ? 0
			: style->anchor == ANCHOR_MIDDLE    ? run.width / 2
							    : run.width;
		*(style->turned ? &at.y : &at.x) += style->turned ? back : -back;
	}
	run.at = (struct pt){pull_in(at.x), pull_in(at.y)};
	run.text = text;
	run.style = style;
	if (c->ops->on_text)
		c->ops->on_text(c, &run);
}

void canvas_clip(struct canvas *c, struct box box)
{
	if (!drawing(c, "clip"))
		return;
	if (!finite_box(c, "clip", box)) /* nothing shows within; its end comes all the same */
		box = (struct box){0};
	if (c->clips == CANVAS_CLIPS)
		bug("more than %d clips inside each other", CANVAS_CLIPS);
	box = pull_in_box(box);
	c->clips++;
	c->clip[c->clips] = cut(c->clip[c->clips - 1], box);
	if (c->ops->on_clip)
		c->ops->on_clip(c, box);
}

void canvas_unclip(struct canvas *c)
{
	if (!drawing(c, "unclip"))
		return;
	if (!c->clips) {
		canvas_fail(c, "canvas: unclip without a clip on page %zu", c->pages);
		return;
	}
	c->clips--;
	if (c->ops->on_unclip)
		c->ops->on_unclip(c);
}

/* Names and texts of a run come from outside; an address that could run something does not pass. */
static bool harmless(const char *uri)
{
	static const char *const schemes[] = {"http:", "https:", "mailto:"};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (strncasecmp(uri, schemes[i], strlen(schemes[i])) == 0)
			return true;
	const char *end = uri + strcspn(uri, ":/?#");
	return *end != ':';
}

/* Bytes that an address may not hold as they are (RFC 3986) are written as %XX. */
static const char *escaped(struct canvas *c, const char *uri)
{
	char *out = arena_alloc(&c->arena, 3 * strlen(uri) + 1), *end = out;
	for (const char *p = uri; *p; p++)
		if (*p <= 0x20 || *p >= 0x7f || strchr("\"<>\\^`{|}", *p))
			end += snprintf(end, 4, "%%%02X", (unsigned char)*p);
		else
			*end++ = *p;
	return out;
}

void canvas_mark(struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level)
{
	if (!drawing(c, "mark") || !finite_box(c, "mark", box))
		return;
	box = pull_in_box(box);
	if (kind == MARK_URI && (!harmless(text) || strlen(text) > ADDRESS_MAX_BYTES)) {
		canvas_fail(c,
			"canvas: a link to \"%.100s\": only http, https, mailto and relative "
			"addresses of at most %d bytes",
			text, ADDRESS_MAX_BYTES);
		return;
	}
	if (kind != MARK_OUTLINE && kind != MARK_DEST) {
		box = cut(c->clip[c->clips], box);
		if (box.w <= 0 || box.h <= 0)
			return;
	}
	if (kind == MARK_URI)
		text = escaped(c, text);
	if (*text && c->ops->on_mark)
		c->ops->on_mark(c, kind, box, text, max_int(level, 0));
}

bool canvas_has_tips(const struct canvas *c)
{
	return c->ops->tips;
}

/* Where a tag may stand: the cells in rows, rows in tables, all else by itself. */
static bool tag_fits(const struct canvas *c, enum tag_kind kind)
{
	switch (kind) {
	case TAG_HEAD_CELL:
	case TAG_CELL:
		return c->tags && c->tag[c->tags - 1] == TAG_ROW;
	case TAG_ROW:
		return c->tags && c->tag[c->tags - 1] == TAG_TABLE;
	default:
		return !c->tags;
	}
}

void canvas_tag(struct canvas *c, const struct tag *tag)
{
	if (!drawing(c, "tag"))
		return;
	if (!tag_fits(c, tag->kind))
		bug("a tag of kind %d does not belong here", (int)tag->kind);
	c->tag[c->tags++] = tag->kind;
	if (c->ops->on_tag)
		c->ops->on_tag(c, tag);
}

void canvas_untag(struct canvas *c)
{
	if (!drawing(c, "untag"))
		return;
	if (!c->tags)
		bug("untag without a tag on page %zu", c->pages);
	c->tags--;
	if (c->ops->on_untag)
		c->ops->on_untag(c);
}

static struct path box_path(struct box b, struct pt pts[4])
{
	pts[0] = (struct pt){b.x, b.y};
	pts[1] = (struct pt){b.x + b.w, b.y};
	pts[2] = (struct pt){b.x + b.w, b.y + b.h};
	pts[3] = (struct pt){b.x, b.y + b.h};
	return (struct path){"MLLLZ", pts};
}

bool path_is_box(const struct path *path, struct box *box)
{
	if (strcmp(path->ops, "MLLLZ") != 0)
		return false;
	const struct pt *p = path->pts;
	if (p[0].y != p[1].y || p[1].x != p[2].x || p[2].y != p[3].y || p[3].x != p[0].x)
		return false;
	*box = (struct box){p[0].x, p[0].y, p[1].x - p[0].x, p[2].y - p[1].y};
	return box->w >= 0 && box->h >= 0;
}

void canvas_rect(struct canvas *c, struct box box, rgba colour)
{
	struct pt pts[4];
	struct path path = box_path(box, pts);
	if (box.w <= 0 || box.h <= 0)
		return;
	canvas_fill(c, &path, colour);
}

void canvas_frame(struct canvas *c, struct box box, const struct stroke *stroke)
{
	struct pt pts[4];
	struct path path = box_path(box, pts);
	canvas_stroke(c, &path, stroke);
}

void canvas_line(struct canvas *c, struct pt from, struct pt to, const struct stroke *stroke)
{
	struct path path = {"ML", (const struct pt[]){from, to}};
	canvas_stroke(c, &path, stroke);
}
