/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler_table_check.h - do the totals of the profiler table add up, and what is in them twice?
 *
 * Each total is reached by ways that share nothing with the table: the CPU's from the outermost
 * spans of each thread, the device's from the events. They must agree to the nanosecond; where the
 * table is right but says less than it seems to (time of several threads, of overlapping kernels,
 * of waiting) a flag says so, with the numbers beside it.
 */
#ifndef REPORT_ANALYSE_PROFILER_TABLE_CHECK_H
#define REPORT_ANALYSE_PROFILER_TABLE_CHECK_H

#include "report/analyse/analysis.h"

/* One thread that the table sums: operators, annotations, calls and overhead. */
struct thread_sum {
	uint32_t track;
	size_t spans, roots; /* roots: inside no other span that counts */
	int64_t roots_ns; /* summed: what the thread adds to the footer */
	int64_t union_ns; /* of the roots; less, where roots cross each other */
};

/* Sums and unions over what they are shares of. */
enum device_line {
	LINE_KERNEL_SUM, /* all kernels summed, of their union */
	LINE_KERNEL_UNION, /* union of the kernels, of first to last device event */
	LINE_DEVICE_SUM, /* kernels, copies and fills summed, of their union */
	LINE_DEVICE_UNION, /* their union, of first to last device event */
	LINE_WINDOW_KERNELS, /* union of the kernels inside the window, of the window */
	LINE_WINDOW_DEVICE, /* union of all inside the window, of the window */
	DEVICE_LINES
};

struct device_share {
	int64_t ns, of_ns;
	double share; /* 0 when of_ns is */
};

enum reconcile_flag {
	/* Shadows of ranges on the device's rows: older tables of PyTorch add them to the
	 * device's total (pytorch issue 130730). Here they never count. */
	RECONCILE_ANNOTATIONS = 1 << 0,
	RECONCILE_OVERLAP = 1 << 1, /* device events overlap: their sum is more than was busy */
	RECONCILE_CROSSING = 1 << 2, /* spans of a thread cross: their common time counts twice */
	RECONCILE_NEGATIVE = 1 << 3, /* rows with more children's time than their own */
	RECONCILE_THREADS = 1 << 4, /* the CPU total is longer than the window: threads add up */
	RECONCILE_WAITS = 1 << 5, /* at least a tenth of the CPU total is waiting for the device */
	RECONCILE_UNOWNED = 1 << 6 /* device time that belongs to no operator's row */
};

struct reconcile {
	bool cpu_exact, device_exact; /* the three of each are the same */
	unsigned int flags; /* bit set of enum reconcile_flag */

	int64_t cpu_rows_ns; /* self CPU over the rows */
	int64_t cpu_footer_ns;
	int64_t cpu_roots_ns; /* over the threads */
	struct thread_sum *thread; /* (n_threads) by roots_ns, largest first */
	uint32_t n_threads;
	int64_t crossing_ns; /* roots_ns less union_ns, over the threads */
	size_t negative_rows;

	int64_t device_rows_ns; /* self device over the rows of device events */
	int64_t device_footer_ns;
	int64_t device_events_ns; /* over the events */
	int64_t annotations_ns; /* over the rows of annotations on the device */
	size_t annotation_rows;
	int64_t owned_ns; /* self device over the CPU rows: what operators launched */
	int64_t unlinked_ns; /* of events without a launch in the file */
	int64_t unowned_ns; /* device_events - owned - unlinked: launched outside of operators, or
			       from a call that its operator shares with one of the same name */

	struct device_share line[DEVICE_LINES];
};

/* The arena owns the result. */
struct reconcile reconcile_of(struct arena *arena, const struct analysis *a);

void reconcile_dump(const struct reconcile *r, const struct analysis *a, FILE *f);

#endif
