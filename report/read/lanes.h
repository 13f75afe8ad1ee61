/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h - which row of the timeline an event stands on, found again quickly.
 *
 * A lane is a process and a thread, as numbers or as texts, and what stands on it: host events and
 * device events of the same pid and tid are two lanes, because Kineto numbers GPUs like processes.
 */
#ifndef REPORT_READ_LANES_H
#define REPORT_READ_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LANE_NONE UINT32_MAX

struct lane_id {
	int64_t number; /* when text is 0 */
	uint32_t text; /* id of the part's texts, 0 for a number */
};

enum lane_kind { LANE_HOST, LANE_DEVICE, LANE_ASYNC, LANE_KINDS };

struct lane_key {
	struct lane_id pid, tid;
	enum lane_kind kind;
};

struct lanes {
	struct lane_key *lane; /* (n) */
	uint32_t n, room;
	uint32_t *slots; /* (n_slots) lane + 1, 0 = free */
	uint32_t n_slots;
	uint32_t last[LANE_KINDS]; /* the lane of the last look-up */
};

/* No lanes yet; the number that a lane is given never changes. */
void lanes_init(struct lanes *l);
void lanes_release(struct lanes *l);

static inline bool lane_same(const struct lane_key *a, const struct lane_key *b)
{
	return a->tid.number == b->tid.number && a->pid.number == b->pid.number &&
		a->kind == b->kind && a->pid.text == b->pid.text && a->tid.text == b->tid.text;
}

/* lanes_find() of a lane that was not the last one. */
uint32_t lanes_find_other(struct lanes *l, const struct lane_key *lane);

/* The lane, added if new. */
static inline uint32_t lanes_find(
	struct lanes *l, struct lane_id pid, struct lane_id tid, enum lane_kind kind)
{
	struct lane_key x = {pid, tid, kind};
	uint32_t last = l->last[kind];
	return l->n && lane_same(&l->lane[last], &x) ? last : lanes_find_other(l, &x);
}

/* The lane, LANE_NONE if there is none. */
uint32_t lanes_look(
	const struct lanes *l, struct lane_id pid, struct lane_id tid, enum lane_kind kind);

#endif
