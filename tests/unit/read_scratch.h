/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_scratch.h - a path of our own, in the folder for temporary things; and how much is tried.
 */
#ifndef TESTS_UNIT_READ_SCRATCH_H
#define TESTS_UNIT_READ_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRATCH_PATH = 512 };

/* Runs a command of the shell in which $A and $B stand for these texts, whatever letters they have.
 */
static inline int shell(const char *command, const char *a, const char *b)
{
	setenv("A", a, 1);
	setenv("B", b, 1);
	return system(command);
}

/* make check tries everything, make test a part of what takes long. */
static inline bool sweep(void)
{
	const char *word = getenv("TRACEBOOK_SWEEP");
	return word && !strcmp(word, "all");
}

/* "$TMPDIR/tracebook-<what>-XXXXXX", for mkstemp() and mkdtemp(). */
static inline char *scratch_name(char path[SCRATCH_PATH], const char *what)
{
	const char *place = getenv("TMPDIR");
	snprintf(path, SCRATCH_PATH, "%s/tracebook-%s-XXXXXX", place ? place : "/tmp", what);
	return path;
}

#endif
