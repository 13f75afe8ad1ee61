/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - several runs that belong together as one.
 *
 * Shards of a matrix, or the nodes of a parallel program. They fit when they are of the same
 * matrix, or the same command, on the same kind of device, with the same versions of everything
 * that "environment" names; the first difference is told. Traces and tables are copied.
 */
#ifndef COLLECT_MERGE_H
#define COLLECT_MERGE_H

#include "base/err.h"

#include <stddef.h>

/* Each of the n folders holds a run.json, or folders that do. Writes `out`/run.json and the files
 * that it names. Says on stderr what it found. */
int merge_runs(const char *const *folders, size_t n, const char *out, struct err *err);

#endif
