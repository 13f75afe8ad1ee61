/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/workload.h"

#include "experiments/family.h"
#include "experiments/prepared_case.h"

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

/* The kinds of work, a row each: its file defines `const struct family family_<kind>`. */
#define KINDS(ROW) \
	ROW(matmul_add) \
	ROW(addmm) \
	ROW(bmm_add) \
	ROW(linear) \
	ROW(geglu_mlp) \
	ROW(attention) \
	ROW(causal_attention) \
	ROW(causal_attention_in_place) \
	ROW(square) \
	ROW(square_mul) \
	ROW(square_naive) \
	ROW(square_powf) \
	ROW(square_tile) \
	ROW(square_row) \
	ROW(square_row_loop)

#define DECLARED(kind) extern const struct family family_##kind;
KINDS(DECLARED)

#define LISTED(kind) \
	{.name = #kind, \
		.family = &family_##kind, \
		.shape_ok = family_shape_ok, \
		.flop = family_flop, \
		.bytes = family_bytes, \
		.shrink = family_shrink, \
		.prepare = prepared_prepare, \
		.step = prepared_step, \
		.check = prepared_check, \
		.release = prepared_release},

const struct workload workloads[] = {KINDS(LISTED){0}};

const struct workload *workload_find(const char *name)
{
	for (const struct workload *w = workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}
