/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/lanes.h"

#include "base/err.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

void lanes_init(struct lanes *l)
{
	*l = (struct lanes){.n_slots = FIRST_SLOTS};
	l->slots = xcalloc(l->n_slots, sizeof *l->slots);
}

void lanes_release(struct lanes *l)
{
	free(l->lane);
	free(l->slots);
	*l = (struct lanes){0};
}

static uint32_t hash_of(const struct lane_key *x)
{
	uint64_t h = (uint64_t)x->pid.number * 0x9e3779b97f4a7c15ull;
	h = (h ^ h >> 29 ^ (uint64_t)x->tid.number) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 32 ^ x->pid.text ^ (uint64_t)x->tid.text << 24 ^ (uint64_t)x->kind << 60) *
		0x94d049bb133111ebull;
	return (uint32_t)(h >> 32);
}

static void rehash(struct lanes *l)
{
	l->n_slots *= 2;
	free(l->slots);
	l->slots = xcalloc(l->n_slots, sizeof *l->slots);
	for (uint32_t lane = 0; lane < l->n; lane++) {
		uint32_t i = hash_of(&l->lane[lane]);
		while (l->slots[i &= l->n_slots - 1])
			i++;
		l->slots[i] = lane + 1;
	}
}

static uint32_t add_new(struct lanes *l, const struct lane_key *x, uint32_t *slot)
{
	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 16;
		l->lane = xrealloc(l->lane, l->room, sizeof *l->lane);
	}
	l->lane[l->n] = *x;
	*slot = ++l->n;
	if (l->n * 2 > l->n_slots)
		rehash(l);
	return l->last[x->kind] = l->n - 1;
}

/* The slot of a lane, or the free one where it belongs. */
static uint32_t *slot_of(const struct lanes *l, const struct lane_key *x)
{
	for (uint32_t i = hash_of(x);; i++) {
		i &= l->n_slots - 1;
		uint32_t lane = l->slots[i];
		if (!lane || lane_same(&l->lane[lane - 1], x))
			return &l->slots[i];
	}
}

uint32_t lanes_find_other(struct lanes *l, const struct lane_key *x)
{
	uint32_t *slot = slot_of(l, x);
	return *slot ? l->last[x->kind] = *slot - 1 : add_new(l, x, slot);
}

uint32_t lanes_look(
	const struct lanes *l, struct lane_id pid, struct lane_id tid, enum lane_kind kind)
{
	struct lane_key x = {pid, tid, kind};
	return *slot_of(l, &x) - 1; /* 0 - 1 is LANE_NONE */
}
