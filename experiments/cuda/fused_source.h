/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fused_source.h - the source of a pointwise kernel made for one chain of operations and one shape.
 *
 * What torch.compile's Inductor does in Triton, in CUDA C++: operations and sizes are constants of
 * the text, intermediates stay in registers and in f32 until the store. The same chain and shape
 * give the same text, byte for byte, so the text's hash names the kernel.
 */
#ifndef EXPERIMENTS_CUDA_FUSED_SOURCE_H
#define EXPERIMENTS_CUDA_FUSED_SOURCE_H

#include "base/arena.h"
#include "experiments/cuda/launch_grid.h"

struct fusion {
	const char *name; /* "tracebook_fused_gelu_tanh_mul_25165824" */
	const char *source; /* in the arena; parameters: out, in0 ... as pointers */
	struct launch launch;
};

/* The chain is well formed (pointwise_ok has seen it). `threads` and `vectors` (of 16
 * bytes, a thread) 0: the usual ones. */
void fusion_make(struct fusion *f, struct arena *a, const struct device_pointwise *p, int threads,
	int vectors);

#endif
