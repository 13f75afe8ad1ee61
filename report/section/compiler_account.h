/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiler_account.h - what torch.compile did, by its own log beside the trace.
 */
#ifndef REPORT_SECTION_COMPILER_ACCOUNT_H
#define REPORT_SECTION_COMPILER_ACCOUNT_H

#include "report/page/document.h"
#include "report/run/run.h"
#include "report/trace/compile_log.h"

/* A compilation of the log, and how long it took in the trace. */
struct compiled {
	const struct compilation *of;
	int64_t trace_ns; /* -1: the trace does not have it, or does not say which it is */
	int nth; /* in the log */
};

/* (log->n_compilations) in the order of the log. The caller frees. */
struct compiled *compiled_in(const struct compile_log *log, const struct trace *t);

/* Nothing without a log of this trace's rank. */
void add_compiler_account(
	struct document *d, const struct compile_logs *logs, const struct report_case *c);

#endif
