/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report/page/html.h"

#include "base/min_max.h"
#include "base/text_builder.h"
#include "base/utf8.h"
#include "report/page/html_table.h"
#include "report/page/rich_text.h"

#include <stdlib.h>
#include <string.h>

/* What is open while the blocks are written. */
struct writer {
	const struct document *d;
	const struct html_form *form;
	FILE *f;
	struct err *err;
	bool titled; /* a title has been written, or what stands for one */
	bool section, points, code;
	const void *legend; /* that the section has shown */
	int headings; /* of level 1 so far: those without a place are counted */
};

static const char *const verdict_class[] = {"", "kept", "broken", "open"};

bool html_is_unseen(uint32_t code)
{
	return code == UTF8_BAD || utf8_is_obeyed(code) || (code & 0xfffe) == 0xfffe;
}

static void put_unseen(FILE *f)
{
	fputs("\xef\xbf\xbd", f);
}

void html_text(FILE *f, const char *text)
{
	for (const char *p = text; *p;) {
		const char *from = p;
		uint32_t code = utf8_next(&p);
		if (code == '\n' || code == '\t' || code == '\r')
			fputc(' ', f);
		else if (code == '<')
			fputs("&lt;", f);
		else if (code == '>')
			fputs("&gt;", f);
		else if (code == '&')
			fputs("&amp;", f);
		else if (code == '"')
			fputs("&quot;", f);
		else if (html_is_unseen(code))
			put_unseen(f);
		else
			fwrite(from, 1, (size_t)(p - from), f);
	}
}

static bool is_outer(const char *link)
{
	return !strncmp(link, "https://", 8) || !strncmp(link, "http://", 7);
}

static bool leads_somewhere(const struct document *d, const char *link)
{
	return link && (*link == '#' ? document_has_place(d, link + 1) : is_outer(link));
}

static void begin_link(FILE *f, const char *link)
{
	fputs(*link == '#' ? "<a href=\"#to-" : "<a rel=\"noreferrer noopener\" href=\"", f);
	html_text(f, link + (*link == '#'));
	fputs("\">", f);
}

static void put_piece(FILE *f, const struct document *d, const struct rich_piece *piece)
{
	const char *element = piece->code ? "code" : piece->bold ? "strong" : NULL;
	if (element)
		fprintf(f, "<%s>", element);
	html_text(f, piece->page ? texts_find(d->texts, "html.here") : piece->text);
	if (element)
		fprintf(f, "</%s>", element);
}

/* A page of HTML has no pages: "page ¶" is "here". */
static const char *without_pages(const struct document *d, struct arena *a, const char *text)
{
	const char *page = texts_find(d->texts, "link.page");
	struct text_builder result = {.arena = a};
	for (const char *at; *page && (at = strstr(text, page)); text = at + strlen(page))
		text_add(&result, "%.*s%s", (int)(at - text), text,
			texts_find(d->texts, "html.here"));
	text_add(&result, "%s", text);
	return text_built(&result);
}

void html_rich(FILE *f, const struct document *d, const char *text)
{
	struct arena scratch = {0};
	int n;
	const struct rich_piece *piece =
		rich_pieces(&scratch, without_pages(d, &scratch, text), &n);
	const char *open = NULL;
	for (int i = 0; i < n; i++) {
		const char *link = leads_somewhere(d, piece[i].link) ? piece[i].link : NULL;
		if (open && link != open)
			fputs("</a>", f);
		if (link && link != open)
			begin_link(f, link);
		open = link;
		put_piece(f, d, &piece[i]);
	}
	fputs(open ? "</a>" : "", f);
	arena_release(&scratch);
}

static void put_id(const struct writer *w, const char *place)
{
	if (!place)
		return;
	fputs(" id=\"to-", w->f);
	html_text(w->f, place);
	fputc('"', w->f);
}

static void put_plate(const struct writer *w, const struct block *b)
{
	fprintf(w->f, "<span class=\"plate %s\">", verdict_class[b->verdict]);
	html_rich(w->f, w->d, b->note);
	fputs("</span>", w->f);
}

