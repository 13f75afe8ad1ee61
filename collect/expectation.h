/*
 * expectation.h - the part of a case that a program can judge. report judges it; here it is only
 * read for mistakes, so that a typing error is found before anything is measured.
 *
 * Members, all optional:
 *   step                    classes of the device activities of a steady step, in order
 *   kernels copies launches counts per steady step
 *   regime                  "overhead-bound", "compute-bound" or "mixed"
 *   first_step              "wider" or "equal": the first recorded step against the later ones
 *   fewer_kernels_than      {"case", "by"}
 *   same_gemm_as            case whose GEMM kernels have the same names
 *   recompiles              recompilations within the recorded steps
 *   step_time_ratio         {"case", "min", "max"}: median CPU time of a step over that case's
 *   device_time_ratio       {"case", "min", "max"}: device time per step over that case's
 *   same_kernel_every_step  true: the kernel names of all steps are the same
 */
#ifndef COLLECT_EXPECTATION_H
#define COLLECT_EXPECTATION_H

#include "base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* `known` tells whether a case id exists; it is called with `context`. */
struct case_ids {
	bool (*known)(const void *context, const char *id);
	const void *context;
};

/* Messages begin with the field; the caller notes the case in front. */
int expectation_ok(const cJSON *expect, const struct case_ids *ids, struct err *err);

#endif
