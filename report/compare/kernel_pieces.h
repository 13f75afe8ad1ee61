/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_pieces.h - the device's work of one recording, piece by piece, to be found in another one.
 *
 * A piece is all device events of one name, grid, block and operator (the innermost one around the
 * launch).
 */
#ifndef REPORT_COMPARE_KERNEL_PIECES_H
#define REPORT_COMPARE_KERNEL_PIECES_H

#include "report/analyse/analysis.h"

/* A piece of one recording. */
struct kernel_piece {
	name_id name, op; /* of the trace; op 0: none */
	int32_t grid[3], block[3];
	uint64_t name_hash, op_hash; /* of the texts, to compare two traces */
	uint32_t first; /* row of its first event */
	const uint32_t *row; /* (n) its events, by start */
	size_t n;
	int64_t total_ns;
	bool paired;
	size_t pair; /* the number of the pair, from 1; 0 none */
	bool differs; /* of another fate than FATE_SAME, or a call became faster or slower */
};

/* A piece by what makes it like others. */
struct piece_place {
	uint64_t key;
	uint32_t piece;
	uint32_t next; /* of the first of its key: where the first one that is not paired may stand
			*/
};

struct pieces {
	const struct analysis *a;
	struct piece_place
		*place; /* (n) by name, geometry and operator, then by first appearance */
	struct kernel_piece *piece; /* (n) by first appearance */
	size_t n;
	uint32_t steps; /* that calls and times are divided by, at least 1 */
};

struct pieces pieces_of(struct arena *arena, const struct analysis *a, uint32_t steps);

/* What pieces may have in common. */
enum { BY_NAME = 1, BY_SHAPE = 2, BY_OPERATOR = 4, BY_ALL = BY_NAME | BY_SHAPE | BY_OPERATOR };
bool pieces_alike(const struct kernel_piece *a, const struct kernel_piece *b, int by);

/* Alike pieces have the same one. */
uint64_t piece_key(const struct kernel_piece *p, int by);

/* A place of each piece by that key, in the arena; and the first one of a key, NULL: there is none.
 */
struct piece_place *places_of(struct arena *arena, const struct pieces *p, int by);
struct piece_place *first_place(struct piece_place *place, size_t n, uint64_t key);

/* (trace->n) 1: an event of a piece that differs; in the arena, NULL: there is none. */
const uint8_t *pieces_differing(struct arena *a, const struct pieces *p);

#endif
