/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu.h - what the programs for a machine with a GPU share: the device opened, arrays of random
 * numbers, and times of the GPU's work from CUPTI's records.
 */
#ifndef TESTS_GPU_GPU_H
#define TESTS_GPU_GPU_H

#include "experiments/cuda/cuda.h"

enum { GPU_SAMPLES = 4096, GPU_PLACES = 6 };

struct gpu {
	const struct device_ops *call;
	struct device *device;
	struct recorder recorder; /* off */
	struct err err;
};

/* Ends the program with a message on failure, as all functions here do. */
void gpu_open(struct gpu *g);
void gpu_close(struct gpu *g);
void gpu_ok(struct gpu *g, int status);

/* Memory of n elements: random in [-1, 1), never zeros, which a GPU may run faster. */
struct device_memory *gpu_random(struct gpu *g, int64_t n, enum dtype dtype, uint64_t seed);

/* Work to be timed; round 0, 1, ... so that it can rotate its buffers. */
struct gpu_work {
	void (*run)(struct gpu *g, void *context, int round);
	void *context;
};

/* Microseconds, sorted. */
struct gpu_times {
	double us[GPU_SAMPLES];
	int n;
	char name[256]; /* of the first kernel */
};
/* Adds the times of b to a. */
void gpu_times_add(struct gpu_times *a, const struct gpu_times *b);

double gpu_quantile(const struct gpu_times *t, double q);

/* How long the GPU worked in each of `rounds` rounds after `warm` unrecorded ones: the sum over
 * what a round did, as CUPTI stamped it. */
void gpu_time(struct gpu *g, const struct gpu_work *w, int warm, int rounds, struct gpu_times *t);

/* The same by pairs of CUDA events around each round, which hold the gaps as well. */
void gpu_time_events(
	struct gpu *g, const struct gpu_work *w, int warm, int rounds, struct gpu_times *t);

/* Seconds of the CPU's clock for `rounds` rounds without waiting in between, then a synchronise. */
double gpu_cpu_seconds(struct gpu *g, const struct gpu_work *w, int warm, int rounds);

/* Pointwise work on buffers that rotate, so that no input is found in the level-2 cache. Fill in p.
 */
enum { GPU_ROTATE = 4 };
struct gpu_pointwise {
	struct device_pointwise p;
	struct device_memory *in[GPU_ROTATE][4], *out[GPU_ROTATE];
	int64_t more; /* elements of memory behind each array */
};
void gpu_pointwise_open(struct gpu *g, struct gpu_pointwise *w);
void gpu_pointwise_close(struct gpu *g, struct gpu_pointwise *w);
void gpu_run_pointwise(struct gpu *g, void *pointwise, int round);

#endif
