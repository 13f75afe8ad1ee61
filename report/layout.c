#include "report/layout.h"

#include "report/table.h"

#include <string.h>

static const double PAGE_W = 595.28, PAGE_H = 841.89, LEFT = 40, TOP = 36, BOTTOM = 40;
static const double FLOW_LEAST = 0.5; /* of a page */
static const double PLATE_PAD = 6, PLATE_GAP = 10, TITLE_GAP = 4, POINT_INDENT = 22,
		    LINE_PITCH = 18, CODE_SIZE = 6.2, CODE_PITCH = 7.4;

struct flow {
	struct layout *l;
	struct arena *a;
	const struct document *d;
	const struct places *known; /* page numbers of the pass before, NULL in the first */
	double y;
	int page;
	bool fresh; /* nothing stands on this page yet */
};

static rgba colour(const struct flow *f, const char *name)
{
	return texts_colour(f->d->texts, name);
}

static struct rich_style block_style(const struct flow *f, const struct block *b)
{
	struct rich_style s = {.face = FACE_SANS,
		.size = 8.6,
		.leading = 12.4,
		.colour = colour(f, "ink"),
		.link = colour(f, "link")};
	if (b->kind == BLOCK_TITLE) {
		s.face = FACE_BOLD;
		s.size = 19;
		s.leading = 24;
	} else if (b->kind == BLOCK_CAPTION || b->small) {
		s.size = 7.6;
		s.leading = 10.4;
		s.colour = colour(f, b->small ? "ink" : "secondary");
	} else if (b->kind == BLOCK_HEADING) {
		static const double sizes[] = {15, 15, 11, 8.6}, leadings[] = {19, 19, 14, 12.4};
		s.face = FACE_BOLD;
		s.size = sizes[b->level];
		s.leading = leadings[b->level];
	}
	return s;
}

static double space_before(const struct flow *f, const struct block *b)
{
	static const double spaces[BLOCK_KINDS] = {[BLOCK_TEXT] = 5,
		[BLOCK_CAPTION] = 4,
		[BLOCK_POINT] = 4,
		[BLOCK_KPIS] = 8,
		[BLOCK_TABLE] = 6,
		[BLOCK_FIGURE] = 8,
		[BLOCK_LINES] = 4};
	if (f->fresh)
		return 0;
	if (b->kind == BLOCK_HEADING)
		return b->level == 2 ? 14 : b->level == 3 ? 9 : 20;
	if (b->kind == BLOCK_CAPTION && b->level)
		return 10;
	if (b->kind == BLOCK_CODE)
		return b->opens_code ? 5 : 0;
	return spaces[b->kind];
}

static struct piece *add_piece(struct flow *f, const struct block *b)
{
	struct layout *l = f->l;
	if (l->n == l->room) {
		struct piece *old = l->piece;
		int room = l->room ? l->room * 2 : 64;
		l->piece = arena_array(f->a, (size_t)room, sizeof *l->piece);
		if (old)
			memcpy(l->piece, old, (size_t)l->n * sizeof *old);
		l->room = room;
	}
	struct piece *p = &l->piece[l->n++];
	*p = (struct piece){.block = b, .page = f->page, .x = LEFT, .y = f->y};
	if (b->place)
		places_add(l->places, f->a, b->place, f->page);
	l->n_pages = f->page;
	return p;
}

static void new_page(struct flow *f)
{
	if (f->fresh && f->page)
		return;
	f->page++;
	f->y = TOP;
	f->fresh = true;
}

static struct rich note_of(struct flow *f, const struct block *b)
{
	static const char *const names[] = {"link", "kept", "broken", "open"};
	bool title = b->kind == BLOCK_TITLE;
	struct rich_style s = {.face = title ? FACE_SANS : FACE_BOLD,
		.size = title ? 9 : 8,
		.leading = 12,
		.colour = colour(f, title ? "secondary" : names[b->verdict]),
		.link = colour(f, "link")};
	return rich_layout(f->a, f->d->fonts, f->known, b->note, document_width, &s);
}

