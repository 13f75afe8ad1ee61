/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.h - `report --dump trace` and `--dump analysis`: what was read, and what was worked out of
 * it, as text on standard output.
 */
#ifndef REPORT_DUMP_H
#define REPORT_DUMP_H

#include "report/run/run.h"

void dump_traces(const struct input *in);
void dump_analyses(const struct input *in);

#endif
