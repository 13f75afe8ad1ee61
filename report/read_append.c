#include "report/read_append.h"

#include "report/pages.h"
#include "report/read_both.h"

#include <stdlib.h>

/* The new ids of what the later part calls by its own. */
struct renaming {
	struct part *part;
	struct part *later;
	uint32_t *text, *key, *lane;
	uint32_t first_side[EVENT_KINDS]; /* rows of the side tables count on from here */
};

static uint32_t *rename_texts(struct texts *into, const struct texts *from)
{
	uint32_t *map = xcalloc(from->n, sizeof *map);
	for (uint32_t id = 1; id < from->n; id++) {
		const struct text_entry *e = &from->entry[id];
		map[id] = texts_add(into, e->text, e->length, e->form, e->offset);
	}
	return map;
}

static struct lane_id rename_id(const struct renaming *r, struct lane_id id)
{
	id.text = r->text[id.text];
	return id;
}

static uint32_t *rename_lanes(const struct renaming *r)
{
	const struct lanes *from = &r->later->lanes;
	uint32_t *map = xcalloc(from->n, sizeof *map);
	for (uint32_t i = 0; i < from->n; i++) {
		const struct lane *lane = &from->lane[i];
		map[i] = lanes_find(&r->part->lanes, rename_id(r, lane->pid),
			rename_id(r, lane->tid), lane->kind);
	}
	return map;
}

static void append_mapped(uint32_t *to, const uint32_t *from, size_t n, const uint32_t *map)
{
	for (size_t i = 0; i < n; i++)
		to[i] = map[from[i]];
}

static void append_ids(uint32_t *to, const uint32_t *from, size_t n, const uint32_t *key)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] < ID_KEY ? from[i] : ID_KEY | key[from[i] & ~ID_KEY];
}

static void set_first_sides(struct renaming *r)
{
	const struct part *part = r->part;
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		r->first_side[kind] = (uint32_t)part->n_inputs;
	r->first_side[EVENT_KERNEL] = (uint32_t)part->n_kernels;
	r->first_side[EVENT_MEMCPY] = r->first_side[EVENT_MEMSET] = (uint32_t)part->n_copies;
	r->first_side[EVENT_COUNTER] = (uint32_t)part->n_counters;
}

static void append_sides(struct rows *to, const struct rows *from, const uint32_t *first)
{
	uint32_t *side = to->side + to->n;
	for (size_t i = 0; i < from->n; i++) {
		uint32_t row = from->side[i];
		side[i] = row == NO_ROW ? NO_ROW : row + first[from->kind[i]];
	}
}

/* Makes room for n more elements of a side table. */
#define ROOM(array, count, room, n) \
	((room) < (count) + (n) ? (void)((room) = (count) + (n), \
					  (array) = pages_grow(array, room, sizeof *(array))) \
				: (void)0)

static void append_kernels(const struct renaming *r)
{
	struct part *p = r->part;
	const struct part *l = r->later;
	ROOM(p->kernels, p->n_kernels, p->kernel_room, l->n_kernels);
	if (l->n_kernels)
		memcpy(p->kernels + p->n_kernels, l->kernels, l->n_kernels * sizeof *l->kernels);
	p->n_kernels += l->n_kernels;
	ROOM(p->copies, p->n_copies, p->copy_room, l->n_copies);
	if (l->n_copies)
		memcpy(p->copies + p->n_copies, l->copies, l->n_copies * sizeof *l->copies);
	p->n_copies += l->n_copies;
}

static void append_named(const struct renaming *r)
{
	struct part *p = r->part;
	const struct part *l = r->later;
	ROOM(p->counters, p->n_counters, p->counter_room, l->n_counters);
	for (size_t i = 0; i < l->n_counters; i++)
		p->counters[p->n_counters++] =
			(struct counter){r->text[l->counters[i].series], l->counters[i].value};
	ROOM(p->inputs, p->n_inputs, p->input_room, l->n_inputs);
	for (size_t i = 0; i < l->n_inputs; i++) {
		const struct op_inputs *in = &l->inputs[i];
		p->inputs[p->n_inputs++] = (struct op_inputs){r->text[in->dims], r->text[in->types],
			r->text[in->strides], r->text[in->concrete], r->text[in->extra]};
	}
}

