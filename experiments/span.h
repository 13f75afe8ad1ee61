/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span.h - recording what a thread did, and when, for at most 100 ns a span.
 *
 * A recorder is one thread's append-only log of finished spans with room made (and touched) in
 * advance, so that recording neither allocates nor faults a page; what does not fit is counted,
 * never lost in silence. One recorder belongs to one thread; the collector reads it when that
 * thread is quiet.
 *
 * Times are CLOCK_REALTIME nanoseconds, the clock of CUPTI's records on Linux, so that CPU spans
 * and device records share one axis.
 */
#ifndef EXPERIMENTS_SPAN_H
#define EXPERIMENTS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a span is; the Kineto writer maps each kind to a `cat`. */
enum span_kind {
	SPAN_STEP, /* ProfilerStep#N                      user_annotation */
	SPAN_ANNOTATION, /* a range the experiment names        user_annotation */
	SPAN_OP, /* an operator or a dispatcher row     cpu_op */
	SPAN_LAUNCH, /* a call that puts work in a queue    privateuse1_runtime, cuda_runtime */
	SPAN_DRIVER, /*                                     privateuse1_driver, cuda_driver */
	SPAN_SYNC, /* a call that waits for the device    as SPAN_LAUNCH */
	SPAN_SETUP, /* first-call cost: primitive creation, JIT, thread start, page faults;
		       overhead-like, nested where it happened             cpu_op with args {"kind":
		       "setup"} */
	SPAN_KERNEL, /* device: computation                 kernel */
	SPAN_COPY, /* device: copy                        gpu_memcpy */
	SPAN_FILL, /* device: fill                        gpu_memset */
	SPAN_WAIT, /* device: a stream or context that is waited for   cuda_sync */
	SPAN_OVERHEAD, /* the recorder's or the driver's own work   overhead */
	SPAN_SAMPLE, /* a reading of a sensor at one time; `bytes` is its value   a counter */
	SPAN_KINDS
};

enum { SPAN_MAX_TENSORS = 4, SPAN_MAX_DIMS = 4 };

/* Shapes of an operator's inputs, lent: they must outlive the recorder. */
struct span_shapes {
	int n;
	struct {
		int rank;
		int64_t dim[SPAN_MAX_DIMS], stride[SPAN_MAX_DIMS];
		const char *dtype; /* "c10::BFloat16" or "float", the words of PyTorch's traces */
	} tensor[SPAN_MAX_TENSORS];
};

/* What the launch of a kernel was like, and how well it can fill the device. Percentages are of the
 * warps that a multiprocessor can hold. */
struct span_kernel {
	int32_t grid[3], block[3];
	int32_t cluster[3]; /* 0 when the device has no clusters */
	int32_t registers; /* per thread */
	int32_t static_shared_bytes, dynamic_shared_bytes; /* per block */
	int32_t local_bytes; /* per thread */
	double blocks_per_sm, warps_per_sm; /* of the grid, spread evenly over the device */
	int32_t kineto_occupancy_pct; /* Kineto's estimate: 0 for every kernel above 48 KiB of
					 shared memory */
	int32_t occupancy_pct; /* the same with the limit that such kernels ask for */
	int32_t resident_blocks; /* blocks that a multiprocessor can hold at once; 0: occupancy and
				    waves were not worked out */
	const char *limit; /* what keeps it from holding more: "registers", "shared memory",
			      "warps", "blocks", "barriers" */
	double waves; /* grid over resident blocks of the whole device; below 1 the grid is too
			 small; 0 unknown */
	double tail_pct; /* of the room of all waves, what stands empty in the last; 0 when there
			    is but one */
};

/* What a vendor's recorder knows beside the span itself. Unknown numbers are 0. */
struct span_facts {
	uint32_t call; /* number of the API function (CUPTI's cbid) */
	uint32_t result; /* what the call returned; 0 success */
	uint32_t device, context;
	uint32_t graph; /* 0: not launched by a graph */
	uint32_t range; /* id of the innermost SPAN_STEP or SPAN_ANNOTATION around its launch */
	uint64_t graph_node;
	int64_t queued_ns, submitted_ns;
	const char *wait; /* SPAN_WAIT: "Stream Sync" ... */
	const struct span_kernel *kernel; /* SPAN_KERNEL */
};

struct span {
	int64_t start_ns, end_ns; /* CLOCK_REALTIME */
	const char *name; /* lent: a literal, or interned by the owner of the recorder */
	union { /* both lent, NULL when the span has none */
		const struct span_shapes *shapes; /* SPAN_OP */
		const struct span_facts *facts; /* every other kind */
	};
	uint64_t correlation; /* joins a launch to the device spans it caused; 0 none */
	int64_t bytes; /* SPAN_COPY, SPAN_FILL */
	uint32_t thread; /* gettid() for CPU spans, stream number for device spans */
	uint32_t external; /* id of the innermost SPAN_OP around it; 0 none */
	uint8_t kind; /* enum span_kind */
};

struct recorder {
	struct span *span; /* (room) */
	size_t n, room, dropped;
	uint32_t thread; /* written into every span: gettid() of the thread that called
			    recorder_init(); for device spans the owner puts the stream here */
	bool on; /* nothing is recorded while false, as after recorder_init() */
};

void recorder_init(struct recorder *r, size_t room);
void recorder_release(struct recorder *r);

/* The clock of every span. */
int64_t clock_ns(void);

/* Begin gives the row to fill in and end stamps it. When recording is off, or the room is used up,
 * both are a few instructions and begin returns NULL, which end accepts. Spans of one thread nest.
 */
struct span *span_begin(struct recorder *r, enum span_kind kind, const char *name);
void span_end(struct span *s);

#endif
