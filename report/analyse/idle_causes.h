/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_causes.h - why the device was idle: every gap has one cause, and the causes sum to the idle
 * time.
 *
 * The gaps are those of analysis.h: stretches of analysis.window in which no device runs a kernel,
 * copy or fill; events of 0 ns end none. So a window has one idle time, on every page, with one
 * device or several: how busy each of several is stands beside it. Integers throughout: the gaps,
 * and the causes, sum to analysis.window.idle_ns exactly.
 *
 * The causes, in the order in which they are tried ("launch": the call that put the event that ends
 * the gap in its queue; "thread": the one that made this call):
 *   before    the window's begin to the first device event in it
 *   after     from the last device event to the window's end
 *   held      after the launch call had ended the event took more than IDLE_LATENCY_NS to begin,
 *             and at least half of the gap passed then: something held it back, see idle_hold,
 *             and not the recorder, which delays the host
 *   profiler  rows of the profiler's own overhead cover at least half of the gap (requests for
 *             activity buffers, flushes, instrumentation; loading and compiling code is the
 *             program's own cost and does not count)
 *   unknown   the file has no launch
 *   latency   the launch began before the device fell idle; or it began later, but the call took
 *             more than IDLE_SLOW_NS and at least half of the gap
 *   sync      the launch began after the device fell idle; its thread was in a wait when that
 *             happened, and launched within IDLE_REFILL_NS of the wait's end. A wait is a call
 *             that synchronises, or a copy call that returned only after its copy had ended
 *   host      the launch began after the device fell idle
 *
 * Sources: HTA's host wait and kernel wait (breakdown_analysis.py; there by stream, so that they do
 * not add up), TraceLens' sync drains (PR 601, 620), a launch's normal delay of 5 to 20 us (HTA,
 * GitM-Labs), a slow call of 50 us (HTA), a hand-over of at most 30 us (HTA's
 * consecutive_kernel_delay, in the unit that it in fact compares). The half and IDLE_REFILL_NS are
 * ours: a thread that needs more than a millisecond after a wait was not kept from launching by the
 * wait.
 */
#ifndef REPORT_ANALYSE_IDLE_CAUSES_H
#define REPORT_ANALYSE_IDLE_CAUSES_H

#include "base/enum_names.h"
#include "base/min_max.h"
#include "report/analyse/analysis.h"

enum {
	IDLE_LATENCY_NS = 20000,
	IDLE_SLOW_NS = 50000,
	IDLE_REFILL_NS = 1000000,
	IDLE_LAUNCH_GAP_NS = 30000
};
enum { IDLE_WAITED_NAMES = 10 };

#define IDLE_CAUSE_LIST(X) \
	X(IDLE_PROFILER, "profiler") \
	X(IDLE_HOST, "host") \
	X(IDLE_LATENCY, "latency") \
	X(IDLE_SYNC, "sync") \
	X(IDLE_HELD, "held") \
	X(IDLE_UNKNOWN, "unknown") \
	X(IDLE_BEFORE, "before") \
	X(IDLE_AFTER, "after")
enum idle_cause { IDLE_CAUSE_LIST(KIND_MEMBER) IDLE_CAUSES };
const char *idle_cause_name(enum idle_cause cause); /* "profiler", "host" ... as above */

/* By what an event of IDLE_HELD was held back: the first that fits, told by the event that ended
 * last. Only a hand-over, at most IDLE_LAUNCH_GAP_NS, is explained by that event: in a longer gap
 * it had long ended. */
#define IDLE_HOLD_LIST(X) \
	X(HOLD_NOT, "not") \
	X(HOLD_GRAPH, "graph") /* both belong to one graph launch */ \
	X(HOLD_COMMUNICATION, "communication") \
	X(HOLD_COPY, "copy") /* a copy or a fill */ \
	X(HOLD_STREAM, "stream") /* an event of another stream */ \
	X(HOLD_ORDER, "order") /* the event before it on its own stream */ \
	X(HOLD_UNSEEN, "unseen") /* nothing in the file: work of another process, a host function, \
				    a record that was lost ... */
