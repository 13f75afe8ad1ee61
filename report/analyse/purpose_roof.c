/* SPDX-License-Identifier: Apache-2.0 */
/* What the work of a group needs at least: of the chip, in a better kind, of a table. */
#include "report/analyse/purpose_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double link_or_memory(const struct chip *chip, uint32_t traits)
{
	return traits & (TRAIT_TO_DEVICE | TRAIT_TO_HOST) ? chip->link
		: traits & TRAIT_WITHIN			  ? chip->memory / 2
							  : (double)NAN;
}

/* Of a copy or a fill by engine. */
static double engine_roof_ns(const struct analysis *a, const struct chip *chip, uint32_t row)
{
	const struct trace *t = a->trace;
	int64_t bytes = t->side[row] == NO_ROW ? -1 : t->copies[t->side[row]].bytes;
	double rate = t->kind[row] == EVENT_MEMSET ? chip->memory
						   : link_or_memory(chip, device_traits(a, row));
	return bytes < 0 ? (double)NAN : (double)bytes / rate * 1e9;
}

/* Where nothing else is known: what an operator is given is read once. */
static double inputs_roof_ns(const struct analysis *a, const struct chip *chip, uint32_t op)
{
	const struct inputs *in = inputs_of(a, op);
	double bytes = 0;
	for (int i = 0; in && i < in->n; i++)
		bytes += in->in[i].expanded ? 0 : (double)elements_of(in, i) * in->in[i].bytes;
	return bytes > 0 ? bytes / chip->memory * 1e9 : (double)NAN;
}

static bool reads_all(uint8_t class)
{
	return class == CLASS_REDUCTION || class == CLASS_NORM || class == CLASS_ELEMENTWISE ||
		class == CLASS_ADD || class == CLASS_MUL || class == CLASS_GELU ||
		class == CLASS_FUSED || class == CLASS_COPY || class == CLASS_KERNEL;
}

/* Rows by their index: what comes beside the table, and for each index a row of it, there and back.
 */
static double gathered_roof_ns(const struct analysis *a, const struct chip *chip, uint32_t op)
{
	const struct inputs *in = inputs_of(a, op);
	double bytes = 0, indices = 0;
	for (int i = 1; in && i < in->n; i++) {
		bool index = in->in[i].bytes == 8 && in->in[i].rank == 1;
		bytes += (double)elements_of(in, i) * in->in[i].bytes;
		indices += index ? (double)elements_of(in, i) : 0;
	}
	if (in && in->in[0].rank > 1)
		bytes += 2 * indices * (double)in->in[0].dim[in->in[0].rank - 1] * in->in[0].bytes;
	return bytes > 0 ? bytes / chip->memory * 1e9 : (double)NAN;
}

double purpose_roof_ns(const struct surroundings *g, const struct purpose_key *k, uint32_t row,
	uint32_t op, const struct cost *c, bool *each)
{
	const struct analysis *a = g->a;
	const struct chip *chip = g->chip;
	bool moved = device_use_of((enum device_why)k->why) == USE_MOVED;
	*each = true;
	if (!chip || a->class[row] == CLASS_COMMUNICATION)
		return (double)NAN;
	if (a->trace->kind[row] != EVENT_KERNEL)
		return engine_roof_ns(a, chip, row);
	if (!k->op)
		return (double)NAN;
	if (k->why == WHY_GATHERED)
		return gathered_roof_ns(a, chip, op);
	if (moved && c->work != WORK_POINTWISE)
		return inputs_roof_ns(a, chip, op);
	*each = false;
	bool plain = device_traits(a, row) & TRAIT_PLAIN;
	double computing = c->flop / cost_rate(chip, c, c->work, plain) * 1e9;
	double moving = c->bytes / chip->memory * 1e9;
	double most = fmax(computing, moving); /* of a number and NAN the number */
	return isnan(most) && reads_all(a->class[row]) ? inputs_roof_ns(a, chip, op) : most;
}

/* In a better kind, at a good share of the chip's rate. */
double purpose_floor_ns(const struct chip *chip, enum device_why why, const struct cost *c)
{
	double rate;
	if (!chip)
		return (double)NAN;
	switch (why) {
	case WHY_FP32:
		rate = chip->tf32;
		break;
	case WHY_FP64:
		rate = chip->tf32 > 0 ? chip->tf32 : chip->fp32;
		break;
	case WHY_MISALIGNED:
		rate = c->element_bytes == 2 || chip->tf32 <= 0 ? chip->half : chip->tf32;
		break;
	default:
		return (double)NAN;
	}
	return fmax(c->flop / (CHIP_REACHED * rate), c->bytes / (MEMORY_REACHED * chip->memory)) *
		1e9;
}

/* ---- whole tables ---- */

/* Of the table whose dense gradient an operator is in; 0 rows: it is in none, or its shapes are not
 * recorded. */
static struct table_rows table_rows_of(const struct analysis *a, uint32_t op)
{
	const struct trace *t = a->trace;
	struct table_rows x = {0};
	enum { ROWS = 2, ROWS_OF_BAG = 5 }; /* which argument tells them */
	bool bag = false;
	for (; op != NO_ROW; op = t->parent[op]) {
		const char *name = names_text(&t->names, t->name[op]);
		bag = !strcmp(name, DENSE_BAG);
		if (bag || !strcmp(name, DENSE_EMBEDDING))
			break;
	}
	const struct inputs *in = op == NO_ROW ? NULL : inputs_of(a, op);
	double indices = in ? (double)elements_of(in, 1) : 0;
	if (indices <= 0 || !concrete_numbers(t, op, bag ? ROWS_OF_BAG : ROWS, &x.rows, 1) ||
		x.rows <= 0)
		return (struct table_rows){0};
	x.unused = (double)x.rows < TABLE_TIMES * indices ? 0 : 1 - indices / (double)x.rows;
	return x;
}

void purpose_see_table(struct surroundings *s, uint32_t op)
{
	struct table_rows x = table_rows_of(s->a, op);
	if (x.unused <= 0)
		return;
	for (int i = 0; i < s->n_tables; i++)
		if (s->table[i].rows == x.rows)
			return;
	if (s->n_tables == TABLES)
		return;
	s->table[s->n_tables++] = x;
	free(s->of_tables); /* shapes are asked again */
	s->of_tables = NULL;
}

/* Of all elements that an operator is given, those of rows that nobody asked for. */
static double unused_of(const struct surroundings *s, uint32_t op)
{
	double unused = 0, all, here;
	for (int i = 0; i < s->n_tables; i++)
		if (elements_with_rows(s->a, op, s->table[i].rows, &all, &here))
			unused += s->table[i].unused * here / all;
	return fmin(unused, 1);
}

bool purpose_has_table(struct surroundings *s, uint32_t op)
{
	const struct trace *t = s->a->trace;
	if (!s->n_tables || op == NO_ROW || t->kind[op] != EVENT_OP || t->side[op] == NO_ROW)
		return false;
	if (!s->of_tables)
		s->of_tables = xcalloc(t->names.n, 1);
	uint8_t *known = &s->of_tables[t->inputs[t->side[op]].dims];
	if (!*known)
		*known = unused_of(s, op) > 0 ? 1 : 2;
	return *known == 1;
}

double purpose_unused_share(const struct surroundings *s, uint32_t op)
{
	struct table_rows x = table_rows_of(s->a, op);
	return x.rows ? x.unused : unused_of(s, op);
}
