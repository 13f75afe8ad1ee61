/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.h - `report --dump trace`, `--dump analysis` and `--table`: what was read, what was worked
 * out of it, and its profiler table, as text on standard output.
 */
#ifndef REPORT_DUMP_H
#define REPORT_DUMP_H

#include "report/run/run.h"

void dump_traces(const struct input *in);
void dump_analyses(const struct input *in);
void dump_tables(const struct input *in, bool quiet);

#endif
