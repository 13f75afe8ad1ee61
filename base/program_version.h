/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_version.h - what the running program is: its version, where it lies, what it was built
 * from.
 */
#ifndef BASE_PROGRAM_VERSION_H
#define BASE_PROGRAM_VERSION_H

#include "base/arena.h"
#include "base/err.h"

#include <stdio.h>

/* The only place that says it. */
#define TRACEBOOK_VERSION "0.2.0"

/* The folder of the running program, without a slash at the end; NULL on failure. */
const char *program_folder(struct arena *a, struct err *err);

/* The commit that the program in this folder was built from, 40 digits, with "-dirty" where files
 * were changed; from ../lib/tracebook-commit, which make writes beside the devices. NULL when that
 * is not known, as after a build from an archive. */
const char *program_commit(struct arena *a, const char *folder);

/* The first line of --version: "report (tracebook) 0.2.0, commit 0123...", or "tracebook 0.2.0 ..."
 * where that was called (talk_self). */
void program_print_version(FILE *f, const char *program);

/* A line of --version below it: "cairo 1.16.0". */
void program_print_library(FILE *f, const char *name, const char *version);

#endif
