/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_step_causes.h - what a step was spent on, by its own spans: of the first, why it is cold.
 *
 * The window is the step on the thread that launches; where the finding WIDE-FIRST-STEP fired, the
 * first is shown. Every instant of it belongs to one cause: that of the innermost span that is open
 * on that thread. A row of the recorder's (overhead) goes before it where it stands on the same
 * thread or lies whole within one call of it, which is how it is known to hold that call up. What
 * no span but the step and its annotations covers is not explained. The parts therefore sum to the
 * window exactly, and a cause is named only where a span of the trace bears its name.
 */
#ifndef REPORT_ANALYSE_FIRST_STEP_CAUSES_H
#define REPORT_ANALYSE_FIRST_STEP_CAUSES_H

#include "report/analyse/analysis.h"

enum cold_cause {
	COLD_LOADING, /* libraries, modules and functions brought into the process or the device,
			 and looked up there */
	COLD_HANDLES, /* engines, contexts, streams, handles of libraries made */
	COLD_MEMORY, /* allocated, freed, mapped */
	COLD_TOUCH, /* pages faulted in when first written */
	COLD_COMPILING, /* code made while the program runs, graphs captured; all inside of that */
	COLD_THREADS, /* threads started */
	COLD_ATTRIBUTES, /* attributes of kernels asked for or set */
	COLD_RECORDER, /* the profiler's own buffers */
	COLD_SETUP, /* other rows that say of themselves that they are first-call work */
	COLD_CHOOSING, /* kernels of a library tried or chosen */
	COLD_QUERIES, /* how many blocks would fit: planning before a launch */
	COLD_FIRST_LAUNCH, /* inside a call that launches a kernel for the first time in the trace
			    */
	COLD_LAUNCH, /* inside any other call that puts work in a queue */
	COLD_WAIT, /* inside a call that waits */
	COLD_CALL, /* inside any other runtime or driver call */
	COLD_OPERATORS, /* inside operators, compiled code or Python, in no call of theirs */
	COLD_UNEXPLAINED, /* no span says it */
	COLD_CAUSES
};

/* "loading" ...: the words "cold.<name>" and "cold.short.<name>" of templates. */
const char *cold_cause_name(enum cold_cause cause);

/* Spans of one name within a cause. */
struct cold_sum {
	enum cold_cause cause;
	name_id name;
	uint32_t spans;
	int64_t ns; /* innermost */
};

struct cold_part {
	enum cold_cause cause;
	uint32_t spans; /* 0 for what is not explained */
	int64_t ns;
	int64_t usual_ns; /* of the same cause in a typical step */
};

/* Where in the window a cause stands. */
struct cold_stretch {
	int64_t from_ns, to_ns;
	enum cold_cause cause;
};

struct cold_start {
	int64_t from_ns, to_ns;
	int64_t usual_ns; /* length of a typical step */
	int64_t usual_launch_ns; /* of it in launches, first ones and others */
	struct cold_part part[COLD_CAUSES]; /* (n) largest first, unexplained last; sum to the
					       window */
	int n;
	const struct cold_sum *sum; /* (n_sums) by cause, then largest first */
	uint32_t n_sums;
	const struct cold_stretch
		*stretch; /* (n_stretches) one after the other: all of the window */
	uint32_t n_stretches;
	bool ran_before; /* steps ran before the recording, by what the manifest says: then it is
			    not called a cold start. Set by case_cold.c */
};

/* The parts of any step, and the spans behind them; usual_ns are those of `typical`. */
struct cold_start cold_split(
	struct arena *a, const struct analysis *an, uint32_t step, uint32_t typical);

/* The same of all that the thread of the steps did before the first one; usual_ns 0. An empty
 * window where the file has nothing of it, or no steps of the profiler's. */
struct cold_start cold_before(struct arena *a, const struct analysis *an);

/* Work that a process does once: not the recorder's, nor launches, waits and operators as such. */
bool cold_is_paid_once(enum cold_cause cause);

#endif
