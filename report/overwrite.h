/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overwrite.h - an output never destroys an input, nor a file that is none of ours.
 *
 * Asked before anything is read or written. What is there already may be written anew only where it
 * is empty, no regular file (/dev/null, a pipe), or has the mark of what this option writes:
 * whoever takes
 * --json for a switch and names two traces loses neither. An output is an input when both are the
 * same file, by whatever names, links or letters' case they are called, standard input and output
 * among them.
 */
#ifndef REPORT_OVERWRITE_H
#define REPORT_OVERWRITE_H

#include "base/err.h"

#include <stdbool.h>

/* How the files of a format are told from all others. */
struct file_mark {
	const char *suffix; /* "pdf"; what other formats' files end with is refused. NULL: any */
	const char *begins; /* with these bytes; NULL: no matter, as of the next two */
	const char *ends; /* with these */
	const char *holds; /* this text in the first MiB */
};

/* What is going to be written. */
struct planned {
	const char *option; /* "json" */
	const char *path; /* NULL: it is not wanted; "-" is stdout */
	const struct file_mark *mark;
	bool folder;
};

/* Refuses the first of n outputs that would destroy something: one of the n_read paths that are
 * read, another output, a file of another kind. Returns -1 then, else 0. */
int overwrite_check(
	const struct planned *output, int n, const char *const *read, int n_read, struct err *err);

/* The same of a file in an output folder whose name no person typed; a link there is replaced, so
 * it loses nothing that it leads to. */
int overwrite_check_within(
	const char *option, const char *path, const struct file_mark *mark, struct err *err);

#endif
