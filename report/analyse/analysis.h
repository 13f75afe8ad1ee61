/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis.h - the room of analysis: what a trace says, before anybody calls it good or bad.
 *
 * In comes a sealed `struct trace` (trace/trace.h); out goes `struct analysis`: steps, device
 * activities, idle gaps, the regime, the profiler table. The other headers of the room ask further
 * questions of an analysis, each answered by one function and one struct: why the device was idle
 * (idle_causes.h), what each stream did (streams.h), which rank holds the others up (ranks.h), how
 * a kernel fits on the device (kernel_fit.h), whether the recording itself is sound (health.h).
 *
 * An analysis is computed once, in n log n for n rows, all of it in the caller's arena, and never
 * fails: what a file does not hold is 0, NO_ROW or an empty list. Nothing here is a sentence. Times
 * are whole nanoseconds on the trace's axis. A device event belongs to the step in which its launch
 * call began, never to the one it ran in, since the lanes are offset; one without a launch in the
 * file belongs to no step. Busy time is the length of the union of kernels, copies and fills.
 */
#ifndef REPORT_ANALYSE_ANALYSIS_H
#define REPORT_ANALYSE_ANALYSIS_H

#include "base/arena.h"
#include "base/profiler_table.h"
#include "base/spans.h"
#include "base/stats.h"
#include "report/name/classify.h"
#include "report/name/roles.h"
#include "report/name/traits.h"
#include "report/trace/trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LONGEST_GAPS = 10 };

/* A fill of no more bytes that a product's own operator launches right before its kernel is of
 * CLASS_CLEAR: kernels that hand out their tiles while they run count them in memory (cuBLASLt's
 * nvjet "coop" kernels ask for a workspace of 4 bytes). */
enum { ANALYSIS_COUNTER_BYTES = 4096 };

/* First-call costs and memory taken and given back, of one name inside a step: on the step's own
 * thread, calls on all threads, and the profiler's overhead rows, which stop it. No time is counted
 * twice: ns is without the set-up spans inside it, and a span that crosses one of another thread is
 * left out, so the sums of a step add up to its setup_ns. */
struct setup_sum {
	name_id name;
	uint32_t calls;
	int64_t ns;
};

struct step {
	int64_t number; /* N of ProfilerStep#N */
	uint32_t row;
	int64_t start_ns, dur_ns; /* on the CPU */

	const uint32_t *device; /* (n_device) rows launched in it, by start */
	uint32_t n_device;
	int64_t device_start_ns, device_end_ns; /* first start and last end of them; 0 if none */
	int64_t busy_ns; /* their union */
	int64_t device_ns; /* their sum */

	/* Device events launched in it, and calls that began in it (of nested calls the outer). */
	uint32_t kernels, copies, fills;
	uint32_t launches, copy_calls, syncs, queries;
	int64_t sync_ns;

	int64_t setup_ns; /* the set-up spans in it, nested ones counted once */
	const uint32_t *setup; /* (n_setup) their rows, by start */
	uint32_t n_setup;
	const struct setup_sum *setup_sum; /* (n_setup_sums) largest first */
	uint32_t n_setup_sums;
};

/* One kind of device work: events of one name, grid and block. */
struct activity {
	name_id name;
	uint8_t class; /* enum event_class */
	int32_t grid[3], block[3]; /* -1 unknown */
	const uint32_t *row; /* (calls) its events, by start: every sample is dur_ns[row[i]] */
	size_t calls;
	size_t calls_in_steps; /* launched inside a recorded step */
	double calls_per_step; /* of those; 0 without steps */
	double share; /* of the summed time of all device events */
	struct stats dur; /* ns */
};

/* The device does nothing on any stream. */
struct gap {
	int64_t start_ns, dur_ns;
	uint32_t before, after; /* the device event that ended last, the one that begins; NO_ROW at
				   the ends of the window */
};

struct gap_sides {
	uint32_t before, after; /* as of struct gap */
};

