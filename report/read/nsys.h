/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nsys.h - a database of Nsight Systems, as `nsys export --type sqlite` writes it, into a part.
 *
 * Each row becomes the event that Kineto would have written for it, and goes the same way on
 * (part_add): there is one model, and nothing behind the reader knows where a trace came from.
 *
 * Read are (schema: NVIDIA's "SQLite Schema Reference" of Nsight Systems' user guide)
 *   CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET, _RUNTIME (the driver's calls stand there, too),
 *   _SYNCHRONIZATION, _OVERHEAD, _GRAPH_TRACE (a graph that was launched as a whole), NVTX_EVENTS;
 *   samples of the GPU's
 *   counters from GPU_METRICS; names from StringIds, ThreadNames, PROCESSES; devices from
 * TARGET_INFO_GPU, and which of them a process calls by which number from TARGET_INFO_CUDA_DEVICE;
 * when it began from TARGET_INFO_SESSION_START_TIME. Every table and every column but `start` may
 * be missing, as they do in older and newer schemas.
 *
 * An NVTX range is an annotation; one that torch.autograd.profiler.emit_nvtx() made of an operator
 * ("aten::mm, seq = 3, op_id = 7, sizes = [[2, 3], [3, 4]]") is that operator with its shapes. A
 * range of a domain other than the default one is called "DOMAIN:TEXT", as nsys calls it.
 *
 * The database is opened read only and as one that nobody changes, so that no file beside it is
 * looked for; views, virtual tables, triggers, functions and extensions of it are not run. What is
 * done is bounded by the size of the file. Behind damage the rest of that table is left out and
 * told as a repair, whose place is the table (PLACE_IN_TABLE).
 */
#ifndef REPORT_READ_NSYS_H
#define REPORT_READ_NSYS_H

#include "report/read/file.h"

/* Does a plain file begin as an SQLite database? */
bool nsys_is_database(const struct source *s);

/* Reads all into r->part, and what a Kineto file would say at its top level into r's members. -1
 * when it is no database, or none of Nsight Systems, or one without events. */
int nsys_read(struct reader *r, const char *path, struct err *err);

/* "3.40.1", of the library that reads them. */
const char *nsys_library(void);

#endif
