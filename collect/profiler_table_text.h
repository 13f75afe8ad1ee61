/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler_table_text.h - the profiler table of one recording, as text.
 */
#ifndef COLLECT_PROFILER_TABLE_TEXT_H
#define COLLECT_PROFILER_TABLE_TEXT_H

#include "base/names.h"
#include "collect/span_rows.h"

#include <stdio.h>

/* PyTorch's table (base/profiler_table.h), the longest device time first. `heading` is what the
 * device is called in the column heads: "HOST QUEUE", "CUDA". Write errors stick to the FILE. */
void table_write(FILE *f, const struct rows *rows, struct names *names, const char *heading);

#endif
