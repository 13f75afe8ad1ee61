/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace/repair.h"

#include "base/min_max.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

NAMES(repair_key, enum repair_kind, REPAIR_LIST(KIND_NAME));

static void keep_context(char *context, size_t size, const char *at, size_t room)
{
	size_t n = min_size(room, size - 1);
	for (size_t i = 0; i < n; i++)
		context[i] = at[i] >= ' ' && at[i] <= '~' ? at[i] : '.';
	context[n] = '\0';
}

/* Room for one more place, among the first ones by offset; NULL when it is none of them. */
static struct repair_place *add_place(struct repair *r, int64_t offset)
{
	int at = r->n_places;
	while (at && r->place[at - 1].offset > offset)
		at--;
	if (at == REPAIR_PLACES)
		return NULL;
	int behind = r->n_places - at;
	if (r->n_places < REPAIR_PLACES)
		r->n_places++;
	else
		behind--;
	memmove(&r->place[at + 1], &r->place[at], (size_t)behind * sizeof *r->place);
	r->place[at].offset = offset;
	return &r->place[at];
}

void repair_note(struct repair_counts *counts, enum repair_kind kind, int64_t n, int64_t offset,
	const char *at, size_t room)
{
	struct repair *r = &counts->kind[kind];
	struct repair_place *place = add_place(r, offset);
	if (place)
		keep_context(place->context, sizeof place->context, at, at ? room : 0);
	r->kind = kind;
	r->count += n;
}

void repair_merge(struct repair_counts *into, const struct repair_counts *from)
{
	for (int k = 0; k < REPAIR_KINDS; k++) {
		struct repair *r = &into->kind[k];
		const struct repair *other = &from->kind[k];
		for (int i = 0; i < other->n_places; i++) {
			struct repair_place *place = add_place(r, other->place[i].offset);
			if (place)
				*place = other->place[i];
		}
		r->kind = k;
		r->count += other->count;
	}
}

ORDER(by_offset, struct repair, UP(place[0].offset) ?: UP(kind));

struct repair *repair_list(struct arena *a, const struct repair_counts *counts, size_t *n)
{
	*n = 0;
	struct repair *list = arena_array(a, REPAIR_KINDS, sizeof *list);
	for (int k = 0; k < REPAIR_KINDS; k++)
		if (counts->kind[k].count)
			list[(*n)++] = counts->kind[k];
	qsort(list, *n, sizeof *list, by_offset);
	return list;
}

const struct repair *trace_repair(const struct trace *t, enum repair_kind kind)
{
	for (size_t i = 0; i < t->n_repairs; i++)
		if (t->repairs[i].kind == (int)kind)
			return &t->repairs[i];
	return NULL;
}

const struct repair *trace_cut(const struct trace *t)
{
	static const enum repair_kind kinds[] = {REPAIR_CUT_EVENT, REPAIR_CUT, REPAIR_GZ_CUT,
		REPAIR_GZ_DAMAGED, REPAIR_DATABASE, REPAIR_UNREADABLE, REPAIR_HEAD};
	if (!t->ends_early || trace_repair(t, REPAIR_MEMORY) || trace_repair(t, REPAIR_GZ_INFLATES))
		return NULL;
	const struct repair *r = NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !r; i++)
		r = trace_repair(t, kinds[i]);
	return r;
}
