/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steady.h - has a program settled? By short recordings, two of which agree.
 *
 * A probe's facts are counted from its file. Two probes agree when both saw work and, if both hold
 * at least three optimizer steps, the mean time from step to step differs by at most 15 %; if not,
 * when operators a second and launches a second each differ by at most 20 %. A program that
 * compiles, loads or fills its caches does not agree with itself later. Probes that do not agree
 * are made longer, so that steps of seconds are seen too; after STEADY_PROBES the question is given
 * up, which is told.
 */
#ifndef COLLECT_STEADY_H
#define COLLECT_STEADY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STEADY_PROBES = 6, PROBE_FIRST_MS = 200, PROBE_LONGEST_MS = 2000 };

struct probe {
	size_t operators, launches, device; /* events: cpu_op, cuda_runtime and cuda_driver, kernels
					       with copies and fills */
	size_t steps; /* optimizer steps that ended in it */
	int64_t step_ns; /* mean time between their ends; 0 with fewer than two */
	int64_t window_ns; /* from the first event to the end of the last */
};

/* Counts in a file that libkineto has written. Fails when it cannot be read, is no JSON, or is
 * larger than 256 MB. */
int probe_read(struct probe *p, const char *path, struct err *err);

/* Did it see anything happen? */
bool probe_saw_work(const struct probe *p);

bool probes_agree(const struct probe *a, const struct probe *b);

/* How long probe number n, from 0, shall be: 200 ms twice, then doubled up to 2 s. */
long probe_ms(int n);

#endif
