/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h - the one door through which files are read.
 *
 * Regular files come in from anywhere. Pipes, and what stdin is (OPT_STDIN), come in only where a
 * person named them: what stands in a folder, or is named by a file, must be a regular file.
 * Devices, sockets and folders are refused in one line, before anything waits for them.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

enum input_from {
	INPUT_NAMED, /* by a person, on a command line */
	INPUT_FOUND /* in a folder, or by its name in another file */
};

/* A descriptor to read from, to be closed; waits for the writer of a named pipe. -1 on failure. */
int input_open(const char *path, enum input_from from, struct err *err);

/* Is a regular file there, maybe through links? For what a folder lists. */
bool input_is_file(const char *path);

/* "folder/name", in the arena, for a name that stands in a file of that folder. NULL where it would
 * lead out of the folder: by its text (.., or from the root) or by a link. What is not there is
 * within, and opening it says so. */
const char *input_within(struct arena *a, const char *folder, const char *name);

#endif
