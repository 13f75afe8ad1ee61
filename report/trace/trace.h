/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - the room of the model: what every later stage reads, and nobody changes.
 *
 * Nothing comes in but what read/ writes; what goes out is `struct trace`, the one struct that all
 * rooms know, with the damage that was mended (repair.h) and the memory it lies in
 * (growing_arrays.h).
 *
 * Columns over events, filled once by read.h, then sealed: sorted by start (longer first, then by
 * the order in the file), joined, and const for ever. Time is int64 nanoseconds from origin_ns,
 * exact from the first byte on. One row is one event with a duration, or an instant or counter with
 * none. Names are interned; ids compare.
 */
#ifndef REPORT_TRACE_TRACE_H
#define REPORT_TRACE_TRACE_H

#include "base/arena.h"
#include "base/enum_names.h"
#include "base/names.h"
#include "base/nest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Told by `cat` (all five eras of Kineto), never by pid. The names are the
 * words of --dump trace. */
#define EVENT_KIND_LIST(X) \
	X(EVENT_OTHER, "other") /* a slice of another program, or an unknown category */ \
	X(EVENT_OP, "op") /* cpu_op, Operator */ \
	X(EVENT_ANNOTATION, "annotation") /* user_annotation, ProfilerStep#N among them */ \
	X(EVENT_PYTHON, "python") /* python_function */ \
	/* cuda_runtime, Runtime, privateuse1_runtime, hip, mtia_runtime, xpu_runtime */ \
	X(EVENT_RUNTIME, "runtime") \
	X(EVENT_DRIVER, "driver") /* cuda_driver, privateuse1_driver */ \
	X(EVENT_KERNEL, "kernel") /* kernel, Kernel; mtia_ccp_events by their names */ \
	X(EVENT_MEMCPY, "memcpy") /* gpu_memcpy, Memcpy */ \
	X(EVENT_MEMSET, "memset") /* gpu_memset, Memset */ \
	X(EVENT_GPU_ANNOTATION, "gpu annotation") /* gpu_user_annotation */ \
	/* cuda_sync: a wait seen on the device's row; not work */ \
	X(EVENT_DEVICE_SYNC, "device sync") \
	X(EVENT_OVERHEAD, "overhead") /* overhead */ \
	X(EVENT_SPAN, "span") /* Trace: the profiler's own window */ \
	X(EVENT_INSTANT, "instant") /* ph i, I, R */ \
	X(EVENT_COUNTER, "counter") /* ph C */

enum event_kind { EVENT_KIND_LIST(KIND_MEMBER) EVENT_KINDS };

/* The name, lent for ever; "?" for a number that is no kind. */
const char *event_kind_name(enum event_kind kind);

static inline bool event_on_device(uint8_t kind)
{
	return kind == EVENT_KERNEL || kind == EVENT_MEMCPY || kind == EVENT_MEMSET;
}

/* Events whose intervals nest on a host thread. */
static inline bool event_on_host(uint8_t kind)
{
	return kind == EVENT_OTHER || (kind >= EVENT_OP && kind <= EVENT_DRIVER);
}

/* A call of the runtime or the driver: cudaLaunchKernel, hipMemcpyAsync, cuLaunchKernelEx. */
static inline bool event_is_call(uint8_t kind)
{
	return kind == EVENT_RUNTIME || kind == EVENT_DRIVER;
}

/* A row of the timeline: a host thread, or a stream of a device. */
struct track {
	name_id process, thread; /* names from the M rows, or made from the ids; never 0 */
	name_id label; /* process_labels ("CPU", "GPU 0", "host queue"), 0 when absent */
	name_id pid_text, tid_text;
	int64_t pid, tid; /* as numbers when they are, else -1 */
	int64_t process_order, thread_order; /* sort indices */
	bool device; /* a stream: kernels, copies, fills, and what is drawn beside them */
	bool async; /* begin-end pairs by id, which may overlap: depth is a sub-row, no nesting */
	uint32_t n; /* events on it */
};

/* What a file says of a kernel beside its times; kernels of which it says the same may share one.
 * Fields the file lacks are -1. */
