/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/svg.h"

#include "base/min_max.h"
#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

static struct svg *svg_of(struct canvas *c)
{
	return (struct svg *)c;
}

static name_id target_of(struct svg *svg, const char *name)
{
	name_id id = names_add_text(&svg->targets, name);
	if (id >= svg->targets_room) {
		size_t room = ((size_t)id + 8) * 2;
		svg->target = xrealloc(svg->target, room, sizeof *svg->target);
		memset(svg->target + svg->targets_room, 0, room - svg->targets_room);
		svg->targets_room = room;
	}
	return id;
}

static void add_link(struct svg *svg, struct svg_link link)
{
	if (svg->links == svg->links_room) {
		svg->links_room = (svg->links_room + 8) * 2;
		svg->link = xrealloc(svg->link, svg->links_room, sizeof *svg->link);
	}
	svg->link[svg->links++] = link;
}

void svg_mark(struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level)
{
	struct svg *svg = svg_of(c);
	struct svg_link link = {.box = box};
	(void)level;
	if (kind == MARK_OUTLINE)
		return;
	if (kind == MARK_URI)
		link.uri = arena_strdup(&c->arena, text);
	else if (kind == MARK_TIP)
		link.tip = arena_strdup(&c->arena, text);
	else
		link.target = target_of(svg, text);
	if (kind == MARK_DEST)
		svg->target[link.target] = true;
	/* A place gets a mark of no size, so that a browser can find it. */
	if (kind == MARK_DEST)
		link.box.w = link.box.h = 0;
	add_link(svg, link);
}

static void put_links(struct svg *svg, struct buffer *b)
{
	if (!svg->links)
		return;
	buffer_text(b, "<g fill=\"none\" pointer-events=\"all\">\n");
	for (size_t i = 0; i < svg->links; i++) {
		const struct svg_link *link = &svg->link[i];
		bool place = !link->uri && !link->tip && link->box.w <= 0;
		bool jump = !link->uri && !link->tip && !place;
		if (jump && !svg->target[link->target])
			continue;
		if (link->uri) {
			buffer_text(b, "<a href=\"");
			svg_text(b, link->uri);
			buffer_text(b, "\">");
		}
		if (jump)
			buffer_printf(b, "<a href=\"#%s-p%u\">", svg->id, link->target);
		buffer_text(b, "<path");
		if (place)
			buffer_printf(b, " id=\"%s-p%u\"", svg->id, link->target);
		buffer_text(b, " d=\"");
		svg_box(b, link->box);
		buffer_text(b, link->tip ? "\"><title>" : "\"/>");
		if (link->tip) {
			svg_text(b, link->tip);
			buffer_text(b, "</title></path>");
		}
		buffer_text(b, link->uri || jump ? "</a>\n" : "\n");
	}
	buffer_text(b, "</g>\n");
}

static void put_base64(struct buffer *b, const char *bytes, size_t n)
{
	enum { SIGNS = 4 };
	char *to = buffer_room(b, (n + 2) / 3 * SIGNS);
	for (size_t i = 0; i < n; i += 3, to += SIGNS)
		base64_group(to, bytes + i, min_size(n - i, 3));
	b->n += (n + 2) / 3 * SIGNS;
}

static void put_font(struct svg *svg, struct buffer *b, int file)
{
	struct subset subset;
	if (subset_init(&subset, fonts_file(svg->canvas.fonts, (size_t)file), &svg->used[file],
		    SUBSET_WEB, &svg->canvas.err))
		return;
	/* All weights: a browser must not thicken a sign that only exists as regular. */
	buffer_printf(b,
		"@font-face{font-family:%s-%d;font-weight:100 900;src:url(data:font/ttf;base64,",
		svg->id, file);
	put_base64(b, subset.bytes, subset.n);
	buffer_text(b, ")}\n");
	subset_release(&subset);
}

