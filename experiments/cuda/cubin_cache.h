/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cubin_cache.h - compiled kernels kept on disk, under the hash of all that made them.
 *
 * A file holds a line with the hash's ingredients (format, compiler version, architecture, length
 * of the source), the source and the machine code, so that two sources with one hash cannot be
 * taken for each other, and a person can read what was compiled. A file that is damaged or of
 * another compiler is made anew.
 *
 * Folder: $TRACEBOOK_CACHE, or $XDG_CACHE_HOME/tracebook, or $HOME/.cache/tracebook, each with
 * /cuda behind it. An empty TRACEBOOK_CACHE keeps nothing. A folder that cannot be written costs
 * nothing but the time to compile again.
 */
#ifndef EXPERIMENTS_CUDA_CUBIN_CACHE_H
#define EXPERIMENTS_CUDA_CUBIN_CACHE_H

#include "experiments/cuda/rtc.h"

#include <stdbool.h>
#include <stdint.h>

struct cubin_key {
	const char *source;
	int capability; /* 90 */
	int major, minor; /* version of NVRTC */
};

/* FNV-1a over everything in the key. */
uint64_t cubin_hash(const struct cubin_key *key);

/* The folder, NULL when nothing is to be kept. */
const char *cubin_folder(struct arena *a);

/* Reads what was kept; false when there is nothing that fits. The caller frees code->bytes. */
bool cubin_recall(const struct cubin_key *key, struct rtc_code *code);

/* Quietly does nothing when the folder cannot be written. */
void cubin_keep(const struct cubin_key *key, const struct rtc_code *code);

#endif
