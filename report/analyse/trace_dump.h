/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_dump.h - a sealed trace as text: what `report --dump trace` prints, and what the golden
 * tests of reading compare.
 */
#ifndef REPORT_ANALYSE_TRACE_DUMP_H
#define REPORT_ANALYSE_TRACE_DUMP_H

#include "report/trace/trace.h"

/* Writes, in this order: the file's facts, its devices, what was repaired, its health (which is why
 * this is no part of trace.c: health is worked out from a trace), its tracks, and one line for each
 * event in the trace's order. Errors of writing stay in `f`. */
void trace_dump(const struct trace *t, FILE *f);

#endif
