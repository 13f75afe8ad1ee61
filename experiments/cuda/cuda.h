/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda.h - the cuda device: what stands behind struct device_ops.
 *
 * One GPU (the first that CUDA_VISIBLE_DEVICES leaves), one stream. Products go to cuBLASLt
 * (gemm.h), single pointwise operations and hand-written kernels to what nvcc built (kernels.h),
 * chains of operations to kernels compiled for their shape (kernel_modules.h), copies to
 * cudaMemcpyAsync. What the device and its driver do is recorded by CUPTI (recording.h,
 * decode.h); without CUPTI the calls are recorded by the device itself, and the device's own work
 * is not seen.
 */
#ifndef EXPERIMENTS_CUDA_CUDA_H
#define EXPERIMENTS_CUDA_CUDA_H

#include "experiments/cuda/clocks.h"
#include "experiments/cuda/kernel_modules.h"
#include "experiments/cuda/recording.h"
#include "experiments/cuda/stream_work.h"

enum { ABOUT_NUMBERS = 16, ABOUT_FACTS = 16 };

/* What device_info lends; filled in by about_fill(). */
struct about {
	struct device_properties properties;
	struct device_number number[ABOUT_NUMBERS];
	struct device_fact fact[ABOUT_FACTS];
	int n_numbers, n_facts;
	char name[256], isa[16], runtime[32], bus[32];
	int runtime_version; /* 13000 */
	int64_t l2_bytes;
	bool bf16_native;
};

struct device_graph {
	struct work *work; /* (n, room) owned */
	size_t n, room;
	cudaGraphExec_t executable; /* NULL until it is first launched */
};

struct device {
	struct arena arena;
	struct names names; /* of spans and kernels */
	struct recorder *recorder; /* lent: of the calling thread */
	struct driver driver;
	cudaStream_t stream;
	struct gemms gemms;
	struct modules modules;
	struct worker worker;
	struct cupti_recording recording;
	struct decoder decoder;
	struct clocks clocks;
	struct span *samples; /* lent by drain(): decoded spans and readings; owned */
	struct device_graph *capture; /* NULL while work is run */
	struct err not_recorded; /* why CUPTI is not used, if it is not */
	struct err not_read; /* why clocks are not read, if they are not */
	struct about *about; /* in the arena */
};

/* Asks CUDA for everything that does not change. */
int about_init(struct about *about, struct err *err);

/* Hardware counters of a piece of work: device_ops.count. */
int cuda_count(struct device *d, const struct device_counting *asked, struct arena *a,
	struct device_counts *counts, struct err *err);

/* Brings numbers and facts up to date; opens cuBLASLt and NVRTC to ask for their versions. */
void about_fill(const struct device *d);

/* Wrong descriptors, told before anything is queued. */
int whole_rows_ok(const struct device_rows *r, struct err *err);
int pointwise_ok(const struct device_pointwise *p, struct err *err);

#endif
