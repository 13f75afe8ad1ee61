/* SPDX-License-Identifier: Apache-2.0 */
/*
 * narrow.h - a part of a trace, as if nothing else had been recorded.
 *
 * What belongs to a stretch of time [from, to):
 *
 *   of the host   what begins in it; also instants, counters and spans by id
 *   work of the device   what was launched by a call that belongs to it, however late it runs; and
 * what was launched earlier, or by nobody that the file knows, and runs in it: of that the launch
 * is not there ranges and waits on the device's row   those of such work: a range with the first
 * work in it, a wait with the call that waits
 *
 * Nothing is cut in two: what belongs to it keeps its whole length, what does not is gone. So a
 * range that began earlier is not there, even where it lasts all the time.
 */
#ifndef REPORT_READ_NARROW_H
#define REPORT_READ_NARROW_H

#include "base/err.h"
#include "report/trace/trace.h"

/* A trace is narrowed whose file order is known (read_options.file_order).
 *
 * Leaves the rows of part->from_ns to part->to_ns and sets t->part: what it was asked by, and where
 * it begins and ends, is the caller's, the rest is filled in. -1 when nothing would be left: then
 * the trace is as it was. */
int trace_narrow(struct trace *t, const struct trace_part *part, struct err *err);

/* Leaves the rows of the processes that belong to a rank (rank_of_track), before any other part is
 * taken; -1 when the trace has no such rank, or tells of none. */
int trace_narrow_to_rank(struct trace *t, int64_t rank, struct err *err);

/* The rank that a name tells of ("rank 3", "worker-rank3.json"); -1: of none. */
int64_t rank_of_text(const char *text);

/* The rank that the process of a track says it is of, by its name, label or id ("rank 3",
 * "[rank3] 4711"); -1: it says none. */
int64_t rank_of_track(const struct trace *t, const struct track *track);

#endif
