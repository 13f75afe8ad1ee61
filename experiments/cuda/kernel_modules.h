/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_modules.h - kernels that are made for a chain of operations and a shape while the program
 * runs.
 *
 * The first time a chain of that shape is met its source is written (fused_source.h), compiled to
 * machine code by NVRTC or taken from the cache on disk (cubin_cache.h), and loaded; each of these
 * is a SPAN_SETUP in the caller's recorder. After that it is found in a list.
 */
#ifndef EXPERIMENTS_CUDA_KERNEL_MODULES_H
#define EXPERIMENTS_CUDA_KERNEL_MODULES_H

#include "base/names.h"
#include "experiments/cuda/driver.h"
#include "experiments/cuda/fused_source.h"
#include "experiments/cuda/rtc.h"

struct module {
	struct device_pointwise chain; /* without memory */
	struct fusion fusion;
	CUmodule module;
	CUfunction function;
	bool from_disk; /* it was not compiled here */
	struct module *next;
};

struct modules {
	struct rtc rtc; /* opened when it is first needed */
	const struct driver *driver; /* lent */
	struct arena *arena; /* lent */
	struct names *names; /* lent, of spans */
	struct recorder *recorder; /* lent */
	int capability; /* 90 */
	struct module *first; /* in the arena */
	size_t n;
};

struct module *modules_take(struct modules *m, const struct device_pointwise *p, struct err *err);

/* The stream must be idle. */
void modules_release(struct modules *m);

/* Opens NVRTC if that has not been done. */
int modules_compiler(struct modules *m, struct err *err);

#endif