struct kernel {
	int32_t grid[3], block[3];
	int32_t registers, shared_bytes, occupancy_pct;
	int32_t device, context, stream;
	int64_t graph_node;
	float blocks_per_sm, warps_per_sm;
};

struct copy {
	int64_t bytes; /* -1 unknown */
	double gb_per_s; /* as the file says, -1 unknown */
	int32_t device, stream;
};

/* The first number in the args of a counter, and its key ("" in Kineto's own). */
struct counter {
	name_id series;
	double value;
};

/* A "[memory]" instant: memory taken or given back on some device, and what of it there is then. */
struct memory_change {
	int64_t bytes; /* less than 0: given back */
	int64_t allocated, reserved; /* afterwards; -1 unknown */
	int64_t address; /* where the block lies; 0 unknown */
	int32_t device; /* -1: the CPU */
};

/* What PyTorch's allocator got of a device and gave back, piece by piece; what it could not get,
 * and what it holds at the end: of memory snapshots (read/snapshot.h). */
enum memory_act { MEMORY_GOT, MEMORY_GAVE_BACK, MEMORY_REFUSED, MEMORY_AT_END };

struct memory_segment {
	int64_t at_ns; /* by the file's own stamps; of MEMORY_AT_END the last of them */
	int64_t address, bytes;
	int64_t used_bytes; /* MEMORY_AT_END: in blocks; MEMORY_REFUSED: what the device had free,
			       -1 unknown */
	const char *line; /* who asked, "" unknown */
	int32_t device;
	uint8_t act; /* enum memory_act */
	bool expandable; /* a piece that may join its neighbours */
};

/* Names of rows of a snapshot that have no line: blocks that were there before anything was
 * recorded, and those whose line was not. */
#define MEMORY_BEFORE "[before]"
#define MEMORY_NO_LINE "[no line]"
#define MEMORY_STANDING "standing" /* category of rows of blocks that were there before */
#define MEMORY_OUTSIDE "[outside]" /* of all operators, modules or functions */

/* The top-level member of a snapshot without stamps, of which each record is a microsecond. */
#define SNAPSHOT_CLOCK "time_us"

/* Inputs of an operator, as the file writes them ("[[64, 64], [64, 64]]"), 0 when absent; operators
 * with the same ones may share them. */
struct op_inputs {
	name_id dims, types, strides, concrete;
	name_id extra; /* own traces: args.kind, "setup" on first-call costs; of an operator that
			  communicates: "allreduce Float 2049000 2049000 8 0", its `Collective
			  name`, dtype, In msg nelems, Out msg nelems, Group size and, if the file
			  has it, Process Group Name */
	uint32_t forward_thread; /* `Fwd thread id`: PyTorch's own number of the thread whose
				    forward pass this operator is the backward of; 0: of none */
};

/* Something that was wrong with the file or the recording, and was mended or left out; see
 * health.h. */
/* `PLACE_IN_TABLE`: somewhere in a table of a database; the context is its name. */
enum { REPAIR_PLACES = 8, PLACE_IN_TABLE = -2 };

struct repair {
	int kind; /* enum repair_kind (repair.h) */
	int64_t count;
	int n_places;
	struct repair_place {
		int64_t offset; /* byte in the (inflated) file, -1 unknown, PLACE_IN_TABLE */
		char context[24]; /* a few printable bytes there */
	} place[REPAIR_PLACES]; /* (n_places) the first ones, by offset */
};

struct trace_device {
	int64_t id;
	const char *name;
	int64_t memory_bytes;
	int32_t sms, threads_per_sm, registers_per_sm, shared_per_sm, major, minor, warp;
};

struct trace_meta { /* other members of the top level, in file order */
	const char *key, *value; /* a string decoded, anything else as JSON text on one line */
};

/* What part of a recording the rows are (read/narrow.h), in whole ns from the begin of all of it.
 * What was not asked for is -1 or NULL. */
