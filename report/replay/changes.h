/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.h - what remedies change of a program, in words of the trace's rows. A remedy is a plan:
 * a list of changes. What it saves is the difference of two replays (replay.h), and what several
 * give together is one replay of all of them.
 *
 *	plan_takes(p, kernel_row, 0.5);		 this kernel takes half of its time
 *	plan_sends(p, collective_row, 0.25);	 this collective sends a quarter
 *	plan_goes(p, operator_row);		 this operator is not called, with all in it
 *	plan_goes(p, kernel_row);		 this kernel is not launched
 *	plan_one(p, rows, n, ns);		 these kernels become one of ns
 *	plan_gone(p, track, from_ns, to_ns);	 a thread does nothing there, and launches nothing
 *	plan_replaced(p, track, from_ns, to_ns, ns);  and something of ns in its place
 *	plan_spare(p, from_ns, to_ns);		 the host needs no time there; what it launches
 *stays plan_off_path(p, row);			 this span moves to another thread, or costs nothing
 *	plan_wait(p, call_row);			 this call waits no more
 *	plan_beside(p, copy_row);		 this copy runs on a stream of its own
 *
 * A rule says its changes to finding.plan while it looks (rule.h); a plan may be NULL, and nothing
 * is said then. Saying one takes constant time; rows may come in any order, and be said twice. Of
 * two that are about the same event both count.
 */
#ifndef REPORT_REPLAY_CHANGES_H
#define REPORT_REPLAY_CHANGES_H

#include "report/replay/replay.h"

struct plan_change;

/* Python takes at most so long to come to a call, as an operator of a profiled program does. */
enum { PLAN_WAY_NS = 20000 };

enum { PLAN_CHUNKS = 40 };

struct replay_plan {
	struct arena *arena; /* owns what comes */
	struct plan_change
		*chunk[PLAN_CHUNKS]; /* of changes, each of twice as many as the one before */
	size_t n; /* changes */
};

/* A kernel, a copy, a fill or a collective takes `factor` of its time. At 0 it is gone for the
 * device, and its launch stays. */
void plan_takes(struct replay_plan *p, uint32_t device_row, double factor);

/* A collective sends that much; what it waits for another rank meanwhile, which is what some of its
 * kind take longer than the shortest where some are late (device_purpose.h), is as long as it was.
 * Other work takes that share of its time. */
void plan_sends(struct replay_plan *p, uint32_t device_row, double factor);

/* It runs on a stream of its own, beside all others, which do not wait for it: those that run so
 * follow each other. */
void plan_beside(struct replay_plan *p, uint32_t device_row);

/* A row of the host is gone, with all that its thread does in it: calls, waits, and what they
 * launch; of an operator with the way to it, too, from what stands in front of it at its level, up
 * to PLAN_WAY_NS. A row of the device is gone with the call that launched it, unless that launched
 * more, and with the operators around the call that launch nothing else, and what they wait for; of
 * an operator that launches more, its share of that operator's time. A silence among them (blame.h)
 * has a cause of its own, and stays. */
void plan_goes(struct replay_plan *p, const struct trace *t, uint32_t row);

/* Likewise all that a thread does in a stretch of time. */
void plan_gone(struct replay_plan *p, uint32_t track, int64_t from_ns, int64_t to_ns);

/* Likewise, but the thread does something else in its place where it launched or waited: so long
 * when nobody records, and the device has as good as nothing to do for it. */
void plan_replaced(
	struct replay_plan *p, uint32_t track, int64_t from_ns, int64_t to_ns, int64_t by_ns);

/* Of rows of the device the first takes ns, and the others go. */
void plan_one(
	struct replay_plan *p, const struct trace *t, const uint32_t *row, size_t n, double ns);

/* The host needs no time there, on any thread. What it launches and waits for stays. */
void plan_spare(struct replay_plan *p, int64_t from_ns, int64_t to_ns);

/* The same of a row. */
void plan_off_path(struct replay_plan *p, const struct trace *t, uint32_t row);

/* A call does not wait for the device any more. */
void plan_wait(struct replay_plan *p, uint32_t call_row);

/* All launches of the window are one: what the host does to make them is spared, but not what it
 * waits for, loads, computes, or does in silence (blame.h). */
void plan_one_launch(struct replay_plan *p, const struct breakdown *breakdown);

/* The same of the launches in a stretch of time. */
void plan_one_launch_of(
	struct replay_plan *p, const struct breakdown *breakdown, int64_t from_ns, int64_t to_ns);

/* Getting data takes no time: the next are there when they are asked for. */
void plan_input(struct replay_plan *p, const struct trace *t, const struct breakdown *breakdown);

/* All that another plan says, too: "do 1, then 2". */
void plan_and(struct replay_plan *p, const struct replay_plan *other);

/* replay_gain() of all of it; r may not be NULL. */
int64_t plan_gain(const struct replay_plan *p, const struct replay *r);

/* replay_ns() of all of it: with the recorder. */
int64_t plan_ns(const struct replay_plan *p, const struct replay *r);

/* Where there is nothing to run again, or the graph explains too little: what the device spends
 * alone on what takes less or goes, and idle time while the host does what it is spared, both
 * inside the window. */
double plan_bound_ns(
	const struct replay_plan *p, const struct analysis *a, const struct breakdown *breakdown);

#endif
