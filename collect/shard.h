/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shard.h - a part of a matrix: the cases that were asked for, for one of several machines.
 *
 * Shard K of N, from 1, runs every Nth selected case, and its run lies in
 * OUT/shard-K-of-N/<device>, so that shards can share OUT. "auto" asks Slurm: the place of a task
 * in its job array, else that of a process in its step.
 */
#ifndef COLLECT_SHARD_H
#define COLLECT_SHARD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct shard {
	long k, n; /* n 0: all of it */
};

/* "2/8" or "auto"; NULL gives all of it. */
int shard_parse(struct shard *s, const char *text, struct err *err);

/* Takes the marks of other shards' cases away. Without N nothing. */
void shard_select(const struct shard *s, bool *selected, size_t n);

#endif
