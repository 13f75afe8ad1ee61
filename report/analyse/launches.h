/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launches.h - from the call to the kernel: what launching costs and how far the host runs ahead.
 *
 * Over kernels whose launch is in the file, copies and fills aside; the launch is the outer call
 * where a driver call stands in a runtime call. All of the file counts, not only the window. Terms
 * are those of Nsight's cuda_kern_exec:
 *   call    the launch call itself
 *   queue   from the call's end to the kernel's start, where the kernel starts later
 *   kernel  the kernel itself
 *   total   from the call's start to the end of both
 * A long queue alone is no fault: the host is ahead of the device, as it should be.
 */
#ifndef REPORT_ANALYSE_LAUNCHES_H
#define REPORT_ANALYSE_LAUNCHES_H

#include "report/analyse/analysis.h"

/* HTA's thresholds (cuda_kernel_launch_stats), TraceLens' small kernel. */
enum { LAUNCH_SLOW_NS = 50000, LAUNCH_LATE_NS = 100000, LAUNCH_SMALL_NS = 10000 };

struct launch_stats {
	size_t n_calls; /* calls that launched kernels */
	size_t n_kernels; /* kernels they launched */
	size_t n_unlinked; /* kernels without a launch in the file: not counted below */

	/* Calls that launch a whole graph, by name; their kernels are not in n_short. */
	size_t n_graphs, n_graph_kernels;
	size_t largest_graph; /* kernels of one call */

	struct stats call; /* ns, one sample a call, graphs among them */
	struct stats queue; /* ns, one sample a kernel that started after its call had ended */
	struct stats kernel; /* ns, one sample a kernel */
	int64_t total_ns; /* summed `total` over the kernels */
	size_t n_early; /* kernels that started before their call did: the clocks are apart */

	size_t n_single; /* kernels launched one by one */
	size_t n_short; /* of these, kernels shorter than their call: the device waits for the host
			   if they follow each other */
	double short_share; /* n_short / n_single, 0 without */
	bool launch_bound; /* the median kernel is below LAUNCH_SMALL_NS, and more than half of all
			      kernels are short (TraceLens; the half is ours) */

	size_t n_slow; /* calls longer than LAUNCH_SLOW_NS */
	size_t n_late; /* kernels with a queue longer than LAUNCH_LATE_NS */
	uint32_t slowest; /* the longest call, NO_ROW if none */
	uint32_t latest; /* the kernel with the longest queue, NO_ROW if none */

	/* Queue length: kernels, copies and fills that were launched and have not started; one more
	 * at the start of the call, one less at the start of the event (HTA). A graph counts with
	 * all its events. The mean is over the time from the first call to the last start. */
	uint32_t queue_max;
	int64_t queue_max_at_ns; /* when it was first that long */
	double queue_mean;
};

struct launch_stats launch_stats_of(const struct analysis *a);

void launch_stats_dump(const struct launch_stats *l, const struct analysis *a, FILE *f);

#endif
