/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/block_texts.h"
#include "report/page/layout_parts.h"
#include "report/page/table_layout.h"

static const double FLOW_LEAST = 0.2, SMALL_TABLE = 0.2, WAIT_LEAST = 0.12; /* of a page */
static const double CODE_PITCH = 8.4;

enum { WAIT = 4 };

struct flow {
	struct layout *l;
	struct arena *a;
	const struct document *d;
	double y;
	int page;
	bool fresh; /* nothing stands on this page yet */
	struct block_texts *texts;
	const struct block **moved; /* (n_moved) placed before their turn, since the last heading */
	int n_moved, moved_room;
	const struct block
		*waiting[WAIT]; /* (n_waiting) pictures that did not fit, in their order */
	int n_waiting;
	bool kept; /* what was placed last stays with what comes next */
};

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
		return b->level == 2 ? 12 : b->level == 3 ? 7 : 18;
	if (b->kind == BLOCK_CAPTION && b->level)
		return 10;
	if (b->kind == BLOCK_CODE)
		return b->opens_code ? 5 : 0;
	return spaces[b->kind];
}

static struct piece *add_piece(struct flow *f, const struct block *b)
{
	struct layout *l = f->l;
	l->piece = arena_room(f->a, l->piece, l->n, &l->room, sizeof *l->piece);
	struct piece *p = &l->piece[l->n++];
	*p = (struct piece){.block = b, .page = f->page, .x = f->d->paper->left, .y = f->y};
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

static const struct laid *texts_of(struct flow *f, const struct block *b)
{
	const struct laid *x = block_texts_of(f->texts, b);
	f->l->numbered |= x->numbered;
	return x;
}

/* What stays with that above the table: all of a small one. */
static double kept_rows_height(const struct table_layout *t)
{
	enum { FEW = 5, FIRST = 4 };
	double whole = table_height(t, 0, t->table->n_rows);
	return t->table->n_rows <= FEW || whole <= SMALL_TABLE * t->document->paper->h
		? whole
		: table_height(t, 0, FIRST);
}

static struct table_layout *measured(struct flow *f, const struct block *b)
{
	return texts_of(f, b)->table;
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
	case BLOCK_TABLE:
		return kept_rows_height(measured(f, b));
	case BLOCK_PAGE:
		return 0;
	default:
		return block_text_height(texts_of(f, b), b);
	}
}

static bool leads(const struct block *b)
{
	enum block_kind kind = b->kind;
	return b->level && (kind == BLOCK_CAPTION || kind == BLOCK_TEXT || kind == BLOCK_LINES);
}

static bool keeps_with_next(const struct block *b)
{
	if (!b->next || b->next->kind == BLOCK_PAGE)
		return false;
	return b->kind == BLOCK_HEADING || leads(b) || b->joined ||
		(b->kind == BLOCK_FIGURE && b->next->kind == BLOCK_CAPTION && !b->next->level);
}

static bool is_cut(const struct block *b)
{
	return b->kind == BLOCK_FIGURE && b->figure->n_parts > 1;
}

static double parts_height(const struct figure *figure, int first, int n)
{
	double h = 0;
	for (int i = first; i < first + n; i++)
		h += figure->part_height[i];
	return h;
}

/* The block and all that must stay with it. */
static double kept_height(struct flow *f, const struct block *b)
{
	if (is_cut(b))
		return space_before(f, b) + parts_height(b->figure, 0, 1);
	double h = space_before(f, b) + block_height(f, b);
	bool fresh = f->fresh;
	f->fresh = false;
	if (keeps_with_next(b))
		h += kept_height(f, b->next);
	f->fresh = fresh;
	return h;
}

/* How many rows go onto this page: no single one goes onto the next, nor stays behind. */
static int rows_here(const struct flow *f, const struct table_layout *t, int first)
{
	enum { LEAST = 2 };
	int rows = t->table->n_rows,
	    n = table_rows_that_fit(t, first, f->d->paper->h - BOTTOM - f->y);
	if (first + n >= rows)
		return n;
	if (rows - first - n < LEAST && n > LEAST)
		n = rows - first - LEAST;
	return !f->fresh && n < LEAST ? 0 : n ? n : f->fresh;
}

