/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - several runs that belong together as one.
 *
 * Shards of a matrix, or the nodes of a parallel program. They fit when they are of the same
 * matrix, or the same command, on the same kind of device, with the same versions of everything
 * that "environment" names; the first difference is told. Traces and tables are copied. Of the
 * ranks of a program the clocks are compared by the collectives that they share, which all ranks
 * leave at one time: the ends of NCCL's kernels, or, where there are none, of ranges whose names
 * begin with "nccl" or "gloo:", give the difference of two clocks as a median; it is written into
 * run.json ("clock_offset_ns", against the first rank), never applied.
 */
#ifndef COLLECT_MERGE_H
#define COLLECT_MERGE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Each of the n folders holds a run.json, or folders that do. Writes `out`/run.json and the files
 * that it names. Says on stderr what it found. */
int merge_runs(const char *const *folders, size_t n, const char *out, struct err *err);

/* Median of (b - a) over the events that two ranks share, at the shift of one list against the
 * other (at most 64 events) that makes the differences agree best. Both sorted, in ns. Returns how
 * many were compared; below 3 there is no answer. */
size_t clock_offset(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b, int64_t *offset_ns);

#endif
