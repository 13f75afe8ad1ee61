/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_notes.h - what tracebook-torch-recorder.py left of a process, in the private folder.
 *
 *   python.PID      lines: what happened, in the order of time; locked (flock) as long as the
 *                   process records or writes
 *     torch VERSION PYTHON
 *     rank N WORLD  which one of the processes of a parallel program it is, as what started it says
 *     begin KIND NS all|one|untouched|memory [stacks]
 *                   a recording began: "start" or "window"; of which threads
 *                   ("untouched": of one, since there is a GPU that it has not used yet;
 *                   "memory": of one, since that is recorded with them)
 *     waits one|untouched|memory|context
 *                   a window is due and does not begin: it would be of the main thread only, which
 *                   waits, or a thread may still make its CUDA context
 *     writing KIND
 *     wrote KIND NS NS STEPS WHY
 *                   from when to when, how many steps, what ended it: "time", "memory",
 *                   "many" operators, "own-profiler", else an end of the process
 *     took KIND NS  ending and writing it
 *     forked        it is a forked child of one that is recorded
 *     loading N PARENT COUNT NS NS MADE NS SAMPLES
 *                   of a DataLoader: its loop took so many batches, waited so long for them, and
 *                   worked so long between them; worker N of that parent (-1: the loop itself) made
 *                   so many in so long, and was seen so often then
 *     in SAMPLES FUNCTION FILE:LINE
 *                   so often of that in this function
 *     threads N     Python's, as many as were seen
 *     failed TEXT, trouble TEXT, gave-way, injected LIBRARY
 *   KIND.PID.json   the trace, which gets this name when it is whole
 *   KIND.PID.rows   events of ours: lines "START END REST", times in ns since 1970, REST the other
 *                   members of the event in JSON; they are whole before the trace is
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
enum { TRACED_PLACES = 3 };

struct recorder_part {
	const char *json, *rows; /* whole paths; NULL: not there */
	bool begun;
	int64_t began_ns, ended_ns; /* 0: not known */
	int64_t took_ns; /* to end and write; 0: not known */
	long steps;
	const char *why; /* what ended it; "" not known */
};

struct recorder_notes {
	pid_t pid; /* as it calls itself */
	const char *torch, *python; /* versions; NULL: not known */
	long rank, world; /* -1: not known */
	const char *failed; /* why nothing of it could be recorded; NULL */
	const char *injected; /* somebody else's library is in it; NULL */
	struct recorder_part part[TRACED_KINDS];
	struct recorder_loading {
		long worker; /* of a DataLoader, -1: it is none */
		long parent; /* process */
		long batches, made; /* that its loop took, and that this process made */
		int64_t wait_ns, work_ns, make_ns;
		long samples; /* while it made some */
		struct recorder_place {
			const char *name; /* "decode load.py:17" */
			long samples;
		} place[TRACED_PLACES]; /* ended by a name that is NULL */
	} loading;
	long threads;
	const char *alone; /* operators of the main thread only, and why, as above; NULL: of all */
	bool unsettled; /* its window waited behind its first use of CUDA */
	bool gave_way, forked, stacks;
};

/* Reads python.PID of `folder`. -1 when there is none, or it is no plain file. */
int recorder_notes_read(struct recorder_notes *r, struct arena *a, const char *folder, pid_t pid);

/* Does that process still record or write? *writes: it writes. */
bool recorder_notes_busy(const char *folder, pid_t pid, bool *writes);

#endif
