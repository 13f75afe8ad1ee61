/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_log.h - reads the log that PyTorch writes into the folder of TORCH_TRACE.
 *
 * The log is lines. One that begins as glog's do ("V1124 16:36:08.494000 483 file.py:12] ") holds a
 * JSON object; lines that begin with a tab are the payload of the one before. Read are three kinds:
 * "compilation_metrics", one for each frame that was compiled (CompilationMetrics of
 * torch/_dynamo/utils.py), and the artifacts "recompile_reasons" and "dynamo_graph_break_reason".
 * All others are passed over, and so is what cannot be read: a log ends where its program was
 * killed. Files may be gzip.
 */
#ifndef REPORT_READ_COMPILE_LOG_H
#define REPORT_READ_COMPILE_LOG_H

#include "base/err.h"
#include "report/trace/compile_log.h"

enum { COMPILE_LOG_FILES = 4096, COMPILE_LOG_MOST = 100000 };

/* A log, or a folder of logs, one for each rank. Fails when none is there, when a named file is
 * none, and when two are of the same rank: a trace is of one program. */
int compile_logs_read(struct compile_logs *logs, const char *path, struct err *err);

#endif
