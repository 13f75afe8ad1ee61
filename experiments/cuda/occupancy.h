/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy.h - how many blocks of a kernel a multiprocessor can hold, from its footprint alone.
 *
 * Two answers. Kineto's "est. achieved occupancy %" asks the toolkit's calculator with the default
 * limit of shared memory, which is 48 KiB a block: it prints 0 % for every kernel above that, hence
 * for all large matrix products. Ours asks with the limit that such kernels opt in to. (The
 * formulas are those of cuda_occupancy.h in the CUDA toolkit.)
 */
#ifndef EXPERIMENTS_CUDA_OCCUPANCY_H
#define EXPERIMENTS_CUDA_OCCUPANCY_H

#include "experiments/device.h"

/* Fills in what follows from grid, block, registers and shared memory: blocks_per_sm and all below
 * it. Everything stays 0 when the calculator refuses the numbers. */
void occupancy_of(struct span_kernel *k, const struct device_properties *p);

#endif
