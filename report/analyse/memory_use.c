/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/memory_use.h"

#include "base/enum_names.h"
#include "base/hash.h"
#include "base/sort.h"
#include "report/analyse/forward.h"
#include "report/name/classify.h"
#include "report/name/python_line.h"

#include <stdlib.h>

NAMES(memory_asker_name, enum memory_asker, MEMORY_ASKER_LIST(KIND_NAME));

/* No device has that much, so that sizes can be added; and no machine so many devices. */
static const int64_t MOST_BYTES = INT64_MAX / 4;
enum { MOST_DEVICES = 64 };

static const struct memory_change *change_of(const struct trace *t, uint32_t row)
{
	return &t->changes[t->side[row]];
}

/* ---- blocks ---- */

/* The blocks that are open, by where they lie. */
struct open_blocks {
	const struct memory_block *block;
	uint32_t *slot; /* (mask + 1) block + 1, 0 free */
	size_t mask;
};

static uint32_t *slot_of(const struct open_blocks *o, int64_t address, int32_t device)
{
	uint64_t h = hash_word(hash_word(HASH_START, (uint64_t)address), (uint32_t)device);
	for (size_t i = (h ^ h >> 29) & o->mask;; i = (i + 1) & o->mask) {
		uint32_t at = o->slot[i];
		if (!at ||
			(o->block[at - 1].address == address && o->block[at - 1].device == device))
			return &o->slot[i];
	}
}

static bool is_open(const struct open_blocks *o, uint32_t slot)
{
	return slot && o->block[slot - 1].end_row == NO_ROW;
}

static void take_change(struct memory_use *use, struct open_blocks *o, uint32_t row)
{
	const struct memory_change *m = change_of(use->trace, row);
	uint32_t *slot = slot_of(o, m->address, m->device);
	bool taken = m->bytes >= 0;
	if (!m->address || !m->bytes)
		return;
	if (is_open(o, *slot)) { /* one that is taken twice was given back unseen */
		use->block[*slot - 1].end_row = row;
		if (!taken)
			return;
	}
	use->block[use->n_blocks] = (struct memory_block){.row = taken ? row : NO_ROW,
		.end_row = taken ? NO_ROW : row,
		.bytes = taken ? m->bytes : -m->bytes,
		.address = m->address,
		.device = m->device};
	*slot = (uint32_t)++use->n_blocks;
}

/* Those without an allocation in front. */
static void order_blocks(struct memory_use *use)
{
	struct memory_block *all = use->block;
	struct memory_block *later = xcalloc(use->n_blocks + 1, sizeof *later);
	size_t before = 0, behind = 0;
	for (size_t i = 0; i < use->n_blocks; i++)
		if (all[i].row == NO_ROW)
			all[before++] = all[i];
		else
			later[behind++] = all[i];
	memcpy(all + before, later, behind * sizeof *later);
	free(later);
}

static void find_blocks(struct memory_use *use, struct arena *arena)
{
	const struct trace *t = use->trace;
	size_t slots = 16;
	while (slots < 2 * t->n_changes)
		slots *= 2;
	use->block = arena_array(arena, t->n_changes + 1, sizeof *use->block);
	struct open_blocks open = {use->block, xcalloc(slots, sizeof *open.slot), slots - 1};
	for (size_t i = trace_next_of(t, EVENT_INSTANT, 0); i < t->n;
		i = trace_next_of(t, EVENT_INSTANT, i + 1))
		if (is_memory_change(t, i))
			take_change(use, &open, (uint32_t)i);
	free(open.slot);
	order_blocks(use);
}

/* ---- peaks ---- */

struct count {
	int64_t sum; /* of the changes so far, where the file has no count */
	struct memory_of_device d;
	bool any;
};

static void count_change(struct count *c, const struct trace *t, uint32_t row)
{
	const struct memory_change *m = change_of(t, row);
	c->sum += m->bytes;
	int64_t bytes = m->allocated >= 0 && m->allocated <= MOST_BYTES ? m->allocated : c->sum;
	if (!c->any)
		c->d.first_row = row;
	if (!c->any || bytes > c->d.peak_bytes) {
		c->d.peak_row = row;
		c->d.peak_bytes = bytes;
		c->d.peak_ns = t->start_ns[row];
		c->d.reserved_bytes =
			m->reserved > 0 && m->reserved <= MOST_BYTES ? m->reserved : -1;
	}
	c->d.last_row = row;
	c->d.end_bytes = bytes;
	c->any = true;
}

static void find_peaks(struct memory_use *use, struct arena *arena)
{
	const struct trace *t = use->trace;
	struct count *count = xcalloc(MOST_DEVICES + 1, sizeof *count);
	for (size_t i = trace_next_of(t, EVENT_INSTANT, 0); i < t->n;
		i = trace_next_of(t, EVENT_INSTANT, i + 1)) {
		int32_t device =
			is_memory_change(t, i) ? change_of(t, (uint32_t)i)->device : MOST_DEVICES;
		if (device < MOST_DEVICES)
			count_change(&count[device < 0 ? MOST_DEVICES : device], t, (uint32_t)i);
	}
	use->device = arena_array(arena, MOST_DEVICES + 1, sizeof *use->device);
	for (int i = 0; i <= MOST_DEVICES; i++)
		if (count[i].any && count[i].d.peak_bytes > 0) {
			count[i].d.device = i < MOST_DEVICES ? i : -1;
			use->device[use->n_devices++] = count[i].d;
		}
	free(count);
}