static double plate_width(const struct rich *note)
{
	return (note->n_lines ? note->line[0].width : 0) + 2 * PLATE_PAD;
}

/* The text of a block, beside what stands at its left or right. */
static struct rich text_of(struct flow *f, const struct block *b)
{
	struct rich_style s = block_style(f, b);
	double width = document_width;
	if (b->kind == BLOCK_POINT)
		width -= POINT_INDENT;
	if (b->kind == BLOCK_HEADING && b->note) {
		struct rich note = note_of(f, b);
		width -= plate_width(&note) + PLATE_GAP;
	}
	return rich_layout(f->a, f->d->fonts, f->known, b->text, width, &s);
}

static double text_height_of(struct flow *f, const struct block *b)
{
	struct arena_mark mark = arena_mark(f->a);
	double h = text_of(f, b).height;
	if (b->kind == BLOCK_TITLE)
		h += (b->note ? note_of(f, b).height + TITLE_GAP : 0) + 6;
	arena_reset(f->a, mark);
	return h;
}

static double block_height(struct flow *f, const struct block *b)
{
	switch (b->kind) {
	case BLOCK_KPIS:
		return 38;
	case BLOCK_FIGURE:
		return b->figure->height;
	case BLOCK_LINES:
		return b->n * LINE_PITCH;
	case BLOCK_CODE:
		return CODE_PITCH;
	case BLOCK_TABLE: {
		struct arena_mark mark = arena_mark(f->a);
		struct table_layout *t =
			table_measure(f->a, f->d, f->known, b->table, document_width);
		int n = b->table->n_rows < 4 ? b->table->n_rows : 4;
		double h = table_height(t, 0, n);
		arena_reset(f->a, mark);
		return h;
	}
	case BLOCK_PAGE:
		return 0;
	default:
		return text_height_of(f, b);
	}
}

static bool keeps_with_next(const struct block *b)
{
	if (!b->next || b->next->kind == BLOCK_PAGE)
		return false;
	bool leads = b->kind == BLOCK_CAPTION || b->kind == BLOCK_TEXT;
	return b->kind == BLOCK_HEADING || (leads && b->level) ||
		(b->kind == BLOCK_FIGURE && b->next->kind == BLOCK_CAPTION && !b->next->level);
}

/* The block and all that must stay with it. */
static double kept_height(struct flow *f, const struct block *b)
{
	double h = space_before(f, b) + block_height(f, b);
	bool fresh = f->fresh;
	f->fresh = false;
	if (keeps_with_next(b))
		h += kept_height(f, b->next);
	f->fresh = fresh;
	return h;
}

static void place_table(struct flow *f, const struct block *b)
{
	struct table_layout *t = table_measure(f->a, f->d, f->known, b->table, document_width);
	for (int first = 0; first < b->table->n_rows || first == 0;) {
		double room = PAGE_H - BOTTOM - f->y;
		int n = table_rows_that_fit(t, first, room);
		if (!n && !f->fresh && b->table->n_rows) {
			new_page(f);
			continue;
		}
		if (!n && b->table->n_rows)
			n = 1;
		struct piece *p = add_piece(f, b);
		p->table = t;
		p->first = first;
		p->n = n;
		f->y += table_height(t, first, n);
		f->fresh = false;
		first += n;
		if (first >= b->table->n_rows)
			break;
		new_page(f);
	}
}

static void place_plain(struct flow *f, const struct block *b)
{
	struct piece *p = add_piece(f, b);
	if (b->kind != BLOCK_CODE)
		p->rich = text_of(f, b);
	if (b->note)
		p->note = note_of(f, b);
	f->y += block_height(f, b);
}

/* A chapter that may flow begins below the end of the one before, when most of the page is still
 * free. */