/* One element of a text, with a class where it has one. */
static void put_text(
	const struct writer *w, const struct block *b, const char *element, const char *class)
{
	fprintf(w->f, "<%s", element);
	put_id(w, b->place);
	if (class)
		fprintf(w->f, " class=\"%s\"", class);
	fputc('>', w->f);
	html_rich(w->f, w->d, b->text);
	fprintf(w->f, "</%s>\n", element);
}

static void put_title(struct writer *w, const struct block *b)
{
	put_text(w, b, "h1", NULL);
	w->titled = true;
	if (!b->note)
		return;
	fputs("<p class=\"note\">", w->f);
	html_rich(w->f, w->d, b->note);
	fputs("</p>\n", w->f);
}

static void begin_section(struct writer *w)
{
	fputs(w->section ? "</section>\n<section>\n" : "<section>\n", w->f);
	w->section = true;
}

/* Of a document without a title the first heading is one. */
static int level_of(struct writer *w, const struct block *b)
{
	int level = b->level > 3 ? 4 : b->level + (w->titled ? 1 : 0);
	w->titled = true;
	return max_int(1, level);
}

static void put_heading(struct writer *w, const struct block *b)
{
	const int level = level_of(w, b);
	if (b->level == 1)
		begin_section(w);
	if (b->level < 3)
		w->legend = NULL;
	fprintf(w->f, "<h%d", level);
	if (b->level == 1 && !b->place)
		fprintf(w->f, " id=\"part-%d\"", ++w->headings);
	put_id(w, b->place);
	fputc('>', w->f);
	html_rich(w->f, w->d, b->text);
	if (b->note)
		put_plate(w, b);
	fprintf(w->f, "</h%d>\n", level);
}

static void put_point(struct writer *w, const struct block *b)
{
	if (!w->points)
		fputs("<ul class=\"points\">\n", w->f);
	w->points = true;
	fputs("<li", w->f);
	put_id(w, b->place);
	fputs(b->small ? " class=\"small\">" : ">", w->f);
	if (b->note)
		put_plate(w, b);
	html_rich(w->f, w->d, b->text);
	if (w->form->behind)
		w->form->behind(w->f, b, w->form->data);
	fputs("</li>\n", w->f);
}

static void put_kpis(const struct writer *w, const struct block *b)
{
	fputs("<dl class=\"kpis\">\n", w->f);
	for (int i = 0; i < b->n; i++) {
		fputs("<div><dt>", w->f);
		html_rich(w->f, w->d, b->kpi[i].label);
		fputs("</dt><dd>", w->f);
		html_rich(w->f, w->d, b->kpi[i].value);
		fputs("</dd></div>\n", w->f);
	}
	fputs("</dl>\n", w->f);
}

static void put_code(struct writer *w, const struct block *b)
{
	fputs(w->code && !b->opens_code ? "\n"
			: w->code	? "</code></pre>\n<pre><code>"
					: "<pre><code>",
		w->f);
	w->code = true;
	html_text(w->f, b->text);
}

static void put_lines(const struct writer *w, const struct block *b)
{
	for (int i = 0; i < b->n; i++)
		put_text(w, b, "p", "line");
}

/* Drawn into memory: how long it is decides whether it has room. */
static int draw_figure(struct writer *w, const struct figure *figure, char **text, size_t *n)
{
	FILE *f = open_memstream(text, n);
	if (!f)
		out_of_memory(0);
	const struct canvas_info info = {
		.id = figure->id, .alt = figure->alt, .title = figure->alt};
	struct canvas *c = canvas_svg_within(f, w->d->fonts, &info);
	struct box box = {0, 0, document_width, figure->height};
	canvas_page(c, box.w, box.h, NULL);
	figure->draw(c, box, figure->data);
	if (figure->legend && figure->legend != w->legend)
		figure->draw_legend(c, box, figure->data);
	int result = canvas_close_noting(c, w->form->path, w->form->undrawn, w->err);
	fclose(f);
	return result;
}