enum window_source {
	WINDOW_NONE, /* nothing has a duration */
	WINDOW_STEPS, /* first step's start to the end of the last step or device event */
	WINDOW_DEVICE, /* no steps: first launch (or device event) to the last device event's end */
	WINDOW_HOST /* no device events: first to last host event */
};

struct window {
	enum window_source source;
	int64_t start_ns, end_ns;
	int64_t busy_ns; /* union of all device events, inside */
	int64_t kernel_busy_ns; /* union of the kernels alone, inside */
	int64_t idle_ns; /* end - start - busy = sum of the gaps */
	double busy_share; /* busy / (end - start), 0 if the window is empty */
};

/* The rival definitions of "busy" that profilers print: each a numerator and a denominator. */
enum busy_rule {
	BUSY_DEVICE, /* union of device events over first to last of them */
	BUSY_KERNELS, /* union of kernels over the same */
	BUSY_STEPS, /* union of kernels inside steps over the union of the steps */
	BUSY_FILE, /* union of device events over everything with a duration in the file */
	BUSY_RULES
};
const char *busy_rule_name(enum busy_rule rule); /* "first to last device event" ... */

struct busy {
	int64_t busy_ns, window_ns; /* window 0: not applicable */
};

enum regime { REGIME_NONE, REGIME_OVERHEAD_BOUND, REGIME_COMPUTE_BOUND, REGIME_MIXED };
const char *regime_name(enum regime r); /* "none", "overhead-bound", "compute-bound", "mixed" */

/* Two tests of one question: plain, by the totals of the profiler table, and robust, by the time
 * line. Either is enough. */
struct regime_test {
	bool plain, robust;
};

/* Overhead-bound. Both: share < busy; plain: ratio >= ratio; robust: dispatch > self device. */
struct overhead_limits {
	double ratio, busy;
};

/* Compute-bound, by the share of computing alone: a device that copies or communicates is busy, and
 * faster kernels gain nothing. Robust: share >= busy, wait >= waits * self CPU, and dispatch <=
 * self device: a queue that was late once is busy for as long as it has to catch up. Plain: ratio
 * <= the ratio of the totals <= 1 / ratio, both totals >= least_ns, share >= busy_plain. */
struct compute_limits {
	double busy, waits, ratio, least_ns, busy_plain;
};

struct regime_limits {
	struct overhead_limits overhead;
	struct compute_limits compute;
};

/* Those of the detectors T1 and T2, in the order of the members. The ratios of the totals are those
 * of Hugging Face's "Profiling in PyTorch" 1; the share in the plain tests is ours, since totals
 * that are alike say nothing while the device idles. */
#define OVERHEAD_RATIO 10
#define OVERHEAD_BUSY 0.5
#define COMPUTE_BUSY 0.8
#define COMPUTE_WAITS 0.5
#define COMPUTE_RATIO 0.67
#define COMPUTE_LEAST_NS 1e6
#define COMPUTE_BUSY_PLAIN 0.5

/* Who waits for whom: T1 and T2 of the cheatsheet, and the regime made of their answers.
 *
 * A call that puts a copy in the queue and returns only when that copy is over has waited for the
 * device, like a synchronise: its time is a wait and no dispatch. (Copies from and to pageable
 * memory are such: the copy takes microseconds, the call all that was queued before it.)
 *
 * All of it is of the recording behind the first of several steps, as every time of a step is: one
 * cold start must not decide. Of the whole recording where there is one step or none, or where no
 * later step launches device work. */
