/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - what an experiment may ask of a machine.
 *
 * A device is a const table of functions in a shared object (out/lib/tracebook-<name>.so, symbol
 * `tracebook_device`) that collect loads when it is asked for. Every enqueue call returns as soon
 * as the work is queued; work runs in order. Each enqueue records a SPAN_LAUNCH (or SPAN_SETUP
 * inside it, for first-call costs) in the caller's recorder and, when it runs, a device span with
 * the same correlation.
 */
#ifndef EXPERIMENTS_DEVICE_H
#define EXPERIMENTS_DEVICE_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/err.h"
#include "experiments/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device; /* opaque, the back-end's own */
struct device_memory; /* an allocation */
struct device_graph; /* a recorded list of work */

/* A matrix view: rows x cols at an element offset, with an element stride per dimension. */
struct device_matrix {
	struct device_memory *memory;
	int64_t offset; /* elements */
	int64_t rows, cols;
	int64_t row_stride, col_stride, batch_stride; /* elements; batch_stride 0 when batch is 1 */
};

/* d = a * b [+ bias], or d += a * b; per batch. Accumulation is in f32 whatever the dtype. */
struct device_gemm {
	enum dtype dtype;
	int64_t batch; /* 1 for a plain product */
	struct device_matrix a, b, d; /* (m,k) (k,n) (m,n) */
	const struct device_matrix *addend; /* NULL, or what is added in the epilogue: (m,n), or
					       (1,n) a bias row; it may not be d */
	bool accumulate; /* beta = 1: d is read and added to */
	bool tune; /* by the fastest of the library's kernels, tried when the product is first met;
		      a device with one kernel takes that */
};

enum pointwise { POINTWISE_ADD, POINTWISE_MUL, POINTWISE_GELU_TANH, POINTWISE_SQUARE };

/* One kernel that applies a chain of operations to n elements: out = step k ( ... step 1 (in[0],
 * in[1]) ). GELU_TANH and SQUARE take one operand, ADD and MUL take the running value and the next
 * input. */
struct device_pointwise {
	enum dtype dtype;
	int64_t n;
	int n_steps;
	enum pointwise step[4];
	int n_inputs;
	struct device_memory *in[4];
	struct device_memory *out;
	bool generic; /* the hand-written kernel for any shape, not the one made for this shape */
	int64_t row; /* elements of a row, for hand-written kernels that go by rows; 0: not told */
	const char *name; /* of the kernel in the trace; NULL: the device's own */
};

/* One kernel that needs whole rows of dense matrices (batch, rows, cols). */
enum rows_kind {
	ROWS_SOFTMAX, /* out = softmax of each row of in[0] */
	ROWS_SCALE, /* out = factor in[0] */
	ROWS_MASK, /* of out what lies behind a row's own place becomes minus infinity; no input */
	ROWS_ATTENTION, /* out = softmax(factor in[0] in[1]') in[2] per batch, and nothing else is
			   written; causal: a row sees no key behind its own place */
	ROWS_KINDS
};

enum { ROWS_INPUTS = 3 };

struct device_rows {
	enum rows_kind what;
	enum dtype dtype;
	int64_t batch, rows, cols; /* of every input and of the result */
	struct device_memory *in[ROWS_INPUTS], *out;
	float factor; /* 0 counts as 1 */
	bool causal;
};

/* What Kineto's deviceProperties say, under its names. */
struct device_properties {
	int64_t id, memory_bytes;
	const char *name;
	int major, minor; /* compute capability */
	int multiprocessors, warp;
	int threads_per_block, threads_per_multiprocessor;
	int registers_per_block, registers_per_multiprocessor;
	int64_t shared_per_block, shared_per_block_optin, shared_per_multiprocessor; /* bytes */
};

struct device_number { /* a member of the trace's head: "cupti_version", 130001 */
	const char *name;
	int64_t value;
};

struct device_fact { /* a pair for the list of what a run was made on: "Driver", "580.159" */
	const char *name, *value;
};

struct device_info { /* facts for run.json and the trace; all texts lent by the device */
	const char *name; /* "AMD EPYC ..." or "NVIDIA H200" */
	const char *lane; /* "host queue" or "GPU 0" */
	const char *runtime; /* "oneDNN 2.6.3" */
	const char *isa; /* what the library runs: "avx512_core_bf16" */
	int threads; /* the most threads of the CPU that a kernel uses; 0: none */
	bool bf16_native; /* the hardware multiplies bf16 */
	bool is_gpu; /* a processor of its own, and no CPU under another name */
	int64_t memory_bytes; /* what it has for tensors; 0: it takes them from the machine's */
	int64_t cache_bytes; /* its level-2 cache; 0: not told */
	/* Categories of its rows in the trace, of SPAN_LAUNCH and SPAN_SYNC, and of SPAN_DRIVER:
	 * Kineto's "cuda_runtime" and "cuda_driver", or for a device that Kineto has no word for
	 * "privateuse1_runtime" and "privateuse1_driver". */
	const char *call_category, *driver_category;
	const char *heading; /* of its columns in the profiler table: "CUDA", "HOST QUEUE" */
	const struct device_properties *properties; /* NULL: none to tell */
	const struct device_number *number; /* (n_numbers) as they stand at the call */
	const struct device_fact *fact; /* (n_facts) */
	int n_numbers, n_facts;
};

