/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_manifest.h - run.json of a program that was recorded: the form of manifest.h, with
 * "command" in place of "matrix", and a case for every process that has a trace.
 *
 *   "command": {"argv": [...], "folder": "...", "environment": {...}, "status": 0 | "signal": 9,
 *               "seconds": 12.3, "with": "shapes"}
 *
 * A case of a loop that takes batches has "loading": how long it waited for each of them and worked
 * on it, and who makes them (dataloader_wait.h); one of a worker has its number, "worker". A worker
 * has a trace for who asks for it, and no page.
 *
 * Of the environment only what decides how such programs run (CUDA_VISIBLE_DEVICES, OMP_*, NCCL_*,
 * RANK ...): it may hold secrets.
 */
#ifndef COLLECT_COMMAND_MANIFEST_H
#define COLLECT_COMMAND_MANIFEST_H

#include "base/arena.h"
#include "base/err.h"
#include "collect/command.h"
#include "collect/dataloader_wait.h"
#include "collect/environment.h"

#include <sys/types.h>

struct command_trace { /* a case */
	const char *id, *tag, *title; /* "train/rank0", "rank0", "train.py, rank 0" */
	const char *file; /* relative to run.json */
	const char *part; /* "start" or "steady", of PyTorch; NULL: the newest of it */
	const char *what; /* of it is recorded, "its start, 10.0 s"; NULL: not said */
	int64_t took_ns; /* of the program's time, to end and write it; 0: not known */
	const char *note; /* what a reader must know of it; NULL: nothing */
	pid_t pid;
	long rank; /* -1: not known */
	long worker; /* of a DataLoader, -1: it is none */
	const struct loading *loading; /* NULL: nothing is known of it */
};

struct command_manifest {
	const char *path; /* .../run.json */
	const char *device; /* "cuda" or "cpu" */
	bool is_gpu; /* as struct device_info says it */
	const char *created;
	const char *name; /* command_name() */
	char *const *argv; /* (ended by NULL) */
	const char *folder; /* where it ran */
	int status; /* of waitpid() */
	double seconds;
	const struct recording_options *wish; /* NULL: no profiler was asked for anything */
	struct environment environment;
	const struct command_trace *trace; /* (n_traces) */
	size_t n_traces;
};

int command_manifest_write(const struct command_manifest *m, struct err *err);

/* The names of the traces of an earlier recording in `folder`, ended by NULL, in the arena; NULL:
 * no recording. Fails when a run.json there is of something else: that folder holds other results.
 */
int command_manifest_earlier(
	const char *const **files, struct arena *a, const char *folder, struct err *err);

/* Removes those of them that are none of the n new ones, and run.json where there is no new one. */
void command_manifest_replace(
	const char *folder, const char *const *files, const struct command_trace *new, size_t n);

#endif
