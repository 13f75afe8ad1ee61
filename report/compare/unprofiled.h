/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unprofiled.h - how long the steps of a PyTorch recording would take without the recorder.
 *
 * Recording costs the host time for every operator and every call of the runtime or the driver,
 * which it spends inside the program. Where the host decides how long a step takes, a recorded step
 * is longer than one that nobody records; and a change that moves a program from the device's pace
 * to the host's may show no gain at all.
 *
 * The estimate replays the recording without what profiler_cost.h says that it costs: of the
 * threads that launch, operator_ns goes off each operator and PROFILER_COST_OF_LAUNCH of its length
 * off each launch, at most what lies between it and the next one. What lies between two ranges
 * "ProfilerStep#N" is all the profiler's: its step() ends the one and begins the other. A call that
 * waits ends when the device's work does, as much later as it did; device work begins when its
 * launch, and what the stream had before it, allow, and takes as long as it did. Steps begin and
 * end by the rule of breakdown.h. It is an estimate, and is called one wherever it is printed.
 *
 * Of 51 programs before and after one remedy, recorded with shapes by PyTorch 2.11 on hosts of an
 * H200 (tests/gpu/pairs.py), a recorded step is off its length without a profiler by a factor
 * of 1.26 on geometric average, an estimated one by 1.11. The numbers of profiler_cost.h are from
 * some of them.
 */
#ifndef REPORT_COMPARE_UNPROFILED_H
#define REPORT_COMPARE_UNPROFILED_H

#include "report/analyse/breakdown.h"

/* Writes the length of each step (p->n_steps) without the recorder, never more than it was recorded
 * with; operator_ns is profiler_cost_operator_ns() of the trace. False, and nothing written, when
 * the trace has no operators of PyTorch or no device work.
 */
bool unrecorded_steps(
	const struct analysis *a, const struct breakdown *p, int64_t operator_ns, int64_t *ns);

#endif