enum idle_hold { IDLE_HOLD_LIST(KIND_MEMBER) IDLE_HOLDS };
const char *idle_hold_name(enum idle_hold hold); /* "graph", "communication" ... */

/* Of a gap of the analysis. */
struct idle_why {
	uint32_t launch; /* the call that launched what ends it, NO_ROW */
	uint32_t evidence; /* profiler: the overhead row with the most of it; sync: the wait; host
			      and latency: where the driver's loading or compiling of code covers
			      half of it, the longest such row; NO_ROW */
	uint32_t waited; /* the innermost span of the launch's thread that fills at least half of
			    the gap; NO_ROW: nothing recorded does */
	uint8_t cause; /* enum idle_cause */
	uint8_t hold; /* enum idle_hold */
};

/* One with all that is known of it. */
struct idle_gap {
	int64_t start_ns, dur_ns;
	int64_t host_ns; /* of dur_ns: before the launch began; the rest passed in call and queue */
	uint32_t before, after; /* device rows: the one that ended last, the one that begins; NO_ROW
				   at the ends of the window */
	uint32_t launch, evidence, waited; /* as of struct idle_why */
	uint8_t cause, hold;
};

struct idle_sum {
	size_t n;
	int64_t ns, longest_ns;
	int64_t host_ns; /* sum of the gaps' host_ns */
	double share; /* of the idle time, 0 when there is none */
};

/* What the thread was doing, summed over the gaps of IDLE_HOST and IDLE_SYNC by the name of
 * `waited`; name 0: nothing recorded. */
struct idle_waited {
	name_id name;
	uint32_t row; /* the span of the longest of these gaps */
	size_t n;
	int64_t ns;
};

struct idle_device {
	int64_t id; /* as the file numbers it, -1 when it does not */
	int64_t busy_ns; /* of the window */
};

struct idle_causes {
	const struct analysis *of; /* whose gaps they are */
	struct idle_why *why; /* (n_gaps) asked with the gap by idle_gap_at() */
	size_t n_gaps;
	struct idle_device *devices; /* (n_devices) by id; none: the trace has no device events */
	uint32_t n_devices;
	int64_t window_ns, busy_ns, idle_ns; /* of the window; busy: some device works */
	struct idle_sum sum[IDLE_CAUSES];
	struct idle_sum held[IDLE_HOLDS]; /* IDLE_HELD by what held */
	uint32_t *waits; /* (n_waits) rows of idle_causes_is_wait(), by start */
	size_t n_waits;
	uint32_t longest[LONGEST_GAPS]; /* (n_longest) of the gaps, longest first */
	uint32_t n_longest;
	struct idle_waited waited[IDLE_WAITED_NAMES]; /* (n_waited) longest first */
	uint32_t n_waited; /* those of further names are not listed */
};

static inline struct idle_gap idle_gap_at(const struct idle_causes *l, size_t i)
{
	const struct trace *t = l->of->trace;
	const struct idle_why *why = &l->why[i];
	struct gap g = analysis_gap(l->of, i);
	int64_t host = why->launch == NO_ROW ? 0 : t->start_ns[why->launch] - g.start_ns;
	return (struct idle_gap){.start_ns = g.start_ns,
		.dur_ns = g.dur_ns,
		.host_ns = clip64(host, 0, g.dur_ns),
		.before = g.before,
		.after = g.after,
		.launch = why->launch,
		.evidence = why->evidence,
		.waited = why->waited,
		.cause = why->cause,
		.hold = why->hold};
}

/* The arena owns the result; the analysis must outlive it. */
struct idle_causes idle_causes_of(struct arena *arena, const struct analysis *a);

/* A wait: an outer call that synchronises, or a copy call that keeps its thread waiting. */
bool idle_causes_is_wait(const struct analysis *a, uint32_t row);

/* What `held` asks of a gap whose launch is known. */
bool idle_causes_was_held(const struct trace *t, const struct idle_gap *g);

void idle_causes_dump(const struct idle_causes *l, const struct analysis *a, FILE *f);

#endif
