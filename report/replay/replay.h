/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.h - the trace as a graph that can be run again, with something changed: what a remedy
 * would save is the difference.
 *
 * The graph has points and events. A point is an outer call that launches or waits; it begins so
 * long after the point in front of it has ended as it did in the recording: in front of it is the
 * one before it on its thread, or, where that thread was in no operator for most of the time in
 * between, the one that ended last on any (autograd's thread is woken by backward(), and the other
 * way round). An event of the device begins when
 *   - its launch began, and a launch takes to reach the device,
 *   - the event in front of it on its stream has ended, and the device takes to turn to the next,
 *   - an event of another stream has ended that it waited for: the file does not say for which
 *     (cudaStreamWaitEvent), so it is the one that ended last before an event that was held back,
 *     at most IDLE_LAUNCH_GAP_NS earlier; or, however long ago it ended, before one in front of
 *     whose launch an operator had its stream wait (but for collectives),
 * and ends its own length later, of a collective too; but without the recorder what of a collective
 * is late (device_purpose.h) is as much shorter as the host's time is: the rank that it waits for
 * is recorded, too. A call that waits ends when the event has ended that ended last before it: of
 * all streams, of those launched before it; a copy that blocks waits for itself, and a call that
 * frees memory for all. A launch that
 * lasts more than IDLE_SLOW_NS behind REPLAY_QUEUE launches that have not begun found the queue
 * full, and waits likewise. All nodes of a graph launch hang on its call.
 *
 * A window that is a step is run as one that recurs, with no lead over the device to begin with:
 * how far ahead the host was in the recording, a host that limits a changed step uses up.
 *
 * Without the recorder, what took more than twice as long in that step as it did in most of the
 * steps around it that made the same calls takes less: the host was interrupted, and is no longer
 * interrupted there than each of the others is in its own places. (A forecast that uploads 16
 * numbers one by one took 3.1 ms for them in that step, on an H100, and 0.7 ms in the two others.)
 *
 * With nothing changed the replay gives the recorded times. How far the graph alone carries,
 * `plain` tells: the same with the median of the file for every time that a launch takes to the
 * device, from one event to the next and from an event to the end of a wait, and nothing for what
 * the graph does not explain. Where that misses the recorded window by more than REPLAY_OFF, no
 * gain is told.
 *
 * Building and running take linear time, but for sorting the calls that wait by their ends, and for
 * a wait or an event that was held back, at which the streams are looked at: REPLAY_STREAMS at
 * most.
 */
#ifndef REPORT_REPLAY_REPLAY_H
#define REPORT_REPLAY_REPLAY_H

#include "report/analyse/breakdown.h"
#include "report/analyse/idle_causes.h"

enum { REPLAY_QUEUE = 256, REPLAY_STREAMS = 64 };
#define REPLAY_OFF 0.03

/* A member of the trace's top level: the median of the steps that its program made outside the
 * recording, timed by who recorded it (collect). The step without the recorder is then so long, at
 * most as long as recorded.
 *
 * Whose time that is depends on what limits the step. Where it is nine tenths of it or more with a
 * host that takes no time to speak of (a quarter of what it takes by estimate), the device does: of
 * 315 steps that were timed so, 105 are within REPLAY_OFF of that. How fast the host is, is then
 * not told, but that it is no slower than it can be behind the device; and what the device is
 * spared counts as where nothing was measured (replay_gain()). Else the host limits it, and one
 * factor on all that is left of its time, from 1/4 to 4, makes the step so long (a host is slower
 * at one time than at another). What is still off is one factor on all: the device's clock. Where
 * the device alone takes four times as long, or no host is slow enough, it counts as not measured.
 */
#define REPLAY_MEASURED "unrecorded_step_ns"

/* A changed program. */
struct replay_change {
	const struct spans *spared; /* the host does nothing there, and takes no time; NULL */
	const float *factor; /* (analysis.n_device) the length of each event is multiplied by it; 0:
				it is gone, with its place in the queue; NULL: 1 */
	const uint8_t *passes; /* (trace.n) 1: the call does not wait any more; NULL */
	const uint8_t
		*beside; /* (analysis.n_device) 1: the event runs on a stream of its own; NULL */
	const int64_t *added_ns; /* the host does something else in a point that it is spared, by
				  the points of graph.h; NULL */
	bool unrecorded; /* without what recording costs the host (profiler_cost.h) */
};

