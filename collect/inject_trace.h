/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inject_trace.h - what tracebook-inject.so left of a process, as a trace.
 */
#ifndef COLLECT_INJECT_TRACE_H
#define COLLECT_INJECT_TRACE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ring_facts {
	const char *path; /* of its file */
	int64_t began_ns;
	pid_t pid;
	long rank; /* -1: not known */
	const char *program; /* as the system calls it, "a.out" */
	uint64_t spans, overtaken; /* in the ring; overwritten by newer ones */
	uint64_t lost; /* that CUPTI had no room for, or could not stamp */
	bool on_gpu; /* work of a GPU is among them */
	const char *gpu; /* the first GPU's name, NULL: none, or not known */
	const char *refused; /* why CUDA was not recorded, NULL: it was, or was not there */
};

/* Looks into a file without believing it. Fails when it is none of ours. */
int ring_look(struct ring_facts *f, struct arena *a, const char *path, struct err *err);

/* Writes the trace, of that rank; -1: of none. */
int ring_write_trace(const char *ring, const char *to, long rank, struct err *err);

#endif
