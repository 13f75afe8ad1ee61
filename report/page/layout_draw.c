/* SPDX-License-Identifier: Apache-2.0 */
#include "base/min_max.h"
#include "report/page/block_texts.h"
#include "report/page/layout_parts.h"
#include "report/page/table_layout.h"

static const double CODE_SIZE = 7;

static void draw_plate(struct canvas *c, const struct document *d, const struct piece *p)
{
	static const char *const grounds[] = {
		"band", "kept_ground", "broken_ground", "open_ground"};
	double w = block_plate_width(&p->note), x = d->paper->left + document_width - w;
	canvas_rect(c, (struct box){x, p->y + 2, w, 15},
		texts_colour(d->texts, grounds[p->block->verdict]));
	rich_draw(c, &p->note, x + PLATE_PAD, p->y + 3.5, w);
}

static void draw_heading(struct canvas *c, const struct document *d, const struct piece *p)
{
	const struct block *b = p->block;
	if (b->level < 3 || b->place) {
		struct arena scratch = {0};
		canvas_mark(c, MARK_OUTLINE, (struct box){d->paper->left, p->y, document_width, 12},
			rich_plain(&scratch, b->bookmark ? b->bookmark : b->text),
			b->level - (b->band ? 0 : 1));
		arena_release(&scratch);
	}
	if (b->flows && p->y > TOP + 1)
		canvas_line(c, (struct pt){d->paper->left, p->y - 10},
			(struct pt){d->paper->left + document_width, p->y - 10},
			&(struct stroke){.colour = texts_colour(d->texts, "ink"), .width = 0.9});
	rich_draw(c, &p->rich, p->x, p->y, document_width);
	if (b->note)
		draw_plate(c, d, p);
}

static void draw_title(struct canvas *c, const struct document *d, const struct piece *p)
{
	struct arena scratch = {0};
	canvas_mark(c, MARK_OUTLINE, (struct box){d->paper->left, p->y, document_width, 12},
		rich_plain(&scratch, p->block->text), 0);
	arena_release(&scratch);
	rich_draw(c, &p->rich, p->x, p->y, document_width);
	double y = p->y + p->rich.height;
	if (p->block->note) {
		rich_draw(c, &p->note, p->x, y + 1, document_width);
		y += p->note.height + TITLE_GAP;
	}
	canvas_line(c, (struct pt){d->paper->left, y + 4},
		(struct pt){d->paper->left + document_width, y + 4},
		&(struct stroke){.colour = texts_colour(d->texts, "ink"), .width = 0.9});
}

static void draw_kpis(struct canvas *c, const struct document *d, const struct piece *p)
{
	const struct block *b = p->block;
	double pitch = document_width / max_int(b->n, 4);
	struct stroke thin = {.colour = texts_colour(d->texts, "rule"), .width = 0.5};
	double size = 15;
	for (int i = 0; i < b->n; i++) {
		double w = text_width(d->fonts, FACE_BOLD, 15, b->kpi[i].value);
		if (w > pitch - 16 && 15 * (pitch - 16) / w < size)
			size = 15 * (pitch - 16) / w;
	}
	for (int i = 0; i < b->n; i++) {
		double x = d->paper->left + i * pitch + (i ? 10 : 0);
		if (i)
			canvas_line(c, (struct pt){x - 10, p->y}, (struct pt){x - 10, p->y + 28},
				&thin);
		canvas_tag(c, &(struct tag){.kind = TAG_PARAGRAPH});
		canvas_text_at(c, (struct pt){x, p->y + 14}, b->kpi[i].value,
			&(struct text_style){.face = FACE_BOLD,
				.size = size,
				.colour = texts_colour(d->texts, "ink")});
		canvas_text_at(c, (struct pt){x, p->y + 26}, b->kpi[i].label,
			&(struct text_style){.face = FACE_SANS,
				.size = 7.6,
				.colour = texts_colour(d->texts, "secondary")});
		canvas_untag(c);
	}
	double y = p->y + 36;
	canvas_line(c, (struct pt){d->paper->left, y},
		(struct pt){d->paper->left + document_width, y}, &thin);
}

static void draw_lines(struct canvas *c, const struct document *d, const struct piece *p)
{
	struct stroke thin = {.colour = texts_colour(d->texts, "rule"), .width = 0.5};
	struct text_style label = {
		.face = FACE_SANS, .size = 9, .colour = texts_colour(d->texts, "secondary")};
	double w = text_width(d->fonts, label.face, label.size, p->block->text);
	for (int i = 1; i <= p->block->n; i++) {
		double y = p->y + i * LINE_PITCH - 2;
		if (w)
			canvas_text_at(
				c, (struct pt){d->paper->left, y - 1}, p->block->text, &label);
		canvas_line(c, (struct pt){d->paper->left + (w ? w + 4 : 0), y},
			(struct pt){d->paper->left + document_width, y}, &thin);
	}
}

