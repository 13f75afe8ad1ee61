/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - which steps are recorded: torch.profiler.schedule as a function of the step number.
 *
 * One cycle is wait, then warmup, then active steps; it runs `repeat` times (0 counts as 1, where
 * torch would go on for ever: a case has an end). After the last cycle nothing is recorded.
 */
#ifndef COLLECT_SCHEDULE_H
#define COLLECT_SCHEDULE_H

#include "base/err.h"
#include "experiments/workload.h"

/* Unrecorded calls that make a case warm before its schedule starts. */
enum { WARM_CALLS = 3 };

enum schedule_action {
	SCHEDULE_NONE, /* run, recording off */
	SCHEDULE_WARMUP, /* run, recording on, thrown away */
	SCHEDULE_RECORD, /* run and keep */
	SCHEDULE_RECORD_AND_SAVE /* the last active step of a cycle: keep, then end the window */
};

/* What step number `step` (0 is the first) is. */
enum schedule_action schedule_action(const struct schedule *s, long step);

/* Steps of all cycles together. */
long schedule_steps(const struct schedule *s);

/* At least one active step, nothing negative, at most a million steps. */
int schedule_ok(const struct schedule *s, struct err *err);

#endif
