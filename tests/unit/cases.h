/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.h - small cases of every workload, for its tests.
 */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

#include "experiments/family.h"

static const struct case_spec square = {
	.workload = "matmul_add", .size = 24, .dtype = DTYPE_BF16, .schedule = {.active = 4}};
static const struct case_spec batched = {.workload = "bmm_add",
	.batch = 3,
	.size = 12,
	.dtype = DTYPE_BF16,
	.schedule = {.active = 4}};
static const struct case_spec layer = {.workload = "linear",
	.batch = 16,
	.in_dim = 8,
	.out_dim = 4,
	.dtype = DTYPE_BF16,
	.schedule = {.active = 4}};
static const struct case_spec mlp = {.workload = "geglu_mlp",
	.batch = 4,
	.seq = 2,
	.dim = 8,
	.hidden = 16,
	.dtype = DTYPE_BF16,
	.schedule = {.active = 4}};

static const struct case_spec heads = {.workload = "attention",
	.batch = 3,
	.seq = 6,
	.dim = 4,
	.dtype = DTYPE_BF16,
	.schedule = {.active = 4}};

static struct case_spec in_mode(struct case_spec spec, enum mode mode)
{
	spec.mode = mode;
	return spec;
}

static struct case_spec named(struct case_spec spec, const char *workload)
{
	spec.workload = workload;
	return spec;
}

/* Every workload in every mode it knows. */
struct cases {
	struct case_spec spec[32];
	int n;
};

static struct cases all_cases(void)
{
	const struct case_spec shapes[] = {
		square, named(square, "addmm"), batched, layer, mlp, heads};
	struct cases all = {0};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (int m = 0; m < MODES; m++)
			if (family_of(&shapes[i])->modes & 1u << m)
				all.spec[all.n++] = in_mode(shapes[i], (enum mode)m);
	return all;
}

#endif