static int put_figure(struct writer *w, const struct block *b)
{
	char *text = NULL;
	size_t n = 0;
	int result = draw_figure(w, b->figure, &text, &n);
	bool fits = (size_t)ftell(w->f) + n <= w->form->most_bytes;
	fputs("<figure", w->f);
	put_id(w, b->place);
	if (fits && w->form->figure_attributes)
		w->form->figure_attributes(w->f, b, w->form->data);
	fputs(">\n", w->f);
	if (fits) {
		fwrite(text, 1, n, w->f);
		w->legend = b->figure->legend;
	} else {
		fputs("<p class=\"caption\">", w->f);
		html_text(w->f, texts_find(w->d->texts, "html.no_room"));
		fputc(' ', w->f);
		html_text(w->f, b->figure->alt);
		fputs("</p>\n", w->f);
	}
	fputs("</figure>\n", w->f);
	free(text);
	return result;
}

/* What goes on only with blocks of its own kind. */
static void end_runs(struct writer *w, const struct block *next)
{
	if (w->points && (!next || next->kind != BLOCK_POINT))
		fputs("</ul>\n", w->f);
	if (w->code && (!next || next->kind != BLOCK_CODE))
		fputs("</code></pre>\n", w->f);
	w->points = w->points && next && next->kind == BLOCK_POINT;
	w->code = w->code && next && next->kind == BLOCK_CODE;
}

static int put_block(struct writer *w, const struct block *b)
{
	switch (b->kind) {
	case BLOCK_TITLE:
		put_title(w, b);
		break;
	case BLOCK_HEADING:
		put_heading(w, b);
		break;
	case BLOCK_CAPTION:
		put_text(w, b, "p", "caption");
		break;
	case BLOCK_POINT:
		put_point(w, b);
		break;
	case BLOCK_KPIS:
		put_kpis(w, b);
		break;
	case BLOCK_TABLE:
		html_table(w->f, w->d, b->table);
		break;
	case BLOCK_FIGURE:
		return put_figure(w, b);
	case BLOCK_LINES:
		put_lines(w, b);
		break;
	case BLOCK_CODE:
		put_code(w, b);
		break;
	case BLOCK_PAGE:
		break;
	default:
		put_text(w, b, "p", NULL);
	}
	return 0;
}

/* The headings of level 1, where there are enough to need a list. */
static void put_contents(const struct writer *w)
{
	enum { FEW = 2 };
	int n = 0, unnamed = 0;
	for (const struct block *b = w->d->first; b; b = b->next)
		n += b->kind == BLOCK_HEADING && b->level == 1;
	if (n <= FEW)
		return;
	fputs("<nav aria-label=\"", w->f);
	html_text(w->f, texts_find(w->d->texts, "html.contents"));
	fputs("\"><ol>\n", w->f);
	for (const struct block *b = w->d->first; b; b = b->next) {
		if (b->kind != BLOCK_HEADING || b->level != 1)
			continue;
		struct arena scratch = {0};
		fputs("<li><a href=\"#", w->f);
		if (b->place)
			fputs("to-", w->f);
		else
			fprintf(w->f, "part-%d", ++unnamed);
		html_text(w->f, b->place ? b->place : "");
		fputs("\">", w->f);
		html_text(w->f, rich_plain(&scratch, b->bookmark ? b->bookmark : b->text));
		fputs("</a></li>\n", w->f);
		arena_release(&scratch);
	}
	fputs("</ol></nav>\n", w->f);
}

int html_write(const struct document *d, const struct html_form *form, FILE *f, struct err *err)
{
	struct writer w = {.d = d, .form = form, .f = f, .err = err};
	put_contents(&w);
	fputs("<main>\n", f);
	for (const struct block *b = d->first; b; b = b->next) {
		end_runs(&w, b);
		if (put_block(&w, b))
			return -1;
	}
	end_runs(&w, NULL);
	fputs(w.section ? "</section>\n</main>\n" : "</main>\n", f);
	return 0;
}
