/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_parts.h - one recording of a program while it goes on; shared by the files that do it.
 */
#ifndef COLLECT_COMMAND_PARTS_H
#define COLLECT_COMMAND_PARTS_H

#include "base/text_map.h"
#include "collect/command.h"
#include "collect/command_manifest.h"
#include "collect/dataloader_wait.h"
#include "collect/recorder_notes.h"
#include "collect/run_supervised.h"

struct command_python { /* a process in which tracebook-torch-recorder.py is at work */
	pid_t pid;
	struct recorder_notes facts; /* once the program is gone */
	struct loading loading; /* likewise */
};

struct command {
	const struct command_options *options;
	const struct recording_options *wish;
	char *const *argv;
	const char *name, *out; /* of files; the folder of the results, absolute */
	const char *const *earlier; /* traces of the recording that lies in `out`; NULL: none */
	const char *program_folder;
	int lock, private_lock; /* of `out` and `private`; -1: none */
	char *private; /* the folder of working files, malloc; NULL: none */
	struct supervised program;
	struct arena arena;
	struct text_map met; /* files of the private folder that were seen */
	int64_t began_ns;
	const char **ring; /* (n_rings) "ring.422.0", of processes that tracebook-inject.so is in */
	size_t n_rings;
	struct command_python *python; /* (n_pythons) */
	size_t n_pythons;
	int ring_room, python_room, room;
	bool silent_torch; /* a PyTorch that no start-up file has reached was seen */
	struct command_trace *trace; /* (n_traces, room) */
	size_t n_traces;
	struct recording_options recorded; /* what the program's PyTorch could do of the wish */
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