struct trace_part {
	const char *of; /* the file that has all of it; NULL: these rows are all */
	int64_t from_ns, to_ns, whole_ns;
	int64_t first_step, last_step;
	const char *range; /* the name of a range, and which of the ranges of that name, from 0 */
	int64_t nth, ranges;
	int64_t rank; /* of a file in which several are */
	int64_t rows; /* of all of it */
	/* Of the device, launched before and not over when it begins: events, and how long they
	 * take. */
	int64_t earlier, earlier_ns;
	bool cut_off; /* the file that has all of it ends early (ends_early) */
};

#define NO_PART \
	{ \
		.first_step = -1, .last_step = -1, .nth = -1, .rank = -1 \
	}

/* Where the rows of a trace stand in its file, for those who read that again (read/cut.h). Rows of
 * the file are counted from 0, each event that became one. */
struct file_order {
	bool json; /* it is a file of events, and can be read again */
	uint32_t *row; /* (trace.n) of each row; NULL: nobody asked */
	uint32_t *begin; /* (n_ends) of each E, e and F of the file: the row of its begin, NO_ROW */
	size_t n_ends;
	int64_t clock_ns; /* by the file's own stamps, when all of it begins */
};

enum { TRACE_OWNED = 19, REACH_ROWS = 1024 };

/* Whatever a file says, sums and products of what a trace holds stay in int64_t: reading sees to it
 * once (seal.c, row.c), so that nobody behind has to ask. At most TRACE_SUM are
 *   - the durations of all rows together,
 *   - its length, from origin_ns to end_ns, times the number of its tracks and 16 more,
 *   - the times from all launches to what they launched, together,
 *   - the bytes of all copies together, and those of all changes of memory, each counted as taken.
 * What would pass that is damage: its duration becomes 0, or it is left out as of another clock,
 * has no launch, has no size. Numbers of kernels and devices are int32_t; other real numbers are
 * finite and within TRACE_REAL. Eight such sums can be added, and one multiplied by eight. */
#define TRACE_SUM (INT64_MAX / 8)
#define TRACE_REAL 1e30

struct trace {
	struct arena arena; /* owns all texts and small tables */
	struct names names;
	const char **shown; /* (names.n) what a reader sees, where it is not the name itself
			       (demangle.h), else NULL; NULL: no name has one */
	const char *path; /* as given by the user */
	int64_t origin_ns; /* added to start_ns gives the file's absolute time */
	int64_t clock_ns; /* added to it gives the stamps of the first document of the file */
	int64_t end_ns; /* largest start + dur, from the origin */
	int64_t file_bytes, json_bytes;
	bool ends_early; /* events are missing: the file was cut off or damaged before their list's
			    end, or lacks its beginning, or was read no further */

	size_t n; /* events */
	int64_t *start_ns; /* (n) ascending */
	int64_t *dur_ns; /* (n) 0 for instants */
	name_id *name; /* (n) */
	name_id *category; /* (n) NULL behind trace_forget() */
	uint32_t *track; /* (n) */
	uint32_t *correlation; /* (n) 0 none; below 2^31 the file's own number, above it stands for
				  a larger number or a text; of an operator its `Sequence number` +
				  1 (forward.h) */
	uint32_t *external; /* (n) `External id`, as correlation; NULL behind trace_forget() */
	uint32_t *side; /* (n) row in kernels, copies, counters, changes (instants) or inputs by
			   kind, NO_ROW none */
	uint32_t *launch; /* (n) device events: the runtime or driver row that launched it;
			     launches: the first device event it caused; NO_ROW none */
	uint32_t *parent; /* (n) host events: the enclosing row of the same track, NO_ROW none */
	uint16_t *depth; /* (n) nesting level; on device and async tracks the sub-row for
			    overlapping events: work (kernels, copies, fills), annotations and
			    waits of one stream are stacked apart from each other */
	uint8_t *kind; /* (n) enum event_kind */
	uint32_t *around_op; /* (n) the row itself or the innermost operator around it, NO_ROW none;
				where rows lie deep only, else NULL: climb (trace_op_of) */
	int64_t *reach_ns; /* (n / REACH_ROWS + 1) the last end in so many rows; NULL unknown */

