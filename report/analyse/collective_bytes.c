/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/collective_bytes.h"

#include "base/min_max.h"
#include "report/analyse/shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

uint32_t communicating_op(const struct trace *t, uint32_t call)
{
	uint32_t inner = call == NO_ROW ? NO_ROW : analysis_op_of(t, call);
	for (uint32_t op = inner; op != NO_ROW; op = analysis_op_of(t, t->parent[op])) {
		if (t->side[op] != NO_ROW && t->inputs[t->side[op]].extra)
			return op;
		if (t->parent[op] == NO_ROW)
			break;
	}
	return inner;
}

static int bytes_of_dtype(const char *name)
{
	static const struct {
		const char *name;
		int bytes;
	} types[] = {{"Float", 4}, {"BFloat16", 2}, {"Half", 2}, {"Double", 8}, {"Long", 8},
		{"Int", 4}, {"Short", 2}, {"Byte", 1}, {"Char", 1}, {"Bool", 1},
		{"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, name))
			return types[i].bytes;
	return 0;
}

struct message message_of(const struct analysis *a, uint32_t op)
{
	const struct trace *t = a->trace;
	struct message m = {.bytes = (double)NAN, .ranks = (double)NAN};
	long long in = -1, out = -1, ranks = -1;
	const struct inputs *x = inputs_of(a, op);
	name_id text = op != NO_ROW && t->side[op] != NO_ROW ? t->inputs[t->side[op]].extra : 0;
	if (text &&
		sscanf(names_text(&t->names, text), "%64s %64s %lld %lld %lld", m.name, m.type, &in,
			&out, &ranks) == 5) {
		int size = bytes_of_dtype(m.type);
		double most = (double)(max64(in, out));
		m.bytes = size && most >= 0 ? most * size : (double)NAN;
	} else if (x && x->in[0].rank && x->in[0].bytes) {
		m.bytes = (double)elements_of(x, 0) * x->in[0].bytes;
	}
	ranks = ranks > 0 ? ranks : t->world;
	m.ranks = ranks > 0 ? (double)ranks : (double)NAN;
	return m;
}