struct regime_judgement {
	bool later; /* the first step is left out */
	enum regime regime; /* the one of the two that holds; both or neither: mixed */
	enum regime plain, robust; /* by one kind of test alone */
	int64_t self_cpu_ns, self_device_ns; /* the footers of the table, less the first step's */
	int64_t blocked_ns; /* calls that lasted until their copy was over */
	int64_t wait_ns; /* synchronising calls and blocked_ns */
	int64_t waited_ns; /* the same of the whole recording */
	int64_t overhead_ns; /* the recorder's own rows */
	int64_t handed_ns; /* the launching thread stood in a range and did nothing that is recorded
			      while another that launches worked: backward() waits for autograd's */
	int64_t loading_ns; /* self time of the data loader's rows */
	int64_t dispatch_ns; /* self CPU less all of these, at least 0 */
	double ratio; /* self CPU / self device, 0 when there is no device time */
	double busy_share; /* u: busy / window from the first launch in a judged step, or when the
			      device is done with what came before, to the last device event's end
			    */
	double compute_share; /* the same of computing: kernels that do not communicate, fills */
};

struct regime_test regime_overhead(
	const struct regime_judgement *r, const struct overhead_limits *limits);
struct regime_test regime_compute(
	const struct regime_judgement *r, const struct compute_limits *limits);

struct compile_facts {
	uint32_t lookups, guards, regions, prologues, graph_calls; /* rows */
	uint32_t frames; /* distinct F of "compiled region F/C" */
	const char **hash; /* (n_hashes) distinct, in order of first appearance */
	uint32_t n_hashes;
	uint32_t recompiles; /* distinct F/C less distinct F; without regions: distinct hashes less
				one */
	int64_t lookup_ns, guard_ns, prologue_ns; /* summed durations */
};

struct shapes;

struct analysis {
	const struct trace *trace;
	const char *device; /* word for the headings: "CUDA", "HOST QUEUE" */
	uint8_t *class; /* (trace->n) enum event_class: by its name, else by its operator's */
	const struct shapes *shapes; /* asked by shapes.h */
	/* (names) of what the rows with a name are: bits of name/traits.h, 0: no such row */
	uint32_t *device_traits, *host_traits;
	uint8_t *role; /* (names) enum role of the operators with a name (name/roles.h) */
	uint32_t main_track; /* the host thread with the steps, else with most launches; NO_ROW */
	uint32_t *track_launches; /* (n_tracks) rows of CLASS_LAUNCH on each */

	struct step *steps; /* (n_steps) by start */
	uint32_t n_steps;

	struct window window;
	struct busy busy[BUSY_RULES];
	struct regime_judgement regime;

	uint32_t *device_rows; /* (n_device) every kernel, copy and fill, by start */
	uint32_t *device_calls; /* (n_device) the call that launched each: analysis_launch_of() */
	uint32_t *device_ops; /* (n_device) the innermost operator around that call, NO_ROW */
	size_t n_device;
	size_t n_kernels, n_copies, n_fills;
	size_t n_unlinked; /* device events without a launch in the file */
	uint32_t *calls; /* (n_calls) the runtime and driver calls, of nested ones the outer */
	size_t n_calls;
	size_t n_launches, n_copy_calls, n_syncs, n_queries; /* of them */
	int64_t device_ns, kernel_ns; /* sums; device_ns >= kernel_ns */

	struct activity *activities; /* (n_activities) by total, largest first */
	uint32_t n_activities;
	double call_median_ns; /* how long the call takes that launches a device event; 0: none is
				  in the file */

	size_t n_gaps; /* by start, asked by analysis_gap(); they sum to window.idle_ns */
	struct spans idle; /* (n_gaps) where they are */
	struct gap_sides *gap_sides; /* (n_gaps) what they are between */
	uint32_t longest[LONGEST_GAPS]; /* (n_longest) of the gaps, longest first */
	uint32_t n_longest;

	struct profiler_table profiler_table; /* PyTorch's key_averages() of all rows */
	struct compile_facts compile;
};

/* The arena owns what the analysis points to; the trace must outlive it. Scratch is freed. */
struct analysis analysis_of(struct arena *arena, const struct trace *trace);

/* Its classes, main_track and steps alone. */
struct analysis analysis_of_steps(struct arena *arena, const struct trace *trace);

/* The regime again, by other limits than the defaults. */
void analysis_judge_regime(struct analysis *a, const struct regime_limits *limits);

