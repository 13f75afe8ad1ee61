/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/partition_parts.h"
#include "report/analyse/parts.h"
#include "report/analyse/tensors.h"

#include <stdlib.h>
#include <string.h>

enum spent spent_of(const struct analysis *a, uint32_t device_row)
{
	const struct trace *t = a->trace;
	if (t->kind[device_row] == EVENT_MEMCPY)
		return SPENT_COPIES;
	switch ((enum event_class)a->class[device_row]) {
	case CLASS_COMMUNICATION:
		return SPENT_COMMUNICATION;
	case CLASS_GEMM:
	case CLASS_SPLITK:
	case CLASS_CLEAR:
		return SPENT_GEMM;
	case CLASS_ATTENTION:
		return SPENT_ATTENTION;
	case CLASS_CONVOLUTION:
		return SPENT_CONVOLUTION;
	case CLASS_EMBEDDING:
		return SPENT_EMBEDDING;
	case CLASS_ADD:
	case CLASS_MUL:
	case CLASS_GELU:
	case CLASS_FUSED:
	case CLASS_ELEMENTWISE:
	case CLASS_COPY:
	case CLASS_FILL:
		return SPENT_POINTWISE;
	case CLASS_REDUCTION:
	case CLASS_NORM:
		return SPENT_REDUCTION;
	default:
		return SPENT_OTHER;
	}
}

/* What products take of the memory's time: of few shapes, which recur. */
struct streamed {
	name_id op, dims, types;
	double ns; /* below 0: not known */
};

enum { SHAPES = 64 };

/* Does reading and writing take half of a kernel's time at least, as of weights by a vector? */
static bool streams_memory(struct streamed *known, const struct chip *chip, const struct trace *t,
	uint32_t row, uint32_t op)
{
	struct matmul p;
	if (op == NO_ROW || t->side[op] == NO_ROW)
		return false;
	const struct op_inputs *in = &t->inputs[t->side[op]];
	struct streamed *k = &known[(in->dims + t->name[op]) % SHAPES];
	if (k->op != t->name[op] || k->dims != in->dims || k->types != in->types)
		*k = (struct streamed){t->name[op], in->dims, in->types,
			matmul_of(t, op, &p) ? matmul_memory_ns(chip, &p) : -1};
	return 2 * k->ns > (double)t->dur_ns[row];
}

void parts_of_device(const struct analysis *a, uint8_t *parts, bool *streamed)
{
	const struct chip *chip = chip_of(a->trace);
	struct streamed known[SHAPES] = {0};
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		enum spent part = spent_of(a, row);
		parts[i] = (uint8_t)part;
		streamed[i] = part == SPENT_GEMM && chip &&
			streams_memory(known, chip, a->trace, row, a->device_ops[i]);
	}
}
