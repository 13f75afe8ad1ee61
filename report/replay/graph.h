/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h - the graph of replay.h: its points and events, what each hangs on, and in which order
 * they are run.
 */
#ifndef REPORT_REPLAY_GRAPH_H
#define REPORT_REPLAY_GRAPH_H

#include "report/replay/replay.h"

#define NOTHING UINT32_MAX

/* What an event began upon. */
enum bound { BOUND_NOT, BOUND_LAUNCH, BOUND_STREAM, BOUND_OTHER };

struct point {
	uint32_t row;
	uint32_t before; /* the point it follows, NOTHING: it begins when it was recorded to */
	int64_t gap_ns; /* after the end of that, or after the window's origin */
	int64_t own_ns; /* from its begin to its end, at least */
	uint32_t awaits; /* the event that it waits for, NOTHING */
	int64_t tail_ns; /* after that has ended, at least */
	uint32_t first; /* of the events that it launched, in no order; NOTHING */
	uint32_t operators; /* recorded in the gap, on threads that launch */
	uint32_t seen; /* all of them in front of it */
	int64_t calls_ns; /* recording the operator's calls that are in no file, in the gap */
};

/* Of a point, what each run reads: when nobody records and no change is about it. */
struct pace {
	uint32_t before, awaits; /* as of the point */
	int64_t gap_ns, own_ns; /* what is left of its two times */
	int64_t tail_ns; /* as of the point */
};

/* In the recording, from the end of what a point follows to its own end, at least. */
struct reach {
	int64_t from_ns, until_ns;
};

/* What of a point's two times is left without an interruption: something that took more than twice
 * as long in the window as it did in most of the steps around that made the same calls, one by one.
 * Each step is interrupted here or there: as much of the window's is left as the others have of
 * theirs. A silence (blame.h) has a name of its own, and stays, and so does a wait. */
struct calm {
	double gap, own;
};

/* On what a change may touch beside the event itself. */
enum hangs {
	HANGS_IN_CALL = 1, /* its launch took long, and it began in there or right behind: the
			      host's time */
	HANGS_OUTSIDE = 2 /* in the step, but the event ahead or the one that holds it is not */
};

struct event {
	uint32_t point; /* NOTHING: it has no launch in the file, and no point came before */
	uint32_t ahead; /* the event in front of it on its stream, NOTHING */
	uint32_t held_by; /* an event of another stream, NOTHING */
	uint32_t next; /* of the same launch, NOTHING */
	int64_t launch_ns; /* after the point began, at least; without a point, from the origin */
	int64_t behind_ns; /* after `ahead` has ended, at least */
	int64_t dur_ns;
	int32_t held_ns; /* after `held_by` has ended, at least; up to IDLE_LAUNCH_GAP_NS */
	uint8_t bound; /* enum bound */
	uint8_t hangs; /* bits of enum hangs */
	bool inside : 1; /* the one ahead hangs on the same call: a graph's */
	bool in_step : 1; /* launched in the step that is the window */
	bool unexplained : 1; /* it began later than anything that the graph has explains */
};

/* A moment at which a window begins or ends: when the host is there and, with `launched`, what was
 * launched until then has ended, too: one step ends where the next begins, on both. */
struct moment {
	uint32_t launched; /* points before it; 0: what the device does is all one */
	uint32_t event; /* where it is no place of the host's: the end of this event; NOTHING */
	uint32_t inside; /* else it lies in this point; NOTHING */
	int64_t since_ns; /* after that has begun */
	struct point at; /* else it follows a point, like one */
	/* (n_last) of `launched`, where it is not 0, those that no other one ends behind, whatever
	   is changed but what runs beside; of the window alone. */
	uint32_t *last, n_last;
};

struct time_moments {
	struct moment from, to;
};

/* What is run. Points begin one after the other up to one that has to end first, and events wait
 * until somebody waits for one: nothing else of the host hangs on them. */
enum turn {
	TURN_BEGIN, /* of the points up to the one with this index */
	TURN_END, /* of a point that awaits an event */
	TURN_EVENTS /* up to the one with this index */
};

