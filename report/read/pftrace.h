/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pftrace.h - a trace of Perfetto (.pftrace) into a part: packets of protobuf, plain or in gzip.
 *
 * Each slice, instant and sample becomes the event that a JSON file of the same profiler would have
 * had, and goes the same way on (part_add): there is one model, and nothing behind the reader knows
 * where a trace came from.
 *
 * Read are (protos/perfetto/trace/ of google/perfetto)
 *   TrackDescriptor: processes, threads, tracks below them, counters with unit and factor;
 *   TrackEvent: begin, end, instant, counter, and what Chrome's older events say in them; their
 *   categories, names, flows, debug annotations, as texts or interned;
 *   GpuRenderStageEvent and GpuCounterEvent, which PyTorch writes of kernels, copies, fills, and of
 *   power, clocks and what the SMs do;
 *   InternedData with their resets, ClockSnapshot, defaults of a sequence, packets that are
 *   compressed once more.
 * Of everything else (ftrace, heaps, samples of stacks) a packet is counted, no more.
 *
 * A debug annotation is what stands in `args` of JSON, so that "Input Dims", "correlation" or
 * "stream" mean the same. PyTorch's first writer left categories out, and Kineto's writes none:
 * what such a slice is then follows from its annotations and its process.
 */
#ifndef REPORT_READ_PFTRACE_H
#define REPORT_READ_PFTRACE_H

#include "report/read/file.h"

/* Does what the window has not given out yet begin as packets of a trace? Looks ahead only. */
bool pftrace_begins(struct reader *r);

/* Reads all into r->part. -1 when there is no event. */
int pftrace_read(struct reader *r, const char *path, struct err *err);

#endif
