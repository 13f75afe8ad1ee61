/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - recording a program of somebody's: `collect -- COMMAND [ARG]...`.
 *
 * The program runs to its end, with its own output, signals and exit status. What it has in it says
 * how it is recorded: PyTorch by its own profiler, which a start-up file of Python begins in the
 * process (inject/tracebook-torch-recorder.py), all else by the injection library. Results are one
 * trace a process that worked, and run.json (command_manifest.h). Working files lie in a folder of
 * mode 0700 in $TMPDIR, which goes away.
 */
#ifndef COLLECT_COMMAND_H
#define COLLECT_COMMAND_H

#include "base/arena.h"
#include "base/verbosity.h"

#include <stdint.h>

/* What each event carries beside its times; all of it weighs on the numbers. PyTorch writes no FLOP
 * into a trace: they follow from the shapes. */
struct record_with {
	bool shapes, stacks, memory, flops;
};

/* What a person asked for. */
struct recording_options {
	int64_t after_ns; /* since the start of the program; -1: not said */
	long after_steps; /* optimizer steps; 0: not said */
	int64_t for_ns; /* length by time */
	long steps; /* length by steps; 0: by time */
	struct record_with with;
};

struct command_options {
	const char *after, *for_, *steps, *with; /* as typed, NULL: not given */
	const char *report; /* a PDF to print afterwards, NULL: none */
	const char *out; /* folder of the results, NULL: out/traces/<name of the program> */
	struct talk_options talk;
};

/* Reads the four texts; flops are shapes, too. By default a program is recorded for 500 ms, with
 * shapes, once it has settled. */
int command_recording_options(
	struct recording_options *wish, const struct command_options *o, struct err *err);

/* "shapes, stacks"; "" when nothing is on. */
const char *with_words(struct arena *a, const struct record_with *with);

/* Runs argv, ended by NULL, and ends this process as the program ended; comes back only when it was
 * not started: with -1 and the reason, or with the status that a shell gives when there is no such
 * command. */
int command_run(const struct command_options *o, const struct recording_options *wish,
	char *const *argv, const char *program_folder, struct err *err);

/* Prints o->report of what was recorded in `folder`. */
int command_report(const struct command_options *o, const char *program_folder, const char *folder,
	struct err *err);

/* What the program is called in file names: the stem of its script, its module, or of the program
 * itself; letters, digits, - and _. */
const char *command_name(struct arena *a, char *const *argv);

#endif
