/*
 * span.h - recording what a thread did, and when, for at most 100 ns a span.
 *
 * A recorder is one thread's append-only log of finished spans with room made (and touched) in
 * advance, so that recording neither allocates nor faults a page; what does not fit is counted,
 * never lost in silence. One recorder belongs to one thread; the collector reads it when that
 * thread is quiet.
 *
 * Times are CLOCK_REALTIME nanoseconds, the clock of CUPTI's records on Linux (reference:
 * cuda.md 1.9), so that CPU spans and device records share one axis.
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

struct span {
	int64_t start_ns, end_ns; /* CLOCK_REALTIME */
	const char *name; /* lent: a literal, or interned by the owner of the recorder */
	const struct span_shapes *shapes; /* NULL when the span has none */
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
