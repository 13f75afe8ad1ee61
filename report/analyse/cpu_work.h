/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_work.h - what a CPU computed, in a trace without a device: the time of operators that is
 * their own.
 *
 * Own is the time of an operator without the rows that it encloses on its thread. Of the window of
 * the report (the median step, else the whole recording), clipped to it, over all threads.
 * Collectives are ranges that may lie on a thread of their own, several at once: their time is
 * counted once.
 */
#ifndef REPORT_ANALYSE_CPU_WORK_H
#define REPORT_ANALYSE_CPU_WORK_H

#include "report/analyse/breakdown.h"

enum { CPU_WORK_NAMES = 3 };

struct cpu_work {
	int64_t start_ns, end_ns; /* the window */
	int64_t within_ns; /* of it an operator was open on some thread */
	int64_t own_ns; /* of all operators; more than within_ns where threads work side by side */
	int64_t moving_ns; /* of that of operators which copy, cast or reorder data */
	uint32_t threads; /* that had operators */
	name_id collective; /* of a back-end that communicates on the CPU, most of the time; 0 */
	int64_t collective_ns; /* one of them was open */
	struct {
		name_id name;
		int64_t own_ns;
		uint32_t calls;
	} most[CPU_WORK_NAMES]; /* (n) largest first, then by name */
	uint32_t n;
};

/* All 0 where the trace has work of a device or calls of its runtime, no operators, or was cut. */
struct cpu_work cpu_work_of(const struct analysis *a, const struct breakdown *p);

/* (trace->n) of each host row its time without the rows that it encloses; malloc. Nested rows that
 * cross leave it 0 at least. */
int64_t *own_times(const struct trace *t);

#endif
