/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include "base/two_threads.h"
#include "report/trace/growing_arrays.h"

#include <stdlib.h>

/* The new ids of what the later part calls by its own. */
struct renaming {
	struct part *part;
	struct part *later;
	uint32_t *text, *key, *lane;
	uint32_t first_side[EVENT_KINDS]; /* rows of the side tables count on from here */
};

static uint32_t *rename_texts(struct strings *into, const struct strings *from)
{
	uint32_t *map = xcalloc(from->n, sizeof *map);
	for (uint32_t id = 1; id < from->n; id++) {
		const struct text_entry *e = &from->entry[id];
		map[id] = strings_add(into, e->text, e->length, e->form, e->offset);
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
		const struct lane_key *lane = &from->lane[i];
		map[i] = lanes_find(&r->part->lanes, rename_id(r, lane->pid),
			rename_id(r, lane->tid), lane->kind);
	}
	return map;
}

/* Where the n elements of a later column stand now, behind those of the earlier one. */
static uint32_t *join_four(uint32_t **column, size_t at, uint32_t **later, size_t n)
{
	void *whole = *column;
	uint32_t *from = pages_join(&whole, at, *later, n, sizeof **column);
	*column = whole;
	*later = NULL;
	return from;
}

static void join_eight(int64_t **column, size_t at, int64_t **later, size_t n)
{
	void *whole = *column;
	const int64_t *from = pages_join(&whole, at, *later, n, sizeof **column);
	*column = whole;
	*later = NULL;
	memmove(*column + at, from, n * sizeof *from);
}

static void append_mapped(
	uint32_t **column, size_t at, uint32_t **later, size_t n, const uint32_t *map)
{
	const uint32_t *from = join_four(column, at, later, n);
	uint32_t *to = *column + at;
	for (size_t i = 0; i < n; i++)
		to[i] = map[from[i]];
}

static void append_ids(
	uint32_t **column, size_t at, uint32_t **later, size_t n, const uint32_t *key)
{
	const uint32_t *from = join_four(column, at, later, n);
	uint32_t *to = *column + at;
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
	r->first_side[EVENT_INSTANT] = (uint32_t)part->n_changes;
}

static void append_sides(struct event_rows *to, struct event_rows *from, const uint32_t *first)
{
	const uint32_t *side = join_four(&to->side, to->n, &from->side, from->n);
	uint32_t *row = to->side + to->n;
	for (size_t i = 0; i < from->n; i++)
		row[i] = side[i] == NO_ROW ? NO_ROW : side[i] + first[from->kind[i]];
}

/* Makes room for n more elements of a side table. */
#define ROOM(array, count, room, n) \
	((room) < (count) + (n) ? (void)((room) = (count) + (n), \
					  (array) = pages_grow(array, room, sizeof *(array))) \
				: (void)0)

static void append_kernels(const struct renaming *r)
{
	struct part *p = r->part, *l = r->later;
	void *kernels = p->kernels, *copies = p->copies;
	const void *from =
		pages_join(&kernels, p->n_kernels, l->kernels, l->n_kernels, sizeof *p->kernels);
	p->kernels = kernels;
	l->kernels = NULL;
	if (l->n_kernels)
		memmove(p->kernels + p->n_kernels, from, l->n_kernels * sizeof *p->kernels);
	p->n_kernels = p->kernel_room = p->n_kernels + l->n_kernels;
	from = pages_join(&copies, p->n_copies, l->copies, l->n_copies, sizeof *p->copies);
	p->copies = copies;
	l->copies = NULL;
	if (l->n_copies)
		memmove(p->copies + p->n_copies, from, l->n_copies * sizeof *p->copies);
	p->n_copies = p->copy_room = p->n_copies + l->n_copies;
}

static void append_counters(const struct renaming *r)
{
	struct part *p = r->part;
	const struct part *l = r->later;
	ROOM(p->counters, p->n_counters, p->counter_room, l->n_counters);
	for (size_t i = 0; i < l->n_counters; i++)
		p->counters[p->n_counters++] =
			(struct counter){r->text[l->counters[i].series], l->counters[i].value};
}

static void append_changes(const struct renaming *r)
{
	struct part *p = r->part;
	const struct part *l = r->later;
	ROOM(p->changes, p->n_changes, p->change_room, l->n_changes);
	for (size_t i = 0; i < l->n_changes; i++)
		p->changes[p->n_changes++] = l->changes[i];
}

static void append_inputs(const struct renaming *r)
{
	struct part *p = r->part, *l = r->later;
	void *whole = p->inputs;
	const struct op_inputs *from =
		pages_join(&whole, p->n_inputs, l->inputs, l->n_inputs, sizeof *from);
	p->inputs = whole;
	l->inputs = NULL;
	struct op_inputs *to = p->inputs + p->n_inputs;
	for (size_t i = 0; i < l->n_inputs; i++)
		to[i] = (struct op_inputs){r->text[from[i].dims], r->text[from[i].types],
			r->text[from[i].strides], r->text[from[i].concrete], r->text[from[i].extra],
			from[i].forward_thread};
	p->n_inputs = p->input_room = p->n_inputs + l->n_inputs;
}

static void append_half(void *renaming)
{
	const struct renaming *r = renaming;
	struct event_rows *to = &r->part->rows, *from = &r->later->rows;
	size_t at = to->n, n = from->n;
	append_mapped(&to->name, at, &from->name, n, r->text);
	append_mapped(&to->category, at, &from->category, n, r->text);
	append_mapped(&to->lane, at, &from->lane, n, r->lane);
	join_eight(&to->start_ns, at, &from->start_ns, n);
	append_kernels(r);
}

static void append_other_half(void *renaming)
{
	const struct renaming *r = renaming;
	struct event_rows *to = &r->part->rows, *from = &r->later->rows;
	size_t at = to->n, n = from->n;
	append_sides(to, from, r->first_side);
	void *kinds = to->kind;
	const void *kind = pages_join(&kinds, at, from->kind, n, 1);
	to->kind = kinds;
	from->kind = NULL;
	memmove(to->kind + at, kind, n);
	append_ids(&to->correlation, at, &from->correlation, n, r->key);
	append_ids(&to->external, at, &from->external, n, r->key);
	join_eight(&to->dur_ns, at, &from->dur_ns, n);
	append_counters(r);
	append_changes(r);
	append_inputs(r);
}

/* The columns of the rows and the side tables, half of them on each of two threads. */
static void append_rows(struct renaming *r)
{
	struct event_rows *to = &r->part->rows;
	size_t n = to->n + r->later->rows.n;
	both(true, append_half, r, append_other_half, r);
	to->n = to->room = n;
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
