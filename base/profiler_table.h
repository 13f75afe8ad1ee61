/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler_table.h - PyTorch's profiler table: key_averages().table().
 *
 * Rules from torch/autograd/profiler_util.py: self CPU
 * is a span's own time less that of its direct children; a CPU row's device time is that of the
 * kernels it launched plus its children's, and the innermost operator around the launch is the one
 * that launched it (not the runtime call, not an annotation); the device rows stand on their own,
 * self = total; an annotation's device row never counts in a total. `ProfilerStep#N` is one row,
 * `ProfilerStep*`. A span that is the only child of one with the same name melts into it. Both
 * percentages of the CPU are shares of the summed self CPU time, those of the device shares of the
 * summed self device time without annotations.
 */
#ifndef BASE_PROFILER_TABLE_H
#define BASE_PROFILER_TABLE_H

#include "base/arena.h"
#include "base/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What may stand beside the times, each in two columns where it nests: of the span, with all that
 * happened in it, and its own, without its children's. */
enum { PROFILER_HOST_BYTES, PROFILER_DEVICE_BYTES, PROFILER_MEMORIES };

enum profiler_side {
	PROFILER_CPU, /* an operator or a range: nests on its lane */
	PROFILER_DEVICE, /* kernels, copies, fills */
	PROFILER_DEVICE_ANNOTATION, /* a range's shadow on the device: shown, never summed */
	PROFILER_NEITHER, /* left out */
	PROFILER_CALL /* a runtime or driver call, or overhead: nests like PROFILER_CPU, but the
			device time it causes belongs to the operator around it */
};

/* A row that nests on another lane than its own. */
struct profiler_lane {
	uint32_t row, lane;
};

/* Added to PROFILER_CPU or PROFILER_CALL: a user annotation, which groups apart from operators. */
enum { PROFILER_RANGE = 8 };

struct profiler_table_in {
	size_t n;
	const int64_t *start_ns, *dur_ns; /* (n) sorted by start, longer first */
	const name_id *name; /* (n) */
	const uint8_t *side; /* (n) enum profiler_side, with PROFILER_RANGE */
	const uint32_t *lane; /* (n) the thread of a CPU row, on which it nests as in nest.h; below
				 n_lanes */
	uint32_t n_lanes;
	const struct profiler_lane *moved; /* (n_moved) by row: rows on another lane; NULL */
	size_t n_moved;
	const uint32_t *launch; /* (n) device rows: the call that launched it, or NO_ROW; other rows
				   are not looked at */
	const struct names *names;
	/* The rest may be absent. */
	const uint32_t *group; /* (n) below n_groups: rows of one name stand apart where theirs
				  differ, such as by the shapes of their inputs; NULL: no */
	uint32_t n_groups;
	/* Of a CPU row, asked once, in the order of the rows. */
	double (*flop_of)(void *on, uint32_t row);
	/* Memory taken less memory given back while it ran, on any thread. */
	void (*bytes_of)(void *on, uint32_t row, int64_t bytes[PROFILER_MEMORIES]);
	void *on;
	int64_t shadow_ns; /* what the recorder made each annotation's shadow on the device longer
			      than it is; taken off */
};

struct profiler_row {
	const char *name;
	enum profiler_side side;
	bool annotation;
	int64_t self_cpu_ns, cpu_ns, self_device_ns, device_ns;
	size_t calls;
	uint32_t group; /* as came in; 0 */
	double flop;
	int64_t bytes[PROFILER_MEMORIES], self_bytes[PROFILER_MEMORIES];
};

struct profiler_table {
	struct profiler_row
		*row; /* (n) sorted by device total, then CPU total, largest first, then by name */
	size_t n;
	int64_t self_cpu_ns, self_device_ns; /* the footers: sums over all rows, as defined above */
	bool has_memory, has_flop; /* the columns were told */
	bool spans; /* its rows are all spans of the host: the file has neither operators nor calls
		       nor work of a device */
};

/* In one pass over the rows, with the spans that are open in hand. */
struct profiler_table profiler_table_of(struct arena *a, const struct profiler_table_in *in);

/* Names that PyTorch keeps out of the table ("[memory]", "aten::is_leaf" ...): PROFILER_NEITHER. */
bool profiler_table_hides(const char *name);

/* The table as PyTorch prints it, byte for byte in form: at most `limit` rows, `device` ("CUDA" or
 * "HOST QUEUE") in the headings; without device time the four device columns and the footer are
 * left out, and an empty table prints nothing. Memory and FLOPs have columns where they were told
 * and some row has them (of the device's memory: takes any), as with profile_memory and with_flops;
 * units of memory are spelt as newer versions do (1 KB is 1024 bytes). A device word longer than
 * "CUDA" widens its columns by as many letters, so that headings stay above their numbers. */
void profiler_table_print(
	FILE *f, const struct profiler_table *table, size_t limit, const char *device);

#endif
