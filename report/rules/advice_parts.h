/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice_parts.h - what the remedies share: the window as they see it, and how they answer.
 */
#ifndef REPORT_ADVISE_ADVICE_PARTS_H
#define REPORT_ADVISE_ADVICE_PARTS_H

#include "report/analyse/analysis.h"
#include "report/analyse/chips.h"
#include "report/analyse/launches.h"
#include "report/analyse/ledger.h"
#include "report/analyse/partition.h"
#include "report/analyse/shapes.h"
#include "report/rules/advice.h"
#include "report/rules/parts.h"

/* An event of the device in the window. */
struct seen_event {
	uint32_t row, call, op; /* call: the outer one that launched it; op: the innermost operator
				   around that; NO_ROW: not in the file */
	name_id op_name; /* 0: not in the file */
	uint32_t traits; /* of its own name */
	uint8_t part; /* enum spent */
	int64_t exposed_ns; /* of it, inside the window, with nothing better beside it */
};

/* Idle time for which the host is to blame, while no thread is in an operator or a call for long:
 * ELSEWHERE_TIMES what usually lies between two of them, and a hundredth of the window. */
struct elsewhere {
	int64_t idle_ns, longest_ns;
	size_t n;
	uint32_t row; /* the innermost range or Python function around the longest, NO_ROW */
};

enum { ELSEWHERE_TIMES = 20 };

/* Some rows of the trace, by start. */
struct found_rows {
	uint32_t *row; /* (n) malloc */
	size_t n;
};

/* The outermost operators of the thread that launches most, as far as they launch something. */
struct units {
	struct unit *unit; /* (n) by start (malloc); NULL: no remedy has asked yet */
	size_t n;
};

/* What was asked before. */
struct near {
	size_t idle; /* index into partition.idle: where idle time was asked for last */
	const struct replay *replay; /* of the trace, NULL: not asked yet, or it cannot price */
	bool replayed; /* it was asked */
};

struct sight {
	struct arena *arena;
	struct units *units;
	struct near *near;
	const struct trace *t;
	const struct analysis *a;
	const struct ledger *l;
	const struct partition *p;
	const struct split *w; /* the window */
	const struct chip *chip; /* NULL: unknown */
	struct seen_event *event; /* (n) by start (malloc) */
	size_t n;
	uint32_t *move; /* (n_moves) those of them that copy or communicate (in event's block) */
	size_t n_moves;
	uint32_t from, to; /* rows that begin inside the window */
	struct found_rows outer; /* operators in it that no other is directly around */
	struct found_rows convolutions, optimizers; /* operators and ranges in it, by name */
	uint32_t track; /* the host thread that launches most in it, NO_ROW */
	size_t launches, graph_launches, compiled; /* calls and rows in the window */
	size_t operators; /* in the window */
	int64_t launching_ns; /* that its launches take */
	int64_t recording_ns; /* what recording an operator costs: recording.h */
	size_t captures; /* graphs that are captured in the window */
	int64_t allocating_ns; /* idle while a thread was in the allocator's calls */
	struct elsewhere elsewhere;
	int64_t handover_ns; /* from one event to the next that was queued in time */
	double host; /* share of the host's time that is not the recorder's */
	int64_t computing_ns;
	bool torch;
};

/* Fills in all but arena, units and near; sight_release() frees the units, too. */
void sight_of(struct sight *s, const struct analysis *a, const struct ledger *l,
	const struct partition *p);
void sight_release(struct sight *s);

/* ---- questions ---- */

static inline int64_t sight_ns(const struct sight *s)
{
	return s->w->end_ns - s->w->start_ns;
}

static inline const char *sight_name(const struct sight *s, uint32_t row)
{
	return names_text(&s->t->names, s->t->name[row]);
}

/* Idle time of the device in [from_ns, to_ns), as far as that is in the window. */
int64_t sight_idle(const struct sight *s, int64_t from_ns, int64_t to_ns);

