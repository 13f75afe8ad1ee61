/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_parts.h - one recording of a program while it goes on; shared by the files that do it.
 */
#ifndef COLLECT_COMMAND_PARTS_H
#define COLLECT_COMMAND_PARTS_H

#include "collect/awaited.h"
#include "collect/command.h"
#include "collect/command_manifest.h"
#include "collect/session.h"
#include "collect/supervise.h"

struct command_ring { /* of a process that tracebook-inject.so is in */
	const char *file; /* "ring.422.0" */
	long rank, world;
};

struct command {
	const struct command_options *options;
	const struct record_wish *wish;
	char *const *argv;
	const char *name, *out; /* of files; the folder of the results, absolute */
	const char *const *earlier; /* traces of the recording that lies in `out`; NULL: none */
	const char *program_folder;
	char private[FABRIC_FOLDER + 8]; /* the folder of socket and working files, "" none */
	struct fabric fabric;
	struct supervised program;
	struct session session;
	struct arena arena;
	int watch; /* inotify on the private folder */
	int64_t began_ns;
	struct command_ring *ring; /* (n_rings) in the order in which they began, in the arena */
	size_t n_rings;
	const char *silent_torch; /* the PyTorch of a program that has not asked; NULL: none seen */
	bool own_profiler_told;
	double last_file_s; /* when PyTorch was last seen to have written, 0 never */
	struct awaited awaited;
	struct command_trace *trace; /* (n_traces, room) */
	size_t n_traces, room;
	const char *gpu; /* the first that a trace names, NULL: none */
	bool lost; /* a trace could not be taken over, which was told */
};

/* A line on stderr, unless --quiet. */
void command_say(const struct command *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Since the program was started. */
double command_seconds(const struct command *c);

/* After its end: takes over the traces, writes run.json, says what there is. Returns whether there
 * is anything to report. */
bool command_results(struct command *c, struct err *err);

#endif
