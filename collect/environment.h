/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environment.h - on what a run was made, as pairs of texts in the order in which they are shown.
 */
#ifndef COLLECT_ENVIRONMENT_H
#define COLLECT_ENVIRONMENT_H

#include "base/arena.h"
#include "experiments/device.h"

enum { ENVIRONMENT_ROOM = 32 };

struct environment {
	struct {
		const char *name, *value;
	} fact[ENVIRONMENT_ROOM]; /* (n) */
	int n;
	int64_t cache_bytes; /* of the device's level-2 cache, for whoever computes with it; 0: not
				told */
};

/* What cannot be found out is left out. `program_folder` is where to look for the commit. */
struct environment environment_of(
	struct arena *a, const struct device_info *info, const char *program_folder);

/* Adds a pair at the end; nothing when there is no value or no room. */
void environment_add(struct environment *e, const char *name, const char *value);

/* "2026-11-20T10:00:00Z" */
const char *now_text(struct arena *a);

/* The CPU's model name. */
const char *cpu_name(struct arena *a);

/* "580.159.04", of NVIDIA's kernel module; NULL when there is none. */
const char *driver_version(struct arena *a);

/* Bytes that can be had without swapping; 0 when unknown. */
double memory_available_bytes(void);

#endif
