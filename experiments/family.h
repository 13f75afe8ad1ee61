/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family.h - what the file of a kind of work says, experiments/work_*.c; prepared_case.c does for
 * all what is alike. A new kind is such a file and its row in workload.c.
 *
 * The sizes of a case are fields of struct case_spec, known by name: the inputs' dimensions in
 * `function` are such names, and so are the words of a recompilation ("batch 64 -> 32").
 */
#ifndef EXPERIMENTS_FAMILY_H
#define EXPERIMENTS_FAMILY_H

#include "experiments/graph_compiler.h"
#include "experiments/workload.h"

enum { FAMILY_FIELDS = 4 };

struct family {
	const char
		*annotation; /* the range around a step: "linear_fwd", as a program would name it */
	unsigned modes; /* 1u << enum mode, of those it knows */
	const char *device; /* NULL, or the only device that has its kernel */
	/* The sizes it uses; NULL after the last. To shrink, the first that is above 1 is halved.
	 */
	const char *field[FAMILY_FIELDS + 1];
	struct function function; /* for the modes eager, compile, graph and
				     autotune */
	/* Instead of function.call; NULL when the mode is not known. */
	int (*fused)(struct ops *, const struct tensor *in, struct tensor *out, struct err *);
	int (*handwritten)(struct ops *, const struct tensor *in, struct tensor *out, struct err *);
	/* Inputs are uniform: with unit variance, or within 1/sqrt of this size, as PyTorch's
	 * Linear starts. */
	const char *fan_in[FUNCTION_INPUTS];
	/* Of one step: products count 2 m n k, an add or multiply 1 per element, gelu 9. */
	double (*flop)(const struct case_spec *spec);
	double (*elements)(const struct case_spec *spec); /* of inputs, intermediates and result */
	/* Of the kernels of a step, in any way that it may run; returns how many rows. NULL: not
	 * told, and the report shows no bytes for it. */
	int (*kernels)(const struct case_spec *spec, struct kernel_work row[KERNEL_WORK_ROWS]);
	void (*reference)(const struct case_spec *spec, const double *const in[],
		double *out); /* reference_results.h */
};

/* By the name of its workload, which must be known. */
const struct family *family_of(const struct case_spec *spec);

/* A size by its name, which must be known. */
long *spec_field(struct case_spec *spec, const char *name);
long spec_size(const struct case_spec *spec, const char *name);

/* Does the family use this size? */
bool family_uses(const struct family *f, const char *name);

/* The functions of struct workload that are the same for all. */
int family_shape_ok(const struct case_spec *spec, struct err *err);
double family_flop(const struct case_spec *spec);
double family_bytes(const struct case_spec *spec);
bool family_shrink(struct case_spec *spec);

/* The rows of family.kernels, 0 when it has none. */
int family_kernels(const struct case_spec *spec, struct kernel_work row[KERNEL_WORK_ROWS]);

#endif
