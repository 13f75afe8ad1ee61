/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_log.h - what torch.compile said of itself, in the log that TORCH_TRACE=DIR makes: what
 * was compiled, why it was compiled again, and where a graph broke (read/compile_log.h reads it).
 */
#ifndef REPORT_TRACE_COMPILE_LOG_H
#define REPORT_TRACE_COMPILE_LOG_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

/* Texts are lent from the log's arena and never NULL. */
struct compilation {
	const char *id; /* "2/1": the frame, and how often it was compiled before; "?" unknown */
	const char *function, *file;
	int64_t line; /* of the function; 0 unknown */
	double ns; /* how long it took, by the log; NAN unknown */
	const char *because; /* the guard that failed, of a recompilation; "" */
	const char *failed; /* why it has no code; "" */
	bool backward; /* of a graph that was compiled when its gradient was asked for */
};

struct graph_break {
	const char *id; /* of the first compilation that met it */
	const char *where; /* "file.py:23", "" unknown */
	const char *why, *hint; /* a line each; hint "" where there is none */
	int64_t times;
};

struct compile_log {
	const char *path;
	int64_t rank; /* of its name "..._rank_3_...", -1: of a program of one process */
	struct compilation *compilation; /* (n_compilations) in the order of the log */
	struct graph_break *graph_break; /* (n_breaks) in the order of their first time */
	int n_compilations, n_breaks;
	int64_t records, unread; /* lines with JSON, and those of a kind above that are none */
};

struct compile_logs {
	struct arena arena; /* owns all of it */
	struct compile_log *log; /* (n) */
	int n;
};

/* That of a trace of this rank (-1: none told), NULL without one. */
const struct compile_log *compile_log_of(const struct compile_logs *logs, int64_t rank);

void compile_logs_release(struct compile_logs *logs);

#endif
