/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.h - the room that understands names: what kind of work an event is, told from its kind
 * and its name.
 *
 * In come names, out go words for them: the class of an event (here), what a kernel's name says
 * about the kernel (`struct kernel_name`, kernel_name.h), C++ names as they were written
 * (demangle.h), and names that fit a narrow place (shorten.h). Nothing in this room can fail: a
 * name that says nothing has a class and a word of its own.
 *
 * One class for one kind of work everywhere: colours, tables and expectations use the same words.
 * The device classes are those of the expectations in the matrix ("gemm", "add" ...). Names are
 * matched against const tables, first match wins; a kernel's by the name of its function, not by
 * what its name spaces and parameters are called (kernel_class.h). PyTorch's and CUDA's names are
 * those of Hugging Face's "Profiling in PyTorch" and of the public traces, our own those of
 * experiments/.
 */
#ifndef REPORT_NAME_CLASSIFY_H
#define REPORT_NAME_CLASSIFY_H

#include "base/enum_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A class and its name: the words of templates, dumps and expectations. */
#define CLASS_LIST(X) \
	/* not drawn as work: instants, counters, the profiler's own window */ \
	X(CLASS_NONE, "none") \
	/* ---- host ---- */ \
	X(CLASS_STEP, "step") /* ProfilerStep#N */ \
	X(CLASS_ANNOTATION, "annotation") /* a named range */ \
	X(CLASS_OP, "operator") \
	/* cache lookup, guard check, compiled region, prologue, call graph */ \
	X(CLASS_COMPILE, "compile") \
	X(CLASS_LAUNCH, "launch") /* a call that puts kernels in a queue */ \
	X(CLASS_COPY_CALL, "copy call") /* a call that puts a copy or a fill in a queue */ \
	X(CLASS_SYNC, "sync") /* a call that waits */ \
	X(CLASS_QUERY, "query") /* asks how many blocks fit: planning before a launch */ \
	X(CLASS_CALL, "call") /* any other runtime or driver call */ \
	/* first-call cost: our "setup" spans, the profiler's overhead rows, module loading, \
	   allocation */ \
	X(CLASS_SETUP, "setup") \
	X(CLASS_PYTHON, "python") \
	X(CLASS_HOST, "host") /* any other slice of a host thread */ \
	/* ---- device ---- */ \
	X(CLASS_GEMM, "gemm") \
	X(CLASS_ADD, "add") \
	X(CLASS_MUL, "mul") \
	X(CLASS_GELU, "gelu") \
	X(CLASS_FUSED, "fused") /* several pointwise operations in one kernel */ \
	X(CLASS_ELEMENTWISE, "elementwise") /* any other pointwise kernel */ \
	X(CLASS_REDUCTION, "reduction") \
	X(CLASS_SPLITK, "split-K") /* second kernel of a split-K product; counts with its GEMM */ \
	/* a fill by which a product's library clears a counter of its kernel; counts with its \
	   GEMM. Told by what stands around it: see analysis.h */ \
	X(CLASS_CLEAR, "clear") \
	X(CLASS_CONVOLUTION, "convolution") \
	/* rows of a table looked up by number, and their gradients */ \
	X(CLASS_EMBEDDING, "embedding") \
	X(CLASS_ATTENTION, "attention") \
	X(CLASS_NORM, "norm") \
	/* moves elements, or converts them, by the copy engine or by a kernel: transposes, \
	   gathers, casts, too */ \
	X(CLASS_COPY, "copy") \
	X(CLASS_FILL, "fill") \
	X(CLASS_COMMUNICATION, "communication") \
	X(CLASS_KERNEL, "kernel") /* any other kernel */ \
	X(CLASS_DEVICE_RANGE, "device range") /* a range's shadow on the device */ \
	X(CLASS_DEVICE_WAIT, "device wait") /* a wait seen on the device's row */

enum event_class { CLASS_LIST(KIND_MEMBER) CLASSES };

/* The name, lent for ever: "gemm", "copy call". */
const char *event_class_name(enum event_class c);

/* A product's kernel, or what its library put beside it. */
static inline bool class_of_product(uint8_t c)
{
	return c == CLASS_GEMM || c == CLASS_SPLITK || c == CLASS_CLEAR;
}

/* A matrix product or a convolution. */
static inline bool class_multiplies(uint8_t c)
{
	return c == CLASS_GEMM || c == CLASS_CONVOLUTION;
}

/* Work that has no place of its own in counts and orders. */
static inline bool class_counts_with_gemm(uint8_t c)
{
	return c == CLASS_SPLITK || c == CLASS_CLEAR;
}

/* `kind` is trace.h's enum event_kind. The `setup` mark of our own traces is not in the name:
 * analysis_of() looks at it. */
enum event_class classify(uint8_t kind, const char *name);

/* Of a kernel whose own name tells nothing (CLASS_KERNEL), by the operator that launched it. */
enum event_class classify_by_operator(const char *name);

/* A name, and which letters follow which in it: a word with another pair is not in it. Characters
 * stand by their last five bits, so that both cases of a letter are one. */
struct lettered {
	const char *name;
	size_t length;
	uint32_t follows[32]; /* bit set of what follows each */
};
struct lettered lettered_of(const char *name);
struct lettered lettered_of_part(const char *part, size_t n);

static inline unsigned lettered_bits(char c)
{
	return (unsigned char)c % 32;
}

/* Are all pairs of a word in it? Of most words not even the first is. */
static inline bool lettered_may_have(const struct lettered *l, const char *word)
{
	for (; word[0] && word[1]; word++)
		if (!(l->follows[lettered_bits(word[0])] >> lettered_bits(word[1]) & 1))
			return false;
	return true;
}

/* Is a word in it, in any case? The word is ASCII, not empty. */
bool lettered_has(const struct lettered *l, const char *word);

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

/* "nn.Module: Linear_3": a row of Python that is the call of a module. */
#define MODULE_CALL "nn.Module: "
bool is_module_call(const char *name);

/* "gloo:all_reduce": a span of the host of a library that communicates on the CPU. */
bool is_cpu_collective(const char *name);

/* N of "ProfilerStep#N" ("ProfileStep#N" in the posts), -1 for any other name. */
int64_t profiler_step_number(const char *name);

#endif
