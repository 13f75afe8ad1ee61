/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler_cost.h - what recording costs the host, as the trace itself shows it.
 *
 * PyTorch's recorder takes the time stamp of an operator's begin as the last thing that it does
 * there, and that of its end as the first (torch/csrc/profiler/collection.cpp): its work lies
 * between the stamps of neighbouring rows. Where one operator does nothing but call another, the
 * recorder is most of what lies between the two begins, and between the two ends. So an operator
 * costs the median of the former and the median of the latter, over all operators of the file that
 * begin or end with an operator; PROFILER_COST_OPERATOR_NS where there are fewer than
 * PROFILER_COST_PAIRS. A slow host has a slow recorder, and its gaps say so; but where
 * wall times are known (168 recordings on hosts of an H100 or H200) nine of ten show 1.2 to 4.4 us:
 * more than PROFILER_COST_MOST_NS is
 *
 * A range that the program opens (record_function, or one of the compiler's) goes through Python
 * and costs about PROFILER_COST_OF_RANGE operators. What lies between two ranges ProfilerStep#N is
 * the profiler's own step().
 *
 * CUPTI spends its time inside the call: a launch costs PROFILER_COST_OF_LAUNCH of its length.
 *
 * Against wall times, 20 programs that the host limits, each timed without a profiler and recorded
 * with shapes, on three hosts of an H200: 0.61 to 1.57 of what recording added to a step, half of
 * them 0.86 to 1.13 (tests/gpu/pairs.py records such pairs).
 */
#ifndef REPORT_ANALYSE_PROFILER_COST_H
#define REPORT_ANALYSE_PROFILER_COST_H

#include "report/trace/trace.h"

enum { PROFILER_COST_PAIRS = 32, PROFILER_COST_OPERATOR_NS = 1200, PROFILER_COST_MOST_NS = 5000 };
enum { PROFILER_COST_OF_RANGE = 8 };
#define PROFILER_COST_OF_LAUNCH 0.5

/* What an operator's row costs, in whole PROFILER_COST_STEP_NS; linear in the rows. */
enum { PROFILER_COST_STEP_NS = 16 };
int64_t profiler_cost_operator_ns(const struct trace *t);

#endif
