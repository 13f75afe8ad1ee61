/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/partition_parts.h"
#include "report/analyse/parts.h"
#include "report/analyse/shapes.h"

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

/* Does reading and writing take half of a kernel's time at least, as of weights by a vector? */
static bool streams_memory(const struct analysis *a, const struct chip *chip, size_t i)
{
	struct product p;
	return product_launched(a, a->device_calls[i], a->device_ops[i], 1, &p) &&
		2 * product_memory_ns(chip, &p) > (double)a->trace->dur_ns[a->device_rows[i]];
}

void parts_of_device(const struct analysis *a, uint8_t *parts, bool *streamed)
{
	const struct chip *chip = chip_of(a->trace);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		enum spent part = spent_of(a, row);
		parts[i] = (uint8_t)part;
		streamed[i] = part == SPENT_GEMM && chip && streams_memory(a, chip, i);
	}
}
