/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_notes.h - what tracebook-torch-recorder.py left of a process, in the private folder.
 *
 *   python.PID        lines: what happened, in the order of time; locked (flock) as long as the
 *                     process records or writes
 *     torch VERSION PYTHON
 *     begin KIND NS all|one [stacks]  a recording began: "start" or "window"; of which threads
 *     writing KIND
 *     wrote KIND NS NS STEPS WHY      from when to when, how many steps, what ended it: "time",
 *                                     "memory", "own-profiler", else an end of the process
 *     forked                          it is a forked child of one that is recorded
 *     worker N COUNT NS               it is that worker of a DataLoader, and made so many batches
 * in so long loop COUNT NS NS                its loop took so many batches, waited so long for
 * them, and worked so long between them threads N                       Python's, as many as were
 * seen lost KIND WHY, failed TEXT, trouble TEXT, gave-way, memory, injected LIBRARY KIND.PID.json
 * the trace, which gets this name when it is whole KIND.PID.rows     events of ours: lines "START
 * END REST", times in ns since 1970, REST the other members of the event in JSON; they are whole
 * before the trace is
 *
 * Times are ns since 1970. Any program may write there: nothing in it is believed.
 */
#ifndef COLLECT_RECORDER_NOTES_H
#define COLLECT_RECORDER_NOTES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum recorder_kind { TRACED_START, TRACED_WINDOW, TRACED_KINDS };

struct recorder_part {
	const char *json, *rows; /* whole paths; NULL: not there */
	bool begun;
	int64_t began_ns, ended_ns; /* 0: not known */
	long steps;
	const char *why; /* what ended it; "" not known */
};

struct recorder_notes {
	pid_t pid; /* as it calls itself */
	const char *torch, *python; /* versions; NULL: not known */
	const char *failed; /* why nothing of it could be recorded; NULL */
	const char *injected; /* somebody else's library is in it; NULL */
	struct recorder_part part[TRACED_KINDS];
	long worker; /* of a DataLoader, -1: it is none */
	long batches; /* that its loop took, or that it made as a worker */
	int64_t wait_ns, work_ns; /* of the loop: for them, and between them; wait_ns of a worker:
				     to make them */
	long threads;
	bool one_thread; /* operators of the main thread only */
	bool gave_way, forked, stacks;
};

/* Reads python.PID of `folder`. -1 when there is none, or it is no plain file. */
int recorder_notes_read(struct recorder_notes *r, struct arena *a, const char *folder, pid_t pid);

/* Does that process still record or write? *writes: it writes. */
bool recorder_notes_busy(const char *folder, pid_t pid, bool *writes);

#endif
