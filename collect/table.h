/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the profiler table of one recording, as text.
 */
#ifndef COLLECT_TABLE_H
#define COLLECT_TABLE_H

#include "base/names.h"
#include "collect/rows.h"

#include <stdio.h>

/* PyTorch's table (base/profiler_table.h), the longest device time first. `heading` is what the
 * device is called in the column heads: "HOST QUEUE", "CUDA". Write errors stick to the FILE. */
void table_write(FILE *f, const struct rows *rows, struct names *names, const char *heading);

#endif
