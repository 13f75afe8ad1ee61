/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_cost.h - how long each compilation of torch.compile took, as its trace has it.
 *
 * In traces of PyTorch 2.11 Dynamo puts a mark "entire_frame_compile_data: fn_name=...,
 * compile_id=2/1" in front of the span "_compile.compile_inner (dynamo_timed)" of the same thread,
 * which is all of that compilation. Without such marks a trace does not say which compilation a
 * span is of.
 */
#ifndef REPORT_ANALYSE_COMPILE_COST_H
#define REPORT_ANALYSE_COMPILE_COST_H

#include "report/trace/trace.h"

struct compile_cost {
	const char *id; /* "2/1", lent from the trace's names */
	uint32_t row; /* of the span */
};

/* In the order of their begin; *n of them. The caller frees. */
struct compile_cost *compile_costs_of(const struct trace *t, uint32_t *n);

#endif
