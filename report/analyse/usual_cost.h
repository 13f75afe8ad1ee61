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

/* Medians over recordings of each recording's median, nanoseconds: 59 to 101 recordings without
 * Python's stacks or with them, of PyTorch 1.x to 2.11 on CPUs beside V100, A100, H100, H200, B200,
 * MI210 and MI300X (the public traces of Kineto, HTA, TensorBoard's plugin and others, and the
 * programs of tests/gpu/patterns on an H200). */
enum {
	USUAL_VIEW_NS = 1600, /* an operator that changes shape and strides only */
	USUAL_ALLOCATION_NS = 4300, /* aten::empty and its kin */
	USUAL_LAUNCH_NS = 6600, /* a call that launches a kernel */
	USUAL_OPERATOR_NS = 9400, /* one that launches something */
	/* From one launch of a thread to the next: nine of ten recordings' medians are shorter. */
	LONG_BEAT_NS = 96000
};

/* Of an operator, a call or a Python function: its duration without what is right inside it. */
int64_t own_ns(const struct trace *t, uint32_t row);

/* What such a row's own time usually is; 0: neither the file nor the table tells. */
int64_t usual_own_ns(const struct analysis *a, uint32_t row);

#endif