/* The embedded files first, then the same families should the reader have them. */
static void put_class(struct svg *svg, struct buffer *b, enum face face)
{
	buffer_printf(b, ".%s-%s{font-family:", svg->id, svg_face_class[face]);
	for (const signed char *file = font_chain(face); *file >= 0; file++)
		if (svg->used[*file].n)
			buffer_printf(b, "%s-%d,", svg->id, *file);
	for (const signed char *file = font_chain(face); *file >= 0; file++)
		if (svg->used[*file].n)
			buffer_printf(
				b, "'%s',", fonts_file(svg->canvas.fonts, (size_t)*file)->family);
	buffer_text(b, face == FACE_MONO ? "monospace" : "sans-serif");
	buffer_text(b, face == FACE_BOLD ? ";font-weight:700" : "");
	buffer_text(b, ";white-space:pre;font-kerning:none;font-variant-ligatures:none}\n");
}

static void put_look(struct svg *svg, struct buffer *b, size_t i)
{
	buffer_printf(b, ".%s-l%zu{fill:none;", svg->id, i + 1);
	svg_stroke(b, &svg->look[i], &svg_in_style);
	buffer_text(b, "}\n");
}

static void put_style(struct svg *svg, struct buffer *b)
{
	buffer_text(b, "<style>\n");
	for (int file = 0; file < FONT_FILES_MAX; file++)
		if (svg->used[file].n)
			put_font(svg, b, file);
	for (enum face face = 0; face < FACES; face++)
		if (svg->face[face])
			put_class(svg, b, face);
	for (size_t i = 0; i < svg->looks; i++)
		put_look(svg, b, i);
	buffer_text(b, "</style>\n");
}

/* As a part of a page: no file of its own, no words that show wherever it is pointed at. */
static void put_head_within(struct svg *svg, struct buffer *b)
{
	buffer_text(b, "<svg viewBox=\"0 0 ");
	buffer_number(b, svg->w, GRID_1000);
	buffer_char(b, ' ');
	buffer_number(b, svg->h, GRID_1000);
	buffer_text(b, "\" role=\"img\" aria-label=\"");
	svg_text(b, svg->canvas.info.alt);
	buffer_text(b, "\" stroke-miterlimit=\"10\">\n");
}

static void put_head(struct svg *svg, struct buffer *b)
{
	const struct canvas_info *info = &svg->canvas.info;
	buffer_text(b,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
	buffer_number(b, svg->w, GRID_1000);
	buffer_text(b, "pt\" height=\"");
	buffer_number(b, svg->h, GRID_1000);
	buffer_text(b, "pt\" viewBox=\"0 0 ");
	buffer_number(b, svg->w, GRID_1000);
	buffer_char(b, ' ');
	buffer_number(b, svg->h, GRID_1000);
	buffer_text(b, "\" role=\"img\"");
	if (*info->lang) {
		buffer_text(b, " xml:lang=\"");
		svg_text(b, info->lang);
		buffer_char(b, '"');
	}
	buffer_printf(b,
		" aria-labelledby=\"%s-t\"%s%s%s stroke-miterlimit=\"10\" xml:space=\"preserve\">\n"
		"<title id=\"%s-t\">",
		svg->id, *info->alt ? " aria-describedby=\"" : "", *info->alt ? svg->id : "",
		*info->alt ? "-d\"" : "", svg->id);
	svg_text(b, info->title);
	buffer_text(b, "</title>\n");
	if (!*info->alt)
		return;
	buffer_printf(b, "<desc id=\"%s-d\">", svg->id);
	svg_text(b, info->alt);
	buffer_text(b, "</desc>\n");
}

static void put_paper(struct svg *svg, struct buffer *b)
{
	buffer_text(b, "<path fill=\"#fff\" d=\"");
	svg_box(b, (struct box){0, 0, svg->w, svg->h});
	buffer_text(b, "\"/>\n");
}

void svg_finish(struct canvas *c)
{
	struct svg *svg = svg_of(c);
	struct buffer head = {0}, tail = {0};
	FILE *f = svg->within ? svg->within : svg->out.f;
	if (svg->within) {
		put_head_within(svg, &head);
	} else {
		put_head(svg, &head);
		put_style(svg, &head);
		put_paper(svg, &head);
	}
	put_links(svg, &tail);
	buffer_text(&tail, "</svg>\n");
	fwrite(head.text, 1, head.n, f);
	if (svg->body.n)
		fwrite(svg->body.text, 1, svg->body.n, f);
	fwrite(tail.text, 1, tail.n, f);
	buffer_release(&head);
	buffer_release(&tail);
	if (!c->err.set && !svg->within)
		outfile_close_changed(&svg->out, &c->err);
}
