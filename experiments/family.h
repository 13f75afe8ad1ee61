/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family.h - what a workload's own file says; prepared.c does for all what is alike.
 *
 * The sizes of a case are fields of struct case_spec, known by name: the inputs' dimensions in
 * `function` are such names, and so are the words of a recompilation ("batch 64 -> 32").
 */
#ifndef EXPERIMENTS_FAMILY_H
#define EXPERIMENTS_FAMILY_H

#include "experiments/compile.h"
#include "experiments/workload.h"

enum { FAMILY_FIELDS = 4 };

struct family {
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
	void (*reference)(
		const struct case_spec *spec, const double *const in[], double *out); /* check.h */
};

extern const struct family family_matmul_add, family_addmm, family_bmm_add, family_linear,
	family_geglu_mlp, family_square, family_square_mul, family_square_naive, family_square_powf,
	family_square_tile, family_square_row, family_square_row_loop;

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

#endif
