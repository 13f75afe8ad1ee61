/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - what is to be recorded of a program, and the text by which libkineto is told.
 *
 * A configuration is lines KEY=VALUE in libkineto's own keys. By time, recording starts at
 * PROFILE_START_TIME, which must lie in the future by the profiler's warm-up and by two rounds of
 * its loop (a second each), or the request is dropped. By steps, it starts at an iteration; these
 * are optimizer steps, counted by a hook that PyTorch installs when the daemon is used. Before the
 * first of them libkineto would record by time instead, unless the time is 0: then it drops the
 * request, and it is sent again. Records of the GPU beyond libkineto's usual 128 MB would end
 * the recording early without a word, so more is allowed; memory is taken only as it fills.
 */
#ifndef COLLECT_REQUEST_H
#define COLLECT_REQUEST_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	REQUEST_BUFFER_MB = 1024, /* libkineto counts it in bytes, in an int */
	REQUEST_WARMUP_S = 1, /* the profiler runs so long before the window, unseen */
	REQUEST_LEAD_MS = 3200 /* from an answer to the earliest start by time: two rounds of the
				  loop, the warm-up, and some room */
};

/* What each event carries beside its times; all of it weighs on the numbers. */
struct request_with {
	bool shapes, stacks, memory, flops;
};

/* What a person asked for. */
struct record_wish {
	bool steady; /* start when the program has settled (steady.h); else by one of the next two
		      */
	int64_t after_ns; /* since the start of the program, or of the first step; -1: by steps */
	long after_steps;
	int64_t for_ns; /* length by time */
	long steps; /* length by steps; 0: by time */
	struct request_with with;
};

/* One recording of one process. */
struct request {
	const char
		*file; /* whole path, ends with .json; libkineto puts its process id before that */
	int64_t start_ms; /* since 1970; by time */
	long duration_ms; /* by time */
	long start_step, steps; /* steps 0: by time */
	struct request_with with;
};

const char *request_text(struct arena *a, const struct request *r);

/* "500ms", "2s", "1.5 s", "3m", "1h" in nanoseconds; what has no unit, is negative or longer than a
 * year is refused by the name of the option. */
int parse_duration(const char *option, const char *text, int64_t *ns, struct err *err);

/* A whole number from 1 to a million. */
int parse_steps(const char *option, const char *text, long *steps, struct err *err);

/* "shapes,stacks" or "none"; an unknown word is named beside the known ones. */
int parse_with(const char *text, struct request_with *with, struct err *err);

/* "shapes, stacks"; "" when nothing is on. */
const char *with_words(struct arena *a, const struct request_with *with);

#endif
