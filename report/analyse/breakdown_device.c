/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/analysis_stages.h"
#include "report/analyse/breakdown_parts.h"
#include "report/analyse/shapes.h"

#include <stdlib.h>
#include <string.h>

enum time_part time_part_of(const struct analysis *a, uint32_t device_row)
{
	const struct trace *t = a->trace;
	if (t->kind[device_row] == EVENT_MEMCPY)
		return TIME_COPIES;
	switch ((enum event_class)a->class[device_row]) {
	case CLASS_COMMUNICATION:
		return TIME_COMMUNICATION;
	case CLASS_GEMM:
	case CLASS_SPLITK:
	case CLASS_CLEAR:
		return TIME_GEMM;
	case CLASS_ATTENTION:
		return TIME_ATTENTION;
	case CLASS_CONVOLUTION:
		return TIME_CONVOLUTION;
	case CLASS_EMBEDDING:
		return TIME_EMBEDDING;
	case CLASS_ADD:
	case CLASS_MUL:
	case CLASS_GELU:
	case CLASS_FUSED:
	case CLASS_ELEMENTWISE:
	case CLASS_COPY:
	case CLASS_FILL:
		return TIME_POINTWISE;
	case CLASS_REDUCTION:
	case CLASS_NORM:
		return TIME_REDUCTION;
	default:
		return TIME_OTHER;
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
		enum time_part part = time_part_of(a, row);
		parts[i] = (uint8_t)part;
		streamed[i] = part == TIME_GEMM && chip && streams_memory(a, chip, i);
	}
}
