/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/profiler_table_text.h"

#include "base/profiler_table.h"

/* As torch's table() when it is not told otherwise. */
enum { MOST_ROWS = 100 };

static uint8_t side_of(const struct rows *rows, size_t row)
{
	const struct span *s = rows->span[row];
	if (rows->shadow[row])
		return PROFILER_DEVICE_ANNOTATION;
	if (span_on_device(s))
		return PROFILER_DEVICE;
	if (!span_on_thread(s))
		return PROFILER_NEITHER;
	if (span_is_range(s))
		return PROFILER_CPU | PROFILER_RANGE;
	return s->kind == SPAN_OP || s->kind == SPAN_SETUP ? PROFILER_CPU : PROFILER_CALL;
}

void table_write(FILE *f, const struct rows *rows, struct names *names, const char *heading)
{
	struct arena arena = {0};
	name_id *name = arena_array(&arena, rows->n, sizeof *name);
	uint8_t *side = arena_array(&arena, rows->n, 1);
	for (size_t i = 0; i < rows->n; i++) {
		name[i] = names_add_text(names, rows->span[i]->name);
		side[i] = side_of(rows, i);
	}
	struct profiler_table table = profiler_table_of(&arena,
		&(struct profiler_table_in){
			.n = rows->n,
			.start_ns = rows->start_ns,
			.dur_ns = rows->dur_ns,
			.name = name,
			.side = side,
			.lane = rows->lane,
			.n_lanes = rows->n_lanes,
			.launch = rows->launch,
			.names = names,
			.shadow_ns = (int64_t)2 * SHADOW_MARGIN_NS,
		});
	profiler_table_print(f, &table, MOST_ROWS, heading);
	arena_release(&arena);
}
