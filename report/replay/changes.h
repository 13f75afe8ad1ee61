/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.h - what remedies change of a replay, put together from what the account says: which time
 * the host is spared, which calls wait no more, how long events take. Changes add up: what several
 * remedies give together is one replay of all of them.
 *
 *	struct replay_plan plan = replay_plan(&arena, r);
 *	plan_event(&plan, event, 0.5);
 *	plan_wait(&plan, call_row);
 *	int64_t gain = plan_gain(&plan);
 */
#ifndef REPORT_REPLAY_CHANGES_H
#define REPORT_REPLAY_CHANGES_H

#include "report/replay/replay.h"

struct replay_plan {
	const struct replay *r;
	struct arena *arena;
	struct spans spared;
	float *factor; /* NULL: nothing was said of events */
	uint8_t *passes; /* NULL: nothing was said of waits */
	struct time_span *span; /* (n_spans) in any order */
	size_t n_spans, room;
};

/* Nothing is changed yet; the arena owns what comes. */
struct replay_plan replay_plan(struct arena *arena, const struct replay *r);

/* The host needs no time for what it did there. */
void plan_spare(struct replay_plan *p, int64_t from_ns, int64_t to_ns);

/* A row of the host is gone, with all in it. */
void plan_spare_row(struct replay_plan *p, uint32_t row);

/* An event, as an index into device_rows, takes `factor` of its time; 0: it is gone. */
void plan_event(struct replay_plan *p, uint32_t event, double factor);

/* A call waits no more. */
void plan_wait(struct replay_plan *p, uint32_t call);

/* All launches of the window are one: what the host does to make them is spared, but not what it
 * waits for, loads, computes, or does in silence (blame.h). */
void plan_one_launch(struct replay_plan *p, const struct breakdown *breakdown);

/* Getting data takes no time: the next are there when they are asked for. */
void plan_input(struct replay_plan *p, const struct breakdown *breakdown);

/* replay_gain() of all of it. */
int64_t plan_gain(struct replay_plan *p);

#endif
