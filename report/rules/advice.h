/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice.h - what to do first: remedies that a trace proves, ranked by the time that each saves.
 *
 * There is one currency, the wall-clock time of a step: of the step of median length where there
 * are steps, else of the whole window (breakdown.h), without what recording costs the host
 * (profiler_cost.h). What a remedy saves is the difference of two replays (replay.h), as it is and
 * with what the remedy changes, which advice.json tells: faster kernels make a step no shorter than
 * its host takes, and what replays to nothing is not promised. The headline is that of this step,
 * too. What does not happen in it (a stall, allocations) saves time of the recording, once: it has
 * no ratio to a step, and stands behind what each step pays.
 *
 * A remedy is named only where the trace shows its cause, and never where it shows that it is
 * taken already. What is large and already good is left alone, and said so.
 *
 * Without device events there is only what is marked for it (rule.h), by the host's time. All is
 * linear in the rows of the trace.
 */
#ifndef REPORT_ADVISE_ADVICE_H
#define REPORT_ADVISE_ADVICE_H

#include "report/rules/rule.h"

struct breakdown;
struct time_parts;

enum { ADVICE_EVIDENCE = 8, ADVICE_ON_PAGE = 3 };

/* From one event of the device to the next that was queued in time: the median of the trace's own
 * hand-overs on a stream, where there are ADVICE_HANDOVERS; else this, measured on an H200. */
enum { ADVICE_HANDOVER_NS = 1060, ADVICE_HANDOVERS = 8 };

/* Actions that give back less than this share of the window are none. */
#define ADVICE_LEAST 0.02

struct advice {
	const struct trace *trace;
	int64_t window_ns, whole_ns; /* whole_ns: of the recording */
	bool steps; /* the window is a step */
	bool cpu; /* there is no device: what is saved is the host's time */
	bool torch; /* operators of PyTorch are in the file */
	int64_t recording_ns; /* what an operator's row costs the host: profiler_cost.h */
	int64_t unrecorded_ns; /* what the window takes without the recorder, by replay */
	const struct time_parts *estimate; /* its parts, as long as that */
	uint8_t headline; /* enum headline: what limits it then, where that is another part than as
			     recorded (time_parts_headline()); else HEADLINE_NONE */
	double headline_share; /* of unrecorded_ns */
	bool priced; /* the replay explains the window (replay_can_price()): gains are no rougher
			than that */
	bool measured; /* unrecorded_ns was, outside the recording (replay_is_measured()) */
	const struct finding *action; /* (n) by what they give back, largest first */
	int n;
	const struct finding *leave; /* (n_leave) by their time, largest first */
	int n_leave;
};

void advice_dump(const struct advice *x, FILE *f);

#endif
