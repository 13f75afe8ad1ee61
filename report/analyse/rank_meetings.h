/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_meetings.h - who comes last to which collective, how long a pipeline stands still, and on
 * which node a rank is.
 *
 * A collective of one name and group, the n-th of its kind in a step of one number, is the same for
 * all ranks of its group. Whoever comes to it last waits least in its kernel, so that clocks need
 * not agree:
 *
 *   last(meeting)    the rank with the shortest kernel
 *   margin(meeting)  the median of the others' kernels less that one; less than MEETING_NOISE of
 *                    that median is nobody's
 *   wait             the sum of the margins: how long the others stood in it for somebody
 *
 * The group is what the file names (Process Group Name). Without a name a collective of fewer than
 * all ranks is left out: nobody knows who is in it. Sends and receives, as their arguments call
 * them, are no meetings: of them a rank's bubble is told, the time in which they hold the device
 * and nothing computes. Of a kernel SendRecv without arguments nobody knows whether it is an
 * all-to-all.
 */
#ifndef REPORT_ANALYSE_RANK_MEETINGS_H
#define REPORT_ANALYSE_RANK_MEETINGS_H

#include "report/analyse/ranks.h"

#define MEETING_NOISE 0.05

struct meeting {
	const char *name, *group; /* of the collective; of its group, "" not named */
	uint32_t members; /* ranks in it */
	uint32_t n, clear; /* times, and those in which somebody came late */
	uint32_t row; /* index into ranks.row: who came last most often, NO_ROW nobody */
	uint32_t last; /* times that it did */
	int64_t margin_ns; /* median of those */
	int64_t wait_ns;
};

struct meetings {
	struct meeting *list; /* (n) by wait, the longest first */
	uint32_t n;
	uint32_t unnamed; /* kinds that were left out, as their group has no name */
};

/* The arena owns the result; parts are those of the ranks. */
struct meetings meetings_of(
	struct arena *arena, const struct ranks *r, const struct rank_part *part);

/* Time of the window in which sends and receives hold the device and nothing computes; -1: the rank
 * has none of them. */
int64_t pipeline_bubble_ns(const struct analysis *a);

/* The host that a trace was recorded on, by its metadata (hostname) or by the name of its file, as
 * torch.profiler's tensorboard_trace_handler writes it ("HOST_PID.TIME.pt.trace.json") or with the
 * rank behind it ("node7_rank56.json"). NULL: not known. */
const char *node_of(struct arena *arena, const struct trace *t);

#endif
