/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kineto_writer.h - the trace file: Kineto's Chrome trace, field by field.
 *
 * Rows of the CPU stand under the process, rows of the device under pid 0 with the stream as tid.
 * Time stamps are microseconds with three decimals since a base that Kineto uses too: the epoch
 * rounded down to a quarter of a year. Flows (ac2g) are written only for launches whose device work
 * is in the trace. Operators have no "Sequence number" and no "Fwd thread id": those are
 * autograd's, of which there is none here, and PyTorch writes none either under torch.no_grad().
 * The words for the device come from the caller, so that a CPU is never called a GPU.
 */
#ifndef COLLECT_KINETO_WRITER_H
#define COLLECT_KINETO_WRITER_H

#include "collect/span_rows.h"
#include "experiments/device.h"

#include <stdio.h>

/* What Kineto's fields say about a device; all texts lent. */
struct kineto_device {
	const char *kind; /* "host", "cuda": the device option of collect */
	const char *name; /* "AMD EPYC ...": name of its process row; NULL: there is none */
	const char *lane; /* "host queue", "GPU 0": label of its process row */
	const char *call_category; /* of SPAN_LAUNCH and SPAN_SYNC: "privateuse1_runtime", ... */
	const char *driver_category; /* of SPAN_DRIVER */
};

/* From just before the first recorded step to just after the last synchronise. */
struct kineto_window {
	int64_t start_ns, end_ns;
};

enum { KINETO_DEVICES = 64 };

struct kineto {
	const char *case_id; /* "matmul_add/64_bf16_cold_eager" */
	const char *trace_name; /* "64_bf16_cold_eager.pt.trace.json" */
	const char *process; /* name of the CPU's process row */
	long pid;
	struct kineto_device device;
	const struct kineto_window *window; /* (n_windows), at least one: one per cycle of the
					       schedule */
	size_t n_windows;
	bool of_program; /* somebody's program, no case of a matrix */
	long rank, world; /* of a run of several processes; world 0: of one */
	size_t dropped; /* spans that did not fit into a recorder */
	const struct device_properties *devices; /* (n_devices) in place of info's one; NULL */
	size_t n_devices;
	const struct device_info
		*info; /* NULL, or whose properties and numbers stand in the head */
};

/* Write errors stick to the FILE. */
void kineto_write(FILE *f, const struct kineto *k, const struct rows *rows);

/* The base of a trace that starts at this time. */
int64_t kineto_base_ns(int64_t start_ns);

#endif
