/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_counters.h - hardware counters of a case, as its run.json keeps them (`collect --counters`).
 *
 * They were counted in a run of their own after everything was timed: one warm step, kernel by
 * kernel in the order of launch. A trace of somebody's has none. The names are Nsight Compute's.
 */
#ifndef REPORT_DETECT_COUNTERS_H
#define REPORT_DETECT_COUNTERS_H

#include "base/arena.h"

#include <cjson/cJSON.h>
#include <stdint.h>

/* Shares of 1, NaN where it was not counted. */
struct counted_kernel {
	double occupancy; /* achieved: active warps of all that a multiprocessor can hold */
	double memory; /* of the memory's peak throughput */
	double compute; /* of the multiprocessors' peak throughput; only with --deep */
};

struct case_counters {
	const struct counted_kernel *kernel; /* (n) in the order of their launch */
	uint32_t n;
};

/* From the member "counters" of a case, in the arena; NULL when there are no kernels in it. */
const struct case_counters *case_counters_of(struct arena *a, const cJSON *counters);

#endif
