/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/kernel_pieces.h"

#include "base/binary_search.h"
#include "base/hash.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* A device event with what makes it one of a piece. */
struct keyed {
	name_id name, op;
	int32_t shape[6];
	uint32_t row;
};

ORDER(by_key, struct keyed,
	UP(name) ?: UP(op) ?: memcmp(a->shape, b->shape, sizeof a->shape) ?: UP(row));

static bool same_key(const struct keyed *x, const struct keyed *y)
{
	return x->name == y->name && x->op == y->op && !memcmp(x->shape, y->shape, sizeof x->shape);
}

static struct keyed key_of(const struct trace *t, uint32_t row)
{
	struct keyed k = {.name = t->name[row], .row = row};
	uint32_t launch = analysis_launch_of(t, row);
	uint32_t op = launch == NO_ROW ? NO_ROW : analysis_op_of(t, launch);
	k.op = op == NO_ROW ? 0 : t->name[op];
	if (t->kind[row] == EVENT_KERNEL && t->side[row] != NO_ROW) {
		const struct kernel *kernel = &t->kernels[t->side[row]];
		memcpy(k.shape, kernel->grid, sizeof kernel->grid);
		memcpy(k.shape + 3, kernel->block, sizeof kernel->block);
	}
	return k;
}

ORDER(by_first, struct kernel_piece, UP(first));

static void add_event(struct pieces *p, const struct keyed *k, uint32_t *row, bool first)
{
	const struct trace *t = p->a->trace;
	if (first) {
		struct kernel_piece *one = &p->piece[p->n++];
		*one = (struct kernel_piece){
			.name = k->name, .op = k->op, .first = k->row, .row = row};
		memcpy(one->grid, k->shape, sizeof one->grid);
		memcpy(one->block, k->shape + 3, sizeof one->block);
		one->name_hash = hash_of_text(names_text(&t->names, k->name));
		one->op_hash = k->op ? hash_of_text(names_text(&t->names, k->op)) : 0;
	}
	*row = k->row;
	p->piece[p->n - 1].n++;
	p->piece[p->n - 1].total_ns += t->dur_ns[k->row];
}

/* ---- pieces by what makes them alike ---- */

bool pieces_alike(const struct kernel_piece *a, const struct kernel_piece *b, int by)
{
	if ((by & BY_NAME) && a->name_hash != b->name_hash)
		return false;
	if ((by & BY_OPERATOR) && a->op_hash != b->op_hash)
		return false;
	if (by == BY_OPERATOR && !a->op)
		return false;
	return !(by & BY_SHAPE) ||
		(!memcmp(a->grid, b->grid, sizeof a->grid) &&
			!memcmp(a->block, b->block, sizeof a->block));
}

static uint64_t mixed(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

/* Alike pieces have the same one. */
uint64_t piece_key(const struct kernel_piece *p, int by)
{
	uint64_t h = 0;
	if (by & BY_NAME)
		h = mixed(h, p->name_hash);
	if (by & BY_OPERATOR)
		h = mixed(h, p->op_hash);
	for (int i = 0; i < 3 && (by & BY_SHAPE); i++)
		h = mixed(mixed(h, (uint32_t)p->grid[i]), (uint32_t)p->block[i]);
	return h;
}

ORDER(by_place, struct piece_place, UP(key) ?: UP(piece));

struct piece_place *places_of(struct arena *arena, const struct pieces *p, int by)
{
	struct piece_place *place = arena_array(arena, p->n + 1, sizeof *place);
	for (size_t i = 0; i < p->n; i++)
		place[i] = (struct piece_place){piece_key(&p->piece[i], by), (uint32_t)i, 0};
	qsort(place, p->n, sizeof *place, by_place);
	return place;
}

/* The first place of that key, NULL: there is none. */
struct piece_place *first_place(struct piece_place *place, size_t n, uint64_t key)
{
	size_t low = first_where(i, 0, n, place[i].key >= key);
	return low < n && place[low].key == key ? &place[low] : NULL;
}

struct pieces pieces_of(struct arena *arena, const struct analysis *a, uint32_t steps)
{
	size_t n = a->n_device, groups = 0;
	struct keyed *key = xcalloc(n + 1, sizeof *key);
	for (size_t i = 0; i < n; i++)
		key[i] = key_of(a->trace, a->device_rows[i]);
	qsort(key, n, sizeof *key, by_key);
	for (size_t i = 0; i < n; i++)
		groups += !i || !same_key(&key[i - 1], &key[i]);
	struct pieces p = {.a = a, .steps = steps ? steps : 1};
	p.piece = arena_array(arena, groups + 1, sizeof *p.piece);
	uint32_t *row = arena_array(arena, n + 1, sizeof *row);
	for (size_t i = 0; i < n; i++)
		add_event(&p, &key[i], &row[i], !i || !same_key(&key[i - 1], &key[i]));
	free(key);
	qsort(p.piece, p.n, sizeof *p.piece, by_first);
	p.place = places_of(arena, &p, BY_ALL);
	return p;
}

const uint8_t *pieces_differing(struct arena *a, const struct pieces *p)
{
	uint8_t *row = arena_array(a, p->a->trace->n, sizeof *row);
	bool any = false;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->piece[i].n && p->piece[i].differs; k++)
			row[p->piece[i].row[k]] = any = true;
	return any ? row : NULL;
}
