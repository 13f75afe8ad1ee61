/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure_case.h - the work of the child processes: describing a device, checking a case, measuring
 * it.
 *
 * A measurement: prepare; three unrecorded calls and a synchronise if the case is warm; then the
 * steps of the schedule with nothing between them. Recording is off while a step waits; what
 * warm-up steps leave is thrown away. Before a window starts the device is let run dry, so that a
 * trace begins with an idle device and holds only its own work (torch does not wait there, and
 * shows the warm-up's last kernels without their launches); after the last active step the device
 * is synchronised, recorded, as torch does.
 */
#ifndef COLLECT_MEASURE_CASE_H
#define COLLECT_MEASURE_CASE_H

#include "base/err.h"
#include "base/json_out.h"
#include "collect/matrix.h"

/* By the device's hardware counters, some of which take several passes. */
enum counting { COUNTING_NONE, COUNTING_PLAIN, COUNTING_DEEP };

/* Contexts of the functions below, which are `run` of a struct child_job. All texts lent. */
struct measure_device {
	const char *library; /* the shared object */
};

struct measure_case {
	const char *library;
	const struct matrix_case *asked;
	struct case_spec spec; /* what runs */
	const char *trace_path, *table_path; /* where the files go */
	enum counting counting; /* for measure_counts */
};

/* -> "name", "lane", "runtime", "isa", "threads", "bf16_native" and "facts". */
int measure_describe(void *device, struct json_out *answer, struct err *err);

/* -> "bf16", "fp32": FLOP/s of a product of 1024 x 1024 matrices, "copy": bytes read and written
 * per second by a copy of 32 MB. The fastest of several rounds each. */
int measure_rates(void *device, struct json_out *answer, struct err *err);

/* -> "error": of the workload's numerical check. */
int measure_check(void *one_case, struct json_out *answer, struct err *err);

/* Writes trace and table -> "dropped": spans that did not fit. */
int measure_steps(void *one_case, struct json_out *answer, struct err *err);

/* Counts one step after three others, as a whole, then kernel by kernel; times and records nothing,
 * since counting slows the device down and runs each piece of work several times. -> "deep",
 * "passes", "metrics": ncu's names, "step": a number each, null where the device gave none,
 * "kernels": such a row each, in the order of their launch. */
int measure_counts(void *one_case, struct json_out *answer, struct err *err);

#endif
