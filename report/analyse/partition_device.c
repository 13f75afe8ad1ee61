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

static struct stretch stretch_of(const struct analysis *a, size_t i, enum spent part)
{
	const struct trace *t = a->trace;
	const struct window *w = &a->window;
	uint32_t row = a->device_rows[i];
	int64_t start = t->start_ns[row], end = row_end(t, row);
	return (struct stretch){.start_ns = start > w->start_ns ? start : w->start_ns,
		.end_ns = end < w->end_ns ? end : w->end_ns,
		.row = (uint32_t)i,
		.part = (uint8_t)part};
}

void cover_device(
	struct layer layer[DEVICE_LAYERS], const struct analysis *a, uint8_t *parts, bool *streamed)
{
	const struct chip *chip = chip_of(a->trace);
	struct streamed known[SHAPES] = {0};
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		enum spent part = spent_of(a, row);
		parts[i] = (uint8_t)part;
		streamed[i] = part == SPENT_GEMM && chip &&
			streams_memory(known, chip, a->trace, row, a->device_ops[i]);
		if (!spent_is_computing(part))
			layer_cover(
				&layer[part == SPENT_COPIES ? LAYER_COPIES : LAYER_COMMUNICATION],
				stretch_of(a, i, part));
	}
}

/* Most events compute: they are handed out as they come, without a layer of their own. */
void fill_device(struct layer layer[DEVICE_LAYERS], const struct analysis *a, const uint8_t *parts,
	const bool *streamed, take_stretch *take, void *to)
{
	const struct stretch rest = {.row = NO_ROW, .part = SPENT_UNKNOWN};
	int64_t done = a->window.start_ns;
	for (size_t i = 0; i < a->n_device; i++) {
		if (!spent_is_computing((enum spent)parts[i]))
			continue;
		struct stretch s = stretch_of(a, i, (enum spent)parts[i]);
		s.start_ns = s.start_ns > done ? s.start_ns : done;
		if (s.end_ns <= s.start_ns)
			continue;
		s.streamed = streamed[i];
		layers_fill(layer, DEVICE_LAYERS, (struct time_span){done, s.start_ns}, &rest, take,
			to);
		take(to, &s, (struct time_span){s.start_ns, s.end_ns});
		done = s.end_ns;
	}
	layers_fill(
		layer, DEVICE_LAYERS, (struct time_span){done, a->window.end_ns}, &rest, take, to);
}
