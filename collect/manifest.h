/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest.h - run.json: on what was measured, what was asked and expected, what came of it.
 *
 * Written whole before the first case runs (so an expectation is on record before its measurement)
 * and again after each case. Read back when a run is taken up again. report reads it too.
 *
 * A run that was repeated, or measured against other programs, names the folders of the other
 * rounds beside its run.json; each is a run of its own, of the same cases, one process a case:
 *
 *   "repeats": ["repeat-2", "repeat-3"]   by the same programs: this run is round 1. A repeat of a
 *                                         case counts while its made_from is that of the case
 *   "against": {"programs": hash, "rounds": ["before-1/host", ...]}   by the old programs; round k
 *                                         was measured in turn with round k of this run, case by
 *                                         case, the old ones first in every second round. Gone as
 *                                         soon as a case of this run is measured alone
 *
 * Of a program (command_rounds.h) "against" has "folder", where the earlier version ran, in place
 * of "programs"; there a case is told by its tag.
 */
#ifndef COLLECT_MANIFEST_H
#define COLLECT_MANIFEST_H

#include "base/arena.h"
#include "base/json_out.h"
#include "collect/environment.h"
#include "collect/measure_case.h"
#include "collect/time_estimate.h"

enum case_status { CASE_NOT_RUN, CASE_DONE, CASE_FAILED };

/* What measure_counts() says of a case, or why it says nothing. */
struct case_counts {
	enum counting how; /* NONE: never tried */
	const char *reason, *json; /* one of them */
};

struct case_result {
	enum case_status status;
	struct case_spec spec; /* what ran, or will; differs from the asked one when scaled */
	const char *scaled; /* why and how it differs; NULL: it does not */
	const char *reason; /* of a failure or of not running; NULL: none */
	double error, limit; /* of the numerical check; limit 0: it was not made */
	double seconds; /* check and measurement together */
	struct case_counts counts; /* how NONE: not counted */
	const char *made_from; /* hashes of specification, programs and machine; NULL: not run */
};

struct manifest {
	const char *path; /* .../run.json */
	const char *device; /* "host" */
	bool is_gpu; /* struct device_info's */
	const char *created; /* "2026-11-20T10:00:00Z" */
	struct environment environment;
	const struct matrix *matrix;
	struct case_result *result; /* (matrix->n_cases) */
	struct rates rates; /* by which cases were scaled, so that a run taken up again goes on with
			       the same measure */
	const char *rates_from; /* hash of the programs that measured them; NULL: not measured */
	int rounds; /* with those in folders of their own; below 2: none is */
	const char *against; /* hash of the old programs; NULL: it was measured alone */
};

enum { MOST_ROUNDS = 1000 };

/* The folder of a round beside run.json, from 2 on; of the old programs, from 1 on. */
const char *repeat_folder(struct arena *a, int round);
const char *before_folder(struct arena *a, int round, const char *device);

int manifest_write(const struct manifest *m, struct err *err);

/* Takes over date, environment, rates, and what an earlier run.json says of cases that are still in
 * the matrix; the other results stay as they are. No file is no error. Texts go to the arena. */
int manifest_recall(struct manifest *m, struct arena *a, struct err *err);

/* Of what a process answered, or run.json has; texts in the arena. */
struct case_counts counts_of(struct arena *a, const cJSON *said);

/* The members by which any run.json begins. */
void manifest_head(struct json_out *j, const char *device, bool is_gpu, const char *created,
	const struct environment *e);

/* The member "kernel_work" of a case: its rows of struct kernel_work, with bytes for elements. None
 * when the kind of work does not tell them, or the case changes its shape on the way. */
void kernel_work_write(struct json_out *j, const struct case_spec *spec);

/* As PyTorch names its traces, by which TensorBoard's plugin finds them. */
#define TRACE_ENDING ".pt.trace.json"

/* Trace and table of a case, relative to run.json. */
const char *case_file(struct arena *a, const struct matrix_case *c, const char *extension);

#endif
