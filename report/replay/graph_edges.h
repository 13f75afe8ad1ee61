/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_edges.h - what each point and event of the graph hangs on, told while the recording is
 * walked in the order of time (graph.c): each function asks what has begun or ended so far.
 */
#ifndef REPORT_REPLAY_GRAPH_EDGES_H
#define REPORT_REPLAY_GRAPH_EDGES_H

#include "base/arena.h"
#include "report/replay/graph.h"

/* The graph of `r` so far, and how far the walk has come. */
struct building {
	struct replay *r;
	const struct trace *t;
	uint32_t *point_of; /* (analysis.n_device) what launched an event, NOTHING */
	uint32_t *last_point; /* (n_tracks) */
	uint32_t *last_event; /* (n_tracks) on each stream */
	uint32_t stream[REPLAY_STREAMS]; /* (n_streams) tracks with events so far */
	uint32_t n_streams;
	struct arena *scratch;
	const struct spans *working; /* (n_tracks) when a thread is in an operator or a call; NULL:
				  not asked yet */
	uint8_t *launches; /* (n_tracks) 1: something on it does */
	size_t row; /* up to here operators were counted */
	uint32_t operators;
	const int64_t *launched_end_ns; /* (n_points + 1) what the points before launched ends */
	const uint32_t *by_end; /* (analysis.n_device) events by their ends; NULL: not asked for */
	uint32_t last, last_wait; /* points: that began last; the wait that ended last */
	size_t launched, begun; /* events so far */
};

/* When an event begins and ends, and a point ends, as recorded. */
static inline int64_t edges_start(const struct building *b, uint32_t event)
{
	return b->t->start_ns[b->r->a->device_rows[event]];
}

static inline int64_t edges_end(const struct building *b, uint32_t event)
{
	return row_end(b->t, b->r->a->device_rows[event]);
}

static inline int64_t edges_end_of_point(const struct building *b, uint32_t point)
{
	return row_end(b->t, b->r->point[point].row);
}

/* A point, or a moment, on a thread: what it follows, how long after it, and what was recorded in
 * between; `row` is the first at or behind it. */
void edges_follow(
	struct building *b, struct point *p, uint32_t track, int64_t time_ns, uint32_t row);

/* Does a call that lasts long find the queue full? */
bool edges_queue_is_full(const struct building *b, uint32_t row);

/* What a call that has ended waited for: sets `awaits`, and the times that hang on it, where an
 * event ended in it.
 */
void edges_await(struct building *b, uint32_t index);

/* An event that begins: its launch, the one ahead on its stream, and what held it back. */
void edges_of_event(struct building *b, uint32_t index);

#endif
