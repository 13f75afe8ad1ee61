/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child_process.h - a function run in a process of its own.
 *
 * What a library does the first time is then really the first time, and a crash costs one answer.
 * The function writes its answer as a JSON object; the parent gets it parsed. The child is a fork
 * of a parent that has loaded no device and started no thread. What it says on stderr (and stdout)
 * is passed on to stderr.
 */
#ifndef COLLECT_CHILD_PROCESS_H
#define COLLECT_CHILD_PROCESS_H

#include "base/err.h"
#include "base/json_out.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP as something to wait for. */
struct interrupt {
	int fd; /* a signalfd; the signals are blocked while it is open */
	int signal; /* the one that came, 0 none yet */
};

int interrupt_open(struct interrupt *in, struct err *err);
void interrupt_close(struct interrupt *in);
/* Has one come? Never waits. */
int interrupt_seen(struct interrupt *in);

struct child_job {
	int (*run)(void *context, struct json_out *answer, struct err *err); /* members only */
	void *context;
	double limit_s; /* a child that takes longer is ended */
	size_t memory; /* bytes of data that it may have; 0: no limit. Asking for more fails in it
			*/
	bool held; /* what it says is passed on at its end, and not when it failed: then the
		      message has its last words */
};

/* The answer, freed by the caller with cJSON_Delete. NULL when the function failed (its message),
 * when the process died (how, and the last thing that it said), when it took too long, or when
 * `in` was signalled; the process is gone by then. */
cJSON *child_run(const struct child_job *job, struct interrupt *in, struct err *err);

/* Runs a program, argv[0] a path, ended by NULL, which gives no answer; what it says on stdout is
 * dropped, on stderr held. Fails as child_run does, and when it ends with another status than 0. */
int child_program(const char *const *argv, double limit_s, struct interrupt *in, struct err *err);

#endif
