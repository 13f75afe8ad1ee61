/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/block_texts.h"

#include "base/hash.h"
#include "report/page/layout_parts.h"

static const double PLATE_GAP = 10;

static rgba colour(const struct document *d, const char *name)
{
	return texts_colour(d->texts, name);
}

static struct rich_style block_style(const struct document *d, const struct block *b)
{
	struct rich_style s = {.face = FACE_SANS,
		.size = 8.6,
		.leading = 11.4,
		.colour = colour(d, "ink"),
		.link = colour(d, "link")};
	if (b->kind == BLOCK_TITLE) {
		s.face = FACE_BOLD;
		s.size = 19;
		s.leading = 24;
	} else if (b->kind == BLOCK_CAPTION || b->small) {
		s.size = 7.6;
		s.leading = 9.9;
		s.colour = colour(d, b->small ? "ink" : "secondary");
	} else if (b->kind == BLOCK_HEADING) {
		static const double sizes[] = {15, 15, 11, 8.6}, leadings[] = {19, 19, 14, 12.4};
		s.face = FACE_BOLD;
		s.size = sizes[b->level];
		s.leading = leadings[b->level];
	}
	return s;
}

static struct rich note_of(struct arena *a, const struct document *d, const struct places *known,
	const struct block *b)
{
	static const char *const names[] = {"link", "kept", "broken", "open"};
	bool title = b->kind == BLOCK_TITLE;
	struct rich_style s = {.face = title ? FACE_SANS : FACE_BOLD,
		.size = title ? 9 : 8,
		.leading = 12,
		.colour = colour(d, title ? "secondary" : names[b->verdict]),
		.link = colour(d, "link")};
	return rich_layout(a, d->fonts, known, b->note, document_width, &s);
}

double block_plate_width(const struct rich *note)
{
	return (note->n_lines ? note->line[0].width : 0) + 2 * PLATE_PAD;
}

/* The text of a block, beside what stands at its left or right. */
static struct rich text_of(struct arena *a, const struct document *d, const struct places *known,
	const struct block *b, const struct rich *note)
{
	struct rich_style s = block_style(d, b);
	double width = document_width;
	if (b->kind == BLOCK_POINT)
		width -= POINT_INDENT;
	if (b->kind == BLOCK_HEADING && b->note)
		width -= block_plate_width(note) + PLATE_GAP;
	return rich_layout(a, d->fonts, known, b->text, width, &s);
}

static struct laid **slot_of(const struct block_texts *x, const struct block *b)
{
	return &x->slot[hash_quick((const char *)&b, sizeof b) & (x->n_slots - 1)];
}

static void put(struct block_texts *x, struct laid *one)
{
	struct laid **slot = slot_of(x, one->block);
	one->same = *slot;
	*slot = one;
}

static void grow(struct block_texts *x)
{
	struct laid **old = x->slot;
	size_t n = x->n_slots;
	x->n_slots = n ? 4 * n : 256;
	x->slot = arena_array(x->arena, x->n_slots, sizeof(struct laid *));
	for (size_t i = 0; i < n; i++)
		for (struct laid *one = old[i], *next; one; one = next) {
			next = one->same;
			put(x, one);
		}
}

static struct laid *find(struct block_texts *x, const struct block *b)
{
	struct laid *one = x->n ? *slot_of(x, b) : NULL;
	while (one && one->block != b)
		one = one->same;
	if (one)
		return one;
	if (x->n++ == x->n_slots)
		grow(x);
	one = arena_alloc(x->arena, sizeof *one);
	one->block = b;
	put(x, one);
	return one;
}

const struct laid *block_texts_of(struct block_texts *x, const struct block *b)
{
	struct laid *one = find(x, b);
	if (one->pass == x->pass || (one->pass && !one->numbered))
		return one;
	one->pass = x->pass;
	if (b->kind == BLOCK_TABLE) {
		one->table =
			table_measure(x->arena, x->document, x->known, b->table, document_width);
		one->numbered = one->table->numbered;
		return one;
	}
	if (b->note)
		one->note = note_of(x->arena, x->document, x->known, b);
	one->text = text_of(x->arena, x->document, x->known, b, &one->note);
	one->numbered = one->text.numbered || one->note.numbered;
	return one;
}

double block_text_height(const struct laid *x, const struct block *b)
{
	if (b->kind != BLOCK_TITLE)
		return x->text.height;
	return x->text.height + (b->note ? x->note.height + TITLE_GAP : 0) + 6;
}
