/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part_of_trace.h - the part of a trace that a reader wants to hear of, and where it is.
 *
 * A stretch of time, some steps or a range, of which one at most is asked for, and of one rank.
 * Times are from the trace's begin; the end belongs to what follows. What belongs to the part is
 * told by narrow.h.
 */
#ifndef REPORT_RUN_PART_OF_TRACE_H
#define REPORT_RUN_PART_OF_TRACE_H

#include "base/err.h"
#include "report/trace/trace.h"

struct part_of_trace {
	const char *from, *to, *step, *range, *rank; /* as typed, lent; NULL: not asked */
	bool cut; /* it is going to be written as a trace of its own */

	/* part_of_trace_parse(): */
	bool some; /* any of the five */
	int64_t from_ns, to_ns; /* INT64_MAX: to its end */
	int64_t first_step, last_step, rank_number; /* -1: not asked */
};

/* Fills in the numbers of what was typed; fails on what makes no sense. */
int part_of_trace_parse(struct part_of_trace *p, struct err *err);

/* The rank that a whole file is of, as it says or else its name does ("rank3.json.gz"); -1:
 * neither. */
int64_t rank_of_file(const struct trace *t);

/* Leaves what was asked for (narrow.h), of a file with several ranks that rank. Fails where the
 * trace has no such step, range or rank, or nothing begins in it: then it may be narrowed already.
 */
int part_of_trace_take(struct trace *t, const struct part_of_trace *p, struct err *err);

#endif