struct replay; /* lent from the arena */

/* operator_ns: what recording one costs, profiler_cost_operator_ns(). NULL when there is nothing to
 * run: no device events, or none with a launch in the file. a must outlive it. */
struct replay *replay_of(struct arena *arena, const struct analysis *a, const struct breakdown *p,
	int64_t operator_ns);

/* The recorded window, breakdown_window(): the median step, else the whole. */
int64_t replay_recorded_ns(const struct replay *r);

/* Without what recording costs the host; is it measured, else it is an estimate. */
int64_t replay_unrecorded_ns(const struct replay *r);
bool replay_is_measured(const struct replay *r);

/* The same of each step (p->n_steps), never more than it was recorded with: how long steps take
 * that nobody records. False, and nothing written, when they are told neither by ranges
 * ProfilerStep#N nor by others, when the trace has no operators of PyTorch, or nothing to run.
 * Linear but for sorting; the graph is built anew, for the whole file.
 *
 * Of 334 recordings with shapes of programs before and after one remedy, timed without a profiler
 * on an H100 (tests/gpu/patterns), the median step is off its time by a factor of 1.38 on geometric
 * average as it was recorded, by 1.18 as estimated, and 36 and 51 % are off by less than a tenth.
 * Of five such times of one program, one is that near to the median of the others in 82 %.
 *
 * Of 412, with others on an H100 and an H200: 92 % of the 136 whose device works for nine tenths of
 * that time, 49 % of 53 whose device works for six, 29 % of 223 (of the times one by one 98, 86 and
 * 73 %); timed where nobody had recorded before, 54 % of 248. What is left is mostly how fast the
 * host is while it is recorded: two processes with one model take 2311 and 3642 us a step, each
 * operator as much longer, as_strided too (0.5 and 0.9 us), which calls nothing. Both sides of a
 * program are off alike (correlation of 0.7), but also with the other side's error known only 38 %
 * of those whose host limits both are near. Costs of operators, launches and gaps chosen on two
 * sets of programs that nobody had recorded before estimate 41 to 47 % of the third's by less than
 * a tenth where the device works for less than 85 % (33 % as they are, of 148), and fewer of those
 * timed behind a recording.
 */
bool replay_unrecorded_steps(
	const struct analysis *a, const struct breakdown *p, int64_t operator_ns, int64_t *ns);

/* The parts of the window without what recording costs the host, by estimate: work takes what it
 * took, and the idle time that is left is the host's, the profiler's, and of waits, in this order,
 * each by its share. They sum to replay_unrecorded_ns(). */
struct time_parts replay_parts(const struct replay *r, const struct time_parts *recorded);

/* The recorded window as the graph alone gives it. */
int64_t replay_plain_ns(const struct replay *r);

/* Is that within REPLAY_OFF? */
bool replay_can_price(const struct replay *r);

/* How long the window is with a change; NULL: with none. */
int64_t replay_ns(const struct replay *r, const struct replay_change *change);

/* What a change saves of a window that is not recorded: without what recording costs, before and
 * after. Several changes in one are priced together. At least 0.
 *
 * How fast the host is when nobody records is an estimate, and what the device is spared a host
 * that is a little too slow in it hides. So where the gain is less than that, and the step was not
 * measured to be the host's, it is run with a host that takes REPLAY_FASTER of the time, too,
 * before and after, and what that gives counts, up to what the device is spared.
 *
 * The other way round, where the device is nearly as long as the host is by the estimate, what the
 * host is spared may be nothing. Where the recorder is taken to cost two fifths of the recorded
 * step, or more, and the faster host has less than a third of the gain, that counts. (A step that
 * cuts 160 pictures out one by one took 6.1 ms, 5.6 of them the device's, and 12.6 as recorded; 6.9
 * by the estimate, of which one call for all seemed to save 1.3. It saved 0.06.) */
#define REPLAY_FASTER 0.8
int64_t replay_gain(const struct replay *r, const struct replay_change *change);

void replay_dump(const struct replay *r, const struct breakdown *p, FILE *f);

#endif