static bool begins_page(const struct flow *f, const struct block *b)
{
	if (b->kind == BLOCK_PAGE)
		return true;
	if (b->kind != BLOCK_HEADING || b->level != 1)
		return false;
	return !b->flows || PAGE_H - BOTTOM - f->y < FLOW_LEAST * (PAGE_H - TOP - BOTTOM);
}

static void place_block(struct flow *f, const struct block *b)
{
	if (begins_page(f, b)) {
		new_page(f);
		if (b->kind == BLOCK_PAGE)
			return;
	}
	if (!f->fresh && f->y + kept_height(f, b) > PAGE_H - BOTTOM)
		new_page(f);
	f->y += space_before(f, b);
	if (b->kind == BLOCK_TABLE)
		place_table(f, b);
	else
		place_plain(f, b);
	f->fresh = false;
}

static struct layout *flow(struct arena *a, const struct document *d, const struct places *known)
{
	struct layout *l = arena_alloc(a, sizeof *l);
	*l = (struct layout){.document = d, .places = places_new(a)};
	struct flow f = {.l = l, .a = a, .d = d, .known = known};
	new_page(&f);
	for (const struct block *b = d->first; b; b = b->next)
		place_block(&f, b);
	return l;
}

struct layout *layout_document(struct arena *a, const struct document *d)
{
	enum { MOST_TRIES = 8 };
	struct arena scratch = {0};
	const struct places *known = flow(&scratch, d, NULL)->places;
	struct layout *l = flow(a, d, known);
	/* A number may make a line longer, and that may move what it numbers. */
	for (int i = 2; i < MOST_TRIES && !places_same(known, l->places); i++) {
		known = l->places;
		l = flow(a, d, known);
	}
	arena_release(&scratch);
	return l;
}

/* Drawing. */

static void draw_plate(struct canvas *c, const struct document *d, const struct piece *p)
{
	static const char *const grounds[] = {
		"band", "kept_ground", "broken_ground", "open_ground"};
	double w = plate_width(&p->note), x = LEFT + document_width - w;
	canvas_rect(c, (struct box){x, p->y + 2, w, 15},
		texts_colour(d->texts, grounds[p->block->verdict]));
	rich_draw(c, &p->note, x + PLATE_PAD, p->y + 3.5, w);
}

static void draw_heading(struct canvas *c, const struct document *d, const struct piece *p)
{
	const struct block *b = p->block;
	if (b->level < 3 || b->place) {
		struct arena scratch = {0};
		canvas_mark(c, MARK_OUTLINE, (struct box){LEFT, p->y, document_width, 12},
			rich_plain(&scratch, b->bookmark ? b->bookmark : b->text),
			b->level - (b->band ? 0 : 1));
		arena_release(&scratch);
	}
	if (b->flows && p->y > TOP + 1)
		canvas_line(c, (struct pt){LEFT, p->y - 10},
			(struct pt){LEFT + document_width, p->y - 10},
			&(struct stroke){.colour = texts_colour(d->texts, "ink"), .width = 0.9});
	rich_draw(c, &p->rich, p->x, p->y, document_width);
	if (b->note)
		draw_plate(c, d, p);
}

static void draw_title(struct canvas *c, const struct document *d, const struct piece *p)
{
	canvas_mark(
		c, MARK_OUTLINE, (struct box){LEFT, p->y, document_width, 12}, p->block->text, 0);
	rich_draw(c, &p->rich, p->x, p->y, document_width);
	double y = p->y + p->rich.height;
	if (p->block->note) {
		rich_draw(c, &p->note, p->x, y + 1, document_width);
		y += p->note.height + TITLE_GAP;
	}
	canvas_line(c, (struct pt){LEFT, y + 4}, (struct pt){LEFT + document_width, y + 4},
		&(struct stroke){.colour = texts_colour(d->texts, "ink"), .width = 0.9});
}

