/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_fit.h - how a kernel fits on its device, from what its record says.
 *
 * Blocks that a multiprocessor holds at once are limited by warps, registers, shared memory and a
 * number of the generation; the limits are those of NVIDIA's occupancy calculator
 * (cuda_occupancy.h), for kernels that may have all the shared memory they ask for. Kineto asks
 * with the limit of 48 KiB instead, and estimates 0 % for every kernel above it. Waves: blocks of
 * the grid over all that the device holds at once; where the last is not full, a part of the device
 * waits for it (tail). What ncu's launch page advises, and Lecture 1 reads there, follows from
 * these numbers alone.
 */
#ifndef REPORT_ANALYSE_KERNEL_FIT_H
#define REPORT_ANALYSE_KERNEL_FIT_H

#include "report/trace/trace.h"

enum fit_limit { FIT_WARPS, FIT_REGISTERS, FIT_SHARED, FIT_BLOCKS, FIT_LIMITS };

struct fit {
	int32_t registers; /* a thread; 0: no footprint is known, and nothing else */
	int32_t shared_bytes, threads; /* a block; threads 0: no grid or block is known */
	double blocks; /* of the grid */
	int32_t resident; /* blocks that a multiprocessor holds at once; 0: not known */
	enum fit_limit limit; /* what keeps it from holding more */
	double theoretical; /* warps of these over all that fit, 0 to 1 */
	double estimate; /* Kineto's formula with the right blocks: fewer where the grid has not
			    enough; 0 to 1 */
	double waves; /* 0: not known */
	double empty; /* of the room of the last wave, 0 to 1; 0 when there is but one wave */
};

/* Is a device described well enough to tell how many blocks fit, and NVIDIA's (others give out
 * registers otherwise)? NULL is not. */
bool fit_known(const struct trace_device *d);

/* Both may be NULL. */
struct fit fit_of(const struct kernel *k, const struct trace_device *d);

/* "warps", "registers", "shared", "blocks": keys of the templates. */
const char *fit_limit_key(enum fit_limit limit);

#endif
