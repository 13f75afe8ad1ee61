/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/profiler_table_text.h"

#include "base/profiler_table.h"

/* As torch's table() when it is not told otherwise. */
enum { MOST_ROWS = 100 };

static enum profiler_side side_of(const struct rows *rows, size_t row)
{
	const struct span *s = rows->span[row];
	if (rows->shadow[row])
		return PROFILER_DEVICE_ANNOTATION;
	if (span_on_device(s))
		return PROFILER_DEVICE;
	if (!span_on_thread(s))
		return PROFILER_NEITHER;
	bool operator_like = span_is_range(s) || s->kind == SPAN_OP || s->kind == SPAN_SETUP;
	return operator_like ? PROFILER_CPU : PROFILER_CALL;
}

void table_write(FILE *f, const struct rows *rows, struct names *names, const char *heading)
{
	struct arena arena = {0};
	name_id *name = arena_array(&arena, rows->n, sizeof *name);
	uint8_t *side = arena_array(&arena, rows->n, 1);
	uint8_t *annotation = arena_array(&arena, rows->n, 1);
	for (size_t i = 0; i < rows->n; i++) {
		name[i] = names_add_text(names, rows->span[i]->name);
		side[i] = (uint8_t)side_of(rows, i);
		annotation[i] = span_is_range(rows->span[i]);
	}
	struct profiler_table table = profiler_table_of(&arena,
		&(struct profiler_table_in){
			.n = rows->n,
			.start_ns = rows->start_ns,
			.dur_ns = rows->dur_ns,
			.name = name,
			.side = side,
			.annotation = annotation,
			.parent = rows->parent,
			.launch = rows->launch,
			.names = names,
			.shadow_ns = (int64_t)2 * SHADOW_MARGIN_NS,
		});
	profiler_table_print(f, &table, MOST_ROWS, heading);
	arena_release(&arena);
}
