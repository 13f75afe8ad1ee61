/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hardware_counters.h - hardware counters of a piece of work, collected by running it again.
 *
 * CUPTI's range profiler, in a run of its own: it adds time, so nothing is timed while it is on.
 * The work is done once per pass and must do the same each time. What can be counted together in
 * how many passes is known without a GPU (counters_plan()).
 *
 * Counting needs root, or a driver that lets everybody (NVreg_RestrictProfilingToAdminUsers=0); a
 * refusal is told in plain words and costs nothing but the counters.
 */
#ifndef EXPERIMENTS_CUDA_HARDWARE_COUNTERS_H
#define EXPERIMENTS_CUDA_HARDWARE_COUNTERS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct counter {
	const char *metric; /* "dram__bytes_read.sum": ncu's name */
	const char *about; /* "bytes read from memory" */
	bool deep; /* only with `deep`: several passes */
};

extern const struct counter counters_known[]; /* ends with a NULL metric */

struct counters; /* opaque */

enum counters_range {
	COUNTERS_OF_ALL, /* one row for all the work */
	COUNTERS_OF_KERNELS /* a row per kernel; the driver runs each again by itself */
};

/* Without a GPU: for a chip by its name ("GH100", "GA100"). NULL on failure. */
struct counters *counters_plan(const char *chip, bool deep, struct err *err);

/* For the GPU of the current context, which must exist. */
struct counters *counters_open(bool deep, struct err *err);

size_t counters_passes(const struct counters *c);
size_t counters_metrics(const struct counters *c);
const struct counter *counters_metric(const struct counters *c, size_t i);

/* What is counted: queues its work; is called once per pass. */
struct counters_work {
	int (*run)(void *context, struct err *err);
	int (*synchronise)(void *context, struct err *err);
	void *context;
};

/* Values by row and metric, in the arena; *n_rows rows. NULL on failure. */
const double *counters_collect(struct counters *c, enum counters_range range,
	const struct counters_work *work, struct arena *a, size_t *n_rows, struct err *err);

void counters_close(struct counters *c);

#endif
