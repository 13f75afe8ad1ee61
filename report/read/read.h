/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - any trace file into a sealed trace.
 *
 * Streaming: the file is never held whole. Kineto of all eras and plain Chrome traces, .json or
 * .json.gz, told by content, not by name. What is damaged is mended where it can be and listed in
 * trace.repairs; what is no trace is refused in one line that says what it looks like.
 */
#ifndef REPORT_READ_READ_H
#define REPORT_READ_READ_H

#include "base/err.h"
#include "report/trace/trace.h"

struct read_options {
	size_t chunk_bytes; /* 0: the default, 256 KiB; tests use 1 and up */
	int threads; /* 0: as many as help (at most 2) */
	bool plain; /* only the code path without vector instructions */
	int vector_bytes; /* no wider vectors than these, of 16, 32 or 64; 0: what there is */
};

/* Fills a trace that was trace_init'ed; on failure it is released. */
int trace_read(
	struct trace *t, const char *path, const struct read_options *options, struct err *err);

#endif