/* Each column of the later part is given back as soon as it is copied. */
#define FREE_COLUMN(column) (pages_free(column), (column) = NULL)

static void append_half(void *renaming)
{
	const struct renaming *r = renaming;
	struct rows *to = &r->part->rows, *from = &r->later->rows;
	size_t at = to->n, n = from->n;
	append_mapped(to->name + at, from->name, n, r->text);
	FREE_COLUMN(from->name);
	append_mapped(to->category + at, from->category, n, r->text);
	FREE_COLUMN(from->category);
	append_mapped(to->lane + at, from->lane, n, r->lane);
	FREE_COLUMN(from->lane);
	memcpy(to->start_ns + at, from->start_ns, n * sizeof *from->start_ns);
	FREE_COLUMN(from->start_ns);
	append_kernels(r);
}

static void append_other_half(void *renaming)
{
	const struct renaming *r = renaming;
	struct rows *to = &r->part->rows, *from = &r->later->rows;
	size_t at = to->n, n = from->n;
	append_sides(to, from, r->first_side);
	FREE_COLUMN(from->side);
	memcpy(to->kind + at, from->kind, n * sizeof *from->kind);
	FREE_COLUMN(from->kind);
	append_ids(to->correlation + at, from->correlation, n, r->key);
	FREE_COLUMN(from->correlation);
	append_ids(to->external + at, from->external, n, r->key);
	FREE_COLUMN(from->external);
	memcpy(to->dur_ns + at, from->dur_ns, n * sizeof *from->dur_ns);
	FREE_COLUMN(from->dur_ns);
	append_named(r);
}

/* The rows, and the side tables with them. */
static void append_rows(struct renaming *r)
{
	struct rows *to = &r->part->rows;
	size_t n = to->n + r->later->rows.n;
	if (to->room < n)
		part_grow_rows(to, n);
	both(true, append_half, r, append_other_half, r);
	to->n = n;
}

/* Before the rows are appended: marks know their rows by number. */
static void append_marks(const struct renaming *r)
{
	struct part *p = r->part;
	const struct part *l = r->later;
	ROOM(p->marks, p->n_marks, p->mark_room, l->n_marks);
	for (size_t i = 0; i < l->n_marks; i++) {
		struct mark m = l->marks[i];
		m.row += m.row == NO_ROW ? 0 : (uint32_t)p->rows.n;
		m.name = r->text[m.name];
		m.key = m.async ? r->key[m.key] : r->lane[m.key];
		p->marks[p->n_marks++] = m;
	}
}

static void append_labels(const struct renaming *r)
{
	struct part *p = r->part;
	const struct part *l = r->later;
	if (!l->n_labels)
		return;
	p->label_room = p->n_labels + l->n_labels;
	p->labels = xrealloc(p->labels, p->label_room, sizeof *p->labels);
	for (size_t i = 0; i < l->n_labels; i++) {
		struct label label = l->labels[i];
		label.pid = rename_id(r, label.pid);
		label.tid = rename_id(r, label.tid);
		label.text = r->text[label.text];
		p->labels[p->n_labels++] = label;
	}
}

void part_append(struct part *part, struct part *later)
{
	struct renaming r = {.part = part, .later = later};
	r.text = rename_texts(&part->texts, &later->texts);
	r.key = rename_texts(&part->keys, &later->keys);
	r.lane = rename_lanes(&r);
	append_marks(&r);
	append_labels(&r);
	set_first_sides(&r);
	append_rows(&r);
	repair_merge(&part->repairs, &later->repairs);
	for (int ph = 0; ph < 128; ph++)
		part->phases[ph] += later->phases[ph];
	part->elements += later->elements;
	part->zero_stamps += later->zero_stamps;
	part->fraction |= later->fraction;
	free(r.text);
	free(r.key);
	free(r.lane);
	part_release(later);
}
