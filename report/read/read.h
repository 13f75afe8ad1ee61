/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - the room that reads: any trace file into a sealed trace.
 *
 * In comes the path of a file, out goes a `struct trace` (trace/trace.h), or one line that says why
 * not. Between them stands one struct, `struct part` (columns.h): what a thread has read so far, in
 * the order of the file. parts.h lists the steps.
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
	size_t chunk_bytes; /* 0: the default, at most 256 KiB; tests use 1 and up */
	int threads; /* 0: as many as help (at most 2) */
	bool plain; /* only the code path without vector instructions, as for 4 kB by default */
	size_t memory; /* what its columns may hold while it is read, in bytes; what would pass that
			  is left out, and told as a repair. 0: what base/memory.h leaves */
	bool file_order; /* trace.file is wanted */
	int vector_bytes; /* no wider vectors than these, of 16, 32 or 64; 0: what there is */
};

/* Fills a trace that was trace_init'ed; the caller releases it. -1 when the file cannot be opened
 * or holds no trace: then the trace is released already. */
int trace_read(
	struct trace *t, const char *path, const struct read_options *options, struct err *err);

#endif
