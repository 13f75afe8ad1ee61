/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds.h - the cases of a run measured several times, and in turn with other programs.
 *
 * One process says little about the next one: where memory lies and what the machine does beside
 * differ. So each case is measured once in every round, in a process of its own, and all cases take
 * their turn before the next round begins: what drifts hits all of them alike. Measured against old
 * programs, old and new ones of a case follow each other at once, the old ones first in every
 * second round. The files are those of manifest.h.
 *
 * A round that was interrupted goes on where it stopped; of two programs in turn a case is measured
 * by both again, unless both have it from the same two programs.
 */
#ifndef COLLECT_ROUNDS_H
#define COLLECT_ROUNDS_H

#include "collect/case_runner.h"

/* Each side's rounds when --against is given without --repeat, and the steps that a short case
 * (matrix.h) records in each behind the first, at least: so many that most recordings have a call
 * of each kernel that nothing disturbed. So 10 % on one kernel of 14 small cases show on a busy
 * machine (make noise). */
enum { AGAINST_ROUNDS = 24, AGAINST_STEPS = 100 };

struct old_programs {
	const char *collect; /* path of the program */
	const char *matrix; /* that it reads */
	char hash[HASH_TEXT]; /* of it and its device */
};

/* `path` is a collect, or a folder with one in it, in bin/ or in out/bin/. `matrix` is what both
 * read when a person named one; NULL: each has its own, the old one's beside its program, else
 * ours. */
int old_programs_find(struct old_programs *old, struct arena *a, const char *path,
	const char *matrix, const char *own_matrix, struct err *err);

/* 1 to MOST_ROUNDS; `text` NULL: the usual number. */
int rounds_parse(int *n, const char *text, int usual, struct err *err);

/* n 0: what the matrix asks for to measure the noise of its short cases, one of all others.
 * Does all rounds of a runner that runner_open() set up; its counts are of all of them. `old` may
 * be NULL. A case that the old programs do not measure counts as failed. Fails when going on makes
 * no sense: an interruption, or run.json cannot be written before the first case; and at the end,
 * when it lacks what was measured. */
int rounds_run(struct runner *r, int n, struct old_programs *old, struct err *err);

#endif