/* One population of steps for all that is quoted, drawn, judged and compared: the steady ones,
 * which are all but the first, or the only one. Even behind a warm-up the first step that a
 * profiler records is no sample: of 68 recordings of 34 programs on an H100 and an H200, each three
 * steps behind a warm-up, it took 1.8 times the program's own time on geometric average, the later
 * ones 1.25. A last step in which nothing is launched, though others launch, is none
 * (analysis.n_steps leaves it out). This is the index of the first steady one. */
static inline uint32_t steps_steady_from(uint32_t n_steps)
{
	return n_steps > 1;
}

/* The index of the step that contains a time, NO_ROW outside of all. */
uint32_t analysis_step_at(const struct analysis *a, int64_t time_ns);

/* The same for many times, most of them in the step of the one before: *near is 0 at first. */
uint32_t analysis_step_near(const struct analysis *a, int64_t time_ns, uint32_t *near);

static inline struct gap analysis_gap(const struct analysis *a, size_t i)
{
	const struct time_span *at = &a->idle.at[i];
	return (struct gap){at->start_ns, at->end_ns - at->start_ns, a->gap_sides[i].before,
		a->gap_sides[i].after};
}

/* Idle time of the device within [from_ns, to_ns), as far as that is in the window. */
static inline int64_t analysis_idle(const struct analysis *a, int64_t from_ns, int64_t to_ns)
{
	return spans_covered(&a->idle, from_ns, to_ns);
}

/* The call that launched a device event, the outer one where a driver call stands in a runtime
 * call; NO_ROW when it is not in the file. The pair is an arrow of the timeline. */
uint32_t analysis_launch_of(const struct trace *trace, uint32_t device_row);

/* The innermost operator around a row (launch rows, mostly), NO_ROW if none. */
uint32_t analysis_op_of(const struct trace *trace, uint32_t row);

/* What a device event was given: one number for each set of input shapes and strides of the
 * operator that launched it, 0 where none are recorded. */
int64_t analysis_inputs_of(const struct trace *trace, uint32_t device_row);

/* Which of the table's two memories a change is of. */
static inline int profiler_memory_of(const struct memory_change *m)
{
	return m->device < 0 ? PROFILER_HOST_BYTES : PROFILER_DEVICE_BYTES;
}

/* PyTorch's key_averages() of a trace's rows, with memory and FLOP where they are recorded; by
 * shape, the rows of one name stand apart where the shapes of their inputs differ. The arena owns
 * it. */
struct profiler_table analysis_profiler_table(
	struct arena *arena, const struct analysis *a, bool by_shape);

/* Prints all of it as stable text: --dump analysis, and the golden test of this stage. */
void analysis_dump(const struct analysis *a, FILE *f);

/* The activities with one for all grids and blocks of a name, sorted likewise; grid and block are
 * -1 where they differ. The arena owns them. */
struct activity *activities_by_name(struct arena *arena, const struct analysis *a, uint32_t *n);

/* Of device events those with a launch in the file: start less end of the launch call, which may be
 * negative; how long that call takes. Worked out anew with each question. */
struct stats launch_delays_of(const struct trace *t, const uint32_t *device_row, size_t n);
struct stats launch_calls_of(const struct trace *t, const uint32_t *device_row, size_t n);

/* A row of the operator that launches more than half of an activity, NO_ROW when none does. */
uint32_t activity_operator(const struct trace *t, const struct activity *act);

/* Bits of enum device_trait, of a kernel or a copy; of enum host_trait, of an operator, a call, a
 * range or the recorder's overhead. 0 for any other row. */
static inline uint32_t device_traits(const struct analysis *a, uint32_t row)
{
	return event_on_device(a->trace->kind[row]) ? a->device_traits[a->trace->name[row]] : 0;
}

static inline uint32_t host_traits(const struct analysis *a, uint32_t row)
{
	return event_on_device(a->trace->kind[row]) ? 0 : a->host_traits[a->trace->name[row]];
}

#endif
