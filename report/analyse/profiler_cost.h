/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler_cost.h - what recording costs the host, as the trace itself shows it.
 *
 * PyTorch's recorder takes the time stamp of an operator's begin as the last thing that it does
 * there, and that of its end as the first (torch/csrc/profiler/collection.cpp): its work lies
 * between the stamps of neighbouring rows. Where one operator does nothing but call another, the
 * recorder is most of what lies between the two begins, and between the two ends. So an operator
 * costs what a quarter of the former and a quarter of the latter stay below, over all operators of
 * the file that begin or end with an operator: what takes longer holds work of the operator's own.
 * PROFILER_COST_OPERATOR_NS where there are fewer than PROFILER_COST_PAIRS. A slow host has a slow
 * recorder, and its gaps say so; but more than PROFILER_COST_MOST_NS it never is where wall times
 * are known.
 *
 * A range that the program opens (record_function, or one of the compiler's) goes through Python
 * and costs about PROFILER_COST_OF_RANGE operators, and so does the row of a Triton kernel, which
 * compiled code opens from Python around its launch. What lies between two ranges ProfilerStep#N is
 * the profiler's own step().
 *
 * CUPTI spends its time inside calls of the runtime and the driver, and the file has only some of
 * them: on the way to a launch an operator asks for devices, attributes and streams. So a launch,
 * and what its operator does in front of it, cost PROFILER_COST_OF_LAUNCH of their length; of the
 * latter PROFILER_COST_LAUNCHES usual launches long at most, what is longer computes. Of no gap
 * between two calls more than PROFILER_COST_OF_GAP is the recorder's.
 *
 * The shares are from recordings with shapes of steps that the host of an H100 limits, each timed
 * in a process of its own in which nobody had recorded before (tests/gpu/patterns), and were chosen
 * with both halves of the programs in view: they estimate steps at 1.09 (47 of them) and 1.03 (45)
 * of the wall time in the median, half of them at 0.93 to 1.24 and 0.93 to 1.19. Shares that fit
 * one half alone (0.3 to 0.8 of a launch, 0.5 to 0.7 of the way to it) estimate the other at 1.05
 * and 0.93. Where the process had recorded before, CUPTI is still there while it is timed, and a
 * step that only launches takes 1.2 to 1.3 times as long as alone.
 */
#ifndef REPORT_ANALYSE_PROFILER_COST_H
#define REPORT_ANALYSE_PROFILER_COST_H

#include "report/trace/trace.h"

enum { PROFILER_COST_PAIRS = 32, PROFILER_COST_OPERATOR_NS = 1200, PROFILER_COST_MOST_NS = 5000 };
enum { PROFILER_COST_OF_RANGE = 8 };
#define PROFILER_COST_OF_LAUNCH 0.6
#define PROFILER_COST_OF_GAP 0.6
enum { PROFILER_COST_LAUNCHES = 4 };

/* What an operator's row costs, in whole PROFILER_COST_STEP_NS; linear in the rows. */
enum { PROFILER_COST_STEP_NS = 16 };
int64_t profiler_cost_operator_ns(const struct trace *t);

#endif