/* What enqueued work belongs to. */
enum device_scope {
	SCOPE_OPERATOR, /* the innermost SPAN_OP */
	SCOPE_RANGE /* the innermost SPAN_STEP or SPAN_ANNOTATION */
};

/* Work whose hardware counters are wanted. `run` enqueues it and is called several times; it must
 * do the same each time. */
struct device_counting {
	int (*run)(void *context, struct err *err);
	void *context;
	bool deep; /* also what takes several passes */
	bool kernels; /* also a row for every kernel, which is run again by itself */
};

struct device_counts { /* names are the device's, numbers in the caller's arena */
	size_t passes; /* runs of the work that one row takes */
	size_t n_metrics, n_kernels;
	const char **metric; /* (n_metrics) "dram__bytes_read.sum": ncu's names */
	const double *step; /* (n_metrics) of all the work */
	const double *kernel; /* (n_kernels, n_metrics) in the order of their launch */
};

enum { DEVICE_LIBRARIES = 4 };

struct device_ops {
	/* "host", "cuda": the word of --device, the folder of its runs. What the device is like is
	 * asked of info(), never told from the name. */
	const char *name;
	const char *about; /* one line for --list */

	/* What it works with, by name and version, or why that is not there: as far as can be found
	 * without opening it. Returns how many, at most DEVICE_LIBRARIES; texts in the arena. */
	int (*libraries)(struct arena *a, struct device_fact *fact);

	/* NULL on failure. `recorder` takes the spans of the calling thread. */
	struct device *(*open)(struct recorder *recorder, struct err *err);
	void (*close)(struct device *d);
	void (*info)(const struct device *d, struct device_info *info);

	/* Fails with a message when there is no room; the other cases go on. */
	struct device_memory *(*alloc)(struct device *d, size_t bytes, struct err *err);
	void (*free)(struct device *d, struct device_memory *m);
	/* Blocking, outside any measurement: for data and for checks. */
	int (*upload)(struct device *d, struct device_memory *m, const void *from, size_t bytes,
		struct err *err);
	int (*download)(struct device *d, const struct device_memory *m, void *to, size_t bytes,
		struct err *err);

	int (*gemm)(struct device *d, const struct device_gemm *gemm, struct err *err);
	int (*pointwise)(struct device *d, const struct device_pointwise *p, struct err *err);
	int (*rows)(struct device *d, const struct device_rows *r, struct err *err);
	int (*copy)(struct device *d, struct device_memory *to, const struct device_memory *from,
		size_t bytes, struct err *err);

	/* Waits for all work; the first error of the queue is told here. Records a SPAN_SYNC. */
	int (*synchronise)(struct device *d, struct err *err);

	/* Between capture_begin and capture_end the calls above are recorded instead of run;
	 * graph_launch then queues them all with one launch. */
	int (*capture_begin)(struct device *d, struct err *err);
	struct device_graph *(*capture_end)(struct device *d, struct err *err);
	int (*graph_launch)(struct device *d, struct device_graph *g, struct err *err);
	void (*graph_free)(struct device *d, struct device_graph *g);

	/* Turns recording of device spans on and off; off costs nothing. */
	void (*record)(struct device *d, bool on);
	/* The spans recorded since the last call, lent until the next; what they point to lives as
	 * long as the device. The queue must be idle. A device whose calls are recorded from
	 * outside (CUPTI) gives them here, as SPAN_LAUNCH, SPAN_DRIVER and SPAN_SYNC, and not to
	 * the caller's recorder. */
	const struct span *(*drain)(struct device *d, size_t *n, size_t *dropped);

	/* Both NULL, or: work enqueued between them belongs to `id` (above 0). They nest, a kind
	 * for itself; outside a recording they do nothing. Spans of such work then have the
	 * operator's id in `external` and the range's in their facts, whatever the clocks say. */
	void (*enter)(struct device *d, enum device_scope scope, uint32_t id);
	void (*leave)(struct device *d, enum device_scope scope);

	/* NULL: the device has no counters. In a process that records nothing
	 * (TRACEBOOK_RECORD=off); nothing is timed meanwhile. Fails with the reason in plain words
	 * when the machine does not let us count. */
	int (*count)(struct device *d, const struct device_counting *work, struct arena *a,
		struct device_counts *counts, struct err *err);
};

#endif
