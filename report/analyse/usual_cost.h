/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usual_cost.h - what a call of the host usually takes by itself, without what is inside it.
 *
 * Of its own kind first: the median of the first USUAL_SAMPLE calls with the same name and shapes
 * in the file, then of those with the same name, where there are USUAL_CALLS at least beside the
 * one that is asked about. Else a table of measured costs, by what kind of row it is, where it has
 * one. Each question looks at names until it has seen enough calls: at all rows where there are
 * few. So it is for the few calls that are told of, not for every row.
 */
#ifndef REPORT_ANALYSE_USUAL_COST_H
#define REPORT_ANALYSE_USUAL_COST_H

#include "report/analyse/analysis.h"

enum { USUAL_CALLS = 4, USUAL_SAMPLE = 33 };

/* A call is unusual from this many times on. */
#define UNUSUAL_TIMES 4

/* Medians over recordings of each recording's median, and what nine of ten of those stay below:
 * 59 to 101 recordings without Python's stacks or with them, of PyTorch 1.x to 2.11 on CPUs beside
 * V100, A100, H100, H200, B200, MI210 and MI300X (the public traces of Kineto, HTA, TensorBoard's
 * plugin and others, and the programs of tests/gpu/patterns on an H200), nanoseconds. */
enum usual_kind {
	USUAL_VIEW, /* an operator that changes shape and strides only */
	USUAL_ALLOCATION, /* aten::empty and its kin */
	USUAL_LAUNCH, /* a call that launches a kernel */
	USUAL_OPERATOR, /* one that launches something */
	USUAL_BETWEEN, /* two outermost rows of a thread */
	USUAL_BEAT, /* from one launch of a thread to the next */
	USUAL_KINDS
};
struct usual_cost {
	int64_t median_ns, high_ns;
};
extern const struct usual_cost usual_costs[USUAL_KINDS];

/* Of an operator, a call or a Python function: its duration without what is right inside it. */
int64_t own_ns(const struct trace *t, uint32_t row);

/* What such a row's own time usually is; 0: neither the file nor the table tells. */
int64_t usual_own_ns(const struct analysis *a, uint32_t row);

/* What of its own time is above UNUSUAL_TIMES that; 0 of a usual one. */
int64_t unusual_ns(const struct analysis *a, uint32_t row);

#endif
