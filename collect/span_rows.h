/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span_rows.h - the spans of one recording as sorted columns: who encloses whom, who launched what.
 *
 * The one place where spans are joined; the trace and the table are both printed from it. Times are
 * those of the spans, CLOCK_REALTIME nanoseconds. A range (step or annotation) that launched device
 * work gets a shadow row on each stream: from its first to its last device span, idle included,
 * begun 1 ns earlier and 2 ns longer, as Kineto's gpu_user_annotation.
 */
#ifndef COLLECT_SPAN_ROWS_H
#define COLLECT_SPAN_ROWS_H

#include "base/arena.h"
#include "base/names.h"
#include "base/nest.h"
#include "experiments/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A shadow is longer by this at either end. */
enum { SHADOW_MARGIN_NS = 1 };

/* What was recorded, lent. */
struct recording {
	const struct span *cpu; /* (n_cpu) */
	const struct span *device; /* (n_device) */
	size_t n_cpu, n_device;
};

struct rows {
	size_t n; /* sorted by start, longer first, then as recorded */
	const struct span **span; /* (n) for shadows: made up, in the arena */
	int64_t *start_ns, *dur_ns; /* (n) */
	bool *shadow; /* (n) */
	uint32_t *lane; /* (n) the thread of a row that is of one, from 0 on, below n_lanes */
	uint32_t n_lanes;
	uint32_t *parent; /* (n) the enclosing row of the same thread, or NO_ROW; rows that are
			     not of a thread: NO_ROW */
	uint32_t *launch; /* (n) device rows: the call that queued them, or NO_ROW */
	uint32_t *external; /* (n) CPU ranges and operators: their number from 1; calls and device
			       rows: that of the innermost operator around the call; 0 none */
};

struct rows rows_of(struct arena *a, const struct recording *r);

/* Work that a device did. */
bool span_on_device(const struct span *s);

/* PyTorch's table (base/profiler_table.h), the longest device time first. `heading` is what the
 * device is called in the column heads: "HOST QUEUE", "CUDA". Write errors stick to the FILE. */
void table_write(FILE *f, const struct rows *rows, struct names *names, const char *heading);

#endif