static void draw_kpis(struct canvas *c, const struct document *d, const struct piece *p)
{
	const struct block *b = p->block;
	double pitch = document_width / (b->n > 4 ? b->n : 4);
	struct stroke thin = {.colour = texts_colour(d->texts, "rule"), .width = 0.5};
	double size = 15;
	for (int i = 0; i < b->n; i++) {
		double w = text_width(d->fonts, FACE_BOLD, 15, b->kpi[i].value);
		if (w > pitch - 16 && 15 * (pitch - 16) / w < size)
			size = 15 * (pitch - 16) / w;
	}
	for (int i = 0; i < b->n; i++) {
		double x = LEFT + i * pitch + (i ? 10 : 0);
		if (i)
			canvas_line(c, (struct pt){x - 10, p->y}, (struct pt){x - 10, p->y + 28},
				&thin);
		canvas_text_at(c, (struct pt){x, p->y + 14}, b->kpi[i].value,
			&(struct text_style){.face = FACE_BOLD,
				.size = size,
				.colour = texts_colour(d->texts, "ink")});
		canvas_text_at(c, (struct pt){x, p->y + 26}, b->kpi[i].label,
			&(struct text_style){.face = FACE_SANS,
				.size = 7.6,
				.colour = texts_colour(d->texts, "secondary")});
	}
	double y = p->y + 36;
	canvas_line(c, (struct pt){LEFT, y}, (struct pt){LEFT + document_width, y}, &thin);
}

static void draw_lines(struct canvas *c, const struct document *d, const struct piece *p)
{
	struct stroke thin = {.colour = texts_colour(d->texts, "rule"), .width = 0.5};
	for (int i = 1; i <= p->block->n; i++) {
		double y = p->y + i * LINE_PITCH - 2;
		canvas_line(c, (struct pt){LEFT, y}, (struct pt){LEFT + document_width, y}, &thin);
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

static void draw_piece(struct canvas *c, const struct document *d, const struct piece *p)
{
	const struct block *b = p->block;
	if (b->place)
		canvas_mark(
			c, MARK_DEST, (struct box){LEFT, p->y, document_width, 12}, b->place, 0);
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
		b->figure->draw(c, (struct box){p->x, p->y, document_width, b->figure->height},
			b->figure->data);
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
}

/* Where a page does not belong to this run, its head and foot say so. */
static void draw_band(struct canvas *c, const struct layout *l, const char *band)
{
	const struct texts *t = l->document->texts;
	canvas_rect(c, (struct box){LEFT, 15, document_width, 13}, texts_colour(t, "open_ground"));
	canvas_text_at(c, (struct pt){LEFT + PLATE_PAD, 24}, band,
		&(struct text_style){
			.face = FACE_BOLD, .size = 7, .colour = texts_colour(t, "open")});
}

static void draw_footer(struct canvas *c, const struct layout *l, int page, const char *band)
{
	const struct texts *t = l->document->texts;
	double y = PAGE_H - 30;
	canvas_line(c, (struct pt){LEFT, y}, (struct pt){LEFT + document_width, y},
		&(struct stroke){.colour = texts_colour(t, "rule"), .width = 0.4});
	struct text_style s = {.face = FACE_SANS, .size = 7, .colour = texts_colour(t, "tertiary")};
	const char *footer = band ? band : l->document->footer;
	canvas_text_at(c, (struct pt){LEFT, y + 11}, footer ? footer : "", &s);
	char number[32];
	snprintf(number, sizeof number, "%d / %d", page, l->n_pages);
	s.anchor = ANCHOR_END;
	canvas_text_at(c, (struct pt){LEFT + document_width, y + 11}, number, &s);
}

void layout_draw(const struct layout *l, struct canvas *c)
{
	int page = 0;
	for (int i = 0; i < l->n; i++) {
		while (page < l->piece[i].page) {
			char label[16];
			snprintf(label, sizeof label, "%d", ++page);
			canvas_page(c, PAGE_W, PAGE_H, label);
			const char *band = l->piece[i].block->band;
			if (band)
				draw_band(c, l, band);
			draw_footer(c, l, page, band);
		}
		draw_piece(c, l->document, &l->piece[i]);
	}
}
