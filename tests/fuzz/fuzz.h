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

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Notes the length of an input; at the end libFuzzer's statistics have how many were long. */
static size_t fuzz_longer;
static inline void fuzz_print_lengths(void)
{
	fprintf(stderr, "stat::longer_than_256: %zu\n", fuzz_longer);
}
static inline void fuzz_count(size_t size)
{
	static bool begun;
	if (!begun)
		atexit(fuzz_print_lengths);
	begun = true;
	fuzz_longer += size > 256;
}

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
	if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size || ftruncate(fd, (off_t)size))
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

/* Makes a folder of this process's own and gives its path, below $FUZZ_FOLDER, which
 * tests/check/fuzz.sh keeps in memory, else below out/fuzz. */
static inline void fuzz_folder(char path[96], const char *name, const char *inner)
{
	struct err err = {0};
	char whole[128];
	const char *top = getenv("FUZZ_FOLDER");
	snprintf(path, 96, "%.64s/%s.%d", top ? top : "out/fuzz", name, (int)getpid());
	snprintf(whole, sizeof whole, "%s/%s", path, inner);
	if (make_folders(whole, &err))
		bug("%s", err.text);
}

static inline void fuzz_write(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd))
		bug("cannot write %s", path);
}

#endif
