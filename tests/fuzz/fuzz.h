/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - what the fuzzers share: any bytes as a file, and what a refusal must be.
 *
 * Each fuzz_<area>.c is a program of libFuzzer. Its lines "seeds:" and "max_len:" are read by
 * tests/check/fuzz.sh, its line "of:" (whose lines its corpus must reach) by tests/check/cover.sh.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#define _GNU_SOURCE
#include "base/outfile.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path, lent, of a file with these bytes, until the next call for the same one of two. */
static inline const char *fuzz_file(int which, const uint8_t *data, size_t size)
{
	static struct {
		int fd;
		char path[64];
	} files[2];
	if (!files[which].path[0]) {
		files[which].fd = memfd_create("fuzz", 0);
		snprintf(files[which].path, sizeof files[which].path, "/proc/self/fd/%d",
			files[which].fd);
	}
	int fd = files[which].fd;
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		bug("no memory file");
	return files[which].path;
}

static inline void fuzz_refused(const struct err *err)
{
	if (!err->set || strchr(err->text, '\n'))
		bug("refused without one line: %s", err->text);
}

/* A NUL-terminated copy, to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = xalloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* A file below the current folder; the folders above it are made. */
static inline void fuzz_write(const char *path, const void *bytes, size_t n)
{
	struct err err = {0};
	char folder[256];
	snprintf(folder, sizeof folder, "%s", path);
	*strrchr(folder, '/') = '\0';
	FILE *f = make_folders(folder, &err) ? NULL : fopen(path, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		bug("cannot write %s", path);
}

#endif
