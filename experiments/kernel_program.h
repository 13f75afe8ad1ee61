/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_program.h - the kernels of a fused graph, in order, with every buffer decided.
 *
 * Memory is named by slots: first the graph's inputs, which the caller lends anew on each run, then
 * buffers. A buffer is used again by a later value once its last reader stands before that value's
 * maker; no kernel reads and writes one buffer, but for a GEMM that accumulates.
 *
 * The text of a program says all that decides its kernels (dtypes, shapes, strides, slots) and
 * no address, so its hash names the same program in every run.
 */
#ifndef EXPERIMENTS_KERNEL_PROGRAM_H
#define EXPERIMENTS_KERNEL_PROGRAM_H

#include "base/arena.h"
#include "experiments/graph.h"
#include "experiments/ops.h"

enum { PROGRAM_SLOTS = GRAPH_VALUES };

enum program_kind { PROGRAM_COPY, PROGRAM_GEMM, PROGRAM_POINTWISE };

struct program_kernel {
	enum program_kind kind;
	int out; /* slot */
	int n_in;
	int in[GRAPH_STEPS]; /* slots: GEMM a, b and the epilogue's addend */
	size_t bytes; /* COPY */
	struct device_gemm gemm; /* without memory */
	struct device_matrix addend; /* GEMM with n_in 3, without memory */
	struct device_pointwise pointwise; /* without memory */
};

struct program {
	int n_inputs, n_slots;
	size_t slot_bytes[PROGRAM_SLOTS]; /* (n_slots) 0 for inputs */
	int n_kernels;
	struct program_kernel *kernel; /* (n_kernels) lent by the arena */
	int out; /* slot of the result */
	struct tensor shape; /* of the result */
	const char *text; /* lent by the arena */
	uint64_t hash; /* FNV-1a of the text */
};

void program_init(struct program *p, const struct graph *g, struct arena *a);

/* Enqueues the kernels; memory has one entry per slot. */
int program_run(const struct program *p, struct ops *o, struct device_memory *const *memory,
	struct err *err);

#endif