/* The part of it for which the host is to blame: launching and waits. */
int64_t sight_late(const struct sight *s, int64_t from_ns, int64_t to_ns);

/* Idle stretches of one part inside the window, one after the other: *i is 0 at first. NULL at the
 * end. Their times are clipped by sight_clip(). */
const struct stretch *sight_next_idle(const struct sight *s, enum spent part, size_t *i);
int64_t sight_clip(const struct sight *s, int64_t from_ns, int64_t to_ns);

/* Has one of the operators around an event's launch one of these traits? */
bool sight_is_under(const struct sight *s, const struct seen_event *e, uint32_t traits);

/* The name of the operator around an event's launch, "" when unknown. */
const char *sight_op(const struct sight *s, const struct seen_event *e);

/* Idle because the next launch came late, though the host was launching. */
static inline int64_t late_launches_ns(const struct sight *s)
{
	return s->w->ns[SPENT_LAUNCHING] - s->w->handover_ns - s->elsewhere.idle_ns;
}

/* ---- prices ---- */

/* What a change of the program saves of the window, the trace run again with it: replay.h. Where
 * the replay cannot price, the first takes the formula's word, less what the host needs anyhow, and
 * the second INFINITY. */

/* Kernels that take ns less, all together: nothing while the host is late. */
double kernels_save_ns(const struct sight *s, double ns);

/* One launch for all that are made in rhythm: what the device needs stays. */
double one_launch_saves_ns(const struct sight *s);

/* ---- answers ---- */

/* Evidence, in the order of calls: the first ADVICE_EVIDENCE are kept. */
void prove(struct finding *f, uint32_t row);

static inline double share_of_window(const struct sight *s, int64_t ns)
{
	return (double)ns / (double)sight_ns(s);
}

/* Thresholds that many have: the share of the window that it must be about, and must save. */
#define ABOUT(value) \
	{ \
		"share", value, UNIT_SHARE \
	}
#define LEAST(value) \
	{ \
		"least", value, UNIT_SHARE \
	}

static inline bool is_about(const struct sight *s, const struct finding *f, int64_t ns)
{
	return (double)ns >= limit(f, "share") * (double)sight_ns(s);
}

/* Gains that several have: the value "time"; "idle"; "time" less "floor"; of calls that may be of
 * few steps "here", their idle time in the window, or where that is less than "least", "idle" of
 * the recording, once. */
judge_gain saves_time, saves_idle, saves_above_floor, saves_here_or_once;

/* What of the host's time is the program's own. */
static inline double host_ns(const struct sight *s, double ns)
{
	return ns * s->host;
}

/* What the host spends on n kernels with the operators that launch them, as on any other. */
static inline double operators_ns(const struct sight *s, size_t n)
{
	return s->n ? host_ns(s, (double)sight_ns(s)) * (double)n / (double)s->n : 0;
}

/* On n launches alone. */
static inline double launches_ns(const struct sight *s, size_t n)
{
	return s->launches ? host_ns(s, (double)s->launching_ns) * (double)n / (double)s->launches
			   : 0;
}

/* The matrix product whose kernel an event is: its operator's, or that of one of the two around it;
 * p, or NULL where that is not known: what a graph or compiled code launches is not the work of the
 * operators around it. */
const struct product *sight_product(
	const struct sight *s, const struct seen_event *e, struct product *p);
const struct product *sight_product_near(
	const struct sight *s, const struct seen_event *e, struct product *p);

/* Adds up what a remedy is about. */
struct weighed {
	size_t n;
	int64_t ns; /* exposed */
	double flop, floor_ns; /* what the same work takes at a good share of the peak */
	const struct seen_event *longest;
};

static inline void count(struct weighed *k, const struct seen_event *e)
{
	k->n++;
	k->ns += e->exposed_ns;
	if (!k->longest || e->exposed_ns > k->longest->exposed_ns)
		k->longest = e;
}

#endif