/* Where a plan becomes changes of the graph (changes.c): one at a time, in the same memory. */
struct replay_room {
	struct arena *arena; /* owns what follows; NULL: not asked for yet */
	float *factor; /* (analysis.n_device) */
	void *passes, *beside; /* (trace.n), (analysis.n_device) bytes */
	void *added_ns; /* (n_points) int64_t */
	struct time_span *span; /* (spared.room) */
	struct spans spared; /* its n counts nothing */
	struct replay *faster; /* NULL: nobody has asked for it */
};

struct replay {
	const struct analysis *a;
	struct point *point; /* (n_points) by start, up to those that the window hangs on */
	uint32_t n_points, n_calls; /* of the whole file */
	struct pace *pace; /* (n_points) */
	struct reach *reach; /* (n_points) */
	struct calm *calm; /* (n_points) NULL: too few steps are like the window */
	int64_t *times; /* of the run that goes on: one at a time */
	bool *ran_all; /* the one before left times of what is not in the step */
	struct replay_room *room;
	struct event *event; /* (n_events) those of the device up to the window's end */
	uint32_t n_events;
	uint32_t *order; /* (n_order) index * 4 + enum turn, up to the window's end; no index
			  * passes UINT32_MAX / 4 */
	size_t n_order;
	struct moment from, to; /* the window */
	/* The window as a step that recurs: what of the order is in it. None of it where n_step is
	   0. */
	uint32_t *step; /* (n_step) like `order`, but events are of step_event */
	size_t n_step;
	uint32_t *step_event; /* (n_step_events) */
	uint32_t n_step_events;
	uint32_t first, behind; /* its points */
	uint32_t *last_on; /* (n_tracks) the last event on each stream, NOTHING */
	int64_t host_from_ns; /* when the host begins it */
	int64_t steady_ns; /* how long it is when it recurs, as recorded */
	int64_t recorded_ns, plain_ns, unrecorded_ns;
	int64_t launch_ns, behind_ns, inside_ns, tail_ns; /* medians */
	int64_t operator_ns; /* what recording one costs */
	double slower; /* times that the host takes as long as by estimate when nobody records: 1 */
	bool measured; /* the step without the recorder is */
	bool device_limits; /* it is as long as the device alone makes it: `slower` at most */
	double scale; /* times that it takes as long as the graph gives then: 1 */
	const struct purposes *purposes; /* what of a collective is late */
	int64_t *late_ns; /* (n_events) of that what goes when nobody records; NULL: none is */
	int64_t *sent_ns; /* (n_events) what it sends for at most; 0: all of it. With late_ns */
	struct spans stepping; /* the profiler's own step(), between one ProfilerStep#N and the next
				*/
	const struct spans *silent; /* the host's silences (blame.h) */
	size_t n_unexplained;
	int64_t unexplained_ns;
};

/* Fills in the graph of r->a with the moments where a window begins and ends; with `steps`
 * (p->n_steps) up to the end of the last step, with those of each step instead. */
void graph_build(struct replay *r, struct arena *arena, const struct breakdown *p,
	struct time_moments *steps);

/* Is a call a point? */
bool graph_is_point(const struct analysis *a, uint32_t call);

/* Where the host begins a step, and the next, as breakdown.h tells them. False: it is not told. */
bool graph_host_of_step(
	const struct breakdown *p, const struct trace *t, uint32_t step, struct time_span *host);

/* Fills in r->calm, of a window that is a step. */
void graph_find_calm(struct replay *r, struct arena *arena, const struct breakdown *p);

/* What is left of a call that copies, when the device is done, is the host's own copying, from or
 * to memory that is not pinned: as long as it was, and no matter of the file's median. */
bool graph_copies(const struct replay *r, const struct point *p);

/* How many points begin before a time. */
uint32_t graph_points_before(const struct replay *r, int64_t time_ns);

/* The medians of the file: of launches and what stands behind each other; of the ends of waits,
 * once these are known. */
void graph_find_medians(struct replay *r);
void graph_find_tail(struct replay *r);

/* What of collectives is late when nobody records; the paces must be known. */
void graph_find_late(struct replay *r, struct arena *arena);

#endif
