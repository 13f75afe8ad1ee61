/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs_own_trace.h - a trace that the program's own profiler wrote, taken over among the
 * results.
 *
 * It is copied as it is, but for names of events that are no JSON: in them a bare quote becomes an
 * apostrophe, a bare backslash a slash, and other bytes that may not be there question marks. What
 * only we know is put in front of its first member: the rank of its process, where the file does
 * not say one itself; and events of ours in front of its first one (recorder_notes.h has their
 * form).
 */
#ifndef COLLECT_PROGRAMS_OWN_TRACE_H
#define COLLECT_PROGRAMS_OWN_TRACE_H

#include "base/err.h"

#include <stdbool.h>

struct adopted {
	bool whole; /* the document is closed */
	bool on_gpu; /* it names a GPU */
	char gpu[96]; /* the first of them, "" none */
};

/* Is work in it, an operator or what a GPU did? */
bool adopt_works(const char *from, const char *rows);

/* rank -1: not known. `rows`: a file of events of ours; NULL: none. */
int adopt_trace(struct adopted *a, const char *from, const char *rows, const char *to, long rank,
	long world, struct err *err);

#endif
