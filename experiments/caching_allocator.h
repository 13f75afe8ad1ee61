/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caching_allocator.h - the caching allocator behind the operators' results.
 *
 * As PyTorch's: memory that was given back is kept and handed out again to the next request of the
 * same size, so that a warm step allocates nothing. The device's queue runs in order, hence memory
 * may be reused while earlier work on it still waits. A request that finds nothing goes to the
 * device and is a SPAN_SETUP `allocate N bytes`.
 */
#ifndef EXPERIMENTS_CACHING_ALLOCATOR_H
#define EXPERIMENTS_CACHING_ALLOCATOR_H

#include "base/names.h"
#include "experiments/device.h"

struct storage {
	struct device_memory *memory;
	size_t bytes; /* as allocated: a multiple of 512 */
	bool used;
	struct storage *next;
};

struct storage_cache {
	const struct device_ops *call;
	struct device *device;
	struct recorder *recorder;
	struct names *names; /* of its spans */
	struct storage *first; /* owned, all of them */
};

/* At least `bytes` of memory; NULL on failure. */
struct storage *storage_take(struct storage_cache *cache, size_t bytes, struct err *err);
void storage_give_back(struct storage *s);

/* Frees everything, also what is in use. The queue must be idle. */
void storage_cache_release(struct storage_cache *cache);

#endif
