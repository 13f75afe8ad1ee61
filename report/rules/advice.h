/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice.h - what to do first: remedies that a trace proves, ranked by the time that each saves.
 *
 * There is one currency, the wall-clock time of a step: of the step of median length where there
 * are steps, else of the whole window (breakdown.h). What a remedy saves is a ceiling,
 *
 *   min(what it costs, what of that is not hidden)
 *
 * in which the device's time counts as far as nothing better runs beside it, and the host's as far
 * as the device waits for it. Faster kernels make a step no shorter than its host takes. What does
 * not happen in that step (a stall, allocations) saves time of the recording, once: it has no ratio
 * to a step, and stands behind what each step pays. The recorder makes the host slower, not the
 * device: the host's time is taken less what recording its rows costs, which the trace shows
 * (profiler_cost.h). advice.json tells the formula of each remedy.
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
	bool priced; /* the replay explains the window (replay_can_price()): gains are no rougher
			than that */
	const struct finding *action; /* (n) by what they give back, largest first */
	int n;
	const struct finding *leave; /* (n_leave) by their time, largest first */
	int n_leave;
};

void advice_dump(const struct advice *x, FILE *f);

#endif
