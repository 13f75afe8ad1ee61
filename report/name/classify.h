/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.h - what kind of work an event is, told from its kind and its name.
 *
 * One class for one kind of work everywhere: colours, tables and expectations use the same words.
 * The device classes are those of the expectations in the matrix ("gemm", "add" ...). Names are
 * matched against const tables, first match wins; sources: cheatsheet.md 2.6 and 3.0 for PyTorch's
 * and CUDA's names, experiments/ for our own.
 */
#ifndef REPORT_NAME_CLASSIFY_H
#define REPORT_NAME_CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

enum event_class {
	CLASS_NONE, /* not drawn as work: instants, counters, the profiler's own window */
	/* host */
	CLASS_STEP, /* ProfilerStep#N */
	CLASS_ANNOTATION, /* a named range */
	CLASS_OP,
	CLASS_COMPILE, /* cache lookup, guard check, compiled region, prologue, call graph */
	CLASS_LAUNCH, /* a call that puts kernels in a queue */
	CLASS_COPY_CALL, /* a call that puts a copy or a fill in a queue */
	CLASS_SYNC, /* a call that waits */
	CLASS_QUERY, /* asks how many blocks fit: planning before a launch */
	CLASS_CALL, /* any other runtime or driver call */
	CLASS_SETUP, /* first-call cost: our "setup" spans, the profiler's overhead rows, module
			loading, allocation */
	CLASS_PYTHON,
	CLASS_HOST, /* any other slice of a host thread */
	/* device */
	CLASS_GEMM,
	CLASS_ADD,
	CLASS_MUL,
	CLASS_GELU,
	CLASS_FUSED, /* several pointwise operations in one kernel */
	CLASS_ELEMENTWISE, /* any other pointwise kernel */
	CLASS_REDUCTION,
	CLASS_SPLITK, /* second kernel of a split-K product; counts with its GEMM */
	CLASS_CLEAR, /* a fill by which a product's library clears a counter of its kernel; counts
			with its GEMM. Told by what stands around it: see analysis.h */
	CLASS_CONVOLUTION,
	CLASS_ATTENTION,
	CLASS_NORM,
	CLASS_COPY, /* by the copy engine or by a kernel */
	CLASS_FILL,
	CLASS_COMMUNICATION,
	CLASS_KERNEL, /* any other kernel */
	CLASS_DEVICE_RANGE, /* a range's shadow on the device */
	CLASS_DEVICE_WAIT, /* a wait seen on the device's row */
	CLASSES
};

/* "gemm", "copy call" ...: the words of templates, dumps and expectations. */
const char *event_class_name(enum event_class c);

/* A product's kernel, or what its library put beside it. */
static inline bool class_of_product(uint8_t c)
{
	return c == CLASS_GEMM || c == CLASS_SPLITK || c == CLASS_CLEAR;
}

/* Work that has no place of its own in counts and orders. */
static inline bool class_counts_with_gemm(uint8_t c)
{
	return c == CLASS_SPLITK || c == CLASS_CLEAR;
}

static inline bool class_on_device(uint8_t c)
{
	return c >= CLASS_GEMM && c <= CLASS_KERNEL;
}

/* `kind` is trace.h's enum event_kind. The `setup` mark of our own traces is not in the name:
 * analysis_of() looks at it. */
enum event_class classify(uint8_t kind, const char *name);

/* Rows of torch.compile and of our graph compiler. */
enum compile_row {
	COMPILE_NONE,
	COMPILE_LOOKUP, /* "cache lookup", "TorchDynamo Cache Lookup" */
	COMPILE_GUARD, /* "guard check" */
	COMPILE_REGION, /* "compiled region 0/1", "Torch-Compiled Region: 0/1" */
	COMPILE_PROLOGUE, /* "AOTDispatcher Runtime Wrapper Prologue", "prologue" */
	COMPILE_GRAPH /* "call graph <hash>", "replay graph <hash>", "## Call CompiledFxGraph <hash>
			 ##" */
};

/* *key and *key_length: what the row names, "0/1" of a region or the hash of a graph, lent from
 * name. */
enum compile_row compile_row_of(const char *name, const char **key, int *key_length);

/* N of "ProfilerStep#N" ("ProfileStep#N" in the posts), -1 for any other name. */
int64_t profiler_step_number(const char *name);

#endif
