/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - PyTorch's memory snapshot, as torch.cuda.memory._dump_snapshot() pickles it, into a
 * part.
 *
 * Read are (torch/csrc/cuda/memory_snapshot.cpp, torch/cuda/_memory_viz.py)
 *   segments       what the allocator holds at the end, with its blocks
 *   device_traces  what it did, device by device: alloc, free_requested, free_completed, free,
 *                  segment_alloc, segment_free, segment_map, segment_unmap, oom
 * and of frames the file, line and name. A list of segments alone (torch.cuda.memory_snapshot()) is
 * a snapshot, too.
 *
 * Each block becomes a "[memory]" instant as Kineto would have written it, at its allocation and
 * when the allocator has it back, with what is allocated and reserved then; its name is the line
 * that asked for it, "train.py(31): step". Of the stack that is the innermost line of Python
 * outside of PyTorch, of Python's own library and of generated code; else the innermost of Python;
 * else autograd's node ("AddmmBackward0"), else the operator ("aten::addmm"). A block that stood
 * before the recording begins with it. Sizes are those that were asked for, without what rounding
 * adds.
 *
 * Allocated is the sum of the blocks; reserved is what the segments hold at the end less what the
 * recorded part added, so both are right where the ring of records was full. Without stamps, as
 * before PyTorch 2.2, a record is a microsecond.
 */
#ifndef REPORT_READ_SNAPSHOT_H
#define REPORT_READ_SNAPSHOT_H

#include "report/read/file.h"
#include "report/trace/trace.h"

/* Does the window begin with one? Nothing of it is taken. */
bool snapshot_begins(struct reader *r);

/* Reads all of the window's file into r->part and t's segments. -1 when it is no such pickle. */
int snapshot_read(struct reader *r, struct trace *t, const char *path, struct err *err);

#endif
