/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_runner.h - a run: every selected case in processes of its own, and run.json kept true all
 * along.
 *
 * A case is checked against a plain reference in one process, then measured in another. One that
 * fails is recorded with the reason; the others go on. What an earlier run has measured from the
 * same specification with the same programs on the same device is kept. Counters, when they are
 * wanted, come after everything is timed; where they are refused the run has none.
 */
#ifndef COLLECT_CASE_RUNNER_H
#define COLLECT_CASE_RUNNER_H

#include "base/opt.h"
#include "collect/device_choice.h"
#include "collect/manifest.h"
#include "collect/time_estimate.h"

#include <stdbool.h>

struct runner {
	const struct matrix *matrix;
	const struct choice *device;
	struct interrupt *interrupt;
	struct arena *arena;
	struct manifest manifest; /* its rates are the slowest until a case that may be long needs
				     better ones */
	const char *folder; /* <out>/<device> */
	const char *program_folder;
	bool *selected; /* (n_cases) */
	enum counting counting; /* after all is measured */
	char programs[HASH_TEXT]; /* of this program, the device's object and the device itself */
	bool quiet; /* only what went wrong is told */
	bool in_turn; /* other programs are measured between its cases (rounds.h) */
	struct err unsaved; /* why run.json could not be written after the last case */
	size_t n_done, n_failed, n_kept; /* of the selected cases, in this run */
};

/* Sets the runner up and recalls an earlier run in `folder`, which is the run's own,
 * <out>/<device>. matrix, device, interrupt, arena and selected are given. */
int runner_open(struct runner *r, const char *folder, const char *program_folder, struct err *err);

/* What would be done, one line a case, on stdout. */
int runner_plan(struct runner *r, struct err *err);

/* ---- doing it, in one round or several (rounds.h) ---- */

struct progress;

/* What is selected and was not measured, or is to be again. */
bool runner_wants(const struct runner *r, size_t i);
void runner_forget(struct runner *r, size_t i);

/* "specification-programs", hashes: what a result of the case is made from. In the arena. */
const char *runner_made_from(struct runner *r, size_t i);

/* Measures what the device does per second, unless that is known. */
int runner_know_rates(struct runner *r, struct err *err);

/* How long a process with the case may take before it counts as hanging. */
double runner_patience_s(
	const struct runner *r, const struct matrix_case *asked, const struct case_spec *spec);

/* Takes the folder, which is freed by close(); -1 when another collect is at work there. */
int runner_lock(const struct runner *r, struct err *err);

/* Writes run.json as it is before the first of n cases. */
int runner_begin(struct runner *r, size_t n, struct err *err);

/* Measures a case and saves; `name` is what it is called to the user. Fails when it was
 * interrupted. */
int runner_case(struct runner *r, size_t i, const char *name, struct progress *p, struct err *err);

/* Writes run.json between cases. When that fails the next case tries again. */
void runner_save(struct runner *r);

/* Fails when the last save did, as it did. */
int runner_saved(const struct runner *r, struct err *err);

/* Counts what is to be counted (case_runner_counters.c). */
int runner_count(struct runner *r, struct err *err);

#endif
