/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/workload.h"

#include "experiments/family.h"
#include "experiments/prepared.h"

#include <string.h>

const char *mode_name(enum mode mode)
{
	static const char *const names[MODES] = {
		[MODE_EAGER] = "eager",
		[MODE_COMPILE] = "compile",
		[MODE_FUSED] = "fused",
		[MODE_HANDWRITTEN] = "handwritten",
		[MODE_GRAPH] = "graph",
		[MODE_AUTOTUNE] = "autotune",
	};
	return names[mode];
}

/* What all rows share. */
#define FUNCTIONS \
	.shape_ok = family_shape_ok, .flop = family_flop, .bytes = family_bytes, \
	.shrink = family_shrink, .prepare = prepared_prepare, .step = prepared_step, \
	.check = prepared_check, .release = prepared_release

const struct workload workloads[] = {
	{.name = "matmul_add",
		.annotation = "matmul_add",
		.about = "matmul of two squares, then add of a third",
		FUNCTIONS},
	{.name = "addmm",
		.annotation = "matmul_add",
		.about = "the same sum as one call of addmm",
		FUNCTIONS},
	{.name = "bmm_add",
		.annotation = "matmul_add",
		.about = "a batch of squares: bmm, then add",
		FUNCTIONS},
	{.name = "linear",
		.annotation = "linear_fwd",
		.about = "one linear layer with bias",
		FUNCTIONS},
	{.name = "geglu_mlp",
		.annotation = "mlp_fwd",
		.about = "a gated MLP: gate, up, gelu, product, down",
		FUNCTIONS},
	{.name = "square",
		.annotation = "square",
		.about = "the square of every element",
		FUNCTIONS},
	{.name = "square_mul",
		.annotation = "square",
		.about = "the same as a product with itself",
		FUNCTIONS},
	{.name = "square_naive",
		.annotation = "square",
		.about = "a hand-written kernel: one element a thread (cuda)",
		FUNCTIONS},
	{.name = "square_powf",
		.annotation = "square",
		.about = "a hand-written kernel: the library's power (cuda)",
		FUNCTIONS},
	{.name = "square_tile",
		.annotation = "square",
		.about = "a hand-written kernel: blocks of 16 x 16 threads (cuda)",
		FUNCTIONS},
	{.name = "square_row",
		.annotation = "square",
		.about = "a hand-written kernel: a block a row, lanes masked (cuda)",
		FUNCTIONS},
	{.name = "square_row_loop",
		.annotation = "square",
		.about = "a hand-written kernel: a block a row, 1024 lanes and a loop (cuda)",
		FUNCTIONS},
	{0},
};

const struct workload *workload_find(const char *name)
{
	for (const struct workload *w = workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}