static void draw_code(struct canvas *c, const struct document *d, const struct piece *p)
{
	struct arena scratch = {0};
	canvas_text_at(c, (struct pt){p->x, p->y + CODE_SIZE},
		text_elide(
			&scratch, d->fonts, FACE_MONO, CODE_SIZE, document_width, p->block->text),
		&(struct text_style){.face = FACE_MONO,
			.size = CODE_SIZE,
			.colour = texts_colour(d->texts, "ink")});
	arena_release(&scratch);
}

static void draw_figure(struct canvas *c, const struct figure *figure, const struct piece *p)
{
	struct box box = {p->x, p->y, document_width, figure->height};
	if (figure->n_parts > 1)
		figure->draw_parts(c, box, figure->data, p->first, p->n);
	else
		figure->draw(c, box, figure->data);
	if (p->legend)
		figure->draw_legend(c, box, figure->data);
}

/* What a block is to who hears the page; the figures of a head are paragraphs of their own. */
static bool tag_of(const struct block *b, struct tag *tag)
{
	*tag = (struct tag){.kind = TAG_PARAGRAPH};
	switch (b->kind) {
	case BLOCK_TITLE:
		tag->kind = TAG_H1;
		return true;
	case BLOCK_HEADING:
		tag->kind = b->level < 2 ? TAG_H2 : b->level == 2 ? TAG_H3 : TAG_H4;
		return true;
	case BLOCK_FIGURE:
		*tag = (struct tag){.kind = TAG_FIGURE, .alt = b->figure->alt};
		return true;
	case BLOCK_TABLE:
	case BLOCK_KPIS:
		return false;
	default:
		return true;
	}
}

static void draw_piece(struct canvas *c, const struct document *d, const struct piece *p)
{
	const struct block *b = p->block;
	if (b->place)
		canvas_mark(c, MARK_DEST, (struct box){d->paper->left, p->y, document_width, 12},
			b->place, 0);
	struct tag tag;
	bool tagged = tag_of(b, &tag);
	if (tagged)
		canvas_tag(c, &tag);
	switch (b->kind) {
	case BLOCK_TITLE:
		draw_title(c, d, p);
		break;
	case BLOCK_HEADING:
		draw_heading(c, d, p);
		break;
	case BLOCK_KPIS:
		draw_kpis(c, d, p);
		break;
	case BLOCK_TABLE:
		table_draw(c, p->table, p->x, p->y, p->first, p->n);
		break;
	case BLOCK_FIGURE:
		draw_figure(c, b->figure, p);
		break;
	case BLOCK_LINES:
		draw_lines(c, d, p);
		break;
	case BLOCK_CODE:
		draw_code(c, d, p);
		break;
	case BLOCK_POINT:
		rich_draw(c, &p->note, p->x, p->y, POINT_INDENT);
		rich_draw(c, &p->rich, p->x + POINT_INDENT, p->y, document_width - POINT_INDENT);
		break;
	default:
		rich_draw(c, &p->rich, p->x, p->y, document_width);
	}
	if (tagged)
		canvas_untag(c);
}

/* Where a page does not belong to this run, its head and foot say so. */
static void draw_band(struct canvas *c, const struct layout *l, const char *band)
{
	const struct texts *t = l->document->texts;
	const struct paper *paper = l->document->paper;
	canvas_rect(c, (struct box){paper->left, 15, document_width, 13},
		texts_colour(t, "open_ground"));
	canvas_text_at(c, (struct pt){paper->left + PLATE_PAD, 24}, band,
		&(struct text_style){
			.face = FACE_BOLD, .size = 7, .colour = texts_colour(t, "open")});
}

static void draw_footer(struct canvas *c, const struct layout *l, int page, const char *band)
{
	const struct texts *t = l->document->texts;
	const struct paper *paper = l->document->paper;
	double y = paper->h - 30;
	canvas_line(c, (struct pt){paper->left, y}, (struct pt){paper->left + document_width, y},
		&(struct stroke){.colour = texts_colour(t, "rule"), .width = 0.4});
	struct text_style s = {.face = FACE_SANS, .size = 7, .colour = texts_colour(t, "tertiary")};
	const char *footer = band ? band : l->document->footer;
	canvas_text_at(c, (struct pt){paper->left, y + 11}, footer ? footer : "", &s);
	char number[32];
	snprintf(number, sizeof number, "%d / %d", page, l->n_pages);
	s.anchor = ANCHOR_END;
	canvas_text_at(c, (struct pt){paper->left + document_width, y + 11}, number, &s);
}

void layout_draw(const struct layout *l, struct canvas *c)
{
	int page = 0;
	for (int i = 0; i < l->n; i++) {
		while (page < l->piece[i].page) {
			char label[16];
			snprintf(label, sizeof label, "%d", ++page);
			canvas_page(c, l->document->paper->w, l->document->paper->h, label);
			const char *band = l->piece[i].block->band;
			if (band)
				draw_band(c, l, band);
			draw_footer(c, l, page, band);
		}
		draw_piece(c, l->document, &l->piece[i]);
	}
}