static void count_blocks(struct memory_use *use)
{
	const struct trace *t = use->trace;
	for (int i = 0; i < use->n_devices; i++) {
		struct memory_of_device *d = &use->device[i];
		for (size_t k = 0; k < use->n_blocks; k++) {
			const struct memory_block *b = &use->block[k];
			if (b->device != d->device || !memory_block_lives(b, d->peak_row))
				continue;
			d->blocks++;
			d->known_bytes += b->bytes;
		}
		for (size_t k = 0; k < t->n_segments; k++)
			d->refused += t->segments[k].act == MEMORY_REFUSED &&
				t->segments[k].device == d->device;
	}
}

/* ---- who asked ---- */

/* The innermost row of the host around each change, by its number; NO_ROW none. */
static uint32_t *rows_around(const struct trace *t)
{
	uint32_t *last = xalloc((t->n_tracks + 1) * sizeof *last);
	uint32_t *around = xalloc((t->n_changes + 1) * sizeof *around);
	memset(last, 0xff, (t->n_tracks + 1) * sizeof *last);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t *at = &last[t->track[i]];
		if (event_on_host(t->kind[i]))
			*at = i;
		if (!is_memory_change(t, i))
			continue;
		while (*at != NO_ROW && row_end(t, *at) < t->start_ns[i])
			*at = t->parent[*at];
		around[t->side[i]] = *at;
	}
	free(last);
	return around;
}

static name_id operator_around(const struct trace *t, uint32_t row)
{
	for (; row != NO_ROW; row = t->parent[row])
		if (t->kind[row] == EVENT_OP)
			return t->name[row];
	return 0;
}

static name_id module_around(const struct trace *t, uint32_t row)
{
	for (; row != NO_ROW; row = t->parent[row])
		if (t->kind[row] == EVENT_PYTHON &&
			is_module_call(names_text(&t->names, t->name[row])))
			return t->name[row];
	return 0;
}

static name_id function_around(const struct trace *t, uint32_t row)
{
	name_id library = 0;
	for (; row != NO_ROW; row = t->parent[row]) {
		const char *name = names_text(&t->names, t->name[row]);
		if (t->kind[row] != EVENT_PYTHON || is_module_call(name) || !strstr(name, ".py("))
			continue;
		if (!python_line_is_library(name, strlen(name)))
			return t->name[row];
		library = library ? library : t->name[row];
	}
	return library;
}

static void find_askers(struct memory_use *use, struct arena *arena)
{
	const struct trace *t = use->trace;
	bool python = trace_next_of(t, EVENT_PYTHON, 0) < t->n;
	uint32_t *around = rows_around(t), *forward = python ? forward_of(t) : NULL;
	for (int by = ASKED_OPERATOR; by < MEMORY_ASKERS; by++)
		if (python || by == ASKED_OPERATOR)
			use->who[by] = arena_array(arena, t->n_changes + 1, sizeof **use->who);
	for (size_t i = 0; i < t->n_changes; i++) {
		uint32_t row = around[i];
		if (row == NO_ROW)
			continue;
		use->who[ASKED_OPERATOR][i] = operator_around(t, row);
		if (forward && forward[row] != NO_ROW)
			row = forward[row];
		if (!python)
			continue;
		use->who[ASKED_MODULE][i] = module_around(t, row);
		use->who[ASKED_FUNCTION][i] = function_around(t, row);
	}
	free(around);
	free(forward);
}

static void take_lines(struct memory_use *use, struct arena *arena)
{
	const struct trace *t = use->trace;
	use->who[ASKED_LINE] = arena_array(arena, t->n_changes + 1, sizeof **use->who);
	for (size_t i = 0; i < t->n; i++)
		if (is_memory_change(t, i))
			use->who[ASKED_LINE][t->side[i]] = t->name[i];
}

struct memory_use memory_use_of(struct arena *arena, const struct analysis *a)
{
	struct memory_use use = {.trace = a->trace};
	if (!a->trace->n_changes)
		return use;
	find_blocks(&use, arena);
	find_peaks(&use, arena);
	count_blocks(&use);
	memory_find_pieces(&use);
	if (a->trace->snapshot)
		take_lines(&use, arena);
	else
		find_askers(&use, arena);
	return use;
}

/* ---- holders ---- */

ORDER(by_bytes, struct memory_holder,
	UP(before) ?: DOWN(bytes) ?: DOWN(all_bytes) ?: DOWN(calls) ?: UP(name));

struct memory_holder *memory_holders(struct arena *arena, const struct memory_use *use,
	const struct memory_of_device *d, enum memory_asker by, size_t *n)
{
	const struct trace *t = use->trace;
	struct memory_holder *of = arena_array(arena, t->names.n + 1, sizeof *of);
	*n = 0;
	for (size_t i = 0; i < use->n_blocks && use->who[by]; i++) {
		const struct memory_block *b = &use->block[i];
		if (b->device != d->device || b->row == NO_ROW)
			continue;
		name_id name = use->who[by][t->side[b->row]];
		struct memory_holder *h = &of[name];
		bool stood = t->snapshot && t->category[b->row];
		h->name = name;
		h->calls += !stood;
		h->all_bytes += stood ? 0 : b->bytes;
		if (!memory_block_lives(b, d->peak_row))
			continue;
		h->bytes += b->bytes;
		h->blocks++;
		h->largest = b->bytes > h->largest ? b->bytes : h->largest;
	}
	struct memory_holder before = {.before = true, .bytes = d->peak_bytes};
	for (name_id i = 0; i < t->names.n; i++) {
		if (!of[i].calls && !of[i].blocks)
			continue;
		if (t->snapshot && !strcmp(names_text(&t->names, i), MEMORY_BEFORE)) {
			before.blocks = of[i].blocks;
			before.largest = of[i].largest;
			continue;
		}
		before.bytes -= of[i].bytes;
		of[(*n)++] = of[i];
	}
	if (before.bytes > 0 && use->who[by])
		of[(*n)++] = before;
	qsort(of, *n, sizeof *of, by_bytes);
	return of;
}
