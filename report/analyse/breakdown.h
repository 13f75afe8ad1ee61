/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakdown.h - where the time went: each window split into parts that sum to it, exactly.
 *
 * A window is a step, or the whole of analysis.window. Every nanosecond of it belongs to one part,
 * so that the parts sum to its length. All is integer arithmetic on the trace's own times.
 *
 * Who has the device at a moment says account.h: computing beats communication, that beats copies,
 * and copies beat idle time. So computing, communication, copies and idle of the whole are those of
 * streams.h.
 *
 * Idle time has the cause that idle_causes.h found for its gap, told in the words of what to do:
 *   launching  host, latency, and held for a known reason: the next work was not launched in time,
 *              or the device passed from one event to the next (split.launch_gap_ns)
 *   sync       sync: the host waited for the device, so that the queue ran empty
 *   profiler   profiler: the recorder's own overhead
 *   before     work launched before the file begins: it may run while nothing is recorded. The gap
 *              in front of the first event, when that event has no launch in the file or was held
 *              back; and gaps that end with an event without a launch, while no event with one has
 *              been seen. Any other first gap is treated as one of cause host
 *   after      after: nothing more was launched inside the window
 *   unknown    unknown, and held for no reason that the file shows
 * Inside gaps of launching and of sync, hand-overs aside, the spans of the thread that launched
 * next say more, until its launch call has ended, and the first that applies has its stretch of the
 * gap:
 *   input      getting data: a range, operator or Python function whose name says so
 *              (is_input_name) and that launches no kernel; or a call that waits for a copy
 *              from the host to the device
 *   sync       any other call that waits (idle_causes_is_wait), with the operator whose purpose it
 * is: aten::item, aten::nonzero, aten::copy_ ... (the innermost operator around the call, when no
 * operator inside it launches a kernel, and those around that, while it takes at least half of
 * them) stall      one call of at least STALL_TIMES the median of its name, with at least
 * STALL_CALLS calls in the file, and of at least STALL_SHARE of the typical window, without what
 *              waits and stalls inside it take, and of operators and Python functions without all
 *              that they call. Calls that nest in themselves are no stalls: they are long because
 *              others are in them
 *   sync       a call that frees memory (cudaFree, hipFree ...): it waits for the device, too
 *   profiler   what that thread has between one ProfilerStep#N and the next: the program is in the
 *              profiler's own step()
 * So, with one device, over the whole window: launching + input + sync + stall + profiler of the
 * breakdown is host + latency + sync + held (for a known reason) + profiler of idle_causes.h,
 * plus what that counts to `before` and the host is to blame for.
 *
 * Steps. A step begins when its range begins on the host or, later, when what the step before it
 * launched has ended on the device; it ends where the next begins, the last one when its range and
 * its device work have ended (PyTorch's TensorBoard plugin extends steps the same way). The first
 * of a part of a trace (trace.part) begins behind what was launched before the part. Steps stand
 * one after the other without a gap, but where the profiler's numbers do not follow: then each ends
 * as the last one does. They are the profiler's own, or found: see enum steps_by.
 *
 * A trace that ends early (trace.h) has no headline, and idle time of no cause: files hold the host
 * first, so that a cut takes the device's work, leaves its launches, and what was work looks idle.
 *
 * A trace without device events has no breakdown; one without host events has idle time of unknown
 * cause only. breakdown.lack says so. Time and memory are linear in the events, but for sorting
 * the durations of few names.
 */
#ifndef REPORT_ANALYSE_BREAKDOWN_H
#define REPORT_ANALYSE_BREAKDOWN_H

#include "report/analyse/blame.h"
#include "report/analyse/device_purpose.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/work_limit.h"

/* STALL_SHARE is in thousandths. */
enum { STALL_TIMES = 20, STALL_CALLS = 5, STALL_SHARE = 10 };

/* The parts, computing first, idle last. */
enum time_part {
	TIME_GEMM,
	TIME_ATTENTION,
	TIME_CONVOLUTION,
	TIME_EMBEDDING, /* looked up, and their gradients */
	TIME_POINTWISE, /* element-wise and fused kernels, fills, and kernels that move or convert
			    elements: copies, transposes, gathers, casts ... */
	TIME_REDUCTION, /* sums, softmax, norms, pooling */
	TIME_OTHER, /* CLASS_KERNEL: neither its name tells anything, nor its operator's */
	TIME_COMMUNICATION, /* not hidden behind computing */
	TIME_COPIES, /* not hidden behind the two */
	TIME_LAUNCHING,
	TIME_INPUT,
	TIME_SYNC,
	TIME_STALL,
	TIME_PROFILER,
	TIME_BEFORE,
	TIME_AFTER,
	TIME_UNKNOWN,
	TIME_PARTS
};
const char *time_part_name(
	enum time_part part); /* "computing.gemm", "communication", "idle.launching" ...
			       */

static inline bool time_part_is_computing(enum time_part part)
{
	return part <= TIME_OTHER;
}

static inline bool time_part_is_idle(enum time_part part)
{
	return part >= TIME_LAUNCHING;
}

/* The part of a device event by its class and kind; it is never an idle one. */
enum time_part time_part_of(const struct analysis *a, uint32_t device_row);

/* What limits a window. */
enum headline {
	HEADLINE_NONE, /* no device, or an empty window */
	HEADLINE_COMPUTE, /* computing, most of it in products, attention and convolutions */
	HEADLINE_MEMORY, /* computing, most of it in kernels that move data: pointwise, reductions
			  */
	HEADLINE_COMMUNICATION,
	HEADLINE_COPY,
	HEADLINE_LAUNCH, /* the host is late with the next work, launch by launch, or launches
			    nothing more */
	/* The host is late by silences, more than by rhythm (blame.h), and in most of their time */
	HEADLINE_COMPILE, /* it compiles */
	HEADLINE_CPU, /* an operator computes on it */
	HEADLINE_HOST, /* it does something else */
	HEADLINE_LAUNCH_GAP, /* launching, but most of it between events that were queued in time */
	HEADLINE_INPUT,
	HEADLINE_SYNC,
	HEADLINE_STALL,
	HEADLINE_PROFILER,
	HEADLINE_UNSEEN, /* before or unknown: the file does not show what limits it */
	HEADLINES
};
const char *headline_name(enum headline h); /* "compute-bound", "launch-bound" ... */

/* Is it because of silences that the host is late? */
static inline bool headline_is_silence(enum headline h)
{
	return h == HEADLINE_COMPILE || h == HEADLINE_CPU || h == HEADLINE_HOST;
}

/* One window and its parts. */
struct time_parts {
	int64_t start_ns, end_ns;
	int64_t ns[TIME_PARTS]; /* they sum to end_ns - start_ns */
	int64_t launch_gap_ns; /* of TIME_LAUNCHING: between events that were queued in time */
	int64_t memory_bound_gemm_ns; /* of TIME_GEMM: products that the memory limits, not the
				       * arithmetic
				       */
};

static inline int64_t split_length(const struct time_parts *s)
{
	return s->end_ns - s->start_ns;
}

int64_t time_parts_computing_ns(const struct time_parts *s);
int64_t time_parts_idle_ns(const struct time_parts *s);

/* What a window is limited by, as far as its parts tell: the largest of computing as a whole,
 * communication, copies, and each cause of idle time; of equal ones the first in this order.
 * *share: of the window. */
enum headline time_parts_headline(const struct time_parts *s, double *share);

/* A headline is said without reserve when its part is at least this share of the window. */
#define HEADLINE_SOLID 0.5

/* How steps were told, in the order in which it is tried. */
enum steps_by {
	STEPS_BY_NOTHING,
	STEPS_BY_PROFILER, /* ProfilerStep#N */
	STEPS_BY_OPTIMIZER, /* from the end of one Optimizer.step range to the end of the next;
			       without a device from STEPS_LEAST ranges on, over at least half of
			       the window */
	STEPS_BY_RANGE, /* a range that recurs on one thread (numbers in its name aside), never
			   inside itself, at least STEPS_LEAST times over at least half of the
			   window, with launches in each where the file has a device or
			   launches: from one begin to the next */
	STEPS_BY_LAUNCHES, /* a kernel that recurs at least STEPS_LEAST times after always the same
			      number of kernels, two at least, on the busiest stream, over four
			      fifths of its kernels and of the window; nine tenths of the kernels
			      are those of the round in the middle. Of several such kernels the one
			      with the shortest rounds: from one of its launches to the next */
	STEPS_BYS
};
const char *steps_by_name(enum steps_by by); /* "nothing", "profiler", "optimizer" ... */

enum { STEPS_LEAST = 3 };

struct breakdown_step {
	int64_t number; /* of ProfilerStep#N, else from 0 */
	uint32_t row; /* the range, or the launch that begins it */
	int64_t host_start_ns, host_end_ns; /* what of the host belongs to it */
	struct time_parts split;
};

/* A stretch of time that belongs to one part. */
struct stretch {
	int64_t start_ns, end_ns;
	uint32_t row; /* of the device: index into device_rows. Idle: for input, sync and stall the
			 span that says so, for profiler and sync the evidence of idle_causes.h, for
			 launching the launch of what ends the gap; else, or not in the file, NO_ROW
		       */
	uint8_t part; /* enum time_part */
	bool launch_gap; /* idle: between events that were queued in time */
	bool streamed; /* a product that the memory limits, as those by a vector are */
};

struct stall {
	uint32_t row; /* the call */
	int64_t idle_ns; /* of its time: TIME_STALL of the whole */
};

/* What keeps the breakdown from telling more. */
enum breakdown_lack {
	LACK_NOTHING,
	LACK_DEVICE, /* no device events: nothing is split. Only the steps that the profiler did not
			mark are here, by their times alone; those it did are analysis.steps */
	LACK_HOST, /* no host events: idle time has no cause */
	LACK_LAUNCHES, /* no device event has its launch in the file: the same */
	LACK_REST, /* the trace ends early: idle time has no cause, and there is no headline */
	LACKS
};
const char *breakdown_lack_name(enum breakdown_lack lack); /* "nothing", "device" ... */

struct breakdown {
	enum breakdown_lack lack;
	struct time_parts whole; /* analysis.window */
	enum steps_by steps_by;
	const char *range; /* what the steps are told by: a name of the file, numbers as "#"; "" */
	struct breakdown_step *steps; /* (n_steps) by start */
	uint32_t n_steps;
	uint32_t median; /* index of the steady step of median length (median_place of base/stats.h)
			    of those in which the device works, where it works in any:
			    the one that is quoted, drawn and compared; NO_ROW: no steps */
	enum headline headline; /* of the median step, else of the whole; none of LACK_REST */
	double headline_share;
	bool solid; /* headline_share >= HEADLINE_SOLID */
	const uint8_t *part; /* (analysis.n_device) enum time_part of each event of the device */
	const int64_t *exposed_ns; /* (analysis.n_device) what the event has of the window */
	const int64_t *held_ns; /* (analysis.n_device) of the whole */
	const struct stretch *idle; /* (n_idle) the idle time of the whole, by start */
	size_t n_idle;
	const struct stall *stalls; /* (n_stalls) by start; of nested ones the outermost; those that
				       the device did not notice are not among them */
	size_t n_stalls;
	struct blame blame; /* because of what the device was idle */
	struct purposes purposes; /* and for what it was busy */
	struct limited_work limited; /* what limits most of that, where it is one operator's */
};

/* The median step where there are steps, else the whole. */
const struct time_parts *breakdown_window(const struct breakdown *p);

/* Is the largest part of it what the device computes, and not the host or anything else? */
bool breakdown_computes(const struct breakdown *p);

/* The arena owns the result; a and l must outlive it. */
struct breakdown breakdown_of(
	struct arena *arena, const struct analysis *a, const struct idle_causes *l);

void breakdown_dump(const struct breakdown *p, const struct trace *t, FILE *f);

#endif
