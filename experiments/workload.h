/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workload.h - an experiment, written once against a device.
 *
 * A workload is a row of workloads[]: it checks its shape, prepares tensors, enqueues one step, and
 * compares its result with a plain reference. It never times, prints or records by itself: the
 * operators it calls do the spans, the runner in collect/ does the rest.
 */
#ifndef EXPERIMENTS_WORKLOAD_H
#define EXPERIMENTS_WORKLOAD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/names.h"
#include "experiments/device.h"

enum mode {
	MODE_EAGER, /* operator by operator */
	MODE_COMPILE, /* recorded, fused, replayed behind a guard */
	MODE_FUSED, /* the truly fused form: the addend inside the GEMM's epilogue */
	MODE_HANDWRITTEN, /* a generic hand-written kernel in place of the fused pointwise one */
	MODE_GRAPH, /* the recorded list, replayed with one launch */
	MODE_AUTOTUNE, /* as MODE_COMPILE, with the fastest of the library's GEMM kernels by trial
			*/
	MODES
};
/* "eager", "compile", "fused", "handwritten", "graph", "autotune" */
const char *mode_name(enum mode mode);

/* Steps: `wait` are run unrecorded, `warmup` run with the recorder on but thrown away, `active` are
 * kept; the whole cycle `repeat` times (0 counts as 1). Same meaning as torch.profiler.schedule. */
struct schedule {
	long wait, warmup, active, repeat;
};

/* One case of the matrix: sizes that the workload does not use are 0. */
struct case_spec {
	const char *experiment; /* folder of its files */
	const char *tag; /* file name without extension, unique in its experiment */
	const char *workload; /* row of workloads[] */
	enum mode mode;
	enum dtype dtype;
	bool warm; /* three unrecorded calls and a synchronise before the schedule starts */
	struct schedule schedule;
	long size, batch, in_dim, out_dim, seq, dim, hidden;
	long then_batch; /* the batch changes to this halfway through the active steps; 0: it does
			    not */
};

/* What a prepared case works with. The texts that spans lend live in `arena` and `names`. */
struct bench {
	const struct device_ops *ops;
	struct device *device;
	struct recorder *recorder; /* of the calling thread */
	struct arena *arena;
	struct names *names;
	const struct case_spec *spec;
	void *state; /* the workload's own */
};

/* What a kernel of a step computes, and what has to cross the memory for it: each operand read once
 * and the result written once, caches left aside. The report tells kernels apart by their class;
 * the nth kernel of a class in a step takes the nth row of that class that counts in the step, or
 * the last. */
struct kernel_work {
	/* What the report calls kernels of the kind: "gemm", "add", "mul", "gelu", "fused",
	 * "elementwise" ...; "any" is every kernel that is no product and has no row of its own. */
	const char *class;
	double flop;
	double read, write; /* elements */
	const char *with; /* counts only in a step that has a kernel of this class; NULL: in any */
	const char *without; /* counts only in a step that has none of this class; NULL: in any */
	/* What the product takes in beside its factors: "addend", a matrix that another way to do
	 * the step adds by a kernel or a copy; "bias", a row; NULL: nothing. */
	const char *epilogue;
};

enum { KERNEL_WORK_ROWS = 8 };

struct workload {
	const char *name; /* "matmul_add" */
	const struct family *family; /* what its own file says (family.h) */

	/* Are the sizes given, positive and able to multiply, and is the mode known here? Names
	 * field and case. */
	int (*shape_ok)(const struct case_spec *spec, struct err *err);
	/* Floating-point operations of one step, and bytes of all its tensors. */
	double (*flop)(const struct case_spec *spec);
	double (*bytes)(const struct case_spec *spec);
	/* Makes the case smaller by about half its work; false when it cannot get smaller. For slow
	 * machines. */
	bool (*shrink)(struct case_spec *spec);

	int (*prepare)(struct bench *b, struct err *err);
	/* Enqueues step number `step` (0 from the first call of the schedule) and returns without
	 * waiting. */
	int (*step)(struct bench *b, long step, struct err *err);
	/* Runs once at a small shape of the same kind on random data and compares with a plain
	 * double-precision reference: *error is the norm of the difference over the norm of the
	 * reference. Leaves nothing behind, and leaves no first-call cost paid for the timed shape.
	 */
	int (*check)(struct bench *b, double *error, struct err *err);
	void (*release)(struct bench *b);
};

extern const struct workload workloads[]; /* ends with a NULL name */
const struct workload *workload_find(const char *name);

#endif