static void place_table(struct flow *f, const struct block *b)
{
	struct table_layout *t = measured(f, b);
	for (int first = 0; first < b->table->n_rows || first == 0;) {
		int n = rows_here(f, t, first);
		if (!n && !f->fresh && b->table->n_rows) {
			new_page(f);
			continue;
		}
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

/* How many parts of a figure go onto this page; its small print stays with the last. */
static int parts_here(struct flow *f, const struct block *b, int first)
{
	double room = f->d->paper->h - BOTTOM - f->y;
	int n = 0, left = b->figure->n_parts - first;
	while (n < left && parts_height(b->figure, first, n + 1) <= room)
		n++;
	if (n == left && keeps_with_next(b) &&
		parts_height(b->figure, first, n) + kept_height(f, b->next) > room)
		n--;
	return n || !f->fresh ? n : 1;
}

static void place_parts(struct flow *f, const struct block *b)
{
	for (int first = 0; first < b->figure->n_parts;) {
		int n = parts_here(f, b, first);
		if (!n) {
			new_page(f);
			continue;
		}
		struct piece *p = add_piece(f, b);
		p->first = first;
		p->n = n;
		f->y += parts_height(b->figure, first, n);
		f->fresh = false;
		first += n;
	}
}

/* Is the figure that was placed last the first on its page of those that share its legend? */
static bool leads_legend(const struct layout *l)
{
	const struct piece *p = &l->piece[l->n - 1], *q = p;
	const struct figure *figure = p->block->figure;
	bool leads = figure && figure->legend;
	while (leads && q > l->piece && (--q)->page == p->page)
		leads = !q->block->figure || q->block->figure->legend != figure->legend;
	return leads;
}

static void place_plain(struct flow *f, const struct block *b)
{
	struct piece *p = add_piece(f, b);
	p->legend = leads_legend(f->l);
	if (b->kind != BLOCK_CODE) {
		p->rich = texts_of(f, b)->text;
		p->note = texts_of(f, b)->note;
	}
	f->y += block_height(f, b);
}

static double whole_height(struct flow *f, const struct block *b)
{
	double h = b->kind == BLOCK_TABLE ? table_height(measured(f, b), 0, b->table->n_rows)
					  : block_height(f, b);
	return space_before(f, b) + h;
}

static bool ends_chapter(const struct block *b)
{
	return !b || b->kind == BLOCK_PAGE || (b->kind == BLOCK_HEADING && b->level == 1);
}

/* Does a chapter up to its first figure, the small print under it included, fit below what stands
 * on the page? The first of the kind `also` ends it too, of a table its first rows, and then so
 * much text without either. */
static bool opening_fits(struct flow *f, const struct block *b, enum block_kind also)
{
	enum { MUCH_TEXT = 8 };
	double h = 20 + whole_height(f, b), room = f->d->paper->h - BOTTOM - f->y;
	bool opened = false;
	int texts = 0;
	for (b = b->next; !ends_chapter(b) && h <= room; b = b->next) {
		if (opened && (b->kind != BLOCK_CAPTION || b->level))
			break;
		opened = opened || b->kind == BLOCK_FIGURE || b->kind == also ||
			(also == BLOCK_TABLE && ++texts == MUCH_TEXT);
		h += b->kind == also ? space_before(f, b) + block_height(f, b) : whole_height(f, b);
	}
	return h <= room;
}

/* A chapter that may flow begins below the end of the one before, when its opening fits there, or
 * much of the page is still free and it holds the first rows of its first table. */
static bool begins_page(struct flow *f, const struct block *b)
{
	if (b->kind == BLOCK_PAGE)
		return true;
	if (b->kind != BLOCK_HEADING || b->level != 1)
		return false;
	bool much = f->d->paper->h - BOTTOM - f->y >= FLOW_LEAST * (f->d->paper->h - TOP - BOTTOM);
	bool shares = opening_fits(f, b, BLOCK_FIGURE) || (much && opening_fits(f, b, BLOCK_TABLE));
	return !b->flows || !shares;
}

static void place_now(struct flow *f, const struct block *b)
{
	f->y += space_before(f, b);
	if (b->kind == BLOCK_TABLE)
		place_table(f, b);
	else if (is_cut(b))
		place_parts(f, b);
	else
		place_plain(f, b);
	f->fresh = false;
}

/* Belongs to the table above it: another table without a lead of its own, small print, or the lead
 * of one that goes on with it. */
static bool goes_on(const struct block *b)
{
	return b && (b->kind == BLOCK_TABLE || (b->kind == BLOCK_CAPTION && b->level != 1));
}

/* The last block of a table that says itself what it is: its lead, it and what goes on with it.
 * NULL: `b` begins none. */
static const struct block *end_of_table(const struct block *b)
{
	if (!leads(b) || goes_on(b))
		return NULL;
	while (b && leads(b))
		b = b->next;
	if (!b || b->kind != BLOCK_TABLE)
		return NULL;
	while (goes_on(b->next))
		b = b->next;
	return b->next && b->next->kind == BLOCK_POINT ? NULL : b;
}

static bool is_moved(const struct flow *f, const struct block *b)
{
	for (int i = 0; i < f->n_moved; i++)
		if (f->moved[i] == b)
			return true;
	return false;
}

static void place_early(struct flow *f, const struct block *b)
{
	f->moved = arena_room(f->a, f->moved, f->n_moved, &f->moved_room, sizeof *f->moved);
	f->moved[f->n_moved++] = b;
	place_now(f, b);
}

/* Places the table from `first` to `last` when all of it fits onto the page. */
static void move_up(struct flow *f, const struct block *first, const struct block *last)
{
	double h = 0;
	for (const struct block *b = first; b != last->next; b = b->next)
		h += whole_height(f, b);
	if (f->y + h > f->d->paper->h - BOTTOM)
		return;
	for (const struct block *b = first; b != last->next; b = b->next)
		place_early(f, b);
}

/* What comes after it may not stand above it: it says whose numbers they are. */
static bool names_its_part(const struct block *b)
{
	return b->kind == BLOCK_HEADING && b->level < 3;
}

/* A picture does not fit onto the rest of the page: tables behind it may. */
static void fill_page(struct flow *f, const struct block *b)
{
	while (b->kind != BLOCK_FIGURE && !names_its_part(b) && keeps_with_next(b))
		b = b->next;
	if (b->kind != BLOCK_FIGURE)
		return;
	for (b = b->next; b && b->kind != BLOCK_PAGE && b->kind != BLOCK_HEADING; b = b->next) {
		const struct block *last = is_moved(f, b) ? NULL : end_of_table(b);
		if (last)
			move_up(f, b, last);
		b = last ? last : b;
	}
}

/* ---- a picture that waits for the next page, while the text goes on ---- */

static bool fits(struct flow *f, const struct block *b)
{
	return f->fresh || f->y + kept_height(f, b) <= f->d->paper->h - BOTTOM;
}

static const struct block *last_kept(const struct block *b)
{
	while (keeps_with_next(b))
		b = b->next;
	return b;
}

/* In a book its text may fill the page that a picture leaves, up to the next chapter. One under a
 * heading of its own takes it along, unless more follows that belongs there. */
static bool may_wait(struct flow *f, const struct block *b)
{
	const struct block *behind = last_kept(b)->next;
	bool much = f->d->paper->h - BOTTOM - f->y >= WAIT_LEAST * (f->d->paper->h - TOP - BOTTOM);
	bool ends = behind && (behind->kind == BLOCK_HEADING || leads(behind)), headed = false;
	for (; b->kind != BLOCK_FIGURE && keeps_with_next(b); b = b->next)
		headed = headed || b->kind == BLOCK_HEADING;
	return f->d->floats && much && b->kind == BLOCK_FIGURE && !is_cut(b) && (ends || !headed);
}

/* The first of those that wait. */
static void place_waiting(struct flow *f)
{
	const struct block *b = f->waiting[0], *last = last_kept(b);
	for (int i = 1; i < f->n_waiting; i++)
		f->waiting[i - 1] = f->waiting[i];
	f->n_waiting--;
	if (!fits(f, b))
		new_page(f);
	for (const struct block *end = last->next; b != end; b = b->next)
		place_now(f, b);
}

/* Does a picture stand at the end of what stays with the block? */
static bool leads_to_picture(const struct block *b)
{
	while (b->kind != BLOCK_FIGURE && keeps_with_next(b))
		b = b->next;
	return b->kind == BLOCK_FIGURE;
}

/* Pictures keep their order: behind one that waits another waits, too, as far as there is room to
 * wait. */
static bool waits_behind(struct flow *f, const struct block *b)
{
	return f->n_waiting && f->n_waiting < WAIT && !f->kept && leads_to_picture(b) &&
		may_wait(f, b);
}

static const struct block *wait(struct flow *f, const struct block *b)
{
	f->waiting[f->n_waiting++] = b;
	f->kept = false;
	return last_kept(b);
}

/* The last block that was taken: all of a picture that waits. */
static const struct block *place_block(struct flow *f, const struct block *b)
{
	bool chapter = b->kind == BLOCK_PAGE || (b->kind == BLOCK_HEADING && b->level == 1);
	while (f->n_waiting && !f->kept && (chapter || fits(f, f->waiting[0])))
		place_waiting(f);
	if (waits_behind(f, b))
		return wait(f, b);
	f->kept = keeps_with_next(b);
	if (begins_page(f, b))
		new_page(f);
	if (b->kind == BLOCK_PAGE)
		return b;
	while (f->n_waiting && (!fits(f, b) || leads_to_picture(b))) {
		new_page(f);
		do
			place_waiting(f);
		while (f->n_waiting && fits(f, f->waiting[0]));
	}
	if (!fits(f, b)) {
		if (may_wait(f, b))
			return wait(f, b);
		fill_page(f, b);
		new_page(f);
	}
	place_now(f, b);
	return b;
}

struct layout *layout_flow(struct arena *a, struct block_texts *texts, const struct places *known)
{
	const struct document *d = texts->document;
	struct layout *l = arena_alloc(a, sizeof *l);
	*l = (struct layout){.document = d, .places = places_new(a)};
	struct flow f = {.l = l, .a = a, .d = d, .texts = texts};
	texts->known = known;
	texts->pass++;
	new_page(&f);
	for (const struct block *b = d->first; b; b = b->next) {
		if (b->kind == BLOCK_HEADING)
			f.n_moved = 0;
		if (!is_moved(&f, b))
			b = place_block(&f, b);
	}
	while (f.n_waiting)
		place_waiting(&f);
	return l;
}
