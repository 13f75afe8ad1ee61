/* SPDX-License-Identifier: Apache-2.0 */
/* What one event of the device is for. */
#include "base/min_max.h"
#include "report/analyse/purpose_parts.h"

#include <stdlib.h>
#include <string.h>

/* Is it of what was filled or made right before, so of a constant, too? */
static bool of_constant(const struct trace *t, uint32_t op)
{
	const char *name = names_text(&t->names, t->name[op]);
	if (strncmp(name, "aten::tri", 9) != 0)
		return true;
	for (uint32_t row = op; row-- > 0;) {
		if (t->track[row] != t->track[op] || t->parent[row] != t->parent[op])
			continue;
		name = names_text(&t->names, t->name[row]);
		return !strcmp(name, "aten::ones") || !strcmp(name, "aten::full") ||
			!strcmp(name, "aten::zeros");
	}
	return false;
}

/* Was the same made in the same step already? */
static bool made_again(struct surroundings *g, uint32_t op)
{
	const struct trace *t = g->a->trace;
	if (t->side[op] == NO_ROW || !t->inputs[t->side[op]].concrete || !of_constant(t, op))
		return false;
	const struct op_inputs *in = &t->inputs[t->side[op]];
	uint32_t step = analysis_step_at(g->a, t->start_ns[op]);
	for (uint32_t i = 0; i < g->n_remade; i++) {
		struct remade *r = &g->remade[i];
		if (r->op != t->name[op] || r->dims != in->dims || r->concrete != in->concrete)
			continue;
		bool again = r->step == step && r->row != op;
		r->row = r->step == step ? r->row : op;
		r->step = step;
		return again;
	}
	enum { MOST = 256 };
	if (g->n_remade == MOST)
		return false;
	if (!g->remade)
		g->remade = xcalloc(MOST, sizeof *g->remade);
	g->remade[g->n_remade++] = (struct remade){t->name[op], in->dims, in->concrete, step, op};
	return false;
}

/* The operator around the launch that makes a constant: the copy or fill inside it is its work. */
static uint32_t constant_around(const struct surroundings *g, uint32_t op)
{
	const struct trace *t = g->a->trace;
	while (op != NO_ROW && g->of_name[t->name[op]] & AROUND_ASKED &&
		!(g->of_name[t->name[op]] & AROUND_CONSTANT))
		op = t->parent[op];
	return op;
}

/* The matrix that a product multiplies by is cast inside it: _to_copy in the product's operator. */
static bool casts_weights(const struct analysis *a, uint32_t op)
{
	const struct trace *t = a->trace;
	const struct inputs *copied = inputs_of(a, op);
	const struct operator_role *product = NULL;
	uint32_t up = op;
	for (int i = 0; i < 4 && up != NO_ROW && !product; i++) {
		up = t->parent[up];
		if (up != NO_ROW && is_product_role((enum role)a->role[t->name[up]]))
			product = operator_role(names_text(&t->names, t->name[up]));
	}
	const struct inputs *in = product ? inputs_of(a, up) : NULL;
	if (!copied || !in || in->n <= product->first + 1)
		return false;
	const struct operand *x = &copied->in[0], *w = &in->in[product->first + 1],
			     *other = &in->in[product->first];
	size_t bytes = (size_t)max64(w->rank, 0) * sizeof *w->dim;
	bool same = w->rank == 2 && x->rank == 2 && !memcmp(x->dim, w->dim, bytes);
	return same && !(other->rank == 2 && !memcmp(other->dim, w->dim, bytes));
}

static enum device_why why_copied(struct surroundings *g, uint32_t row, uint32_t op, unsigned bits)
{
	const struct analysis *a = g->a;
	if (device_traits(a, row) & TRAIT_TURNS)
		return WHY_TURNED;
	if (bits & AROUND_CAST)
		return !g->trains && casts_weights(a, op) ? WHY_RECONVERTED : WHY_CONVERTED;
	if (bits & AROUND_JOIN)
		return WHY_JOINED;
	if (bits & AROUND_INDEX || a->class[row] == CLASS_EMBEDDING)
		return WHY_GATHERED;
	return WHY_COPIED;
}

static enum device_why why_engine(const struct analysis *a, uint32_t row)
{
	uint32_t traits = device_traits(a, row);
	return traits & TRAIT_TO_DEVICE	 ? WHY_UPLOADED
		: traits & TRAIT_TO_HOST ? WHY_DOWNLOADED
		: traits & TRAIT_PEER	 ? WHY_SENT
					 : WHY_COPIED;
}

static enum device_why why_product(const struct analysis *a, uint32_t row, const struct chip *chip)
{
	uint32_t traits = device_traits(a, row);
	if (traits & TRAIT_FP64)
		return WHY_FP64;
	if (traits & TRAIT_PLAIN_FP32 && chip && chip->tf32 > 0)
		return WHY_FP32;
	return traits & TRAIT_MISALIGNED ? WHY_MISALIGNED : WHY_COMPUTED;
}

static enum device_why why_fill(unsigned bits)
{
	return bits & AROUND_DENSE    ? WHY_TABLE
		: bits & AROUND_EMPTY ? WHY_DETERMINISTIC
				      : WHY_FILLED;
}

enum device_why why_of(struct surroundings *g, size_t i, unsigned bits)
{
	const struct analysis *a = g->a;
	uint32_t row = a->device_rows[i], op = a->device_ops[i];
	uint32_t traits = device_traits(a, row);
	uint8_t class = a->class[row];
	const unsigned again = AROUND_FORWARD_ONLY | AROUND_BACKWARD;
	if (g->a->trace->kind[row] == EVENT_KERNEL && traits & TRAIT_SPINS)
		return WHY_SPINNING;
	if (class == CLASS_COMMUNICATION)
		return WHY_SENT;
	if ((bits & again) == again)
		return WHY_RECOMPUTED;
	if (bits & AROUND_MATH && !class_multiplies(class) && !class_counts_with_gemm(class))
		return WHY_APART;
	if (bits & AROUND_CONSTANT && made_again(g, constant_around(g, op)))
		return WHY_REMADE;
	if (g->a->trace->kind[row] == EVENT_MEMCPY)
		return why_engine(a, row);
	if (bits & AROUND_DENSE)
		purpose_see_table(g, op);
	else if (bits & AROUND_OPTIMIZER && purpose_has_table(g, op))
		return WHY_TABLE;
	if (class == CLASS_FILL)
		return why_fill(bits);
	if (traits & TRAIT_SORTS && bits & AROUND_PUT)
		return WHY_SORTED;
	if (bits & AROUND_DROPOUT && !g->trains)
		return WHY_DROPOUT;
	if (traits & TRAIT_BATCH_STATISTICS && !g->trains)
		return WHY_BATCH_STATISTICS;
	if (class == CLASS_COPY && !(bits & AROUND_SAMPLING))
		return why_copied(g, row, op, bits);
	if (class_multiplies(class))
		return why_product(a, row, g->chip);
	if (class == CLASS_KERNEL && op == NO_ROW)
		return WHY_UNKNOWN;
	return WHY_COMPUTED;
}

enum phase phase_of(unsigned bits, uint32_t call)
{
	return call == NO_ROW		  ? PHASE_UNKNOWN
		: bits & AROUND_GRAPH	  ? PHASE_GRAPH
		: bits & AROUND_OPTIMIZER ? PHASE_OPTIMIZER
		: bits & AROUND_BACKWARD  ? PHASE_BACKWARD
					  : PHASE_FORWARD;
}
