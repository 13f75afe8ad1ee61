/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_compiler.h - the graph compiler: record once, fuse, plan, replay behind a guard.
 *
 * A call leaves these rows: `cache lookup` (hashes dtypes, shapes and strides of the inputs),
 * `guard check` (compares what the hash found, field by field), `compiled region F/C` (F: number of
 * the function, C: number of its compilation, both from 0) and in it `call graph <hash>`, which
 * holds the launches. In replay mode that is `replay graph <hash>` with one launch.
 *
 * A miss compiles: a SPAN_SETUP `graph compile` holds `record`, `fuse`, `plan` (with the buffers'
 * `allocate N bytes`) and `make kernels`, or `capture graph` in replay mode. From the second
 * compilation on, `recompile: batch 64 -> 32` stands around it and says what changed.
 */
#ifndef EXPERIMENTS_GRAPH_COMPILER_H
#define EXPERIMENTS_GRAPH_COMPILER_H

#include "experiments/kernel_program.h"
#include "experiments/ops.h"

enum { FUNCTION_INPUTS = GRAPH_INPUTS };

/* A step without state: dense inputs in, one new tensor out. The same code runs operator by
 * operator and is recorded. */
struct function {
	int n_inputs;
	struct {
		const char *name; /* "x" */
		const char *dim[TENSOR_RANK]; /* "batch", ...: NULL after the last */
	} input[FUNCTION_INPUTS];
	int (*call)(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err);
};

struct compiled {
	struct ops *ops;
	const struct function *function;
	bool replay; /* one launch of a captured graph instead of a launch per kernel */
	bool tune; /* set after compiled_init(): see struct device_gemm */
	int frame; /* F */
	int n_compiled; /* compilations so far */
	struct compiled_entry *first; /* owned, the newest first */
	struct compiled_entry *last_run; /* of the latest call */
};

void compiled_init(struct compiled *c, struct ops *o, const struct function *function, bool replay);

/* `out` is lent until the next call with the same shapes. */
int compiled_call(struct compiled *c, const struct tensor *in, struct tensor *out, struct err *err);

/* The program of the latest call, NULL before the first. */
const struct program *compiled_program(const struct compiled *c);

/* The queue must be idle. */
void compiled_release(struct compiled *c);

#endif
