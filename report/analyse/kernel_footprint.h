/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_footprint.h - what a kernel takes of its device, and how its grid fits on it.
 *
 * Registers, shared memory and the shape of grid and block are the recorder's. How many blocks fit
 * on a multiprocessor is computed from them and the device's properties in the file (kernel_fit.h);
 * a wave is as many blocks as run at once.
 */
#ifndef REPORT_ANALYSE_KERNEL_FOOTPRINT_H
#define REPORT_ANALYSE_KERNEL_FOOTPRINT_H

#include "report/trace/trace.h"

struct footprint {
	int32_t registers; /* a thread; 0: not known, and the rest neither */
	int32_t shared_bytes, threads; /* a block; threads 0: not known */
	float blocks; /* of the grid */
	float waves; /* blocks / all that fit at once; 0: not known */
	int32_t blocks_per_sm; /* that fit; 0: not known */
};

/* The record of a kernel, NULL when the row has none. */
const struct kernel *kernel_of(const struct trace *t, uint32_t row);

/* The device of a kernel by its number, else the only one; NULL when the file describes none. */
const struct trace_device *device_of_kernel(const struct trace *t, const struct kernel *k);

/* False when the file does not tell; k may be NULL. */
bool footprint_read(const struct trace *t, const struct kernel *k, struct footprint *p);

#endif
