/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataloader_wait.h - a loop that waits for its data, and who makes it.
 *
 * Batches are made while the loop works where there are workers, else by the loop, while it waits.
 * Enough workers are those that together make one in the time that the loop works on one.
 */
#ifndef COLLECT_DATALOADER_WAIT_H
#define COLLECT_DATALOADER_WAIT_H

#include "base/arena.h"
#include "base/json_out.h"
#include "collect/recorder_notes.h"

struct loading {
	long batches; /* 0: too few to tell, or it is not known who made them */
	long workers;
	double wait_ms, work_ms; /* for a batch, and on it, in the mean */
	double make_ms; /* of one batch, by who makes it */
	long enough; /* workers that would hide that */
	const char *place; /* where most of it goes, "decode load.py:17"; NULL: not known */
	double place_ms;
};

/* The loop of process i of the n processes of a program, which may be ranks of many. */
struct loading loading_of(
	struct arena *a, const struct recorder_notes *const *process, size_t n, size_t i);

/* A sentence for a person. */
const char *loading_words(struct arena *a, const struct loading *l);

/* As the member "loading" of a case (command_manifest.h). */
void loading_write(struct json_out *j, const struct loading *l);

#endif
