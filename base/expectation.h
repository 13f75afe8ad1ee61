/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expectation.h - the form of an expectation: the part of a prediction that a program can judge.
 *
 * It stands in the matrix, in the run.json that is made of it, and in the file of `report
 * --expect`. Here it is only read for mistakes, so that a typing error is found before anything is
 * measured; report/judge/judge.h judges it.
 *
 * Members, all optional; a steady step is any recorded one but the first:
 *   step                    classes of the device activities of a steady step, in order
 *   kernels copies launches syncs queries
 *                           counts per steady step; queries ask how many blocks would fit
 *   kernel_names            parts of names that the kernels of a steady step have, in this order;
 *                           other kernels may run between them
 *   regime                  "overhead-bound", "compute-bound" or "mixed"
 *   first_step              "wider" or "equal": the first recorded step against the later ones
 *   setup_share_first_step  {"min", "max"}: share of first-call work in the first recorded step
 *   first_step_us           {"min", "max"}: time of the first recorded step on the CPU
 *   first_step_ratio        {"case", "min", "max"}: the same over that case's
 *   widest_step             {"min", "max"}: the longest steady step on the CPU over their median
 *   cpu_step_us device_step_us
 *                           {"min", "max"}: median time of a steady step on the CPU; of its
 *                           device work
 *   device_busy             {"min", "max"}: share of the window in which the device works
 *   fewer_kernels_than      {"case", "by"}
 *   same_gemm_as            case whose GEMM kernels have the same names
 *   other_gemm_than         case whose GEMM kernels have not
 *   same_kernels_as         case whose steady step runs kernels of the same names in the same order
 *   recompiles              recompilations within the recorded steps
 *   step_time_ratio         {"case", "min", "max"}: median CPU time of a step over that case's
 *   device_time_ratio       {"case", "min", "max"}: device time per step over that case's
 *   same_kernel_every_step  true: the kernel names of all steps are the same
 *   must_fire must_not_fire detectors of report/rules/rule.h: "OVERHEAD-BOUND", or {"id", "case"}
 * where one compares this case with another, which comes before it
 *
 * Of "min" and "max" one is enough.
 *
 * A guess is a text, or a list of sentences, each an object:
 *   says     the sentence
 *   on       "host" or "gpu": said of that kind of device alone; of the other it is a contrast
 *   by       an expectation as above: what of the sentence is tested; without one it is not tested
 *   follows  a case whose guess says the same: where it breaks there too, it is one fact
 * Where sentences carry their tests, the expectation of the case itself is the shape of its trace:
 * what the program fixes, whatever the machine.
 */
#ifndef BASE_EXPECTATION_H
#define BASE_EXPECTATION_H

#include "base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* `known` tells whether a case id exists; it is called with `context`. */
struct case_ids {
	bool (*known)(const void *context, const char *id);
	const void *context;
	const char *where; /* "in this matrix" */
};

/* Messages begin with the field; the caller notes the case in front. */
int expectation_ok(const cJSON *expect, const struct case_ids *ids, struct err *err);

/* A list of sentences. */
int guess_ok(const cJSON *sentences, const struct case_ids *ids, struct err *err);

/* Is it said of this kind of device? */
bool guess_is_about(const cJSON *sentence, bool gpu);

#endif
