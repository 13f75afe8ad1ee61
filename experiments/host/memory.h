/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - the host device's memory.
 *
 * Memory is 64-byte aligned, zeroed and touched when it is made, as a GPU's allocator maps pages
 * when it is asked: the page faults of first touch are paid here, on the calling thread, and not
 * inside the first kernel that happens to write there. Blocks of 64 KiB and more are pages of
 * their own and go back to the system when they are freed.
 */
#ifndef EXPERIMENTS_HOST_MEMORY_H
#define EXPERIMENTS_HOST_MEMORY_H

#include "base/err.h"
#include "experiments/span.h"

#include <stdbool.h>
#include <stddef.h>

struct device_memory {
	unsigned char *base; /* 64-byte aligned */
	size_t bytes; /* as asked for */
	size_t mapped; /* bytes of whole pages; 0 when it came from the heap */
};

/* NULL with a message when the system has not that much left (MemAvailable of /proc/meminfo).
 * If pages were faulted in, `recorder` gets a SPAN_SETUP "page faults of first touch". */
struct device_memory *memory_new(size_t bytes, struct recorder *recorder, struct err *err);
void memory_free(struct device_memory *m);
size_t memory_bytes(const struct device_memory *m); /* as asked for */

/* "512.0 GB", "33.6 MB", "17 bytes"; powers of ten, as tensors' sizes are given in the trace. */
struct memory_text {
	char text[32];
};
struct memory_text memory_text(double bytes);

#endif
