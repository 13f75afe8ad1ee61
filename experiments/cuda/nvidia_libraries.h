/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia_libraries.h - finding NVIDIA's libraries, which this program never links.
 *
 * Order: the environment variable of the library (a file, or a folder that holds it); the loader's
 * own path; $CUDA_HOME and $CUDA_PATH; /usr/local/cuda and its siblings with a version; the
 * packages that pip puts beside the python3 of $PATH (nvidia/cu13/lib, nvidia/<part>/lib). The
 * driver's library is also looked for where containers mount it.
 */
#ifndef EXPERIMENTS_CUDA_NVIDIA_LIBRARIES_H
#define EXPERIMENTS_CUDA_NVIDIA_LIBRARIES_H

#include "base/arena.h"
#include "base/err.h"

enum { LIBRARY_NAMES = 3 };

struct library_wish {
	const char *about; /* "NVIDIA driver": what a reader may know it by */
	const char *variable; /* "TRACEBOOK_CUPTI" */
	const char *name[LIBRARY_NAMES]; /* "libcupti.so.13", the best first; NULL at the end */
};

extern const struct library_wish library_driver, library_cupti, library_cublaslt, library_nvrtc,
	library_nvml, library_demangler;

/* Opened for good: NVIDIA's libraries do not like to be closed. NULL with a message that lists
 * where it was looked for. *path, if wanted, is where it was found, in the arena. */
void *library_open(
	struct arena *a, const struct library_wish *wish, const char **path, struct err *err);

/* A function of an open library; fails with its name if it is not there. */
void *library_function(
	void *library, const struct library_wish *wish, const char *name, struct err *err);

/* The files that would be tried, in order, with blanks between them. For messages and tests. */
const char *library_candidates(struct arena *a, const struct library_wish *wish);

#endif