	struct track *tracks; /* (n_tracks) in display order: host first, then devices */
	uint32_t n_tracks;
	struct kernel *kernels;
	size_t n_kernels;
	struct copy *copies;
	size_t n_copies;
	struct counter *counters;
	size_t n_counters;
	struct memory_change *changes;
	size_t n_changes;
	bool snapshot; /* a memory snapshot: rows are changes of memory, named by the line that
			  asked for it, and there is nothing else */
	const struct memory_segment
		*segments; /* (n_segments) of the arena, in the order of the file */
	size_t n_segments;
	struct op_inputs *inputs;
	size_t n_inputs;
	struct trace_device *devices;
	size_t n_devices;
	struct trace_meta *meta;
	size_t n_meta;
	struct repair *repairs; /* in order of first appearance */
	size_t n_repairs;
	int64_t rank, world; /* distributedInfo, -1 unknown */
	struct trace_part part;
	struct file_order file;

	int64_t phases[128]; /* elements of the file's event lists by `ph`; [0]: without one */
	int64_t zero_stamps; /* events at 0 of the file's own clock: often clipped there */
	int64_t resolution_ns; /* 1000 when every stamp is a whole microsecond, else 1 */
	void *owned[TRACE_OWNED]; /* columns and side tables made by read.h (growing_arrays.h) */
};

/* An empty trace; rank and world are not known until a file tells them. */
void trace_init(struct trace *t);

/* Frees the columns that, once health is known (health.h), only a dump of the trace prints; a
 * snapshot keeps them. */
void trace_forget(struct trace *t);

/* Frees everything that the trace owns, so all texts and rows lent from it; to be read again it
 * must be initialised again. */
void trace_release(struct trace *t);

/* A name as a reader sees it. */
static inline const char *trace_name(const struct trace *t, name_id id)
{
	return t->shown && t->shown[id] ? t->shown[id] : names_text(&t->names, id);
}

/* The same for the name of a row. */
static inline const char *trace_row_name(const struct trace *t, size_t row)
{
	return trace_name(t, t->name[row]);
}

/* The same for a text that may be one of the trace's names. */
const char *trace_readable(const struct trace *t, const char *name);

/* The first row that starts at a time or later, t->n if none does. */
size_t trace_first_from(const struct trace *t, int64_t time_ns);

/* The first row at or after i that may reach a time: those between i and it end before. For loops
 * over the rows of a window: nothing in front of it is looked at, as far as it is known. */
static inline size_t trace_reaching(const struct trace *t, size_t i, int64_t time_ns)
{
	while (t->reach_ns && i % REACH_ROWS == 0 && i < t->n &&
		t->reach_ns[i / REACH_ROWS] < time_ns)
		i += REACH_ROWS;
	return i;
}

/* The first row of a kind from i on, t->n if there is none: for loops over what is rare. */
size_t trace_next_of(const struct trace *t, enum event_kind kind, size_t i);

/* Is the row such a call? NO_ROW is none. */
static inline bool is_call(const struct trace *t, uint32_t row)
{
	return row != NO_ROW && event_is_call(t->kind[row]);
}

/* An instant that says so. */
static inline bool is_memory_change(const struct trace *t, size_t row)
{
	return t->kind[row] == EVENT_INSTANT && t->side[row] != NO_ROW;
}

/* Does a call stand inside another? Where times are whole microseconds, one of 0 that begins with
 * another of its kind is a neighbour: it ended before that began. */
static inline bool is_inner_call(const struct trace *t, uint32_t row)
{
	uint32_t around = t->parent[row];
	return is_call(t, around) &&
		(t->dur_ns[row] > 0 || t->kind[row] != t->kind[around] ||
			t->start_ns[row] != t->start_ns[around]);
}

/* A call that does not stand inside another. */
static inline bool is_outer_call(const struct trace *t, uint32_t row)
{
	return is_call(t, row) && !is_inner_call(t, row);
}

/* Where the row's span ends, in ns from the trace's origin. */
static inline int64_t row_end(const struct trace *t, uint32_t row)
{
	return t->start_ns[row] + t->dur_ns[row];
}

/* The value of a top-level member, NULL if the file has none. */
const char *trace_meta(const struct trace *t, const char *key);

#endif
