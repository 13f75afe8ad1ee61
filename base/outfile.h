/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outfile.h - a file that appears whole or not at all.
 *
 * Written under a temporary name beside its place, flushed and checked, then renamed: a reader
 * never sees half a file, and a failed run leaves the earlier file as it was. Where a person named
 * what is no plain file, a device, a pipe or a link, it is written to as it is, and "-" is stdout.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "base/input.h"

#include <stdio.h>

struct outfile {
	FILE *f; /* write here; errors are collected by outfile_close */
	char path[4096]; /* the final name */
	char temporary[4160]; /* "" when written in place */
};

/* Opens a new file for writing; missing folders of the path are made. */
int outfile_open(struct outfile *out, const char *path, struct err *err);

/* The same of a file whose name no person typed, as those in a folder of figures: it takes the
 * place of a link, a pipe or a device, whoever put it there, and nothing is written through one. */
int outfile_open_unnamed(struct outfile *out, const char *path, struct err *err);

/* Finishes and renames. Fails on a full disk or any earlier write error; then nothing is left
 * behind. */
int outfile_close(struct outfile *out, struct err *err);

/* The same, but a file that holds the same already stays as it is, with its time: to replace it
 * would write it to the disk anew. */
int outfile_close_changed(struct outfile *out, struct err *err);

/* What is left of `from`. Says only when that cannot be read. */
int outfile_copy(struct outfile *out, FILE *from, struct err *err);

/* Gives up: removes the temporary file. Safe after close. */
void outfile_drop(struct outfile *out);

/* mkdir -p. */
int make_folders(const char *path, struct err *err);

/* Reads a whole small file into malloc'ed memory with a NUL behind it; fails above `limit` bytes,
 * and, unless a person named the path, where it is no regular file (input.h). */
char *read_small_input(
	const char *path, enum input_from from, size_t limit, size_t *length, struct err *err);

/* The same of a regular file. */
char *read_small_file(const char *path, size_t limit, size_t *length, struct err *err);

#endif
