/* SPDX-License-Identifier: Apache-2.0 */
/*
 * purpose_parts.h - what stands around a launch, for device_purpose.h: asked row by row, and each
 * row on the way up looked at once.
 */
#ifndef REPORT_ANALYSE_PURPOSE_PARTS_H
#define REPORT_ANALYSE_PURPOSE_PARTS_H

#include "report/analyse/chips.h"
#include "report/analyse/device_purpose.h"
#include "report/analyse/operator_cost.h"
#include "report/analyse/shapes.h"

/* Bits of what the names of a row and of those around it say of all that is launched inside. */
enum around {
	AROUND_BACKWARD = 1 << 0,
	AROUND_OPTIMIZER = 1 << 1,
	AROUND_GRAPH = 1 << 2, /* a replayed one */
	AROUND_FORWARD_ONLY = 1 << 3, /* an operator that no formula of autograd calls */
	AROUND_MATH = 1 << 4, /* attention in its plain form */
	AROUND_CAST = 1 << 5,
	AROUND_JOIN = 1 << 6,
	AROUND_INDEX = 1 << 7,
	AROUND_PUT = 1 << 8, /* adds to rows by their numbers */
	AROUND_DENSE = 1 << 9, /* the dense gradient of an embedding */
	AROUND_EMPTY = 1 << 10, /* new memory, which nobody asked to fill */
	AROUND_DROPOUT = 1 << 11,
	AROUND_CONSTANT = 1 << 12, /* makes what depends on its arguments alone */
	AROUND_NAMED = 1 << 13, /* a module or a range of the program's own */
	AROUND_ASKED = 1 << 14, /* of a name: it was asked */
	AROUND_SAMPLING = 1 << 15, /* computes between the elements that it reads */
};

/* A table of an embedding with a dense gradient. */
struct table_rows {
	int64_t rows;
	double unused; /* the share for which there are no indices; 0 of a table with fewer than
			  TABLE_TIMES as many rows as indices */
};

/* A constant that was made, by which arguments and last in which step. */
struct remade {
	name_id op, dims, concrete;
	uint32_t step, row;
};

enum { TABLES = 8 };

struct surroundings {
	const struct analysis *a;
	uint16_t *of_name; /* (names) enum around */
	struct place {
		uint32_t module; /* row + 1 of the innermost AROUND_NAMED, 0: none */
		uint16_t bits;
		bool known, counted; /* counted: by whoever asks, as he likes */
	} * place; /* (rows) */
	uint32_t *path; /* malloc: on the way up */
	size_t room;
	bool trains; /* the file has a backward pass or an optimizer */
	const struct chip *chip; /* NULL: not known */
	struct table_rows table[TABLES]; /* (n_tables) those seen so far */
	int n_tables;
	uint8_t *of_tables; /* (names) of shapes: is a table among them? 0: not asked; malloc */
	struct remade *remade; /* (n_remade) malloc */
	uint32_t n_remade;
};

struct surroundings surroundings_of(const struct analysis *a);
void surroundings_release(struct surroundings *s);

/* Of a row of the host, its own name included; NULL for NO_ROW. */
struct place *place_around(struct surroundings *s, uint32_t row);

/* What makes events one group. */
struct purpose_key {
	name_id op, dims, types, extra, module, kernel;
	uint8_t why, phase;
};

/* What the chip needs at its data sheet's rates for a call of the operator (of cost c), or for each
 * event; NAN: not known. */
double purpose_roof_ns(const struct surroundings *s, const struct purpose_key *k, uint32_t row,
	uint32_t op, const struct cost *c, bool *each);

/* In a better kind, at a good share of the chip's rate; NAN: not known. */
double purpose_floor_ns(const struct chip *chip, enum device_why why, const struct cost *c);

/* What of an event nobody needs: of the gradient of a table, or of the optimizer's work on it. */
double purpose_unused_share(const struct surroundings *s, uint32_t op);

/* Remembers the table of a dense gradient that `op` is in. */
void purpose_see_table(struct surroundings *s, uint32_t op);

/* Is one of them among what an operator is given? */
bool purpose_has_table(struct surroundings *s, uint32_t op);

/* What event i of the device is for, with the bits of its launch's place; rows in order. */
enum device_why why_of(struct surroundings *s, size_t i, unsigned bits);
enum phase phase_of(unsigned bits, uint32_t call);

#endif
