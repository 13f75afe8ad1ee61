/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen_cases.h - which cases of a matrix are meant: --only GLOB, then --shard K/N of those.
 *
 * Shard K of N, from 1, runs every Nth selected case, and its run lies in
 * OUT/shard-K-of-N/<device>, so that shards can share OUT. "auto" asks Slurm: the place of a task
 * in its job array, else that of a process in its step.
 */
#ifndef COLLECT_CHOSEN_CASES_H
#define COLLECT_CHOSEN_CASES_H

#include "base/opt.h"
#include "collect/matrix.h"

/* Marks the cases that match one of the globs (all without any): "experiment/tag", or a glob
 * without a slash against the tag. Fails when a glob matches nothing. */
int select_cases(
	const struct matrix *m, const struct opt_list *only, bool *selected, struct err *err);

struct shard {
	long k, n; /* n 0: all of it */
};

/* "2/8" or "auto"; NULL gives all of it. */
int shard_parse(struct shard *s, const char *text, struct err *err);

/* Takes the marks of other shards' cases away. Without N nothing. */
void shard_select(const struct shard *s, bool *selected, size_t n);

#endif
